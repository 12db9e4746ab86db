"""Joints whose actuators are made of the same parts, as one row with their numbers side by side.

Newton's builder puts joints with equal shared arguments into one group and passes one number per joint. Here the
shared argument is what the actuators are made of, and the number says which actuator of that kind is the joint's.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from ...actuator import Actuator
from ...checks import Number
from ...robot.grouping import kind_of, merge
from ...tree import is_structure, is_table, numbers

_KINDS: WeakValueDictionary[tuple[str, object], Kind] = WeakValueDictionary()
"""Every kind that a builder or a drive holds, by what its actuators are made of."""


class Kind:
    """Actuators that are made of the same parts and differ by their numbers alone."""

    def __init__(self) -> None:
        self.members: list[Actuator] = []
        self._places: dict[int, int] = {}

    def place(self, actuator: Actuator) -> int:
        """Where an actuator stands among those of its kind; it is added where it is new."""
        if id(actuator) not in self._places:
            self._places[id(actuator)] = len(self.members)
            self.members.append(actuator)
        return self._places[id(actuator)]

    def row(self, places: Number) -> Actuator:
        """One actuator for the joints with these places; a number that differs is an array with one value per joint."""
        used, which = np.unique(np.asarray(places, dtype=np.int64).reshape(-1), return_inverse=True)
        chosen = [self.members[k] for k in used]
        return chosen[0] if len(chosen) == 1 else _spread_numbers(merge(chosen), which)


def kind_with(actuator: Actuator) -> tuple[Kind, int]:
    """The kind of an actuator and its place there; one with arrays in it is a kind by itself."""
    plain = all(isinstance(x, (int, float, np.generic)) for _, x in numbers(actuator))
    key = ("numbers", kind_of(actuator)) if plain else ("arrays", id(actuator))
    kind = _KINDS.get(key)
    if kind is None:
        kind = _KINDS[key] = Kind()
    return kind, kind.place(actuator)


def _spread_numbers(part: Any, which: np.ndarray) -> Any:
    """The same part with arrays of one value per actuator turned into arrays of one value per joint."""
    if is_dataclass(part) and not isinstance(part, type):
        copy = object.__new__(type(part))
        for entry in fields(part):
            value = getattr(part, entry.name)
            same = is_structure(entry) or is_table(entry)
            object.__setattr__(copy, entry.name, value if same else _spread_numbers(value, which))
        return copy
    if isinstance(part, tuple):
        return tuple(_spread_numbers(item, which) for item in part)
    return part[which] if isinstance(part, np.ndarray) else part
