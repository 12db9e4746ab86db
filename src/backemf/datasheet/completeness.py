"""How much of a motor a sheet says."""

from __future__ import annotations

from .sheet import Datasheet
from .solve import Solved, solve
from .thermal_nodes import knows_heat

TORQUES = ("peak_torque", "stall_torque", "nominal_torque")
"""Figures that limit the torque where there is no winding, the first that is given."""


def how_much(sheet: Datasheet) -> str:
    """How much a sheet says, in two words."""
    s = solve(sheet)
    if s.missing():
        # an actuator of limits alone does not know that it slides
        limited = sheet.motion == "rotary" and any(s.figures.has(name) for name in TORQUES)
        return "limits only" if limited else "too little"
    return "partial motor" if lacking(s) else "whole motor"


def lacking(s: Solved) -> list[str]:
    """What a sheet with a winding does not say of the motor."""
    parts = {
        "rotor inertia": s.inertia is not None,
        "friction": bool(s.coulomb or s.drag),
        "heat": knows_heat(s.sheet.thermal),
    }
    return [name for name, known in parts.items() if not known]
