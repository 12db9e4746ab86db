"""Figures that contradict each other: no motor is made from them, and `check` says why."""

from __future__ import annotations

from dataclasses import replace

from ..units import format_quantity, linear_unit
from .blame import Blame, explain, find_slips
from .figures import nodes
from .finding import Finding
from .solve import Solved

DISAGREE = 0.2
"""Relative difference beyond which two figures contradict each other rather than being rounded."""
_APART = 3.0
"""Ratio of Kt to Ke beyond which no convention or gear loss explains it."""


Conflict = tuple[str, Finding]
"""The table of a contradicting figure, and the error."""


def conflicts(s: Solved, slips: list[Blame] | None = None) -> list[Conflict]:
    """Every contradiction between listed figures; `slips` where they are known already."""
    found = [*_time_constant(s), *_thermal(s), *_constants(s), *_no_load(s)]
    if found and slips is None:
        slips = find_slips(s)
    return [(table, _with_slip(table, finding, slips or [], s.sheet.motion)) for table, finding in found]


def _with_slip(table: str, finding: Finding, slips: list[Blame], motion: str) -> Finding:
    """A contradiction that names first the unit that was probably mixed up, if one was."""
    if finding.ratio is None or (finding.figure == "no_load_current" and not slips):
        # a no-load current must be below the stall current, not equal to it
        return finding
    warm = table == "thermal"
    electrical = not warm and motion == "rotary"
    slip = explain(finding.figure, finding.unit, finding.ratio, [] if warm else slips, electrical)
    if slip is None:
        return finding
    return replace(finding, explanation=f"{slip[0]}; it {finding.explanation}", cause=slip[1])


def _conflict(table: str, key: str, listed: float, predicted: float, unit: str, because: str) -> Conflict:
    words = f"contradicts {because} = {format_quantity(predicted, unit)}: correct or remove one of them"
    return table, Finding(key, listed, predicted, "error", words, unit=unit)


def _differ(listed: float, predicted: float) -> bool:
    return abs(listed / predicted - 1) > DISAGREE if predicted > 0 else listed > 0


def _time_constant(s: Solved) -> list[Conflict]:
    f = s.figures
    t, inductance, r = f.electrical_time_constant, f.inductance, f.resistance
    if t is None or inductance is None or r is None or not _differ(t, inductance / r):
        return []
    return [_conflict("electrical", "electrical_time_constant", t, inductance / r, "s", "inductance / resistance")]


def _thermal(s: Solved) -> list[Conflict]:
    found, t = [], s.sheet.thermal
    for node in nodes(t):
        r, c, time = node.resistance, node.capacitance, node.time_constant
        if r is not None and c is not None and time is not None and _differ(time, r * c):
            key = f"{node.prefix}time_constant"
            found.append(_conflict("thermal", key, time, r * c, "s", "resistance · capacitance"))
    if t.resistance is not None and t.winding_resistance is not None and t.housing_resistance is not None:
        total = t.winding_resistance + t.housing_resistance
        if _differ(t.resistance, total):
            sum_of = "winding_resistance + housing_resistance"
            found.append(_conflict("thermal", "resistance", t.resistance, total, "K/W", sum_of))
    return found


def _constants(s: Solved) -> list[Conflict]:
    if s.kt is None or s.ke is None or 1 / _APART < s.kt / s.ke < _APART:
        return []
    because = f"Ke ({s.how['ke']}) in the same units, and Kt ({s.how['kt']})"
    unit = linear_unit("N*m/A") if s.sheet.motion == "linear" else "N*m/A"
    return [_conflict("electrical", "kt", s.kt, s.ke, unit, because)]


def _no_load(s: Solved) -> list[Conflict]:
    f = s.figures
    if f.no_load_current is None or f.nominal_voltage is None or s.resistance is None:
        return []
    stall = f.nominal_voltage / s.resistance
    if f.no_load_current < stall:
        return []
    return [_conflict("electrical", "no_load_current", f.no_load_current, stall, "A", "a smaller stall current")]
