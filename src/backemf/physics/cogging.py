"""Cogging: magnets that prefer some angles, A·sin(Np·θ + φ) per harmonic."""

from ..motor import Harmonic
from .ops import sin


def cogging_torque(angle: float, h: Harmonic) -> float:
    """Torque of one harmonic at a rotor angle [N·m]."""
    return h.amplitude * sin(h.periodicity * angle + h.phase)
