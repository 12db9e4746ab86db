"""A run of any length, to be drawn: its channels lie in files, and a picture gets no more of them than a screen shows.

A drawing reads the part that is in view, and of a long part the smallest and the largest value of each stretch, so that
it takes little memory and loses no peak. Files hold the numbers alone: NumPy's own have a heading in Python, and what
reads it in a thread disturbs CPython 3.11's parser in another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .files import make_folder, write_bytes
from .run import Run
from .run_stored import StoredRun

POINTS = 1200
"""Stretches of which a line shows the smallest and the largest value."""
BLOCK = 256
"""Samples behind each value of the coarse copy of a channel."""
LONG = 20 * POINTS * BLOCK // 8
"""Shortest run that has coarse copies of its channels [steps]."""
FLAGS = "limit"
"""The channel whose values are bits: of a stretch all that are set are shown."""


@dataclass(frozen=True)
class RunView:
    """A run whose channels lie in a folder; all fields are plain data, to be passed between processes as JSON."""

    folder: str
    """Where the channels lie."""
    dt: float
    """Time between two values [s]."""
    steps: int
    """Number of values of each channel."""
    main: str
    """Input of the controller that the channel `command` is the target of."""
    units: dict[str, str]
    """Unit of each channel that was kept."""

    @property
    def duration(self) -> float:
        """Time at the end [s]."""
        return self.steps * self.dt

    def between(self, name: str, begin: float, end: float) -> tuple[np.ndarray, np.ndarray]:
        """Times [s] and values of a channel between two times [s], as many as a screen shows.

        Of a long part each stretch gives its smallest and its largest value.
        """
        first, last = max(int(begin / self.dt) - 1, 0), min(int(np.ceil(end / self.dt)) + 1, self.steps)
        count = max(last - first, 1)
        kind = int if name == FLAGS else float
        if count <= 2 * POINTS:
            return self.dt * (1.0 + np.arange(first, last)), self._read(name)[first:last].astype(kind)
        size = 1
        if count > 4 * POINTS * BLOCK and _coarse(self.folder, name).exists():
            size, first = BLOCK, first // BLOCK
            pairs = np.memmap(_coarse(self.folder, name), _dtype(name), "r").reshape(-1, 2)
            lowest, highest = pairs[first : -(-last // BLOCK)].T
        else:
            lowest = highest = self._read(name)[first:last]
        starts = np.arange(0, len(lowest), -(-len(lowest) // POINTS))
        times = self.dt * (1.0 + (first + starts) * size)
        if name == FLAGS:
            return times, np.bitwise_or.reduceat(lowest, starts).astype(kind)
        pair = np.stack([np.minimum.reduceat(lowest, starts), np.maximum.reduceat(highest, starts)], axis=1)
        return np.repeat(times, 2), pair.reshape(-1).astype(kind)

    def _read(self, name: str) -> np.ndarray:
        return np.memmap(_file(self.folder, name), _dtype(name), "r")


def keep_channels(run: Run | StoredRun, channels: Sequence[str], folder: str | Path) -> RunView:
    """Write channels of one motor's run to a folder, those of them that the run has."""
    place = make_folder(Path(folder))
    names = [name for name in channels if name in run.channels]
    stored = isinstance(run, StoredRun)
    steps = run.rows if stored else len(run.time)
    files = {name: np.memmap(_file(place, name), _dtype(name), "w+", shape=(steps,)) for name in names}
    begin = 0
    for piece in run.pieces(names, 262_144) if stored else [{name: run[name] for name in names}]:
        count = len(piece[names[0]])
        for name in names:
            files[name][begin : begin + count] = piece[name]
        begin += count
    for name, values in files.items():
        if steps > LONG:
            write_bytes(_coarse(place, name), coarse_copy(values, name).tobytes())
    units = {name: run.unit(name) for name in names}
    return RunView(str(place), run.dt, steps, run.actuator.controller.main, units)


def coarse_copy(values: np.ndarray, name: str) -> np.ndarray:
    """Smallest and largest value of each block of samples, shape (blocks, 2); of flags all that are set."""
    starts = np.arange(0, len(values), BLOCK)
    if name == FLAGS:
        return np.stack([np.bitwise_or.reduceat(values, starts)] * 2, axis=1)
    return np.stack([np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)], axis=1)


def _dtype(name: str) -> type[np.generic]:
    return np.int32 if name == FLAGS else np.float32


def _file(folder: str | Path, name: str) -> Path:
    return Path(folder) / f"{name}.values"


def _coarse(folder: str | Path, name: str) -> Path:
    return Path(folder) / f"{name}.pairs"
