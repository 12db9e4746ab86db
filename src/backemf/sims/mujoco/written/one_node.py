"""Two thermal nodes as one, as near as it gets."""

from __future__ import annotations

import numpy as np

from ....motor import TwoNodeThermal
from ....physics.thermal import two_nodes
from ...joint import single

TEN_MINUTES = 600
"""Time over which one node is fitted to two [s]."""


def one_node_of(node: TwoNodeThermal) -> tuple[float, float, float]:
    """Resistance [K/W] and capacitance [J/K] of the node nearest to two under a constant loss, and how far it is off.

    The winding alone would be right for a minute and stop there, both nodes together would warm up too slowly: the
    least squares of the rise over ten minutes are between them.
    """
    rise, seconds = rises(node), np.arange(1.0, TEN_MINUTES + 1.0)
    times, found, time, fitted = np.geomspace(1e-2, 1e6, 81), 0.0, 0.0, rise
    for _ in range(6):
        # a finer grid around the best time constant each time
        shape = -np.expm1(-seconds / times[:, None])
        resistance = (shape @ rise) / (shape * shape).sum(axis=1)
        best = int(np.argmin(((resistance[:, None] * shape - rise) ** 2).sum(axis=1)))
        found, time, fitted = float(resistance[best]), float(times[best]), resistance[best] * shape[best]
        times = np.geomspace(times[max(best - 1, 0)], times[min(best + 1, 80)], 81)
    return found, time / found, float(np.max(np.abs(fitted - rise)) / rise[-1])


def rises(node: TwoNodeThermal) -> np.ndarray:
    """Rise of the winding in every second of a loss of 1 W [K]."""
    numbers = TwoNodeThermal(**{name: single(name, getattr(node, name)) for name in type(node).__dataclass_fields__})
    found, winding, housing = [], 0.0, 0.0
    for _ in range(TEN_MINUTES):
        winding, housing = two_nodes(winding, housing, 1.0, 0.0, 1.0, numbers)
        found.append(float(winding))
    return np.array(found)
