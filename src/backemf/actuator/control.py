"""What the laws of all controllers share: what one asks for, how its integral goes on, and where its law is found.

An answer says what is asked, in volts, as a duty or as a joint torque, and how that rises with the joint's velocity and
position.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ..parts import Laws
from ..physics.command import Command
from ..physics.limits import clip
from ..physics.ops import maximum, minimum, where
from ..values import Bits, Maybe, Number

LAWS = Laws()
"""Law of each controller, by its class: `law(controller, command, integral, position, velocity)`."""
law_of = LAWS.register
"""Makes a function the law of a controller: `@law_of(IdealPd)`."""


class Targets(Protocol):
    """What the law of a controller sees of a command: each of its own `inputs` is a number, those left out are 0."""

    position: Number
    velocity: Number
    effort: Number
    voltage: Number
    mode: Number


@dataclass(frozen=True)
class Asked:
    """What a controller asks for."""

    amount: Number
    """Voltage [V], duty [1] or joint torque [N·m]."""
    per_velocity: Number = 0.0
    """How fast it rises with the joint velocity."""
    per_position: Number = 0.0
    """How fast it rises with the joint position."""
    rate: Maybe = None
    """How fast the integral goes on, before anything stops it; None: there is no integral."""


def pd(kp: Number, kd: Number, command: Command, position: Number, velocity: Number) -> Asked:
    """kp·(p - q) + kd·(v - q') + effort [N·m]; kp rests without a position target, v is 0 without a velocity target."""
    damping = -kd * velocity if command.velocity is None else kd * (command.velocity - velocity)
    if command.position is None:
        amount, stiffness = damping, 0.0
    else:
        amount, stiffness = kp * (command.position - position) + damping, -kp
    return Asked(amount if command.effort is None else amount + command.effort, -kd, stiffness)


def slew_limit(target: Number, before: Number, rate: Number, dt: Number) -> Number:
    """A setpoint that moves by no more than rate·dt from its last value."""
    return clip(target, before - rate * dt, before + rate * dt)


def next_integral(
    integral: Number, rate: Number, centre: Number, limit: Maybe, stopped: Bits | None, dt: Number
) -> Number:
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
