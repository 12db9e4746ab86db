"""Torque and back-EMF constants, iron loss and saturation."""

from __future__ import annotations

from ..checks import ABSOLUTE_ZERO, Number
from ..parts import number, one, part


@part
class Saturation:
    """Iron that saturates: above a knee the torque grows with the logarithm of the current.

    torque(i) = Kt·knee_current + torque·log2(1 + scale·(|i| - knee_current)) beyond the knee.
    """

    knee_current: Number = number("A", above=0.0)
    """Current up to which the torque is proportional."""
    scale: Number = number("1/A", above=0.0)
    """Steepness of the logarithm beyond the knee."""
    torque: Number = number("N·m", above=0.0)
    """Torque gained each time the argument of the logarithm doubles."""


@part
class Magnet:
    """The field: what turns amperes into torque and speed into volts. Kt and Ke stay apart."""

    torque_constant: Number = number("N·m/A", above=0.0)
    """Torque per ampere Kt."""
    back_emf_constant: Number = number("V·s/rad", above=0.0)
    """Voltage per speed Ke."""
    temperature_coefficient: Number = number("1/K", default=0.0, most=0.0, above=-0.05)
    """Relative change of the flux per kelvin, zero or negative."""
    reference_temperature: Number = number("°C", default=25.0, above=ABSOLUTE_ZERO)
    """Temperature at which both constants are given."""
    iron_loss: Number = number("W·s²/rad²", default=0.0, least=0.0, neutral=0.0)
    """Eddy-current and hysteresis loss per squared speed; brakes the rotor and heats the motor."""
    saturation: Saturation | None = one(Saturation, default=None)
    """How the torque falls behind the current; None: never."""
