"""A joint without a motor: the torque that is asked for, within its limits and less its friction."""

from __future__ import annotations

from ..physics import state as names
from ..physics.limits import clip
from ..physics.ops import absolute, where
from ..physics.state import Output
from ..tree import changed
from .control import Asked
from .decision import Decision, settle
from .joint_friction import tanh_friction, tanh_friction_per_speed, tanh_friction_slope
from .limit_slopes import tightest_slopes
from .torque_limits import tightest


def limited_torque(actuator, asked: Asked, position, velocity):
    """The joint torque within its limits, how fast it falls with speed and with position, and the flag of the limit."""
    torque, slope, stiffness, flag = asked.amount, -asked.per_velocity, -asked.per_position, 0
    if actuator.limits:
        low, high = tightest(actuator.limits, position, velocity)
        torque = clip(torque, low, high)
        acts = absolute(torque - asked.amount) > 0.0
        flag = where(acts, names.TORQUE, 0)
        # a torque at a bound falls with speed as the bound does
        low_slope, high_slope = tightest_slopes(actuator.limits, position, velocity, low, high)
        slope = where(acts, where(asked.amount > torque, high_slope, low_slope), slope)
        stiffness = where(acts, 0.0 * torque, stiffness)
    return torque, slope, stiffness, flag


def joint_output(actuator, decision: Decision, position, velocity) -> Output:
    """Torque and telemetry of an actuator without a motor."""
    asked = decision.torque
    torque, slope, stiffness, flag = limited_torque(actuator, asked, position, velocity)
    if actuator.friction is not None:
        torque = torque - tanh_friction(velocity, actuator.friction)
        slope = slope + tanh_friction_slope(velocity, actuator.friction)
    return Output(
        torque=torque,
        torque_requested=asked.amount,
        torque_slope=slope,
        torque_stiffness=stiffness,
        mechanical_power=torque * velocity,
        limit=decision.flags | flag,
    )


def joint_coupled(actuator, decision: Decision, position, velocity, dt, load_torque, load_inertia, load_slope):
    """The torque taken at the end of the step, so that any gain is stable at any dt.

    J·(v1 - v0) = dt·(torque(v0) - slope·(v1 - v0) - stiffness·dt·v1 + load)
    """
    out = joint_output(actuator, decision, position, velocity)
    slope = out.torque_slope
    if actuator.friction is not None:
        # friction goes down to 0 with the speed, where its slope would carry it past
        slope = slope - tanh_friction_slope(velocity, actuator.friction)
        slope = slope + tanh_friction_per_speed(velocity, actuator.friction)
    inertia = load_inertia + dt * (slope + load_slope) + dt * dt * out.torque_stiffness
    push = out.torque + load_torque - dt * out.torque_stiffness * velocity
    end = velocity + dt * push / inertia
    torque = out.torque - slope * (end - velocity) - dt * out.torque_stiffness * end
    state = settle(actuator, decision, decision.state, out, position, dt)
    return state, end, changed(out, torque=torque, mechanical_power=torque * end)
