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

from .loss import Information
from .parameters import Parameter

NINETY_FIVE = 1.96
"""Standard deviations within which 95 % of normal values are [1]."""
MODELLED = 4.0
"""Degrees of freedom that the model of the residuals counts for: its variance is trusted within a factor of 2 [1]."""
LEAST_LEFT = 1e-6
"""Least part of a block's slope that a fit leaves, so that a start that only one block tells divides by no zero [1]."""
WEAK = 0.5
"""Information below which a direction is left to the prior [1]."""
LOADED = 0.35
"""Part of a direction that is named [1]."""
NETWORK = "motor.network"
"""Name that stands for all weights of a network."""
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
        # laws first: a network is what they cannot be told apart from
        order = sorted(sizes, key=lambda family: (family == NETWORK, -abs(sizes[family])))
        parts = tuple((family, sizes[family]) for family in order if abs(sizes[family]) > LOADED) or (
            (order[0], sizes[order[0]]),
        )
        if {family for family, _ in parts} == {NETWORK}:
            # which of its units does what is no question
            continue
        found.setdefault(frozenset(family for family, _ in parts), Blind(float(max(value, 0.0)), parts))
    return list(found.values())


def family_of(name: str) -> str:
    """A parameter's name, and for the points of a table or the weights of a network the name of that."""
    return NETWORK if is_of_network(name) else re.sub(r"\.\d+$", "", name)


def is_of_network(name: str) -> bool:
    """Whether a parameter is a weight of a network, which means nothing by itself."""
    return name.startswith(f"{NETWORK}.")


def covariance(told: Information, weights: np.ndarray, spreads: np.ndarray, active: np.ndarray) -> np.ndarray:
    """Covariance of the deviations, so wide that 1.96 of its standard deviations hold 95 %.

    With the slope g and the curvature H of each block and the precision P of the prior, deviations are off by

        θ - truth = -A⁻¹·(Σ g + P·truth),   A = ΣH + P

    What the slopes scatter by is known in two ways. By the model of the residuals, whose covariance of slopes is N,

        C = A⁻¹·(ΣN + P)·A⁻¹

    and by the blocks, which are longer than what residuals have in common,

        V = Σ u·uᵀ + A⁻¹·P·A⁻¹,   u = R·(I - Rᵀ·H·R)^-½·Rᵀ·g,   R·Rᵀ = A⁻¹

    where the bracket is what the fit has bent towards the block. Few blocks often carry most of what is known of a
    number: V of each has only as many degrees of freedom ν as `_Blocks.freedom` says, and C counts for `MODELLED` more,

        variance = (ν·V + MODELLED·C)/(ν + MODELLED)

    in an interval of Student's t with ν + MODELLED degrees of freedom. Correlations are those of C.
    """
    from scipy.special import stdtrit

    free = np.flatnonzero(active)
    prior = np.diag(1.0 / spreads[free] ** 2)
    half = _half_of_inverse(told.curvature(weights)[np.ix_(free, free)], spreads[free])
    inverse = half @ half.T
    from_prior = inverse @ prior @ inverse
    noise = told.added(told.noise, weights)[np.ix_(free, free)]
    model = inverse @ noise @ inverse + from_prior
    kept = _Blocks.among(told, weights > 0.0, free, half)
    blocks = (np.einsum("bpm,bm->bp", kept.ways, kept.slope) ** 2).sum(axis=0) + np.diag(from_prior)
    freedom = kept.freedom(inverse, noise, prior)
    share = 1.0 / (1.0 + MODELLED / freedom)
    variance = share * blocks + (1.0 - share) * np.diag(model)
    wide = np.sqrt(variance / np.diag(model)) * stdtrit(freedom + MODELLED, 0.975) / NINETY_FIVE
    whole = np.zeros((len(active), len(active)))
    whole[np.ix_(free, free)] = 0.5 * (model + model.T) * np.outer(wide, wide)
    return whole


def _half_of_inverse(curvature: np.ndarray, spreads: np.ndarray) -> np.ndarray:
    """R with R·Rᵀ = (H + P)⁻¹; in spreads H + P is 1 and more in every direction, so that none is lost by rounding."""
    in_spreads = np.eye(len(spreads)) + spreads[:, None] * curvature * spreads
    values, vectors = np.linalg.eigh(0.5 * (in_spreads + in_spreads.T))
    return spreads[:, None] * vectors / np.sqrt(np.maximum(values, 1.0))


@dataclass(frozen=True, eq=False)
class _Blocks:
    """Blocks and what the slope of each does to the deviations."""

    places: np.ndarray
    """Free parameters of each block, (blocks, most); their number where it has fewer."""
    slope: np.ndarray
    """Slopes, (blocks, most)."""
    curve: np.ndarray
    """Curvatures, (blocks, most, most)."""
    noise: np.ndarray
    """Covariances of slopes, (blocks, most, most)."""
    ways: np.ndarray
    """What a slope does to each deviation, without what the fit has bent, (blocks, free, most)."""

    @classmethod
    def among(cls, told: Information, kept: np.ndarray, free: np.ndarray, half: np.ndarray) -> _Blocks:
        """Some of the blocks; `half` is R with R·Rᵀ = A⁻¹ of the free parameters."""
        rank = np.full(told.count + 1, len(free))
        rank[free] = np.arange(len(free))
        places = rank[told.places[kept]]
        slope, curve, noise = told.slope[kept], told.curve[kept], told.noise[kept]
        # one more column for what a block does not have
        turned_half, whole = (np.pad(x, ((0, 0), (0, 1))) for x in (half.T, half @ half.T))
        ways = np.zeros((*places.shape[:1], len(free), places.shape[1]))
        for way, some, own in zip(ways, places, curve, strict=True):
            # Rᵀ·H·R = B·Bᵀ, of which only a few directions are not 0
            sizes, turned = np.linalg.eigh(own)
            thin = turned_half[:, some] @ (turned * np.sqrt(np.maximum(sizes, 0.0)))
            across, bent, _ = np.linalg.svd(thin, full_matrices=False)
            more = 1.0 / np.sqrt(np.maximum(1.0 - bent**2, LEAST_LEFT)) - 1.0
            way[:] = whole[:, some] + half @ (across * more) @ (across.T @ turned_half[:, some])
        return cls(places, slope, curve, noise, ways)

    def freedom(self, inverse: np.ndarray, noise: np.ndarray, prior: np.ndarray) -> np.ndarray:
        """Degrees of freedom of each variance by blocks (Satterthwaite), if residuals are as their model says.

        A slope at the optimum is g - H·A⁻¹·(Σ g + P·truth). With the covariance M of the parts u of all blocks that
        follows from it, and what is the prior's,

            ν = (tr M + prior's)²/tr M²
        """
        both, from_prior = inverse @ (noise + prior) @ inverse, np.diag(inverse @ prior @ inverse)
        found = np.zeros(len(inverse))
        for k in range(len(inverse)):
            own = np.einsum("bm,bmn->bn", self.ways[:, k], self.noise)
            by_noise, by_curve = self._spread(own), self._spread(np.einsum("bm,bmn->bn", self.ways[:, k], self.curve))
            mixed = by_noise @ inverse @ by_curve.T
            each = np.diag((own * self.ways[:, k]).sum(axis=1)) - mixed - mixed.T + by_curve @ both @ by_curve.T
            found[k] = (np.trace(each) + from_prior[k]) ** 2 / max(float((each * each).sum()), 1e-300)
        return np.minimum(found, 1e9)

    def _spread(self, rows: np.ndarray) -> np.ndarray:
        """Numbers of the parameters of each block as those of all, (blocks, free)."""
        made = np.zeros((len(rows), self.ways.shape[1] + 1))
        np.put_along_axis(made, self.places, rows, axis=1)
        return made[:, :-1]
