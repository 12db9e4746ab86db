"""Cogging torque."""

from __future__ import annotations

from ..checks import Number
from ..parts import number, part, several


@part
class Harmonic:
    """One sine of the cogging torque."""

    amplitude: Number = number("N·m", least=0.0)
    """Peak torque."""
    periodicity: Number = number("1", above=0.0)
    """Periods per turn of the rotor."""
    phase: Number = number("rad", default=0.0)
    """Phase at rotor angle 0."""


@part
class Cogging:
    """Torque ripple of magnets passing slots: a sum of any number of harmonics."""

    harmonics: tuple[Harmonic, ...] = several(Harmonic)
    """The sines that add up."""
