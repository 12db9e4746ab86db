"""The torque of a small network at the joint: a sum of units w·tanh(x), stable at any step.

A unit whose torque falls with the joint's velocity is taken along the chord from where it is to its middle, x = 0, at
the velocity of the end of the step: it ends there at most and never beyond, as drag does. One whose torque rises is
taken as it is at the start.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..motor.network import TanhUnit, TorqueNetwork
from ..values import Number
from .ops import absolute, maximum, tanh, where

SMALL = 1e-4
"""Size of x below which tanh(x)/x is its series [1]; what is left out is below 1e-17."""


@dataclass(frozen=True)
class NetworkPull:
    """What a network does over a step, linear in the joint velocity."""

    torque: Number
    """Torque on the joint at the present velocity [N·m]."""
    fall: Number
    """How fast that torque is taken to fall with velocity, 0 or more [N·m·s/rad]."""


def unit_input(u: TanhUnit, n: TorqueNetwork, position: Number, velocity: Number, torque: Number) -> Number:
    """What goes into the tanh of a unit [1]."""
    moved = u.per_position * (position / n.position) + u.per_velocity * (velocity / n.velocity)
    return moved + u.per_torque * (torque / n.torque) + u.bias


def network_torque(n: TorqueNetwork, position: Number, velocity: Number, torque: Number) -> Number:
    """Torque on the joint at a position, a velocity and a torque of the motor at the joint [N·m]."""
    total = 0.0
    for unit in n.units:
        total = total + unit.weight * tanh(unit_input(unit, n, position, velocity, torque))
    return total


def chord_share(x: Number) -> Number:
    """tanh(x)/x: how steep the chord from x to the middle is [1]."""
    small = absolute(x) < SMALL
    safe = where(small, 1.0, x)
    return where(small, 1.0 - x * x / 3.0, tanh(safe) / safe)


def network_pull(
    n: TorqueNetwork, position: Number, velocity: Number, torque: Number, torque_fall: Number, dt: Number
) -> NetworkPull:
    """What a network does over a step that begins at a position [rad] and a velocity [rad/s].

    `torque` is that of the motor at the joint [N·m], `torque_fall` how fast it falls with the joint's velocity
    [N·m·s/rad]. The position is that halfway through the step, as of a spring.
    """
    total, fall = 0.0, 0.0
    for unit in n.units:
        x = unit_input(unit, n, position + 0.5 * dt * velocity, velocity, torque)
        along = unit.per_velocity / n.velocity + 0.5 * dt * (unit.per_position / n.position)
        along = along - unit.per_torque * (torque_fall / n.torque)
        total = total + unit.weight * tanh(x)
        fall = fall + maximum(-unit.weight * along, 0.0) * chord_share(x)
    return NetworkPull(total, fall)
