"""The copper."""

from __future__ import annotations

from dataclasses import dataclass

from ..checks import ABSOLUTE_ZERO, Maybe, Number, leave_out, require
from ..tree import kind_of_numbers

COPPER = 0.0039
"""Temperature coefficient of the resistance of copper [1/K]."""


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Winding:
    """The copper: what turns volts into amperes."""

    resistance: Number
    """Terminal resistance at the reference temperature [Ω]."""
    inductance: Maybe = None
    """Terminal inductance [H]; None or 0: the current follows the voltage at once."""
    temperature_coefficient: Number = COPPER
    """Relative rise of the resistance per kelvin [1/K]."""
    reference_temperature: Number = 25.0
    """Winding temperature at which the resistance is given [°C]."""

    def __post_init__(self) -> None:
        require(self, "resistance", ">")
        require(self, "inductance", ">=")
        require(self, "temperature_coefficient", ">=")
        require(self, "reference_temperature", ">", ABSOLUTE_ZERO)
        leave_out(self, "inductance", 0.0)
