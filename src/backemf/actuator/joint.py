"""A joint without a motor: the torque that is asked for, within its limits and less its friction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..physics import state as names
from ..physics.limits import clip
from ..physics.lines import Line, Lines, Slant, acting_line, value_at
from ..physics.ops import absolute, change, where
from ..physics.state import Output, State
from ..values import Bits, Number
from .control import Asked
from .decision import Decision, settle
from .joint_friction import tanh_friction, tanh_friction_per_speed, tanh_friction_slope
from .joint_spring import spring_pull, spring_torque
from .limit_lines import limit_lines
from .limit_slopes import tightest_slopes
from .torque_limits import tightest

if TYPE_CHECKING:
    from .actuator import Actuator


def limited_torque(
    actuator: Actuator, asked: Asked, position: Number, velocity: Number
) -> tuple[Number, Number, Number, Bits]:
    """The joint torque within its limits, how fast it falls with speed and with position, and the flag of the limit."""
    torque, slope, stiffness, flag = asked.amount, -asked.per_velocity, -asked.per_position, 0
    if actuator.limits:
        low, high = tightest(actuator.limits, position, velocity)
        torque = clip(torque, low, high)
        acts = absolute(torque - asked.amount) > 0.0
        flag = where(acts, names.TORQUE, 0)
        # a torque at a bound falls with speed as the bound does
        low_slope, high_slope = tightest_slopes(actuator.limits, position, velocity)
        slope = where(acts, where(asked.amount > torque, high_slope, low_slope), slope)
        stiffness = where(acts, 0.0 * torque, stiffness)
    return torque, slope, stiffness, flag


def torque_asked(decision: Decision) -> Asked:
    """The torque that is asked for, which is there where there is no motor."""
    assert decision.torque is not None
    return decision.torque


def joint_output(actuator: Actuator, decision: Decision, position: Number, velocity: Number) -> Output:
    """Torque and telemetry of an actuator without a motor."""
    asked = torque_asked(decision)
    torque, slope, stiffness, flag = limited_torque(actuator, asked, position, velocity)
    if actuator.friction is not None:
        torque = torque - tanh_friction(velocity, actuator.friction)
        slope = slope + tanh_friction_slope(velocity, actuator.friction)
    pulled = None
    if actuator.spring is not None:
        pulled = spring_torque(position, actuator.spring)
        torque, stiffness = torque + pulled, stiffness + actuator.spring.stiffness
    return Output(
        torque=torque,
        torque_requested=asked.amount,
        torque_slope=slope,
        torque_stiffness=stiffness,
        mechanical_power=torque * velocity,
        spring_power=None if pulled is None else -pulled * velocity,
        limit=decision.flags | flag,
    )


def joint_coupled(
    actuator: Actuator, decision: Decision, position: Number, velocity: Number, dt: Number, load_torque: Number,
    load_inertia: Number, load_slope: Number,
) -> tuple[State, Number, Output]:  # fmt: skip
    """The torque taken at the end of the step, so that any gain is stable at any dt.

    J·(v1 - v0) = dt·(torque(v0) - slope·(v1 - v0) - stiffness·dt·v1 + load)

    along what is asked for, then along each bound that this exceeds at the end.
    """
    out, asked = joint_output(actuator, decision, position, velocity), torque_asked(decision)
    # friction goes down to 0 with the speed, where its slope would carry it past
    per_speed = 0.0 if actuator.friction is None else tanh_friction_per_speed(velocity, actuator.friction)
    pull = None if actuator.spring is None else spring_pull(position, velocity, dt, actuator.spring)
    if pull is not None:
        load_torque, load_slope = load_torque + pull.torque, load_slope + pull.damping

    def end_speed(line: Line) -> Number:
        inertia = load_inertia + dt * (line.fall + load_slope)
        rubbed = inertia + dt * per_speed
        return velocity * (inertia / rubbed) + dt * (line.value + load_torque) / rubbed

    # the position of the end is another dt·v1 away
    stiffness = -asked.per_position
    line = Line(asked.amount - dt * stiffness * velocity, dt * stiffness - asked.per_velocity)
    if actuator.limits:
        limits = limit_lines(actuator.limits, position, velocity)
        pairs = tuple(
            Slant(Line(s.low, s.low_fall), Line(s.high, s.high_fall), -s.floor, s.floor, s.to_zero)
            for s in limits.slants
        )
        lines = Lines(line, slants=pairs, flat=(limits.low, limits.high))
        line = acting_line(lines, lambda line: end_speed(line) - velocity)
    end = end_speed(line)
    torque = value_at(line, end - velocity) - per_speed * end
    state = settle(actuator, decision, decision.state, out, position, dt)
    if pull is not None:
        pulled = pull.torque - pull.damping * (end - velocity)
        torque, out = torque + pulled, change(out, spring_power=-pulled * end)
    return state, end, change(out, torque=torque, mechanical_power=torque * end)
