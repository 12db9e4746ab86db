"""Datasheet to Motor."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from ..errors import DatasheetError, ParameterError
from ..motor import (
    COPPER,
    Cogging,
    Gearbox,
    Harmonic,
    Limits,
    Magnet,
    Motor,
    Ratings,
    Rotor,
    Saturation,
    Stage,
    Winding,
)
from ..units import format_quantity
from ..values import Foreign
from .conflict import conflicts
from .estimate import estimates, with_estimates
from .friction import drag_model, friction_model
from .heat import AMBIENT, thermal_model
from .normalise import AMPERE, gear_ratings, later_ratios
from .sheet import Datasheet
from .solve import Solved


def derive(s: Solved, overrides: dict[str, Foreign], estimate: bool = False) -> Motor:
    """The motor that a sheet describes, with some of its parts replaced; `estimate` fills in what it does not give."""
    sheet = s.sheet
    parts = {f.name for f in fields(Motor)} - {"estimates"}
    for name in overrides:
        if name not in parts:
            raise DatasheetError(f"{sheet.label}: a motor has no {name}: override one of {', '.join(sorted(parts))}")
    if estimate and sheet.motion == "linear":
        raise DatasheetError(
            f"{sheet.label}: only rotary motors can be estimated, and this one is linear: leave it out"
        )
    if missing := s.missing():
        raise DatasheetError(f"{sheet.label}: too few figures for a motor: {'; '.join(missing)}")
    for table, found in conflicts(s):
        listed = format_quantity(found.listed or 0.0, found.unit)
        raise DatasheetError(f"{sheet.label}, [{table}] {found.figure} = {listed}: {found.explanation}")
    made = estimates(s) if estimate else []
    try:
        motor = replace(_motor(with_estimates(s, made)), estimates=tuple(made), **overrides)
        return replace(motor, estimates=motor.valid_estimates) if made else motor
    except ParameterError as error:
        raise DatasheetError(f"{sheet.label}: {error}") from None


def _motor(s: Solved) -> Motor:
    t = s.sheet.thermal
    # what is missing its part will say
    given: Any = s
    reference = AMBIENT if t.reference_temperature is None else t.reference_temperature
    return Motor(
        name=s.sheet.name,
        motion=s.sheet.motion,
        winding=Winding(
            resistance=given.resistance,
            inductance=s.inductance or 0.0,
            temperature_coefficient=COPPER if t.temperature_coefficient is None else t.temperature_coefficient,
            reference_temperature=reference,
        ),
        magnet=Magnet(
            torque_constant=given.kt,
            back_emf_constant=given.ke,
            temperature_coefficient=t.magnet_temperature_coefficient or 0.0,
            reference_temperature=reference,
            iron_loss=s.figures.iron_loss,
            saturation=_saturation(s.sheet),
        ),
        rotor=None if s.inertia is None else Rotor(inertia=s.inertia),
        thermal=thermal_model(t),
        friction=friction_model(s),
        drag=drag_model(s),
        cogging=cogging_model(s),
        gearbox=_gearbox(s.sheet),
        limits=_limits(s),
        ratings=_ratings(s),
    )


def _saturation(sheet: Datasheet) -> Saturation | None:
    given, say = sheet.saturation, sheet.conventions
    if given.knee_current is None or given.scale is None or given.torque is None:
        return None
    ampere = AMPERE[say.current or say.torque_constant]
    return Saturation(knee_current=given.knee_current * ampere, scale=given.scale / ampere, torque=given.torque)


def cogging_model(s: Solved) -> Cogging | None:
    """One harmonic each, its amplitude from a share of the nominal torque at the motor where that is given."""
    rated = s.figures.nominal_torque or 0.0
    harmonics = tuple(
        Harmonic(
            amplitude=(h.share or 0.0) * rated if h.amplitude is None else h.amplitude,
            periodicity=h.periods,
            phase=h.phase or 0.0,
        )
        for h in s.sheet.cogging
    )
    return Cogging(harmonics=harmonics) if harmonics else None


def _gearbox(sheet: Datasheet) -> Gearbox | None:
    if not sheet.gear:
        return None
    gears: tuple[Any, ...] = sheet.gear
    stages = tuple(
        Stage(
            ratio=g.ratio, efficiency=g.efficiency or 1.0, back_efficiency=g.back_efficiency, inertia=g.inertia or 0.0
        )
        for g in gears
    )
    # the backlash of an early stage shrinks with every later reduction
    backlash = sum((g.backlash or 0.0) / later for g, later in zip(sheet.gear, later_ratios(sheet), strict=True))
    return Gearbox(stages=stages, backlash=backlash)


def _limits(s: Solved) -> Limits | None:
    """What the drive enforces: as given, else the maker's peak, which a drive made for this motor does not exceed."""
    given, say = s.sheet.limits.entries(), s.sheet.conventions
    ampere = AMPERE[say.current or say.torque_constant]
    values = {key: value * ampere if "current" in key else value for key, value in given.items()}
    peak = peak_current(s)
    if peak is not None and "peak_current" not in values and "continuous_current" not in values:
        values["peak_current"] = peak
    return Limits(**values) if values else None


def peak_current(s: Solved) -> float | None:
    """The largest short current [A]: as printed, or that of the printed peak torque, whichever is less."""
    f, saturation = s.figures, _saturation(s.sheet)
    found = [] if f.peak_current is None else [f.peak_current]
    if f.peak_torque is not None and s.kt is not None:
        current = f.peak_torque / s.kt
        if saturation is not None and current > saturation.knee_current:
            # the torque beyond the knee, torque·log2(1 + scale·(i - knee)), solved for i
            beyond = (f.peak_torque - s.kt * saturation.knee_current) / saturation.torque
            current = saturation.knee_current + (2.0**beyond - 1.0) / saturation.scale
        found.append(current)
    return min(found, default=None)


def _ratings(s: Solved) -> Ratings | None:
    f = s.figures
    ratings = {
        "voltage": f.nominal_voltage,
        "current": f.nominal_current,
        "peak_current": peak_current(s) if f.peak_current is None else f.peak_current,
        "peak_duration": s.sheet.peak.duration,
        "winding_temperature": s.sheet.thermal.max_winding_temperature,
        "speed": f.max_speed,
        **gear_ratings(s.sheet),
    }
    return Ratings(**ratings) if any(value is not None for value in ratings.values()) else None
