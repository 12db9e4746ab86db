"""Conditions under which a motor is looked at, each with a range that suits it."""

from __future__ import annotations

from dataclasses import dataclass

from ..analyze.given import limit_of
from ..errors import ParameterError
from ..motor import Motor
from .interactive import supply_volts, warmth

HOT = 155.0
"""Hottest winding where the maker names no limit [°C]."""


@dataclass(frozen=True)
class Condition:
    """A number that can be varied."""

    key: str
    """Its short name."""
    words: str
    """What it is called."""
    unit: str
    """Its unit, as it is shown."""
    low: float
    """Smallest value."""
    high: float
    """Largest value."""
    step: float
    """Smallest change."""
    own: float
    """The motor's own value."""


def conditions_of(motor: Motor) -> list[Condition]:
    """Supply, temperatures and gears of a motor."""
    volts = supply_volts(motor, None)
    try:
        hottest = float(limit_of(motor, None))
    except ParameterError:
        hottest = HOT
    found = [
        Condition("v", "Supply", "V", round(0.25 * volts, 1), round(2.0 * volts, 1), 0.1, volts),
        Condition("t", "Winding", "°C", -20.0, max(round(hottest), 40.0), 1.0, warmth(motor, None)),
    ]
    if motor.thermal is not None:
        found.append(Condition("ta", "Ambient", "°C", -20.0, 80.0, 1.0, float(motor.thermal.ambient)))
    gears = motor.gearbox
    ratio, share = (1.0, 1.0) if gears is None else (abs(float(gears.ratio)), float(gears.efficiency))
    found.append(Condition("g", "Gear ratio", ": 1", 1.0, max(200.0, round(2.0 * ratio)), 0.5, ratio))
    return [*found, Condition("ge", "Gear efficiency", "%", 30.0, 100.0, 1.0, 100.0 * share)]
