"""A controller as MuJoCo's `dcmotor` has it: until 3.11 gains in volts, since 3.12 gains in torque.

With K and R of the written motor, τ = K/R·(v - K·w), so that gains go over by

    torque = K/R·volts,  and  kd_torque = K/R·kd_volts + K²/R       since the back-EMF damps by itself

A controller in torque asks for the torque in front of the gear loss η, MuJoCo's for that behind it: its gains are η
times ours, which makes the voltage the same. A velocity loop is not the same in both: in volts its target is divided
by 1 + K/kp.
"""

from __future__ import annotations

from typing import NamedTuple

from ....actuator import Supply
from ....actuator.controllers import DutyServo, IdealPd, PositionPid, Torque, TorquePid, VelocityPi, Voltage
from ....actuator.controllers.controller import Controller
from ....checks import Maybe
from ....design.gains import Gains
from ....errors import ParameterError
from ....parts import acts
from ...joint import single
from .joint_model import Constants, tidy


class Loop(NamedTuple):
    """A controller as MuJoCo has it."""

    inputs: str
    """Of the attribute `input`."""
    gains: Gains = Gains(0.0)
    note: str = ""
    """How it is approximated; empty where it is not."""
    integral: str | None = None
    """How its integral is approximated, empty where it is kept; None: it is lost, or there is none."""
    limit: Maybe = None
    """Largest integral."""
    per_command: float = 1.0
    """What to command in place of 1 of our main input [1]."""


def in_torque(gains: Gains, k: Constants) -> Gains:
    """Gains in torque that do what gains in volts do."""
    per_volt = k.motor_constant / k.resistance
    kp, ki, kd = (per_volt * single("gain", gain) for gain in gains)
    return Gains(kp, ki, kd + per_volt * k.motor_constant)


def as_volts(gains: Gains, k: Constants) -> Gains:
    """Gains in volts that do what gains in torque, before the gear loss, do."""
    per_torque = k.efficiency * k.resistance / k.motor_constant
    kp, ki, kd = (per_torque * single("gain", gain) for gain in gains)
    return Gains(kp, ki, tidy(kd - k.motor_constant, beside=k.motor_constant))


def behind_gears(gains: Gains, k: Constants) -> Gains:
    """Gains of a torque before the gear loss as gains of the torque after it."""
    kp, ki, kd = (k.efficiency * single("gain", gain) for gain in gains)
    return Gains(kp, ki, kd)


def volt_gains_of(c: PositionPid | DutyServo, supply: Supply | None) -> tuple[Gains, str]:
    """Gains of a position loop in volts; those of a servo are a duty of its bus."""
    bus, note = 1.0, ""
    if isinstance(c, DutyServo):
        if supply is None:
            raise ParameterError("DutyServo gives a duty of the bus voltage: give supply=")
        bus = single("Supply.voltage", supply.voltage)
        note = "" if not acts(c, "dead_band") else f"The dead band of the servo is lost: {c.dead_band} rad."
    kp, ki, kd = (bus * single("gain", gain or 0.0) for gain in (c.kp, c.ki, c.kd))
    return Gains(kp, ki, kd), note


def torque_gains_of(c: IdealPd | TorquePid) -> Gains:
    """Gains of a controller in torque."""
    if isinstance(c, IdealPd):
        return Gains(single("stiffness", c.stiffness), 0.0, single("damping", c.damping))
    return Gains(single("kp", c.kp), single("ki", c.ki), single("kd", c.kd))


def loop_in_volts(c: Controller, k: Constants, supply: Supply | None) -> Loop:
    """A controller of MuJoCo until 3.11."""
    if isinstance(c, Voltage):
        return Loop("voltage")
    if isinstance(c, Torque):
        per_torque = k.efficiency * k.resistance / k.motor_constant
        return Loop(
            "voltage",
            note="MuJoCo takes no torque until 3.11: command the voltage "
            f"{per_torque:.6g} · torque + {k.motor_constant:.6g} · joint velocity.",
        )
    if isinstance(c, (PositionPid, DutyServo)):
        gains, note = volt_gains_of(c, supply)
        return Loop("position", gains, note, "", c.integral_limit)
    if isinstance(c, VelocityPi):
        return Loop("velocity", Gains(single("kp", c.kp), single("ki", c.ki)), "", MOVING)
    if isinstance(c, TorquePid) and c.follows == "velocity":
        gains = as_volts(Gains(0.0, torque_gains_of(c).ki, torque_gains_of(c).kd), k)
        if gains.kd <= 0.0:
            raise ParameterError(
                f"TorquePid.kd = {c.kd} with follows='velocity': the back-EMF alone damps more than this, which MuJoCo "
                "until 3.11 cannot undo; raise it, or write version='4.0'"
            )
        note, share = "Targets of position and effort have no effect", 1.0
        if not gains.ki:
            share = 1.0 + k.motor_constant / gains.kd
            note += f", and the back-EMF counts: command {share:.4g} times the target of velocity"
        return Loop("velocity", Gains(gains.kd, gains.ki), f"{note}.", MOVING, per_command=share)
    if isinstance(c, (IdealPd, TorquePid)):
        note = "Targets of velocity and effort have no effect."
        return Loop("position", as_volts(torque_gains_of(c), k), note, "", getattr(c, "integral_limit", None))
    raise no_counterpart(c)


MOVING = "The moving target starts at 0, wherever the joint is, and has no limit."


def loop_in_torque(c: Controller, k: Constants, supply: Supply | None) -> Loop:
    """A controller of MuJoCo since 3.12."""
    note = (
        "" if k.efficiency == 1.0 else f"An effort counts behind the gears: command {k.efficiency:.4g} times as much."
    )
    if isinstance(c, Voltage):
        return Loop("voltage")
    if isinstance(c, Torque):
        return Loop("ff", note=note, per_command=k.efficiency)
    if isinstance(c, (PositionPid, DutyServo)):
        gains, note = volt_gains_of(c, supply)
        return Loop("pos", in_torque(gains, k), note, "", c.integral_limit)
    if isinstance(c, VelocityPi):
        kp = single("kp", c.kp)
        share = kp / (kp + k.motor_constant)
        note = f"The loop makes up for the back-EMF: command {share:.4g} times the target of velocity."
        return Loop("vel", Gains(0.0, 0.0, in_torque(Gains(0.0, 0.0, kp), k).kd), note, per_command=share)
    if isinstance(c, TorquePid) and c.follows == "velocity":
        kd = behind_gears(torque_gains_of(c), k).kd
        return Loop("vel", Gains(0.0, 0.0, kd), "Targets of position and effort have no effect.")
    if isinstance(c, (IdealPd, TorquePid)):
        gains = behind_gears(torque_gains_of(c), k)
        return Loop("pos vel ff", gains, note, "", getattr(c, "integral_limit", None))
    raise no_counterpart(c)


def no_counterpart(c: Controller) -> ParameterError:
    """The error for a controller without a counterpart in MuJoCo."""
    return ParameterError(
        f"{type(c).__name__} has no counterpart in MuJoCo's dcmotor: write one of Voltage, PositionPid, VelocityPi, "
        "TorquePid, IdealPd, Torque and DutyServo, or step the actuator inside MuJoCo"
    )
