"""From simulated rows to what a sensor reports at the times of measurement, with derivatives."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

ROUNDED = 1e-9
"""Share of a step by which times of measurement are off from being rounded [1]."""


def sense(
    sensor: Mapping[str, float],
    rows: np.ndarray,
    time: np.ndarray,
    dt: float,
    state: bool,
    slopes: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """What a sensor reports, its derivatives by numbers of the bench, and by numbers of its own.

    Args:
        sensor: Its lag [s], time constant [s], gain and bias.
        rows: The quantity at the ends of steps, from the start on, (steps + 1).
        time: Times of measurement since the start, (samples) [s].
        dt: Step [s].
        state: Whether the rows are of the ends of steps; if not, they are means over them.
        slopes: Derivatives of the rows, (steps + 1, numbers); None: none are wanted.
    """
    own: dict[str, np.ndarray] = {}
    lagging = None
    constant = sensor["time_constant"]
    if constant > 0.0:
        keep = np.exp(-dt / constant)
        held = _follow(rows, keep)
        # y' = keep·y + (1 - keep)·x, so that ∂y'/∂keep = keep·∂y/∂keep + y - x
        gap = np.concatenate([[0.0], held[:-1] - rows[1:]])
        lagging = _accumulate(gap, keep) * keep * dt / constant**2
        rows = held
        slopes = None if slopes is None else _follow(slopes, keep)
    # the mean over a step stands for its middle
    place = (time - sensor["lag"]) / dt + (0.0 if state else 0.5)
    low, share, inside = _places(place, len(rows))
    found = (1.0 - share) * rows[low] + share * rows[low + 1]
    seen = sensor["gain"] * found + sensor["bias"]
    if slopes is None:
        return seen, np.zeros((len(time), 0)), own
    own["lag"] = np.where(inside, -sensor["gain"] * (rows[low + 1] - rows[low]) / dt, 0.0)
    own["gain"], own["bias"] = found, np.ones(len(time))
    if lagging is not None:
        own["time_constant"] = sensor["gain"] * ((1.0 - share) * lagging[low] + share * lagging[low + 1])
    if np.all((share == 0.0) | (share == 1.0)):
        # measured at the ends of steps
        by = slopes[low + share.astype(int)]
    else:
        by = (1.0 - share)[:, None] * slopes[low] + share[:, None] * slopes[low + 1]
    return seen, by if sensor["gain"] == 1.0 else sensor["gain"] * by, own


def delayed(rows: np.ndarray, late: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows that come later by a number of steps, and their derivative by that number.

    Rows have (steps, 1, lanes), the delay (candidates, lanes); straight in between, held at the ends.
    """
    steps, _, lanes = rows.shape
    made, slope = np.empty((2, steps, *late.shape))
    for candidate, own in enumerate(late):
        # lanes mostly have one delay, and are shifted together then
        alike = [slice(0, lanes)] if np.all(own == own[0]) else [slice(lane, lane + 1) for lane in range(lanes)]
        for some in alike:
            low, share, inside = _places(np.arange(steps) - own[some.start], steps)
            a, b = rows[low, 0, some], rows[low + 1, 0, some]
            made[:, candidate, some] = (1.0 - share)[:, None] * a + share[:, None] * b
            slope[:, candidate, some] = np.where(inside[:, None], a - b, 0.0)
    return made, slope


def _places(place: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row below, share of the way to the next one, and whether it is between two rows."""
    inside = (place >= 0.0) & (place <= count - 1.0)
    place = np.clip(place, 0.0, count - 1.0)
    near = np.rint(place)
    place = np.where(np.abs(place - near) < ROUNDED, near, place)
    low = np.minimum(place.astype(int), count - 2)
    return low, place - low, inside


def _follow(rows: np.ndarray, keep: float) -> np.ndarray:
    """Rows behind a first-order lag that starts where they do."""
    from scipy.signal import lfilter

    return lfilter([1.0 - keep], [1.0, -keep], rows, axis=0, zi=keep * rows[:1])[0]


def _accumulate(rows: np.ndarray, keep: float) -> np.ndarray:
    """y' = keep·y + x from 0 on."""
    from scipy.signal import lfilter

    return np.asarray(lfilter([1.0], [1.0, -keep], rows))
