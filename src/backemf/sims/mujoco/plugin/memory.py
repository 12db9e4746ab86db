"""The memory that Python and machine code share: what stands where in the blocks of motors, models and data.

A block is a row of eight-byte elements, numbers or whole numbers. Blocks hold the places of others, so that the code
finds everything from MuJoCo's two pointers.
"""

from __future__ import annotations

import numpy as np

HEAD = ("time", "ended", "begun", "wrote", "data")
"""First elements of a record, the motors of one `mjData`: time of the step that is not done yet, or NaN; time at which
the last one ended; whether rotors turn by themselves; whether forces or dampings were written; its place."""
VECTORS = (
    "torque", "slip", "ends", "mean", "slope", "speed", "applied", "applied_written", "done_mean", "done_slope",
    "done_speed", "done_cut", "told", "position", "velocity", "load", "inertia", "load_slope", "grip", "asked", "free",
)  # fmt: skip
"""Then rows with one number per joint: what motors remember, what they did in the last step, and what is in work."""
MODEL = ("lock", "thread", "record", "wrote")
"""First elements of the block of a model: a lock, the thread that stepped it last with which record, and whether
dampings were written."""
MODEL_VECTORS = ("standing", "damping", "damping_written")
"""Then rows: the slope that stands in the dampings, the model's own dampings, and what was written there."""
GROUP = ("count", "columns", "states", "lines", "state_at", "after_at", "given_at", "out_at")
"""A group of like actuators: joints, their places among all; rows of states and of lines; where its rows are in a
record."""
PROGRAM = ("step", "same", "own")
"""A compiled step of a group under a kind of command: the code, and the numbers of its actuators."""
CONTEXT = (
    "datas", "models", "slow", "thread", "actuation", "freedom_count", "only_motors", "acceleration",
    "constraint", "last", "count", "controls", "bias_width", "dofs", "positions", "places", "actuators", "gears",
    "armature", "bounds", "all_have", "clipped", "gravity", "freedoms", "actuator_count", "columns", "units",
    "slots", "slot_dofs", "paths", "path_begins", "factors", "factor_begins", "matrix", "initial", "state_at",
    "after_at", "state_size", "out_at", "done_at", "out_size", "groups", "group_count", "rotors", "rotor_count",
    "ratios", "rows", "names", "programs", "timestep", "newton", "contacts_at", "mass_entries", "mass_count",
    "mass_times", "jacobian_times", "constraint_update", "solver", "jacobian", "noslip_iterations", "enableflags",
)  # fmt: skip
"""All motors of a robot: tables of data and models by their place, functions of MuJoCo, where joints are in it, and
what the code has to know of the groups."""
INTEGRATORS = ("euler", "implicit", "implicitfast", "no_actuation", "no_damper", "no_euler")
"""Then MuJoCo's numbers of integrators and flags."""
BAD = 1e10
"""Size from which MuJoCo takes a number for bad."""
SPREAD = 0x9E3779B97F4A7C15
"""Factor that spreads places over a table: 2⁶⁴ over the golden ratio."""


def address(array: np.ndarray) -> int:
    """Where an array without gaps is; 0 for an empty one."""
    return array.__array_interface__["data"][0] if array.size else 0


class Table:
    """Blocks by the place of a struct of MuJoCo's, which machine code reads while Python writes.

    A row is a place and its block; the first one is by how much a spread place is shifted to its row.
    """

    def __init__(self) -> None:
        self._blocks: dict[int, int] = {}
        self._kept: list[np.ndarray] = []
        self._make(4)

    def _make(self, bits: int) -> None:
        self._bits, self._used = bits, 0
        memory = np.zeros(((1 << bits) + 1, 2), np.int64)
        memory[0, 0] = 64 - bits
        self._rows = memory[1:]
        # another thread may still read the former one
        self._kept.append(memory)
        for place, block in self._blocks.items():
            self._put(place, block)

    def _put(self, place: int, block: int) -> None:
        row = ((place >> 4) * SPREAD % (1 << 64)) >> (64 - self._bits)
        while self._rows[row, 0] not in (0, place):
            row = (row + 1) % len(self._rows)
        self._used += self._rows[row, 0] == 0
        # the block first: who finds the place without it takes the slow way
        self._rows[row, 1] = block
        self._rows[row, 0] = place

    @property
    def address(self) -> int:
        """Where the table is now."""
        return address(self._kept[-1])

    def set(self, place: int, block: int) -> None:
        """Enter a block, or with 0 take it out."""
        known = place in self._blocks
        if block:
            self._blocks[place] = block
        else:
            self._blocks.pop(place, None)
        if 2 * (self._used + 1) > len(self._rows):
            self._make(max(4, (4 * len(self._blocks) + 4).bit_length()))
        if block or known:
            self._put(place, block)
