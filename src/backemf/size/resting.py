"""The rest after the motions of a cycle: the load is held, and winding and housing go on warming or cooling."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .heat import copper_scale
from .sweeps import HOTTEST, Pair, rises

PIECES = 16
"""Pieces of a rest, each with the resistance of its own temperature [1]."""
FIRST = 1e-4
"""Length of the first piece over that of the rest; the others grow by a factor [1]."""


@dataclass(frozen=True)
class Rest:
    """What a rest does to pairs, arrays with one entry per pair."""

    ends: dict[str, np.ndarray]
    """The modes where it ends [J]."""
    winding: np.ndarray
    """Largest rise of the winding [K]."""
    housing: np.ndarray
    """Largest rise of the housing [K]."""
    copper: np.ndarray
    """Heat of the copper [J]."""


def run_rest(pair: Pair, begins: dict[str, np.ndarray], hold: np.ndarray, length: float) -> Rest:
    """A rest of a length [s] from given modes, with the current that holds the load at ambient temperature [A]."""
    times = length * np.concatenate([[0.0], np.geomspace(FIRST, 1.0, PIECES)])
    modes, copper = dict(begins), np.zeros_like(hold)
    winding, housing = _rises(pair, modes, hold)
    hottest, outside = winding, housing
    for dt in np.diff(times):
        # a guess with the resistance of the start, then that of the middle
        guess = _advance(pair, modes, _loss(pair, winding, hold), float(dt))
        loss = _loss(pair, 0.5 * (winding + _rises(pair, guess, hold)[0]), hold)
        modes, copper = _advance(pair, modes, loss, float(dt)), copper + loss * dt
        winding, housing = _rises(pair, modes, hold)
        hottest, outside = np.maximum(hottest, winding), np.maximum(outside, housing)
    return Rest(modes, hottest, outside, copper)


def _rises(pair: Pair, modes: dict[str, np.ndarray], hold: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rises of winding and housing, one for each pair [K]."""
    winding, housing = rises(pair, {**modes})
    return np.asarray(winding) + 0.0 * hold, np.asarray(housing) + 0.0 * hold


def _loss(pair: Pair, rise: np.ndarray, hold: np.ndarray) -> np.ndarray:
    """Loss of the copper at a rise of the winding [W]."""
    return copper_scale(pair.motor, pair.ambient, np.minimum(pair.ambient + rise, HOTTEST)) * hold**2


def _advance(pair: Pair, modes: dict[str, np.ndarray], loss: np.ndarray, dt: float) -> dict[str, np.ndarray]:
    """The modes after a time with a constant loss of the copper; nothing turns, so that the iron has none."""
    made = {}
    for name, z in modes.items():
        rate = np.asarray(pair.modes[int(name[-1])].rate)
        power = loss if name.startswith("copper") else 0.0
        made[name] = z * np.exp(rate * dt) + power * np.expm1(rate * dt) / rate
    return made
