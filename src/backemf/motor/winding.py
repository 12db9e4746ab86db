"""The winding."""

from __future__ import annotations

from ..checks import ABSOLUTE_ZERO, Number
from ..parts import number, part

COPPER = 0.0039
"""Temperature coefficient of the resistance of copper [1/K]."""


@part
class Winding:
    """The copper: what turns volts into amperes."""

    resistance: Number = number("Ω", above=0.0)
    """Terminal resistance at the reference temperature."""
    inductance: Number = number("H", default=0.0, least=0.0, neutral=0.0)
    """Terminal inductance; 0: the current follows the voltage at once."""
    temperature_coefficient: Number = number("1/K", default=COPPER, least=0.0)
    """Relative rise of the resistance per kelvin."""
    reference_temperature: Number = number("°C", default=25.0, above=ABSOLUTE_ZERO)
    """Winding temperature at which the resistance is given."""
