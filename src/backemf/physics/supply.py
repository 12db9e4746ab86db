"""The supply: a battery with internal resistance behind a bridge that chops it.

The bridge realises a voltage command as a duty of the battery's open-circuit voltage, so a sagging bus lowers what the
motor gets. A bridge passes power on: it draws duty·i from the bus. With the mean current of each motor affine in its
voltage, i = a + g·v, those that get a duty of the bus draw Σ duty·a + bus·Σ duty²·g, and those whose voltage is
fixed by a limit draw Σ power/bus. The bus voltage of any number of motors follows in closed form:

    (1 + resistance·Σ duty²·g)·bus² - (voltage - resistance·Σ duty·a)·bus + resistance·Σ power = 0
"""

from __future__ import annotations

from typing import Protocol

from ..values import Number
from .limits import clip
from .ops import maximum, sqrt

COLLAPSED = 0.001
"""Share of its voltage that a collapsing bus keeps [1]."""


class Supply(Protocol):
    """What the laws need to know of a supply; `backemf.Supply` says what each is."""

    @property
    def voltage(self) -> Number: ...
    @property
    def resistance(self) -> Number: ...
    @property
    def modulation_limit(self) -> Number: ...
    @property
    def regeneration(self) -> bool: ...
    @property
    def shared(self) -> bool: ...


def duty(command: Number, voltage: Number, modulation_limit: Number) -> Number:
    """Share of the bus voltage that the bridge passes on, within ±modulation_limit [1]."""
    return clip(command / voltage, -modulation_limit, modulation_limit)


def sagging_bus(voltage: Number, resistance: Number, drawn: Number, stiffness: Number, power: Number) -> Number:
    """Bus voltage where motors draw Σ duty·a, Σ duty²·g and Σ power, or its last thousandth if it collapses [V]."""
    square = 1.0 + resistance * stiffness
    linear = voltage - resistance * drawn
    root = sqrt(maximum(linear * linear - 4.0 * square * resistance * power, 1e-12 * voltage * voltage))
    return maximum((linear + root) / (2.0 * square), COLLAPSED * voltage)


def bus_current(power: Number, bus: Number) -> Number:
    """Current that carries a power into the bridges [A]; negative while the motors feed back."""
    return power / bus


def accepted_power(power: Number) -> Number:
    """Power drawn from a supply that takes nothing back [W]."""
    return maximum(power, 0.0)
