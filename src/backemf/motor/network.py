"""A small network beside the laws: torque that a fit has found and that no law of ours explains."""

from __future__ import annotations

from ..checks import Number
from ..parts import number, part, several


@part
class TanhUnit:
    """One unit of a network: weight·tanh(per_position·q/q0 + per_velocity·q'/v0 + per_torque·τ/τ0 + bias)."""

    weight: Number = number("N·m")
    """Torque on the joint where the unit is saturated."""
    per_position: Number = number("1", default=0.0)
    """Weight of the joint's position over `TorqueNetwork.position`."""
    per_velocity: Number = number("1", default=0.0)
    """Weight of the joint's velocity over `TorqueNetwork.velocity`."""
    per_torque: Number = number("1", default=0.0)
    """Weight of the motor's torque at the joint over `TorqueNetwork.torque`."""
    bias: Number = number("1", default=0.0)
    """What is added to them."""


@part
class TorqueNetwork:
    """Torque on the joint as a sum of a few units over its position, its velocity and the torque that drives it.

    It is never larger than the sum of the weights' sizes. Far beyond the scales its units are saturated: it stays as it
    is there, and has not been trained on that.
    """

    units: tuple[TanhUnit, ...] = several(TanhUnit)
    """The units that add up."""
    position: Number = number("rad", default=1.0, above=0.0)
    """Joint position that counts as 1."""
    velocity: Number = number("rad/s", default=1.0, above=0.0)
    """Joint velocity that counts as 1."""
    torque: Number = number("N·m", default=1.0, above=0.0)
    """Torque of the motor at the joint that counts as 1."""
