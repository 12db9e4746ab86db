"""Times of samples: steps that vary, and gaps."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...datasheet import Finding
from ..channels import HELD
from .view import View, finding, seconds

JITTER = 0.05
"""Spread of the steps, from the 5th to the 95th percentile over the median, that is worth a word [1]."""
GAP = 3.0
"""A step of so many medians is a gap [1]."""


def check_time(view: View) -> Iterator[Finding]:
    """Jitter and gaps of each set of times; what is set rather than measured has no even steps."""
    seen: list[np.ndarray] = []
    for name in view.log.channels:
        time = view.log.times(name)
        if name in HELD or len(time) < 4 or any(np.array_equal(time, other) for other in seen):
            continue
        seen.append(time)
        yield from _steps(name if len(seen) > 1 else "time", time)


def _steps(name: str, time: np.ndarray) -> Iterator[Finding]:
    steps = np.diff(time)
    usual = float(np.median(steps))
    gaps = np.flatnonzero(steps > GAP * usual)
    if len(gaps):
        worst = int(gaps[np.argmax(steps[gaps])])
        yield finding(
            name,
            "warning",
            f"{len(gaps)} gap{'s' if len(gaps) > 1 else ''} in steps of {seconds(usual)}, the longest of "
            f"{seconds(steps[worst])} after t = {time[worst]:.6g} s; split the log there with log.slice",
            "gap",
        )
    even = steps[steps <= GAP * usual]
    low, high = np.percentile(even, [5, 95])
    if high - low > JITTER * usual:
        yield finding(
            name,
            "info",
            f"steps vary from {seconds(even.min())} to {seconds(even.max())} about {seconds(usual)}; keep the times as "
            "measured, and do not replace them by even ones",
            "jitter",
        )
