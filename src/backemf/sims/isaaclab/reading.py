"""Isaac Lab's actuator configurations, read from texts, files and objects without running anything."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from ...actuator.delay import Delay
from ...actuator.torque_limits import AngleTable
from ...errors import BackemfError, ParameterError, errors_at
from ..joint_choice import one_of, tables_of
from ..joint_patterns import patterns_of
from ..on_joint import OnJoint, Unread
from ..room import Source
from ..script_actuator import Call, Value
from ..script_actuators import Dialect, read_calls
from ..types import Fields
from .about import ABOUT
from .configured import CLASSES, KINDS, LINES, Configured

DIALECT = Dialect(tuple(KINDS), "joint_names_expr", copies=True)
_GAINS = ("stiffness", "damping")
_LIMITS = ("effort_limit", "effort_limit_sim", "velocity_limit", "velocity_limit_sim")
_JOINT = ("armature", "friction", "dynamic_friction", "viscous_friction")
COMMON = ("joint_names_expr", "class_type", *_LIMITS, *_GAINS, *_JOINT)
"""Fields of every class."""
_NETWORK = ("saturation_effort", "network_file")
FIELDS = {
    "dc_motor": ("saturation_effort",),
    "delayed_pd": ("min_delay", "max_delay"),
    "remotized": ("min_delay", "max_delay", "joint_parameter_lookup"),
    "lstm": _NETWORK,
    "mlp": (*_NETWORK, "pos_scale", "vel_scale", "torque_scale", "input_order", "input_idx"),
}
"""Additional fields of some classes."""
IN_USD = (*_GAINS, "effort_limit", "velocity_limit_sim", *_JOINT, "network_file")
"""Fields that may be given where a text leaves them to another file."""
Given: TypeAlias = Value | str | Path
"""What may be given for such a field: a number, one per pattern of joint names, or the file of a network."""
LONGEST_DELAY = 10_000
"""Longest delay that is read [physics steps]."""


def read_configs(source: Source, file: str = "") -> list[Configured]:
    """Every actuator of a configuration, in order; raises ParameterError if one cannot be read.

    `source` is a text, a path, or an object of Isaac Lab: an actuator's configuration, a dictionary of them, or an
    `ArticulationCfg`. `file` is the name of a text in messages.
    """
    rows = read_all(source, file)
    for row in rows:
        if isinstance(row, Unread):
            raise ParameterError(row.why)
    return [row for row in rows if isinstance(row, Configured)]


def read_actuators(source: Source, *, version: str | None = None, **given: Given) -> list[OnJoint | Unread]:
    """Every actuator of a text, a file or a configuration object, in its order, and why any of them is not read.

    A group with one number per pattern of joint names gives one actuator per pattern, which is then its joint's name.
    What the text leaves to the robot's USD file may be given by the names of the fields, such as `stiffness=40.0`: one
    number, or a dictionary as in Isaac Lab. `network_file=` is the file of a network that is elsewhere here.
    """
    ABOUT.require_version(version)
    found: list[OnJoint | Unread] = []
    for row in read_all(source, "", given):
        if isinstance(row, Unread):
            found.append(row)
            continue
        for pattern, name in _patterns(row):
            try:
                found.append(replace(row.at(name), joints=(pattern,)).on_joint())
            except BackemfError as error:
                found.append(Unread(pattern, CLASSES[row.kind], _at_place(row, str(error)), row.robots))
    return found


def read_actuator(source: Source, joint: str | None = None, *, version: str | None = None, **given: Given) -> OnJoint:
    """The actuator of a text, a file or a configuration object, or the one for a joint, with what it says of the joint.

    `joint` may name the robot before the joint, as in "FRANKA_PANDA_CFG/panda_joint1"; `given` is as in
    `read_actuators`.
    """
    ABOUT.require_version(version)
    found = one_of(read_all(source, "", given), joint, str(source) if _is_path(source) else "")
    if joint is None:
        found = _only_pattern(found)
    return found.on_joint()


def _only_pattern(found: Configured) -> Configured:
    rows = found.by_pattern()
    if len(rows) > 1 and tables_of(found):
        shown = ", ".join(row.joints[0] for row in rows)
        raise ParameterError(_at_place(found, f"its joints {shown} have different numbers: give joint="))
    return rows[0]


def _patterns(row: Configured) -> list[tuple[str, str]]:
    """Each pattern of joints with its own numbers, and a joint name that fits it."""
    try:
        return patterns_of(row.joints, list(tables_of(row).values())) or [(name, name) for name in row.joints]
    except ParameterError:
        return [(name, name) for name in row.joints]


def _is_path(source: Source) -> bool:
    return not isinstance(source, str) or "\n" not in source


def _at_place(row: Configured, sentence: str) -> str:
    place = f"{row.file}, line {row.line}" if row.file else f"line {row.line}" if row.line else row.group
    return sentence if place and sentence.startswith(place) else f"{place}: {sentence}"


def read_all(source: Source, file: str = "", given: Mapping[str, Given] | None = None) -> list[Configured | Unread]:
    """Every actuator as the source has it, in order."""
    given = given or {}
    for name in given:
        if name not in IN_USD:
            raise ParameterError(f"read_actuators({name}=...): there is no such field; it takes {', '.join(IN_USD)}")
    found: list[Configured | Unread] = []
    for row in read_calls(source, DIALECT, file):
        if isinstance(row, Unread):
            found.append(row)
            continue
        try:
            found.append(_read_config(_fill(row, given)))
        except BackemfError as error:
            found.append(Unread(row.label(DIALECT.marker), row.name, str(error), row.robots))
    return found


def _fill(call: Call, given: Mapping[str, Given]) -> Call:
    """The same with what is given for the fields that it leaves out."""
    kind = KINDS[call.name]
    values = dict(call.fields)
    for name, value in given.items():
        if name in _GAINS and kind in ("mlp", "lstm"):
            continue
        if name == "network_file":
            if kind in ("mlp", "lstm"):
                values[name] = str(value)
        elif values.get(name) is None and not (
            name == "effort_limit" and (kind == "remotized" or values.get("effort_limit_sim") is not None)
        ):
            values[name] = value
    return replace(call, fields=values)


def _read_config(call: Call) -> Configured:
    kind = KINDS[call.name]
    for name in call.fields:
        if name not in (*COMMON, *FIELDS.get(kind, ())):
            raise call.error(name, f"{call.name} has no such field")
    if call.fields.get("class_type") is not None:
        raise ParameterError(f"{call.at('class_type')}: {call.name}.class_type: a custom class is not read")
    known: Fields = {"kind": kind, "joints": call.joints("joint_names_expr"), "line": call.line}
    known |= {"file": call.file, "robots": call.robots, "group": call.group}
    if kind not in ("mlp", "lstm"):
        for name in _GAINS:
            if name not in call.fields:
                remedy = "write the number, or None for that of the USD file"
                raise ParameterError(f"{call.at()}: {call.name} has no {name}: {remedy}")
            known[name] = call.number(name, least=0.0)
    for name in _JOINT:
        known[name] = call.number(name, least=0.0)
    for name in _LIMITS:
        known[name] = _limit(call, name, kind in LINES and name == "velocity_limit")
    if kind == "implicit":
        _check_pair(call, known, "effort_limit")
        _check_pair(call, known, "velocity_limit")
    if kind in LINES:
        known["saturation_effort"] = call.number("saturation_effort", above=0.0, required="give the stall torque [N·m]")
        if isinstance(known["saturation_effort"], dict):
            raise call.error("saturation_effort", "must be one number for all joints")
    if kind in ("delayed_pd", "remotized"):
        known["delay"] = _delay(call)
    if kind == "remotized":
        known["table"], known["transmission_ratio"] = _lookup(call)
    if kind in ("mlp", "lstm"):
        known["network"] = _network(call, kind)
    return Configured(**known)


def _limit(call: Call, name: str, line: bool) -> Value:
    """A limit above 0, which may be infinite; of a torque-speed line it must be a finite number."""
    if line:
        return call.number(name, above=0.0, required="give the no-load speed [rad/s]")
    value = call.take(name)
    if value == math.inf:
        return math.inf
    if isinstance(value, dict) and math.inf in value.values():
        finite = {key: number for key, number in value.items() if number != math.inf}
        replace(call, fields={name: finite}).number(name, above=0.0)
        return {str(key): float(number) for key, number in value.items()}
    return call.number(name, above=0.0)


def _check_pair(call: Call, known: Fields, name: str) -> None:
    """Isaac Lab refuses an implicit actuator with two limits that differ."""
    own, solver = known[name], known[f"{name}_sim"]
    if own is not None and solver is not None and own != solver:
        raise call.error(name, f"differs from {name}_sim = {solver}, which Isaac Lab refuses: give {name}_sim alone")


def _delay(call: Call) -> Delay | None:
    low, high = call.steps("min_delay"), call.steps("max_delay")
    if low > high:
        raise call.error("min_delay", f"must not be above max_delay = {high}")
    if high > LONGEST_DELAY:
        raise call.error("max_delay", f"must be at most {LONGEST_DELAY} physics steps")
    return Delay(steps=(low, high), schedule="isaaclab") if high > 0 else None


def _lookup(call: Call) -> tuple[AngleTable, tuple[float, ...]]:
    name = "joint_parameter_lookup"
    rows = call.take(name, None, "give rows of [joint angle, transmission ratio, largest torque]")
    good = isinstance(rows, list) and all(
        isinstance(row, list) and len(row) == 3 and all(type(x) in (int, float) for x in row) for row in rows
    )
    if not good:
        raise call.error(name, "must be rows of three numbers: joint angle, transmission ratio, largest torque")
    angle, ratio, effort = (tuple(float(row[column]) for row in rows) for column in range(3))
    with errors_at(f"{call.at(name)}: {call.name}.{name}"):
        return AngleTable(angle=list(angle), effort=list(effort)), ratio  # pyright: ignore[reportArgumentType]


def _network(call: Call, kind: str) -> Fields:
    file = call.take("network_file", None, "give the file of the network")
    if not isinstance(file, str):
        raise call.error("network_file", "must be a path")
    network: Fields = {"network_file": file}
    if kind == "mlp":
        for name in ("pos_scale", "vel_scale", "torque_scale"):
            network[name] = call.number(name, required="give a factor")
        network["input_order"] = call.word("input_order", ("pos_vel", "vel_pos"))
        ages = call.take("input_idx", None, "give the ages of the network's inputs, such as [0, 2, 4]")
        whole = isinstance(ages, list) and ages and all(type(age) is int and 0 <= age < 10_000 for age in ages)
        if not whole:
            raise call.error("input_idx", "must be whole numbers of 0 or more, such as [0, 2, 4]")
        network["input_idx"] = ages
    return network
