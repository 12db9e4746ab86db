"""Dry friction over the joint's angle: a factor of the friction, the one of the angle at which a step begins.

Friction is a budget that stops and holds, so that a factor that changes from step to step never drives the joint.
"""

from ..motor.friction_over_angle import FrictionAngleTable, FrictionOverAngle
from ..parts import Laws
from ..values import Number
from .limits import clip
from .ops import absolute, floor, maximum

SHARES = Laws()
"""Law of each friction over angle: `law(model, position)`, the factor of the dry friction [1]."""
share_of = SHARES.register
"""Makes a function the law of friction over angle: `@share_of(FrictionOverAngle)`."""
LEAST = 0.001
"""Share of the friction that is left at any angle [1]: bristles need a level to bend to."""


@share_of(FrictionOverAngle)
def linear_share(f: FrictionOverAngle, position: Number) -> Number:
    """1 + per_angle·(position - angle) [1]."""
    return 1.0 + f.per_angle * (position - f.angle)


@share_of(FrictionAngleTable)
def table_share(f: FrictionAngleTable, position: Number) -> Number:
    """Linear between the points of the table [1]."""
    points = len(f.shares)
    along = (position - f.first) / (f.last - f.first)
    # the position counted in points
    at = points * (along - floor(along)) if f.repeats else (points - 1) * clip(along, 0.0, 1.0)
    # each point counts up to its neighbours
    share = 0.0
    for index, value in enumerate(f.shares):
        share = share + value * maximum(1.0 - absolute(at - index), 0.0)
    return share + f.shares[0] * maximum(1.0 - absolute(at - points), 0.0) if f.repeats else share


def friction_share(model: FrictionOverAngle | FrictionAngleTable | None, position: Number) -> Number:
    """Factor of the dry friction at a joint position, never below a thousandth [1]."""
    return maximum(SHARES[type(model)](model, position), LEAST)
