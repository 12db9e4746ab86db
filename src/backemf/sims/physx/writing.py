"""A motor as a drive of PhysX in USD: gains, performance envelope and joint axis."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Unpack

from ...actuator import Actuator
from ...actuator.torque_limits import DriveEnvelope
from ...errors import ParameterError
from ...motor import Motor, mark
from ..joint import NUMBERS, Joint, feeding, joint_of, parts_of, require_known, single
from ..losses import kept_by_joint, statuses
from ..on_joint import OnJoint
from ..text import Figure, Written
from ..types import JointNumbers
from ..usd import prim_path
from .about import ABOUT
from .datasheet import from_motor
from .drives import LINEAR, JointAxis, UsdDrive, text


@dataclass(frozen=True, kw_only=True)
class WrittenDrive(Written):
    """A layer of USD, and the drive that it says."""

    drive: UsdDrive
    """The drive of the joint, in SI units."""


BESIDE = ("position_target", "velocity_target", "max_joint_velocity")
"""Numbers of PhysX's own that an actuator has no place for: targets, and what the joint itself is held to."""


def write(
    thing: Motor | Actuator | OnJoint,
    joint: str | None = None,
    kind: str | None = None,
    *,
    version: str | None = None,
    timestep: float | None = None,
    instance: str | None = None,
    position_target: float | None = None,
    velocity_target: float | None = None,
    max_joint_velocity: float | None = None,
    **numbers: Unpack[JointNumbers],
) -> WrittenDrive:
    """A .usda layer to lay over a robot's stage, and what is lost.

    `joint` is the path of the joint's prim or the name of a joint of /robot, and `instance` its axis, which may also
    stand behind the path, as in /World/robot/slide:linear; else it is that of the joint that was read, or angular.
    Gains are those of an `IdealPd` or `TorquePid`, none for `Torque()`; else give `stiffness=` and `damping=`, or
    `bandwidth_hz=`. `supply=` is the voltage behind the envelope, the motor's rated one if left out; `effort=` "peak"
    or "continuous" chooses the current behind its largest effort. Targets [rad], [rad/s] and `max_joint_velocity`
    [rad/s] are those that were read, or 0 and none.

    Drag goes to the joint's axis, where it brakes in all four quadrants, and so `velocity_dependent_resistance` is 0.
    """
    ABOUT.require(kind, version)
    require_known(numbers, (*NUMBERS, *BESIDE, "instance"))
    motor, actuator = parts_of(thing)
    path, axis = _axis(thing, prim_path(joint, thing), instance)
    _require_motion(motor, axis)
    figures = joint_of(thing, **numbers)
    envelope = _envelope(motor, actuator, figures, numbers)
    own = dict(thing.beside) if isinstance(thing, OnJoint) else {}
    given = zip(BESIDE, (position_target, velocity_target, max_joint_velocity), strict=True)
    own.update({name: single(name, value) for name, value in given if value is not None})
    drive = UsdDrive(
        instance=axis,
        stiffness=figures.stiffness.value,
        damping=figures.damping.value,
        position_target=own.get("position_target", 0.0),
        velocity_target=own.get("velocity_target", 0.0),
        max_effort=figures.effort_limit.value if envelope is None and figures.effort_limit is not None else None,
        envelope=envelope,
        axis=JointAxis(
            armature=_value(figures.armature),
            max_joint_velocity=own.get("max_joint_velocity"),
            static_friction=_value(figures.stiction),
            dynamic_friction=_value(figures.coulomb),
            viscous_friction=_value(figures.viscous),
        ),
    )
    kept = kept_by_joint(actuator, figures, line=envelope is not None, stiction=True)
    if envelope is not None:
        kept["torque-speed line"] = (
            "All four quadrants are alike: braking is as weak as driving, and beyond the top speed of "
            f"{envelope.max_actuator_velocity:.4g} rad/s there is no torque, where a motor brakes hardest."
        )
    said = _with_marks(text(drive, path), motor, figures)
    return WrittenDrive(text=said, statuses=statuses(thing, kept), drive=drive)


def _axis(thing: Motor | Actuator | OnJoint, joint: str, instance: str | None) -> tuple[str, str]:
    """The path of a joint and the axis that is driven."""
    path, _, named = joint.partition(":")
    if instance is not None and named and instance != named:
        raise ParameterError(f"instance = {instance!r}: the joint {joint} says {named}; leave one of them out")
    read = thing.joint.partition(":")[2] if isinstance(thing, OnJoint) else ""
    motor = parts_of(thing)[0]
    return path, instance or named or read or (
        "linear" if motor is not None and motor.motion == "linear" else "angular"
    )


def _require_motion(motor: Motor | None, axis: str) -> None:
    """Refuse a motor that turns on an axis that slides, and the other way round."""
    if motor is None or (motor.motion == "linear") == (axis in LINEAR):
        return
    name = motor.name or "Motor"
    if motor.motion == "linear":
        raise ParameterError(
            f"{name} is a linear motor, and the {axis} axis turns: its forces are not torques; write it to an axis "
            "that slides"
        )
    raise ParameterError(
        f"{name} turns, and the {axis} axis slides: its torques are not forces; write it to an angular axis, or bring "
        "it to the slide with the motor of a LeadScrew or Belt"
    )


def _with_marks(layer: str, motor: Motor | None, figures: Joint) -> str:
    """The layer with a comment on each number that is based on an estimate."""
    first, rest = layer.split("\n", 1)
    marked = []
    for number, figure, name in (
        ("armature", figures.armature, "rotor.inertia"),
        ("dynamicFrictionEffort", figures.coulomb, "friction.coulomb"),
        ("staticFrictionEffort", figures.stiction, "friction.coulomb"),
    ):
        if motor is not None and figure is not None and mark(motor, name):
            marked.append(f"# {number} [{figure.unit}]: {figure.source}")
    return "\n".join([first, *marked, rest])


def _envelope(motor: Motor | None, actuator: Actuator, figures: Joint, numbers: JointNumbers) -> DriveEnvelope | None:
    """Of the actuator's own limits, or else of its motor; None: the largest effort holds at any speed."""
    given = [limit for limit in actuator.limits if isinstance(limit, DriveEnvelope)]
    if given:
        return given[0]
    if motor is None or figures.effort_limit is None:
        stall, top, speed = figures.saturation_effort, figures.effort_limit, figures.velocity_limit
        if stall is None or top is None or speed is None:
            return None
        # a DC-motor clip is the same two lines while it drives
        return DriveEnvelope(
            max_effort=min(top.value, stall.value),
            max_actuator_velocity=speed.value,
            velocity_dependent_resistance=0.0,
            speed_effort_gradient=speed.value / stall.value,
        )
    source = feeding(motor, actuator, numbers.get("supply"))
    limit = from_motor(motor, source, effort=numbers.get("effort", "peak")).limit
    most = min(limit.max_effort, figures.effort_limit.value)
    return replace(limit, max_effort=most, velocity_dependent_resistance=0.0)


def _value(figure: Figure | None) -> float:
    return 0.0 if figure is None else figure.value
