"""Clocks that are counters of a microcontroller: a word that wraps goes back to 0 while time goes on."""

from __future__ import annotations

import numpy as np

WORDS = (2.0**16, 2.0**32)
"""Values of the words that count ms or µs [1]."""
SCALES = (1.0, 1e-3, 1e-6)
"""What one count may have been multiplied by before it was written."""
LONGEST = 10.0
"""A step across a wrap is no longer than so many usual ones [1]."""


def unwrap_counter(time: np.ndarray) -> tuple[np.ndarray, str]:
    """Times that rise across each wrap of a counter, with a sentence that says so; else as they are, without one."""
    steps = np.diff(time)
    back = np.flatnonzero(steps < 0.0)
    rising = steps[steps > 0.0]
    if not len(back) or len(rising) < 2 * len(back):
        return time, ""
    usual = float(np.median(rising))
    for size in (word * scale for scale in SCALES for word in WORDS):
        across = steps[back] + size
        if time.min() >= 0.0 and time.max() < size and np.all((across > 0.0) & (across <= LONGEST * usual)):
            wraps = np.zeros(len(time))
            wraps[back + 1] = 1.0
            times = "once" if len(back) == 1 else f"{len(back)} times"
            return time + size * np.cumsum(wraps), f"the clock wraps {times} at {size:.10g}, and was continued there"
    return time, ""
