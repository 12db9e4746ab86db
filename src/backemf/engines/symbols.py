"""Symbols in place of the numbers of a part, so that its laws can be traced."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

import numpy as np

from ..tree import is_structure, is_table, role
from ..values import Recorded
from .tracing import Traced

T = TypeVar("T")


def replace_numbers(part: T, name: str, change: Callable[[str, Traced], object]) -> T:
    """The same part with `change(dotted name, number)` for every number, a table's points one by one."""
    if is_dataclass(part):
        copy = object.__new__(type(part))
        for entry in fields(part):
            value, here = getattr(part, entry.name), f"{name}.{entry.name}"
            if is_table(entry) and value is not None:
                value = tuple(change(f"{here}.{k}", float(x)) for k, x in enumerate(value))
            elif not is_structure(entry):
                value = replace_numbers(value, here, change)
            object.__setattr__(copy, entry.name, value)
        return copy
    new: Any
    if isinstance(part, tuple):
        new = tuple(replace_numbers(item, f"{name}.{k}", change) for k, item in enumerate(part))
        return new
    new = part if part is None or isinstance(part, (str, bool)) else change(name, part)
    return new


def leaves(part: object, name: str) -> dict[str, Recorded]:
    """Dotted name and value of every number of a part."""
    found: dict[str, Recorded] = {}
    replace_numbers(part, name, found.__setitem__)
    return found


def with_symbols(part: T, name: str, symbols: Mapping[str, Traced]) -> T:
    """The same part with a symbol in place of every number that has one."""
    return replace_numbers(part, name, symbols.get)


def structure_of(part: object) -> object:
    """What the laws of a part are composed of, as a key: its kinds, words, switches and which numbers are arrays."""
    if is_dataclass(part):
        inside: list[object] = []
        for entry in fields(part):
            value = getattr(part, entry.name)
            if is_table(entry) and value is not None:
                inside.append(len(value))
            elif is_structure(entry):
                inside.append(None if role(entry) == "record" else value)
            else:
                inside.append(structure_of(value))
        return type(part), *inside
    if isinstance(part, tuple):
        return tuple(structure_of(item) for item in part)
    if part is None or isinstance(part, (str, bool)):
        return part
    return "number" if np.ndim(part) == 0 else "array"  # type: ignore[arg-type]
