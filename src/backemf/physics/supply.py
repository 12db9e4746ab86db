"""The supply: a battery with internal resistance behind a bridge that chops it.

The bridge realises a voltage command as a duty of the battery's open-circuit voltage, so a sagging bus lowers what the
motor gets. A bridge passes power on: it draws duty·i from the bus. With the mean current of each motor affine in its
voltage, i = a + g·v, and v = duty·bus, the bus voltage of any number of motors follows in closed form:

    bus = (voltage - resistance·Σ duty·a) / (1 + resistance·Σ duty²·g)
"""

from .limits import clip
from .ops import maximum, sqrt


def duty(command: float, voltage: float, modulation_limit: float) -> float:
    """Share of the bus voltage that the bridge passes on, within ±modulation_limit [1]."""
    return clip(command / voltage, -modulation_limit, modulation_limit)


def sagging_bus(voltage: float, resistance: float, drawn: float, stiffness: float) -> float:
    """Bus voltage where motors draw Σ duty·a and Σ duty²·g [V]; a collapsing bus keeps a thousandth of its voltage."""
    return maximum((voltage - resistance * drawn) / (1.0 + resistance * stiffness), 0.001 * voltage)


def bus_for_power(voltage: float, resistance: float, power: float) -> float:
    """Bus voltage of a battery that gives a power, the upper root of bus·(voltage - bus)/resistance = power [V]."""
    return 0.5 * voltage * (1.0 + sqrt(maximum(1.0 - 4.0 * resistance * power / (voltage * voltage), 1e-12)))


def bus_current(power: float, bus: float) -> float:
    """Current that carries a power into the bridges [A]; negative while the motors feed back."""
    return power / bus


def accepted(power: float) -> float:
    """Power drawn from a supply that takes nothing back [W]."""
    return maximum(power, 0.0)
