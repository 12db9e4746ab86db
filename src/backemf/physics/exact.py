"""Exact steps of linear states: the functions that come out of integrating exp(-t) over a step.

For x' = -a·x + b with a and b held over dt, and u = a·dt:

    x[k+1] = decay(u)·x[k] + b·dt·rise(u)          the state at the end of the step
    mean   = rise(u)·x[k] + b·dt·rise_mean(u)      its average over the step

which holds for any dt, u = 0 and u = ∞ included.
"""

from ..values import Number
from .ops import absolute, expm1, where


def decay(u: Number) -> Number:
    """exp(-u): what is left of a state after a step [1]."""
    return 1.0 + expm1(-u)


def rise(u: Number) -> Number:
    """(1 - exp(-u))/u, which is 1 at u = 0 [1]."""
    tiny = absolute(u) < 1e-8
    return where(tiny, 1.0 - 0.5 * u, -expm1(-u) * (1.0 / where(tiny, 1.0, u)))


def rise_mean(u: Number) -> Number:
    """(1 - rise(u))/u, which is 1/2 at u = 0 [1]."""
    # below 0.1 the difference would cancel: the series is exact to rounding there
    small = absolute(u) < 0.1
    series = 1 / 40320 - u * (1 / 362880)
    series = 1 / 5040 - u * series
    series = 1 / 720 - u * series
    series = 1 / 120 - u * series
    series = 1 / 24 - u * series
    series = 1 / 6 - u * series
    series = 1 / 2 - u * series
    per_u = 1.0 / where(small, 1.0, u)
    return where(small, series, (1.0 + expm1(-u) * per_u) * per_u)
