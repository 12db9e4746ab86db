"""Ratios that tell which convention was mixed up."""

from __future__ import annotations

from typing import Literal

from .normalise import AMPERE
from .solve import Solved

_NEAR = 0.04
_AMPERE_NAMES = {"dc": "DC", "peak-phase": "peak-phase (q-axis)", "rms": "RMS"}
# how a figure moves when the true resistance is larger than the one used
_WITH_RESISTANCE = {
    "stall_current": -1,
    "stall_torque": -1,
    "electrical_time_constant": -1,
    "speed_torque_gradient": 1,
    "mechanical_time_constant": 1,
}


def mixed_ampere(declared: str, ratio: float) -> str | None:
    """The ampere Kt is probably per if Kt/Ke has this ratio under the declared one; None: no convention explains it."""
    if abs(ratio - 1) < _NEAR:
        return None
    fits = {name: abs(ratio * AMPERE[declared] / factor - 1) for name, factor in AMPERE.items() if name != declared}
    best = min(fits, key=lambda name: fits[name])
    return best if fits[best] < _NEAR else None


def about_constants(s: Solved, ratio: float) -> tuple[Literal["ok", "warning", "error"], str, str]:
    """Severity, sentence and cause for a ratio Kt/Ke."""
    say, geared = s.sheet.conventions, bool(s.sheet.gear) or s.sheet.conventions.figures_at == "output"
    product = f"Kt·Kv = {ratio * AMPERE[say.torque_constant]:.2f}"
    if abs(ratio - 1) <= 0.05:
        return "ok", f"{product}: torque and speed constant agree", ""
    other = mixed_ampere(say.torque_constant, ratio)
    listed = s.figures.kt is not None
    if other is not None and (listed or ratio > 1):
        words = f"{product}: the torque constant is probably per {_AMPERE_NAMES[other]} ampere"
        if ratio > 1:
            words += ", since otherwise more power comes out than goes in"
        return ("error" if ratio > 1 else "warning"), words, f"{other}-ampere"
    if ratio > 1:
        words = f"{product}: more torque per ampere than power balance allows, so the figures mix conventions"
        return ("error" if ratio > 1.05 else "warning"), words, "power-balance"
    if geared and not listed:
        words = f"Kt/Ke = {ratio:.2f}: the rest is lost in the gearbox, its efficiency is not listed"
        return "warning", words, "gear-efficiency"
    if listed:
        return "warning", f"{product}: torque and speed constant disagree, and no single convention explains it", ""
    return "warning", f"Kt/Ke = {ratio:.2f}: losses or magnetic saturation are hidden in the torque constant", ""


def about_resistance(figure: str, ratio: float) -> tuple[str, str] | None:
    """Sentence and cause if a figure is off by the factor two between phase and line-to-line resistance."""
    if figure not in _WITH_RESISTANCE:
        return None
    actual = ratio ** _WITH_RESISTANCE[figure]
    if abs(actual / 2 - 1) < 0.06:
        return "implies twice the resistance: it is probably listed per phase, not line-to-line", "phase-resistance"
    if abs(actual * 2 - 1) < 0.06:
        return "implies half the resistance: it is probably listed line-to-line, not per phase", "line-resistance"
    return None


def about_ratio(figure: str, ratio: float, s: Solved) -> tuple[str, str] | None:
    """Sentence and cause for other ratios that are known."""
    say = s.sheet.conventions
    if figure == "no_load_speed" and s.how.get("ke", "").startswith("equal"):
        # the prediction stands on Kt alone, so listed over predicted is Kt/Ke
        other = mixed_ampere(say.torque_constant, ratio)
        if other is not None:
            words = f"Kt over the Ke of this speed is {ratio:.2f}: "
            words += f"the torque constant is probably per {_AMPERE_NAMES[other]} ampere"
            return words, f"{other}-ampere"
        return "Kt and this no-load speed belong to different voltages, revisions or conventions", ""
    if figure == "nominal_torque" and ratio < 1 and s.sheet.gear and s.figures.efficiency == 1:
        return f"the gearbox probably passes on {ratio:.0%}: its efficiency is not listed", "gear-efficiency"
    if figure == "nominal_torque" and ratio > 1:
        return "more than Kt times the net nominal current: torque and current belong to different conditions", ""
    return None
