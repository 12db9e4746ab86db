"""Friction of a joint whose motor is not modelled, smooth at rest, as Unitree's actuators have it."""

from __future__ import annotations

from ..checks import Number
from ..parts import number, part
from ..physics.ops import absolute, tanh, where


@part
class TanhFriction:
    """coulomb·tanh(v/activation_speed) + viscous·v against the motion."""

    coulomb: Number = number("N·m", least=0.0)
    """Friction of a joint that slides."""
    activation_speed: Number = number("rad/s", default=0.01, above=0.0)
    """Speed at which 76 % of it is there."""
    viscous: Number = number("N·m·s/rad", default=0.0, least=0.0)
    """Friction per speed."""


def tanh_friction(velocity: Number, f: TanhFriction) -> Number:
    """Torque against the motion [N·m]."""
    return f.coulomb * tanh(velocity / f.activation_speed) + f.viscous * velocity


def tanh_friction_slope(velocity: Number, f: TanhFriction) -> Number:
    """How fast it grows with speed [N·m·s/rad]."""
    share = tanh(velocity / f.activation_speed)
    return f.coulomb / f.activation_speed * (1.0 - share * share) + f.viscous


def tanh_friction_per_speed(velocity: Number, f: TanhFriction) -> Number:
    """Friction over speed [N·m·s/rad]: a step that is taken along this line only ever slows the joint down."""
    resting = absolute(velocity) < 1e-9 * f.activation_speed
    speed = where(resting, 1.0, velocity)
    return f.coulomb * where(resting, 1.0 / f.activation_speed, tanh(speed / f.activation_speed) / speed) + f.viscous
