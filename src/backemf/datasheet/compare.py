"""Every redundant figure over what the others predict, as plain ratios."""

from __future__ import annotations

import math

from .predict import predict
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
