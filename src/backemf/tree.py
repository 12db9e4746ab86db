"""Walking through motors: every number of a nested dataclass, by its dotted name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

KINDS: list[type] = []
"""Every dataclass of numbers that engines have to see into."""

T = TypeVar("T", bound=type)

_STRUCTURE = (
    "bool",
    "bool | None",
    "int",
    "int | None",
    "str",
    "str | None",
    "str | tuple[str, ...]",
    "tuple[str, ...]",
    "tuple[str, ...] | None",
    "tuple[Estimate, ...]",
)
"""Annotations of fields that are no numbers but say what the step is made of, or where its numbers are from."""
_TABLES = ("np.ndarray", "np.ndarray | None", "tuple[np.ndarray, ...]")
"""Annotations of fields whose arrays have axes of their own: numbers, but not one per motor."""


WATCHERS: list[Callable[[type], None]] = []
"""What engines do with each kind that comes after they were loaded."""


def kind_of_numbers(kind: T) -> T:
    """Make a dataclass of numbers known to the engines."""
    KINDS.append(kind)
    for watch in WATCHERS:
        watch(kind)
    return kind


def is_structure(entry: Any) -> bool:
    """Whether a field is a word, switch or count that says what the step is made of."""
    return entry.type in _STRUCTURE


def is_table(entry: Any) -> bool:
    """Whether a field holds arrays with axes of their own."""
    return entry.type in _TABLES


def structure(kind: type) -> list[str]:
    """Names of the fields that are words, switches and counts."""
    return [entry.name for entry in fields(kind) if is_structure(entry)]


def numbers(part: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted name and value of every number below a part, e.g. ("winding.resistance", 1.13); tables are left out."""
    if is_dataclass(part):
        for entry in fields(part):
            if entry.type not in _STRUCTURE + _TABLES:
                yield from numbers(getattr(part, entry.name), f"{prefix}.{entry.name}" if prefix else entry.name)
    elif isinstance(part, tuple):
        for index, item in enumerate(part):
            yield from numbers(item, f"{prefix}.{index}")
    elif part is not None and not isinstance(part, (str, bool)):
        yield prefix, part


def map_numbers(part: Any, change: Callable[[Any], Any]) -> Any:
    """The same part with every number replaced by `change(number)`."""
    if is_dataclass(part) and not isinstance(part, type):
        copy = object.__new__(type(part))
        for entry in fields(part):
            value = getattr(part, entry.name)
            object.__setattr__(copy, entry.name, value if is_structure(entry) else map_numbers(value, change))
        return copy
    if isinstance(part, tuple):
        return tuple(map_numbers(item, change) for item in part)
    return part if part is None or isinstance(part, (str, bool)) else change(part)


def changed(part: Any, **changes: Any) -> Any:
    """A copy of a state, command or output with some fields changed, as compilers can follow it."""
    return type(part)(**{entry.name: changes.get(entry.name, getattr(part, entry.name)) for entry in fields(part)})
