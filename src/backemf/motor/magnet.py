"""The field, and the iron that carries it."""

from __future__ import annotations

from dataclasses import dataclass

from ..checks import ABSOLUTE_ZERO, Maybe, Number, leave_out, require, require_part
from ..tree import kind_of_numbers


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Saturation:
    """Iron that saturates: above a knee the torque grows with the logarithm of the current.

    torque(i) = Kt·knee_current + torque·log2(1 + scale·(|i| - knee_current)) beyond the knee.
    """

    knee_current: Number
    """Current up to which the torque is proportional [A]."""
    scale: Number
    """Steepness of the logarithm beyond the knee [1/A]."""
    torque: Number
    """Torque gained each time the argument of the logarithm doubles [N·m]."""

    def __post_init__(self) -> None:
        for name in ("knee_current", "scale", "torque"):
            require(self, name, ">")


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Magnet:
    """The field: what turns amperes into torque and speed into volts. Kt and Ke stay apart."""

    torque_constant: Number
    """Torque per ampere Kt [N·m/A]."""
    back_emf_constant: Number
    """Voltage per speed Ke [V·s/rad]."""
    temperature_coefficient: Number = 0.0
    """Relative change of the flux per kelvin, zero or negative [1/K]."""
    reference_temperature: Number = 25.0
    """Temperature at which both constants are given [°C]."""
    iron_loss: Maybe = None
    """Eddy-current and hysteresis loss per squared speed [W·s²/rad²]; brakes the rotor and heats the motor."""
    saturation: Saturation | None = None
    """How the torque falls behind the current; None: never."""

    def __post_init__(self) -> None:
        require(self, "torque_constant", ">")
        require(self, "back_emf_constant", ">")
        require(self, "temperature_coefficient", "<=")
        require(self, "temperature_coefficient", ">", -0.05)
        require(self, "reference_temperature", ">", ABSOLUTE_ZERO)
        require(self, "iron_loss", ">=")
        require_part(self, "saturation", Saturation)
        leave_out(self, "iron_loss", 0.0)
