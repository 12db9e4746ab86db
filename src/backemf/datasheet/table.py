"""Tables of figures that declare the unit and the range of each."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, ClassVar, Literal, TypeAlias, get_args, get_origin, get_type_hints

from ..errors import DatasheetError
from ..units import format_quantity, linear_unit
from ..values import Declared

Entry: TypeAlias = Any
"""An entry of a table: a text, a number, or numbers, as its field is annotated."""

_SMALLEST, _LARGEST = 1e-20, 1e20


@dataclass(frozen=True)
class Quantity:
    """Unit and range of a figure."""

    unit: str
    """SI unit of the value, `"degC"` for a temperature, `"1"` for a plain number."""
    low: float = 0.0
    """Smallest value."""
    open: bool = True
    """Whether the smallest value itself is not allowed."""
    high: float = math.inf
    """Largest value."""
    many: bool = False
    """Whether the figure is a list."""
    linear: str | None = None
    """Unit in the sheet of a linear motor, where it is not the usual one in place of `unit`."""

    def unit_of(self, motion: str) -> str:
        """SI unit of the value in the sheet of a rotary or a linear motor."""
        if motion != "linear":
            return self.unit
        return linear_unit(self.unit) if self.linear is None else self.linear

    def fault(self, value: float) -> str:
        """What is wrong with a value; empty if nothing is."""
        if not math.isfinite(value):
            return "must be a finite number"
        if value and not _SMALLEST < abs(value) < _LARGEST:
            return "is beyond anything a motor can have: check its unit"
        if value < self.low or (self.open and value == self.low):
            if self.low == 0:
                return "must be positive" if self.open else "must not be negative"
            return f"must be above {format_quantity(self.low, self.unit)}"
        if value > self.high:
            return f"must be at most {format_quantity(self.high, self.unit)}"
        return ""


def figure(unit: str, **options: Declared) -> Declared:
    """A figure that may be left out; `options` are further fields of its `Quantity`."""
    quantity = Quantity(unit, **options)
    return field(default=() if quantity.many else None, metadata={"quantity": quantity})


@cache
def quantities(table: type[Table]) -> dict[str, Quantity]:
    """The figures of a table, with the unit and range of each."""
    return {f.name: f.metadata["quantity"] for f in fields(table) if "quantity" in f.metadata}


@cache
def choices(table: type[Table]) -> dict[str, tuple[str, ...]]:
    """The fields of a table that hold one of a few words, with those words."""
    hints = get_type_hints(table)
    found: dict[str, tuple[str, ...]] = {}
    for name, hint in hints.items():
        for part in (hint, *get_args(hint)):
            if get_origin(part) is Literal:
                found[name] = get_args(part)
    return found


TABLES: dict[str, type[Table]] = {}
"""The tables of a sheet by name, in its order."""
LISTS: dict[str, type[Table]] = {}
"""The tables that a sheet may have several of."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of figures that checks itself, so that a sheet made in code follows the same rules as a file."""

    title: ClassVar[str]
    """Its name in a file."""
    together: ClassVar[dict[str, tuple[str, ...]]] = {}
    """Other figures that a figure has no effect without."""
    any_of: ClassVar[dict[str, tuple[str, ...]]] = {}
    """Figures of which a figure needs at least one."""
    apart: ClassVar[dict[str, tuple[str, ...]]] = {}
    """Other figures that exclude a figure."""

    def __init_subclass__(cls, title: str, repeated: bool = False) -> None:
        cls.title = title
        (LISTS if repeated else TABLES)[title] = cls

    def __post_init__(self) -> None:
        for name, quantity in quantities(type(self)).items():
            value = getattr(self, name)
            for entry in value if quantity.many else (value,):
                if entry is None:
                    continue
                if isinstance(entry, bool) or not isinstance(entry, (int, float)):
                    raise DatasheetError(f"[{self.title}] {name} = {entry!r}: must be a number in SI units")
                if fault := quantity.fault(entry):
                    raise DatasheetError(f"[{self.title}] {name} = {format_quantity(entry, quantity.unit)}: {fault}")
        if fault := self._combination_fault():
            raise DatasheetError(f"[{self.title}] {fault}")
        for name, words in choices(type(self)).items():
            if getattr(self, name) not in (None, *words):
                raise DatasheetError(f"[{self.title}] {name} = {getattr(self, name)!r}: must be {one_of(words)}")

    def _combination_fault(self) -> str:
        """What is wrong with the combination of figures; empty if nothing is."""
        given = {name for name in quantities(type(self)) if getattr(self, name) is not None}
        for name in filter(given.__contains__, self.together):
            if lacking := [partner for partner in self.together[name] if partner not in given]:
                return f"{name} has no effect alone: give {' and '.join(lacking)} too"
        for name in filter(given.__contains__, self.any_of):
            if not given.intersection(self.any_of[name]):
                return f"{name} has no effect alone: give {' or '.join(self.any_of[name])} too"
        for name in filter(given.__contains__, self.apart):
            if others := [other for other in self.apart[name] if other in given]:
                return f"{name} and {others[0]} cannot be given together: remove one of them"
        return ""

    def entries(self) -> dict[str, Entry]:
        """Values of the fields that differ from their defaults, by name."""
        return {f.name: value for f in fields(self) if (value := getattr(self, f.name)) != f.default}


def one_of(words: tuple[str, ...]) -> str:
    """`"a", "b" or "c"`."""
    return " or ".join(", ".join(f'"{word}"' for word in words).rsplit(", ", 1))


def quote(value: object) -> str:
    """A value as a file shows it, cut where it is long."""
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:57] + "..."
