"""Viscous drag: one term B·w|w|^(n-1) of a polynomial of any order."""

from .ops import absolute


def drag_term(speed: float, coefficient: float, order: int) -> float:
    """Torque of the term of one order, against the speed [N·m]."""
    return coefficient * speed * absolute(speed) ** (order - 1)


def drag_slope(speed: float, coefficient: float, order: int) -> float:
    """Torque gained per speed by the term of one order [N·m·s/rad]."""
    return order * coefficient * absolute(speed) ** (order - 1)
