"""Thermal models."""

from __future__ import annotations

from ..checks import ABSOLUTE_ZERO, Number
from ..parts import number, part


@part(family="thermal")
class Thermal:
    """One lump of heat: the winding, cooled by the ambient air."""

    resistance: Number = number("K/W", above=0.0)
    """Thermal resistance from winding to ambient."""
    capacitance: Number = number("J/K", above=0.0)
    """Heat capacity of the winding."""
    ambient: Number = number("°C", default=25.0, above=ABSOLUTE_ZERO)
    """Temperature of the surroundings."""


@part(family="thermal")
class TwoNodeThermal:
    """Two lumps of heat: the winding inside a housing, the housing in the ambient air."""

    winding_resistance: Number = number("K/W", above=0.0)
    """Thermal resistance from winding to housing."""
    winding_capacitance: Number = number("J/K", above=0.0)
    """Heat capacity of the winding."""
    housing_resistance: Number = number("K/W", above=0.0)
    """Thermal resistance from housing to ambient."""
    housing_capacitance: Number = number("J/K", above=0.0)
    """Heat capacity of the housing."""
    ambient: Number = number("°C", default=25.0, above=ABSOLUTE_ZERO)
    """Temperature of the surroundings."""

    @property
    def resistance(self) -> Number:
        """Thermal resistance from winding to ambient [K/W]."""
        return self.winding_resistance + self.housing_resistance
