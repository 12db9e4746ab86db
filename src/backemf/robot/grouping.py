"""Which actuators of a robot can be stepped as one: same parts and switches, only other numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, TypeVar

import numpy as np

from ..actuator.actuator import Actuator
from ..actuator.delay import Delay
from ..parts import acts
from ..tree import is_structure, is_table
from ..values import Maybe

P = TypeVar("P")


@dataclass(frozen=True)
class Group:
    """Joints whose actuators are of one kind."""

    actuator: Actuator
    """One actuator for all of them; a number that differs is an array with one value per joint."""
    columns: tuple[int, ...]
    """Places of the joints along the last axis."""


def group_actuators(actuators: list[Actuator]) -> list[Group]:
    """The actuators of all joints, in as few groups as their parts allow."""
    kinds: dict[object, list[int]] = {}
    for column, actuator in enumerate(actuators):
        kinds.setdefault(kind_of(actuator), []).append(column)
    return [Group(merge([actuators[c] for c in columns]), tuple(columns)) for columns in kinds.values()]


def kind_of(part: object) -> object:
    """What a part is made of, numbers left out: two parts of one kind can be merged."""
    if isinstance(part, Delay):
        # the delay is one of a whole environment
        return repr(part)
    if is_dataclass(part):
        inside = []
        for entry in fields(part):
            value = getattr(part, entry.name)
            if entry.name in ("name", "estimates"):
                continue
            if is_structure(entry) or not acts(part, entry.name):
                inside.append(value)
            elif is_table(entry):
                inside.append(table_bytes(value))
            else:
                inside.append(kind_of(value))
        return type(part), tuple(inside)
    if isinstance(part, tuple):
        return tuple(kind_of(item) for item in part)
    if isinstance(part, (str, bool)) or part is None:
        return part
    # numbers with axes of their own only go together with their like
    number: Any = part
    return np.shape(number)[:-1]


def table_bytes(value: Maybe | tuple[Maybe, ...]) -> object:
    """A table as something that can be compared."""
    if isinstance(value, tuple):
        return tuple(table_bytes(item) for item in value)
    return None if value is None else (np.shape(value), np.asarray(value, dtype=float).tobytes())


def merge(parts: Sequence[P]) -> P:
    """Parts of one kind as one part."""
    first = parts[0]
    if len(parts) == 1 or isinstance(first, Delay):
        return first
    if is_dataclass(first) and not isinstance(first, type):
        copy = object.__new__(type(first))
        for entry in fields(first):
            values = [getattr(part, entry.name) for part in parts]
            same = is_structure(entry) or is_table(entry) or entry.name == "name"
            object.__setattr__(copy, entry.name, values[0] if same else merge(values))
        return copy
    merged: Any = first
    if isinstance(first, tuple):
        several: Any = parts
        merged = tuple(merge(list(items)) for items in zip(*several, strict=True))
        return merged
    if first is None or isinstance(first, (str, bool)):
        return first
    if all(isinstance(x, (int, float)) and x == first for x in parts):
        return first
    merged = np.concatenate([np.atleast_1d(np.asarray(x, dtype=float)) for x in parts], axis=-1)
    return merged
