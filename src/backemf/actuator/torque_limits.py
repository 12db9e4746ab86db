"""Torque limits without a motor: what a simulator or a data sheet says a joint can give at a speed or an angle.

Each limit is a pair of bounds on the joint torque; the torque asked for is clipped between them. Where an actuator has
a motor as well, the bounds limit its current.

A limit is a part of the family "limit" with a law, `@bounds_of(Kind)`. One that falls with speed has two more, which
make steps stable: `@slopes_of` of `limit_slopes.py` and `@lines_of` of `limit_lines.py`.
"""

from __future__ import annotations

import numpy as np

from ..checks import Number, concrete, no_number, quote
from ..errors import ParameterError
from ..parts import Laws, flag, number, part, table
from ..physics.limits import clip, narrow
from ..physics.ops import absolute, interpolate, maximum, minimum, where

BOUNDS = Laws()
"""Law of each limit, by its class: `law(limit, angle, speed)` gives the lowest and the highest torque [N·m]."""
bounds_of = BOUNDS.register


@part(family="limit")
class DcClip:
    """The DC-motor clip of mjlab, Isaac Lab and Newton: a straight torque-speed line with a flat top."""

    saturation_effort: Number = number("N·m", above=0.0)
    """Torque at stall, where the straight line meets zero speed."""
    velocity_limit: Number = number("rad/s", above=0.0)
    """Speed at which the straight line meets zero torque, the no-load speed."""
    effort_limit: Number = number("N·m", above=0.0)
    """Flat top: the largest torque at any speed."""


@part(family="limit", called="effort")
class EffortLimit:
    """A flat limit: the same torque at every speed, in both directions."""

    effort_limit: Number = number("N·m", above=0.0)
    """Largest torque."""


@part(family="limit")
class EffortRange:
    """A flat limit with two ends, as MuJoCo's forcerange."""

    lowest: Number = number("N·m", most=0.0)
    """Lowest torque."""
    highest: Number = number("N·m", least=0.0)
    """Highest torque."""


@part(family="limit", called="envelope")
class DriveEnvelope:
    """PhysX's drive performance envelope: two coupled lines, the same in all four quadrants.

    |torque| <= max_effort - velocity_dependent_resistance·|speed|
    |speed| <= max_actuator_velocity - speed_effort_gradient·|torque|
    """

    max_effort: Number = number("N·m", above=0.0)
    """Torque at standstill."""
    max_actuator_velocity: Number = number("rad/s", least=0.0)
    """Speed without torque; at 0 there is no torque at any speed."""
    velocity_dependent_resistance: Number = number("N·m·s/rad", default=0.0, least=0.0)
    """Torque lost per speed."""
    speed_effort_gradient: Number = number("rad/(s·N·m)", default=0.0, least=0.0)
    """Speed lost per torque."""


@part(family="limit", called="knee")
class KneeCurve:
    """Flat up to a knee, then straight down to the no-load speed; braking has a limit of its own.

    A motor brakes at any speed, so that the braking limit is flat. `KneeCurve.unitree` is the curve of Unitree's
    actuators, in which it falls as well and holds at rest.
    """

    driving_effort: Number = number("N·m", above=0.0)
    """Largest torque along the motion, up to the knee (Y1)."""
    braking_effort: Number = number("N·m", above=0.0)
    """Largest torque against the motion (Y2)."""
    knee_speed: Number = number("rad/s", least=0.0)
    """Speed up to which the driving torque is there in full (X1)."""
    no_load_speed: Number = number("rad/s", above=0.0)
    """Speed at which the driving torque is gone (X2)."""
    braking_falls: bool = flag(default=False)
    """Whether braking falls from the knee on too, and its limit is that of a joint at rest."""

    def __post_init__(self) -> None:
        knee, end = concrete(self.knee_speed), concrete(self.no_load_speed)
        if knee is not None and end is not None and (knee >= end).any():
            raise ParameterError(
                f"KneeCurve.knee_speed = {self.knee_speed} rad/s must be below no_load_speed = {self.no_load_speed} "
                "rad/s: the torque falls between them"
            )

    @classmethod
    def unitree(cls, *, x1: Number, x2: Number, y1: Number, y2: Number) -> KneeCurve:
        """The curve of Unitree's actuators, in its own words: X1 and X2 [rad/s], Y1 and Y2 [N·m]."""
        return cls(driving_effort=y1, braking_effort=y2, knee_speed=x1, no_load_speed=x2, braking_falls=True)


@part(family="limit")
class TorqueSpeedTable:
    """A measured torque-speed curve, linear between its points and held at its ends."""

    speed: np.ndarray = table("rad/s")
    """Speeds of the table, rising from 0 or more."""
    driving: np.ndarray = table("N·m")
    """Largest torque along the motion at those speeds."""
    braking: np.ndarray | None = table("N·m", default=None)
    """Largest torque against the motion at those speeds; None: the same as driving."""

    def __post_init__(self) -> None:
        check_table(self, "speed", ("driving",) if self.braking is None else ("driving", "braking"))
        speeds = concrete(self.speed)
        if speeds is not None and speeds[0] < 0:
            raise ParameterError(f"TorqueSpeedTable.speed[0] = {speeds[0]:g} rad/s: must be 0 or more")


@part(family="limit")
class AngleTable:
    """A limit that depends on where the joint is, as a linkage makes it: linear between points, held at the ends."""

    angle: np.ndarray = table("rad")
    """Joint angles of the table, rising."""
    effort: np.ndarray = table("N·m")
    """Largest torque in either direction at those angles."""

    def __post_init__(self) -> None:
        check_table(self, "angle", ("effort",))


TorqueLimit = DcClip | EffortLimit | EffortRange | DriveEnvelope | KneeCurve | TorqueSpeedTable | AngleTable
"""Every limit of a joint torque."""


def check_table(part: object, key: str, columns: tuple[str, ...]) -> None:
    """Check that the columns of a table are finite and its first one rises; raise `ParameterError` if not."""
    name = type(part).__name__
    for field in (key, *columns):
        value = getattr(part, field)
        if isinstance(value, (list, tuple)):
            try:
                object.__setattr__(part, field, np.asarray(value, dtype=float))
            except (TypeError, ValueError, OverflowError):
                raise ParameterError(f"{name}.{field}: must be a list of numbers") from None
        elif value is None or isinstance(value, (int, float)) or no_number(value):
            raise ParameterError(f"{name}.{field} = {quote(value)}: must be a list of numbers")
        known = concrete(getattr(part, field))
        if known is None:
            continue
        if known.ndim != 1 or len(known) < 2 or not np.isfinite(known).all():
            raise ParameterError(f"{name}.{field}: must be two or more finite numbers in one row")
        if field == key and (np.diff(known) <= 0).any():
            raise ParameterError(f"{name}.{key}: must rise from point to point")
        if field != key and (known < 0).any():
            raise ParameterError(f"{name}.{field} = {known.min():g}: must be a torque of 0 or more")
    sizes = {field: np.shape(getattr(part, field)) for field in (key, *columns)}
    if len(set(sizes.values())) > 1:
        raise ParameterError(f"{name}: its columns have the lengths {', '.join(f'{k} {v}' for k, v in sizes.items())}")


# --- the laws


def dc_bounds(speed: Number, limit: DcClip) -> tuple[Number, Number]:
    """Lowest and highest torque of the DC-motor clip at a joint speed [N·m].

    corner = v_lim·(1 + lim/sat);  w = clip(speed, ±corner)/v_lim;  sat·(∓1 - w) within ±lim
    """
    corner = dc_corner(limit)
    share = clip(speed, -corner, corner) / limit.velocity_limit
    low = maximum(limit.saturation_effort * (-1.0 - share), -limit.effort_limit)
    high = minimum(limit.saturation_effort * (1.0 - share), limit.effort_limit)
    return low, high


@bounds_of(DcClip)
def dc_clip_bounds(limit: DcClip, angle: Number, speed: Number) -> tuple[Number, Number]:
    return dc_bounds(speed, limit)


@bounds_of(EffortLimit)
def effort_bounds(limit: EffortLimit, angle: Number, speed: Number) -> tuple[Number, Number]:
    """The same in both directions [N·m]."""
    return -limit.effort_limit, limit.effort_limit


@bounds_of(EffortRange)
def range_bounds(limit: EffortRange, angle: Number, speed: Number) -> tuple[Number, Number]:
    """Both ends [N·m]."""
    return limit.lowest, limit.highest


def dc_corner(limit: DcClip) -> Number:
    """Speed from which on the clip brakes with all of its torque, v_lim·(1 + lim/sat) [rad/s]."""
    # it follows from the limits at every step, so that a changed limit is never exceeded
    return limit.velocity_limit * (1.0 + limit.effort_limit / limit.saturation_effort)


def dc_slope(speed: Number, limit: DcClip) -> Number:
    """How fast a torque on the slanted part of the clip falls with speed: sat/v_lim up to the corner [N·m·s/rad]."""
    nothing = 0.0 * speed
    return where(absolute(speed) < dc_corner(limit), nothing + limit.saturation_effort / limit.velocity_limit, nothing)


def envelope_bounds(speed: Number, limit: DriveEnvelope) -> tuple[Number, Number]:
    """Lowest and highest torque of PhysX's envelope at a joint speed [N·m]; above the top speed both are 0."""
    fast = absolute(speed)
    high = limit.max_effort - limit.velocity_dependent_resistance * fast
    # a gradient of 0 cuts off at the top speed
    room, slanted = limit.max_actuator_velocity - fast, limit.speed_effort_gradient > 0.0
    by_speed = room / where(slanted, limit.speed_effort_gradient, 1.0)
    high = maximum(where(slanted, minimum(high, by_speed), where(room >= 0.0, high, 0.0)), 0.0)
    # without any speed there is no torque at rest, either
    high = where(limit.max_actuator_velocity > 0.0, high, 0.0)
    return -high, high


@bounds_of(DriveEnvelope)
def drive_envelope_bounds(limit: DriveEnvelope, angle: Number, speed: Number) -> tuple[Number, Number]:
    return envelope_bounds(speed, limit)


@bounds_of(KneeCurve)
def knee_bounds(limit: KneeCurve, angle: Number, speed: Number) -> tuple[Number, Number]:
    """Lowest and highest torque of the knee curve at a joint speed [N·m]."""
    fast = absolute(speed)
    fall = (limit.no_load_speed - fast) / (limit.no_load_speed - limit.knee_speed)
    left = clip(fall, 0.0, 1.0)
    driving, braking = limit.driving_effort * left, limit.braking_effort
    if not limit.braking_falls:
        return by_direction(speed, driving, braking)
    # only a torque along the motion drives; at rest there is none
    braking = braking * left
    return where(speed < 0.0, -driving, -braking), where(speed > 0.0, driving, braking)


@bounds_of(TorqueSpeedTable)
def table_bounds(limit: TorqueSpeedTable, angle: Number, speed: Number) -> tuple[Number, Number]:
    """Lowest and highest torque of a torque-speed table at a joint speed [N·m]."""
    fast = absolute(speed)
    driving = interpolate(fast, limit.speed, limit.driving)
    braking = driving if limit.braking is None else interpolate(fast, limit.speed, limit.braking)
    return by_direction(speed, driving, braking)


def by_direction(speed: Number, driving: Number, braking: Number) -> tuple[Number, Number]:
    """Bounds from the torque along the motion and the torque against it; at rest both ways are driving [N·m]."""
    low = where(speed > 0.0, -braking, -driving)
    high = where(speed < 0.0, braking, driving)
    return low, high


def angle_bounds(angle: Number, limit: AngleTable) -> tuple[Number, Number]:
    """Lowest and highest torque at a joint angle [N·m]."""
    high = interpolate(angle, limit.angle, limit.effort)
    return -high, high


@bounds_of(AngleTable)
def angle_table_bounds(limit: AngleTable, angle: Number, speed: Number) -> tuple[Number, Number]:
    return angle_bounds(angle, limit)


def bounds(limit: TorqueLimit, angle: Number, speed: Number) -> tuple[Number, Number]:
    """Lowest and highest torque of any limit at a joint angle and speed [N·m]."""
    return BOUNDS[type(limit)](limit, angle, speed)


def tightest(limits: tuple[TorqueLimit, ...], angle: Number, speed: Number) -> tuple[Number, Number]:
    """Bounds of several limits together [N·m]. Where they contradict each other, the torque nearest zero is left."""
    low, high = bounds(limits[0], angle, speed)
    for limit in limits[1:]:
        low, high = narrow(low, high, *bounds(limit, angle, speed))
    return low, high


def clamp(torque: Number, low: Number, high: Number) -> Number:
    """The torque kept between its bounds; the upper one is the last word, as in the simulators [N·m]."""
    return clip(torque, low, high)
