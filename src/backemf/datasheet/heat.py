"""Thermal figures: any two of resistance, capacitance and time constant, for one node or two."""

from __future__ import annotations

from ..motor import COPPER, Thermal, TwoNodeThermal
from .figures import ThermalFigures, nodes
from .solve import Solved

AMBIENT = 25.0
"""Temperature of the surroundings unless the sheet says otherwise [°C]."""


def thermal_model(t: ThermalFigures) -> Thermal | TwoNodeThermal | None:
    """Two nodes where both are complete, else one, else none."""
    ambient = AMBIENT if t.ambient is None else t.ambient
    single, winding, housing = (node.pair() for node in nodes(t))
    if winding and housing:
        return TwoNodeThermal(
            winding_resistance=winding[0],
            winding_capacitance=winding[1],
            housing_resistance=housing[0],
            housing_capacitance=housing[1],
            ambient=ambient,
        )
    if single:
        return Thermal(resistance=single[0], capacitance=single[1], ambient=ambient)
    return None


def steady_rise(s: Solved, current: float) -> float | None:
    """Winding temperature above ambient that a current settles at [K]; inf if it never settles, None if unknown.

    The resistance rises with the temperature it causes: rise = Rth·R(1 + α·(rise + Ta - T0))·i². Where the sheet says
    at which speed its nominal figures are meant, the friction at that speed heats the housing too.
    """
    t = s.sheet.thermal
    to_housing, to_air = t.winding_resistance, t.rated_housing_resistance or t.housing_resistance
    if s.resistance is None:
        return None
    if to_housing is not None and to_air is not None:
        total = to_housing + to_air
    elif t.resistance is not None:
        total, to_air = t.resistance, 0.0
    else:
        return None
    alpha = COPPER if t.temperature_coefficient is None else t.temperature_coefficient
    ambient = AMBIENT if t.ambient is None else t.ambient
    reference = AMBIENT if t.reference_temperature is None else t.reference_temperature
    cold = s.resistance * (1 + alpha * (ambient - reference)) * current**2
    rubbing = 0.0 if t.rated_speed is None else s.loss(t.rated_speed) * t.rated_speed * to_air
    gain = 1 - alpha * total * s.resistance * current**2
    return (cold * total + rubbing) / gain if gain > 0 else float("inf")
