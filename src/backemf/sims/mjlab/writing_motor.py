"""A motor with its currents as mjlab's `BuiltinDcMotorActuatorCfg`, which is MuJoCo 3.11's own motor.

Every number is on the joint's side of the gear. The class has its own gear, but compares the target with
gear·angle in its position and velocity modes; with the motor's constants brought to the joint it is not needed.
"""

from __future__ import annotations

from ...actuator import Actuator
from ...actuator.controllers import IdealPd, PositionPid, TorquePid, VelocityPi, Voltage
from ...actuator.controllers.controller import Controller
from ...actuator.supply import Supply
from ...checks import Number
from ...design.gains import Gains, volt_gains
from ...errors import ParameterError
from ...motor import Dahl, LuGre, Motor, Thermal, mark
from ...parts import acts
from ..joint import (
    Joint,
    allowed_current,
    armature_of,
    feeding,
    felt_numbers,
    friction_of,
    gear_torque,
    least,
    own_limits,
    ratio_of,
    single,
)
from ..on_joint import OnJoint
from ..text import Figure, Line, write_call
from ..types import Fields
from .kinds import MODES
from .reading_motor import UNHELD


def joint_beside(thing: Motor | Actuator | OnJoint, motor: Motor) -> Joint:
    """Inertia and friction at the joint when the motor's currents are simulated."""
    # bristles have their own row beside the motor
    coulomb, stiction, viscous = friction_of(motor)
    if _bristles(motor, 1.0) is not None:
        coulomb = stiction = None
    armature = None if motor.rotor is None else armature_of(motor)
    zero = Figure(0.0, "", "")
    return Joint(stiffness=zero, damping=zero, **felt_numbers(thing, armature, (coulomb, stiction, viscous)))


BUILTIN: tuple[str, ...] = (
    "controller",
    "integral",
    "slew",
    "voltage limit",
    "torque-speed line",
    "current limit",
    "effort limit",
    "current and power",
    "dry friction",
    "viscous drag",
    "rotor inertia",
)
"""What MuJoCo's own motor always holds."""
ROWS = {
    "thermal": ("winding heat",),
    "cogging": ("cogging",),
    "lugre": ("stiction", "Stribeck curve", "pre-sliding"),
}
"""What each of its optional rows holds."""


def motor_lines(
    motor: Motor, actuator: Actuator, numbers: Fields, notes: list[str]
) -> tuple[tuple[str, ...], list[str], list[Line], dict[str, str]]:
    """Targets that it listens to, classes to import, fields and what is kept."""
    n = ratio_of(motor)
    kept: dict[str, str] = dict.fromkeys(BUILTIN, "")
    constants = [
        ("kt", _figure(motor.magnet.torque_constant, n, "N·m/A", "Magnet.torque_constant")),
        ("ke", _figure(motor.magnet.back_emf_constant, n, "V·s/rad", "Magnet.back_emf_constant")),
        ("resistance", _figure(motor.winding.resistance, 1.0, "Ω", "Winding.resistance")),
    ]
    if single("Kt", motor.magnet.torque_constant) != single("Ke", motor.magnet.back_emf_constant):
        kept["separate Kt and Ke"] = "MuJoCo merges them into √(Kt·Ke): stall torque and no-load speed both shift."
    if single("ratio", motor.ratio) < 0.0 and isinstance(actuator.controller, Voltage):
        notes.append("The gears turn the joint the other way round: a positive voltage turns it forwards here.")
    inner = write_call("DcMotorPhysicalParams", constants).replace("\n", "\n    ")
    lines: list[Line] = [("motor_params", inner)]
    mode, controlled = _controller(motor, actuator, numbers.get("supply"), kept)
    lines += controlled
    lines += _torque_limit(motor, actuator, numbers)
    if acts(motor.winding, "inductance"):
        kept["inductance"] = ""
        source = f"Winding.inductance{mark(motor, 'winding.inductance')}"
        lines.append(("inductance", _figure(motor.winding.inductance, 1.0, "H", source)))
    for name, value in (("thermal", _thermal(motor)), ("cogging", _cogging(motor, n)), ("lugre", _bristles(motor, n))):
        if value is not None:
            kept |= dict.fromkeys(ROWS[name], "")
            lines.append((name, value))
    bristles = motor.friction if isinstance(motor.friction, LuGre) else None
    if bristles and not (bristles.stribeck_exponent is None and bristles.damping_exponent is None):
        kept["Stribeck curve"] = "The exponents of LuGre friction are lost: a Gaussian curve, constant bristle damping."
    return (MODES[mode],), ["DcMotorInputMode", "DcMotorPhysicalParams"], lines, kept


def _figure(value: Number, factor: float, unit: str, source: str) -> Figure:
    known = single(source, value)
    gear = f"gear {factor:g} · " if factor != 1.0 else ""
    return Figure(factor * known if factor != 1.0 else known, unit, f"{gear}{source}")


def _controller(
    motor: Motor, actuator: Actuator, supply: Supply | Number | None, kept: dict[str, str]
) -> tuple[str, list[Line]]:
    """Mode, and its field with gains and voltage limit; gains in torque become gains in volts."""
    c = actuator.controller
    mode, gains, how = _gains(motor, c, kept)
    lines: list[Line] = [("mode", f"DcMotorInputMode.{mode}")]
    units = ("V·s/rad", "V/rad") if mode == "VELOCITY" else ("V/rad", "V/(rad·s)")
    if mode != "VOLTAGE":
        if not single("kp", gains.kp) > 0.0:
            raise ParameterError(
                f"kind = 'builtin_dc_motor': {how} has a gain of {single('kp', gains.kp):g} {units[0]} on the error, "
                "which mjlab refuses; give it one above 0, or take another kind"
            )
        lines.append(("stiffness", Figure(single("kp", gains.kp), units[0], how)))
        lines.append(("damping", Figure(single("kd", gains.kd), "V·s/rad", how)))
    if gains.ki:
        lines.append(("integral_gain", Figure(single("ki", gains.ki), units[1], how)))
        bound = getattr(c, "integral_limit", None)
        if bound is not None:
            unit = "rad" if mode == "VELOCITY" else "rad·s"
            lines.append(("integral_limit", Figure(single("integral_limit", bound), unit, how)))
    if any(x is not None for x in (supply, actuator.supply, actuator.voltage_limit)) or mode != "VOLTAGE":
        source = feeding(motor, actuator, supply)
        volts = single("Supply.voltage", source.voltage * source.modulation_limit)
        lines.append(("voltage_limit", Figure(volts, "V", "the drive's limit, its supply, or the rated voltage")))
        if mode == "VOLTAGE" and not acts(motor.winding, "inductance"):
            kept["voltage limit"] = kept["torque-speed line"] = UNHELD
    if actuator.slew is not None:
        lines.append(("slew_rate", _figure(actuator.slew, 1.0, "per second", "Actuator.slew")))
    return mode, lines


def _gains(motor: Motor, c: Controller, kept: dict[str, str]) -> tuple[str, Gains, str]:
    """Mode, gains in volts and where they are from."""
    name = type(c).__name__
    if isinstance(c, Voltage):
        return "VOLTAGE", Gains(0.0), name
    if isinstance(c, PositionPid):
        return "POSITION", Gains(c.kp, c.ki, c.kd), name
    if isinstance(c, VelocityPi):
        return "VELOCITY", Gains(c.kp, c.ki), name
    if isinstance(c, TorquePid) and c.follows == "velocity":
        raise ParameterError(
            "kind = 'builtin_dc_motor': TorquePid(follows='velocity') has no counterpart, since MuJoCo's velocity mode "
            "does not make up for the back-EMF; take kind='builtin_velocity', or VelocityPi"
        )
    if not isinstance(c, (IdealPd, TorquePid)):
        raise ParameterError(f"kind = 'builtin_dc_motor': {name} has no counterpart in MuJoCo 3.11; take another kind")
    asked = Gains(c.stiffness, 0.0, c.damping) if isinstance(c, IdealPd) else Gains(c.kp, c.ki, c.kd)
    # at the joint, where a positive voltage turns it forwards whichever way the gears turn
    way = 1.0 if single("ratio", motor.ratio) > 0.0 else -1.0
    volts = volt_gains(motor, asked)
    kept["controller"] = "Gains in volts are right for a cold winding alone."
    told = f"{name} in volts: times R/(N·Kt), less the damping of the back-EMF"
    return "POSITION", Gains(way * volts.kp, way * volts.ki, way * volts.kd), told


def _torque_limit(motor: Motor, actuator: Actuator, numbers: Fields) -> list[Line]:
    if numbers.get("effort_limit") is not None:
        given = single("effort_limit", numbers["effort_limit"])
        return [("effort_limit", Figure(given, "N·m at the joint", "as given"))]
    effort = numbers.get("effort", "peak")
    amperes, name = allowed_current(motor, effort)
    known = [gear_torque(motor, effort), *(own_limits(limit)[0] for limit in actuator.limits)]
    if amperes is not None:
        torque = ratio_of(motor) * single("Kt", motor.magnet.torque_constant) * amperes
        known.append(Figure(torque, "N·m at the joint", f"gear · Kt · {name}, {amperes:g} A"))
    tightest = least(known)
    return [] if tightest is None else [("effort_limit", tightest)]


def _row(part: object, values: tuple[Number, ...], units: str) -> Figure:
    name = type(part).__name__
    return Figure(tuple(single(name, value) for value in values), units, name)


def _thermal(motor: Motor) -> Figure | None:
    t, w = motor.thermal, motor.winding
    if not isinstance(t, Thermal):
        return None
    numbers = (t.resistance, t.capacitance, 0.0, w.temperature_coefficient, w.reference_temperature, t.ambient)
    return _row(t, numbers, "K/W, J/K, s (unused), 1/K, °C of the resistance, °C ambient")


def _cogging(motor: Motor, n: float) -> Figure | None:
    if motor.cogging is None:
        return None
    wave = motor.cogging.harmonics[0]
    numbers = (n * wave.amplitude, n * wave.periodicity, wave.phase)
    return _row(wave, numbers, "N·m, periods per turn of the joint, rad")


def _bristles(motor: Motor, n: float) -> Figure | None:
    f = motor.friction
    if not isinstance(f, (Dahl, LuGre)):
        return None
    rest, speed, damping = (
        (f.coulomb, 1.0, 0.0) if isinstance(f, Dahl) else (f.stiction, f.stribeck_velocity, f.damping)
    )
    numbers = (n * n * f.stiffness, n * n * damping, n * f.coulomb, n * rest, speed / n)
    return _row(f, numbers, "N·m/rad, N·m·s/rad, N·m sliding, N·m at rest, rad/s, at the joint")
