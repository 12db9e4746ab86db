"""One joint's cycle: its motion in cells, the torque of its load, and how it repeats."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .heat import Rhythm
from .motion import Cells


@dataclass(frozen=True, eq=False)
class Cycle:
    """What a joint has to do, over and over."""

    name: str
    """The joint."""
    cells: Cells
    """Its motion."""
    torque: np.ndarray
    """Torque at the gear output that the load takes in each cell [N·m]."""
    rhythm: Rhythm
    """How often it repeats, and how long it rests."""
    rest_torque: float = 0.0
    """Torque that holds the load while it rests [N·m]."""

    @property
    def top_speed(self) -> float:
        """Fastest joint velocity [rad/s]."""
        return float(np.abs(self.cells.velocity).max())

    @property
    def peak_torque(self) -> float:
        """Largest torque of the load [N·m]."""
        return max(float(np.abs(self.torque).max()), abs(self.rest_torque) if self.rhythm.rest else 0.0)

    def equivalent_torque(self, exponent: float) -> float:
        """Continuous torque that wears the gears as the cycle does, (mean of |torque|^p)^(1/p) [N·m]."""
        sums = self.rhythm.repeats * float(np.sum(np.abs(self.torque) ** exponent * self.cells.dt))
        sums += abs(self.rest_torque) ** exponent * self.rhythm.rest
        return (sums / self.rhythm.cycle) ** (1.0 / exponent)

    def mean_square_speed(self) -> float:
        """Mean of the squared joint velocity over the whole cycle [rad²/s²]."""
        square = float(np.sum(self.cells.velocity**2 * self.cells.dt))
        return self.rhythm.repeats * square / self.rhythm.cycle

    def columns(self, other_power: np.ndarray | float = 0.0) -> dict[str, np.ndarray]:
        """The samples for the passes; `other_power` is what else hangs on the supply [W]."""
        c = self.cells
        smooth = c.smooth.copy()
        if self.rhythm.rest > 0.0:
            # the motion before the first cell is the rest
            smooth[0] = 0.0
        return {
            "dt": c.dt,
            "position": c.position,
            "velocity": c.velocity,
            "middle_velocity": 0.5 * (c.velocity + np.roll(c.velocity, 1)),
            "acceleration": c.acceleration,
            "torque": self.torque,
            "per_gap": smooth / (0.5 * (c.dt + np.roll(c.dt, 1))),
            "other_power": np.broadcast_to(np.asarray(other_power, dtype=float), c.dt.shape),
        }
