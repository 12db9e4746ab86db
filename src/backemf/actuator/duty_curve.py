"""From duty to volts: a bridge whose voltage is not proportional to what it is told.

Measured servos give less and less for more duty. A curve is odd and rises; it takes the share of the bus that is
asked for to the share that the terminals get. It is a part of the family "duty_curve" with a law, `@curve_of(Kind)`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..checks import Number, concrete, no_entry, quote
from ..errors import ParameterError
from ..parts import Laws, number, numbers, part
from ..physics.limits import clip
from ..physics.ops import absolute, maximum, minimum, sign, where

CURVES = Laws()
"""Law of each curve: `law(curve, size)` of a duty of 0 to 1 gives its share of the bus, the slope there, and a slope
that no chord from there to any other point of the curve exceeds [1]."""
curve_of = CURVES.register
"""Makes a function the law of a curve: `@curve_of(DutyCurve)`."""


@part(family="duty_curve")
class DutyCurve:
    """A curve that flattens: duty·(1 + saturation)/(1 + saturation·|duty|) of the bus, all of it at full duty."""

    saturation: Number = number("1", least=0.0)
    """How much steeper the curve begins than a straight line; 0: it is one."""


@part(family="duty_curve")
class DutyTable:
    """A measured curve: the share of the bus at evenly spaced duties, linear between them and 0 at no duty."""

    shares: tuple[Number, ...] = numbers("1")
    """Shares at the duties 1/n, 2/n, ... 1, each above the one before, of at most 1."""

    def __post_init__(self) -> None:
        if not isinstance(self.shares, (tuple, list)) or not self.shares:
            raise ParameterError(f"DutyTable.shares = {quote(self.shares)}: must be a tuple such as (0.6, 1.0)")
        object.__setattr__(self, "shares", tuple(self.shares))
        below: Any = 0.0
        for index, value in enumerate(self.shares):
            known = None if no_entry(value) else concrete(value)
            bad = known is not None and not (np.isfinite(known) & (known > below) & (known <= 1.0)).all()
            if bad or no_entry(value):
                raise ParameterError(
                    f"DutyTable.shares[{index}] = {quote(value)}: must be above the one before, which is above 0, and "
                    "at most 1"
                )
            below = below if known is None else known


@curve_of(DutyCurve)
def saturating_share(c: DutyCurve, size: Number) -> tuple[Number, Number, Number]:
    """A hyperbola through 0 and 1, steepest at 0; no chord is more than twice as steep as the one to 0."""
    first = 1.0 + c.saturation
    bent = 1.0 + c.saturation * size
    return first * size / bent, first / (bent * bent), minimum(2.0 * first / bent, first)


@curve_of(DutyTable)
def table_share(c: DutyTable, size: Number) -> tuple[Number, Number, Number]:
    """Straight pieces, added up as far as the duty goes."""
    pieces, points = len(c.shares), (0.0, *c.shares)
    share, slope = 0.0 * size, 0.0 * size
    for index in range(pieces):
        rise = pieces * (points[index + 1] - points[index])
        share = share + rise * clip(size - index / pieces, 0.0, 1.0 / pieces)
        slope = where(size >= index / pieces, rise + 0.0 * size, slope)
    # the steepest chord ends at a point of the table, on this side or on the other
    chord = slope
    for index, value in enumerate(points):
        away, behind = size - index / pieces, size + index / pieces
        apart, turned = absolute(away) > 1e-9, behind > 1e-9
        chord = maximum(chord, where(apart, (share - value) / where(apart, away, 1.0), slope))
        chord = maximum(chord, where(turned, (share + value) / where(turned, behind, 1.0), slope))
    return share, slope, chord


def shaped_duty(duty: Number, curve: DutyCurve | DutyTable) -> tuple[Number, Number, Number]:
    """Share of the bus for a duty, its slope, and a slope that no chord from there exceeds [1].

    Beyond full duty, where the bridge has no more, what is asked for goes on in proportion.
    """
    size = absolute(duty)
    beyond = size > 1.0
    share, slope, chord = CURVES[type(curve)](curve, where(beyond, 1.0, size))
    full, _, _ = CURVES[type(curve)](curve, 1.0)
    share, slope = where(beyond, full * size, share), where(beyond, full + 0.0 * size, slope)
    return sign(duty) * share, slope, maximum(chord, full)


def full_share(duty: Number, curve: DutyCurve | DutyTable | None) -> Number:
    """Share of the bus that the terminals get at the largest duty [1]."""
    return duty if curve is None else shaped_duty(duty, curve)[0]
