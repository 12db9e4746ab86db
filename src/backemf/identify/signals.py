"""What is read out of measured series at irregular times: slopes, resolutions, and lags between two of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

HALF = 3
"""Samples on either side of one whose slope is taken [1]."""
LEAST = 20
"""Fewest samples that slopes and lags are taken from [1]."""


def slope_over(time: np.ndarray, values: np.ndarray, half: int = HALF) -> np.ndarray:
    """Slope of a straight line through each sample and its neighbours, without lag [unit/s]."""
    windows = _window(len(time), half)
    t = time[windows] - time[:, None]
    v = values[windows]
    t = t - t.mean(axis=1, keepdims=True)
    return (t * (v - v.mean(axis=1, keepdims=True))).sum(axis=1) / (t * t).sum(axis=1)


def mean_over(values: np.ndarray, half: int = HALF) -> np.ndarray:
    """Mean of each sample and its neighbours."""
    return values[_window(len(values), half)].mean(axis=1)


def _window(count: int, half: int) -> np.ndarray:
    """Indices of the neighbours of each sample, (count, 2·half + 1); at the ends the nearest full window."""
    centres = np.clip(np.arange(count), half, max(count - 1 - half, half))
    return np.clip(centres[:, None] + np.arange(-half, half + 1), 0, count - 1)


def resolution(values: np.ndarray) -> float | None:
    """The step of which all values are multiples apart, as a converter gives it; None where there is none."""
    levels = np.unique(values)
    steps = np.diff(levels)
    steps = steps[steps > 1e-9 * np.abs(levels).max(initial=0.0)]
    if len(steps) < 2 or len(levels) > 0.9 * len(values):
        return None
    smallest = float(np.percentile(steps, 5)) if len(steps) > 40 else float(steps.min())
    near = steps[steps < 1.5 * smallest]
    step = float(near.mean())
    counts = steps / step
    whole = np.abs(counts - np.round(counts)) < 0.1
    return step if whole.mean() > 0.95 else None


def noise_of(time: np.ndarray, values: np.ndarray) -> float:
    """Standard deviation of the noise of a series: of what is off the straight line between its neighbours.

    With white noise of variance s² and a share a of the way between the neighbours, that has the variance
    s²·(1 + a² + (1 - a)²); a converter's step adds an error of step²/12. The median leaves out what moves.
    """
    step = resolution(values) or 0.0
    if len(values) < 3:
        return step / np.sqrt(12.0)
    share = (time[1:-1] - time[:-2]) / np.maximum(time[2:] - time[:-2], 1e-300)
    off = np.abs(values[1:-1] - values[:-2] - share * (values[2:] - values[:-2]))
    size = np.median(off / np.sqrt(1.0 + share**2 + (1.0 - share) ** 2)) / 0.6745
    return float(np.hypot(size, step / np.sqrt(12.0)))


class Lag(NamedTuple):
    """How far one series is behind another."""

    seconds: float
    """Time by which the second is behind the first; negative: it leads [s]."""
    fit: float
    """Correlation at that lag [1]."""
    fit_without: float
    """Correlation without a lag [1]."""

    @property
    def clear(self) -> bool:
        """Whether the lag explains what differs between both."""
        return self.fit > 0.8 and (1.0 - self.fit) < 0.7 * (1.0 - self.fit_without)


def find_lag(
    time: np.ndarray, first: np.ndarray, other_time: np.ndarray, second: np.ndarray, most: float
) -> Lag | None:
    """The lag of the second series behind the first, within ±`most` [s]; None where nothing changes."""
    step = float(np.median(np.diff(other_time)))
    lags = np.arange(-np.ceil(4 * most / step), np.ceil(4 * most / step) + 1) * step / 4
    inside = (other_time > time[0] + most) & (other_time < time[-1] - most)
    if inside.sum() < LEAST or np.ptp(second[inside]) == 0.0 or np.ptp(first) == 0.0:
        return None
    at, values = other_time[inside], second[inside]
    fits = np.array([_correlation(np.interp(at - lag, time, first), values) for lag in lags])
    best = int(np.argmax(fits))
    shift = 0.0
    if 0 < best < len(lags) - 1:
        left, middle, right = fits[best - 1 : best + 2]
        bend = left - 2 * middle + right
        shift = 0.5 * (left - right) / bend if bend < 0 else 0.0
    return Lag(float(lags[best] + shift * step / 4), float(fits[best]), float(fits[len(lags) // 2]))


def _correlation(a: np.ndarray, b: np.ndarray) -> float:
    a, b = a - a.mean(), b - b.mean()
    size = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / size if size > 0.0 else 0.0
