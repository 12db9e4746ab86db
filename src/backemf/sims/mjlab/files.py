"""mjlab's actuator configurations: written for an actuator, and read without running them.

Every number is on the joint's side of the gear.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...actuator import Actuator
from ...actuator.controllers import Torque
from ...errors import BackemfError, ParameterError
from ...motor import Motor
from ..joint import NUMBERS, parts_of, require_known
from ..on_joint import OnJoint, Unread
from ..text import Call, Dialect, Written, calls_of_text, one_of, quoted, read_calls, single_number, write_call
from .configured import Configured
from .kinds import CLASSES, DELAYED, JOINTS, KINDS, LISTENS, PARTS, UNREAD
from .reading import configured, label
from .writing import OWN, delay_lines, joint_lines, kind_for, own_lines, rows_of, with_own
from .writing_motor import joint_beside, motor_lines

__all__ = ["CLASSES", "Configured", "read", "read_actuator", "read_actuators", "write"]


def write(
    thing: Motor | Actuator | OnJoint,
    joints: tuple[str, ...] | None = None,
    kind: str | None = None,
    *,
    timestep: float | None = None,
    network_file: str | None = None,
    **numbers: Any,
) -> Written:
    """Configuration text of mjlab 1.6 for an actuator, and what is lost.

    Args:
        thing: What to write.
        joints: Patterns of joint names; left out, those of an `OnJoint`, or all.
        kind: One of `CLASSES`, such as "builtin_pd"; left out, it is "dc_motor" where a torque-speed line is known, and
            else the kind that listens to the targets of the controller. "builtin_dc_motor" is a motor with its
            currents.
        timestep: Physics step, which a delay in seconds needs [s].
        network_file: Where mjlab finds the network of a "learned_mlp"; `be.save_network` writes it.
        numbers: Gains, where the controller is no `IdealPd`, `TorquePid` or `Torque`: `stiffness=` and `damping=`, or
            `bandwidth_hz=` with `damping_ratio=` and `inertia=` [kg·m²]. `supply=` is the voltage behind the
            torque-speed line, the motor's rated one if left out; `effort=` "peak" or "continuous" chooses the current
            behind `effort_limit`, which may be given instead [N·m]. `armature=` [kg·m²], `frictionloss=` [N·m] and
            `viscous_damping=` [N·m·s/rad] of the joint go before those of the motor.
    """
    motor, actuator = parts_of(thing)
    kind = kind_for(thing, actuator) if kind is None else kind
    if kind not in CLASSES:
        raise ParameterError(f"kind = {kind!r}: must be one of {', '.join(CLASSES)}")
    # some kinds have no gains, or those of their controller
    gainless = kind in ("builtin_dc_motor", "builtin_motor", "learned_mlp")
    require_known(numbers, (*(("supply", "effort", "effort_limit") if gainless else NUMBERS), *OWN))
    own = {name: numbers[name] for name in OWN if numbers.get(name) is not None}
    numbers = {name: value for name, value in numbers.items() if name not in OWN}
    if kind == "builtin_motor" and isinstance(thing, Motor):
        thing = actuator = Actuator(thing, controller=Torque())
    thing = with_own(thing, actuator, own)
    names = joints if joints is not None else (thing.joint if isinstance(thing, OnJoint) and thing.joint else ".*")
    lines: list[tuple[str, Any]] = [("target_names_expr", f"({quoted(names)},)")]
    imports, notes = [CLASSES[kind]], []
    if kind == "builtin_dc_motor":
        joint = joint_beside(thing, motor)
        heard, parts, more, kept = motor_lines(motor, actuator, numbers, notes)
        imports += parts
    else:
        more, kept, joint = joint_lines(thing, actuator, kind, network_file, numbers, notes)
        heard = LISTENS[kind]
    lines += more + own_lines(joint, actuator, own, kept) + delay_lines(actuator, timestep, kept)
    text = f"from mjlab.actuator import {', '.join(sorted(imports))}\n\nactuator = {write_call(CLASSES[kind], lines)}\n"
    return Written(text=text, statuses=rows_of(thing, actuator, kind, kept, heard, joint), notes=notes)


def read(source: Any, file: str = "") -> list[Configured]:
    """Every actuator of a configuration of mjlab, in its order; raises one sentence where one cannot be read.

    `source` is a text, the `Path` of a file, or configuration objects: an actuator, several, or a robot with actuators.
    """
    found = _rows(source, file, text=True)
    for row in found:
        if isinstance(row, Unread):
            raise ParameterError(row.why)
    return [row for row in found if isinstance(row, Configured)]


def read_actuators(source: Any) -> list[OnJoint | Unread]:
    """Every actuator of a configuration of mjlab, in its order, each as a backemf actuator or with why it is not read.

    The joint of each is one pattern that fits all its joints, as in ".*_hip|.*_knee".
    `source` is a text, a file, or configuration objects: an actuator, several, or a robot with actuators.
    """
    return [_on_joint_or_unread(row) for row in _rows(source)]


def read_actuator(source: Any, joint: str | None = None) -> OnJoint:
    """The actuator of a text, a file or a configuration object, or the one for a joint, with what belongs to it."""
    file = str(source) if isinstance(source, Path) or (isinstance(source, str) and "\n" not in source) else ""
    return on_joint(one_of(_rows(source), joint, file))


DIALECT = Dialect(
    known=(*KINDS, DELAYED, *UNREAD),
    marker=JOINTS[0],
    older=JOINTS[1:],
    parts=PARTS,
)
"""How mjlab's actuators are told from everything else in a text."""


def _rows(source: Any, file: str = "", text: bool = False) -> list[Configured | Unread]:
    """Each actuator, or why it is not read; `text` says that a string is the text itself."""
    found = calls_of_text(source, DIALECT, file) if text and isinstance(source, str) else read_calls(source, DIALECT)
    return [_configured_or_unread(row) if isinstance(row, Call) else row for row in found]


def _configured_or_unread(call: Call) -> Configured | Unread:
    try:
        return configured(call)
    except BackemfError as error:
        base = call.fields.get("base_cfg")
        named = base if isinstance(base, Call) else call
        place = "" if isinstance(error, ParameterError) else f"{call.at()}: "
        return Unread(label(named), named.name, f"{place}{error}", call.robots)


def _on_joint_or_unread(row: Configured | Unread) -> OnJoint | Unread:
    if isinstance(row, Unread):
        return row
    try:
        return on_joint(row)
    except ParameterError as error:
        told = f"{row.where}: {CLASSES[row.kind]}: {error}"
        return Unread(", ".join(row.joints), CLASSES[row.kind], told, row.robots)


def on_joint(found: Configured) -> OnJoint:
    """An actuator with what it says of the joint itself; raises where its joints have numbers of their own."""
    for name in ("stiffness", "damping", "effort_limit", "saturation_effort", "velocity_limit", *OWN):
        single_number(found, name)
    return OnJoint(
        actuator=found.actuator(),
        joint="|".join(found.joints),
        armature=single_number(found, "armature"),
        coulomb=single_number(found, "frictionloss"),
        viscous=single_number(found, "viscous_damping"),
        robots=found.robots,
        losses=found.losses,
    )
