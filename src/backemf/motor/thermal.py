"""Where heat is stored and how it leaves."""

from __future__ import annotations

from dataclasses import dataclass

from ..checks import ABSOLUTE_ZERO, Number, require
from ..tree import kind_of_numbers


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Thermal:
    """One lump of heat: the winding, cooled by the ambient air."""

    resistance: Number
    """Thermal resistance from winding to ambient [K/W]."""
    capacitance: Number
    """Heat capacity of the winding [J/K]."""
    ambient: Number = 25.0
    """Temperature of the surroundings [°C]."""

    def __post_init__(self) -> None:
        require(self, "resistance", ">")
        require(self, "capacitance", ">")
        require(self, "ambient", ">", ABSOLUTE_ZERO)


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class TwoNodeThermal:
    """Two lumps of heat: the winding inside a housing, the housing in the ambient air."""

    winding_resistance: Number
    """Thermal resistance from winding to housing [K/W]."""
    winding_capacitance: Number
    """Heat capacity of the winding [J/K]."""
    housing_resistance: Number
    """Thermal resistance from housing to ambient [K/W]."""
    housing_capacitance: Number
    """Heat capacity of the housing [J/K]."""
    ambient: Number = 25.0
    """Temperature of the surroundings [°C]."""

    def __post_init__(self) -> None:
        for name in ("winding_resistance", "winding_capacitance", "housing_resistance", "housing_capacitance"):
            require(self, name, ">")
        require(self, "ambient", ">", ABSOLUTE_ZERO)

    @property
    def resistance(self) -> Number:
        """Thermal resistance from winding to ambient [K/W]."""
        return self.winding_resistance + self.housing_resistance
