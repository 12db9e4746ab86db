"""A motor in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..checks import Number
from ..units import format_quantity, linear_unit
from .thermal import Thermal

if TYPE_CHECKING:
    from .motor import Motor

_PLAIN = ("rotor", "thermistor", "drag", "cogging", "limits", "ratings")


def motor_words(motor: Motor) -> str:
    """Name, voltage, resistance, torque constant and gear, and the parts that it has."""
    unit = linear_unit("N·m/A") if motor.motion == "linear" else "N·m/A"
    voltage = None if motor.ratings is None else motor.ratings.voltage
    figures = [] if voltage is None else [span(voltage, "V")]
    figures += [span(motor.winding.resistance, "ohm"), span(motor.magnet.torque_constant, unit)]
    if motor.gearbox is not None:
        figures.append(f"gear {span(motor.gearbox.ratio, '1')}:1")
    parts = [name for name in _PLAIN if getattr(motor, name) is not None]
    if motor.friction is not None:
        kind = type(motor.friction).__name__
        parts.insert(parts.count("rotor"), "load-dependent friction" if kind == "LoadDependent" else f"{kind} friction")
    if motor.friction_over_angle is not None:
        parts[parts.index(next(part for part in parts if part.endswith("friction")))] += " over angle"
    if motor.thermal is not None:
        heat = "heat of the winding" if isinstance(motor.thermal, Thermal) else "heat of winding and housing"
        parts.insert(parts.count("rotor"), heat)
    if motor.network is not None:
        parts.append("a network on what is left")
    name = f"{motor.name}: " if motor.name else ""
    return f"{name}{', '.join(figures)}{'; ' if parts else ''}{', '.join(parts)}"


def span(value: Number, unit: str) -> str:
    """A number with its unit, or the range of an array; `?` where a compiler does not know it yet."""
    known: Any = value
    try:
        low, high = (float(known.min()), float(known.max())) if getattr(known, "ndim", 0) else (float(known),) * 2
    except TypeError:
        # a traced number
        return "?"
    ends = [format_quantity(end, unit) for end in (low, high)]
    return ends[0] if low == high else " to ".join(ends)
