"""Isaac Lab's actuator configurations, written for a motor.

Isaac Lab has every number on the joint's side of the gear, and so has the text that is written.
"""

from __future__ import annotations

from typing import Any

from ...actuator import Actuator
from ...actuator.delay import Delay
from ...errors import ParameterError
from ...motor import Motor
from ..digits import rounded
from ..joint import Joint, has_line, joint_of, parts_of, require_known, whole_steps
from ..losses import kept_by_joint, statuses
from ..on_joint import OnJoint
from ..text import Figure, Written, one_of, quoted, single_number, source_of, write_call
from .configured import CLASSES, Configured, read

__all__ = ["CLASSES", "Configured", "read", "read_actuator", "write"]

VERSIONS = ("2.0", "2.1", "2.2", "2.3")


def write(
    thing: Motor | Actuator,
    joints: tuple[str, ...] = (".*",),
    kind: str | None = None,
    *,
    version: str = "2.3",
    timestep: float | None = None,
    transmission_ratio: Any = None,
    **numbers: Any,
) -> Written:
    """Configuration text of Isaac Lab for an actuator, and what is lost.

    `kind` is "dc_motor", "ideal_pd", "delayed_pd", "remotized" or "implicit"; left out, it is "dc_motor" where a
    torque-speed line is known and else "ideal_pd". Gains are those of an `IdealPd` or
    `TorquePid`; else give `stiffness=` and `damping=`, or `bandwidth_hz=` with `damping_ratio=` and `inertia=`
    [kg·m²]. `supply=` is the voltage behind the torque-speed line, the motor's rated one if left out; `effort=`
    "peak" or "continuous" chooses the current behind `effort_limit`, which may be given instead [N·m]. A delay in
    seconds needs the physics `timestep` [s].
    """
    kind = ("dc_motor" if has_line(thing) else "ideal_pd") if kind is None else kind
    if kind not in CLASSES:
        raise ParameterError(f"kind = {kind!r}: must be one of {', '.join(CLASSES)}")
    if version not in VERSIONS:
        raise ParameterError(f"version = {version!r}: must be one of {', '.join(VERSIONS)}")
    require_known(numbers)
    _, actuator = parts_of(thing)
    # before Isaac Sim 5.0 there is no friction torque
    rubs = version not in ("2.0", "2.1")
    joint = joint_of(thing, rubs=rubs, **numbers)
    notes: list[str] = []
    kept = kept_by_joint(actuator, joint, line=kind == "dc_motor", stiction=rubs)
    lines: list[tuple[str, Any]] = [("joint_names_expr", f"[{quoted(joints)}]")]
    lines += _limits(kind, joint, notes)
    lines += [("stiffness", joint.stiffness), ("damping", joint.damping)]
    if joint.armature is not None:
        lines.append(("armature", joint.armature))
    if not rubs:
        notes.append("Friction is a share of the load before Isaac Sim 5.0, and no torque: it is left out.")
        kept = {name: note for name, note in kept.items() if name not in ("dry friction", "stiction", "viscous drag")}
    else:
        named = (("friction", joint.stiction), ("dynamic_friction", joint.coulomb), ("viscous_friction", joint.viscous))
        lines += [(name, figure) for name, figure in named if figure is not None]
        if joint.coulomb is not None:
            notes.append("Under Isaac Sim 4.5 friction is a share of the load, and no torque: leave it out there.")
    lines += _delay(kind, actuator.delay, timestep, kept, notes)
    if kind == "remotized":
        lines.append(("joint_parameter_lookup", _lookup(joint, transmission_ratio, notes)))
        kept["angle limits"] = ""
    name = CLASSES[kind]
    text = f"from isaaclab.actuators import {name}\n\nactuator = {write_call(name, lines)}\n"
    return Written(text=text, statuses=statuses(thing, kept), notes=notes)


def read_actuator(text_or_path: Any, joint: str | None = None) -> OnJoint:
    """The actuator of a configuration text or file, or the one for a joint, with what it says of the joint itself."""
    text, file = source_of(text_or_path)
    found = one_of(read(text, file), joint, file)
    return OnJoint(
        actuator=found.actuator(),
        joint=found.joints[0],
        armature=single_number(found, "armature"),
        coulomb=single_number(found, "dynamic_friction"),
        stiction=None if found.friction is None else single_number(found, "friction"),
        viscous=single_number(found, "viscous_friction"),
    )


def _limits(kind: str, joint: Joint, notes: list[str]) -> list[tuple[str, Any]]:
    if kind == "remotized":
        return []
    if joint.effort_limit is None:
        raise ParameterError(
            "effort_limit is not known: give a motor with a voltage, an Actuator with a DcClip or an EffortLimit, "
            "or effort_limit="
        )
    if kind == "dc_motor":
        if joint.saturation_effort is None or joint.velocity_limit is None:
            raise ParameterError("kind = 'dc_motor' needs a torque-speed line: give a motor, or a DcClip in limits")
        if joint.effort_limit.value > joint.saturation_effort.value:
            notes.append("The effort limit is above the stall torque, so it has no effect while driving.")
        return [
            ("effort_limit", joint.effort_limit),
            ("saturation_effort", joint.saturation_effort),
            ("velocity_limit", joint.velocity_limit),
        ]
    if kind == "implicit":
        speed = joint.velocity_limit
        return [("effort_limit_sim", joint.effort_limit)] + ([("velocity_limit_sim", speed)] if speed else [])
    return [("effort_limit", joint.effort_limit)]


def _delay(
    kind: str, delay: Delay | None, timestep: float | None, kept: dict[str, str], notes: list[str]
) -> list[tuple[str, Any]]:
    if delay is None:
        return []
    if kind not in ("delayed_pd", "remotized"):
        notes.append(f"{CLASSES[kind]} has no delay: take kind='delayed_pd', which has no torque-speed line.")
        return []
    told: list[str] = []
    if delay.schedule in ("period", "step", "mjlab"):
        told.append("The delay is drawn at each reset alone, and then stays.")
    if delay.targets is not None:
        told.append("All targets are delayed alike.")
    low, high = whole_steps(delay, timestep, told)
    kept["delay"] = " ".join(told)
    source = f"Delay.{'steps' if delay.seconds is None else 'seconds'}"
    return [
        ("min_delay", Figure(low, "physics steps", source)),
        ("max_delay", Figure(high, "physics steps", source)),
    ]


def _lookup(joint: Joint, transmission_ratio: Any, notes: list[str]) -> str:
    if joint.table is None:
        raise ParameterError(
            "kind = 'remotized' needs torque by joint angle: give an Actuator with an AngleTable in limits"
        )
    table = joint.table
    ratios = [1.0] * len(table.angle) if transmission_ratio is None else [float(ratio) for ratio in transmission_ratio]
    if len(ratios) != len(table.angle):
        raise ParameterError(f"transmission_ratio has {len(ratios)} entries where the table has {len(table.angle)}")
    if transmission_ratio is None:
        notes.append("The transmission ratios are written as 1; Isaac Lab does not use them.")
    notes.append("Effort and velocity limits have no effect beside the table.")
    rows = [
        f"        [{rounded(float(angle))!r}, {rounded(ratio)!r}, {rounded(float(effort))!r}],"
        for angle, ratio, effort in zip(table.angle, ratios, table.effort, strict=True)
    ]
    return "\n".join(["[  # joint angle [rad], transmission ratio [1], largest torque [N·m]", *rows, "    ]"])
