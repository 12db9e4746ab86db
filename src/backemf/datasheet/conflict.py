"""Figures that contradict each other: no motor is made from them, and `check` says why."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..units import format_quantity, linear_unit
from .blame import Blame, explain, find_slips
from .solve import Solved
from .thermal_nodes import nodes

DISAGREE = 0.2
"""Relative difference beyond which two figures contradict each other rather than being rounded."""
_APART = 3.0
"""Ratio of Kt to Ke beyond which no convention or gear loss explains it."""


@dataclass(frozen=True)
class Conflict:
    """One contradiction."""

    figure: str
    listed: float
    predicted: float
    unit: str
    where: str
    """Table, key and value, as in a file."""
    fault: str
    """What it contradicts and what to do, the unit that was probably mixed up first."""
    cause: str = ""
    """The slip in a word for programs; empty if none explains it."""


def conflicts(s: Solved, slips: list[Blame] | None = None) -> list[Conflict]:
    """Every contradiction between listed figures; `slips` where they are known already."""
    found = [*_time_constant(s), *_thermal(s), *_constants(s), *_no_load(s)]
    if found and slips is None:
        slips = find_slips(s)
    return [_with_slip(conflict, slips or [], s.sheet.motion) for conflict in found]


def _with_slip(conflict: Conflict, slips: list[Blame], motion: str) -> Conflict:
    """A contradiction that says first which unit was probably mixed up, if one was."""
    if conflict.figure == "no_load_current" and not slips:
        # it must be below the stall current, not equal to it
        return conflict
    warm = conflict.where.startswith("[thermal]")
    ratio = conflict.listed / conflict.predicted
    electrical = not warm and motion == "rotary"
    said = explain(conflict.figure, conflict.unit, ratio, [] if warm else slips, electrical=electrical)
    return conflict if said is None else replace(conflict, fault=f"{said[0]}; it {conflict.fault}", cause=said[1])


def _conflict(table: str, key: str, listed: float, predicted: float, unit: str, because: str) -> Conflict:
    where = f"[{table}] {key} = {format_quantity(listed, unit)}"
    fault = f"contradicts {because} = {format_quantity(predicted, unit)}: correct or remove one of them"
    return Conflict(key, listed, predicted, unit, where, fault)


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
