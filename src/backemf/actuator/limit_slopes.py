"""How fast the bounds of a torque limit fall with speed, for a host that integrates a limited torque implicitly.

A bound that rises with speed, as a braking limit that fades does, counts as flat: it pushes the joint nowhere that an
explicit step would miss, and a negative slope would take inertia away.
"""

from __future__ import annotations

import numpy as np

from ..parts import Laws
from ..physics.limits import narrow
from ..physics.ops import absolute, maximum, minimum, where
from ..values import Number
from .torque_limits import DcClip, DriveEnvelope, KneeCurve, TorqueLimit, TorqueSpeedTable, bounds, dc_slope

SLOPES = Laws()
"""Law of each limit that falls with speed, by its class: `law(limit, angle, speed)` gives the slopes of both bounds."""
slopes_of = SLOPES.register


def bound_slopes(limit: TorqueLimit, angle: Number, speed: Number) -> tuple[Number, Number]:
    """-d(low)/d(speed) and -d(high)/d(speed) of a limit, where they are not negative [N·m·s/rad]; 0 for angles."""
    law = SLOPES.get(type(limit))
    return (0.0 * speed, 0.0 * speed) if law is None else law(limit, angle, speed)


@slopes_of(DcClip)
def clip_slopes(limit: DcClip, angle: Number, speed: Number) -> tuple[Number, Number]:
    """The slope of the line where it is below the flat top."""
    nothing = 0.0 * speed
    low, high = bounds(limit, angle, speed)
    slant = dc_slope(speed, limit) + nothing
    return where(low > -limit.effort_limit, slant, nothing), where(high < limit.effort_limit, slant, nothing)


@slopes_of(DriveEnvelope)
def envelope_slopes(limit: DriveEnvelope, angle: Number, speed: Number) -> tuple[Number, Number]:
    """The slope of the line that acts, along the motion."""
    nothing, fast, gradient = 0.0 * speed, absolute(speed), limit.speed_effort_gradient
    _, high = bounds(limit, angle, speed)
    by_effort = limit.max_effort - limit.velocity_dependent_resistance * fast
    per_speed = 1.0 / where(gradient > 0.0, gradient + nothing, 1e30 + nothing)
    steep = where(high < by_effort, per_speed, limit.velocity_dependent_resistance + nothing)
    return both_ways(speed, where(high > 0.0, steep, nothing))


@slopes_of(KneeCurve)
def knee_slopes(limit: KneeCurve, angle: Number, speed: Number) -> tuple[Number, Number]:
    """The slope between knee and no-load speed, along the motion."""
    nothing, fast, width = 0.0 * speed, absolute(speed), limit.no_load_speed - limit.knee_speed
    falling = (fast > limit.knee_speed) & (fast < limit.no_load_speed)
    return both_ways(speed, where(falling, limit.driving_effort / width + nothing, nothing))


@slopes_of(TorqueSpeedTable)
def table_slopes(limit: TorqueSpeedTable, angle: Number, speed: Number) -> tuple[Number, Number]:
    """Along the motion the bound falls with the table; against it a limit that grows brakes the more."""
    nothing, fast = 0.0 * speed, absolute(speed)
    braking = limit.driving if limit.braking is None else limit.braking
    falling = maximum(-column_slope(fast, limit.speed, limit.driving), nothing)
    growing = maximum(column_slope(fast, limit.speed, braking), nothing)
    low_side, high_side = both_ways(speed, falling)
    return where(speed > 0.0, growing, low_side), where(speed < 0.0, growing, high_side)


def column_slope(fast: Number, speeds: np.ndarray, column: np.ndarray) -> Number:
    """How fast a column of a table rises with speed, from a speed on [N·m·s/rad]."""
    slope = 0.0 * fast
    for k in range(1, len(speeds)):
        rises = (column[k] - column[k - 1]) / (speeds[k] - speeds[k - 1])
        slope = where(fast >= speeds[k - 1], rises, slope)
    return where(fast >= speeds[-1], 0.0 * fast, slope)


def both_ways(speed: Number, driving: Number) -> tuple[Number, Number]:
    """The slope of the bound along the motion, at rest of both; the one against it counts as flat."""
    nothing = 0.0 * driving
    return where(speed <= 0.0, driving, nothing), where(speed >= 0.0, driving, nothing)


def tightest_slopes(limits: tuple[TorqueLimit, ...], angle: Number, speed: Number) -> tuple[Number, Number]:
    """The slopes of those limits that give the bounds of `tightest` [N·m·s/rad]."""
    low, high = bounds(limits[0], angle, speed)
    low_slope, high_slope = bound_slopes(limits[0], angle, speed)
    for limit in limits[1:]:
        lower, upper = bounds(limit, angle, speed)
        more_low, more_high = bound_slopes(limit, angle, speed)
        low_slope, high_slope = where(lower > low, more_low, low_slope), where(upper < high, more_high, high_slope)
        lower, upper = maximum(low, lower), minimum(high, upper)
        # where limits contradict each other, both bounds are the one nearest zero
        crossed, nearest = lower > upper, where(absolute(lower) < absolute(upper), low_slope, high_slope)
        low_slope, high_slope = where(crossed, nearest, low_slope), where(crossed, nearest, high_slope)
        low, high = narrow(low, high, lower, upper)
    return low_slope, high_slope
