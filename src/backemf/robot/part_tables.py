"""Parts in a TOML file that a person writes: a table with the kind and the fields, every quantity with its unit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from difflib import get_close_matches

import numpy as np

from ..checks import quote
from ..errors import BackemfError, ParameterError, UnitError
from ..parts import Declaration, declaration_of, members
from ..toml_text import toml_value
from ..units import example, linear_unit, parse, write_quantity
from ..values import Foreign

_PLAIN = {"flag": (bool, "true or false"), "word": (str, "a text"), "count": (int, "a whole number")}
"""Roles of fields that are no quantities, their type, and what to write."""
WITHOUT_UNIT = (None, "1", "steps")
"""Units that are not written."""


def suggest(name: str, known: Iterable[str]) -> str:
    """What to write in place of a name that is not known."""
    names = list(known)
    near = get_close_matches(name, names, n=1)
    return f"did you mean {near[0]}?" if near else f"must be one of {', '.join(names)}"


# --- reading


def read_kind(kinds: Mapping[str, type], table: Foreign, place: str, slides: bool = False) -> Foreign:
    """A part from a table that names its kind, by its class or by its word on the command line.

    `slides`: of a joint that slides, whose units have N for N·m, m for rad and kg for kg·m².
    """
    content = _table(table, place)
    called = {getattr(kind, "called", name): kind for name, kind in kinds.items()} | dict(kinds)
    name = content.pop("kind", None)
    if not isinstance(name, str) or name not in called:
        given = "has no kind" if name is None else f"kind = {quote(name)}"
        hint = suggest(name, called) if isinstance(name, str) else f"use one of {', '.join(sorted(kinds))}"
        raise ParameterError(f"{place} {given}: {hint}")
    return read_part(called[name], content, place, slides)


def read_part(kind: type, table: Foreign, place: str, slides: bool = False) -> Foreign:
    """A part from its table; `place` is the file and the table, for messages."""
    content = _table(table, place)
    entries = {entry.name: entry for entry in fields(kind)}
    values = {}
    for name, value in content.items():
        if name not in entries:
            raise ParameterError(f"{place} {name}: there is no such field: {suggest(name, entries)}")
        values[name] = _value(entries[name], value, f"{place} {name}", slides)
    missing = [name for name, entry in entries.items() if _is_needed(entry) and name not in values]
    if missing:
        raise ParameterError(f"{place}: {kind.__name__} needs {' and '.join(missing)}")
    try:
        return kind(**values)
    except BackemfError as error:
        raise ParameterError(f"{place}: {error}") from None
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{place}: {kind.__name__} cannot be made of this: {error}") from None


def read_quantity(value: Foreign, unit: str | None, at: str) -> float:
    """A number in SI from a text with its unit; a number without a dimension is a plain one."""
    plain = isinstance(value, (int, float)) and not isinstance(value, bool)
    bare = unit in WITHOUT_UNIT
    if not (isinstance(value, str) or (plain and bare)):
        wanted = "a number" if bare else f'a text with its unit, like "{example(str(unit))}"'
        raise ParameterError(f"{at} = {quote(value)}: must be {wanted}")
    try:
        if not bare and isinstance(value, str) and _is_bare(value):
            # an angle has no dimension, and yet 90 is not 90 deg
            raise UnitError(f'"{value}" has no unit: write it like "{example(str(unit))}"')
        return parse(value, "1" if bare else str(unit))
    except UnitError as error:
        raise ParameterError(f"{at}: {error}") from None


def _is_bare(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _table(table: Foreign, place: str) -> dict[str, Foreign]:
    if not isinstance(table, Mapping):
        raise ParameterError(f"{place} = {quote(table)}: must be a table, such as {{ kind = ... }}")
    return dict(table)


def _is_needed(entry: Field) -> bool:
    return entry.default is MISSING and entry.default_factory is MISSING


def _unit(it: Declaration, slides: bool) -> str | None:
    return linear_unit(it.unit) if slides and it.unit else it.unit


def _value(entry: Field, value: Foreign, at: str, slides: bool) -> Foreign:
    it = declaration_of(entry)
    role = "" if it is None else it.role
    if it is None or role == "record":
        raise ParameterError(f"{at}: cannot stand in a table; give a motor file")
    if role == "number":
        return read_quantity(value, _unit(it, slides), at)
    if role in ("numbers", "table"):
        return _row(it, value, at, slides)
    if role in _PLAIN:
        kind, words = _PLAIN[role]
        if type(value) is not kind:
            raise ParameterError(f"{at} = {quote(value)}: must be {words}")
        return value
    if role == "words":
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise ParameterError(f"{at} = {quote(value)}: must be a list of texts")
        return tuple(value)
    if role == "parts":
        rows = value if isinstance(value, list) else [value]
        return tuple(_inner(it, row, at, slides) for row in rows)
    return _inner(it, value, at, slides)


def _inner(it: Declaration, value: Foreign, at: str, slides: bool) -> Foreign:
    kinds = members(it)
    only = next(iter(kinds.values())) if len(kinds) == 1 else None
    if only is not None and not (isinstance(value, Mapping) and "kind" in value):
        return read_part(only, value, at, slides)
    return read_kind(kinds, value, at, slides)


def _row(it: Declaration, value: Foreign, at: str, slides: bool) -> Foreign:
    if not isinstance(value, list):
        if it.role == "table":
            raise ParameterError(f"{at} = {quote(value)}: must be a list of quantities")
        return value if type(value) is int and it.unit == "steps" else read_quantity(value, _unit(it, slides), at)
    if it.unit == "steps" and all(type(each) is int for each in value):
        return tuple(value)
    row = [read_quantity(each, _unit(it, slides), at) for each in value]
    return np.array(row) if it.role == "table" else tuple(row)


# --- writing


def part_text(part: Foreign, named: bool = True, slides: bool = False) -> str:
    """A part as an inline table that reads back as the same; `named`: with its kind; `slides` as of `read_kind`."""
    words = ([("kind", toml_value(type(part).__name__))] if named else []) + part_entries(part, slides)
    return "{ " + ", ".join(f"{name} = {text}" for name, text in words) + " }" if words else "{}"


def part_entries(part: Foreign, slides: bool = False) -> list[tuple[str, str]]:
    """Name and text of each field of a part that is not at its default."""
    found = []
    for entry in fields(part):
        value, it = getattr(part, entry.name), declaration_of(entry)
        if value is None or it is None or it.role == "record" or _is_default(entry, value):
            continue
        found.append((entry.name, _text(it, value, f"{type(part).__name__}.{entry.name}", slides)))
    return found


def _is_default(entry: Field, value: Foreign) -> bool:
    default = entry.default
    if default is MISSING or (isinstance(value, np.ndarray) and value.ndim):
        return False
    return type(value) is type(default) and bool(value == default)


def _text(it: Declaration, value: Foreign, at: str, slides: bool) -> str:
    unit = _unit(it, slides)
    if it.role == "number":
        return _number(value, unit, at)
    if it.role in ("numbers", "table"):
        rows = value if isinstance(value, (tuple, list, np.ndarray)) and np.ndim(value) else None
        if rows is None:
            return _number(value, unit, at)
        return "[" + ", ".join(_number(each, unit, at) for each in rows) + "]"
    if it.role in ("part", "parts"):
        several = len(members(it)) > 1
        if isinstance(value, tuple):
            return "[" + ", ".join(part_text(each, several, slides) for each in value) + "]"
        return part_text(value, several, slides)
    if is_dataclass(value):
        raise ParameterError(f"{at}: cannot stand in a robot file; save the actuator, and give its file")
    return toml_value(value)


def _number(value: Foreign, unit: str | None, at: str) -> str:
    known = np.asarray(value)
    if known.dtype.kind not in "fiu" or known.size != 1:
        raise ParameterError(f"{at} = {quote(value)}: a robot file holds one number; give one drive per joint")
    if unit in WITHOUT_UNIT:
        return repr(known.reshape(()).item())
    return toml_value(quantity_text(float(known.reshape(())), str(unit)))


def quantity_text(value: float, unit: str) -> str:
    """A quantity with its unit, which reads back exactly."""
    return write_quantity(value, unit.replace("·", "*").replace("Ω", "ohm"))
