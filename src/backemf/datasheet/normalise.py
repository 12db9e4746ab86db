"""A sheet's figures brought to one convention: at the motor, line-to-line, in DC-equivalent amperes.

Why the factors are what they are. A three-phase motor has a phase EMF of peak E = ke·w, hence a line-to-line EMF of
peak √3·E = Ke·w, which is what the bus voltage is held against and what 1/Kv means. Power balance with a sine current
of peak I in each phase, in phase with the EMF, gives torque·w = 3/2·E·I, so

    Kt per peak-phase (q-axis) ampere = 3/2·ke = (√3/2)·Ke    and per RMS ampere √2 times that = √(3/2)·Ke.

The DC-equivalent motor has Kt = Ke, the line-to-line resistance 2·R_phase, and the current i with the same torque:
i = (√3/2)·I = √(3/2)·I_rms. Its copper loss 2·R_phase·i² = 3/2·R_phase·I² is that of the three phases: both torque and
heat are kept.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from .figures import GearStage
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
        return self.grown * (self.coulomb or 0.0)

    @property
    def grown(self) -> float:
        """How much friction grows in a free motor by being its own load [1]."""
        return 1.0 / (1.0 - (self.load_drive or 0.0))

    def drag_torque(self, speed: float, drag: tuple[float, ...]) -> float:
        """Drag of the free motor at a speed [N·m]; its viscous part rubs in the gears and adds to their load."""
        return sum(b * speed**n * (self.grown if n == 1 else 1.0) for n, b in enumerate(drag, start=1))

    @property
    def passed_share(self) -> float:
        """Torque that load-dependent friction lets through to the load, of what the motor has beyond its losses [1]."""
        return (1.0 - (self.load_drive or 0.0)) / (1.0 + (self.load_back or 0.0))

    def has(self, *names: str) -> bool:
        """Whether all these figures are given."""
        return all(getattr(self, name) is not None for name in names)


FIGURES = tuple(f.name for f in fields(Figures))


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def gear_ratio(stages: tuple[GearStage, ...]) -> float:
    """Size of the whole reduction."""
    return math.prod(abs(stage.ratio or 1.0) for stage in stages)


def normalise(sheet: Datasheet) -> Figures:
    """Bring every figure of a sheet to the motor's side and to DC-equivalent amperes."""
    e, m, f, say = sheet.electrical, sheet.mechanical, sheet.friction, sheet.conventions
    n = gear_ratio(sheet.gear)
    eta = math.prod(stage.efficiency or 1.0 for stage in sheet.gear)
    gain = {"motor": 1.0, "output": 1.0 / (n * eta)}
    faster = {"motor": 1.0, "output": n}
    ampere = AMPERE[say.current or say.torque_constant]
    terminal = _TERMINAL[say.resistance]
    torque, speed = gain[say.figures_at], faster[say.figures_at]
    rub = 1.0 / faster[say.friction_at]
    constant = faster[say.constants_at]
    ke = e.ke if e.ke is not None else (None if e.kv is None else 1.0 / e.kv)
    drag = (f.viscous or 0.0, *f.drag) if f.viscous or f.drag else ()
    return Figures(
        nominal_voltage=e.nominal_voltage,
        resistance=_times(e.resistance, terminal),
        inductance=_times(e.inductance, _TERMINAL[say.inductance or say.resistance]),
        electrical_time_constant=e.electrical_time_constant,
        kt=_times(e.kt, gain[say.constants_at] / AMPERE[say.torque_constant]),
        ke=_times(ke, 1.0 / constant),
        no_load_current=_times(e.no_load_current, ampere),
        nominal_current=_times(e.nominal_current, ampere),
        stall_current=_times(e.stall_current, ampere),
        peak_current=_times(sheet.peak.current, ampere),
        no_load_speed=_times(m.no_load_speed, speed),
        nominal_speed=_times(m.nominal_speed, speed),
        max_speed=_times(m.max_speed, speed),
        rated_speed=sheet.thermal.rated_speed,
        nominal_torque=_times(m.nominal_torque, torque),
        stall_torque=_times(m.stall_torque, torque),
        peak_torque=_times(sheet.peak.torque, gain[say.peak_at or say.figures_at]),
        nominal_power=m.nominal_power,
        max_efficiency=m.max_efficiency,
        speed_torque_gradient=_times(m.speed_torque_gradient, constant / gain[say.constants_at]),
        mechanical_time_constant=m.mechanical_time_constant,
        inertia=_times(m.inertia, 1.0 / faster[say.inertia_at] ** 2),
        coulomb=_times(f.coulomb, rub),
        stiction=_times(f.stiction, rub),
        drag=tuple(b * rub ** (order + 1) for order, b in enumerate(drag, start=1)),
        stribeck_velocity=_times(f.stribeck_velocity, 1.0 / rub),
        stiffness=_times(f.stiffness, rub**2),
        damping=_times(f.damping, rub**2),
        stribeck_exponent=f.stribeck_exponent,
        damping_exponent=f.damping_exponent,
        load_drive=f.load_drive,
        load_back=f.load_back,
        stribeck_load_drive=f.stribeck_load_drive,
        stribeck_load_back=f.stribeck_load_back,
        # F = K·τ² at the output is F/n = (K·n)·(τ/n)² at the motor
        quadratic_drive=_times(f.quadratic_drive, 1.0 / rub),
        quadratic_back=_times(f.quadratic_back, 1.0 / rub),
        iron_loss=f.iron_loss or 0.0,
        ratio=n,
        efficiency=eta,
    )
