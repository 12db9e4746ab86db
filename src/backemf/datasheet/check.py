"""Compare every redundant figure of a sheet with what the others predict."""

from __future__ import annotations

import math
from dataclasses import replace

from ..units import convert, linear_unit
from .blame import Blame, explain, find_slips
from .bounds import bounds
from .conflict import conflicts
from .diagnose import about_constants, about_ratio, about_resistance
from .figures import nodes
from .finding import Finding, Severity
from .heat import AMBIENT, thermal_model
from .joint_limits import joint_limits
from .normalise import gear_ratings
from .predict import TOLERANCE, has_two_constants, predict, redundant
from .sheet import QUANTITIES
from .solve import Solved

_NONSENSE = 1.5
_CONVENTIONS = ("electronics", "rms-ampere", "peak-phase-ampere", "gear-efficiency")
"""Causes that are likelier than a wrong unit as long as the figure has the right order of magnitude."""
_ORDER = 3.0
_AGREES, _CLASS = 0.05, 0.25
"""How far a nominal power is from torque times speed where it agrees, and where it is the class of the motor."""
_FAR = 5.0
"""How far a motor's name may be from its power."""


def check(s: Solved) -> list[Finding]:
    """Findings on every redundant figure, most direct first; an empty list means nothing could be compared."""
    predicted, slips = predict(s), find_slips(s)
    compared = [*_insufficient(s), *_constants(s)]
    for figure, tolerance in TOLERANCE.items():
        compared += _compare(s, figure, predicted, tolerance)
    found = [
        *(conflict for _, conflict in conflicts(s, slips)),
        *(_with_slip(finding, slips, s.sheet.motion) for finding in compared),
        *_power(s, predicted),
        *_temperature(s, predicted),
        *_thermal_products(s),
        *_speeds(s, predicted),
        *_peak(s),
        *_gear(s, predicted),
        *bounds(s),
        *_remarks(s),
        *_not_printed(s),
    ]
    return [replace(f, unit=linear_unit(f.unit)) for f in found] if s.sheet.motion == "linear" else found


def unit_of(figure: str) -> str:
    """SI unit of a figure by its name."""
    return QUANTITIES[figure].unit if figure in QUANTITIES else "1"


def _compare(s: Solved, figure: str, predicted: dict[str, float], tolerance: float) -> list[Finding]:
    # shown in the sheet's own convention, whatever that is
    raw = (vars(s.sheet.electrical) | vars(s.sheet.mechanical)).get(figure)
    ratio = redundant(s, predicted, figure)
    if ratio is None or raw is None:
        return []
    severity, words, cause = _judge(s, figure, ratio, tolerance)
    return [Finding(figure, raw, raw / ratio, severity, words, cause, unit_of(figure))]


def _judge(s: Solved, figure: str, ratio: float, tolerance: float) -> tuple[Severity, str, str]:
    if abs(ratio - 1) <= tolerance:
        return "ok", "agrees with the other figures", ""
    if figure == "no_load_speed" and _is_capped(s, ratio):
        words = "a round number far below what voltage and Ke allow: the speed is limited by its electronics"
        return "warning", words, "electronics"
    severity: Severity = "error" if not 1 / _NONSENSE < ratio < _NONSENSE else "warning"
    words, cause = about_resistance(figure, ratio) or about_ratio(figure, ratio, s) or ("", "")
    if not words:
        words = f"{'above' if ratio > 1 else 'below'} what the other figures predict"
    return severity, words, cause


def _with_slip(finding: Finding, slips: list[Blame], motion: str) -> Finding:
    """A finding that says first which unit was probably mixed up, if one was."""
    ratio = finding.ratio
    if finding.severity in ("ok", "info") or ratio is None:
        return finding
    if finding.cause in _CONVENTIONS and 1 / _ORDER < ratio < _ORDER:
        return finding
    if finding.cause.endswith("-resistance") and not slips:
        return finding
    turns = motion == "rotary"
    unit = finding.unit if turns else linear_unit(finding.unit)
    said = explain(finding.figure, unit, ratio, slips, electrical=turns)
    return finding if said is None else replace(finding, explanation=said[0], cause=said[1])


def _is_capped(s: Solved, ratio: float) -> bool:
    """Whether electronics seem to limit the no-load speed: clearly too low, and a multiple of 500 rpm."""
    rpm = convert(s.sheet.mechanical.no_load_speed or 0.0, "rpm")
    brushed = "brush" in s.sheet.kind.lower() and "brushless" not in s.sheet.kind.lower()
    return ratio < 0.9 and not brushed and s.sheet.motion == "rotary" and abs(rpm - 500 * round(rpm / 500)) < 0.5


def _constants(s: Solved) -> list[Finding]:
    """Kt against Ke: equal in one convention, apart through gear losses or mixed conventions."""
    if not has_two_constants(s) or s.kt is None or s.ke is None:
        return []
    ratio, listed = s.kt / s.ke, s.sheet.electrical.kt
    severity, words, cause = about_constants(s, ratio)
    if listed is not None:
        return [Finding("kt", listed, listed / ratio, severity, words, cause, "N*m/A")]
    words += f" (Kt from {s.how['kt']}, Ke from {s.how['ke']})"
    return [Finding("kt", s.kt, s.ke, severity, words, cause, "N*m/A", f"from {s.how['kt']}")]


def _power(s: Solved, predicted: dict[str, float]) -> list[Finding]:
    listed, value = s.figures.nominal_power, predicted.get("nominal_power")
    if listed is None or not value:
        return []
    ratio = listed / value
    if not 1 / _FAR < ratio < _FAR and (
        said := explain("nominal_power", "W", ratio, [], electrical=s.sheet.motion == "rotary")
    ):
        return [Finding("nominal_power", listed, value, "warning", *said, "W")]
    off = abs(ratio - 1)
    words = "agrees with nominal torque and speed"
    if off >= _AGREES:
        words = "about torque times speed" if off < _CLASS else "a model name rather than torque times speed"
    return [Finding("nominal_power", listed, value, "ok" if off < _CLASS else "info", words, unit="W")]


def _temperature(s: Solved, predicted: dict[str, float]) -> list[Finding]:
    """Steady temperature rise at the nominal current, with R(T), against what is allowed."""
    t = s.sheet.thermal
    rise = predicted.get("temperature_rise")
    if rise is None or t.max_winding_temperature is None:
        return []
    allowed = t.max_winding_temperature - (AMBIENT if t.ambient is None else t.ambient)
    severity, words = _about_heat(rise, allowed)
    return [Finding("temperature_rise", allowed, None if math.isinf(rise) else rise, severity, words, unit="K")]


def _about_heat(rise: float, allowed: float) -> tuple[Severity, str]:
    if abs(rise - allowed) <= 5:
        return "ok", "the nominal current heats the winding to its limit"
    if rise < allowed:
        return "info", f"at the nominal current the winding stays {allowed - rise:.0f} K below its limit"
    if math.isinf(rise):
        return "error", "the temperature never settles at the nominal current: it burns the winding"
    return "warning", "the nominal current overheats the winding at these thermal resistances: it needs better cooling"


def _thermal_products(s: Solved) -> list[Finding]:
    found = []
    for node in nodes(s.sheet.thermal):
        r, c, t = node.resistance, node.capacitance, node.time_constant
        if r is not None and c is not None and t is not None and abs(t / (r * c) - 1) <= 0.2:
            words = "agrees with resistance · capacitance"
            found.append(Finding(f"{node.prefix}time_constant", t, r * c, "ok", words, unit="s"))
    return found


def _peak(s: Solved) -> list[Finding]:
    """The peak torque against the peak current: saturated iron gives less than Kt times the current, never more."""
    f, listed = s.figures, s.sheet.peak.torque
    if f.peak_torque is None or f.peak_current is None or s.kt is None or listed is None:
        return []
    ratio = f.peak_torque / (s.kt * f.peak_current)
    severity: Severity = "ok" if 0.6 < ratio < 1.1 else "warning"
    words = "agrees with Kt times the peak current" + (", less what saturates" if ratio < 0.95 else "")
    if severity != "ok":
        words = "peak torque and peak current belong to different conditions or conventions; the lower one counts"
    return [Finding("peak_torque", listed, listed / ratio, severity, words, unit="N*m")]


def _speeds(s: Solved, predicted: dict[str, float]) -> list[Finding]:
    limit, free = s.figures.max_speed, predicted.get("no_load_speed")
    if limit is None or free is None or free <= limit * 1.02:
        return []
    words = "without load at the nominal voltage the motor runs faster than permitted"
    return [Finding("max_speed", limit, free, "warning", words, unit="rad/s")]


def _gear(s: Solved, predicted: dict[str, float]) -> list[Finding]:
    """What the motor can do against what its gearbox is rated for, at the output and at the gear's input."""
    f, allowed = s.figures, gear_ratings(s.sheet)
    up = f.ratio * f.efficiency
    pairs = [
        ("gear_torque", "nominal torque", f.nominal_torque, up, "N*m"),
        ("gear_peak_torque", "peak torque", f.peak_torque, up, "N*m"),
        ("gear_input_speed", "no-load speed", f.no_load_speed or predicted.get("no_load_speed"), 1.0, "rad/s"),
    ]
    found = []
    for figure, what, value, factor, unit in pairs:
        limit = allowed[figure]
        if limit is None or value is None:
            continue
        over = value * factor > limit * 1.001
        words = f"the {what} is {'above' if over else 'within'} the gearbox's rating"
        found.append(Finding(figure, limit, value * factor, "warning" if over else "ok", words, unit=unit))
    return found


def _insufficient(s: Solved) -> list[Finding]:
    missing = s.missing()
    if not missing:
        return []
    limits = joint_limits(s)
    before = "too few figures for a motor" if limits is None else f"limits only: {limits} at the joint; a motor lacks"
    return [Finding("motor", None, None, "info", f"{before}: {'; '.join(missing)}")]


def _remarks(s: Solved) -> list[Finding]:
    sheet, say, t, peak = s.sheet, s.sheet.conventions, s.sheet.thermal, s.sheet.peak
    words = []
    if "output" in (say.figures_at, say.constants_at, say.friction_at, say.inertia_at) and not sheet.gear:
        words.append(("gear", "figures are at the gearbox output but no [[gear]] is given: a ratio of 1 is used"))
    if (t.winding_resistance or t.resistance) and thermal_model(t) is None:
        gives = "winding and housing time constants or capacitances" if t.winding_resistance else "a time_constant"
        words.append(("thermal", f"no thermal model: {gives} would complete it"))
    if (peak.torque or peak.current) and peak.duration is None:
        words.append(("peak", "the sheet does not say how long the peak may last: give [peak] duration"))
    if not (sheet.source or sheet.sources or sheet.identified):
        words.append(("source", "no source is given for these figures"))
    return [Finding(figure, None, None, "info", text) for figure, text in words]


def _not_printed(s: Solved) -> list[Finding]:
    # motors are made of arrays, which a list of sheets does not need
    from .estimate import WORDS, estimates

    names = [WORDS[estimate.name][0] for estimate in estimates(s)]
    if not names:
        return []
    words = f"not printed, but can be estimated with motor(estimate=True) or --estimate: {', '.join(names)}"
    return [Finding("estimates", None, None, "info", words)]
