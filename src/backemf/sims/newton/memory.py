"""The state of backemf actuators inside Newton: one block of numbers, so that passing it on is one copy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import warp as wp  # pyright: ignore[reportMissingImports]
from newton.actuators import DriveBase  # pyright: ignore[reportMissingImports]

from ...actuator.compiled import CompiledStep
from ...errors import ParameterError
from ...physics.state import State
from .types import Arrays, Device


@dataclass
class MotorState(DriveBase.State):
    """The state of a row of actuators; `state["winding_rise"]` is one of its arrays, by the names of `backemf.State`.

    Newton makes two of these, reads one and writes the other.
    """

    numbers: wp.array = None
    """Every state that is a number, one row each and a line of frames several, shape (rows, N)."""
    counts: wp.array = None
    """Every state that is a whole number, shape (rows, N)."""
    arrays: Arrays = None  # pyright: ignore[reportAssignmentType]
    """The states by name, as parts of the two."""
    resetter: CompiledStep = None  # pyright: ignore[reportAssignmentType]
    """The step whose rules a reset follows."""
    everyone: wp.array = None
    """A mask of all joints."""
    version: int = 0
    """How often it was written [1]."""
    origin: tuple[MotorState, int] | None = None
    """The state that it came from by a step, and how often that had been written; None: from elsewhere."""

    def __getitem__(self, name: str) -> wp.array:
        """One state by name, e.g. winding_rise [K], shape (N,)."""
        known = self.arrays or {}
        if name not in known:
            raise ParameterError(f"state[{name!r}]: this actuator has {', '.join(known) or 'no states'}")
        return known[name]

    def reset(self, mask: wp.array | None = None) -> None:
        """Put the actuators where `mask` is true back at rest and ambient temperature; None: all of them."""
        count = self.numbers.shape[1]
        chosen = self.everyone if mask is None else mask
        if tuple(chosen.shape) != (count,):
            raise ParameterError(f"the mask has the shape {tuple(chosen.shape)}: must be one of {count} joints")
        self.resetter.reset(State(**(self.arrays or {})), chosen)

    def assign(self, other: MotorState) -> None:
        """Copy another state into this one."""
        self.note_write(None)
        wp.copy(self.numbers, other.numbers)
        if self.counts is not None:
            wp.copy(self.counts, other.counts)

    def note_write(self, origin: MotorState | None) -> None:
        """Note that a step from another state was written here, or something else."""
        self.version += 1
        self.origin = None if origin is None else (origin, origin.version)

    def came_from(self, other: MotorState) -> bool:
        """Whether it is one step on from another state as that is now."""
        return self.origin is not None and self.origin[0] is other and self.origin[1] == other.version

    def take(self, other: MotorState) -> None:
        """Be another state from now on, whose arrays a tape has seen being made."""
        self.note_write(None)
        self.numbers, self.counts, self.arrays = other.numbers, other.counts, other.arrays


def pack(state: State, count: int, device: Device, resetter: CompiledStep) -> MotorState:
    """A state with separate arrays as one block."""
    given = {name: x for name, x in vars(state).items() if x is not None}
    blocks: dict[bool, list[np.ndarray]] = {True: [], False: []}
    for x in given.values():
        row = x.numpy().reshape(-1, count) if x.size % count == 0 else np.full((1, count), x.numpy()[0])
        blocks[x.dtype is wp.float32].append(row.view(np.int32) if row.dtype == np.uint32 else row)
    numbers = np.concatenate(blocks[True] or [np.zeros((0, count))]).astype(np.float32)
    counts = np.concatenate(blocks[False]).astype(np.int32) if blocks[False] else None
    made = MotorState(
        numbers=wp.array(numbers if len(numbers) else np.zeros((1, count)), dtype=wp.float32, device=device),
        counts=None if counts is None else wp.array(counts, dtype=wp.int32, device=device),
        resetter=resetter,
        everyone=wp.full(count, True, dtype=wp.bool, device=device),
    )
    made.arrays = parts(made, given)
    return made


def like(state: MotorState, given: dict[str, wp.array]) -> MotorState:
    """Another block of the same kind, for a step whose gradients are wanted."""
    made = MotorState(
        numbers=wp.zeros_like(state.numbers, requires_grad=True),
        counts=None if state.counts is None else wp.zeros_like(state.counts),
        resetter=state.resetter,
        everyone=state.everyone,
    )
    made.arrays = parts(made, given)
    return made


def parts(state: MotorState, given: dict[str, wp.array]) -> dict[str, wp.array]:
    """The states by name as parts of a block; `given` tells their types and shapes."""
    found, rows = {}, {True: 0, False: 0}
    count = state.numbers.shape[1]
    for name, x in given.items():
        is_number = x.dtype is wp.float32
        block, first = (state.numbers if is_number else state.counts), rows[is_number]
        size = max(x.size // count, 1)
        rows[is_number] += size
        part = block[first] if x.ndim == 1 else block[first : first + size]
        if x.ndim == 1 and x.size != count:
            part = part[: x.size]
        found[name] = part.view(wp.uint32) if x.dtype is wp.uint32 else part
    return found
