"""Times of samples: steps that vary, and gaps."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...datasheet import Finding
from ..channels import HELD
from .view import View, finding, seconds

JITTER = 0.05
"""Spread of the steps, from the 5th to the 95th percentile over the median, that is worth a word [1]."""
SLOW = 2.0
"""Steps of a moving joint that are so long are often milliseconds [s]."""
YEAR = 3.156e7
"""Seconds of a year [s]."""
EPOCHS = ((1e17, "ns", "ns"), (1e14, "us", "µs"), (1e11, "ms", "ms"))
"""Counts since 1970 that are beyond all seconds, with their units, the largest first."""
GAP = 3.0
"""A step of so many medians is a gap [1]."""


def check_time(view: View) -> Iterator[Finding]:
    """Unit, jitter and gaps of each set of times; what is set rather than measured has no even steps."""
    yield from _unit(view)
    seen: list[np.ndarray] = []
    for name in view.log.channels:
        time = view.log.times(name)
        if name in HELD or len(time) < 4 or any(np.array_equal(time, other) for other in seen):
            continue
        seen.append(time)
        yield from _steps(name if len(seen) > 1 else "time", time)


def _unit(view: View) -> Iterator[Finding]:
    """Times that are no seconds: a date beyond all dates, or steps in which no drive was ever logged."""
    time = view.log.time
    for least, unit, words in EPOCHS:
        if time[0] > least:
            yield finding(
                "time", "error", f"starts at {time[0]:.4g} s, {time[0] / YEAR:.3g} years after 1970: it is in {words} "
                f'and read as s; give units={{"time": "{unit}"}}', f"{unit}-as-si",
            )  # fmt: skip
            return
    usual = float(np.median(np.diff(time)))
    if usual >= SLOW and ("position" in view.log or view.log.commands):
        yield finding(
            "time", "warning", f"has steps of {seconds(usual)}, in which no motion is seen: where it is in ms and read "
            'as s, give units={"time": "ms"}', "slow",
        )  # fmt: skip


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
