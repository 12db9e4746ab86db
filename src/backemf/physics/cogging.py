"""Cogging: magnets that prefer some angles, A·sin(Np·θ + φ) per harmonic."""

from ..motor import Harmonic
from ..values import Number
from .ops import sin


def cogging_torque(angle: Number, h: Harmonic) -> Number:
    """Torque of one harmonic at a rotor angle [N·m]."""
    return h.amplitude * sin(h.periodicity * angle + h.phase)
