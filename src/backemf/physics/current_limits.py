"""Every limit of the current at once: its rate, the drive's limit and its derating, the firmware's and the joint's.

The tightest wins: the bounds are those that all of them allow, and where that is nothing the current nearest zero.
Only the rate gives way, since a current above its limit has to come down.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..motor import Limits
from ..values import Bits, Maybe, Number
from . import state as names
from .circuit import Circuit
from .limits import clip, derated_current, narrow
from .ops import absolute, maximum, minimum, where

if TYPE_CHECKING:
    from .demand import Demand


@dataclass(frozen=True)
class SlantedBounds:
    """A pair of bounds of the current that fall with the rotor speed."""

    low: Number
    """Lower line at the present speed [A]."""
    high: Number
    """Upper line at the present speed [A]."""
    low_fall: Number
    """How fast the lower line falls with the rotor speed [A·s/rad]."""
    high_fall: Number
    """How fast the upper line falls with the rotor speed [A·s/rad]."""
    floor: Number
    """Lowest current that the upper line falls to; the lower one ends at its negative [A]."""
    to_zero: bool
    """Whether that is 0."""


@dataclass(frozen=True)
class JointBounds:
    """The torque limits of the joint as bounds of the current."""

    low: Number
    """Lowest current at the present speed [A]."""
    high: Number
    """Highest current at the present speed [A]."""
    low_slope: Number
    """How fast the lowest current falls with the rotor speed [A·s/rad]."""
    high_slope: Number
    """How fast the highest current falls with the rotor speed [A·s/rad]."""
    slants: tuple[SlantedBounds, ...]
    """What of them falls with speed, as whole lines."""
    flat_low: Number
    """Lowest current without the slants [A]."""
    flat_high: Number
    """Highest current without the slants [A]."""


@dataclass(frozen=True)
class CurrentBounds:
    """Between which bounds the current may end a step, and which limit makes them."""

    low: Number
    """Lowest current [A]."""
    high: Number
    """Highest current [A]."""
    low_slope: Number
    """How fast the lowest current falls with the rotor speed [A·s/rad]."""
    high_slope: Number
    """How fast the highest current falls with the rotor speed [A·s/rad]."""
    at_any_rate: tuple[Number, Number] | None
    """Both bounds if the rate had no limit [A]; None: it has none."""
    in_time: tuple[Number, Number] | None
    """Lowest and highest current that the rate alone allows [A]; None: any."""
    cap: Maybe
    """Largest current in either direction that drive and firmware allow [A]; None: any."""
    hot_cap: Maybe
    """The drive's limit where heat has lowered it, infinite where not [A]; None: it does not derate."""
    joint: JointBounds | None
    """What the joint's torque limits allow; None: any."""


UNBOUNDED = 1e30
"""A current that nothing reaches [A]."""


def has_current_limit(limits: Limits | None, demand: Demand) -> bool:
    """Whether anything limits the current."""
    return limits is not None or demand.joint is not None or demand.current_limit is not None


def current_bounds(limits: Limits | None, demand: Demand, c: Circuit, dt: Number) -> CurrentBounds:
    """The bounds of the current at the end of a step, at a speed that is held over it."""
    cap, hot = current_cap(limits, demand, c)
    low, high = (-UNBOUNDED, UNBOUNDED) if cap is None else (-cap, cap)
    low_slope, high_slope = 0.0, 0.0
    joint = demand.joint
    if joint is not None:
        low, high = narrow(low, high, joint.low, joint.high)
        low_slope = where(low == joint.low, joint.low_slope, 0.0 * low)
        high_slope = where(high == joint.high, joint.high_slope, 0.0 * high)
    at_any_rate, in_time = None, None
    if limits is not None and limits.current_rate is not None:
        at_any_rate = low, high
        in_time = rate_bounds(limits, c, dt)
        slopes = low_slope, high_slope
        low_slope, high_slope = (slope_between(end, low, high, *slopes) for end in in_time)
        low, high = (clip(end, low, high) for end in in_time)
    return CurrentBounds(low, high, low_slope, high_slope, at_any_rate, in_time, cap, hot, joint)


def slope_between(current: Number, low: Number, high: Number, low_slope: Number, high_slope: Number) -> Number:
    """How fast a current falls with speed that is kept between two bounds and does not fall by itself [A·s/rad]."""
    none = 0.0 * current
    return where(current < low, low_slope + none, where(current > high, high_slope + none, none))


def rate_bounds(limits: Limits, c: Circuit, dt: Number) -> tuple[Number, Number]:
    """Lowest and highest current that can be reached within a step [A]."""
    assert limits.current_rate is not None
    return c.current - limits.current_rate * dt, c.current + limits.current_rate * dt


def flat_bounds(limits: Limits | None, demand: Demand, c: Circuit, dt: Number) -> tuple[Number, Number]:
    """Bounds of the current that no speed moves [A]; without those of its rate where it yields to slanted ones."""
    cap, _ = current_cap(limits, demand, c)
    joint = demand.joint
    low, high = (-UNBOUNDED, UNBOUNDED) if joint is None else (joint.flat_low, joint.flat_high)
    if cap is not None:
        low, high = clip(low, -cap, cap), clip(high, -cap, cap)
    slanted = joint is not None and joint.slants
    if limits is not None and limits.current_rate is not None and not slanted:
        slowest, fastest = rate_bounds(limits, c, dt)
        low, high = clip(slowest, low, high), clip(fastest, low, high)
    return low, high


def bounds_after(joint: JointBounds, change: Number) -> JointBounds:
    """The bounds after a change of the rotor speed, along the lines that a step is solved with."""
    low, high, low_slope, high_slope = joint.flat_low, joint.flat_high, 0.0, 0.0
    for k, slant in enumerate(joint.slants):
        lower, upper = slant.low - slant.low_fall * change, slant.high - slant.high_fall * change
        lower_slope = where(lower < -slant.floor, slant.low_fall, 0.0 * lower)
        upper_slope = where(upper > slant.floor, slant.high_fall, 0.0 * upper)
        pair = minimum(lower, -slant.floor), maximum(upper, slant.floor), lower_slope, upper_slope
        if k == 0:
            low, high, low_slope, high_slope = pair
        else:
            low, low_slope = clip_bound(low, low_slope, *pair)
            high, high_slope = clip_bound(high, high_slope, *pair)
    if joint.slants:
        flat = joint.flat_low, joint.flat_high, 0.0, 0.0
        low, low_slope = clip_bound(low, low_slope, *flat)
        high, high_slope = clip_bound(high, high_slope, *flat)
    return replace(joint, low=low, high=high, low_slope=low_slope, high_slope=high_slope)


def clip_bound(
    bound: Number, slope: Number, low: Number, high: Number, low_slope: Number, high_slope: Number
) -> tuple[Number, Number]:
    """A bound within two others, and how fast it falls with the rotor speed there."""
    under, over = bound < low, bound > high
    none = 0.0 * bound
    slope = where(under, low_slope + none, where(over, high_slope + none, slope + none))
    return clip(bound, low, high), slope


def current_cap(limits: Limits | None, demand: Demand, c: Circuit) -> tuple[Maybe, Maybe]:
    """Largest current of drive and firmware, and the drive's where heat has lowered it [A]; None: there is none."""
    cap, hot = None, None
    if limits is not None and limits.rated_current is not None:
        cap = limits.rated_current
        if limits.derates:
            low, start, end = limits.low_current, limits.derating_start, limits.derating_end
            assert low is not None and start is not None and end is not None
            cap = derated_current(c.temperature, limits.rated_current, low, start, end)
            hot = where(cap < limits.rated_current, cap, UNBOUNDED)
    if demand.current_limit is not None:
        cap = demand.current_limit if cap is None else minimum(cap, demand.current_limit)
    return cap, hot


def acting_limits(b: CurrentBounds, wanted: Number, allowed: Number, rounding: Number) -> Bits:
    """Flags of the limits that turn the current that is wanted into the one that is allowed, by more than rounding."""
    cut = absolute(allowed - wanted) > rounding
    flags = 0
    if b.at_any_rate is not None:
        flags = where(absolute(clip(wanted, *b.at_any_rate) - allowed) > rounding, names.RATE, 0)
    if b.cap is not None:
        flags = flags | where(cut & (absolute(allowed) >= b.cap), names.CURRENT, 0)
    if b.hot_cap is not None:
        flags = flags | where(cut & (absolute(allowed) >= b.hot_cap), names.DERATING, 0)
    if b.joint is not None:
        # without it the others would have left another current
        without = wanted if b.in_time is None else clip(wanted, *b.in_time)
        without = without if b.cap is None else clip(without, -b.cap, b.cap)
        flags = flags | where(absolute(without - allowed) > rounding, names.TORQUE, 0)
    return flags
