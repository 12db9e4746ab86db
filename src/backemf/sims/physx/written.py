"""A motor as a drive of PhysX in USD: gains, performance envelope and joint axis, and the way back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...actuator import Actuator
from ...actuator.controllers import IdealPd
from ...actuator.torque_limits import DriveEnvelope, EffortLimit
from ...errors import ParameterError
from ...motor import Motor, mark
from ..joint import Joint, feeding, joint_of, parts_of, require_known
from ..losses import kept_by_joint, statuses
from ..on_joint import OnJoint
from ..text import Written
from .datasheet import from_motor
from .files import JointAxis, UsdDrive, read, text


@dataclass(frozen=True, kw_only=True)
class WrittenDrive(Written):
    """A layer of USD, and the drive that it says."""

    drive: UsdDrive
    """The drive of the joint, in SI units."""


def write(
    thing: Motor | Actuator | OnJoint, joint: str = "/World/robot/joint", *, instance: str = "angular", **numbers: Any
) -> WrittenDrive:
    """A .usda layer to lay over a robot's stage, and what is lost.

    `joint` is the path of the joint's prim. Gains are those of an `IdealPd` or `TorquePid`, none for `Torque()`; else
    give `stiffness=` and `damping=`, or `bandwidth_hz=`. `supply=` is the voltage behind the envelope, the motor's
    rated one if left out; `effort=` "peak" or "continuous" chooses the current behind its largest effort.

    Drag goes to the joint's axis, where it brakes in all four quadrants, and so `velocity_dependent_resistance` is 0.
    """
    require_known(numbers)
    motor, actuator = parts_of(thing)
    figures = joint_of(thing, **numbers)
    envelope = _envelope(motor, actuator, figures, numbers)
    drive = UsdDrive(
        instance=instance,
        stiffness=figures.stiffness.value,
        damping=figures.damping.value,
        max_effort=figures.effort_limit.value if envelope is None and figures.effort_limit is not None else None,
        envelope=envelope,
        axis=JointAxis(
            armature=_value(figures.armature),
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
    said = _with_marks(text(drive, joint), motor, figures)
    return WrittenDrive(text=said, statuses=statuses(thing, kept), drive=drive)


def _with_marks(layer: str, motor: Motor | None, figures: Joint) -> str:
    """The layer with a comment on each number that rests on an estimate."""
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


def _envelope(motor: Motor | None, actuator: Actuator, figures: Joint, numbers: dict[str, Any]) -> DriveEnvelope | None:
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
    return DriveEnvelope(
        max_effort=min(limit.max_effort, figures.effort_limit.value),
        max_actuator_velocity=limit.max_actuator_velocity,
        velocity_dependent_resistance=0.0,
        speed_effort_gradient=limit.speed_effort_gradient,
    )


def _value(figure: Any) -> float:
    return 0.0 if figure is None else figure.value


def read_actuator(stage: Any, joint: str | None = None, instance: str | None = None) -> OnJoint:
    """The drive of a joint in a stage, file or text, as an actuator without a motor."""
    drive = read(stage, joint, instance)
    if drive.acceleration:
        raise ParameterError(
            f"the drive of {joint or 'the joint'} is an acceleration drive: its effort follows the inertia that PhysX "
            "finds; make it a force drive"
        )
    limits: tuple[Any, ...] = ()
    if drive.envelope is not None:
        limits = (drive.envelope,)
    elif drive.max_effort is not None and drive.max_effort > 0.0:
        limits = (EffortLimit(effort_limit=drive.max_effort),)
    axis = drive.axis or JointAxis()
    return OnJoint(
        actuator=Actuator(controller=IdealPd(stiffness=drive.stiffness, damping=drive.damping), limits=limits),
        joint=joint or "",
        armature=axis.armature,
        coulomb=axis.dynamic_friction,
        stiction=axis.static_friction,
        viscous=axis.viscous_friction,
    )
