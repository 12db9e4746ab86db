"""The record of a run: every motor at every basic time step, kept in memory or written as it comes.

A file is named .part until it is complete, and can be read as far as it is written. It is closed and renamed however
a script ends, so that what happened before it failed can be looked at; where the process is killed, the parts are left.
"""

from __future__ import annotations

import time
from array import array
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ....errors import ParameterError
from ....recording_writing import RecordingWriter
from ...types import Fields
from ..backends.axis import CHANNELS, ELECTRIC, Axis

if TYPE_CHECKING:
    from ..simulation import Simulation

ROWS = 8192
"""Steps that are written at once, at most [1]."""
SECONDS = 0.5
"""Longest time between steps that are written, as far as there are any [s]."""


class Recorder:
    """Takes every step of a simulation.

    Args:
        path: Parquet file to write; None: none.
        keep: Whether the steps stay in memory, for `table()`.
    """

    def __init__(self, path: str | Path | None = None, keep: bool = True):
        self.path = None if path is None else Path(path).absolute()
        self.keep = keep
        self.units: dict[str, str] = {}
        """Unit of each column."""
        self.labels: dict[str, Fields] = {}
        """What a picture and a sound need of each axis: its largest velocity and wave file."""
        self._axes: list[Axis] = []
        self._rows = array("d")
        self._kept: list[np.ndarray] = []
        self._writer: RecordingWriter | None = None
        self._written = 0.0
        self._closed = False
        self._electric = self._battery = False

    def begin(self, axes: list[Axis], electric: bool, battery: bool) -> None:
        """Make ready for the axes of a robot."""
        if self.units:
            raise ParameterError("this recorder has a run already; make another one")
        self._axes = [axis for axis in axes if axis.driven] + [axis for axis in axes if not axis.driven]
        self._electric, self._battery = electric, battery
        self.units["time"] = "s"
        if battery:
            self.units["battery"] = "J"
        for axis in self._axes:
            of_axis = axis.units()
            names = (*CHANNELS, *ELECTRIC) if electric and axis.driven else CHANNELS
            self.units |= {f"{name}[{axis.name}]": of_axis[name] for name in names}
            self.labels[axis.name] = {"max_velocity": axis.motor.max_velocity, "driven": axis.driven}
        if self.path is not None:
            self._writer = RecordingWriter(self.path, self.units)
            self._written = time.monotonic()

    def add(self, simulation: Simulation) -> None:
        """Take a step."""
        rows = self._rows
        rows.append(simulation.time)
        if self._battery:
            rows.append(simulation.energy)
        for axis in self._axes:
            rows.extend(axis.row())
            if self._electric and axis.driven:
                rows.extend((axis.current, axis.voltage, axis.temperature))
        if len(rows) >= ROWS * len(self.units) or (self._writer and time.monotonic() - self._written >= SECONDS):
            self._flush()

    def close(self) -> None:
        """Write what is left and give the file its name."""
        if self._closed:
            return
        self._closed = True
        self._flush()
        if self._writer is not None:
            self._writer.close()

    def table(self) -> dict[str, np.ndarray]:
        """The columns by name, such as `position[left wheel]`."""
        if not self.keep:
            raise ParameterError("the steps of this recorder did not stay in memory: make it with keep=True")
        self._flush()
        whole = np.concatenate(self._kept) if self._kept else np.zeros((0, len(self.units)))
        return dict(zip(self.units, whole.T, strict=True))

    @property
    def part_left(self) -> Path | None:
        """The parts of a recording that could not be written to its end; None: it could."""
        return self._writer.part if self._writer is not None and self._writer.failed else None

    @property
    def axes(self) -> list[str]:
        """Names of the axes that were recorded."""
        return list(self.labels)

    def _flush(self) -> None:
        if not self._rows:
            return
        block = np.array(self._rows).reshape(-1, len(self.units))
        self._rows = array("d")
        if self.keep:
            self._kept.append(block)
        if self._writer is not None:
            self._writer.write(dict(zip(self.units, block.T, strict=True)))
            self._written = time.monotonic()
