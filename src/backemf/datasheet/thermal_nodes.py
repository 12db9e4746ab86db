"""Thermal figures as printed: one lump, or winding and housing."""

from __future__ import annotations

from dataclasses import dataclass

from .figures import ThermalFigures


@dataclass(frozen=True)
class Node:
    """One lump of heat as printed."""

    prefix: str
    resistance: float | None
    capacitance: float | None
    time_constant: float | None

    def pair(self) -> tuple[float, float] | None:
        """Resistance [K/W] and capacitance [J/K] from any two of the three; None with fewer."""
        r, c, t = self.resistance, self.capacitance, self.time_constant
        if r is not None and c is not None:
            return r, c
        if r is not None and t is not None:
            return r, t / r
        if c is not None and t is not None:
            return t / c, c
        return None


def nodes(t: ThermalFigures) -> tuple[Node, Node, Node]:
    """The single lump, the winding and the housing."""
    winding_to_ambient = t.resistance
    if winding_to_ambient is None and t.winding_resistance is not None and t.housing_resistance is not None:
        winding_to_ambient = t.winding_resistance + t.housing_resistance
    return (
        Node("", winding_to_ambient, t.capacitance, t.time_constant),
        Node("winding_", t.winding_resistance, t.winding_capacitance, t.winding_time_constant),
        Node("housing_", t.housing_resistance, t.housing_capacitance, t.housing_time_constant),
    )
