"""Friction that depends on load: the budgets of the family M1..M6 for `friction.hold`.

With w the speed, tm and te the torques of motor and load, and s = exp(-|w/ws|^a):

    M1  Kc + Kv|w|                               M4  M2 and M3, and s·Kls|tm - te|
    M2  M1 + s·Kcs                               M5  M4 with |Km·tm - Ke·te| for both shares
    M3  M1 + Kl|tm - te|                         M6  M5 + s·Q while tm and te oppose each other
"""

from ..motor import LoadDependent, LoadShare, QuadraticShare, Stribeck
from ..values import Number
from .friction import budget_of
from .ops import absolute, exp, maximum, power, where


def plain_budget(speed: Number, f: LoadDependent) -> Number:
    """Friction without load, Kc + Kv|w| [N·m]."""
    return f.coulomb + f.viscous * absolute(speed)


def stribeck_share(speed: Number, s: Stribeck) -> Number:
    """How much of the friction at rest is left at a speed, exp(-|w/ws|^a) [1]."""
    return exp(-power(maximum(absolute(speed / s.velocity), 1e-12), s.exponent))


def load_budget(motor_torque: Number, load_torque: Number, share: LoadShare) -> Number:
    """Friction of the transmitted torques, |Km·tm - Ke·te| [N·m]."""
    return absolute(share.drive * motor_torque - share.back * load_torque)


def quadratic_budget(motor_torque: Number, load_torque: Number, q: QuadraticShare) -> Number:
    """Friction of opposing torques: the square of the weaker one [N·m]."""
    weaker = where(
        absolute(motor_torque) > absolute(load_torque),
        q.back * load_torque * load_torque,
        q.drive * motor_torque * motor_torque,
    )
    return where(motor_torque * load_torque < 0.0, weaker, 0.0)


@budget_of(LoadDependent)
def load_dependent_budget(f: LoadDependent, speed: Number, motor_torque: Number, load_torque: Number) -> Number:
    """The groups that there are, together."""
    budget = plain_budget(speed, f)
    if f.load is not None:
        budget = budget + load_budget(motor_torque, load_torque, f.load)
    if f.stribeck is not None:
        at_rest = f.stribeck.coulomb
        if f.stribeck.load is not None:
            at_rest = at_rest + load_budget(motor_torque, load_torque, f.stribeck.load)
        if f.quadratic is not None:
            at_rest = at_rest + quadratic_budget(motor_torque, load_torque, f.quadratic)
        budget = budget + at_rest * stribeck_share(speed, f.stribeck)
    return budget
