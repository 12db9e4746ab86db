"""A run that was written to a file while it was computed: its channels are there, and not in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .actuator import Actuator
from .checks import require_room
from .errors import ParameterError
from .recording import read_recording, recording_pieces
from .run import Run, channel_unit
from .run_summary import RunSummary
from .values import Foreign


@dataclass(frozen=True)
class StoredRun:
    """A run in a file: `run["current"]` reads a channel, `pieces()` goes through all of it, `load()` is a `Run`."""

    actuator: Actuator
    """What was run."""
    load_moved: Foreign
    """What it moved."""
    dt: float
    """Step of the simulation [s]."""
    path: Path
    """The .parquet or .csv file."""
    channels: tuple[str, ...]
    """Channels that were written, without `time`."""
    batch: tuple[int, ...]
    """Shape of the batch; () for one motor."""
    summary: RunSummary
    """Last, smallest and largest values, energies and times at limits, of every channel of the run."""

    @property
    def rows(self) -> int:
        """Number of recorded steps."""
        return self.summary.rows

    @property
    def end(self) -> float:
        """Time at the end [s]."""
        return self.summary.end

    def unit(self, name: str) -> str:
        """Unit of a channel."""
        return channel_unit(self.actuator, name)

    def __getitem__(self, name: str) -> np.ndarray:
        """A whole channel over time, with the batch's axes behind."""
        return self._read((name,))[name]

    def load(self, channels: Iterable[str] | None = None) -> Run:
        """The run in memory, or some channels of it."""
        data = self._read(self.channels if channels is None else tuple(channels))
        return Run(self.actuator, self.load_moved, self.dt, self._read(("time",))["time"], data)

    def pieces(self, channels: Iterable[str] | None = None, rows: int = 65536) -> Iterator[dict[str, np.ndarray]]:
        """The run in pieces of so many steps, `time` included: as much in memory as one of them."""
        names = ("time", *self._known(self.channels if channels is None else tuple(channels)))
        for piece in recording_pieces(self.path, self._columns(names), rows):
            yield self._shaped(names, piece)

    def _read(self, names: tuple[str, ...]) -> dict[str, np.ndarray]:
        columns = self._columns(self._known(names))
        require_room(f"{', '.join(names)}", 8 * self.rows * len(columns), "load fewer channels, or take pieces()")
        return self._shaped(names, read_recording(self.path, columns).columns)

    def _known(self, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if name not in (*self.channels, "time"):
                raise ParameterError(f"run[{name!r}]: was not written; there are time, {', '.join(self.channels)}")
        return names

    def _columns(self, names: Iterable[str]) -> list[str]:
        return [column for name in names for column in column_names(name, self.batch)]

    def _shaped(self, names: Iterable[str], columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        found = {}
        for name in names:
            own = [columns[column] for column in column_names(name, self.batch)]
            alone = name == "time" or not self.batch
            found[name] = own[0] if alone else np.stack(own, axis=1).reshape(-1, *self.batch)
        return found

    def __repr__(self) -> str:
        return f"StoredRun({self.path}, {self.end:g} s, {self.rows} steps, {len(self.channels)} channels)"


def column_names(name: str, batch: tuple[int, ...]) -> list[str]:
    """The columns of a channel: one, or one per motor, as in `current[3]`."""
    if name == "time" or not batch:
        return [name]
    return [f"{name}[{','.join(map(str, index))}]" for index in np.ndindex(batch)]
