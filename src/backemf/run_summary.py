"""What a run comes to, gathered piece by piece: last, smallest and largest values, energy and times at limits."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .physics.state import LIMITS
from .run import BALANCE


class RunSummary:
    """Numbers of a run whose channels are not held in memory; each is an array over the batch.

    Args:
        spacing: Time between recorded steps [s].
    """

    def __init__(self, spacing: float):
        self.spacing = spacing
        self.rows = 0
        """Number of recorded steps so far."""
        self.last: dict[str, np.ndarray] = {}
        """Value of each channel at the end."""
        self.smallest: dict[str, np.ndarray] = {}
        """Smallest value of each channel."""
        self.largest: dict[str, np.ndarray] = {}
        """Largest value of each channel."""
        self._sums: dict[str, np.ndarray] = {}
        self._limits: dict[str, np.ndarray] = {}

    def look(self, record: Mapping[str, np.ndarray]) -> None:
        """Take in the next piece."""
        for name, values in record.items():
            low, high = values.min(axis=0), values.max(axis=0)
            self.last[name] = np.array(values[-1])
            self.smallest[name] = np.minimum(self.smallest[name], low) if self.rows else low
            self.largest[name] = np.maximum(self.largest[name], high) if self.rows else high
            if name.endswith("_power"):
                first = values[0] + self._sums[name] if self.rows else values[0]
                self._sums[name] = sum_in_order(np.concatenate([first[None], values[1:]]))
        if "limit" in record:
            flags = record["limit"].astype(int)
            for name, bit in LIMITS.items():
                self._limits[name] = self._limits.get(name, 0) + (flags & bit > 0).sum(axis=0)
        self.rows += len(next(iter(record.values())))

    @property
    def end(self) -> float:
        """Time at the end [s]."""
        return self.rows * self.spacing

    def size(self, name: str) -> np.ndarray:
        """Largest size of a channel, in either direction."""
        return np.maximum(np.abs(self.smallest[name]), np.abs(self.largest[name]))

    def energy(self) -> dict[str, np.ndarray]:
        """Energy by where it went, from the recorded powers [J]."""
        names = ("electrical", *BALANCE, "spring", "cogging", "numerical")
        return {name: self._sums[f"{name}_power"] * self.spacing for name in names if f"{name}_power" in self._sums}

    def limit_times(self) -> dict[str, np.ndarray]:
        """How long each limit acted [s]; those that never did are left out."""
        return {name: self.spacing * count for name, count in self._limits.items() if np.any(count)}


def sum_in_order(values: np.ndarray) -> np.ndarray:
    """Sum along the first axis, step after step, as the sum over a whole run is taken."""
    if values[0].size < 8:
        return np.array(np.cumsum(values, axis=0)[-1])
    # of one motor NumPy would add up in pairs; of several, whose rows are in a row, it adds row to row
    return np.add.reduce(np.ascontiguousarray(values), axis=0)
