"""Walking through motors: every number of a nested dataclass, by its dotted name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

KINDS: list[type] = []
"""Every dataclass of numbers that engines have to see into."""

T = TypeVar("T", bound=type)


def kind_of_numbers(kind: T) -> T:
    """Make a dataclass of numbers known to the engines."""
    KINDS.append(kind)
    return kind


def numbers(part: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted name and value of every number below a part, e.g. ("winding.resistance", 1.13)."""
    if is_dataclass(part):
        for entry in fields(part):
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
            object.__setattr__(copy, entry.name, map_numbers(getattr(part, entry.name), change))
        return copy
    if isinstance(part, tuple):
        return tuple(map_numbers(item, change) for item in part)
    return part if part is None or isinstance(part, (str, bool)) else change(part)
