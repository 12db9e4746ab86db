"""Walking through motors: every number of a nested dataclass, by its dotted name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any


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


def dataclasses_in(part: Any) -> Iterator[type]:
    """The type of every dataclass in a part, its own included."""
    if is_dataclass(part) and not isinstance(part, type):
        yield type(part)
        for entry in fields(part):
            yield from dataclasses_in(getattr(part, entry.name))
    elif isinstance(part, tuple):
        for item in part:
            yield from dataclasses_in(item)
