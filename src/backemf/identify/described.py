"""A part whose numbers are known to some extent, or follow from the notes of a log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from types import MappingProxyType
from typing import Any

import numpy as np

from ..checks import concrete, quote
from ..errors import BackemfError, ParameterError, UnitError
from ..parts import Declaration, declaration_of
from ..toml_text import toml_value
from ..units import parse
from ..values import Foreign
from .channels import suggest
from .known import Known, parse_known, write_known

_PLAIN = {"flag": bool, "word": str, "count": int}
"""Roles of fields that are no quantities, and their type."""


@dataclass(frozen=True)
class Described:
    """A part of a rig: its class, its quantities with their spreads, and its words."""

    kind: type
    """Class of the part."""
    known: Mapping[str, Known] = field(default_factory=dict)
    """Quantities by the name of the field."""
    words: Mapping[str, Any] = field(default_factory=dict)
    """Words, switches, counts and tables by the name of the field."""
    unit: str = "1"
    """Unit of fields that have that of their channel, such as the bias of a sensor."""

    def __post_init__(self) -> None:
        for name in ("known", "words"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def __reduce__(self) -> tuple[object, ...]:
        return Described, (self.kind, dict(self.known), dict(self.words), self.unit)

    def build(self, meta: Mapping[str, Foreign] | None = None, place: str = "") -> Foreign:
        """The part for a log with these notes."""
        numbers = {name: known.at(meta, f"{place} {name}".strip()) for name, known in self.known.items()}
        try:
            return self.kind(**numbers, **self.words)
        except BackemfError as error:
            raise ParameterError(f"{place}: {error}" if place else str(error)) from None

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of the log that it refers to."""
        return tuple(known.note for known in self.known.values() if known.note)


def describe(part: Foreign, unit: str = "1") -> Described:
    """A part of plain numbers as one that is known exactly."""
    known, words = {}, {}
    for entry in fields(part):
        value, it = getattr(part, entry.name), declaration_of(entry)
        if it is None or value is None or (entry.default is not MISSING and _same(value, entry.default)):
            continue
        if it.role == "number":
            array = concrete(value)
            if array is None or array.size != 1:
                raise ParameterError(
                    f"{type(part).__name__}.{entry.name} = {quote(value)}: a rig holds one number; "
                    "give one rig per joint"
                )
            known[entry.name] = Known(float(array.reshape(())))
        else:
            words[entry.name] = value
    return Described(type(part), known, words, unit)


def _same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and np.ndim(value) == 0 and value == default


# --- from and to TOML


def read_part(kind: type, content: Mapping[str, Foreign], place: str, unit: str = "1") -> Described:
    """A part from its table; `place` is the file and the table, for messages."""
    entries = {entry.name: entry for entry in fields(kind)}
    known: dict[str, Known] = {}
    words: dict[str, Any] = {}
    for name, value in content.items():
        if name not in entries:
            raise ParameterError(f"{place} {name}: there is no such field: {suggest(name, entries)}")
        it = declaration_of(entries[name])
        at = f"{place} {name} = {quote(value)}"
        if it is not None and it.role == "number":
            try:
                known[name] = parse_known(value, field_unit(it, unit))
            except UnitError as error:
                raise ParameterError(f"{place} {name}: {error}") from None
        else:
            words[name] = _word(it, value, at)
    missing = [name for name, entry in entries.items() if _is_needed(entry) and name not in {**known, **words}]
    if missing:
        raise ParameterError(f"{place}: {kind.__name__} needs {' and '.join(missing)}")
    found = Described(kind, known, words, unit)
    if not found.notes:
        found.build(None, place)
    return found


def field_unit(it: Declaration, unit: str) -> str:
    """Unit of a field, or that of the channel where it declares none."""
    return unit if it.unit is None else it.unit


def _is_needed(entry: Field[Any]) -> bool:
    return entry.default is MISSING and entry.default_factory is MISSING


def _word(it: Declaration | None, value: Any, at: str) -> Any:
    role = "" if it is None else it.role
    if role == "words" and isinstance(value, list) and all(isinstance(each, str) for each in value):
        return tuple(value)
    if role == "table" and isinstance(value, list) and it is not None:
        try:
            return np.array([parse(each, it.unit or "1") for each in value])
        except UnitError as error:
            raise ParameterError(f"{at}: {error}") from None
    if role in _PLAIN and type(value) is _PLAIN[role]:
        return value
    wanted = {"flag": "true or false", "word": "a text", "count": "a whole number", "words": "a list of texts"}
    raise ParameterError(f"{at}: must be {wanted.get(role, 'a list of quantities')}")


def part_lines(part: Described) -> list[str]:
    """The lines of a table for a part."""
    entries = {entry.name: declaration_of(entry) for entry in fields(part.kind)}
    lines = []
    for name, it in entries.items():
        if name in part.known and it is not None:
            lines.append(f"{name} = {toml_value(write_known(part.known[name], field_unit(it, part.unit)))}")
        elif name in part.words:
            value = part.words[name]
            if isinstance(value, np.ndarray):
                value = [write_known(Known(float(each)), (it.unit if it else None) or "1") for each in value]
            lines.append(f"{name} = {toml_value(value)}")
    return lines
