"""The laws of the controllers: what each asks for at a joint position and velocity, and how its integral goes on.

An answer says what is asked, in volts or as a joint torque, and how that rises with the joint's velocity and position.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..physics.limits import clip
from ..physics.ops import absolute, maximum, minimum, sign, where
from .command import Command
from .controllers import DutyServo, IdealPd, PositionPid, TorquePid, VelocityPi


@dataclass(frozen=True)
class Asked:
    """What a controller asks for."""

    amount: Any
    """Voltage [V] or joint torque [N·m]."""
    per_velocity: Any = 0.0
    """How fast it rises with the joint velocity."""
    per_position: Any = 0.0
    """How fast it rises with the joint position."""
    rate: Any = None
    """How fast the integral goes on, before anything stops it; None: there is no integral."""


def position_pid(c: PositionPid | DutyServo, target, integral, position, velocity) -> Asked:
    """kp·(target - q) + ki·∫(target - q) - kd·q' [V] or [1]."""
    error, per_position = target - position, -c.kp
    if isinstance(c, DutyServo) and c.dead_band is not None:
        # within the dead band nothing follows the joint
        per_position = where(absolute(error) > c.dead_band, per_position, 0.0 * error)
        error = beyond(error, c.dead_band)
    amount = c.kp * error - c.kd * velocity
    if c.ki is None:
        return Asked(amount, -c.kd, per_position)
    return Asked(amount + c.ki * integral, -c.kd, per_position, error)


def beyond(error, band):
    """What of an error lies beyond a dead band."""
    return sign(error) * maximum(absolute(error) - band, 0.0)


def velocity_pi(c: VelocityPi, target, integral, position, velocity) -> Asked:
    """kp·(target - q') + ki·(p - q), where p goes on at the target velocity [V]."""
    amount = c.kp * (target - velocity)
    if c.ki is None:
        return Asked(amount, -c.kp, 0.0)
    return Asked(amount + c.ki * (integral - position), -c.kp, -c.ki, target)


def torque_pid(c: TorquePid, command: Command, integral, position, velocity) -> Asked:
    """kp·(p - q) + ki·∫(p - q) + kd·(v - q') + effort; ∫ is that of the main input [N·m]."""
    asked = pd(c.kp, c.kd, command, position, velocity)
    if c.ki is None:
        return asked
    if c.follows == "velocity":
        amount = asked.amount + c.ki * (integral - position)
        return Asked(amount, asked.per_velocity, asked.per_position - c.ki, command.velocity)
    amount = asked.amount + c.ki * integral
    return Asked(amount, asked.per_velocity, asked.per_position, command.position - position)


def ideal_pd(c: IdealPd, command: Command, position, velocity) -> Asked:
    """stiffness·(p - q) + damping·(v - q') + effort [N·m]."""
    return pd(c.stiffness, c.damping, command, position, velocity)


def pd(kp, kd, command: Command, position, velocity) -> Asked:
    """kp·(p - q) + kd·(v - q') + effort [N·m]; kp rests without a position target, v is 0 without a velocity target."""
    damping = -kd * velocity if command.velocity is None else kd * (command.velocity - velocity)
    if command.position is None:
        amount, stiffness = damping, 0.0
    else:
        amount, stiffness = kp * (command.position - position) + damping, -kp
    return Asked(amount if command.effort is None else amount + command.effort, -kd, stiffness)


def slewed(target, before, rate, dt):
    """A setpoint that moves by no more than rate·dt from its last value."""
    return clip(target, before - rate * dt, before + rate * dt)


def integrated(integral, rate, centre, limit, stopped, dt):
    """The integral after a step.

    At its limit around `centre` it only moves back, and it ends within the limit. `stopped` is where it rests: None, or
    a mask of the motors whose limits act.
    """
    if stopped is not None:
        rate = where(stopped, 0.0, rate)
    if limit is None:
        return integral + rate * dt
    off = integral - centre
    rate = where(off >= limit, minimum(rate, 0.0), where(off <= -limit, maximum(rate, 0.0), rate))
    return centre + clip(off + rate * dt, -limit, limit)
