"""Walking through motors: every number of a nested dataclass, by its dotted name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import Field, fields, is_dataclass
from typing import Any, TypeVar

from .values import Foreign, Recorded

KINDS: list[type] = []
"""Every dataclass of numbers that engines take apart."""

P = TypeVar("P")
T = TypeVar("T", bound=type)

_STRUCTURE = ("flag", "word", "words", "count", "record")
"""Roles of fields that are not numbers: they decide what a step is made of, or say where its numbers are from."""
WATCHERS: list[Callable[[type], None]] = []
"""What engines do with each kind that is declared after they were loaded."""


def kind_of_numbers(kind: T) -> T:
    """Make a dataclass of numbers known to the engines, and let two of them compare where numbers are arrays."""
    kind.__eq__ = _equal  # type: ignore[assignment]
    KINDS.append(kind)
    for watch in WATCHERS:
        watch(kind)
    return kind


def _equal(self: Any, other: object) -> bool:
    """Whether two parts of the same kind have the same numbers."""
    if type(other) is not type(self):
        return NotImplemented
    return all(_same(getattr(self, e.name), getattr(other, e.name)) for e in fields(self) if e.compare)


def _same(a: Any, b: Any) -> bool:
    """Whether two values are the same; arrays are where all of their numbers and their shapes are."""
    if a is b:
        return True
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    shapes = tuple(getattr(a, "shape", ())), tuple(getattr(b, "shape", ()))
    if shapes == ((), ()):
        return bool(a == b)
    return shapes[0] == shapes[1] and bool((a == b).all())


def role(entry: Field) -> str:
    """What a field declares to hold; a number where it declares nothing."""
    declaration = entry.metadata.get("declaration")
    return "number" if declaration is None else declaration.role


def is_structure(entry: Field) -> bool:
    """Whether a field is a word, switch or count that says what the step is made of."""
    return role(entry) in _STRUCTURE


def is_table(entry: Field) -> bool:
    """Whether a field holds arrays with axes of their own."""
    return role(entry) == "table"


def acts(part: object, name: str) -> bool:
    """Whether a field has an effect: it is there, and is not plainly the number that has none."""
    value = getattr(part, name)
    if value is None or not isinstance(value, (int, float)) or isinstance(value, bool):
        return value is not None
    return value != getattr(type(part), "neutral", {}).get(name)


def structure(kind: type) -> list[str]:
    """Names of the fields that are words, switches and counts."""
    return [entry.name for entry in fields(kind) if is_structure(entry)]


def numbers(part: object, prefix: str = "") -> Iterator[tuple[str, Recorded]]:
    """Dotted name and value of every number below a part, e.g. ("winding.resistance", 1.13); tables are left out."""
    if is_dataclass(part):
        for entry in fields(part):
            if not is_structure(entry) and not is_table(entry):
                yield from numbers(getattr(part, entry.name), f"{prefix}.{entry.name}" if prefix else entry.name)
    elif isinstance(part, tuple):
        for index, item in enumerate(part):
            yield from numbers(item, f"{prefix}.{index}")
    elif part is not None and not isinstance(part, (str, bool)):
        known: Any = part
        yield prefix, known


def map_numbers(part: P, change: Callable[[Foreign], object]) -> P:
    """The same part with every number that has an effect replaced by `change(number)`."""
    if is_dataclass(part) and not isinstance(part, type):
        copy: Any = object.__new__(type(part))
        for entry in fields(part):
            value = getattr(part, entry.name)
            same = is_structure(entry) or not acts(part, entry.name)
            object.__setattr__(copy, entry.name, value if same else map_numbers(value, change))
        return copy
    changed: Any = part
    if isinstance(part, tuple):
        changed = tuple(map_numbers(item, change) for item in part)
    elif part is not None and not isinstance(part, (str, bool)):
        changed = change(part)
    return changed


def change(part: P, **changes: object) -> P:
    """A copy of a state, command or output with some fields changed, as compilers of every version can follow it."""
    names = part.__dataclass_fields__  # pyright: ignore[reportAttributeAccessIssue]
    return type(part)(**{name: changes.get(name, getattr(part, name)) for name in names})
