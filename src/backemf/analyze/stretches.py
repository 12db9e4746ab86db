"""Stretches of a recording: how long a quantity stays above a limit, and how large it is meanwhile.

Arrays are (time, motors); every answer is (motors,). Each value stands for the step that ends with it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Stretches:
    """When a condition held."""

    total: np.ndarray
    """Recorded steps in which it held [1]."""
    first: np.ndarray
    """The first of them; 0 where it never held [1]."""
    longest: np.ndarray
    """Steps of the longest stretch without a break [1]."""
    begin: np.ndarray
    """The first step of that stretch [1]."""


def stretches(holds: np.ndarray) -> Stretches:
    """The stretches in which a condition holds."""
    steps = np.arange(len(holds))[:, None]
    last_break = np.maximum.accumulate(np.where(holds, -1, steps), axis=0)
    lengths = steps - last_break
    end, longest = lengths.argmax(axis=0), lengths.max(axis=0, initial=0)
    begin = np.where(longest > 0, end - longest + 1, 0)
    return Stretches(holds.sum(axis=0), holds.argmax(axis=0), longest, begin)


def rms(values: np.ndarray) -> np.ndarray:
    """Root of the mean square over the whole recording."""
    return np.sqrt(np.mean(np.square(values), axis=0))


def rms_within(values: np.ndarray, s: Stretches) -> np.ndarray:
    """Root of the mean square over the longest stretch; 0 where there is none."""
    steps = np.arange(len(values))[:, None]
    inside = (steps >= s.begin) & (steps < s.begin + s.longest)
    return np.sqrt(np.sum(np.square(values), axis=0, where=inside) / np.maximum(s.longest, 1))


def overload(values: np.ndarray, continuous: np.ndarray, spacing: float) -> np.ndarray:
    """Largest ∫(i² - continuous²) dt that has gathered, as the I²t counter of a drive does: it never falls below zero.

    The counter is x[k] = max(0, x[k-1] + u[k]), which is the running sum of u less its lowest value so far.
    """
    sums = np.cumsum((np.square(values) - np.square(continuous)) * spacing, axis=0)
    lowest = np.minimum(np.minimum.accumulate(sums, axis=0), 0.0)
    return (sums - lowest).max(axis=0, initial=0.0)
