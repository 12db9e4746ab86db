"""Samples that tell nothing: too few of them, channels that nobody measured, a joint that stays, and outliers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...datasheet import Finding
from ..signals import LEAST
from ..unmeasured import unmeasured
from .view import View, amount, finding

SMOOTH = ("position", "winding_temperature", "housing_temperature")
"""Channels that go from one sample to the next without jumps."""
BEYOND = 8.0
"""A sample is an outlier that is so many times farther from its neighbours than 99 % are [1]."""
COARSE = 4.0
"""It is so many steps of its converter away, or more [1]."""
LEAST_SHARE = 0.03
"""It is farther away than this share of the whole range [1]."""
ALIKE = 0.2
"""Its neighbours differ by less than this share of how far it is away [1]."""
MANY = 50
"""Fewest samples that outliers are looked for in [1]."""


def check_samples(view: View) -> Iterator[Finding]:
    """Few rows, zeros in the place of a measurement, a position that does not follow, and outliers."""
    log = view.log
    if len(log.time) < LEAST:
        yield finding(
            "time", "warning", f"{len(log.time)} rows: too few to check units, clocks and range; log {LEAST} or more",
            "few",
        )  # fmt: skip
    for name in unmeasured(log):
        yield finding(
            name, "warning", "is 0 throughout while other channels change: it was not measured; leave it out", "zero"
        )
    if (
        view.has("position", "position_command")
        and np.ptp(log["position"]) == 0.0
        and np.ptp(log["position_command"]) > 0.0
        and not ("enable" in log and not log["enable"].any())
    ):
        yield finding(
            "position", "warning", f"stays at {amount(log['position'][0], 'position')} while its command changes: it "
            "was not measured, or the drive was off; log it, or its enable", "stays",
        )  # fmt: skip
    for name in SMOOTH:
        if view.has(name, least=MANY):
            yield from _outliers(name, log.times(name), log[name])


def _outliers(name: str, time: np.ndarray, values: np.ndarray) -> Iterator[Finding]:
    """Samples that are far from both their neighbours, which agree with each other."""
    off = np.abs(values[1:-1] - 0.5 * (values[:-2] + values[2:]))
    apart = np.abs(values[2:] - values[:-2])
    levels = np.diff(np.unique(values))
    coarse = float(np.median(levels)) if len(levels) else 0.0
    least = max(BEYOND * float(np.percentile(off, 99)), COARSE * coarse, LEAST_SHARE * float(np.ptp(values)))
    far = np.flatnonzero((off > least) & (apart < ALIKE * off))
    if not len(far):
        return
    worst = int(far[np.argmax(off[far])])
    off, time = off[far], time[1:-1]
    more = f", and {len(far) - 1} more like it" if len(far) > 1 else ""
    yield finding(
        name, "warning", f"{amount(off.max(), name)} off its neighbours at t = {time[worst]:.12g} s{more}: an outlier "
        "of the sensor or the bus; leave the sample out", "outlier",
    )  # fmt: skip
