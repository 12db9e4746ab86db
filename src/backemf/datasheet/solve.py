"""Figures to constants: any sufficient subset of a sheet gives R, Kt, Ke and what else the motor is made of."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from .figures import nodes
from .normalise import Figures, normalise
from .sheet import Datasheet

TORQUES = ("peak_torque", "stall_torque", "nominal_torque")
"""Figures that limit the torque where there is no winding, the first that is given."""


@dataclass
class Solved:
    """The constants of the DC-equivalent motor as far as a sheet gives them, and where each comes from."""

    sheet: Datasheet
    figures: Figures
    resistance: float | None = None
    kt: float | None = None
    ke: float | None = None
    inductance: float | None = None
    inertia: float | None = None
    coulomb: float | None = None
    drag: tuple[float, ...] = ()
    used: set[str] = field(default_factory=set)
    """The figures that went into the constants: comparing them with a prediction would prove nothing."""
    how: dict[str, str] = field(default_factory=dict)
    """In words, where each constant comes from."""

    def take(self, constant: str, value: float | tuple[float, ...], why: str, *used: str) -> None:
        """Set one constant, with the figures it comes from."""
        setattr(self, constant, value)
        self.used.update(used)
        self.how[constant] = why

    def missing(self) -> list[str]:
        """Figures that would complete the sheet; empty if it gives a motor."""
        parts = []
        if self.kt is None or self.ke is None:
            parts.append(
                "the motor constant needs kt, ke or kv, or nominal_voltage with no_load_speed, or stall_torque with "
                "stall_current"
            )
        if self.resistance is None:
            parts.append("the winding needs resistance, or nominal_voltage with stall_current or stall_torque")
        return parts

    def loss(self, speed: float) -> float:
        """Friction, drag and iron loss torque of the free motor at a speed [N·m]."""
        f = self.figures
        dry = (self.coulomb or 0.0) if f.coulomb is None else f.free_friction
        return dry + f.drag_torque(speed, self.drag) + f.iron_loss * speed


def solve(sheet: Datasheet, figures: Figures | None = None) -> Solved:
    """Find every constant the figures allow, the most direct way first; `figures` stand in for those of the sheet."""
    s = Solved(sheet, figures or normalise(sheet))
    _direct(s)
    _torque_constant_from_stall(s)
    _back_emf_from_no_load(s)
    _torque_constant_from_nominal(s)
    _equal_constants(s)
    _from_gradient_and_time_constant(s)
    _resistance_from_stall_torque(s)
    _from_time_constants(s)
    _friction(s)
    return s


def _direct(s: Solved) -> None:
    f = s.figures
    for name in ("resistance", "kt", "inductance", "inertia"):
        if f.has(name):
            s.take(name, getattr(f, name), "as listed", name)
    if s.resistance is None and f.nominal_voltage is not None and f.stall_current is not None:
        used = ("nominal_voltage", "stall_current")
        s.take("resistance", f.nominal_voltage / f.stall_current, "nominal voltage / stall current", *used)
    if f.ke is not None:
        s.take("ke", f.ke, "as listed" if s.sheet.electrical.ke is not None else "1 / kv", "ke", "kv")


def _torque_constant_from_stall(s: Solved) -> None:
    f = s.figures
    if s.kt is not None or f.stall_torque is None:
        return
    if f.stall_current is not None:
        # beside a resistance the stall current is still compared, with nominal voltage / resistance
        used = ("stall_torque",) if s.resistance is not None else ("stall_torque", "stall_current")
        s.take("kt", f.stall_torque / f.stall_current, "stall torque / stall current", *used)
    elif s.resistance is not None and f.nominal_voltage is not None:
        kt = f.stall_torque * s.resistance / f.nominal_voltage
        s.take("kt", kt, "stall torque · resistance / nominal voltage", "stall_torque")


def _back_emf_from_no_load(s: Solved) -> None:
    """v = R·i + Ke·w0 for the free motor, where i carries the friction: Kt·i = coulomb + drag(w0)."""
    f = s.figures
    # a listed torque constant is the better witness: no-load speeds may be capped by electronics
    v, w0 = f.nominal_voltage, f.no_load_speed
    if s.ke is not None or f.kt is not None or v is None or w0 is None:
        return
    rub = f.free_friction + f.drag_torque(w0, f.drag) + f.iron_loss * w0
    ke, why = _ke_without_load(s, v, w0, rub)
    s.take("ke", ke if ke > 0 else v / w0, why if ke > 0 else "nominal voltage / no-load speed", "no_load_speed")


def _ke_without_load(s: Solved, v: float, w0: float, rub: float) -> tuple[float, str]:
    """Ke from the no-load speed, corrected for friction and drag, and how it was found."""
    f, r = s.figures, s.resistance
    if f.no_load_current is not None and r is not None:
        return (v - r * f.no_load_current) / w0, "no-load speed, corrected for the no-load current"
    if f.no_load_current is not None and f.stall_torque is not None and s.kt is None:
        # R = Ke·v/τ0 unknown itself: v = Ke·w0 + Ke·v/τ0·i0
        return v / (w0 + v * f.no_load_current / f.stall_torque), "no-load speed, stall torque and no-load current"
    if rub > 0 and r is not None:
        if s.kt is not None:
            return (v - r * rub / s.kt) / w0, "no-load speed, corrected for drag"
        # Kt = Ke: Ke·w0 + R·rub/Ke = v
        root = v * v - 4 * r * rub * w0
        return (v + math.sqrt(root)) / (2 * w0) if root > 0 else -1.0, "no-load speed, corrected for drag"
    if rub > 0 and f.stall_torque is not None:
        return v / w0 * (1 - rub / f.stall_torque), "no-load speed and stall torque, corrected for drag"
    return v / w0, "nominal voltage / no-load speed"


def _torque_constant_from_nominal(s: Solved) -> None:
    """The last witness of Kt, kept apart from a Ke that is only the no-load speed's."""
    f = s.figures
    if s.kt is not None or f.ke is not None or f.nominal_torque is None or f.nominal_current is None:
        return
    net = f.nominal_current - (f.no_load_current or 0.0)
    if net > 0:
        used = ("nominal_torque", "nominal_current")
        s.take("kt", f.nominal_torque / net, "nominal torque / (nominal - no-load current)", *used)


def _equal_constants(s: Solved) -> None:
    if s.kt is None and s.ke is not None:
        s.take("kt", s.ke, "equal to Ke")
    elif s.ke is None and s.kt is not None:
        s.take("ke", s.kt, "equal to Kt")


def _from_gradient_and_time_constant(s: Solved) -> None:
    """R/(Kt·Ke) is the gradient, and over the inertia the mechanical time constant: either gives K or R."""
    f = s.figures
    gradient, used = f.speed_torque_gradient, "speed_torque_gradient"
    if gradient is None and f.mechanical_time_constant is not None and f.inertia is not None:
        gradient, used = f.mechanical_time_constant / f.inertia, "mechanical_time_constant"
    if gradient is None:
        return
    if s.kt is None and s.resistance is not None:
        s.take("kt", math.sqrt(s.resistance / gradient), "resistance and " + used.replace("_", " "), used)
        _equal_constants(s)
    elif s.resistance is None and s.kt is not None and s.ke is not None and s.figures.stall_torque is None:
        s.take("resistance", gradient * s.kt * s.ke, used.replace("_", " ") + " · Kt·Ke", used)


def _resistance_from_stall_torque(s: Solved) -> None:
    f = s.figures
    if s.resistance is None and s.kt is not None and f.stall_torque is not None and f.nominal_voltage is not None:
        r = s.kt * f.nominal_voltage / f.stall_torque
        s.take("resistance", r, "Kt · nominal voltage / stall torque", "nominal_voltage", "stall_torque")


def _from_time_constants(s: Solved) -> None:
    """Inductance and inertia, where they are not listed."""
    electrical, mechanical = s.figures.electrical_time_constant, s.figures.mechanical_time_constant
    if s.resistance is None:
        return
    if s.inductance is None and electrical is not None:
        why = "electrical time constant · resistance"
        s.take("inductance", electrical * s.resistance, why, "electrical_time_constant")
    if s.inertia is None and mechanical is not None and s.kt is not None and s.ke is not None:
        value = mechanical * s.kt * s.ke / s.resistance
        s.take("inertia", value, "mechanical time constant · Kt·Ke / R", "mechanical_time_constant")


def _friction(s: Solved) -> None:
    """Friction as listed; what is missing of Coulomb and viscous from the no-load current, Kt·i0 = coulomb + B·w0."""
    f = s.figures
    s.coulomb, s.drag = f.coulomb, f.drag
    if f.coulomb is not None:
        s.how["coulomb"] = "as listed"
    if f.drag:
        s.how["drag"] = "as listed"
    if f.no_load_current is None or s.kt is None:
        return
    total, w0 = s.kt * f.no_load_current, _free_speed(s)
    if f.coulomb is None:
        rest = total - (sum(b * w0**n for n, b in enumerate(f.drag, start=1)) + f.iron_loss * w0 if w0 else 0.0)
        if f.stiction is None and rest > 0:
            s.take("coulomb", rest, "Kt · no-load current" + (" - drag" if f.drag else ""), "no_load_current")
    elif not f.drag and w0 and total - f.free_friction > 0.1 * total:
        why = "what the no-load current needs beyond Coulomb friction"
        s.take("drag", ((total - f.free_friction) / (w0 * f.self_load),), why, "no_load_current")


def _free_speed(s: Solved) -> float | None:
    f = s.figures
    if f.no_load_speed is not None:
        return f.no_load_speed
    return f.nominal_voltage / s.ke if f.nominal_voltage is not None and s.ke else None


def completeness(s: Solved) -> str:
    """How complete a sheet is, in two words."""
    if s.missing():
        # an actuator of limits alone does not know that it is linear
        limited = s.sheet.motion == "rotary" and any(s.figures.has(name) for name in TORQUES)
        return "limits only" if limited else "too little"
    return "partial motor" if lacking(s) else "whole motor"


def lacking(s: Solved) -> list[str]:
    """What a sheet with a winding does not give of the motor."""
    single, winding, housing = (node.pair() for node in nodes(s.sheet.thermal))
    parts = {
        "rotor inertia": s.inertia is not None,
        "friction": bool(s.coulomb or s.drag),
        "heat": bool(single or (winding and housing)),
    }
    return [name for name, known in parts.items() if not known]
