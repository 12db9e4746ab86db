"""What the data can tell: directions in which the prior is not improved, and intervals that believe the residuals.

With H the curvature of the data's loss and P that of the prior, deviations in units of their spreads have the
information

    D·H·D,   D = diag(spreads)

A direction whose eigenvalue is below 1 is known better from the prior than from the data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .parameters import Parameter
from .solve import Local

WEAK = 0.5
"""Information below which a direction is left to the prior [1]."""
LOADED = 0.35
"""Part of a direction that is named [1]."""
_ADVICE = (
    (("winding.resistance", "magnet"), "log the current, or give the resistance"),
    (("winding.resistance", "supply"), "log the bus voltage, or give the resistance"),
    (("magnet", "supply"), "log the bus voltage, or a free run at a known voltage"),
    (("rotor.inertia", "command.lag"), "log faster motion, or give the rotor's inertia"),
    (("rotor.inertia", "load"), "give the load's inertia, or log a free run"),
    (("thermal",), "log a temperature, or longer runs under load"),
    (("friction.load",), "lift and lower different weights"),
    (("stribeck",), "log slow reversals"),
    (("viscous",), "log fast motion"),
    (("load.mass",), "weigh the load"),
    (("spring",), "log slow motion over the whole range"),
    (("lag",), "log steps at a higher rate"),
)
"""What would tell parameters apart, by parts of their names."""
OTHERWISE = "log a richer motion"
"""What may tell others."""


@dataclass(frozen=True)
class Blind:
    """A direction that the data do not see."""

    information: float
    """Information of the data over that of the prior [1]."""
    parts: tuple[tuple[str, float], ...]
    """Parameters that it consists of, and how much of each, in spreads."""

    @property
    def advice(self) -> str:
        """What would tell."""
        names = " ".join(name for name, _ in self.parts)
        return next((text for keys, text in _ADVICE if all(key in names for key in keys)), OTHERWISE)

    def __str__(self) -> str:
        names = [name for name, _ in self.parts]
        if len(names) == 1:
            return f"{names[0]} cannot be told from these logs and stays near the prior: {self.advice}"
        listed = f"{', '.join(names[:-1])} and {names[-1]}"
        return f"{listed} can only be told together: {self.advice}"


def blind_directions(parameters: Sequence[Parameter], curve: np.ndarray, active: np.ndarray) -> list[Blind]:
    """Directions that the data tell less of than the prior, from the curvature of the data's loss."""
    free = np.flatnonzero(active).tolist()
    spreads = np.array([parameters[k].spread for k in free])
    scaled = curve[np.ix_(free, free)] * np.outer(spreads, spreads)
    values, vectors = np.linalg.eigh(0.5 * (scaled + scaled.T))
    found = []
    for value, vector in zip(values, vectors.T, strict=True):
        if value > WEAK:
            continue
        order = np.argsort(-np.abs(vector)).tolist()
        parts = [(parameters[free[k]].name, float(vector[k])) for k in order if abs(vector[k]) > LOADED]
        found.append(Blind(float(max(value, 0.0)), tuple(parts)))
    return found


def covariance(local: Local, weights: np.ndarray, spreads: np.ndarray, active: np.ndarray) -> np.ndarray:
    """Covariance of the deviations: what block by block resampling would give, to first order.

    (H + P)⁻¹·(Σ g·gᵀ + P)·(H + P)⁻¹ with g the slope of each block. Blocks are longer than what residuals have in
    common, so that this believes the residuals and not a model of them.
    """
    free = np.flatnonzero(active)
    prior = np.diag(1.0 / spreads[free] ** 2)
    curve = np.einsum("b,bpq->pq", weights, local.curve[0])[np.ix_(free, free)]
    slopes = (weights[:, None] * local.slope[0])[:, free]
    slopes = slopes[weights > 0.0]
    slopes = slopes - slopes.mean(axis=0)
    blocks = len(slopes)
    scatter = slopes.T @ slopes * (blocks / max(blocks - 1, 1))
    inverse = np.linalg.inv(curve + prior)
    small = inverse @ (scatter + prior) @ inverse
    whole = np.zeros((len(active), len(active)))
    whole[np.ix_(free, free)] = 0.5 * (small + small.T)
    return whole
