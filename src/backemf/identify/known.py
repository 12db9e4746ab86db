"""How well a quantity is known: `"0.49 kg +- 1 %"`, `"0.1 m ± 1 mm"`, or a note of the log, `"log.mass kg +- 1 %"`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from .. import units
from ..checks import quote
from ..errors import ParameterError, UnitError
from ..values import Foreign
from .channels import suggest

_SPREAD = re.compile(r"±|\+/-|\+-")
_NOTE = re.compile(r"log\.([\w-]+)\s*(?:\*\s*)?(.*)")
_UNIT_BEHIND = re.compile(r"[\d.]+(?:[eE][+-]?\d+)?\s*([^\d\s%].*)")
_NUMBER_FIRST = re.compile(r"\s*[+-]?[\d.]")


@dataclass(frozen=True)
class Known:
    """A quantity, and how far it may be off."""

    value: float
    """Value in SI; of a note of the log, what one of it is worth."""
    spread: float = 0.0
    """One standard deviation, in SI or as a share of the value; 0: it is taken as it stands."""
    relative: bool = False
    """Whether the spread is a share of the value."""
    note: str = ""
    """Note of the log that the value is multiplied by; empty: none."""

    def at(self, meta: Mapping[str, Foreign] | None = None, place: str = "") -> float:
        """The value in SI for a log with these notes."""
        if not self.note:
            return self.value
        given = (meta or {}).get(self.note)
        at = f"{place}: " if place else ""
        if given is None:
            names = list(meta or {})
            near = suggest(self.note, names) if names else ""
            hint = (
                near
                if near.startswith("did")
                else (
                    f"give it with log.with_meta, on the command line with --note, or as a line # {self.note} = ... "
                    "above the header of a CSV file"
                )
            )
            raise ParameterError(f"{at}the log has no note {self.note!r}, which the rig refers to: {hint}")
        if isinstance(given, (bool, str)):
            raise ParameterError(f"{at}the log's note {self.note} = {quote(given)}: must be a number")
        return self.value * given

    def spread_at(self, meta: Mapping[str, Foreign] | None = None, place: str = "") -> float:
        """One standard deviation in SI for a log with these notes."""
        return self.spread * abs(self.at(meta, place)) if self.relative else self.spread


def unit_of_spread(unit: str) -> str:
    """Unit of a difference: kelvin for a temperature."""
    return "K" if unit == "degC" else unit


def parse_known(text: object, unit: str) -> Known:
    """A quantity with its spread from a text, or a plain number where it has no unit; raises a `UnitError`."""
    if not isinstance(text, str):
        if unit != "1" and isinstance(text, (int, float)) and not isinstance(text, bool):
            raise UnitError(f'{text!r} has no unit: write it like "{units.example(unit)}"')
        return Known(units.parse(text, unit))  # type: ignore[arg-type]
    parts = _SPREAD.split(text)
    if len(parts) > 2:
        raise UnitError(f'"{text}" has two spreads: write one, as in "{units.example(unit)} +- 1 %"')
    if len(parts) == 2 and _is_bare(parts[0]) and (behind := _UNIT_BEHIND.fullmatch(parts[1].strip())):
        # 0.49 +- 0.02 kg: the unit is that of both
        parts[0] = f"{parts[0].strip()} {behind[1]}"
    note = _NOTE.fullmatch(parts[0].strip())
    name = note[1] if note else ""
    value = _value_of_note(name, note[2], unit) if note else _value(parts[0].strip(), unit)
    if len(parts) == 1:
        return Known(value, note=name)
    spread, relative = _spread(text, parts[1].strip(), unit_of_spread(unit))
    if relative and value == 0.0:
        raise UnitError(f'"{text}": a share of 0 is 0: give the spread with its unit')
    return Known(value, spread, relative, name)


def _value(text: str, unit: str) -> float:
    if unit != "1" and _is_bare(text):
        # an angle has no dimension, and yet 90 is not 90 deg
        raise UnitError(f'"{text}" has no unit: write it like "{units.example(unit)}"')
    return units.parse(text, unit)


def _is_bare(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _value_of_note(name: str, rest: str, unit: str) -> float:
    """What one of a note is worth: `kg` is 1 kg, `0.003 1/rad` is itself, nothing is 1."""
    if not rest:
        if unit != "1":
            raise UnitError(f'"log.{name}" has no unit: write it behind the note, as "log.{name} {unit}"')
        return 1.0
    return _value(rest if _NUMBER_FIRST.match(rest) and not rest.startswith("1/") else f"1 {rest}", unit)


def _spread(text: str, spread: str, unit: str) -> tuple[float, bool]:
    """The spread and whether it is a share."""
    relative = spread.endswith("%")
    try:
        value = units.parse(spread, "1") if relative else _value(spread, unit)
    except UnitError as error:
        raise UnitError(f'"{text}": its spread: {error}') from None
    if not value > 0.0:
        raise UnitError(f'"{text}": its spread must be above 0; leave it out where the value is taken as it stands')
    return value, relative


def write_known(known: Known, unit: str) -> str:
    """The text that `parse_known` reads as the same."""
    if known.note:
        text = f"log.{known.note}"
        if known.value != 1.0:
            text += f" * {units.write_quantity(known.value, unit)}"
        elif unit != "1":
            text += f" {unit}"
    else:
        text = units.write_quantity(known.value, unit)
    if known.spread:
        spread = _percent(known.spread) if known.relative else units.write_quantity(known.spread, unit_of_spread(unit))
        text += f" +- {spread}"
    return text


def _percent(share: float) -> str:
    for digits in range(1, 18):
        number = f"{100 * share:.{digits}g}"
        number = f"{float(number):.0f}" if "e+" in number and share < 1e4 else number
        if units.parse(f"{number} %", "1") == share:
            return f"{number} %"
    raise ParameterError(f"a spread of {share!r} cannot be written in %")
