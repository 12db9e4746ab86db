"""What a sheet's constants predict for the figures makers print."""

from __future__ import annotations

import math

from .heat import steady_rise
from .solve import Solved


def predict(s: Solved) -> dict[str, float]:
    """Predicted figures by name, in SI, at the motor, in DC-equivalent amperes; only those the constants allow."""
    f = s.figures
    found: dict[str, float] = {}
    if f.nominal_torque is not None and f.nominal_speed is not None:
        found["nominal_power"] = f.nominal_torque * f.nominal_speed
    if s.kt is None or s.ke is None:
        return found
    if s.resistance is not None:
        found |= _of_constants(s, s.resistance, s.kt, s.ke)
        if f.nominal_voltage is not None:
            found |= _at_voltage(s, f.nominal_voltage, s.resistance, s.kt, s.ke)
    elif f.nominal_voltage is not None and f.no_load_current is None:
        # without a resistance the losses of the free motor are left out: the fastest it could be
        found["no_load_speed"] = f.nominal_voltage / s.ke
    if f.nominal_current is not None:
        speed = f.rated_speed or f.nominal_speed or found.get("no_load_speed", 0.0)
        found["nominal_torque"] = f.passed_share * (s.kt * f.nominal_current - s.loss(speed))
        if (rise := steady_rise(s, f.nominal_current)) is not None:
            found["temperature_rise"] = rise
    return found


def _of_constants(s: Solved, r: float, kt: float, ke: float) -> dict[str, float]:
    found = {"speed_torque_gradient": r / (kt * ke)}
    if s.inertia is not None:
        found["mechanical_time_constant"] = r * s.inertia / (kt * ke)
    if s.inductance is not None:
        found["electrical_time_constant"] = s.inductance / r
    return found


def _at_voltage(s: Solved, v: float, r: float, kt: float, ke: float) -> dict[str, float]:
    f = s.figures
    free = no_load_speed(s, v, r, kt, ke)
    found = {"stall_current": v / r, "stall_torque": kt * v / r, "no_load_speed": free}
    if s.coulomb is not None or s.drag:
        found["no_load_current"] = s.loss(free) / kt
        share = found["no_load_current"] * r / v
        # constant loss torque: the best point lies at the geometric mean of no-load and stall current
        best = max(0.0, 1 - math.sqrt(share)) ** 2 if share < 1 else 0.0
        found["max_efficiency"] = best * f.passed_share * kt / ke
    if f.nominal_current is not None and f.rated_speed is None:
        found["nominal_speed"] = max(0.0, (v - r * f.nominal_current) / ke)
    return found


def no_load_speed(s: Solved, v: float, r: float, kt: float, ke: float) -> float:
    """Speed at which the free motor's current carries its losses, Ke·w + R·loss(w)/Kt = v [rad/s]."""
    if r * s.loss(0.0) / kt >= v:
        return 0.0
    if not any(s.drag[1:]):
        # losses that grow at most with the speed
        slope = s.loss(1.0) - s.loss(0.0)
        return (v - r * s.loss(0.0) / kt) / (ke + r * slope / kt)
    low, high = 0.0, v / ke
    for _ in range(80):
        middle = 0.5 * (low + high)
        if ke * middle + r * s.loss(middle) / kt > v:
            high = middle
        else:
            low = middle
    return high
