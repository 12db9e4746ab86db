"""Viscous drag: one term B·w|w|^(n-1) of a polynomial of any order."""

from ..values import Number
from .ops import absolute


def drag_coefficient(speed: Number, coefficient: Number, order: int) -> Number:
    """Torque over speed of the term of one order, B·|w|^(n-1) [N·m·s/rad]."""
    return coefficient * absolute(speed) ** (order - 1)


def drag_slope(speed: Number, coefficient: Number, order: int) -> Number:
    """Torque gained per speed by the term of one order, n·B·|w|^(n-1) [N·m·s/rad]."""
    return order * coefficient * absolute(speed) ** (order - 1)
