"""The named constants of a motor, as datasheets list them, from the full model and not its approximations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np

from ..checks import Number
from ..motor import Coulomb, Dahl, LoadDependent, LuGre, Motor, Thermal
from ..parts import acts
from ..physics.circuit import torque_of
from ..physics.magnet import back_emf, flux
from ..physics.mechanics import viscous_slope
from ..physics.winding import resistance, steady_current
from ..units import linear_unit
from .given import array, temperature_of, voltage_of
from .heat import time_constants
from .roots import last_fall, maximise
from .steady import drag_torque, dry_friction, operating_point

# name for people, symbol, unit of each row; what is None is left out
_ROWS = {
    "voltage": ("voltage", "v", "V"),
    "temperature": ("winding temperature", "T", "°C"),
    "resistance": ("resistance", "R", "Ω"),
    "torque_constant": ("torque constant", "Kt", "N·m/A"),
    "back_emf_constant": ("back-EMF constant", "Ke", "V·s/rad"),
    "motor_constant": ("motor constant", "Km", "N·m/√W"),
    "stall_torque": ("stall torque", "τ0", "N·m"),
    "stall_current": ("stall current", "is", "A"),
    "no_load_speed": ("no-load speed", "ω0", "rad/s"),
    "no_load_current": ("no-load current", "i0", "A"),
    "gradient": ("speed-torque gradient", "∂ω/∂τ", "rad/(N·m·s)"),
    "max_current": ("continuous current", "imax", "A"),
    "max_torque": ("continuous torque", "τmax", "N·m"),
    "max_efficiency": ("maximum efficiency", "ηmax", "1"),
    "efficient_speed": ("speed at maximum efficiency", "ω(ηmax)", "rad/s"),
    "efficient_joint_torque": ("joint torque at maximum efficiency", "τ(ηmax)", "N·m"),
    "efficient_current": ("current at maximum efficiency", "i(ηmax)", "A"),
    "max_power": ("maximum output power", "Pmax", "W"),
    "powerful_speed": ("speed at maximum power", "ω(Pmax)", "rad/s"),
    "powerful_joint_torque": ("joint torque at maximum power", "τ(Pmax)", "N·m"),
    "coulomb_friction": ("Coulomb friction", "τc", "N·m"),
    "stiction": ("stiction", "τs", "N·m"),
    "bristle_frequency": ("natural frequency of the bristles", "√(σ0/J)", "1/s"),
    "bristle_critical_damping": ("critical damping of the bristles", "2√(σ0·J)", "N·m·s/rad"),
    "viscous_drag": ("viscous drag", "B", "N·m·s/rad"),
    "electrical_damping": ("electrical damping", "Kt·Ke/R", "N·m·s/rad"),
    "inertia": ("rotor inertia", "J", "kg·m²"),
    "mechanical_time_constant": ("mechanical time constant", "tm", "s"),
    "electrical_time_constant": ("electrical time constant", "te", "s"),
    "thermal_resistance": ("thermal resistance", "Rth", "K/W"),
    "winding_time_constant": ("thermal time constant, winding", "R1·C1", "s"),
    "housing_time_constant": ("thermal time constant, housing", "R2·C2", "s"),
    "fast_thermal_time_constant": ("faster thermal time constant", "t1", "s"),
    "slow_thermal_time_constant": ("slower thermal time constant", "t2", "s"),
    "ratio": ("gear ratio", "N", "1"),
    "gear_efficiency": ("gear efficiency, motor driving", "η", "1"),
    "gear_back_efficiency": ("gear efficiency, load driving", "ηb", "1"),
    "reflected_inertia": ("inertia at the joint", "N²·J", "kg·m²"),
    "joint_stall_torque": ("stall torque at the joint", "τ0j", "N·m"),
    "joint_no_load_speed": ("no-load speed at the joint", "ω0j", "rad/s"),
    "joint_max_torque": ("continuous torque at the joint", "τmaxj", "N·m"),
    "cogging_amplitude": ("cogging, sum of amplitudes", "A", "N·m"),
}


@dataclass(frozen=True, kw_only=True)
class Constants:
    """Derived constants at a voltage and a winding temperature; None where the motor lacks the part.

    Everything is on the motor side unless its name says `joint`.
    """

    voltage: Number
    """Terminal voltage v [V]."""
    temperature: Number
    """Winding temperature T [°C]."""
    resistance: Number
    """Resistance R at this temperature [Ω]."""
    torque_constant: Number
    """Torque per ampere Kt at this temperature [N·m/A]."""
    back_emf_constant: Number
    """Voltage per speed Ke at this temperature [V·s/rad]."""
    motor_constant: Number
    """Torque per square root of copper loss, Kt/√R [N·m/√W]."""
    stall_torque: Number
    """Torque of the stall current, Kt·v/R with saturation included and before friction, as makers print it [N·m]."""
    stall_current: Number
    """Current at standstill, v/R [A]."""
    no_load_speed: Number
    """Speed at which Kt·i balances drag and friction exactly [rad/s]; 0 where the motor cannot turn."""
    no_load_current: Number
    """Current at that speed [A]."""
    gradient: Number
    """Speed lost per torque, R/(Kt·Ke) [rad/(N·m·s)]."""
    max_current: Number | None
    """Continuous current, as rated or as the drive allows [A]."""
    max_torque: Number | None
    """Torque of the continuous current before friction [N·m]."""
    max_efficiency: Number
    """Largest mechanical over electrical power at this voltage, friction and gears included [1]."""
    efficient_speed: Number
    """Rotor speed at the largest efficiency [rad/s]."""
    efficient_joint_torque: Number
    """Torque at the joint at the largest efficiency [N·m]."""
    efficient_current: Number
    """Current at the largest efficiency [A]."""
    max_power: Number
    """Largest mechanical power at this voltage [W]."""
    powerful_speed: Number
    """Rotor speed at the largest power [rad/s]."""
    powerful_joint_torque: Number
    """Torque at the joint at the largest power [N·m]."""
    coulomb_friction: Number | None
    """Dry friction when sliding, without load [N·m]."""
    stiction: Number | None
    """Dry friction at rest, without load [N·m]."""
    bristle_frequency: Number | None
    """Angular frequency at which the bare rotor swings on its bristles, √(σ0/J) [1/s]."""
    bristle_critical_damping: Number | None
    """Sum of bristle damping and viscous drag from which that swinging no longer overshoots, 2√(σ0·J) [N·m·s/rad]."""
    viscous_drag: Number | None
    """Slope of all drag at standstill: polynomial, viscous friction and iron [N·m·s/rad]."""
    electrical_damping: Number
    """Torque lost per speed by the back-EMF at a held voltage, Kt·Ke/R [N·m·s/rad]."""
    inertia: Number | None
    """Inertia of rotor and gear stages J [kg·m²]."""
    mechanical_time_constant: Number | None
    """Time of the run-up without load and drag, R·J/(Kt·Ke), as makers print it [s]."""
    electrical_time_constant: Number | None
    """Time of the current's rise, L/R [s]."""
    thermal_resistance: Number | None
    """From winding to ambient [K/W]."""
    winding_time_constant: Number | None
    """Resistance times capacity of the winding, as makers print it [s]."""
    housing_time_constant: Number | None
    """Resistance times capacity of the housing, as makers print it [s]."""
    fast_thermal_time_constant: Number | None
    """The faster of the two exponentials in which winding and housing heat up together [s]."""
    slow_thermal_time_constant: Number | None
    """The slower of the two [s]."""
    ratio: Number | None
    """Rotor speed over joint speed N [1]."""
    gear_efficiency: Number | None
    """Power out over power in while the motor drives η [1]."""
    gear_back_efficiency: Number | None
    """Power out over power in while the load drives [1]."""
    reflected_inertia: Number | None
    """Inertia of rotor and gears felt at the joint, N²·J [kg·m²]."""
    joint_stall_torque: Number | None
    """Torque a standing motor presses the joint with, after friction and gears [N·m]."""
    joint_no_load_speed: Number | None
    """No-load speed at the joint, ω0/N [rad/s]."""
    joint_max_torque: Number | None
    """Torque at the joint of the continuous current at standstill, after friction and gears [N·m]."""
    cogging_amplitude: Number | None
    """Sum of the amplitudes of all harmonics [N·m]."""

    motion: str = "rotary"
    """`"rotary"`, or `"linear"`: then N stands for N·m, m for rad and kg for kg·m²."""

    def rows(self) -> Iterator[tuple[str, str, Number, str]]:
        """Name, symbol, value and SI unit of every constant that is known, for tables."""
        for entry in fields(self):
            value = getattr(self, entry.name)
            if value is not None and entry.name in _ROWS:
                name, symbol, unit = _ROWS[entry.name]
                if self.motion == "linear":
                    name, unit = _of_a_slide(name), linear_unit(unit)
                yield name, symbol, value, unit


def _of_a_slide(name: str) -> str:
    """What a constant is called for a linear motor."""
    for turning, sliding in (("torque", "force"), ("rotor inertia", "moving mass"), ("inertia", "mass")):
        name = name.replace(turning, sliding)
    return name


def constants(motor: Motor, voltage: Number | None = None, temperature: Number | None = None) -> Constants:
    """Derived constants at a voltage [V] (the rated one if None) and a winding temperature [°C] (that of the data)."""
    volts, celsius = voltage_of(motor, voltage), temperature_of(motor, temperature)
    ohms, field = resistance(celsius, motor.winding), flux(celsius, motor.magnet)
    kt, ke = motor.magnet.torque_constant * field, motor.magnet.back_emf_constant * field
    stall_current = volts / ohms
    top_speed, idle_current = no_load(motor, volts, celsius)
    known = {
        "voltage": volts,
        "temperature": celsius,
        "resistance": ohms,
        "torque_constant": kt,
        "back_emf_constant": ke,
        "motor_constant": kt / np.sqrt(ohms),
        "stall_torque": torque_of(motor, stall_current, field),
        "stall_current": stall_current,
        "no_load_speed": top_speed,
        "no_load_current": idle_current,
        "gradient": ohms / (kt * ke),
        "electrical_damping": kt * ke / ohms,
        "electrical_time_constant": None if not acts(motor.winding, "inductance") else motor.winding.inductance / ohms,
    }
    known |= _best(motor, volts, celsius, top_speed)
    known |= _continuous(motor, celsius, field)
    known |= _friction(motor)
    known |= _thermal(motor)
    known |= _inertia(motor, known["gradient"])
    known |= _joint(motor, volts, celsius, top_speed, known["max_current"])
    plain = {name: None if value is None else _plain(value) for name, value in known.items()}
    return Constants(**plain, motion=motor.motion)


def no_load(motor: Motor, voltage: Number, temperature: Number) -> tuple[np.ndarray, np.ndarray]:
    """Rotor speed [rad/s] and current [A] at which the torque of the current balances drag and friction exactly.

    Friction that falls with speed may balance at several speeds: it is the fastest one, which a turning motor keeps.
    """
    ohms, field = resistance(temperature, motor.winding), flux(temperature, motor.magnet)
    size = np.abs(voltage)

    def current(speed):
        return steady_current(size, back_emf(speed, field, motor.magnet), ohms)

    def surplus(speed):
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


def _plain(value: Number) -> Number:
    """A float where it is one number."""
    known = array(value)
    return float(known) if known.ndim == 0 else known


def _best(motor: Motor, volts, celsius, top) -> dict[str, Number]:
    def point(speed):
        return operating_point(motor, volts, speed / motor.ratio, celsius)

    size = np.abs(top)
    way = np.sign(volts)
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


def _continuous(motor: Motor, celsius, field) -> dict[str, Number | None]:
    current = continuous_current(motor)
    return {
        "max_current": current,
        "max_torque": None if current is None else torque_of(motor, current, field + 0.0 * celsius),
    }


def _friction(motor: Motor) -> dict[str, Number | None]:
    sliding = at_rest = None
    if isinstance(motor.friction, (Coulomb, Dahl, LuGre, LoadDependent)):
        sliding, at_rest = motor.friction.coulomb, dry_friction(motor, 0.0, 0.0, 0.0)
    slope = viscous_slope(motor)
    amplitudes = None if motor.cogging is None else sum(h.amplitude for h in motor.cogging.harmonics)
    return {
        "coulomb_friction": sliding,
        "stiction": at_rest if isinstance(motor.friction, (LuGre, LoadDependent)) else None,
        **_bristles(motor),
        "viscous_drag": None if np.all(array(slope) == 0.0) else slope,
        "cogging_amplitude": amplitudes,
    }


def _bristles(motor: Motor) -> dict[str, Number | None]:
    """What the bristles do to a bare rotor: near rest J·θ'' + (σ1 + B)·θ' + σ0·θ = τ."""
    f, inertia = motor.friction, motor.inertia
    if motor.rotor is None or not isinstance(f, (Dahl, LuGre)):
        return dict.fromkeys(("bristle_frequency", "bristle_critical_damping"))
    stiffness, inertia = array(f.stiffness), array(inertia)
    return {
        "bristle_frequency": np.sqrt(stiffness / inertia),
        "bristle_critical_damping": 2.0 * np.sqrt(stiffness * inertia),
    }


def _thermal(motor: Motor) -> dict[str, Number | None]:
    names = ("winding_time_constant", "housing_time_constant")
    eigen = ("fast_thermal_time_constant", "slow_thermal_time_constant")
    nothing: dict[str, Number | None] = dict.fromkeys(("thermal_resistance", *names, *eigen))
    t = motor.thermal
    if t is None:
        return nothing
    if isinstance(t, Thermal):
        return nothing | {"thermal_resistance": t.resistance, names[0]: t.resistance * t.capacitance}
    products = (t.winding_resistance * t.winding_capacitance, t.housing_resistance * t.housing_capacitance)
    slow, fast = time_constants(motor)
    return {
        "thermal_resistance": t.resistance,
        names[0]: products[0],
        names[1]: products[1],
        eigen[0]: fast,
        eigen[1]: slow,
    }


def _inertia(motor: Motor, gradient) -> dict[str, Number | None]:
    known = None if motor.rotor is None else motor.inertia
    return {"inertia": known, "mechanical_time_constant": None if known is None else gradient * known}


def _joint(motor: Motor, volts, celsius, top, continuous) -> dict[str, Number | None]:
    names = ("ratio", "gear_efficiency", "gear_back_efficiency", "reflected_inertia")
    torques = ("joint_stall_torque", "joint_no_load_speed", "joint_max_torque")
    if motor.gearbox is None:
        return dict.fromkeys((*names, *torques))
    held = None
    if continuous is not None:
        at_rest = continuous * resistance(celsius, motor.winding)
        held = operating_point(motor, at_rest, 0.0, celsius).joint_torque
    gears = motor.gearbox
    return {
        "ratio": gears.ratio,
        "gear_efficiency": gears.efficiency,
        "gear_back_efficiency": gears.back_efficiency,
        "reflected_inertia": None if motor.rotor is None else motor.reflected_inertia,
        "joint_stall_torque": operating_point(motor, volts, 0.0, celsius).joint_torque,
        "joint_no_load_speed": top / gears.ratio,
        "joint_max_torque": held,
    }
