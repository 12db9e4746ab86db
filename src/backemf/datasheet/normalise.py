"""A sheet's figures in one convention: at the motor, line-to-line, in DC-equivalent amperes.

Why the factors are what they are. A three-phase motor has a phase EMF of peak E = ke·w, hence a line-to-line EMF of
peak √3·E = Ke·w, which is what the bus voltage has to exceed and what 1/Kv means. Power balance with a sine current
of peak I in each phase, in phase with the EMF, gives torque·w = 3/2·E·I, so

    Kt per peak-phase (q-axis) ampere = 3/2·ke = (√3/2)·Ke    and per RMS ampere √2 times that = √(3/2)·Ke.

The DC-equivalent motor has Kt = Ke, the line-to-line resistance 2·R_phase, and the current i with the same torque:
i = (√3/2)·I = √(3/2)·I_rms. Its copper loss 2·R_phase·i² = 3/2·R_phase·I² is that of the three phases: both torque and
heat are kept.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

from .sheet import Datasheet

AMPERE = {"dc": 1.0, "peak-phase": math.sqrt(3) / 2, "rms": math.sqrt(3 / 2)}
"""Torque per such an ampere over torque per DC ampere; also DC amperes per such an ampere."""
_TERMINAL = {"line-to-line": 1.0, "phase": 2.0}


@dataclass(frozen=True, kw_only=True)
class Figures:
    """The figures of a sheet in SI, at the motor, line-to-line, in DC-equivalent amperes; None: not given."""

    nominal_voltage: float | None
    resistance: float | None
    inductance: float | None
    electrical_time_constant: float | None
    kt: float | None
    ke: float | None
    no_load_current: float | None
    nominal_current: float | None
    stall_current: float | None
    peak_current: float | None
    no_load_speed: float | None
    nominal_speed: float | None
    max_speed: float | None
    rated_speed: float | None
    nominal_torque: float | None
    stall_torque: float | None
    peak_torque: float | None
    nominal_power: float | None
    max_efficiency: float | None
    speed_torque_gradient: float | None
    mechanical_time_constant: float | None
    inertia: float | None
    coulomb: float | None
    stiction: float | None
    drag: tuple[float, ...]
    """B1, B2, ... of the viscous drag."""
    stribeck_velocity: float | None
    stribeck_exponent: float | None
    stiffness: float | None
    damping: float | None
    damping_exponent: float | None
    load_drive: float | None
    load_back: float | None
    stribeck_load_drive: float | None
    stribeck_load_back: float | None
    quadratic_drive: float | None
    quadratic_back: float | None
    iron_loss: float
    ratio: float
    """Motor speed over output speed, 1 without a gearbox."""
    efficiency: float
    """Of the whole gearbox, 1 where it is not given."""

    @property
    def free_friction(self) -> float:
        """Dry friction of the free motor when sliding [N·m], which adds to its own load: F = coulomb + load_drive·F."""
        return self.self_load * (self.coulomb or 0.0)

    @property
    def self_load(self) -> float:
        """Factor by which friction grows in a free motor, since it is its own load [1]."""
        return 1.0 / (1.0 - (self.load_drive or 0.0))

    def drag_torque(self, speed: float, drag: tuple[float, ...]) -> float:
        """Drag of the free motor at a speed [N·m]; its viscous part acts in the gears and adds to their load."""
        return sum(b * speed**n * (self.self_load if n == 1 else 1.0) for n, b in enumerate(drag, start=1))

    @property
    def passed_share(self) -> float:
        """Torque that load-dependent friction lets through to the load, of what the motor has beyond its losses [1]."""
        return (1.0 - (self.load_drive or 0.0)) / (1.0 + (self.load_back or 0.0))

    def has(self, *names: str) -> bool:
        """Whether all these figures are given."""
        return all(getattr(self, name) is not None for name in names)


_NAMES = {f.name for f in fields(Figures)}


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def normalise(sheet: Datasheet) -> Figures:
    """Bring every figure of a sheet to the motor's side and to DC-equivalent amperes."""
    e, m, f, say = sheet.electrical, sheet.mechanical, sheet.friction, sheet.conventions
    n = math.prod(abs(stage.ratio or 1.0) for stage in sheet.gear)
    eta = math.prod(stage.efficiency or 1.0 for stage in sheet.gear)
    gain = {"motor": 1.0, "output": 1.0 / (n * eta)}
    faster = {"motor": 1.0, "output": n}
    ampere = AMPERE[say.current or say.torque_constant]
    rub = 1.0 / faster[say.friction_at]
    constant = faster[say.constants_at]
    factors = {
        "resistance": _TERMINAL[say.resistance],
        "inductance": _TERMINAL[say.inductance or say.resistance],
        "kt": gain[say.constants_at] / AMPERE[say.torque_constant],
        "ke": 1.0 / constant,
        "speed_torque_gradient": constant / gain[say.constants_at],
        "inertia": 1.0 / faster[say.inertia_at] ** 2,
        **dict.fromkeys(("no_load_current", "nominal_current", "stall_current"), ampere),
        **dict.fromkeys(("no_load_speed", "nominal_speed", "max_speed"), faster[say.figures_at]),
        **dict.fromkeys(("nominal_torque", "stall_torque"), gain[say.figures_at]),
        **dict.fromkeys(("coulomb", "stiction"), rub),
        **dict.fromkeys(("stiffness", "damping"), rub**2),
        # F = K·τ² at the output is F/n = (K·n)·(τ/n)² at the motor
        **dict.fromkeys(("stribeck_velocity", "quadratic_drive", "quadratic_back"), 1.0 / rub),
    }
    figures = {name: value for table in (e, m, f) for name, value in vars(table).items() if name in _NAMES}
    if e.ke is None and e.kv is not None:
        figures["ke"] = 1.0 / e.kv
    drag = (f.viscous or 0.0, *f.drag) if f.viscous or f.drag else ()
    known: dict[str, Any] = {
        **{name: _times(value, factors.get(name, 1.0)) for name, value in figures.items() if name != "drag"},
        "peak_current": _times(sheet.peak.current, ampere),
        "peak_torque": _times(sheet.peak.torque, gain[say.peak_at or say.figures_at]),
        "rated_speed": sheet.thermal.rated_speed,
        "iron_loss": f.iron_loss or 0.0,
        "drag": tuple(b * rub ** (order + 1) for order, b in enumerate(drag, start=1)),
    }
    return Figures(**known, ratio=n, efficiency=eta)


def later_ratios(sheet: Datasheet) -> list[float]:
    """For each stage the reduction that follows it."""
    return [math.prod(abs(g.ratio or 1.0) for g in sheet.gear[i + 1 :]) for i in range(len(sheet.gear))]


def gear_ratings(sheet: Datasheet) -> dict[str, float | None]:
    """Permissible torque and peak torque at the output [N·m] and speed at the motor [rad/s], the weakest stage each."""
    later = later_ratios(sheet)
    before = [math.prod(abs(g.ratio or 1.0) for g in sheet.gear[:i]) for i in range(len(sheet.gear))]

    def weakest(name: str, factors: list[float]) -> float | None:
        values = ((getattr(g, name), factor) for g, factor in zip(sheet.gear, factors, strict=True))
        return min((value * factor for value, factor in values if value is not None), default=None)

    return {
        "gear_torque": weakest("torque", later),
        "gear_peak_torque": weakest("peak_torque", later),
        "gear_input_speed": weakest("max_input_speed", before),
    }
