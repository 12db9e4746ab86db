"""Roots and maxima of many functions at once: f takes and returns arrays, element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Function = Callable[[np.ndarray], Any]


def ahead(shares: np.ndarray, top: np.ndarray) -> np.ndarray:
    """Shares of a value, on axes ahead of those of the batch."""
    return shares.reshape(shares.shape + (1,) * np.ndim(top)) * top


def bisect(f: Function, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Where f falls through zero between `low` (f >= 0) and `high` (f <= 0), to rounding."""
    low, high = np.broadcast_arrays(low, high)
    for _ in range(200):
        middle = 0.5 * (low + high)
        if not ((low < middle) & (middle < high)).any():
            break
        above = f(middle) > 0.0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return 0.5 * (low + high)


def grow(f: Function, start: np.ndarray) -> np.ndarray:
    """`start`, doubled until f is no longer positive; inf where that never happens."""
    high = start
    for _ in range(200):
        short = f(high) > 0.0
        if not short.any():
            return high
        high = np.where(short, 2.0 * high, high)
    return np.where(f(high) > 0.0, np.inf, high)


def fixed_point(f: Function, zero: np.ndarray) -> np.ndarray:
    """The x >= 0 with x = f(x) for an f >= 0; inf where f outgrows x."""

    def excess(x: np.ndarray) -> np.ndarray:
        return f(x) - x

    high = grow(excess, f(zero) + 1e-12)
    known = np.where(np.isfinite(high), high, 1.0)
    return np.where(np.isfinite(high), bisect(excess, zero, known), np.inf)


def last_fall(f: Function, top: np.ndarray, samples: int = 512) -> np.ndarray:
    """Largest root of f between 0 and `top`; 0 where f is nowhere positive."""
    # samples closer together near 0, where friction bends
    x = ahead(np.linspace(0.0, 1.0, samples) ** 2, top)
    positive = f(x) > 0.0
    last = samples - 1 - np.argmax(positive[::-1], axis=0)
    turns = positive.any(axis=0)
    low = np.take_along_axis(x, last[None], axis=0)[0]
    high = np.take_along_axis(x, np.minimum(last + 1, samples - 1)[None], axis=0)[0]
    return np.where(turns, bisect(f, low, high), 0.0)


def maximise(f: Function, top: np.ndarray, samples: int = 256) -> np.ndarray:
    """Where f is largest between 0 and `top`: the best sample, then a golden section around it."""
    x = ahead(np.linspace(0.0, 1.0, samples), top)
    best = np.argmax(np.nan_to_num(f(x), nan=-np.inf), axis=0)
    low = np.take_along_axis(x, np.maximum(best - 1, 0)[None], axis=0)[0]
    high = np.take_along_axis(x, np.minimum(best + 1, samples - 1)[None], axis=0)[0]
    golden = 0.5 * (np.sqrt(5.0) - 1.0)
    for _ in range(60):
        span = golden * (high - low)
        left, right = high - span, low + span
        rises = f(left) < f(right)
        low, high = np.where(rises, left, low), np.where(rises, high, right)
    return 0.5 * (low + high)
