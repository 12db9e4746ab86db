"""How much of a motor a sheet gives."""

from __future__ import annotations

from .solve import Solved
from .thermal_nodes import nodes

TORQUES = ("peak_torque", "stall_torque", "nominal_torque")
"""Figures that limit the torque where there is no winding, the first that is given."""


def completeness(s: Solved) -> str:
    """How complete a sheet is, in two words."""
    if s.missing():
        # an actuator of limits alone does not know that it is linear
        limited = s.sheet.motion == "rotary" and any(s.figures.has(name) for name in TORQUES)
        return "limits only" if limited else "too little"
    return "partial motor" if lacking(s) else "whole motor"


def lacking(s: Solved) -> list[str]:
    """What a sheet with a winding does not give of the motor."""
    single, winding, housing = (node.pair() for node in nodes(s.sheet.thermal))
    parts = {
        "rotor inertia": s.inertia is not None,
        "friction": bool(s.coulomb or s.drag),
        "heat": bool(single or (winding and housing)),
    }
    return [name for name, known in parts.items() if not known]
