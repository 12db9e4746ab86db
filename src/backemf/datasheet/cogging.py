"""The cogging that a sheet's figures give."""

from __future__ import annotations

from ..motor import Cogging, Harmonic
from .solve import Solved


def cogging_model(s: Solved) -> Cogging | None:
    """One harmonic each, its amplitude from a share of the nominal torque at the motor where that is given."""
    rated = s.figures.nominal_torque or 0.0
    harmonics = tuple(
        Harmonic(
            amplitude=(h.share or 0.0) * rated if h.amplitude is None else h.amplitude,
            periodicity=h.periods,
            phase=h.phase or 0.0,
        )
        for h in s.sheet.cogging
    )
    return Cogging(harmonics=harmonics) if harmonics else None
