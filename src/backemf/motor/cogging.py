"""Magnets that prefer some angles."""

from __future__ import annotations

from dataclasses import dataclass

from ..checks import Number, require, require_finite, require_parts
from ..tree import kind_of_numbers


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Harmonic:
    """One sine of the cogging torque."""

    amplitude: Number
    """Peak torque [N·m]."""
    periodicity: Number
    """Periods per turn of the rotor [1]."""
    phase: Number = 0.0
    """Phase at rotor angle 0 [rad]."""

    def __post_init__(self) -> None:
        require(self, "amplitude", ">=")
        require(self, "periodicity", ">")
        require_finite(self, "phase")


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Cogging:
    """Torque ripple of magnets passing slots: a sum of any number of harmonics."""

    harmonics: tuple[Harmonic, ...]
    """The sines that add up."""

    def __post_init__(self) -> None:
        require_parts(self, "harmonics", Harmonic)
