"""What a compiled step of PyTorch is given, in the form in which every later step gives it.

PyTorch compiles for what it sees: plain numbers, tensors that stand in two places, tensors without a gradient. A first
step from rest has them where later steps have none, and each difference would cost another compilation.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from ..physics.command import TARGETS, Command
from ..tree import change
from ..values import Foreign
from .packing import Packed

States = Packed | tuple[Packed, ...]
TIME = 3
"""Place of the time step among the inputs: it is a constant of the code."""
MOVING = 3
"""So many inputs change from step to step and come first: command, position and velocity."""


def settle(
    state: States,
    inputs: tuple[Foreign, ...],
    numbers: tuple[torch.Tensor, ...],
    place: dict[str, Foreign],
    in_place: bool,
) -> tuple[States, tuple[Foreign, ...]]:
    """State and inputs of a step in their lasting form.

    Args:
        state: The packed state.
        inputs: Command, position, velocity, step, and what else the step is given.
        numbers: The actuator's own tensors.
        place: Where tensors are made: `dtype` and `device`.
        in_place: Whether the step writes into the state, which then stays the tensors that it is.
    """
    like = next(_floats((state, *inputs)), None)
    if place["dtype"] is None and like is not None:
        place = {**place, "dtype": like.dtype}
    settled = [_as_tensor(x, place) if k < MOVING else x for k, x in enumerate(inputs)]
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

    found = last(state, not in_place)
    return found, tuple(x if k == TIME else last(x) for k, x in enumerate(settled))


def _as_tensor(x: Foreign, place: dict[str, Foreign]) -> Foreign:
    """A plain number as a tensor: one that changes from step to step would be compiled each time."""
    if isinstance(x, Command):
        return change(x, **{name: _as_tensor(getattr(x, name), place) for name in TARGETS})
    return torch.full((), x, **place) if isinstance(x, (int, float)) and not isinstance(x, bool) else x


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
