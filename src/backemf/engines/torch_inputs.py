"""What a compiled step of PyTorch is given, in the form in which every later step gives it.

PyTorch compiles for what it sees: plain numbers, tensors that stand in two places, tensors without a gradient. A first
step from rest has them where later steps have none, and each difference would cost another compilation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from ..physics.command import TARGETS, Command
from ..tree import change
from ..values import Foreign
from .packing import Packed

States = Packed | tuple[Packed, ...]
INPUTS = tuple[Foreign, ...]
"""Command, joint position and velocity, step, torque and inertia of the load, draws, its damping and stiffness."""
TIME, INERTIA, DAMPING, STIFFNESS = 3, 5, 7, 8
"""Places of what is a constant of the code as long as it stays the same number."""
TAKEN = (0, 1, 2, TIME, 4, INERTIA, DAMPING, STIFFNESS)
"""Places of the inputs that are numbers or arrays."""


class Constants:
    """Numbers that one compiled step has seen at the places of its constants."""

    def __init__(self) -> None:
        self._first: dict[int, float] = {}
        self._changed: set[int] = set()

    def stays(self, place: int, x: float) -> bool:
        """Whether a number is the one that was compiled in. One that has changed once is an input from then on."""
        if place not in (TIME, INERTIA, DAMPING, STIFFNESS):
            return False
        if self._first.setdefault(place, x) != x:
            self._changed.add(place)
        return place not in self._changed


def settle(
    state: States,
    inputs: INPUTS,
    numbers: tuple[torch.Tensor, ...],
    place: dict[str, Foreign],
    in_place: bool,
    constants: Constants,
) -> tuple[States, INPUTS]:
    """State and inputs of a step in their lasting form.

    Args:
        state: The packed state.
        inputs: Command, position, velocity, step, and what else the step is given.
        numbers: The actuator's own tensors.
        place: Where tensors are made: `dtype` and `device`.
        in_place: Whether the step writes into the state, which then stays the tensors that it is.
        constants: What the step was compiled with.
    """
    state, inputs = outside_inference(state), outside_inference(inputs)
    widest = widest_of((state, *inputs))
    if place["dtype"] is None and widest is not None:
        place = {**place, "dtype": widest}
    settled = [
        as_input(x, place) if k in TAKEN and not (_is_number(x) and constants.stays(k, x)) else x
        for k, x in enumerate(inputs)
    ]
    asked = torch.is_grad_enabled() and any(x.requires_grad for x in (*numbers, *_floats((state, *settled))))
    seen: set[int] = set()

    def last(x: Foreign, own: bool = True) -> Foreign:
        if isinstance(x, dict):
            return {name: last(value, own) for name, value in x.items()}
        if isinstance(x, tuple):
            return tuple(last(each, own) for each in x)
        if isinstance(x, Command):
            return change(x, **{name: last(getattr(x, name)) for name in (*TARGETS, "mode", "enable")})
        if not isinstance(x, torch.Tensor) or not own:
            return x
        if asked and x.is_floating_point() and not x.requires_grad:
            # what follows from it will have a gradient
            x = x.detach().requires_grad_()
        elif id(x) in seen:
            x = x.view(x.shape)
        seen.add(id(x))
        return x

    if not in_place:
        # what follows from a wider input is as wide
        state = _each(state, lambda x: x.to(widest) if widest is not None and x.is_floating_point() else x)
    return last(state, not in_place), tuple(x if k == TIME else last(x) for k, x in enumerate(settled))


def outside_inference(x: Foreign) -> Foreign:
    """Tensors, however nested, with those that were made in inference mode as any others on the same memory.

    Those can be no part of a gradient, and the compiler takes them for another kind.
    """

    def plain(x: Foreign) -> Foreign:
        if not isinstance(x, torch.Tensor) or not x.is_inference():
            return x
        bare = torch.empty(0, dtype=x.dtype, device=x.device)
        return bare.set_(x.untyped_storage(), x.storage_offset(), x.shape, x.stride())

    return _each(x, plain)


def _each(x: Foreign, change_one: Callable[[Foreign], Foreign]) -> Foreign:
    """Every value of what is nested, changed."""
    if isinstance(x, dict):
        return {name: change_one(value) for name, value in x.items()}
    if isinstance(x, tuple):
        return tuple(_each(each, change_one) for each in x)
    if isinstance(x, Command):
        return change(x, **{name: change_one(getattr(x, name)) for name in (*TARGETS, "mode", "enable")})
    return change_one(x)


def _is_number(x: Foreign) -> bool:
    return isinstance(x, (int, float)) and not isinstance(x, bool)


def as_input(x: Foreign, place: dict[str, Foreign]) -> Foreign:
    """A plain number or an array of NumPy's as a tensor: a number that changes would be compiled each time."""
    if isinstance(x, Command):
        return change(x, **{name: as_input(getattr(x, name), place) for name in TARGETS})
    return torch.full((), x, **place) if _is_number(x) else from_numpy(x, place)


def from_numpy(x: Foreign, place: dict[str, Foreign]) -> Foreign:
    """An array of NumPy's as a tensor; anything else as it is."""
    if isinstance(x, Command):
        return change(x, **{name: from_numpy(getattr(x, name), place) for name in TARGETS})
    return torch.as_tensor(x, **place) if isinstance(x, (np.ndarray, np.generic)) else x


def widest_of(inputs: tuple[object, ...]) -> torch.dtype | None:
    """The widest float type among tensors, however nested; None where there is none."""
    found = None
    for item in inputs:
        inner: Any = None
        if isinstance(item, torch.Tensor):
            inner = item.dtype if item.is_floating_point() else None
        elif isinstance(item, dict):
            inner = widest_of(tuple(item.values()))
        elif isinstance(item, tuple):
            inner = widest_of(item)
        elif isinstance(item, Command):
            inner = widest_of((item.position, item.velocity, item.effort, item.voltage))
        found = inner if found is None else found if inner is None else torch.promote_types(found, inner)
    return found


def _floats(items: tuple[Foreign, ...]) -> Iterator[torch.Tensor]:
    """Tensors of numbers, however nested."""
    for x in items:
        if isinstance(x, torch.Tensor):
            if x.is_floating_point():
                yield x
        elif isinstance(x, Command):
            yield from _floats(tuple(x.__dict__.values()))
        elif isinstance(x, dict):
            yield from _floats(tuple(x.values()))
        elif isinstance(x, tuple):
            yield from _floats(x)
