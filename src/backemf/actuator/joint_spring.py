"""A spring at the joint: a cable, a seal or a counterbalance that pulls it towards an angle."""

from __future__ import annotations

from dataclasses import dataclass

from ..checks import Number
from ..parts import number, part


@part
class JointSpring:
    """offset - stiffness·(position - rest_angle) on the joint, whatever drives it."""

    stiffness: Number = number("N·m/rad", default=0.0, least=0.0)
    """Torque per angle away from the rest angle."""
    rest_angle: Number = number("rad", default=0.0)
    """Joint position at which the stiffness pulls neither way."""
    offset: Number = number("N·m", default=0.0)
    """Torque at the rest angle, the same at every angle."""


@dataclass(frozen=True)
class SpringPull:
    """What a spring does over a step, linear in the joint velocity."""

    torque: Number
    """Torque on the joint at the present velocity [N·m]."""
    damping: Number
    """How fast that torque falls with velocity [N·m·s/rad]."""


def spring_torque(position: Number, s: JointSpring) -> Number:
    """Torque on the joint at a position [N·m]."""
    return s.offset - s.stiffness * (position - s.rest_angle)


def spring_energy(position: Number, s: JointSpring) -> Number:
    """Energy that the spring holds at a position, 0 at the rest angle [J]."""
    away = position - s.rest_angle
    return 0.5 * s.stiffness * away * away - s.offset * away


def spring_pull(position: Number, velocity: Number, dt: Number, s: JointSpring) -> SpringPull:
    """Mean torque over a step at whose end the joint has moved by dt times its velocity there.

    That is the torque halfway, so that the work done on the spring is exactly the change of its energy: at any step
    the spring gives no more than it was given.
    """
    half = 0.5 * s.stiffness * dt
    return SpringPull(spring_torque(position, s) - half * velocity, half)
