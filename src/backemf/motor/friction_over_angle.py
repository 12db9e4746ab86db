"""Dry friction that varies with the angle of the joint: a bent shaft, a tight spot, gears that are not round.

A model is a part of the family "friction_over_angle" with a law, `@share_of(Kind)` in `physics/friction_over_angle.py`.
"""

from __future__ import annotations

import numpy as np

from ..checks import Number, concrete, no_entry, quote
from ..errors import ParameterError
from ..parts import flag, number, numbers, part


@part(family="friction_over_angle")
class FrictionOverAngle:
    """Dry friction that rises or falls evenly with the joint's angle: 1 + per_angle·(position - angle) times itself."""

    per_angle: Number = number("1/rad")
    """Share of the dry friction that is gained per angle."""
    angle: Number = number("rad", default=0.0)
    """Joint position at which the friction is that of `Motor.friction`."""


@part(family="friction_over_angle")
class FrictionAngleTable:
    """Dry friction as a table over the joint's angle: evenly spaced, linear between points, held or repeated beyond.

    A table that repeats has its points at first, first + (last - first)/n and so on: the next one after the last is the
    first again.
    """

    shares: tuple[Number, ...] = numbers("1")
    """Friction at each point over that of `Motor.friction`, 0 or more."""
    first: Number = number("rad")
    """Joint position of the first point."""
    last: Number = number("rad")
    """Joint position of the last point; of a table that repeats, where it begins again."""
    repeats: bool = flag(default=False)
    """Whether the table repeats, such as every turn; if not, it is held at its ends."""

    def __post_init__(self) -> None:
        if not isinstance(self.shares, (tuple, list)) or len(self.shares) < 2:
            raise ParameterError(
                f"FrictionAngleTable.shares = {quote(self.shares)}: must be a tuple of two or more numbers"
            )
        object.__setattr__(self, "shares", tuple(self.shares))
        for index, value in enumerate(self.shares):
            known = None if no_entry(value) else concrete(value)
            bad = known is not None and not (np.isfinite(known) & (known >= 0)).all()
            if bad or no_entry(value):
                raise ParameterError(
                    f"FrictionAngleTable.shares[{index}] = {quote(value)}: must be a finite number of at least 0"
                )
        first, last = concrete(self.first), concrete(self.last)
        if first is not None and last is not None and (last <= first).any():
            raise ParameterError(
                f"FrictionAngleTable.last = {self.last} rad must be above first = {self.first} rad: angles rise"
            )
