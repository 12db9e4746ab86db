"""Friction with memory: bristles that bend before they slip (Dahl, LuGre).

    z' = w - stiffness·|w|·z/g(w)        torque = stiffness·z + damping(w)·z' + viscous·w

At a held speed the bending z is a linear state and steps exactly. The torque over the step is its exact mean, so the
work done on the bristles is never less than what they store: friction creates no energy at any dt.
"""

from ..motor import Dahl, LuGre
from ..parts import Laws
from ..values import Number
from .exact import decay, rise, rise_mean
from .limits import clip
from .ops import absolute, detach, exp, maximum, minimum, power, refine, sqrt, where

BRISTLES = Laws()
"""Law of each friction with bristles: `law(friction, speed)` gives level [N·m], stiffness [N·m/rad] and damping."""
bristles_of = BRISTLES.register
"""Makes a function the law of bristles: `@bristles_of(Dahl)`."""


def stribeck_level(speed: Number, f: LuGre, exponent: Number) -> Number:
    """Friction level g(w) between stiction at rest and Coulomb friction when sliding [N·m]."""
    ratio = maximum(absolute(speed / f.stribeck_velocity), 1e-12)
    return f.coulomb + (f.stiction - f.coulomb) * exp(-power(ratio, exponent))


def gaussian_level(speed: Number, f: LuGre) -> Number:
    """Friction level g(w) for the exponent 2, which needs no power [N·m]."""
    ratio = speed / f.stribeck_velocity
    return f.coulomb + (f.stiction - f.coulomb) * exp(-ratio * ratio)


def fading_damping(speed: Number, f: LuGre, exponent: Number) -> Number:
    """Damping of the bristles, damping·exp(-|w/ws|^exponent) [N·m·s/rad]."""
    return f.damping * exp(-power(maximum(absolute(speed / f.stribeck_velocity), 1e-12), exponent))


@bristles_of(Dahl)
def dahl_bristles(f: Dahl, speed: Number) -> tuple[Number, Number, Number]:
    """The same friction at every speed."""
    return f.coulomb, f.stiffness, 0.0


@bristles_of(LuGre)
def lugre_bristles(f: LuGre, speed: Number) -> tuple[Number, Number, Number]:
    """Friction that falls from stiction, and damping that may fade."""
    exponent = f.stribeck_exponent
    level = gaussian_level(speed, f) if exponent is None else stribeck_level(speed, f, exponent)
    damping = f.damping if f.damping_exponent is None else fading_damping(speed, f, f.damping_exponent)
    return level, f.stiffness, damping


def bristle_rate(bristle: Number, speed: Number, level: Number, stiffness: Number) -> Number:
    """z' at this instant [rad/s]."""
    return speed - stiffness * absolute(speed) / level * bristle


def bristle_step(bristle: Number, speed: Number, level: Number, stiffness: Number, dt: Number) -> Number:
    """Bending after a step at a held speed [rad]."""
    u = stiffness * absolute(speed) * dt / level
    return bristle * decay(u) + speed * dt * rise(u)


def bristle_mean(bristle: Number, speed: Number, level: Number, stiffness: Number, dt: Number) -> Number:
    """Bending averaged over a step at a held speed [rad]."""
    u = stiffness * absolute(speed) * dt / level
    return bristle * rise(u) + speed * dt * rise_mean(u)


def bristle_torque(
    mean: Number, change: Number, speed: Number, stiffness: Number, damping: Number, dt: Number
) -> Number:
    """Torque against the motion, averaged over the step: stiffness·mean(z) + damping·mean(z') [N·m]."""
    torque = stiffness * mean + damping * change / dt
    # bristles that relax while sliding may ease the friction to nothing, but not push
    pushes = (change * speed < 0.0) & (torque * speed < 0.0)
    return where(pushes, 0.0, torque)


def bent_bristles(
    bristle: Number, speed: Number, level: Number, stiffness: Number, damping: Number, dt: Number
) -> tuple[Number, Number]:
    """Torque of the bristles against the motion [N·m], and their bending after the step [rad]."""
    after = bristle_step(bristle, speed, level, stiffness, dt)
    mean = bristle_mean(bristle, speed, level, stiffness, dt)
    return bristle_torque(mean, after - bristle, speed, stiffness, damping, dt), after


def stored_energy(bristle: Number, stiffness: Number) -> Number:
    """Energy in the bent bristles [J]."""
    return 0.5 * stiffness * bristle * bristle


def settling(
    free_speed: Number, inertia: Number, bristle: Number, level: Number, stiffness: Number, damping: Number, dt: Number
) -> tuple[Number, Number, tuple[Number, ...]]:
    """The equation of an inertia that the bristles hold: its direction s, a start near its solution, and its numbers.

    It is J·w + dt·torque(w) = J·free with the exact mean torque at the speed w itself, so that even stiff bristles and
    long steps neither ring nor gain energy. In u = stiffness·|w|·dt/g, along the direction s of the motion:

        u·(A - B·rise_mean(u) + D·rise(u)) = s·(J·free/dt - stiffness·z)
    """
    push = inertia * free_speed / dt - stiffness * bristle
    s = where(push < 0.0, -1.0, 1.0)
    push = s * push
    a = inertia * level / (stiffness * dt * dt)
    b = s * stiffness * bristle - level
    d = damping * (level / stiffness - s * bristle) / dt
    # start from rise(u) = 1/(1 + 7u/8), near it everywhere, which makes it a quadratic with one positive root
    linear = a + d - 0.875 * (b + push)
    root = sqrt(maximum(linear * linear + 3.5 * a * push, 0.0))
    start = where(linear > 0.0, 2.0 * push / maximum(linear + root, 1e-300), (root - linear) / (1.75 * a))
    highest = (push + b + maximum(maximum(level, -b), -d)) / a
    return s, maximum(minimum(start, highest), 0.0), (a, b, d, push, highest)


SETTLING_STEPS = 3
"""Steps from the start of the search for a speed, after which it is exact to the rounding of 16 digits [1]."""


def settled_speed(
    free_speed: Number, inertia: Number, bristle: Number, level: Number, stiffness: Number, damping: Number, dt: Number
) -> Number:
    """Speed at the end of the step [rad/s]."""
    s, start, equation = settling(free_speed, inertia, bristle, level, stiffness, damping, dt)
    return s * root_of(equation, start, SETTLING_STEPS) * level / (stiffness * dt)


def root_of(equation: tuple[Number, ...], start: Number, steps: int) -> Number:
    """The root of the equation of `settling` after some steps from a start that is close [1]."""
    # the slope of the solution is that of the last step alone
    u = halley(detach(start) if steps == 1 else start, *equation)
    return u if steps == 1 else refine(u, start, lambda: root_of(equation, u, steps - 1))


def settled_bristles(
    free_speed: Number, inertia: Number, bristle: Number, level: Number, stiffness: Number, damping: Number, dt: Number
) -> tuple[Number, Number, Number]:
    """Torque against the motion [N·m] and bending [rad] of bristles that see the speed they lead to, and it [rad/s]."""
    speed = settled_speed(free_speed, inertia, bristle, level, stiffness, damping, dt)
    held, after = bent_bristles(bristle, speed, level, stiffness, damping, dt)
    return held, after, free_speed - dt * held / inertia


HEAVY = 1e6
"""Momentum of a step over what friction may take of it, from which on its loss is not seen in it [1]."""


def estimated_settling(
    free_speed: Number, inertia: Number, bristle: Number, level: Number, stiffness: Number, damping: Number, dt: Number
) -> tuple[Number, Number]:
    """Estimates of the friction torque [N·m] and of the speed at the end of the step [rad/s], after one step."""
    s, u, equation = settling(free_speed, inertia, bristle, level, stiffness, damping, dt)
    _, b, d, _, _ = equation
    left = s * halley(u, *equation) * level / (stiffness * dt)
    # friction is what is missing of the momentum; that of a heavy joint has no digits for it, and its speed is known
    momentum = inertia / dt
    heavy = momentum * absolute(free_speed) > HEAVY * (level + damping * absolute(free_speed))
    of_speed = stiffness * bristle + s * u * (d * rise(u) - b * rise_mean(u))
    held = where(heavy, of_speed, momentum * (free_speed - left))
    # bristles bent beyond the level relax, and do not push
    pushes = (b > 0.0) & (s * held < 0.0)
    return where(pushes, 0.0, held), where(pushes, free_speed, left)


def halley(u: Number, a: Number, b: Number, d: Number, push: Number, highest: Number) -> Number:
    """One step of Halley's method on u·(A - B·rise_mean(u) + D·rise(u)) = push, kept in its bracket [1]."""
    left, risen, mean = decay(u), rise(u), rise_mean(u)
    # with u·rise = 1 - decay and u·rise_mean = 1 - rise, rise' is the difference of the two
    rise_slope = mean - risen
    tiny = u < 1e-3
    rise_bend = where(tiny, 1.0 / 3.0 - 0.25 * u, -(left + 2.0 * rise_slope) / where(tiny, 1.0, u))
    residual = u * (a - b * mean + d * risen) - push
    # bristles bent beyond the level relax, so the slope may fall below A, but not to nothing where the root is
    per_slope = 1.0 / maximum(a + b * rise_slope + d * left, 0.01 * a)
    newton = residual * per_slope
    bend = 0.5 * newton * (b * rise_bend - d * left) * per_slope
    u = u - newton / (1.0 - clip(bend, -1.0, 0.5))
    # at rest, on the edge of the bracket, the gradient is that of the step
    u = where(u > highest, highest, u)
    return where(u < 0.0, 0.0, u)
