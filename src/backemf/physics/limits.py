"""What the drive allows: a current limit that falls with temperature, and a current-rate limit."""

from .ops import maximum, minimum


def clip(x: float, low: float, high: float) -> float:
    """x kept between two bounds."""
    return minimum(maximum(x, low), high)


def cool_fraction(temperature: float, start: float, end: float) -> float:
    """1 below `start`, 0 above `end`, a smooth cubic s = 1 - u²(3 - 2u) between [1]."""
    u = clip((temperature - start) / (end - start), 0.0, 1.0)
    return 1.0 - u * u * (3.0 - 2.0 * u)


def derated_current(temperature: float, rated: float, low: float, start: float, end: float) -> float:
    """Current limit between its value when cool and its value when hot [A]."""
    return low + (rated - low) * cool_fraction(temperature, start, end)


def within_rate(target: float, current: float, rate: float, dt: float) -> float:
    """Current that changes by no more than rate·dt over the step [A]."""
    return clip(target, current - rate * dt, current + rate * dt)
