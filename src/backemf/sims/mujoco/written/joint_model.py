"""A motor at the joint's side of its gears, as the numbers of MuJoCo's `dcmotor`.

MuJoCo has one motor constant K. With `keep="line"`, K and R are chosen so that the line from stall to no load is that
of the motor while it drives. At a joint speed w, with gears N of efficiency η,

    τ = η·N·Kt·(v - N·Ke·w)/R  =  K'/R'·(v - K'·w)      with  K' = N·Ke,  R' = R/s,  s = η·Kt/Ke

so that both the stall torque η·N·Kt·v/R and the ideal no-load speed v/(N·Ke) are right. The current in MuJoCo is then
i' = (v - K'·w)/R' = s·i, and what hangs on it scales along:

    te = L/R = L'/R'                                     the current follows as fast: te is what is written
    R'·i'² = s·R·i²,  Rth' = Rth/s,  C' = s·C            the same temperature rise from s times the heat
    di/dt' = s·di/dt                                     the limit of the current's rate
    τmax = K'·s·imax = η·N·Kt·imax                       the torque at the current limit

With Kt = Ke and no gear loss, s = 1 and nothing is scaled. `keep="constants"` writes N·Kt and N·Ke, of which MuJoCo
makes N·√(Kt·Ke), and leaves the gear loss out.

The rest reflects as it does in our own motor: drag of order n with N^(n+1), bristle stiffness and damping with N²,
friction torques and cogging with N, its periodicity with N, the Stribeck speed with 1/N, inertia with N². MuJoCo's own
`gear` would multiply drag of every order by its square, and until 3.11 compares position and velocity targets with
gear times the joint's, so that it stays at 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from ....actuator import Actuator
from ....checks import Maybe, Number
from ....errors import ParameterError
from ....motor import Coulomb, Dahl, LoadDependent, LuGre, Motor, TwoNodeThermal, heat_mark, mark
from ....parts import acts
from ...digits import EXACT, digits_or
from ...joint import inertia_mark, ratio_of, single
from ...text import Figure
from .one_node import TEN_MINUTES, one_node_of

AT_JOINT = "at the joint"
BACKLASH = "_backlash"
"""Suffix of the name of the hinge that represents backlash, after the joint's name."""


class Constants(NamedTuple):
    """MuJoCo's winding: what the controllers need of it."""

    motor_constant: float
    """K' [N·m/A] at the joint."""
    resistance: float
    """R' [Ω]."""
    share: float
    """MuJoCo's current over the motor's [1]."""
    efficiency: float
    """Of the gears while the motor drives, where it is folded into the constants; else 1 [1]."""


NEUTRAL = Constants(1.0, 1.0, 1.0, 1.0)


@dataclass(kw_only=True)
class Draft:
    """What is about to be written."""

    actuator: Actuator
    version: str
    timestep: float
    """Physics step of the model that it goes into [s]."""
    tag: str = "dcmotor"
    """The element that it becomes."""
    attributes: dict[str, Figure] = field(default_factory=dict)
    """Of the element."""
    history: dict[str, Figure] = field(default_factory=dict)
    """Of the element too: its delay."""
    joint: dict[str, Figure] = field(default_factory=dict)
    """Of the `<joint>`."""
    kept: dict[str, str] = field(default_factory=dict)
    """Phenomena that MuJoCo holds, and how it approximates them."""
    notes: list[str] = field(default_factory=list)


@dataclass(kw_only=True)
class MotorDraft(Draft):
    """The same of an actuator with a motor."""

    motor: Motor
    constants: Constants = NEUTRAL
    """MuJoCo's winding."""


def tidy(value: float, beside: float = 0.0) -> float:
    """A number with the digits that are written; what is left of a difference counts beside its parts."""
    size, digits = max(abs(value), abs(beside)), digits_or(EXACT)
    if not math.isfinite(value):
        raise ParameterError(f"{value}: a model holds finite numbers; look for a gear ratio or a gain that is far off")
    if abs(beside) <= abs(value) or size == 0.0:
        return float(f"{value:.{digits}g}") + 0.0
    return round(value, digits - 1 - math.floor(math.log10(size))) + 0.0


def row(values: Number | Sequence[Number], unit: str, source: str) -> Figure:
    """A row of numbers as they are written, with unit and source."""
    numbers = values if isinstance(values, (tuple, list)) else (values,)
    return Figure(tuple(tidy(single(source, cast(Number, number))) for number in numbers), unit, source)


def gear_factor(n: float) -> str:
    """The gear as the first part of a source."""
    return "" if n == 1.0 else f"gear {n:g} · "


def electric(draft: MotorDraft, keep: str) -> None:
    """Winding and magnet: motor constant, resistance and time constant."""
    motor = draft.motor
    n, kt, ke = (
        ratio_of(motor),
        single("Kt", motor.magnet.torque_constant),
        single("Ke", motor.magnet.back_emf_constant),
    )
    ohms = single("Winding.resistance", motor.winding.resistance)
    share = efficiency = 1.0
    numbers, source = (n * ke,), f"{gear_factor(n)}Magnet.back_emf_constant {ke:g} V·s/rad"
    if keep == "line":
        efficiency = 1.0 if motor.gearbox is None else single("Gearbox.efficiency", motor.gearbox.efficiency)
        share = efficiency * (kt / ke)
    elif kt != ke:
        numbers, source = (n * kt, n * ke), f"{gear_factor(n)}Magnet.torque_constant and Magnet.back_emf_constant"
    constant = tidy(n * ke if keep == "line" or kt == ke else n * math.sqrt(kt * ke))
    draft.constants = Constants(constant, tidy(ohms / share), share, efficiency)
    scaled = "" if share == 1.0 else f", over {share:.6g} = {efficiency:g} · Kt/Ke so that the stall torque is right"
    draft.attributes["motorconst"] = row(numbers, f"N·m/A {AT_JOINT}", source)
    draft.attributes["resistance"] = row(ohms / share, "Ω", f"Winding.resistance {ohms:g} Ω{scaled}")
    draft.kept["torque-speed line"] = draft.kept["current and power"] = ""
    _note_constants(draft, keep, kt, ke)
    _note_gear_loss(draft, keep)


def _note_constants(draft: MotorDraft, keep: str, kt: float, ke: float) -> None:
    share = draft.constants.share
    if keep == "line":
        if share != 1.0:
            draft.kept["current and power"] = (
                f"MuJoCo's current and electrical power are {share:.6g} times the motor's."
            )
        draft.kept["separate Kt and Ke"] = (
            "One constant with an adjusted resistance: the line from stall to no load is right, the current is not."
        )
        return
    if kt != ke:
        off = 100.0 * (math.sqrt(ke / kt) - 1.0)
        draft.kept["torque-speed line"] = f"Stall torque and no-load speed are {off:+.3g} % off, by √(Ke/Kt)."
        draft.kept["separate Kt and Ke"] = "Torque constant and back-EMF constant become √(Kt·Ke)."


def _note_gear_loss(draft: MotorDraft, keep: str) -> None:
    gears = draft.motor.gearbox
    if gears is None or gears.lossless or keep != "line":
        return
    share, back = single("efficiency", gears.efficiency), single("back_efficiency", gears.back_efficiency)
    draft.kept["gear loss"] = (
        f"The gears lose {100 * (1 - share):.3g} % of the motor's torque in either direction of power: right while it "
        f"drives, but a load that drives it back should feel {100 * (1 / back - 1):.3g} % more."
    )


def inductive(draft: MotorDraft, bandwidth: Maybe) -> None:
    """The time constant of the current: that of the winding, or of a current loop around it; and its largest rate."""
    motor, heats = draft.motor, draft.motor.thermal is not None
    limits, henry, time = motor.limits, motor.winding.inductance, None
    if bandwidth is not None:
        time = 1.0 / single("current_bandwidth", bandwidth)
        source = f"1 over current_bandwidth {single('current_bandwidth', bandwidth):g} rad/s"
        draft.kept["current loop"] = (
            "The time constant of the winding represents the current loop: right until the voltage limit acts"
            + (", and while the winding is cold." if heats else ".")
        )
        draft.kept["inductance"] = "The time constant is that of the current loop."
    elif acts(motor.winding, "inductance"):
        time = single("Winding.inductance", henry) / single("Winding.resistance", motor.winding.resistance)
        source = f"Winding.inductance {single('Winding.inductance', henry):g} H over Winding.resistance"
        source += mark(motor, "winding.inductance", time / single("Winding.inductance", henry))
        draft.kept["inductance"] = "The time constant L/R stays that of the cold winding." if heats else ""
    else:
        return
    draft.attributes["inductance"] = row((0.0, time), "H (unused), s time constant of the current", source)
    if limits is None or limits.current_rate is None:
        return
    # MuJoCo limits the slope at the start of a step, which then decays over it
    rate, steps = single("Limits.current_rate", limits.current_rate), draft.timestep / time
    started = draft.constants.share * rate * steps / -math.expm1(-steps)
    draft.attributes["saturation"] = row(
        (0.0, 0.0, started),
        "N·m, A, A/s at the start of a step",
        f"Limits.current_rate {rate:g} A/s over a step of {draft.timestep:g} s",
    )
    draft.kept["current rate"] = (
        f"The limit of the current's rate is right for a physics step of {draft.timestep:g} s alone."
    )


def thermal(draft: MotorDraft) -> None:
    """Heat of the winding: one node."""
    node, w = draft.motor.thermal, draft.motor.winding
    if node is None:
        return
    share = draft.constants.share
    notes = {
        "winding heat": "" if not acts(draft.motor.magnet, "iron_loss") else "Iron losses do not heat the winding."
    }
    if isinstance(node, TwoNodeThermal):
        resistance, capacity, off = one_node_of(node)
        source = f"TwoNodeThermal, one node fitted to {TEN_MINUTES} s of constant loss"
        notes["housing heat"] = (
            f"One thermal node represents two: within ten minutes of constant loss it is off by up to "
            f"{100 * off:.2g} % of the rise."
        )
    else:
        resistance, capacity, source = single("Rth", node.resistance), single("C", node.capacitance), "Thermal"
    if share != 1.0:
        source += f", for {share:.6g} times the heat"
    source += heat_mark(draft.motor)
    draft.attributes["thermal"] = row(
        (resistance / share, capacity * share, 0.0, w.temperature_coefficient, w.reference_temperature, node.ambient),
        "K/W, J/K, s (unused), 1/K, °C of the resistance, °C ambient",
        source,
    )
    draft.kept |= notes


def cogging(draft: MotorDraft, forwards: bool) -> None:
    """The first sine of the cogging; seen from gears that turn the other way, its phase is."""
    if draft.motor.cogging is None:
        return
    wave, n = draft.motor.cogging.harmonics[0], ratio_of(draft.motor)
    amplitude, periodicity, phase = (single("Harmonic", x) for x in (wave.amplitude, wave.periodicity, wave.phase))
    draft.attributes["cogging"] = row(
        (n * amplitude, n * periodicity, phase if forwards else -phase),
        "N·m, periods per turn of the joint, rad",
        f"{gear_factor(n)}Cogging.harmonics[0]",
    )
    draft.kept["cogging"] = ""


def friction(draft: MotorDraft, coulomb: float = 0.0) -> None:
    """Bristles and drag to the motor, dry friction and the rotor's inertia to the joint.

    `coulomb` is dry friction of the joint itself [N·m].
    """
    motor, n, f = draft.motor, ratio_of(draft.motor), draft.motor.friction
    drags = drag_row(motor)
    if any(drags):
        units = "N·m·s/rad, N·m·s²/rad², N·m·s³/rad³"
        draft.attributes["damping"] = row(
            drags, f"{units} {AT_JOINT}", f"gear {n:g} to the 2, 3, 4 · all drag of order 1, 2, 3"
        )
        draft.kept["viscous drag"] = draft.kept["higher drag"] = ""
        if motor.drag is not None and any(single("B", b) for b in motor.drag.coefficients[3:]):
            draft.kept["higher drag"] = "Drag above the third order is lost."
    if motor.rotor is not None or single("Motor.inertia", motor.inertia) > 0.0:
        inertia = single("Motor.inertia", motor.inertia)
        source = f"gear {n:g}² · {inertia:g} kg·m² of rotor and gears{inertia_mark(motor)}"
        draft.joint["armature"] = row(n * n * inertia, "kg·m²", source)
        draft.kept["rotor inertia"] = ""
    if isinstance(f, (Dahl, LuGre)):
        bristles(draft, f, n)
    sliding, source = 0.0, "the motor has it"
    if isinstance(f, (Coulomb, LoadDependent)):
        sliding = single("coulomb", f.coulomb)
        source = f"{gear_factor(n)}{type(f).__name__}.coulomb {sliding:g} N·m{mark(motor, 'friction.coulomb', n)}"
        draft.kept["dry friction"] = ""
    if isinstance(f, LoadDependent):
        draft.kept["dry friction"] = "Of the friction, the part without load is left."
    if coulomb:
        draft.kept.setdefault("dry friction", "")
        source = f"{source}, and {coulomb:g} of the joint itself" if sliding else "the joint's own"
    if sliding or coulomb or any(drags) or "lugre" in draft.attributes:
        # the motor's friction replaces that of the joint
        draft.joint["damping"] = row(0.0, "N·m·s/rad", "the motor has it")
        draft.joint["frictionloss"] = row(n * sliding + coulomb, "N·m", source)


def bristles(draft: MotorDraft, f: Dahl | LuGre, n: float) -> None:
    """LuGre's five numbers; Dahl's friction has no Stribeck curve, whatever its speed."""
    damping, rest, speed = 0.0, f.coulomb, n
    draft.kept["pre-sliding"] = (
        "MuJoCo takes the bristles as they are at the start of a step and ours are the mean over it: they meet as the "
        "step gets short."
    )
    draft.kept["dry friction"] = draft.kept["stiction"] = draft.kept["Stribeck curve"] = ""
    if isinstance(f, LuGre):
        damping, rest, speed = f.damping, f.stiction, f.stribeck_velocity
        if acts(f, "stribeck_exponent"):
            draft.kept["Stribeck curve"] = f"The exponent of the Stribeck curve is 2 in place of {f.stribeck_exponent}."
        if f.damping_exponent is not None:
            draft.kept["pre-sliding"] = "The damping of the bristles does not fade with speed."
    draft.attributes["lugre"] = row(
        (n * n * f.stiffness, n * n * damping, n * f.coulomb, n * rest, speed / n),
        f"N·m/rad, N·m·s/rad, N·m sliding, N·m at rest, rad/s, {AT_JOINT}",
        f"{gear_factor(n)}{type(f).__name__}",
    )
    rotor = draft.joint.get("armature")
    longest = math.inf if rotor is None else 2.0 * math.sqrt(rotor.value[0] / draft.attributes["lugre"].value[0])
    if longest < draft.timestep:
        draft.notes.append(
            f"The bristles are a spring that the rotor alone swings on faster than a step of {draft.timestep:g} s can "
            f"follow: give the joint a load, or take a step below {longest:.2g} s."
        )


def drag_row(motor: Motor) -> tuple[float, float, float]:
    """B1, B2 and B3 of all that brakes more the faster it goes, on the joint's side."""
    n, drags = ratio_of(motor), [0.0, 0.0, 0.0]
    for order, value in enumerate((() if motor.drag is None else motor.drag.coefficients)[:3]):
        drags[order] = single(f"Drag.coefficients, B{order + 1}", value)
    drags[0] += single("viscous", getattr(motor.friction, "viscous", 0.0))
    drags[0] += single("Magnet.iron_loss", motor.magnet.iron_loss or 0.0)
    return n**2 * drags[0], n**3 * drags[1], n**4 * drags[2]
