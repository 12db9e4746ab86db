"""Datasheet to Motor."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from typing import Any

from ..errors import DatasheetError, ParameterError
from ..motor import (
    COPPER,
    Cogging,
    Coulomb,
    Drag,
    Friction,
    Gearbox,
    Harmonic,
    Limits,
    LoadDependent,
    LuGre,
    Magnet,
    Motor,
    Ratings,
    Rotor,
    Saturation,
    Stage,
    Stribeck,
    Winding,
)
from .conflict import conflicts
from .heat import AMBIENT, thermal_model
from .normalise import AMPERE
from .sheet import Datasheet
from .solve import Solved, solve


def derive(sheet: Datasheet, overrides: dict[str, Any]) -> Motor:
    """The motor a sheet describes, with some of its parts replaced."""
    parts = {f.name for f in fields(Motor)}
    for name in overrides:
        if name not in parts:
            raise DatasheetError(f"{sheet.label}: a motor has no {name}: override one of {', '.join(sorted(parts))}")
    s = solve(sheet)
    if missing := s.missing():
        raise DatasheetError(f"{sheet.label}: too few figures for a motor: {'; '.join(missing)}")
    for conflict in conflicts(s):
        raise DatasheetError(f"{sheet.label}, {conflict.where}: {conflict.fault}")
    try:
        return replace(_motor(s), **overrides)
    except ParameterError as error:
        raise DatasheetError(f"{sheet.label}: {error}") from None


def _motor(s: Solved) -> Motor:
    t = s.sheet.thermal
    reference = AMBIENT if t.reference_temperature is None else t.reference_temperature
    return Motor(
        name=s.sheet.name,
        winding=Winding(
            resistance=s.resistance,
            inductance=s.inductance or 0.0,
            temperature_coefficient=COPPER if t.temperature_coefficient is None else t.temperature_coefficient,
            reference_temperature=reference,
        ),
        magnet=Magnet(
            torque_constant=s.kt,
            back_emf_constant=s.ke,
            temperature_coefficient=t.magnet_temperature_coefficient or 0.0,
            reference_temperature=reference,
            iron_loss=s.figures.iron_loss,
            saturation=_saturation(s.sheet),
        ),
        rotor=None if s.inertia is None else Rotor(inertia=s.inertia),
        thermal=thermal_model(t),
        friction=_friction(s),
        drag=Drag(coefficients=s.drag) if any(s.drag) else None,
        cogging=_cogging(s.sheet),
        gearbox=_gearbox(s.sheet),
        limits=_limits(s.sheet),
        ratings=_ratings(s),
    )


def _friction(s: Solved) -> Friction | None:
    """LuGre with bristles, a Stribeck curve with stiction alone, else Coulomb; the viscous part is the motor's drag."""
    f, coulomb = s.figures, s.coulomb
    if f.stiction is not None and coulomb is not None and f.stribeck_velocity is not None:
        if f.stiffness is not None:
            return LuGre(
                coulomb=coulomb,
                stiction=f.stiction,
                stribeck_velocity=f.stribeck_velocity,
                stiffness=f.stiffness,
                damping=f.damping or 0.0,
            )
        fading = Stribeck(velocity=f.stribeck_velocity, coulomb=f.stiction - coulomb)
        return LoadDependent(coulomb=coulomb, stribeck=fading)
    return Coulomb(coulomb=coulomb) if coulomb else None


def _saturation(sheet: Datasheet) -> Saturation | None:
    given, say = sheet.saturation, sheet.conventions
    if given.knee_current is None or given.scale is None or given.torque is None:
        return None
    ampere = AMPERE[say.current or say.torque_constant]
    return Saturation(knee_current=given.knee_current * ampere, scale=given.scale / ampere, torque=given.torque)


def _cogging(sheet: Datasheet) -> Cogging | None:
    harmonics = tuple(
        Harmonic(amplitude=h.amplitude, periodicity=h.periodicity, phase=h.phase or 0.0)
        for h in sheet.cogging
        if h.amplitude is not None and h.periodicity is not None
    )
    return Cogging(harmonics=harmonics) if harmonics else None


def _gearbox(sheet: Datasheet) -> Gearbox | None:
    if not sheet.gear:
        return None
    stages = tuple(
        Stage(
            ratio=g.ratio,
            efficiency=g.efficiency or 1.0,
            back_efficiency=g.back_efficiency,
            inertia=g.inertia or 0.0,
        )
        for g in sheet.gear
    )
    # the play of an early stage shrinks with every later reduction
    play = sum((g.backlash or 0.0) / later for g, later in zip(sheet.gear, _later(sheet), strict=True))
    return Gearbox(stages=stages, backlash=play or None)


def _later(sheet: Datasheet) -> list[float]:
    """For each stage the reduction that follows it."""
    return [math.prod(abs(g.ratio or 1.0) for g in sheet.gear[i + 1 :]) for i in range(len(sheet.gear))]


def gear_ratings(sheet: Datasheet) -> dict[str, float | None]:
    """Permissible torque and peak torque at the output [N·m] and speed at the motor [rad/s], the weakest stage each."""
    torques, peaks, speeds = [], [], []
    before = 1.0
    for g, later in zip(sheet.gear, _later(sheet), strict=True):
        torques += [g.torque * later] if g.torque is not None else []
        peaks += [g.peak_torque * later] if g.peak_torque is not None else []
        speeds += [g.max_input_speed * before] if g.max_input_speed is not None else []
        before *= abs(g.ratio or 1.0)
    return {
        "gear_torque": min(torques, default=None),
        "gear_peak_torque": min(peaks, default=None),
        "gear_input_speed": min(speeds, default=None),
    }


def _limits(sheet: Datasheet) -> Limits | None:
    given, say = sheet.limits.given(), sheet.conventions
    ampere = AMPERE[say.current or say.torque_constant]
    if not given:
        return None
    return Limits(**{key: value * ampere if "current" in key else value for key, value in given.items()})


def _ratings(s: Solved) -> Ratings | None:
    f = s.figures
    ratings = {
        "voltage": f.nominal_voltage,
        "current": f.nominal_current,
        "peak_current": f.peak_current,
        "winding_temperature": s.sheet.thermal.max_winding_temperature,
        "speed": f.max_speed,
        **gear_ratings(s.sheet),
    }
    return Ratings(**ratings) if any(value is not None for value in ratings.values()) else None
