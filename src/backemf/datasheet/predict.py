"""What a sheet's constants predict for the figures makers print, and listed over predicted figures."""

from __future__ import annotations

import math

from .heat import steady_rise
from .solve import Solved

TOLERANCE = {
    "no_load_speed": 0.03,
    "no_load_current": 0.2,
    "stall_current": 0.05,
    "stall_torque": 0.05,
    "speed_torque_gradient": 0.05,
    "mechanical_time_constant": 0.07,
    "electrical_time_constant": 0.07,
    "nominal_torque": 0.08,
    "nominal_speed": 0.08,
    "max_efficiency": 0.04,
}
"""How far a printed figure may be from its prediction: three digits, rounding and the maker's tolerances."""
_CONSTANTS = 0.05
FREE = "no_load_current below stall_current"
"""Name of the one comparison that is not an equality."""
_MARGIN = 0.5


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


def tolerance_of(figure: str) -> float:
    """How far a comparison of that name may be off."""
    return TOLERANCE.get(figure, _CONSTANTS)


def has_two_constants(s: Solved) -> bool:
    """Whether Kt and Ke come from different figures, so that they can be compared."""
    if s.kt is None or s.ke is None:
        return False
    return not s.how["kt"].startswith("equal") and not s.how["ke"].startswith("equal")


def redundant(s: Solved, predicted: dict[str, float], figure: str) -> float | None:
    """A figure over its prediction; None where it is not given, went into the constants or cannot be predicted."""
    value, expected = getattr(s.figures, figure), predicted.get(figure, 0.0)
    if value is None or figure in s.used:
        return None
    if expected <= 0 and figure == "nominal_torque" and s.kt and s.figures.nominal_current:
        # the nominal current does not even carry the losses: without them, the comparison still tells how far it is off
        expected = s.kt * s.figures.nominal_current
    return value / expected if expected > 0 else None


def mismatches(s: Solved) -> dict[str, float]:
    """Logarithm of listed over predicted for all that can be compared."""
    predicted = predict(s)
    ratios = {figure: redundant(s, predicted, figure) for figure in TOLERANCE}
    found = {figure: math.log(ratio) for figure, ratio in ratios.items() if ratio is not None}
    if has_two_constants(s) and s.kt and s.ke:
        found["kt"] = math.log(s.kt / s.ke)
    f = s.figures
    if f.no_load_current and f.nominal_voltage and s.resistance:
        share = f.no_load_current * s.resistance / f.nominal_voltage
        found[FREE] = max(0.0, math.log(share) + _MARGIN)
    return found
