"""What a log never does, so that no fit of it can tell what would happen there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...datasheet import Finding
from .view import View, amount, finding

PART = 0.2
"""A quantity that stays below this share of what is possible leaves the rest unknown [1]."""
ONE_WAY = 0.98
"""Share of the moving samples in one direction that makes it the only one [1]."""
WARM = 5.0
"""Rise of a temperature below which heat cannot be told [K]."""

SMALL = 0.06
"""Way of a joint under position control below which little can be told [rad]."""


def check_range(view: View) -> Iterator[Finding]:
    """Standstill, one direction, constant commands, and speeds, currents, duties and temperatures never reached."""
    log = view.log
    for name in log.commands:
        if np.ptp(log[name]) == 0.0 and len(log.commands) == 1:
            yield finding(name, "warning", "never changes: excite the drive with steps, sines or chirps", "constant")
    yield from _motion(view)
    yield from _small(view)
    yield from _share(view, "duty", 1.0, "full duty")
    if view.motor.current is not None:
        yield from _share(view, "current", view.motor.current, "the motor's stall current")
    for name in ("winding_temperature", "housing_temperature"):
        if view.has(name, least=2) and (rise := float(np.ptp(log[name]))) < WARM:
            yield finding(
                name,
                "info",
                f"changes by {rise:.2g} K only: its heat cannot be told; load the motor for longer",
                "cold",
            )


def _motion(view: View) -> Iterator[Finding]:
    if view.has("velocity"):
        speed, name = view.velocity, "velocity"
    elif view.has("position"):
        speed, name = view.slope, "position"
    else:
        return
    most = float(np.abs(speed).max())
    if np.ptp(view.log[name]) == 0.0 and (name == "position" or most == 0.0):
        yield finding(
            name, "info", "never moves: only torque, current and heat at standstill can be told", "standstill"
        )
        return
    if most == 0.0:
        return
    moving = speed[np.abs(speed) > 0.1 * most]
    ahead = float((moving > 0).mean())
    if max(ahead, 1.0 - ahead) > ONE_WAY and len(moving) >= 10:
        word = "forward" if ahead > 0.5 else "backward"
        yield finding(
            name,
            "info",
            f"moves {word} only: friction in the other direction is unknown; move both ways",
            "one-direction",
        )
    if view.motor.speed is not None and most < PART * view.motor.speed:
        yield finding(
            name,
            "info",
            f"reaches {amount(most, 'velocity')}, {100 * most / view.motor.speed:.2g} % of the motor's no-load speed: "
            "back-EMF and viscous friction are hardly seen; move faster",
            "slow",
        )


def _small(view: View) -> Iterator[Finding]:
    """A motion of a few degrees: little is seen, or radians are read as degrees."""
    if not view.has("position", "position_command"):
        return
    low, high = np.percentile(view.log["position"], [0.5, 99.5])
    if 0.0 < high - low < SMALL:
        yield finding(
            "position",
            "info",
            f"moves by {amount(high - low, 'position')} only: friction and load are hardly seen; move farther, or give "
            'its unit if it is in rad and read as degrees, units={"position": "rad"}',
            "small",
        )


def _share(view: View, name: str, full: float, words: str) -> Iterator[Finding]:
    if view.has(name) and 0.0 < (most := float(np.abs(view.log[name]).max())) < PART * full:
        yield finding(
            name,
            "info",
            f"reaches {amount(most, name)}, {100 * most / full:.2g} % of {words}: what happens above is unknown; "
            "load the drive more",
            "low",
        )
