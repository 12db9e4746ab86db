"""What a controller tells a motor in one step, in the order in which Webots takes it, not that of the calls."""

from __future__ import annotations

from typing import NamedTuple

from ...physics.limits import clip
from ...physics.ops import isfinite, minimum, where
from ...values import Number, Recorded
from .law import MotorState
from .motor import WebotsMotor


class Commands(NamedTuple):
    """The last value of each call in a step; None where there was no such call. Of a LinearMotor in N and m."""

    position: Recorded = None
    """`setPosition` [rad]; infinite: velocity control."""
    velocity: Recorded = None
    """`setVelocity` [rad/s]."""
    available: Recorded = None
    """`setAvailableTorque` [N·m]."""
    torque: Recorded = None
    """`setTorque` [N·m]."""


def apply_commands(m: WebotsMotor, state: MotorState, calls: Commands) -> MotorState:
    """The state after the calls of a step: position, velocity, available torque, torque."""
    if calls.position is not None:
        state = set_position(m, state, calls.position)
    if calls.velocity is not None:
        state = set_velocity(m, state, calls.velocity)
    if calls.available is not None:
        state = set_available(m, state, calls.available)
    if calls.torque is not None:
        state = set_torque(m, state, calls.torque)
    return state


def set_position(m: WebotsMotor, state: MotorState, position: Number) -> MotorState:
    """A target position [rad], within the soft limits; an infinite one has no multiplier. Torque control ends."""
    finite = isfinite(position)
    # an infinite target times a multiplier would make no number of a gradient
    asked = where(finite, position, 0.0) * m.multiplier
    bounded = where(m.min_position != m.max_position, clip(asked, m.min_position, m.max_position), asked)
    return state._replace(
        target_position=where(finite, bounded, position) + 0.0 * state.available,
        torque_mode=0.0 * state.available,
    )


def set_velocity(m: WebotsMotor, state: MotorState, velocity: Number) -> MotorState:
    """A velocity [rad/s], within the largest. A negative one is refused while the target position is finite."""
    asked = clip(velocity * m.multiplier, -m.max_velocity, m.max_velocity)
    refused = (velocity < 0.0) & isfinite(state.target_position)
    return state._replace(target_velocity=where(refused, state.target_velocity, asked))


def set_available(m: WebotsMotor, state: MotorState, torque: Number) -> MotorState:
    """The torque that may be used [N·m], no more than the largest; a negative one is refused."""
    asked = minimum(torque + 0.0 * state.available, m.max_torque + 0.0 * state.available)
    return state._replace(available=where(asked < 0.0, state.available, asked))


def set_torque(m: WebotsMotor, state: MotorState, torque: Number) -> MotorState:
    """Torque control [N·m], within the torque that is available now."""
    asked = clip(torque * m.multiplier, -state.available, state.available)
    return state._replace(torque=asked, torque_mode=1.0 + 0.0 * state.available)
