"""Clocks: a velocity that is behind the position, and a response that comes before its command."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...datasheet import Finding
from ..channels import COMMANDS
from ..signals import find_lag, slope_over
from .view import View, finding, seconds

FARTHEST = 20
"""Lags are looked for within so many steps [1]."""


def check_clocks(view: View) -> Iterator[Finding]:
    """Lag between the velocity and the position's slope, and between each command and what follows it."""
    log = view.log
    if view.has("position", "velocity"):
        time, step = log.times("velocity"), float(np.median(np.diff(log.times("velocity"))))
        lag = find_lag(log.times("position"), view.slope, time, view.velocity, FARTHEST * step)
        if lag is not None and lag.clear and abs(lag.seconds) > step:
            behind = lag.seconds > 0
            yield finding(
                "velocity",
                "warning",
                f"{seconds(abs(lag.seconds))} {'behind' if behind else 'ahead of'} the slope of the position "
                f"(correlation {lag.fit:.3f}, without the shift {lag.fit_without:.3f}); "
                + (
                    "give it to the rig as the sensor's lag"
                    if behind
                    else "the clocks differ: shift one of the channels"
                ),
                "clock-offset",
            )
    for command, measured in COMMANDS.items():
        measured = {"effort": "torque"}.get(measured, measured)
        if view.has(command, measured):
            yield from _lead(view, command, measured)


def _lead(view: View, command: str, measured: str) -> Iterator[Finding]:
    """A response that comes before its command."""
    log = view.log
    time, given, step = log.times(measured), log.times(command), float(np.median(np.diff(log.times(measured))))
    asked, done = slope_over(given, log[command], 1), slope_over(time, log[measured], 1)
    lag = find_lag(given, asked, time, done, FARTHEST * step)
    if lag is not None and lag.clear and lag.seconds < -1.5 * step:
        yield finding(
            measured,
            "warning",
            f"moves {seconds(-lag.seconds)} before its command (correlation {lag.fit:.3f}, without the shift "
            f"{lag.fit_without:.3f}): the clocks differ, or the command was logged late; shift it",
            "clock-offset",
        )
