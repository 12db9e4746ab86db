"""States and outputs of motors in the memory of a record, as machine code keeps them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....engines.native_engine import like
from ...mujoco_types import MjData
from ...robot_step import FOUND, RobotState
from .native import Part
from .record import Record


@dataclass(frozen=True)
class GroupRows:
    """Where the rows of a group of like actuators are in a record, and what they are."""

    columns: np.ndarray
    names: tuple[str, ...]
    """Names of the states."""
    whole: frozenset[str]
    """Those that are whole numbers."""
    shapes: dict[str, tuple[int, ...]]
    """Shapes of those that joints have in common."""
    lines: dict[str, int]
    """Lines of frames, and how many frames each has."""
    outputs: tuple[str, ...]
    state: slice
    after: slice
    out: slice
    done: slice

    def read(self, memory: np.ndarray) -> Part:
        """The states in a piece of memory, by name."""
        rows = memory.reshape(-1, len(self.columns)).copy()
        found: Part = {}
        for k, name in enumerate(self.names):
            row = rows[k].view(np.int64) if name in self.whole else rows[k]
            found[name] = like(row, self.shapes[name]) if name in self.shapes else row
        first = len(self.names)
        for name, frames in self.lines.items():
            found[name] = rows[first : first + frames]
            first += frames
        return found

    def write(self, memory: np.ndarray, part: Part) -> None:
        """Write states to a piece of memory."""
        rows = memory.reshape(-1, len(self.columns))
        for k, name in enumerate(self.names):
            (rows[k].view(np.int64) if name in self.whole else rows[k])[:] = part[name]
        first = len(self.names)
        for name, frames in self.lines.items():
            rows[first : first + frames] = part[name]
            first += frames


class NativeRecord(Record):
    """The motors of one MjData, with their states and outputs in memory too."""

    def __init__(self, data: MjData, count: int, size: int, groups: list[GroupRows], outputs: tuple[str, ...]):
        super().__init__(data, count, size)
        self._groups, self._outputs = groups, outputs

    @property
    def state(self) -> RobotState:
        """States after the last step that is done."""
        return tuple(group.read(self.memory[group.state]) for group in self._groups)

    @state.setter
    def state(self, state: RobotState) -> None:
        for group, part in zip(self._groups, state, strict=True):
            group.write(self.memory[group.state], part)

    @property
    def after(self) -> RobotState:
        """States after the step that is not done yet, or after the last one."""
        return tuple(group.read(self.memory[group.after]) for group in self._groups)

    @after.setter
    def after(self, state: RobotState) -> None:
        for group, part in zip(self._groups, state, strict=True):
            group.write(self.memory[group.after], part)

    @property
    def rows(self) -> np.ndarray:
        """Outputs of the step that is not done yet, a row of each."""
        return self._joined("out")

    @rows.setter
    def rows(self, rows: np.ndarray) -> None:
        for group in self._groups:
            own = self.memory[group.out].reshape(-1, len(group.columns))[len(FOUND) :]
            for k, name in enumerate(group.outputs):
                own[k] = rows[self._outputs.index(name), group.columns]

    @property
    def done_rows(self) -> np.ndarray:
        """Outputs of the last step that is done."""
        return self._joined("done")

    def _joined(self, which: str) -> np.ndarray:
        rows = np.full((len(self._outputs), self.count), np.nan)
        for group in self._groups:
            own = self.memory[getattr(group, which)].reshape(-1, len(group.columns))[len(FOUND) :]
            for k, name in enumerate(group.outputs):
                rows[self._outputs.index(name), group.columns] = own[k]
        return rows

    def keep(self) -> None:
        """The step is done: its states and outputs are those of the last one."""
        for group in self._groups:
            self.memory[group.state] = self.memory[group.after]
            self.memory[group.done] = self.memory[group.out]

    def _clear(self, outputs: int) -> None:
        for group in self._groups:
            self.memory[group.out] = self.memory[group.done] = np.nan
