"""Every limit of the current at once: its rate, the drive's limit and its derating, the firmware's and the joint's.

The tightest wins: the bounds are those that all of them allow, and where that is nothing the current nearest zero.
Only the rate gives way, since a current above its limit has to come down.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..motor import Limits
from . import state as names
from .circuit import Circuit
from .limits import clip, derated_current, narrowed
from .ops import absolute, minimum, where


@dataclass(frozen=True)
class SlantedBounds:
    """A pair of bounds of the current that fall with the rotor speed."""

    low: Any
    """Lower line at the present speed [A]."""
    high: Any
    """Upper line at the present speed [A]."""
    low_fall: Any
    """How fast the lower line falls with the rotor speed [A·s/rad]."""
    high_fall: Any
    """How fast the upper line falls with the rotor speed [A·s/rad]."""
    floor: Any
    """Lowest current that the upper line falls to; the lower one ends at its negative [A]."""


@dataclass(frozen=True)
class JointBounds:
    """The torque limits of the joint as bounds of the current."""

    low: Any
    """Lowest current at the present speed [A]."""
    high: Any
    """Highest current at the present speed [A]."""
    low_slope: Any
    """How fast the lowest current falls with the rotor speed [A·s/rad]."""
    high_slope: Any
    """How fast the highest current falls with the rotor speed [A·s/rad]."""
    slants: tuple[SlantedBounds, ...]
    """What of them falls with speed, as whole lines."""
    flat_low: Any
    """Lowest current without the slants [A]."""
    flat_high: Any
    """Highest current without the slants [A]."""
    at: Callable[[Any], JointBounds]
    """The same at another rotor speed [rad/s]."""


@dataclass(frozen=True)
class CurrentBounds:
    """Between which bounds the current may end a step, and which limit makes them."""

    low: Any
    """Lowest current [A]."""
    high: Any
    """Highest current [A]."""
    low_slope: Any
    """How fast the lowest current falls with the rotor speed [A·s/rad]."""
    high_slope: Any
    """How fast the highest current falls with the rotor speed [A·s/rad]."""
    at_any_rate: Any
    """Both bounds if the rate had no limit [A]; None: it has none."""
    cap: Any
    """Largest current in either direction that drive and firmware allow [A]; None: any."""
    hot_cap: Any
    """The drive's limit where heat has lowered it, infinite where not [A]; None: it does not derate."""
    joint: JointBounds | None
    """What the joint's torque limits allow; None: any."""


UNBOUNDED = 1e30
"""A current that nothing reaches [A]."""


def has_current_limit(limits: Limits | None, demand) -> bool:
    """Whether anything limits the current."""
    return limits is not None or demand.joint is not None or demand.current_limit is not None


def current_bounds(limits: Limits | None, demand, c: Circuit, dt) -> CurrentBounds:
    """The bounds of the current at the end of a step, at a speed that is held over it."""
    cap, hot = current_cap(limits, demand, c)
    low, high = (-UNBOUNDED, UNBOUNDED) if cap is None else (-cap, cap)
    low_slope, high_slope = 0.0, 0.0
    joint = demand.joint
    if joint is not None:
        low, high = narrowed(low, high, joint.low, joint.high)
        low_slope = where(low == joint.low, joint.low_slope, 0.0 * low)
        high_slope = where(high == joint.high, joint.high_slope, 0.0 * high)
    at_any_rate = None
    if limits is not None and limits.current_rate is not None:
        at_any_rate = low, high
        slowest, fastest = c.current - limits.current_rate * dt, c.current + limits.current_rate * dt
        slopes = low_slope, high_slope
        low_slope, high_slope = (slope_between(end, low, high, *slopes) for end in (slowest, fastest))
        low, high = clip(slowest, low, high), clip(fastest, low, high)
    return CurrentBounds(low, high, low_slope, high_slope, at_any_rate, cap, hot, joint)


def slope_between(current, low, high, low_slope, high_slope):
    """How fast a current falls with speed that is kept between two bounds and does not fall by itself [A·s/rad]."""
    none = 0.0 * current
    return where(current < low, low_slope + none, where(current > high, high_slope + none, none))


def flat_bounds(limits: Limits | None, demand, c: Circuit, dt, lowest, highest):
    """Bounds of the current that no speed moves, within a lowest and a highest one [A]."""
    cap, _ = current_cap(limits, demand, c)
    low, high = lowest, highest
    if cap is not None:
        low, high = clip(low, -cap, cap), clip(high, -cap, cap)
    if limits is not None and limits.current_rate is not None:
        slowest, fastest = c.current - limits.current_rate * dt, c.current + limits.current_rate * dt
        low, high = clip(slowest, low, high), clip(fastest, low, high)
    return low, high


def current_cap(limits: Limits | None, demand, c: Circuit):
    """Largest current of drive and firmware, and the drive's where heat has lowered it [A]; None: there is none."""
    cap, hot = None, None
    if limits is not None and limits.rated_current is not None:
        cap = limits.rated_current
        if limits.derates:
            start, end = limits.derating_start, limits.derating_end
            cap = derated_current(c.temperature, limits.rated_current, limits.low_current, start, end)
            hot = where(cap < limits.rated_current, cap, UNBOUNDED)
    if demand.current_limit is not None:
        cap = demand.current_limit if cap is None else minimum(cap, demand.current_limit)
    return cap, hot


def acting_limits(b: CurrentBounds, wanted, allowed):
    """Flags of the limits that turn the current that is wanted into the one that is allowed."""
    cut = absolute(allowed - wanted) > 0.0
    flags = 0
    if b.at_any_rate is not None:
        flags = where(absolute(clip(wanted, *b.at_any_rate) - allowed) > 0.0, names.RATE, 0)
    if b.cap is not None:
        flags = flags | where(cut & (absolute(allowed) >= b.cap), names.CURRENT, 0)
    if b.hot_cap is not None:
        flags = flags | where(cut & (absolute(allowed) >= b.hot_cap), names.DERATING, 0)
    if b.joint is not None:
        outside = (allowed <= b.joint.low) | (allowed >= b.joint.high)
        flags = flags | where(cut & outside, names.TORQUE, 0)
    return flags
