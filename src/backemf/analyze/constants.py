"""The named constants of a motor, as datasheets list them, from the full model and not its approximations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields

import numpy as np

from ..checks import Maybe, Number
from ..motor import LoadDependent, LuGre, Motor, Thermal
from ..motor.friction import Bristles
from ..parts import acts
from ..physics.circuit import torque_of
from ..physics.magnet import back_emf, flux
from ..physics.mechanics import viscous_slope
from ..physics.winding import resistance, steady_current
from ..units import linear_unit
from ..values import Declared
from .given import array, temperature_of, voltage_of
from .heat import time_constants
from .roots import last_fall, maximise
from .steady import OperatingPoint, drag_torque, dry_friction, operating_point


def _row(name: str, symbol: str, unit: str) -> Declared:
    """A constant and what tables print of it; None where the motor lacks the part."""
    return field(default=None, metadata={"row": (name, symbol, unit)})


@dataclass(frozen=True, kw_only=True)
class Constants:
    """Derived constants at a voltage and a winding temperature; None where the motor lacks the part.

    Everything is on the motor side unless its name says `joint`.
    """

    voltage: Number = _row("voltage", "v", "V")
    """Terminal voltage v [V]."""
    temperature: Number = _row("winding temperature", "T", "°C")
    """Winding temperature T [°C]."""
    resistance: Number = _row("resistance", "R", "Ω")
    """Resistance R at this temperature [Ω]."""
    torque_constant: Number = _row("torque constant", "Kt", "N·m/A")
    """Torque per ampere Kt at this temperature [N·m/A]."""
    back_emf_constant: Number = _row("back-EMF constant", "Ke", "V·s/rad")
    """Voltage per speed Ke at this temperature [V·s/rad]."""
    motor_constant: Number = _row("motor constant", "Km", "N·m/√W")
    """Torque per square root of copper loss, Kt/√R [N·m/√W]."""
    stall_torque: Number = _row("stall torque", "τ0", "N·m")
    """Torque of the stall current, Kt·v/R with saturation included and before friction, as makers print it [N·m]."""
    stall_current: Number = _row("stall current", "is", "A")
    """Current at standstill, v/R [A]."""
    no_load_speed: Number = _row("no-load speed", "ω0", "rad/s")
    """Speed at which Kt·i balances drag and friction exactly [rad/s]; 0 where the motor cannot turn."""
    no_load_current: Number = _row("no-load current", "i0", "A")
    """Current at that speed [A]."""
    gradient: Number = _row("speed-torque gradient", "∂ω/∂τ", "rad/(N·m·s)")
    """Speed lost per torque, R/(Kt·Ke) [rad/(N·m·s)]."""
    max_current: Number = _row("continuous current", "imax", "A")
    """Continuous current, as rated or as the drive allows [A]."""
    max_torque: Number = _row("continuous torque", "τmax", "N·m")
    """Torque of the continuous current before friction [N·m]."""
    max_efficiency: Number = _row("maximum efficiency", "ηmax", "1")
    """Largest mechanical over electrical power at this voltage, friction and gears included [1]."""
    efficient_speed: Number = _row("speed at maximum efficiency", "ω(ηmax)", "rad/s")
    """Rotor speed at the largest efficiency [rad/s]."""
    efficient_joint_torque: Number = _row("joint torque at maximum efficiency", "τ(ηmax)", "N·m")
    """Torque at the joint at the largest efficiency [N·m]."""
    efficient_current: Number = _row("current at maximum efficiency", "i(ηmax)", "A")
    """Current at the largest efficiency [A]."""
    max_power: Number = _row("maximum output power", "Pmax", "W")
    """Largest mechanical power at this voltage [W]."""
    powerful_speed: Number = _row("speed at maximum power", "ω(Pmax)", "rad/s")
    """Rotor speed at the largest power [rad/s]."""
    powerful_joint_torque: Number = _row("joint torque at maximum power", "τ(Pmax)", "N·m")
    """Torque at the joint at the largest power [N·m]."""
    coulomb_friction: Number = _row("Coulomb friction", "τc", "N·m")
    """Dry friction when sliding, without load [N·m]."""
    stiction: Number = _row("stiction", "τs", "N·m")
    """Dry friction at rest, without load [N·m]."""
    bristle_frequency: Number = _row("natural frequency of the bristles", "√(σ0/J)", "1/s")
    """Angular frequency at which the bare rotor swings on its bristles, √(σ0/J) [1/s]."""
    bristle_critical_damping: Number = _row("critical damping of the bristles", "2√(σ0·J)", "N·m·s/rad")
    """Sum of bristle damping and viscous drag from which that swinging no longer overshoots, 2√(σ0·J) [N·m·s/rad]."""
    viscous_drag: Number = _row("viscous drag", "B", "N·m·s/rad")
    """Slope of all drag at standstill: polynomial, viscous friction and iron [N·m·s/rad]."""
    electrical_damping: Number = _row("electrical damping", "Kt·Ke/R", "N·m·s/rad")
    """Torque lost per speed by the back-EMF at a held voltage, Kt·Ke/R [N·m·s/rad]."""
    inertia: Number = _row("rotor inertia", "J", "kg·m²")
    """Inertia of rotor and gear stages J [kg·m²]."""
    mechanical_time_constant: Number = _row("mechanical time constant", "tm", "s")
    """Time of the run-up without load and drag, R·J/(Kt·Ke), as makers print it [s]."""
    electrical_time_constant: Number = _row("electrical time constant", "te", "s")
    """Time of the current's rise, L/R [s]."""
    thermal_resistance: Number = _row("thermal resistance", "Rth", "K/W")
    """From winding to ambient [K/W]."""
    winding_time_constant: Number = _row("thermal time constant, winding", "R1·C1", "s")
    """Resistance times capacity of the winding, as makers print it [s]."""
    housing_time_constant: Number = _row("thermal time constant, housing", "R2·C2", "s")
    """Resistance times capacity of the housing, as makers print it [s]."""
    fast_thermal_time_constant: Number = _row("faster thermal time constant", "t1", "s")
    """The faster of the two exponentials in which winding and housing heat up together [s]."""
    slow_thermal_time_constant: Number = _row("slower thermal time constant", "t2", "s")
    """The slower of the two [s]."""
    ratio: Number = _row("gear ratio", "N", "1")
    """Rotor speed over joint speed N [1]."""
    gear_efficiency: Number = _row("gear efficiency, motor driving", "η", "1")
    """Power out over power in while the motor drives η [1]."""
    gear_back_efficiency: Number = _row("gear efficiency, load driving", "ηb", "1")
    """Power out over power in while the load drives [1]."""
    reflected_inertia: Number = _row("inertia at the joint", "N²·J", "kg·m²")
    """Inertia of rotor and gears felt at the joint, N²·J [kg·m²]."""
    joint_stall_torque: Number = _row("stall torque at the joint", "τ0j", "N·m")
    """Torque a standing motor presses the joint with, after friction and gears [N·m]."""
    joint_no_load_speed: Number = _row("no-load speed at the joint", "ω0j", "rad/s")
    """No-load speed at the joint, ω0/N [rad/s]."""
    joint_max_torque: Number = _row("continuous torque at the joint", "τmaxj", "N·m")
    """Torque at the joint of the continuous current at standstill, after friction and gears [N·m]."""
    cogging_amplitude: Number = _row("cogging, sum of amplitudes", "A", "N·m")
    """Sum of the amplitudes of all harmonics [N·m]."""

    motion: str = "rotary"
    """`"rotary"`, or `"linear"`: then N stands for N·m, m for rad and kg for kg·m²."""

    def rows(self) -> Iterator[tuple[str, str, Number, str]]:
        """Name, symbol, value and SI unit of every constant that is known, for tables."""
        for entry in fields(self):
            value = getattr(self, entry.name)
            if value is not None and "row" in entry.metadata:
                name, symbol, unit = entry.metadata["row"]
                if self.motion == "linear":
                    for rotary, linear in (("torque", "force"), ("rotor inertia", "moving mass"), ("inertia", "mass")):
                        name = name.replace(rotary, linear)
                    unit = linear_unit(unit)
                yield name, symbol, value, unit


def constants(motor: Motor, voltage: Number | None = None, temperature: Number | None = None) -> Constants:
    """Derived constants at a voltage [V] (the rated one if None) and a winding temperature [°C] (that of the data)."""
    volts, celsius = voltage_of(motor, voltage), temperature_of(motor, temperature)
    ohms, field = resistance(celsius, motor.winding), flux(celsius, motor.magnet)
    kt, ke = motor.magnet.torque_constant * field, motor.magnet.back_emf_constant * field
    top_speed, idle_current = no_load(motor, volts, celsius)
    continuous = continuous_current(motor)
    known: dict[str, Number] = {
        "voltage": volts,
        "temperature": celsius,
        "resistance": ohms,
        "torque_constant": kt,
        "back_emf_constant": ke,
        "motor_constant": kt / np.sqrt(ohms),
        "stall_torque": torque_of(motor, volts / ohms, field),
        "stall_current": volts / ohms,
        "no_load_speed": top_speed,
        "no_load_current": idle_current,
        "gradient": ohms / (kt * ke),
        "electrical_damping": kt * ke / ohms,
    }
    if acts(motor.winding, "inductance"):
        known["electrical_time_constant"] = motor.winding.inductance / ohms
    if continuous is not None:
        known |= {"max_current": continuous, "max_torque": torque_of(motor, continuous, field + 0.0 * celsius)}
    if motor.rotor is not None:
        known |= {"inertia": motor.inertia, "mechanical_time_constant": known["gradient"] * motor.inertia}
    known |= _best(motor, volts, celsius, top_speed) | _friction(motor) | _thermal(motor)
    known |= _joint(motor, volts, celsius, top_speed, continuous)
    return Constants(**{name: plain(array(value)) for name, value in known.items()}, motion=motor.motion)


def no_load(motor: Motor, voltage: Number, temperature: Number) -> tuple[np.ndarray, np.ndarray]:
    """Rotor speed [rad/s] and current [A] at which the torque of the current balances drag and friction exactly.

    Friction that falls with speed may balance at several speeds: it is the fastest one, which a turning motor keeps.
    """
    ohms, field = resistance(temperature, motor.winding), flux(temperature, motor.magnet)
    size = np.abs(voltage)

    def current(speed: Number) -> Number:
        return steady_current(size, back_emf(speed, field, motor.magnet), ohms)

    def surplus(speed: np.ndarray) -> Number:
        arriving = torque_of(motor, current(speed), field) - drag_torque(motor, speed)
        return arriving - dry_friction(motor, speed, arriving, 0.0)

    # one evaluation tells the shape of the batch
    shape = np.shape(surplus(0.0 * size))
    top = np.broadcast_to(size / (motor.magnet.back_emf_constant * field), shape)
    speed = last_fall(surplus, top)
    return np.sign(voltage) * speed, np.sign(voltage) * current(speed)


def continuous_current(motor: Motor) -> Number | None:
    """Continuous current, as rated or else as the drive allows [A]; None: neither says."""
    if motor.ratings is not None and motor.ratings.current is not None:
        return motor.ratings.current
    return None if motor.limits is None else motor.limits.continuous_current


def plain(value: Number) -> Number:
    """A float where it is one number."""
    return float(value) if np.ndim(value) == 0 else value


def _best(motor: Motor, volts: Number, celsius: Number, top: Number) -> dict[str, Number]:
    """Where efficiency and power are largest."""

    def point(speed: Number) -> OperatingPoint:
        return operating_point(motor, volts, speed / motor.ratio, celsius)

    size, way = np.abs(top), np.sign(volts)
    efficient = point(way * maximise(lambda w: point(way * w).efficiency, size))
    powerful = point(way * maximise(lambda w: point(way * w).mechanical_power, size))
    return {
        "max_efficiency": efficient.efficiency,
        "efficient_speed": efficient.motor_speed,
        "efficient_joint_torque": efficient.joint_torque,
        "efficient_current": efficient.current,
        "max_power": powerful.mechanical_power,
        "powerful_speed": powerful.motor_speed,
        "powerful_joint_torque": powerful.joint_torque,
    }


def _friction(motor: Motor) -> dict[str, Number]:
    """Friction, drag and cogging; bristles swing a bare rotor near rest as J·θ'' + (σ1 + B)·θ' + σ0·θ = τ."""
    f, slope = motor.friction, viscous_slope(motor)
    known: dict[str, Number] = {} if f is None else {"coulomb_friction": f.coulomb}
    if isinstance(f, (LuGre, LoadDependent)):
        known["stiction"] = dry_friction(motor, 0.0, 0.0, 0.0)
    if isinstance(f, Bristles) and motor.rotor is not None:
        stiffness, inertia = array(f.stiffness), array(motor.inertia)
        known["bristle_frequency"] = np.sqrt(stiffness / inertia)
        known["bristle_critical_damping"] = 2.0 * np.sqrt(stiffness * inertia)
    if np.any(array(slope) != 0.0):
        known["viscous_drag"] = slope
    if motor.cogging is not None:
        known["cogging_amplitude"] = sum(h.amplitude for h in motor.cogging.harmonics)
    return known


def _thermal(motor: Motor) -> dict[str, Number]:
    t = motor.thermal
    if t is None:
        return {}
    if isinstance(t, Thermal):
        return {"thermal_resistance": t.resistance, "winding_time_constant": t.resistance * t.capacitance}
    slow, fast = time_constants(motor)
    return {
        "thermal_resistance": t.resistance,
        "winding_time_constant": t.winding_resistance * t.winding_capacitance,
        "housing_time_constant": t.housing_resistance * t.housing_capacitance,
        "fast_thermal_time_constant": fast,
        "slow_thermal_time_constant": slow,
    }


def _joint(motor: Motor, volts: Number, celsius: Number, top: Number, continuous: Maybe) -> dict[str, Number]:
    gears = motor.gearbox
    if gears is None:
        return {}
    known: dict[str, Number] = {
        "ratio": gears.ratio,
        "gear_efficiency": gears.efficiency,
        "gear_back_efficiency": gears.back_efficiency,
        "joint_stall_torque": operating_point(motor, volts, 0.0, celsius).joint_torque,
        "joint_no_load_speed": top / gears.ratio,
    }
    if motor.rotor is not None:
        known["reflected_inertia"] = motor.reflected_inertia
    if continuous is not None:
        at_rest = continuous * resistance(celsius, motor.winding)
        known["joint_max_torque"] = operating_point(motor, at_rest, 0.0, celsius).joint_torque
    return known
