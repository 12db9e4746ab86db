"""A sweep in a TOML file: what is swept, and over which space.

format = "backemf sweep 1"
function = "simulate"
seed = 0

[simulate]
motor = "maxon-re40-148877"
load = { kind = "Inertia", inertia = "1 kg*cm^2" }
command = "24 V"
duration = "0.5 s"

[space]
draws = 1000
how = "latin-hypercube"

[space.axes]
"load.inertia" = { from = "0.5 kg*cm^2", to = "2 kg*cm^2", count = 4 }
"winding.resistance" = { kind = "Scale", low = 0.9, high = 1.1 }
"magnet.torque_constant, magnet.back_emf_constant" = { kind = "Scale", low = 0.95, high = 1.05 }

Paths are relative to the file. Names with a comma between them share their draws.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from .. import catalog, random
from ..actuator import Delay, JointSpring, Supply
from ..actuator.controllers import Voltage
from ..checks import quote
from ..commands import Signal, from_csv
from ..errors import BackemfError, ParameterError
from ..files import read_text
from ..parts import FAMILIES
from ..random.distributions import Distribution
from ..robot.joint_drive import JointDrive
from ..robot.part_tables import WITHOUT_UNIT, read_kind, read_part, read_quantity, suggest
from ..run import INPUTS
from ..toml_text import parse_toml
from ..units import linear_unit
from ..values import Foreign
from .functions import NAMED, make_swept
from .space import HOW, Names, Space
from .swept import Swept

FORMAT = "backemf sweep 1"
"""What the first line of such a file says."""
LARGEST = 16_000_000
"""Longest file that is read [bytes]."""
TOP = ("format", "function", "seed", "part", "space")
SPACE = ("axes", "draws", "how")
RANGE = ("from", "to", "count", "spacing")
SPACINGS = {"linear": np.linspace, "log": np.geomspace}
DISTRIBUTIONS: dict[str, type[Distribution]] = {
    name: kind for name in random.__all__
    if isinstance(kind := getattr(random, name), type) and kind is not Distribution
}  # fmt: skip
"""Distributions by name."""
FACTORS = ("Scale", "LogScale", "NormalScale")
"""Those whose numbers have no unit."""
TEXTS = ("motor", "log", "rig", "task", "candidates")
"""Fields that are ids or paths."""


@dataclass(frozen=True)
class SweepFile:
    """What a file asks for."""

    swept: Swept
    """What is swept."""
    space: Space
    """Over what."""
    seed: int
    """Random seed."""
    part: int | None
    """Cases of a part; None: by the number of cases [1]."""


def read_sweep_file(path: str | Path) -> SweepFile:
    """A sweep from a TOML file; raises `ParameterError` with the file, the field, the value and the remedy."""
    file, folder = str(path), Path(path).parent
    content = parse_toml(read_text(path, LARGEST, what="a sweep in TOML"), file, ParameterError, "a sweep")
    if content.get("format") != FORMAT:
        raise ParameterError(f'{file}: format = {quote(content.get("format"))}: must be "{FORMAT}"')
    name = content.get("function")
    if not isinstance(name, str) or name not in NAMED:
        raise ParameterError(f"{file}: function = {quote(name)}: must be one of {', '.join(NAMED)}")
    for key in content:
        if key not in (*TOP, name):
            raise ParameterError(f"{file}, {key}: there is no such field: {suggest(key, (*TOP, name))}")
    whole = {key: content.get(key, default) for key, default in (("seed", 0), ("part", None))}
    for key, value in whole.items():
        if value is not None and (type(value) is not int or value < (key == "part")):
            least = int(key == "part")
            raise ParameterError(f"{file}: {key} = {quote(value)}: must be a whole number, {least} or more")
    settings = _table(content.get(name, {}), f"{file}, [{name}]")
    place = f"{file}, [{name}]"
    made = READERS[name](settings, place, folder) if name in READERS else dict(settings)
    try:
        swept = make_swept(name, made)
        space = _space(content.get("space"), swept, file, folder)
        swept.check(space)
    except BackemfError as error:
        said = str(error)
        raise ParameterError(said if said.startswith(file) else f"{file}: {said}") from None
    return SweepFile(swept, space, whole["seed"], whole["part"])


def _table(value: Foreign, place: str) -> dict[str, Foreign]:
    if not isinstance(value, Mapping):
        raise ParameterError(f"{place} = {quote(value)}: must be a table")
    return dict(value)


# --- the space


def _space(table: Foreign, swept: Swept, file: str, folder: Path) -> Space:
    if table is None:
        raise ParameterError(f"{file}: has no [space]: add [space.axes] with the fields that vary")
    content = _table(table, f"{file}, [space]")
    for key in content:
        if key not in SPACE:
            raise ParameterError(f"{file}, [space] {key}: there is no such field: {suggest(key, SPACE)}")
    axes: dict[Names, Foreign] = {}
    listed = _flat(_table(content.get("axes", {}), f"{file}, [space.axes]"))
    place = f"{file}, [space.axes]"
    paths = {key: listed[key] for key in TEXTS if isinstance(listed.get(key), list)}
    swept.prepare({key: [_path(each, key, folder, f"{place} {key}") for each in row] for key, row in paths.items()})
    for key, value in listed.items():
        names = [name.strip() for name in key.split(",")]
        place = f"{file}, [space.axes] {key}"
        try:
            axis = _axis(value, names, swept, place, folder)
        except ParameterError:
            # a name that is not known has no unit either, and comes first
            swept.require_field(names[0])
            raise
        axes[tuple(names) if len(names) > 1 else names[0]] = axis
    return Space(axes, content.get("draws"), content.get("how", HOW[0]))


def _flat(table: dict[str, Foreign], before: str = "") -> dict[str, Foreign]:
    """Axes by their full names, also where load.inertia was written as tables in tables."""
    found: dict[str, Foreign] = {}
    for name, value in table.items():
        inner = isinstance(value, Mapping) and not {"kind", "from", "to", "count"} & set(value)
        found |= _flat(dict(value), f"{before}{name}.") if inner and value else {f"{before}{name}": value}
    return found


def _axis(value: Foreign, names: list[str], swept: Swept, place: str, folder: Path) -> Foreign:
    unit = swept.unit(names[0])
    if isinstance(value, list):
        if names[0] in TEXTS:
            return [_path(each, names[0], folder, place) for each in value]
        return [_number(each, unit, place) for each in value]
    content = _table(value, place)
    if "kind" in content:
        return _distribution(content, unit, place)
    for key in content:
        if key not in RANGE:
            raise ParameterError(f"{place} {key}: there is no such field: {suggest(key, RANGE)}")
    missing = [key for key in RANGE[:3] if key not in content]
    if missing:
        raise ParameterError(f"{place}: {' and '.join(missing)} is missing: a range has from, to and count")
    low, high = (_number(content[key], unit, f"{place} {key}") for key in ("from", "to"))
    count, spacing = content["count"], content.get("spacing", "linear")
    if type(count) is not int or count < 2:
        raise ParameterError(f"{place} count = {quote(count)}: must be a whole number, 2 or more")
    if not low < high:
        raise ParameterError(f"{place}: from = {quote(content['from'])} must be below to = {quote(content['to'])}")
    if not isinstance(spacing, str) or spacing not in SPACINGS:
        raise ParameterError(f"{place} spacing = {quote(spacing)}: must be one of {', '.join(SPACINGS)}")
    if spacing == "log" and low <= 0.0:
        raise ParameterError(f"{place}: from = {quote(content['from'])}: must be above 0, for its logarithm is taken")
    return SPACINGS[spacing](low, high, count)


def _distribution(content: dict[str, Foreign], unit: str, place: str) -> Distribution:
    name = content.pop("kind")
    if not isinstance(name, str) or name not in DISTRIBUTIONS:
        raise ParameterError(f"{place} kind = {quote(name)}: {suggest(str(name), DISTRIBUTIONS)}")
    known = [entry.name for entry in fields(DISTRIBUTIONS[name]) if entry.name != "per"]
    values = {}
    for key, value in content.items():
        if key not in known:
            raise ParameterError(f"{place} {key}: there is no such field: {suggest(key, known)}")
        plain = name in FACTORS or key == "sigmas"
        values[key] = _number(value, "" if plain else unit, f"{place} {key}")
    missing = [key for key in known if key not in values and key != "sigmas"]
    if missing:
        raise ParameterError(f"{place}: {name} needs {' and '.join(missing)}")
    try:
        return DISTRIBUTIONS[name](**values)
    except ParameterError as error:
        raise ParameterError(f"{place}: {error}") from None


def _number(value: Foreign, unit: str, place: str) -> float:
    return read_quantity(value, None if unit in ("", *WITHOUT_UNIT) else unit, place)


def _path(value: Foreign, name: str, folder: Path, place: str) -> str:
    """An id of the catalogue, or a path from the folder of the file on."""
    if not isinstance(value, str) or not value:
        raise ParameterError(f"{place} = {quote(value)}: must be the path of a {name}")
    return value if name == "motor" and value in catalog.ids() else str((folder / value).resolve())


# --- the settings of each function


def _simulate(table: dict[str, Foreign], place: str, folder: Path) -> dict[str, Foreign]:
    made: dict[str, Foreign] = {}
    controller: Foreign = Voltage()
    slides = "motor" in table and _slides(_path(table["motor"], "motor", folder, f"{place} motor"))
    if "controller" in table:
        at = f"{place} controller"
        controller = made["controller"] = read_kind(FAMILIES["controller"], table["controller"], at, slides)

    def own(unit: str) -> str:
        return linear_unit(unit) if slides else unit

    readers: dict[str, Callable[[Foreign, str], Foreign]] = {
        "motor": lambda value, at: _path(value, "motor", folder, at),
        "load": lambda value, at: read_kind(FAMILIES["load"], value, at, slides),
        "command": lambda value, at: _command(value, own(INPUTS[controller.main]), at, folder),
        "duration": lambda value, at: read_quantity(value, "s", at),
        "dt": lambda value, at: read_quantity(value, "s", at),
        "position": lambda value, at: read_quantity(value, own("rad"), at),
        "velocity": lambda value, at: read_quantity(value, own("rad/s"), at),
        "estimate": _flag,
        "supply": lambda value, at: read_part(Supply, value, at),
        "delay": lambda value, at: read_part(Delay, value, at),
        "spring": lambda value, at: read_part(JointSpring, value, at, slides),
        "limits": lambda value, at: tuple(
            read_kind(FAMILIES["limit"], row, at, slides) for row in (value if isinstance(value, list) else [value])
        ),
    }
    for name, value in table.items():
        if name != "controller" and name not in readers:
            known = ("controller", *readers)
            raise ParameterError(f"{place} {name}: there is no such field: {suggest(name, known)}")
        if name != "controller":
            made[name] = readers[name](value, f"{place} {name}")
    return made


def _slides(motor: str) -> bool:
    """Whether a motor is a linear one; whoever needs it says what is wrong with it."""
    try:
        return JointDrive(motor=motor).slides
    except ParameterError:
        return False


def _command(value: Foreign, unit: str, place: str, folder: Path) -> Signal | float:
    if isinstance(value, Mapping):
        content = dict(value)
        for key, each in content.items():
            # fields without a unit of their own have that of the controller's input
            if isinstance(each, str) and key != "kind":
                content[key] = _in_unit(each, unit, place)
        return read_kind(FAMILIES["signal"], content, place)
    if isinstance(value, str) and value.lower().endswith(".csv"):
        return from_csv(folder / value, unit=unit)
    return read_quantity(value, unit, place)


def _in_unit(text: str, unit: str, place: str) -> Foreign:
    """A quantity of the controller's input as a number, and any other text as it stands."""
    try:
        return read_quantity(text, unit, place)
    except ParameterError:
        return text


def _flag(value: Foreign, place: str) -> bool:
    if not isinstance(value, bool):
        raise ParameterError(f"{place} = {quote(value)}: must be true or false")
    return value


def _identify(table: dict[str, Foreign], place: str, folder: Path) -> dict[str, Foreign]:
    known = ("motor", "rig", "log", "free", "hold_out", "compare", "channels", "units", "rate")
    made: dict[str, Foreign] = {}
    for name, value in table.items():
        if name not in known:
            raise ParameterError(f"{place} {name}: there is no such field: {suggest(name, known)}")
        made[name] = _path(value, name, folder, f"{place} {name}") if name in TEXTS else value
    if "rate" in made:
        made["rate"] = read_quantity(made["rate"], "Hz", f"{place} rate")
    return made


def _size(table: dict[str, Foreign], place: str, folder: Path) -> dict[str, Foreign]:
    known = ("task", "candidates", "engine")
    for name in table:
        if name not in known:
            raise ParameterError(f"{place} {name}: there is no such field: {suggest(name, known)}")
    paths = {name: _path(table[name], name, folder, f"{place} {name}") for name in known[:2] if name in table}
    return dict(table) | paths


READERS: dict[str, Callable[[dict[str, Foreign], str, Path], dict[str, Foreign]]] = {
    "simulate": _simulate,
    "identify": _identify,
    "size": _size,
}
"""What reads the settings of each function."""
