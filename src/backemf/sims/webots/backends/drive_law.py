"""One substep of a drive: its velocity loop, our motor and the joint's load, solved together.

The law is elementwise and is compiled for all drives of a kind at once. A slider is seen as a joint that turns:
`travel` is its way per radian, and what belongs to the axis is in N and m.
"""

from __future__ import annotations

from typing import NamedTuple

from ....actuator import Actuator
from ....actuator.chain import coupled
from ....physics.limits import clip
from ....physics.ops import maximum, minimum, sin, where
from ....physics.state import Output, State
from ....values import Number


class Weight(NamedTuple):
    """Something that hangs on the axis, or on a joint that gears carry along."""

    torque: Number
    """Torque on the axis where the arm is level [N·m]."""
    ratio: Number
    """Angle of the arm per angle of the axis [1]."""
    phase: Number
    """Angle of the arm from hanging down where the axis is at 0 [rad]."""


class Stops(NamedTuple):
    """The hard stops of a joint."""

    low: Number
    """Lowest position [rad]."""
    high: Number
    """Highest position [rad]."""
    erp: Number
    """Share of the way behind a stop that is taken back in a substep [1]."""


class Held(NamedTuple):
    """What stays as it is over a basic time step."""

    wanted: Number
    """Velocity that Webots commands [rad/s]."""
    available: Number
    """Largest torque that the velocity loop may ask for [N·m]."""
    torque: Number
    """Torque that the controller commands itself [N·m]."""
    torque_mode: Number
    """1 where the torque is commanded, 0 where a velocity is [1]."""
    damping: Number
    """Damping of the joint and of what it carries along [N·m·s/rad]."""
    load: Number
    """Constant torque on the joint from elsewhere [N·m]."""
    inertia: Number
    """What the joint moves [kg·m²]."""
    spring: Number
    """Stiffness of the joint and of what it carries along [N·m/rad]."""
    travel: Number
    """Way of the axis per radian of the motor's joint [1], or of a slider [m/rad]."""
    kp: Number
    """Gain of the velocity loop [N·m·s/rad]."""
    ki: Number
    """Gain of its integral [N·m/rad]."""
    weights: tuple[Weight, ...] = ()
    """What hangs on the axis."""
    stops: Stops | None = None
    """Hard stops; None: there are none."""


class Moved(NamedTuple):
    """What a substep changes besides the motor."""

    position: Number
    """Position of the axis [rad]."""
    speed: Number
    """Speed of the axis [rad/s]."""
    integral: Number
    """Integrated velocity error [rad]."""
    mean: Number
    """Torque on the axis so far, as a share of that over the basic time step [N·m]."""


def substep(
    actuator: Actuator, state: State, held: Held, at: Moved, dt: Number, share: Number
) -> tuple[State, Moved, Output]:
    """Motor and axis after a substep of `dt` [s], which is a `share` of the basic time step [1]."""
    r = held.travel
    speed = at.speed / r
    commanded = held.torque_mode != 0.0
    error = held.wanted / r - speed
    most = held.available * r
    wish = held.kp * error + held.ki * (at.integral + error * dt)
    asked = where(commanded, held.torque * r, clip(wish, -most, most))
    pull = load_on(held, at.position) - held.damping * at.speed - held.spring * at.position
    state, out = coupled(
        actuator, state, asked, at.position / r, speed, dt, pull * r, held.inertia * r * r,
        load_damping=held.damping * r * r, load_stiffness=held.spring * r * r,
    )  # fmt: skip
    # the integral rests where the torque is limited and the error would drive it further
    limited = (wish != asked) | (out.limit != 0)
    rests = commanded | (limited & (wish * error > 0.0))
    integral = where(rests, at.integral, at.integral + error * dt)
    after = out.joint_velocity * r
    position = at.position + dt * after
    if held.stops is not None:
        after = stopped_speed(held.stops, position, after, dt)
    return state, Moved(position, after, integral, at.mean + out.torque * share / r), out


def load_on(held: Held, position: Number) -> Number:
    """Torque on the axis from elsewhere, gravity included [N·m]."""
    load = held.load
    for weight in held.weights:
        load = load - weight.torque * sin(weight.ratio * position + weight.phase)
    return load


def stopped_speed(stops: Stops, position: Number, speed: Number, dt: Number) -> Number:
    """Speed at a hard stop, which takes a share of the way behind it back [rad/s]."""
    low, high = position - stops.low, position - stops.high
    back = stops.erp / dt
    above = where(high > 0.0, minimum(speed, -back * high), speed)
    return where(low < 0.0, maximum(speed, -back * low), above)
