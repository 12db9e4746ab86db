"""Torque limits as straight lines over speed, for a step that ends at another speed than it starts.

A limit that falls with speed is a pair of slanted lines, each with a floor below which it does not go, between flat
bounds. A table is the line from the present speed to its last point, or its slope where that is steeper.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..parts import Laws
from ..physics.limits import narrow
from ..physics.ops import interpolate, maximum, where
from ..values import Number
from .limit_slopes import column_slope
from .torque_limits import DcClip, DriveEnvelope, KneeCurve, TorqueLimit, TorqueSpeedTable, bounds

CUT_OFF = 1e-6
"""Share of the top speed within which a limit falls that ends there at once; steeper, its rounding would count [1]."""


@dataclass(frozen=True)
class Slant:
    """A pair of bounds that fall with speed."""

    low: Number
    """Lower line at the present speed [N·m]."""
    high: Number
    """Upper line at the present speed [N·m]."""
    low_fall: Number
    """How fast the lower line falls with speed [N·m·s/rad]."""
    high_fall: Number
    """How fast the upper line falls with speed [N·m·s/rad]."""
    floor: Number = 0.0
    """Lowest torque that the upper line falls to; the lower one ends at its negative [N·m]."""
    to_zero: bool = True
    """Whether that is 0."""


@dataclass(frozen=True)
class LimitLines:
    """The bounds of a limit over a step."""

    slants: tuple[Slant, ...]
    """Pairs of bounds that fall with speed."""
    low: Number
    """Lowest torque, without the slants, in the direction of the present speed [N·m]."""
    high: Number
    """Highest torque likewise [N·m]."""


LINES = Laws()
"""Law of each limit that falls with speed, by its class: `law(limit, angle, speed)` gives its `LimitLines`."""
lines_of = LINES.register


@lines_of(DcClip)
def clip_lines(limit: DcClip, angle: Number, speed: Number) -> LimitLines:
    """One slanted line and the flat top."""
    fall, top = limit.saturation_effort / limit.velocity_limit, limit.saturation_effort
    slant = Slant(-top - fall * speed, top - fall * speed, fall, fall, -limit.effort_limit, to_zero=False)
    return LimitLines((slant,), -limit.effort_limit, limit.effort_limit)


@lines_of(KneeCurve)
def knee_lines(limit: KneeCurve, angle: Number, speed: Number) -> LimitLines:
    """The line behind the knee, and the flat torques in front of it."""
    fall = limit.driving_effort / (limit.no_load_speed - limit.knee_speed)
    slant = braking_beside(around(limit.no_load_speed, fall, speed), limit, speed, limit.no_load_speed, 0.0)
    low, high = bounds(limit, angle, speed)
    if not limit.braking_falls:
        return LimitLines((slant,), *flat_ahead(limit, angle, speed))
    # a joint at rest brakes
    low, high = where(speed >= 0.0, low, -limit.driving_effort), where(speed <= 0.0, high, limit.driving_effort)
    return LimitLines((slant,), low, high)


@lines_of(DriveEnvelope)
def envelope_lines(limit: DriveEnvelope, angle: Number, speed: Number) -> LimitLines:
    """A gentle and a steep line."""
    top, resistance = limit.max_effort, limit.velocity_dependent_resistance
    width = maximum(limit.speed_effort_gradient * top, CUT_OFF * limit.max_actuator_velocity)
    steep = top / where(width > 0.0, width, 1.0)
    gentle = Slant(-top - resistance * speed, top - resistance * speed, resistance, resistance)
    return LimitLines((gentle, around(limit.max_actuator_velocity, steep, speed)), *flat_ahead(limit, angle, speed))


@lines_of(TorqueSpeedTable)
def table_lines(limit: TorqueSpeedTable, angle: Number, speed: Number) -> LimitLines:
    """Along the motion the line from where the joint is, the other way from rest."""
    low, low_fall = ahead(limit, maximum(-speed, 0.0), -speed)
    high, high_fall = ahead(limit, maximum(speed, 0.0), speed)
    end = limit.driving[-1]
    slant = Slant(-low, high, low_fall, high_fall, end, to_zero=False)
    slant = slant if limit.braking is None else braking_beside(slant, limit, speed, limit.speed[-1], end)
    return LimitLines((slant,), *bounds(limit, angle, speed))


def braking_beside(driving: Slant, limit: TorqueLimit, speed: Number, last_speed: Number, end: Number) -> Slant:
    """The slanted bounds of driving, raised where the joint brakes to what it may brake with.

    From there they fall to where driving ends, so that no step that turns the joint round sees a jump.
    """
    low, high = bounds(limit, 0.0, speed)
    high, high_fall = raise_to_braking(driving.high, driving.high_fall, high, -speed, last_speed, end)
    low, low_fall = raise_to_braking(-driving.low, driving.low_fall, -low, speed, last_speed, end)
    return replace(driving, low=-low, high=high, low_fall=low_fall, high_fall=high_fall)


def raise_to_braking(
    line: Number, fall: Number, braking: Number, backwards: Number, last_speed: Number, end: Number
) -> tuple[Number, Number]:
    """A line and its fall, or those of the braking torque at a speed `backwards` where that is positive and higher."""
    higher = (backwards >= 0.0) & (braking > line)
    room = last_speed + maximum(backwards, 0.0)
    return where(higher, braking, line), where(higher, (braking - end) / room, fall)


def ahead(limit: TorqueSpeedTable, fast: Number, speed: Number) -> tuple[Number, Number]:
    """Torque at a speed on the line that leads down from a speed `fast` of the table [N·m], and its fall."""
    torque = interpolate(fast, limit.speed, limit.driving)
    last = limit.speed[-1]
    room = maximum(last - fast, 1e-9 * last)
    fall = maximum((torque - limit.driving[-1]) / room, -column_slope(fast, limit.speed, limit.driving))
    fall = where(fast < last, maximum(fall, 0.0), 0.0 * fall)
    return torque + fall * (fast - speed), fall


def around(no_load_speed: Number, fall: Number, speed: Number) -> Slant:
    """Two lines that fall to nothing at the no-load speed of either direction."""
    return Slant(-fall * (no_load_speed + speed), fall * (no_load_speed - speed), fall, fall)


def flat_ahead(limit: TorqueLimit, angle: Number, speed: Number) -> tuple[Number, Number]:
    """Lowest and highest torque of a limit: along the motion those of rest, against it those of now [N·m]."""
    low, high = bounds(limit, angle, speed)
    lowest, highest = bounds(limit, angle, 0.0 * speed)
    return where(speed > 0.0, low, lowest), where(speed < 0.0, high, highest)


def lines_of_limit(limit: TorqueLimit, angle: Number, speed: Number) -> LimitLines:
    """The bounds of a limit over a step; one that does not fall with speed is flat."""
    law = LINES.get(type(limit))
    return LimitLines((), *bounds(limit, angle, speed)) if law is None else law(limit, angle, speed)


def limit_lines(limits: tuple[TorqueLimit, ...], angle: Number, speed: Number) -> LimitLines:
    """The bounds of several limits together over a step."""
    first = lines_of_limit(limits[0], angle, speed)
    slants, low, high = first.slants, first.low, first.high
    for limit in limits[1:]:
        more = lines_of_limit(limit, angle, speed)
        slants += more.slants
        low, high = narrow(low, high, more.low, more.high)
    return LimitLines(slants, low, high)
