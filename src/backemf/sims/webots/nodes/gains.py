"""Which of Webots' three kinds of command an actuator is closest to, and the gains of Webots' PID for it.

Webots' PID answers an error with a velocity. A controller that answers with a torque or a voltage moves the joint,
where nothing but its own damping holds it back, with a velocity of kp/kd per error: that is the P that fits.
"""

from __future__ import annotations

from typing import NamedTuple

from ....actuator import Actuator, DutyServo, IdealPd, ModeSelector, PositionPid, Torque, TorquePid, VelocityPi
from ....motor import Motor
from ...joint import Joint, ratio_of, single
from ...text import Figure

DEFAULT_P = 10.0
"""Webots' own P [1/s]."""


class Chosen(NamedTuple):
    """How an actuator is commanded in Webots."""

    control: str
    """"position", "velocity" or "torque"."""
    pid: tuple[Figure, Figure, Figure] | None
    """P [1/s], I [1/s²] and D [1] of the PID; None: Webots' own."""
    note: str | None
    """How the controller is approximated; empty: it is kept; None: there is none."""


def choose_command(actuator: Actuator, joint: Joint, given: bool, control: str | None) -> Chosen:
    """The kind of command, by the controller or as asked for; `given` says that stiffness and damping were given."""
    found = _command_of(actuator, joint, given)
    if control is None or control == found.control:
        return found
    own = type(actuator.controller).__name__
    return Chosen(control, None, f"The controller's program commands a {control} in place of {own}.")


def _command_of(actuator: Actuator, joint: Joint, given: bool) -> Chosen:
    c, motor = actuator.controller, actuator.motor
    if isinstance(c, VelocityPi) or (isinstance(c, TorquePid) and c.follows == "velocity"):
        told = (
            f"Webots reaches a velocity within one step, as far as maxTorque goes; {type(c).__name__} takes its time."
        )
        return Chosen("velocity", None, told)
    if given or isinstance(c, (IdealPd, TorquePid)):
        return _by_torque(joint, getattr(c, "ki", None) if isinstance(c, TorquePid) and not given else None)
    if isinstance(c, (PositionPid, DutyServo)) and motor is not None:
        return _by_voltage(c, motor, actuator)
    if isinstance(c, ModeSelector):
        return Chosen("torque", None, "Only the torque of ModeSelector is left: the program chooses between calls.")
    return Chosen("torque", None, "" if isinstance(c, Torque) else None)


def _by_torque(joint: Joint, ki: float | None) -> Chosen:
    kp, kd = joint.stiffness.value, joint.damping.value
    told = "Webots' PID answers an error with a velocity, which is reached within one step, and not with a torque: "
    if kp == 0.0:
        return Chosen("torque", None, "")
    if kd > 0.0:
        p, source = kp / kd, f"stiffness {kp:g} / damping {kd:g}"
    elif joint.armature is not None and joint.armature.value > 0.0:
        p, source = (kp / joint.armature.value) ** 0.5, f"sqrt(stiffness {kp:g} / inertia {joint.armature.value:g})"
    else:
        p, source = DEFAULT_P, "Webots' own: without damping no velocity fits"
    i = 0.0 if not ki or kd == 0.0 else single("ki", ki) / kd
    return Chosen("position", _pid(p, source, i, "ki / damping"), f"{told}P = {p:.4g} 1/s, {source}.")


def _by_voltage(c: PositionPid | DutyServo, motor: Motor, actuator: Actuator) -> Chosen:
    volts = 1.0
    if isinstance(c, DutyServo) and actuator.supply is not None:
        volts = single("Supply.voltage", actuator.supply.voltage)
    back = ratio_of(motor) * single("Ke", motor.magnet.back_emf_constant)
    per_speed = volts * single("kd", c.kd) + back
    p = volts * single("kp", c.kp) / per_speed
    i = volts * single("ki", c.ki) / per_speed
    source = f"volts per error / {per_speed:.4g} V·s/rad of kd and back-EMF"
    told = "Webots' PID answers an error with a velocity, which is reached within one step, and not with a voltage: "
    if p <= 0.0:
        return Chosen("position", None, f"{told}P is Webots' own, since kp is 0.")
    return Chosen("position", _pid(p, source, i, "ki by the same"), f"{told}P = {p:.4g} 1/s, {source}.")


def _pid(p: float, source: str, i: float, integral: str) -> tuple[Figure, Figure, Figure]:
    return (
        Figure(p, "1/s", source),
        Figure(i, "1/s²", integral if i else "none"),
        Figure(0.0, "1", "damping is in P"),
    )
