"""mjlab's actuator configurations, written for a motor.

Every number is on the joint's side of the gear. `BuiltinDcMotorActuatorCfg` has a gear of its own, but compares the
target with gear·angle in its position and velocity modes; with the motor's constants brought to the joint there is no
need for it.
"""

from __future__ import annotations

from typing import Any

from ...actuator import Actuator
from ...actuator.controllers import IdealPd, PositionPid, TorquePid, VelocityPi, Voltage
from ...actuator.delay import Delay
from ...actuator.gains import Gains, volt_gains
from ...errors import ParameterError
from ...motor import Dahl, LuGre, Motor, Thermal, mark
from ..joint import (
    NUMBERS,
    Joint,
    allowed_current,
    feeding,
    friction_of,
    gear_torque,
    has_line,
    joint_of,
    least,
    own_limits,
    parts_of,
    ratio_of,
    require_known,
    single,
    whole_steps,
)
from ..joint import armature_of as armature_at_joint
from ..losses import kept_by_joint, statuses
from ..on_joint import OnJoint
from ..text import Figure, Written, one_of, quoted, single_number, source_of, write_call
from .configured import CLASSES, Configured, read

__all__ = ["CLASSES", "Configured", "read", "read_actuator", "write"]


def write(
    thing: Motor | Actuator,
    joints: tuple[str, ...] = (".*",),
    kind: str | None = None,
    *,
    timestep: float | None = None,
    **numbers: Any,
) -> Written:
    """Configuration text of mjlab 1.6 for an actuator, and what is lost.

    `kind` is "dc_motor", "ideal_pd", "builtin_pd", "builtin_position" or, for a motor with its currents,
    "builtin_dc_motor"; left out, it is "dc_motor" where a torque-speed line is known and else "ideal_pd". Gains are
    those of an `IdealPd` or `TorquePid`; else give `stiffness=` and `damping=`, or `bandwidth_hz=` with
    `damping_ratio=` and `inertia=` [kg·m²]. `supply=` is the voltage behind the torque-speed line, the motor's rated
    one if left out; `effort=` "peak" or "continuous" chooses the current behind `effort_limit`, which may be given
    instead [N·m]. A delay in seconds needs the physics `timestep` [s].
    """
    kind = ("dc_motor" if has_line(thing) else "ideal_pd") if kind is None else kind
    if kind not in CLASSES:
        raise ParameterError(f"kind = {kind!r}: must be one of {', '.join(CLASSES)}")
    # the gains of a motor with its currents are those of its controller
    require_known(numbers, ("supply", "effort", "effort_limit") if kind == "builtin_dc_motor" else NUMBERS)
    motor, actuator = parts_of(thing)
    lines: list[tuple[str, Any]] = [("target_names_expr", f"({quoted(joints)},)")]
    notes: list[str] = []
    if kind == "builtin_dc_motor":
        imports, more, kept = _builtin_motor(motor, actuator, numbers, notes)
        joint = _nothing(motor)
    else:
        joint = joint_of(thing, **numbers)
        kept = kept_by_joint(actuator, joint, line=kind == "dc_motor")
        imports, more = [], _limits(kind, joint, notes)
        if kind == "builtin_position":
            kept["controller"] = "Targets of velocity and effort have no effect."
        more += [("stiffness", joint.stiffness), ("damping", joint.damping)]
    lines += more
    named = (("armature", joint.armature), ("frictionloss", joint.coulomb), ("viscous_damping", joint.viscous))
    hidden = ("frictionloss",) if "pre-sliding" in kept else ()
    lines += [(name, figure) for name, figure in named if figure is not None and name not in hidden]
    lines += _delay(actuator.delay, timestep, kept)
    name = CLASSES[kind]
    taken = ", ".join(sorted([name, *imports]))
    text = f"from mjlab.actuator import {taken}\n\nactuator = {write_call(name, lines)}\n"
    return Written(text=text, statuses=statuses(thing, kept), notes=notes)


def read_actuator(text_or_path: Any, joint: str | None = None) -> OnJoint:
    """The actuator of a configuration text or file, or the one for a joint, with what it says of the joint itself."""
    text, file = source_of(text_or_path)
    found = one_of(read(text, file), joint, file)
    return OnJoint(
        actuator=found.actuator(),
        joint=found.joints[0],
        armature=single_number(found, "armature"),
        coulomb=single_number(found, "frictionloss"),
        viscous=single_number(found, "viscous_damping"),
    )


def _limits(kind: str, joint: Joint, notes: list[str]) -> list[tuple[str, Any]]:
    if joint.effort_limit is None:
        raise ParameterError(
            "effort_limit is not known: give a motor with a voltage, an Actuator with a DcClip or an EffortLimit, "
            "or effort_limit="
        )
    if kind != "dc_motor":
        return [("effort_limit", joint.effort_limit)]
    if joint.saturation_effort is None or joint.velocity_limit is None:
        raise ParameterError("kind = 'dc_motor' needs a torque-speed line: give a motor, or a DcClip in limits")
    if joint.effort_limit.value > joint.saturation_effort.value:
        notes.append(
            "The effort limit is above the stall torque, so it has no effect while driving; mjlab warns of it."
        )
    return [
        ("effort_limit", joint.effort_limit),
        ("saturation_effort", joint.saturation_effort),
        ("velocity_limit", joint.velocity_limit),
    ]


def _delay(delay: Delay | None, timestep: float | None, kept: dict[str, str]) -> list[tuple[str, Any]]:
    if delay is None:
        return []
    told: list[str] = []
    low, high = whole_steps(delay, timestep, told)
    source = f"Delay.{'steps' if delay.seconds is None else 'seconds'}"
    lines: list[tuple[str, Any]] = [
        ("delay_min_lag", Figure(low, "physics steps", source)),
        ("delay_max_lag", Figure(high, "physics steps", source)),
    ]
    if delay.schedule in ("period", "mjlab"):
        lines.append(("delay_update_period", Figure(delay.period, "physics steps", "Delay.period")))
        lines.append(("delay_per_env_phase", repr(delay.staggered)))
    if delay.hold_probability is not None:
        chance = single("Delay.hold_probability", delay.hold_probability)
        lines.append(("delay_hold_prob", Figure(chance, "1", "Delay.hold_probability")))
    if low != high and delay.schedule in (None, "constant", "episode", "isaaclab"):
        told.append("A new delay is drawn at every step: mjlab has none that stays for an episode.")
    if low != high and delay.schedule != "mjlab" and not delay.reorder:
        told.append("A younger command may overtake an older one.")
    if delay.targets is not None or delay.per == "joint":
        told.append("All joints and targets are delayed alike.")
    kept["delay"] = " ".join(told)
    return lines


# --- a motor with its currents


def _nothing(motor: Motor | None) -> Joint:
    """What of a motor stays with the joint when its currents are simulated."""
    if motor is None:
        raise ParameterError("kind = 'builtin_dc_motor' simulates currents: give a motor")
    coulomb, stiction, viscous = friction_of(motor)
    zero = Figure(0.0, "", "")
    return Joint(
        stiffness=zero,
        damping=zero,
        effort_limit=None,
        saturation_effort=None,
        velocity_limit=None,
        armature=None if motor.rotor is None else armature_at_joint(motor),
        coulomb=coulomb,
        stiction=stiction,
        viscous=viscous,
        table=None,
    )


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
"""What each of its rows holds besides."""


def _builtin_motor(
    motor: Motor | None, actuator: Actuator, numbers: dict[str, Any], notes: list[str]
) -> tuple[list[str], list[tuple[str, Any]], dict[str, str]]:
    """Classes to import, fields and what is kept."""
    if motor is None:
        raise ParameterError("kind = 'builtin_dc_motor' simulates currents: give a motor")
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
    lines: list[tuple[str, Any]] = [("motor_params", inner)]
    lines += _controller(motor, actuator, numbers.get("supply"), kept)
    lines += _torque_limit(motor, actuator, numbers)
    if motor.winding.inductance is not None:
        kept["inductance"] = ""
        source = f"Winding.inductance{mark(motor, 'winding.inductance')}"
        lines.append(("inductance", _figure(motor.winding.inductance, 1.0, "H", source)))
    for name, value in (("thermal", _thermal(motor)), ("cogging", _cogging(motor, n)), ("lugre", _bristles(motor, n))):
        if value is not None:
            kept |= dict.fromkeys(ROWS[name], "")
            lines.append((name, value))
    if isinstance(motor.friction, LuGre) and (motor.friction.stribeck_exponent, motor.friction.damping_exponent) != (
        None,
        None,
    ):
        kept["Stribeck curve"] = "The exponents of LuGre friction are lost: a Gaussian curve, constant bristle damping."
    return ["DcMotorInputMode", "DcMotorPhysicalParams"], lines, kept


def _figure(value: Any, factor: float, unit: str, source: str) -> Figure:
    known = single(source, value)
    gear = f"gear {factor:g} · " if factor != 1.0 else ""
    return Figure(factor * known if factor != 1.0 else known, unit, f"{gear}{source}")


def _controller(motor: Motor, actuator: Actuator, supply: Any, kept: dict[str, str]) -> list[tuple[str, Any]]:
    """Mode, gains and voltage limit; gains in torque become gains in volts."""
    c = actuator.controller
    gains, mode, how = Gains(0.0), "VOLTAGE", type(c).__name__
    if isinstance(c, PositionPid):
        gains, mode = Gains(c.kp, c.ki or 0.0, c.kd), "POSITION"
    elif isinstance(c, VelocityPi):
        gains, mode = Gains(c.kp, c.ki or 0.0), "VELOCITY"
    elif isinstance(c, (IdealPd, TorquePid)):
        asked = Gains(c.stiffness, 0.0, c.damping) if isinstance(c, IdealPd) else Gains(c.kp, c.ki or 0.0, c.kd)
        gains, mode = volt_gains(motor, asked), "POSITION"
        how = f"{how} in volts: times R/(N·Kt), less the damping of the back-EMF"
        kept["controller"] = (
            "Targets of velocity and effort have no effect, and gains in volts are right for a cold winding alone."
        )
    elif not isinstance(c, Voltage):
        raise ParameterError(f"kind = 'builtin_dc_motor': {how} has no counterpart in MuJoCo 3.11; take another kind")
    lines: list[tuple[str, Any]] = [("mode", f"DcMotorInputMode.{mode}")]
    units = ("V·s/rad", "V/rad") if mode == "VELOCITY" else ("V/rad", "V/(rad·s)")
    if mode != "VOLTAGE":
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
    if actuator.slew is not None:
        lines.append(("slew_rate", _figure(actuator.slew, 1.0, "per second", "Actuator.slew")))
    return lines


def _torque_limit(motor: Motor, actuator: Actuator, numbers: dict[str, Any]) -> list[tuple[str, Any]]:
    if numbers.get("effort_limit") is not None:
        return [
            ("effort_limit", Figure(single("effort_limit", numbers["effort_limit"]), "N·m at the joint", "as given"))
        ]
    effort = numbers.get("effort", "peak")
    amperes, name = allowed_current(motor, effort)
    known = [gear_torque(motor, effort), *(own_limits(limit)[0] for limit in actuator.limits)]
    if amperes is not None:
        torque = ratio_of(motor) * single("Kt", motor.magnet.torque_constant) * amperes
        known.append(Figure(torque, "N·m at the joint", f"gear · Kt · {name}, {amperes:g} A"))
    tightest = least(known)
    return [] if tightest is None else [("effort_limit", tightest)]


def _row(part: Any, values: tuple[Any, ...], units: str) -> Figure:
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
