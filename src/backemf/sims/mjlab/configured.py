"""mjlab's actuator configurations, read without running them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...actuator import Actuator
from ...actuator.controllers import IdealPd, PositionPid, TorquePid, VelocityPi, Voltage
from ...actuator.delay import Delay
from ...actuator.gains import Gains, torque_gains
from ...actuator.torque_limits import DcClip, EffortLimit, TorqueLimit
from ...errors import ParameterError
from ...motor import Cogging, Gearbox, Harmonic, LuGre, Magnet, Motor, Stage, Thermal, Winding
from ..text import Call, Value, calls, for_joint
from .law import DcMotor
from .law import IdealPd as IdealPdLaw

CLASSES = {
    "dc_motor": "DcMotorActuatorCfg",
    "ideal_pd": "IdealPdActuatorCfg",
    "builtin_pd": "BuiltinPdActuatorCfg",
    "builtin_position": "BuiltinPositionActuatorCfg",
    "builtin_dc_motor": "BuiltinDcMotorActuatorCfg",
}
"""Class of each kind of actuator."""
KINDS = {name: kind for kind, name in CLASSES.items()}
PARTS = ("DcMotorPhysicalParams", "DcMotorDatasheetParams", "DcMotorInputMode", "TransmissionType")
MODES = ("VOLTAGE", "POSITION", "VELOCITY")


@dataclass(frozen=True, kw_only=True)
class Configured:
    """An actuator as a text has it."""

    kind: str
    """"dc_motor", "ideal_pd", "builtin_pd", "builtin_position" or "builtin_dc_motor"."""
    joints: tuple[str, ...]
    """Patterns of joint names."""
    stiffness: Value = None
    """Torque per position error [N·m/rad], or of a "builtin_dc_motor" the voltage per error of its mode."""
    damping: Value = None
    """Torque per velocity error [N·m·s/rad], or of a "builtin_dc_motor" the voltage per velocity [V·s/rad]."""
    effort_limit: Value = None
    """Largest torque [N·m]; None: no limit."""
    saturation_effort: Value = None
    """Torque at stall [N·m]."""
    velocity_limit: Value = None
    """Speed without load [rad/s]."""
    armature: Value = None
    """Inertia added to the joint [kg·m²]; None: as in the robot's file."""
    frictionloss: Value = None
    """Dry friction [N·m]; None: as in the robot's file."""
    viscous_damping: Value = None
    """Friction per speed [N·m·s/rad]; None: as in the robot's file."""
    delay: Delay | None = None
    """Delay of the targets; None: none."""
    mode: str | None = None
    """What commands a "builtin_dc_motor": "VOLTAGE", "POSITION" or "VELOCITY"."""
    voltage_limit: Value = None
    """Its largest voltage [V]; None: any."""
    integral_gain: Value = None
    """Its integral gain [V/(rad·s)] or [V/rad]; None: no integral."""
    integral_limit: Value = None
    """Largest integral [rad·s] or [rad]; None: none."""
    slew_rate: Value = None
    """Fastest change of its command, per second; None: any."""
    gear: float = 1.0
    """Its gear ratio [1]."""
    motor: Motor | None = None
    """The motor before its gear."""
    line: int = 0
    """Line of the text on which it begins [1]."""

    def at(self, joint: str) -> Configured:
        """The same for one joint."""
        return for_joint(self, joint)

    @property
    def limits(self) -> tuple[TorqueLimit, ...]:
        """The limits of the joint torque."""
        if self.effort_limit is None:
            return ()
        if self.saturation_effort is None:
            return (EffortLimit(effort_limit=self.gear * self.effort_limit),)
        return (
            DcClip(
                saturation_effort=self.saturation_effort,
                velocity_limit=self.velocity_limit,
                effort_limit=self.effort_limit,
            ),
        )

    def actuator(self) -> Actuator:
        """The same as a backemf actuator; only a "builtin_dc_motor" has a motor."""
        if self.motor is None:
            controller = IdealPd(stiffness=self.stiffness, damping=self.damping)
            return Actuator(controller=controller, limits=self.limits, delay=self.delay)
        if self.mode != "VOLTAGE" and self.gear != 1.0:
            raise ParameterError(
                f"BuiltinDcMotorActuatorCfg.gear = {self.gear:g} with mode {self.mode}: mjlab compares the target with "
                "gear·angle; bring the motor's constants to the joint and write gear=1.0"
            )
        return Actuator(
            self.motor,
            controller=self._controller(),
            limits=self.limits,
            delay=self.delay,
            slew=self.slew_rate,
            voltage_limit=self.voltage_limit,
        )

    def _controller(self) -> Voltage | PositionPid | VelocityPi | TorquePid:
        if self.mode == "VOLTAGE":
            return Voltage()
        integral = {"ki": self.integral_gain, "integral_limit": self.integral_limit}
        if self.mode == "POSITION" and self.motor is not None and self.damping < 0.0:
            # volts that take back some of the back-EMF's damping: the same voltage comes of gains in torque
            gains = torque_gains(self.motor, Gains(self.stiffness, self.integral_gain or 0.0, self.damping))
            return TorquePid(kp=gains.kp, ki=gains.ki, kd=gains.kd, integral_limit=self.integral_limit)
        if self.mode == "POSITION":
            return PositionPid(kp=self.stiffness, kd=self.damping, **integral)
        return VelocityPi(kp=self.stiffness, **integral)

    def law(self) -> IdealPdLaw | DcMotor:
        """What mjlab computes with it, where mjlab and not MuJoCo does so."""
        if self.kind == "dc_motor":
            return DcMotor(
                stiffness=self.stiffness,
                damping=self.damping,
                effort_limit=self.effort_limit,
                saturation_effort=self.saturation_effort,
                velocity_limit=self.velocity_limit,
            )
        if self.kind == "ideal_pd":
            return IdealPdLaw(stiffness=self.stiffness, damping=self.damping, effort_limit=self.effort_limit)
        raise ParameterError(f"{self.kind}: MuJoCo computes its force, and no law of mjlab")


def read(text: str, file: str = "") -> list[Configured]:
    """Every actuator in a configuration text of mjlab 1.6, in the order of the text."""
    return [_configured(call) for call in calls(text, tuple(KINDS), PARTS, "target_names_expr", file)]


def _configured(call: Call) -> Configured:
    kind = KINDS[call.name]
    for name in call.fields:
        if name not in FIELDS[kind] | COMMON:
            raise call.error(name, f"{call.name} has no such field")
    known: dict[str, Any] = {"kind": kind, "joints": call.joints("target_names_expr"), "line": call.line}
    for name in ("armature", "frictionloss", "viscous_damping"):
        known[name] = call.number(name, least=0.0)
    known["delay"] = _delay(call)
    if call.take("transmission_type", "JOINT") != "JOINT":
        raise call.error("transmission_type", "only joints are read")
    if kind == "builtin_dc_motor":
        return Configured(**known, **_builtin(call))
    for name in ("stiffness", "damping"):
        known[name] = call.number(name, least=0.0, required="give the gain")
    endless = call.fields.get("effort_limit") == float("inf") and kind != "dc_motor"
    wanted = "give the largest torque [N·m]; mjlab has none otherwise" if kind == "dc_motor" else ""
    known["effort_limit"] = None if endless else call.number("effort_limit", above=0.0, required=wanted)
    if kind == "dc_motor":
        known["saturation_effort"] = call.number("saturation_effort", above=0.0, required="give the stall torque [N·m]")
        known["velocity_limit"] = call.number("velocity_limit", above=0.0, required="give the no-load speed [rad/s]")
    return Configured(**known)


COMMON = {
    "target_names_expr",
    "transmission_type",
    "armature",
    "frictionloss",
    "viscous_damping",
    "delay_min_lag",
    "delay_max_lag",
    "delay_hold_prob",
    "delay_update_period",
    "delay_per_env_phase",
}
"""Fields of every actuator."""
_PD = {"stiffness", "damping", "effort_limit"}
_SWITCHED = ("voltage_limit", "integral_gain", "integral_limit", "slew_rate")
FIELDS = {
    "dc_motor": _PD | {"saturation_effort", "velocity_limit"},
    "ideal_pd": _PD,
    "builtin_pd": _PD,
    "builtin_position": _PD,
    "builtin_dc_motor": _PD
    | {*_SWITCHED, "motor_params", "mode", "gear", "inductance", "electrical_time_constant"}
    | {"thermal", "cogging", "lugre"},
}
"""Fields of each kind besides."""


def _delay(call: Call) -> Delay | None:
    low, high = call.steps("delay_min_lag"), call.steps("delay_max_lag")
    if low > high:
        raise call.error("delay_min_lag", f"must not be above delay_max_lag = {high}")
    chance = call.number("delay_hold_prob", least=0.0)
    if chance is not None and chance > 1.0:
        raise call.error("delay_hold_prob", "must be at most 1")
    staggered = call.take("delay_per_env_phase", True)
    if not isinstance(staggered, bool):
        raise call.error("delay_per_env_phase", "must be True or False")
    period = call.steps("delay_update_period")
    if high == 0:
        return None
    return Delay(
        steps=(low, high), schedule="mjlab", period=period, hold_probability=chance or None, staggered=staggered
    )


def _builtin(call: Call) -> dict[str, Any]:
    mode = call.word("mode", MODES, "POSITION")
    gear = call.number("gear")
    if gear == 0.0:
        raise call.error("gear", "must not be zero")
    known: dict[str, Any] = {"mode": mode, "gear": 1.0 if gear is None else gear}
    if mode != "VOLTAGE":
        known["stiffness"] = call.number("stiffness", above=0.0, required="give the gain")
        known["damping"] = call.number("damping") or 0.0
        call.number("voltage_limit", above=0.0, required="give the largest voltage [V]")
    for name in _SWITCHED:
        # mjlab's 0 switches these off
        known[name] = call.number(name, least=0.0) or None
    known["effort_limit"] = call.number("effort_limit", above=0.0)
    known["motor"] = _motor(call, known["gear"])
    return known


def _motor(call: Call, gear: float) -> Motor:
    params = call.take("motor_params", None, "give DcMotorPhysicalParams(...) or DcMotorDatasheetParams(...)")
    if not isinstance(params, Call):
        raise call.error("motor_params", "must be DcMotorPhysicalParams(...) or DcMotorDatasheetParams(...)")
    if params.name == "DcMotorPhysicalParams":
        kt, ke, ohms = (params.number(n, above=0.0, required="give it") for n in ("kt", "ke", "resistance"))
    else:
        names = ("nominal_voltage", "stall_torque", "no_load_speed")
        volts, stall, speed = (params.number(n, above=0.0, required="give it") for n in names)
        kt = ke = volts / speed
        ohms = kt * volts / stall
    inductance = call.number("inductance", least=0.0) or ohms * (call.number("electrical_time_constant") or 0.0)
    slope, reference, thermal = 0.0, 25.0, None
    if (row := _row(call, "thermal", 6)) is not None:
        slope, reference = row[3], row[4]
        thermal = _thermal(call, row)
    lugre, cogging = _row(call, "lugre", 5), _row(call, "cogging", 3)
    try:
        return Motor(
            winding=Winding(
                resistance=ohms,
                inductance=inductance or None,
                temperature_coefficient=slope,
                reference_temperature=reference,
            ),
            magnet=Magnet(torque_constant=kt, back_emf_constant=ke),
            thermal=thermal,
            friction=None if lugre is None else _lugre(lugre),
            cogging=None if cogging is None else _cogging(cogging),
            gearbox=None if gear == 1.0 else Gearbox(stages=(Stage(ratio=gear),)),
        )
    except ParameterError as error:
        raise ParameterError(f"{call.at()}: {call.name}: {error}") from None


def _row(call: Call, name: str, length: int) -> list[float] | None:
    row = call.take(name)
    if row is None:
        return None
    good = isinstance(row, list) and len(row) == length and all(type(x) in (int, float) for x in row)
    if not good:
        raise call.error(name, f"must be {length} numbers")
    return [float(x) for x in row]


def _thermal(call: Call, row: list[float]) -> Thermal:
    resistance, capacitance, time = row[:3]
    if sum(x > 0.0 for x in (resistance, capacitance, time)) < 2:
        raise call.error("thermal", "must have two of resistance, capacitance and time constant")
    resistance = resistance or time / capacitance
    return Thermal(resistance=resistance, capacitance=capacitance or time / resistance, ambient=row[5])


def _lugre(row: list[float]) -> LuGre:
    stiffness, damping, coulomb, stiction, speed = row
    return LuGre(stiffness=stiffness, damping=damping, coulomb=coulomb, stiction=stiction, stribeck_velocity=speed)


def _cogging(row: list[float]) -> Cogging:
    return Cogging(harmonics=(Harmonic(amplitude=row[0], periodicity=row[1], phase=row[2]),))
