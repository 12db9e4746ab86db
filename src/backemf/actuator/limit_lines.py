"""Torque limits as straight lines over speed, for a step that ends at another speed than it starts.

A limit that falls with speed is a pair of slanted lines, each with a floor below which it does not go, between flat
bounds. A table is the line from the present speed to its last point, or its slope where that is steeper.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..physics.limits import narrowed
from ..physics.ops import interpolate, maximum, where
from .limit_slopes import column_slope
from .torque_limits import DcClip, DriveEnvelope, KneeCurve, TorqueLimit, TorqueSpeedTable, bounds

CUT_OFF = 1e12
"""Slope that stands for a limit that ends at a speed at once [N·m·s/rad]."""


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
    floor: Any
    """Lowest torque that the upper line falls to; the lower one ends at its negative [N·m]."""


def slants_of(limit: TorqueLimit, speed) -> tuple[Slant, ...]:
    """The slanted bounds of a limit at a joint speed."""
    if isinstance(limit, DcClip):
        fall = limit.saturation_effort / limit.velocity_limit
        top = limit.saturation_effort
        return (Slant(-top - fall * speed, top - fall * speed, fall, fall, -limit.effort_limit),)
    if isinstance(limit, KneeCurve):
        fall = limit.driving_effort / (limit.no_load_speed - limit.knee_speed)
        return (around(limit.no_load_speed, fall, speed),)
    if isinstance(limit, DriveEnvelope):
        gradient, resistance = limit.speed_effort_gradient, limit.velocity_dependent_resistance
        steep = where(gradient > 0.0, 1.0 / where(gradient > 0.0, gradient, 1.0), CUT_OFF)
        top = limit.max_effort
        gentle = Slant(-top - resistance * speed, top - resistance * speed, resistance, resistance, 0.0)
        return gentle, around(limit.max_actuator_velocity, steep, speed)
    if isinstance(limit, TorqueSpeedTable):
        # along the motion from where the joint is, the other way from rest
        low, low_fall = ahead(limit, maximum(-speed, 0.0), -speed)
        high, high_fall = ahead(limit, maximum(speed, 0.0), speed)
        return (Slant(-low, high, low_fall, high_fall, limit.driving[-1]),)
    return ()


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
    return Slant(-fall * (no_load_speed + speed), fall * (no_load_speed - speed), fall, fall, 0.0)


def flat_bounds(limit: TorqueLimit, angle, speed):
    """Lowest and highest torque of a limit without its slants, in the direction of the present speed [N·m]."""
    if isinstance(limit, DcClip):
        return -limit.effort_limit, limit.effort_limit
    low, high = bounds(limit, angle, speed)
    if isinstance(limit, (KneeCurve, DriveEnvelope)):
        driving = limit.driving_effort if isinstance(limit, KneeCurve) else limit.max_effort
        return where(speed > 0.0, low, -driving), where(speed < 0.0, high, driving)
    return low, high


def limit_lines(limits: tuple[TorqueLimit, ...], angle, speed):
    """Slanted bounds, lowest and highest torque of several limits together [N·m]."""
    slants = slants_of(limits[0], speed)
    low, high = flat_bounds(limits[0], angle, speed)
    for limit in limits[1:]:
        slants += slants_of(limit, speed)
        low, high = narrowed(low, high, *flat_bounds(limit, angle, speed))
    return slants, low, high
