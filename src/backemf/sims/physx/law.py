"""What PhysX computes in an articulation drive with a performance envelope, and what a motor would do in its place.

The envelope is two coupled limits of a joint's effort and velocity:

    |effort| + velocity_dependent_resistance·|velocity| <= max_effort
    |velocity| + speed_effort_gradient·|effort| <= max_actuator_velocity

PhysX solves them at the velocity that the joint has after the drive's impulse. It treats all four quadrants alike, so
that a joint beyond the top speed runs free. A motor's losses and back-EMF brake: without the bars around `velocity`
and `effort` the same two lines brake hardest there, and nothing changes while the motor drives. That is "physical".
"""

from __future__ import annotations

from ...actuator.torque_limits import DriveEnvelope, clamp, envelope_bounds
from ...checks import Number
from ...parts import one, part, word
from ...physics.limits import clip
from ...physics.ops import absolute, maximum, minimum, where
from ..on_engine import laws_on

QUADRANTS = ("physx", "physical")
"""How an envelope treats braking and overspeed."""


@part
class Envelope:
    """A drive performance envelope, of an angular joint, or of a linear one in N, m/s and their ratios.

    Numbers and arrays of any engine go in and come out; `engine` names whose they are.
    """

    limit: DriveEnvelope = one(DriveEnvelope)
    """The four numbers of PhysX."""
    quadrants: str = word(*QUADRANTS, default="physx")
    """"physx": braking is limited like driving. "physical": losses and back-EMF help to brake, as in a motor."""

    def bounds(self, velocity: Number, engine: str = "numpy") -> tuple[Number, Number]:
        """Lowest and highest effort at a joint velocity [N·m]."""
        return laws_on(__name__, engine).effort_bounds(self, velocity)

    def clamp(self, effort: Number, velocity: Number, engine: str = "numpy") -> Number:
        """The effort [N·m] that is left at a joint velocity [rad/s] which the effort itself does not change."""
        return laws_on(__name__, engine).clamped_effort(self, effort, velocity)

    def solve(
        self,
        impulse: Number,
        free_velocity: Number,
        response: Number,
        dt: Number,
        effort: Number = 0.0,
        engine: str = "numpy",
    ) -> Number:
        """The drive's impulse [N·m·s] that is left at the velocity after the step, as PhysX's solver finds it.

        `impulse` is what the drive asks for, `free_velocity` what the joint would have without drive and `effort`
        [rad/s], `response` the velocity per impulse, 1/inertia [rad/(N·m·s²)]. `effort` is what the user applies at
        the joint [N·m]; PhysX counts it as the drive's own.
        """
        return laws_on(__name__, engine).solved_impulse(self, impulse, free_velocity, response, dt, effort)


# --- the laws


def effort_bounds(law: Envelope, velocity: Number) -> tuple[Number, Number]:
    """Lowest and highest effort at a joint velocity [N·m]."""
    if law.quadrants == "physx":
        return envelope_bounds(velocity, law.limit)
    # a joint that no impulse moves, over one second: impulses are efforts
    return motor_range(velocity, 0.0, 1.0, law.limit)


def clamped_effort(law: Envelope, effort: Number, velocity: Number) -> Number:
    """The effort within the envelope at a joint velocity [N·m]."""
    low, high = effort_bounds(law, velocity)
    return clamp(effort, low, high)


def solved_impulse(
    law: Envelope, impulse: Number, free_velocity: Number, response: Number, dt: Number, effort: Number
) -> Number:
    """The drive's impulse within the envelope at the velocity after it [N·m·s]."""
    asked = impulse + dt * effort
    if law.quadrants == "physx":
        return envelope_impulse(asked, free_velocity, response, dt, law.limit) - dt * effort
    low, high = motor_range(free_velocity, response, dt, law.limit)
    return clamp(asked, low, high) - dt * effort


def envelope_impulse(
    asked: Number, free_velocity: Number, response: Number, dt: Number, limit: DriveEnvelope
) -> Number:
    """The impulse nearest to the one asked for, along it, that keeps both lines; 0 where there is none [N·m·s]."""
    way = where(asked < 0.0, -1.0, 1.0)
    speed = way * free_velocity
    low, high = 0.0 * asked, absolute(asked)
    gradient, loss = limit.speed_effort_gradient / dt, limit.velocity_dependent_resistance * dt
    low, high = within(low, high, gradient, 1.0, limit.max_actuator_velocity, speed, response)
    low, high = within(low, high, 1.0, loss, limit.max_effort * dt, speed, response)
    return where(low <= high, way * high, 0.0)


def within(
    low: Number, high: Number, per_impulse: Number, per_speed: Number, room: Number, speed: Number, response: Number
) -> tuple[Number, Number]:
    """Impulses P of low to high with per_impulse·P + per_speed·|speed + response·P| <= room."""
    moved = per_speed * response
    low, high = below(low, high, per_impulse + moved, room - per_speed * speed)
    return below(low, high, per_impulse - moved, room + per_speed * speed)


def below(low: Number, high: Number, slope: Number, room: Number) -> tuple[Number, Number]:
    """Impulses P of low to high with slope·P <= room; where there are none, low is above high."""
    end = room / where(slope == 0.0, 1.0, slope)
    nowhere = (slope == 0.0) & (room < 0.0)
    high = where(slope > 0.0, minimum(high, end), where(nowhere, -1.0, high))
    return where(slope < 0.0, maximum(low, end), low), high


def motor_range(free_velocity: Number, response: Number, dt: Number, limit: DriveEnvelope) -> tuple[Number, Number]:
    """Lowest and highest impulse of a motor with the same lines, at the velocity after it [N·m·s].

    |effort + resistance·velocity| <= max_effort holds always, as a current limit does, and within it
    |velocity + gradient·effort| <= max_actuator_velocity, the line of the voltage. Without a gradient the top speed is
    no matter of voltage: beyond it nothing drives, and nothing has to brake.
    """
    loss, top = limit.velocity_dependent_resistance, limit.max_actuator_velocity
    give = 1.0 / (1.0 / dt + loss * response)
    weakest = (-limit.max_effort - loss * free_velocity) * give
    strongest = (limit.max_effort - loss * free_velocity) * give
    slanted = limit.speed_effort_gradient > 0.0
    slope = response + limit.speed_effort_gradient / dt
    up, down = top - free_velocity, -top - free_velocity
    # an immovable joint without a gradient is cut off at the top speed
    fixed = slope == 0.0
    per = where(fixed, 1.0, slope)
    high, low = up / per, down / per
    high = where(fixed, where(up >= 0.0, strongest, 0.0), where(slanted, high, maximum(high, 0.0)))
    low = where(fixed, where(down <= 0.0, weakest, 0.0), where(slanted, low, minimum(low, 0.0)))
    return clip(low, weakest, strongest), clip(high, weakest, strongest)
