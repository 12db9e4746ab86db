"""How fast the bounds of a torque limit fall with speed, for a host that integrates a limited torque implicitly.

A bound that rises with speed, as a braking limit that fades does, counts as flat: it pushes the joint nowhere that an
explicit step would miss, and a negative slope would take inertia away.
"""

from __future__ import annotations

from ..physics.ops import absolute, interpolate, maximum, sign, where
from .torque_limits import DcClip, DriveEnvelope, KneeCurve, TorqueLimit, TorqueSpeedTable, bounds, dc_slope


def bound_slopes(limit: TorqueLimit, angle: float, speed: float) -> tuple[float, float]:
    """-d(low)/d(speed) and -d(high)/d(speed) of a limit, where they are not negative [N·m·s/rad]; 0 for angles."""
    nothing = 0.0 * speed
    low, high = bounds(limit, angle, speed)
    if isinstance(limit, DcClip):
        slant = dc_slope(speed, limit) + nothing
        return where(low > -limit.effort_limit, slant, nothing), where(high < limit.effort_limit, slant, nothing)
    if isinstance(limit, DriveEnvelope):
        fast, gradient = absolute(speed), limit.speed_effort_gradient
        by_effort = limit.max_effort - limit.velocity_dependent_resistance * fast
        per_speed = 1.0 / where(gradient > 0.0, gradient + nothing, 1e30 + nothing)
        steep = where(high < by_effort, per_speed, limit.velocity_dependent_resistance + nothing)
        return both_ways(speed, where(high > 0.0, steep, nothing))
    if isinstance(limit, KneeCurve):
        fast, width = absolute(speed), limit.no_load_speed - limit.knee_speed
        falling = (fast > limit.knee_speed) & (fast < limit.no_load_speed)
        return both_ways(speed, where(falling, limit.driving_effort / width + nothing, nothing))
    if isinstance(limit, TorqueSpeedTable):
        # along the motion the bound falls with the table, against it a limit that grows brakes the more
        fast, braking = absolute(speed), limit.driving if limit.braking is None else limit.braking
        falling = maximum(-column_slope(fast, limit.speed, limit.driving), nothing)
        growing = maximum(column_slope(fast, limit.speed, braking), nothing)
        low_side, high_side = both_ways(speed, falling)
        high_growing, low_growing = both_ways(speed, growing)
        return low_side + low_growing, high_side + high_growing
    return nothing, nothing


def column_slope(fast: float, speeds, column) -> float:
    """How fast a column of a table rises with speed, from a speed on [N·m·s/rad]."""
    step = 1e-3 * speeds[-1]
    return (interpolate(fast + step, speeds, column) - interpolate(fast, speeds, column)) / step


def both_ways(speed: float, driving: float) -> tuple[float, float]:
    """The slope of the bound along the motion; the one against it counts as flat."""
    return maximum(-sign(speed), 0.0) * driving, maximum(sign(speed), 0.0) * driving


def tightest_slopes(
    limits: tuple[TorqueLimit, ...], angle: float, speed: float, low: float, high: float
) -> tuple[float, float]:
    """The slopes of those limits that give the tightest bounds [N·m·s/rad]."""
    low_slope, high_slope = bound_slopes(limits[0], angle, speed)
    for limit in limits[1:]:
        lower, upper = bounds(limit, angle, speed)
        more_low, more_high = bound_slopes(limit, angle, speed)
        low_slope = where(lower >= low, more_low, low_slope)
        high_slope = where(upper <= high, more_high, high_slope)
    return low_slope, high_slope
