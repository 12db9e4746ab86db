"""Fields of a robot's TOML file: quantities are strings with units, other values are plain TOML values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches

from .... import units
from ....errors import BackemfError, ParameterError
from ...types import Field, Fields, Json

TURNS = {"angle": "rad", "speed": "rad/s", "acceleration": "rad/s^2", "torque": "N*m", "inertia": "kg*m^2",
          "damping": "N*m*s/rad", "spring": "N*m/rad", "consumption": "W/(N*m)"}  # fmt: skip
"""Unit of each kind of quantity of a joint that turns."""
SLIDES = {"angle": "m", "speed": "m/s", "acceleration": "m/s^2", "torque": "N", "inertia": "kg",
           "damping": "N*s/m", "spring": "N/m", "consumption": "W/N"}  # fmt: skip
"""The same of a joint that slides."""
_BARE = re.compile(r"\s*[+-]?[\d.]+(?:[eE][+-]?\d+)?\s*")


def read_fields(
    table: Mapping[str, Json],
    known: Mapping[str, str],
    sizes: Mapping[str, str],
    where: str,
    others: tuple[str, ...] = (),
) -> Fields:
    """The values of a table in SI; raise ParameterError for an unknown field or a value of the wrong kind."""
    found = {}
    for name, value in table.items():
        if name not in known:
            near = get_close_matches(name, [*known, *others], n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join([*known, *others])}"
            raise ParameterError(f"{where}: there is no field {name!r}; {hint}")
        kind = known[name]
        found[name] = _READERS.get(kind, _quantity)(f"{where} {name}", value, sizes.get(kind, kind))
    return found


def _quantity(where: str, value: Json, unit: str) -> float:
    if not isinstance(value, str):
        raise ParameterError(f"{where} = {value!r}: must be a text with a unit, such as {_example(unit)!r}")
    try:
        read = units.parse(value, unit)
    except BackemfError as error:
        raise ParameterError(f"{where}: {error}") from None
    if unit == "rad" and _BARE.fullmatch(value):
        # an angle has no dimension, and yet 90 is not 90 deg
        raise ParameterError(f'{where} = {value!r} has no unit: write it like "90 deg"')
    return read


def _acceleration(where: str, value: Json, unit: str) -> float:
    """A limit of the acceleration; -1 stands for none."""
    return -1.0 if value == -1 and not isinstance(value, str) else _quantity(where, value, unit)


def _example(unit: str) -> str:
    return "90 deg" if unit == "rad" else f"1 {unit}"


def _plain(test: Callable[[Json], bool], what: str) -> Callable[[str, Json, str], Field]:
    """Reads a value without a unit that passes a test."""

    def read(where: str, value: Json, unit: str) -> Field:
        if not test(value):
            raise ParameterError(f"{where} = {value!r}: must be {what}")
        return tuple(value) if isinstance(value, list) else value

    return read


def _number(where: str, value: Json, unit: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value - value != 0:
        raise ParameterError(f"{where} = {value!r}: must be a finite number")
    return float(value)


def _gains(where: str, value: Json, unit: str) -> tuple[float, ...]:
    if not isinstance(value, list) or len(value) != 3:
        raise ParameterError(f"{where} = {value!r}: must be three numbers: P [1/s], I [1/s²] and D [1]")
    return tuple(_number(where, x, unit) for x in value)


def _battery(where: str, value: Json, unit: str) -> tuple[float, ...]:
    if not isinstance(value, list) or not 1 <= len(value) <= 3:
        raise ParameterError(f'{where} = {value!r}: must be energy now, largest energy and charging power, such as '
                             '["500 J", "1000 J", "20 W"]')  # fmt: skip
    row = tuple(_quantity(where, x, u) for x, u in zip(value, ("J", "J", "W"), strict=False))
    if any(x < 0.0 for x in row):
        raise ParameterError(f"{where} = {value!r}: must be 0 or more")
    return row


_READERS: dict[str, Callable[[str, Json, str], Field]] = {
    "text": _plain(lambda x: isinstance(x, str) and bool(x), "a text"),
    "texts": _plain(lambda x: isinstance(x, list) and all(isinstance(y, str) for y in x), "a list of texts"),
    "switch": _plain(lambda x: isinstance(x, bool), "true or false"),
    "number": _number, "gains": _gains, "battery": _battery, "acceleration": _acceleration,
}  # fmt: skip


def table_of(table: Json, where: str) -> dict[str, Json]:
    if not isinstance(table, dict):
        raise ParameterError(f"{where} = {table!r}: must be a table")
    return table


def rows_of(rows: Json, file: str, name: str) -> list[Json]:
    if not isinstance(rows, list):
        raise ParameterError(f"{file}: {name} = {rows!r}: must be tables [[{name}]]")
    return rows
