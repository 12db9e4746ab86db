"""Torque limits as straight lines over speed, for a step that ends at another speed than it starts.

A limit that falls with speed is a pair of slanted lines, each with a floor below which it does not go, between flat
bounds. A table is the line from the present speed to its last point, or its slope where that is steeper.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..physics.limits import narrowed
from ..physics.ops import interpolate, maximum, where
from .limit_slopes import column_slope
from .torque_limits import DcClip, DriveEnvelope, KneeCurve, TorqueLimit, TorqueSpeedTable, bounds

CUT_OFF = 1e-6
"""Share of the top speed within which a limit falls that ends there at once; steeper, its rounding would count [1]."""


@dataclass(frozen=True)
class Slant:
    """A pair of bounds that fall with speed."""

    low: Any
    """Lower line at the present speed [N·m]."""
    high: Any
    """Upper line at the present speed [N·m]."""
    low_fall: Any
    """How fast the lower line falls with speed [N·m·s/rad]."""
    high_fall: Any
    """How fast the upper line falls with speed [N·m·s/rad]."""
    floor: Any = 0.0
    """Lowest torque that the upper line falls to; the lower one ends at its negative [N·m]."""
    to_zero: bool = True
    """Whether that is 0."""


def slants_of(limit: TorqueLimit, speed) -> tuple[Slant, ...]:
    """The slanted bounds of a limit at a joint speed."""
    if isinstance(limit, DcClip):
        fall = limit.saturation_effort / limit.velocity_limit
        top = limit.saturation_effort
        return (Slant(-top - fall * speed, top - fall * speed, fall, fall, -limit.effort_limit, to_zero=False),)
    if isinstance(limit, KneeCurve):
        fall = limit.driving_effort / (limit.no_load_speed - limit.knee_speed)
        return (braking_beside(around(limit.no_load_speed, fall, speed), limit, speed, limit.no_load_speed, 0.0),)
    if isinstance(limit, DriveEnvelope):
        top, resistance = limit.max_effort, limit.velocity_dependent_resistance
        width = maximum(limit.speed_effort_gradient * top, CUT_OFF * limit.max_actuator_velocity)
        steep = top / where(width > 0.0, width, 1.0)
        gentle = Slant(-top - resistance * speed, top - resistance * speed, resistance, resistance)
        return gentle, around(limit.max_actuator_velocity, steep, speed)
    if isinstance(limit, TorqueSpeedTable):
        # along the motion from where the joint is, the other way from rest
        low, low_fall = ahead(limit, maximum(-speed, 0.0), -speed)
        high, high_fall = ahead(limit, maximum(speed, 0.0), speed)
        end = limit.driving[-1]
        driving = Slant(-low, high, low_fall, high_fall, end, to_zero=False)
        return (driving if limit.braking is None else braking_beside(driving, limit, speed, limit.speed[-1], end),)
    return ()


def braking_beside(driving: Slant, limit: TorqueLimit, speed, last_speed, end) -> Slant:
    """The slanted bounds of driving, raised where the joint brakes to what it may brake with.

    From there they fall to where driving ends, so that no step that turns the joint round sees a jump.
    """
    low, high = bounds(limit, 0.0, speed)
    high, high_fall = raised(driving.high, driving.high_fall, high, -speed, last_speed, end)
    low, low_fall = raised(-driving.low, driving.low_fall, -low, speed, last_speed, end)
    return replace(driving, low=-low, high=high, low_fall=low_fall, high_fall=high_fall)


def raised(line, fall, braking, backwards, last_speed, end):
    """A line and its fall, or those of the braking torque at a speed `backwards` where that is positive and higher."""
    higher = (backwards >= 0.0) & (braking > line)
    room = last_speed + maximum(backwards, 0.0)
    return where(higher, braking, line), where(higher, (braking - end) / room, fall)


def ahead(limit: TorqueSpeedTable, fast, speed):
    """Torque at a speed on the line that leads down from a speed `fast` of the table [N·m], and its fall."""
    torque = interpolate(fast, limit.speed, limit.driving)
    last = limit.speed[-1]
    room = maximum(last - fast, 1e-9 * last)
    fall = maximum((torque - limit.driving[-1]) / room, -column_slope(fast, limit.speed, limit.driving))
    fall = where(fast < last, maximum(fall, 0.0), 0.0 * fall)
    return torque + fall * (fast - speed), fall


def around(no_load_speed, fall, speed) -> Slant:
    """Two lines that fall to nothing at the no-load speed of either direction."""
    return Slant(-fall * (no_load_speed + speed), fall * (no_load_speed - speed), fall, fall)


def flat_bounds(limit: TorqueLimit, angle, speed):
    """Lowest and highest torque of a limit without its slants, in the direction of the present speed [N·m]."""
    if isinstance(limit, DcClip):
        return -limit.effort_limit, limit.effort_limit
    low, high = bounds(limit, angle, speed)
    if isinstance(limit, KneeCurve) and limit.braking_falls:
        # a joint at rest brakes
        return where(speed >= 0.0, low, -limit.driving_effort), where(speed <= 0.0, high, limit.driving_effort)
    if isinstance(limit, (KneeCurve, DriveEnvelope)):
        lowest, highest = bounds(limit, angle, 0.0 * speed)
        return where(speed > 0.0, low, lowest), where(speed < 0.0, high, highest)
    return low, high


def limit_lines(limits: tuple[TorqueLimit, ...], angle, speed):
    """Slanted bounds, lowest and highest torque of several limits together [N·m]."""
    slants = slants_of(limits[0], speed)
    low, high = flat_bounds(limits[0], angle, speed)
    for limit in limits[1:]:
        slants += slants_of(limit, speed)
        low, high = narrowed(low, high, *flat_bounds(limit, angle, speed))
    return slants, low, high
