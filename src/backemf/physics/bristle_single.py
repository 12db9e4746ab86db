"""Bristles and the speed they lead to, in the few operations that seven digits need.

The equation is that of `bristle.settling`. Its numbers D and B differ by the factor -damping/(stiffness·dt) alone, so
with k = damping/(stiffness·dt) and h(u) = k·(1 - decay(u)) + 1 - rise(u) it is

    A·u - B·h(u) = push        friction = s·(s·stiffness·z - B·h(u))        z' = z - s·B/stiffness·(1 - decay(u))

One step of Chebyshev's method from a start within some percent, with functions that are good to three digits, then one
of Newton's with exact ones. That ends so close to where it began that friction and bending follow along the tangent.
"""

from ..values import Number
from .exact import decay, rise, rise_mean
from .limits import clip
from .ops import absolute, exp, maximum, minimum, sqrt, where

NEAR = 0.75
"""The start takes rise(u) = 1/(1 + NEAR·u); with this value the search ends closest [1]."""
LEAST = 0.01
"""Below this u the first step takes the functions of this one: nearer to 0 their short forms lose all digits [1]."""
FLATTEST = 0.01
"""Least slope of the equation over A: bristles that relax make it flat, but not where the solution is [1]."""
SMALLEST = 1e-25
"""What A is more than it is, so that it can be divided by [N·m]; friction that small is none."""
LARGEST = 1e38
"""What the start takes the root of at most [N²·m²]: what is so heavy goes on at its speed, which both steps find."""


def settled_bristles(
    free: Number, inertia: Number, bristle: Number, level: Number, stiffness: Number, damping: Number, dt: Number
) -> tuple[Number, Number, Number]:
    """As `bristle.settled_bristles`, to seven digits."""
    momentum = inertia / dt
    push = momentum * free - stiffness * bristle
    s = where(push < 0.0, -1.0, 1.0)
    push = absolute(push)
    bent = s * (stiffness * bristle)
    a = momentum * (level / (stiffness * dt)) + SMALLEST
    b, k = bent - level, damping / (stiffness * dt)

    # the start: a quadratic with one positive root, without a difference of like numbers
    linear = a - (k + NEAR) * b - NEAR * push
    root = sqrt(minimum(0.25 * (linear * linear) + (NEAR * a) * push, LARGEST))
    of_both, falls = 0.5 * absolute(linear) + root, linear > 0.0
    u = where(falls, push, of_both) / where(falls, of_both, NEAR * a)

    # Chebyshev's step
    v = maximum(u, LEAST)
    left, per_u = exp(-v), 1.0 / v
    risen = per_u - left * per_u
    mean = per_u - risen * per_u
    fall = mean - risen
    residual = u * (a - b * (k * risen + mean)) - push
    per_slope = 1.0 / maximum(a - b * (k * left - fall), FLATTEST * a)
    newton = residual * per_slope
    bend = 0.5 * b * (k * left - (left + 2.0 * fall) * per_u) * per_slope * newton
    u = maximum(u - (newton + newton * clip(bend, -0.5, 0.5)), 0.0)

    # Newton's step
    left, risen, mean = decay(u), rise(u), rise_mean(u)
    come, slope = u * risen, k * left + (risen - mean)
    h = k * come + u * mean
    newton = (a * u - push - b * h) / maximum(a - b * slope, FLATTEST * a)
    change = maximum(-newton, -u)

    # along the tangent; bristles that relax while sliding may ease the friction to nothing, but not push
    held = s * maximum(bent - b * (h + change * slope), minimum(bent, 0.0))
    after = bristle - s * (b / stiffness) * (come + change * left)
    return held, after, free - dt * held / inertia


def estimated_settling(
    free: Number, inertia: Number, bristle: Number, level: Number, stiffness: Number, damping: Number, dt: Number
) -> tuple[Number, Number]:
    """As `bristle.estimated_settling`: the solution itself, which the step needs anyway where no limit acts."""
    held, _, left = settled_bristles(free, inertia, bristle, level, stiffness, damping, dt)
    return held, left
