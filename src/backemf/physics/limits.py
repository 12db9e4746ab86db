"""What the drive allows: a current limit that falls with temperature, and a current-rate limit."""

from ..values import Number
from .ops import absolute, maximum, minimum, where


def clip(x: Number, low: Number, high: Number) -> Number:
    """x kept between two bounds."""
    return minimum(maximum(x, low), high)


def cool_fraction(temperature: Number, start: Number, end: Number) -> Number:
    """1 below `start`, 0 above `end`, a smooth cubic s = 1 - u²(3 - 2u) between [1]."""
    u = clip((temperature - start) / (end - start), 0.0, 1.0)
    return 1.0 - u * u * (3.0 - 2.0 * u)


def derated_current(temperature: Number, rated: Number, low: Number, start: Number, end: Number) -> Number:
    """Current limit between its value when cool and its value when hot [A]."""
    return low + (rated - low) * cool_fraction(temperature, start, end)


def narrow(low: Number, high: Number, lower: Number, upper: Number) -> tuple[Number, Number]:
    """What two pairs of bounds both allow; where that is nothing, the bound nearest zero."""
    low, high = maximum(low, lower), minimum(high, upper)
    nearest = where(absolute(low) < absolute(high), low, high)
    return where(low > high, nearest, low), where(low > high, nearest, high)
