"""A bus voltage that was sampled inside the PWM."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...datasheet import Finding
from ..signals import resolution
from .view import View, amount, finding

IDLE = 0.03
"""Duty below which the bridge hardly switches [1]."""
SCATTER = 0.01
"""Smallest scatter between neighbours, over the voltage, that is worth a word [1]."""


def check_supply(view: View) -> Iterator[Finding]:
    """Scatter of neighbouring samples that is there while the bridge switches, and not while it rests."""
    if not view.has("bus_voltage", "duty"):
        return
    log = view.log
    volts = log["bus_voltage"]
    duty = np.abs(np.interp(log.times("bus_voltage"), log.times("duty"), log["duty"]))
    # what a sample differs from the mean of its neighbours; 1.5 times the variance of one sample
    off = (volts[1:-1] - 0.5 * (volts[:-2] + volts[2:])) / np.sqrt(1.5)
    steady = np.abs(np.diff(duty, 2)) < 0.05
    switching, resting = steady & (duty[1:-1] > 2 * IDLE), steady & (duty[1:-1] < IDLE)
    if switching.sum() < 10:
        return
    scatter = float(np.sqrt(np.mean(off[switching] ** 2)))
    step = resolution(volts) or 0.0
    quiet = float(np.sqrt(np.mean(off[resting] ** 2))) if resting.sum() >= 5 else step / 3.0
    supply = float(np.median(volts[1:-1][resting])) if resting.sum() >= 5 else float(np.median(volts))
    if scatter > max(3.0 * quiet, SCATTER * supply, 0.5 * step):
        yield finding(
            "bus_voltage",
            "warning",
            f"scatters by {amount(scatter, 'bus_voltage')} RMS between neighbouring samples while the bridge switches, "
            f"and by {amount(quiet, 'bus_voltage')} at rest: it is sampled inside the PWM; use the supply's "
            f"{amount(supply, 'bus_voltage')} in the rig, and leave this channel out",
            "inside-pwm",
        )
