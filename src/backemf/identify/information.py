"""What the data can tell: directions in which the prior is not improved, and intervals that believe the residuals.

With H the curvature of the data's loss and P that of the prior, deviations in units of their spreads have the
information

    D·H·D,   D = diag(spreads)

A direction whose eigenvalue is below 1 is known better from the prior than from the data.
"""

from __future__ import annotations

import re
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
    (("over_angle",), "log slow motion over the whole range"),
    (("lag",), "log steps at a higher rate"),
    (("quadratic",), "lift and lower different weights, up to heavy ones"),
    (("supply.curve",), "log the current at low and at high duty"),
    (("rotor.inertia",), "log fast reversals, or a free run"),
    (("coulomb",), "log slow motion in both directions"),
    (("winding.resistance",), "log the current, or give the resistance"),
    (("magnet",), "log the current, or a free run at a known voltage"),
    (("arm_mass",), "weigh the arm"),
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
    """Parameters, or tables of them, that it consists of, and how much of each, in spreads."""

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
    families = [family_of(parameters[k].name) for k in free]
    found: dict[frozenset[str], Blind] = {}
    for value, vector in zip(values, vectors.T, strict=True):
        if value > WEAK:
            continue
        sizes: dict[str, float] = {}
        for family, part in zip(families, vector, strict=True):
            sizes[family] = float(np.hypot(sizes.get(family, 0.0), part)) if family in sizes else float(part)
        order = sorted(sizes, key=lambda family: -abs(sizes[family]))
        parts = tuple((family, sizes[family]) for family in order if abs(sizes[family]) > LOADED) or (
            (order[0], sizes[order[0]]),
        )
        found.setdefault(frozenset(family for family, _ in parts), Blind(float(max(value, 0.0)), parts))
    return list(found.values())


def family_of(name: str) -> str:
    """A parameter's name, and for the points of a table the name of the table."""
    return re.sub(r"\.\d+$", "", name)


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
