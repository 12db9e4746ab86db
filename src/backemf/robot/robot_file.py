"""A robot in a TOML file: the model, the supply, and what drives the joints that a pattern matches.

format = "backemf robot 1"
model = "quadruped.xml"

[supply]
voltage = "24 V"

[joints.".*_knee"]
motor = "mit-mini-cheetah"
controller = { kind = "IdealPd", stiffness = "40 N*m/rad", damping = "1 N*m*s/rad" }

[override."FL_knee"]
controller = { kind = "IdealPd", stiffness = "30 N*m/rad", damping = "1 N*m*s/rad" }

Paths are relative to the file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..actuator import Actuator, Delay, Supply
from ..catalog import ids
from ..checks import quote
from ..errors import ParameterError
from ..files import read_bytes
from ..motorfile import actuator_from, actuator_lines
from ..parts import FAMILIES
from ..toml_text import parse_toml, toml_value
from ..units import linear_unit
from ..values import Foreign
from .joint_drive import JointDrive, checked_drive, unit_of
from .part_tables import part_entries, part_text, quantity_text, read_kind, read_part, read_quantity, suggest

if TYPE_CHECKING:
    from .robot import Robot

FORMAT = "backemf robot 1"
"""What the first line of such a file says."""
LARGEST = 1_000_000
"""Longest file that is read [bytes]."""
TOP = ("format", "name", "model", "joint_names", "passive", "supply", "joints", "override")
CURRENTS = ("peak_current", "continuous_current")
"""What the table of the supply has besides the fields of a `Supply`."""
DRIVE = (
    "motor", "slide", "actuator", "controller", "supply", "delay", "limits", "numbers", "armature", "friction",
    "estimate",
)  # fmt: skip


def is_robot_file(path: str | Path) -> bool:
    """Whether a path is that of a robot file; False too where nothing can be read."""
    if Path(path).suffix != ".toml":
        return False
    try:
        text = read_bytes(path, LARGEST).decode("utf-8", errors="replace")
    except ParameterError:
        return False
    return re.search(rf'^\s*format\s*=\s*["\']{FORMAT[:-2]}', text, re.MULTILINE) is not None


# --- reading


def read_content(text: str, file: str, folder: Path) -> dict[str, Foreign]:
    """What a robot is made of, from TOML text; paths are relative to the folder."""
    content = parse_toml(text, file, ParameterError, "a robot")
    found = content.pop("format", None)
    if found != FORMAT:
        raise ParameterError(f'{file}: format = {quote(found)}: must be "{FORMAT}"')
    for key in content:
        if key not in TOP:
            raise ParameterError(f"{file}, {key}: there is no such field: {suggest(key, TOP)}")
    values: dict[str, Foreign] = {name: content[name] for name in ("name", "passive", "joint_names") if name in content}
    if "model" in content:
        if not isinstance(content["model"], str) or not content["model"]:
            raise ParameterError(f"{file}: model = {quote(content['model'])}: must be the path of a model")
        values["model"] = folder / content["model"]
    if "supply" in content:
        values |= _supply(content["supply"], f"{file}, [supply]")
    for table, field in (("joints", "drives"), ("override", "overrides")):
        rows = content.get(table, {})
        if not isinstance(rows, Mapping):
            raise ParameterError(f'{file}, {table} = {quote(rows)}: must be tables, [{table}."PATTERN"]')
        values[field] = {
            pattern: _drive(row, file, f'{table}."{pattern}"', folder, table == "joints")
            for pattern, row in rows.items()
        }
    if not values["drives"]:
        raise ParameterError(f'{file}: has no drives: add a table [joints."PATTERN"] with its motor')
    return values


def _supply(table: Foreign, place: str) -> dict[str, Foreign]:
    """The supply of all motors, and what it gives at most."""
    if not isinstance(table, Mapping):
        raise ParameterError(f'{place} = {quote(table)}: must be a table with its voltage = "24 V"')
    own = {name: value for name, value in table.items() if name not in CURRENTS}
    values: dict[str, Foreign] = {"supply": read_part(Supply, own, place)}
    for name in CURRENTS:
        if name in table:
            values[name] = read_quantity(table[name], "A", f"{place} {name}")
            if not values[name] > 0.0:
                raise ParameterError(f"{place} {name} = {quote(table[name])}: must be above 0")
    return values


def _drive(table: Foreign, file: str, where: str, folder: Path, whole: bool) -> JointDrive:
    place = f"{file}, [{where}]"
    if not isinstance(table, Mapping):
        raise ParameterError(f'{place} = {quote(table)}: must be a table with a motor = "..."')
    for name in table:
        if name not in DRIVE:
            raise ParameterError(f"{place} {name}: there is no such field: {suggest(name, DRIVE)}")
    values: dict[str, Foreign] = {name: table[name] for name in ("armature", "friction", "estimate") if name in table}
    if "motor" in table and "actuator" in table:
        raise ParameterError(f"{place}: has a motor and an actuator; leave one of them out")
    if "motor" in table:
        values["motor"] = _motor(table["motor"], folder, place)
    elif "actuator" in table:
        if not isinstance(table["actuator"], Mapping):
            raise ParameterError(f"{place} actuator = {quote(table['actuator'])}: must be a table, as in a motor file")
        values["motor"] = actuator_from(table["actuator"], file, f"{where}.actuator")
    elif whole:
        raise ParameterError(f'{place}: motor is missing: give a catalogue id or the path of a file, motor = "..."')
    if "slide" in table:
        values["slide"] = read_kind(FAMILIES["slide"], table["slide"], f"{place} slide")
    for name, kind in (("supply", Supply), ("delay", Delay)):
        if name in table:
            values[name] = read_part(kind, table[name], f"{place} {name}")
    slides = checked_drive(place, **values).slides
    try:
        return checked_drive(place, **values, **_at_joint(table, place, slides))
    except ParameterError as error:
        if not slides:
            _require_turning(table, place, error, "give" if whole else "repeat")
        raise


def _at_joint(table: Mapping[str, Foreign], place: str, slides: bool) -> dict[str, Foreign]:
    """What of a drive has the units of its joint."""
    values: dict[str, Foreign] = {}
    if "controller" in table:
        values["controller"] = read_kind(FAMILIES["controller"], table["controller"], f"{place} controller", slides)
    if "limits" in table:
        rows = table["limits"] if isinstance(table["limits"], list) else [table["limits"]]
        values["limits"] = tuple(read_kind(FAMILIES["limit"], row, f"{place} limits", slides) for row in rows)
    if "numbers" in table:
        values["numbers"] = _numbers(table["numbers"], f"{place} numbers", slides)
    return values


def _require_turning(table: Mapping[str, Foreign], place: str, error: ParameterError, verb: str) -> None:
    """Raise the error with its remedy where a drive has the units of a slide and does not say that it is one."""
    try:
        _at_joint(table, place, True)
    except ParameterError:
        return
    raise ParameterError(f"{error}; for a joint that slides, {verb} its slide here") from None


def _motor(motor: Foreign, folder: Path, place: str) -> Foreign:
    if not isinstance(motor, str) or not motor:
        raise ParameterError(f"{place} motor = {quote(motor)}: must be a catalogue id or the path of a TOML file")
    if motor.endswith(".toml") and motor not in ids():
        if not (folder / motor).is_file():
            raise ParameterError(
                f"{place} motor = {quote(motor)}: there is no such file in {folder}; give a datasheet or a motor file"
            )
        return folder / motor
    return motor


def _numbers(table: Foreign, place: str, slides: bool) -> dict[str, float]:
    """Numbers by their dotted names: "winding.resistance" = "0.3 ohm", or tables in tables."""
    if not isinstance(table, Mapping):
        raise ParameterError(f'{place} = {quote(table)}: must be a table, such as {{ winding.resistance = "0.3 ohm" }}')
    flat: dict[str, Foreign] = {}
    pending: list[tuple[str, Foreign]] = list(table.items())
    while pending:
        name, value = pending.pop(0)
        if isinstance(value, Mapping):
            pending = [(f"{name}.{inner}", each) for inner, each in value.items()] + pending
        else:
            flat[name] = value
    found = {}
    for name, value in flat.items():
        try:
            full, unit = unit_of(name)
        except ParameterError as error:
            raise ParameterError(f"{place}{str(error).removeprefix('numbers')}") from None
        found[full] = read_quantity(value, linear_unit(unit) if slides and unit else unit, f"{place} {name}")
    return found


# --- writing


def write_content(robot: Robot, folder: Path) -> str:
    """TOML text of a robot that reads back as the same one from a file in the folder."""
    lines = [f'format = "{FORMAT}"']
    if robot.name:
        lines.append(f"name = {toml_value(robot.name)}")
    if robot.model is not None:
        lines.append(f"model = {toml_value(_beside(Path(robot.model), folder))}")
    for name in ("joint_names", "passive"):
        if getattr(robot, name):
            lines.append(f"{name} = {toml_value(list(getattr(robot, name)))}")
    supply = [] if robot.supply is None else part_entries(robot.supply)
    currents = [(name, getattr(robot, name)) for name in CURRENTS if getattr(robot, name) is not None]
    if currents and robot.supply is None:
        raise ParameterError(f"{currents[0][0]} = {currents[0][1]:g}: needs the supply that gives it; give supply")
    supply += [(name, toml_value(quantity_text(value, "A"))) for name, value in currents]
    if supply:
        lines += ["", "[supply]", *(f"{name} = {text}" for name, text in supply)]
    for table, drives in (("joints", robot.drives), ("override", robot.overrides)):
        for pattern, drive in drives.items():
            header = f"{table}.{toml_value(pattern)}"
            lines += ["", f"[{header}]", *_drive_lines(drive, header, folder)]
    return "\n".join(lines) + "\n"


def _drive_lines(drive: JointDrive, header: str, folder: Path) -> list[str]:
    lines, below = [], []
    if isinstance(drive.motor, Actuator):
        below = ["", f"[{header}.actuator]", *actuator_lines(drive.motor, f"{header}.actuator")]
    elif isinstance(drive.motor, Path):
        lines.append(f"motor = {toml_value(_beside(drive.motor, folder))}")
    elif drive.motor is not None:
        lines.append(f"motor = {toml_value(drive.motor)}")
    slides = drive.slides
    if drive.slide is not None:
        lines.append(f"slide = {part_text(drive.slide)}")
    if drive.controller is not None:
        if drive.controller.asks == "network":
            raise ParameterError(f"{header}: a network has no place in a robot file; save the actuator, give its path")
        lines.append(f"controller = {part_text(drive.controller, slides=slides)}")
    for name in ("supply", "delay"):
        if getattr(drive, name) is not None:
            lines.append(f"{name} = {part_text(getattr(drive, name), named=False)}")
    if drive.limits is not None:
        lines.append(f"limits = [{', '.join(part_text(limit, slides=slides) for limit in drive.limits)}]")
    if drive.numbers:
        words = (f"{toml_value(name)} = {_number_text(name, value, slides)}" for name, value in drive.numbers.items())
        lines.append(f"numbers = {{ {', '.join(words)} }}")
    for name in ("armature", "friction", "estimate"):
        if getattr(drive, name) is not None:
            lines.append(f"{name} = {toml_value(getattr(drive, name))}")
    return lines + below


def _number_text(name: str, value: float, slides: bool) -> str:
    unit = unit_of(name)[1]
    unit = linear_unit(unit) if slides and unit else unit
    return repr(value) if unit in (None, "1", "steps") else toml_value(quantity_text(value, str(unit)))


def _beside(path: Path, folder: Path) -> str:
    """A path relative to a folder; absolute where it is on another disk."""
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:
        return path.as_posix()
