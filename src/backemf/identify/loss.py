"""What logs are worth to a fit: a robust loss by blocks of the data, with its slopes and curvatures.

    F = Σ weight·κ²·(√(1 + (r/κσ)²) - 1) + ½·Σ (deviation/spread)²

The loss is a parabola for small residuals and a straight line for large ones, so that one spike does not rule.
Residuals of neighbouring samples are alike: of n samples within which they stay alike, one counts, or the prior would
be drowned by copies of the same error.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from itertools import pairwise

import numpy as np

from .bench import bench_among, values_of
from .extrapolate import Extrapolated
from .parameters import Space
from .predict import Predictor
from .trials import Trials

KAPPA = 2.0
"""Residual over its scale from which on the loss is straight [1]."""
SMALL = 200_000
"""Products of a matrix product that BLAS leaves to one thread [1]."""


@dataclass(frozen=True, eq=False)
class Scales:
    """What a residual of each channel is measured against."""

    sigma: np.ndarray
    """Usual size of a residual of each channel, in its unit."""
    weight: np.ndarray
    """Independent samples per sample, of each channel [1]."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """Parts of the data that are left out or drawn again together: pieces of lanes, all of the same duration."""

    pieces: int
    """Pieces of each lane [1]."""
    lanes: int
    """Number of lanes."""
    seconds: float
    """How long a piece is [s]."""

    @property
    def count(self) -> int:
        """Number of blocks: lane by lane, piece by piece."""
        return self.pieces * self.lanes

    def cuts(self, time: np.ndarray, samples: int) -> list[tuple[int, int]]:
        """First sample and end of each piece of a lane that has measured some samples at rising times."""
        edges = np.searchsorted(time[:samples], self.seconds * np.arange(1, self.pieces))
        ends = [0, *edges.tolist(), samples]
        return list(pairwise(ends))


@dataclass(eq=False)
class Local:
    """What is known around a point: the loss, and its slope and curvature by block.

    Slopes are kept by the numbers of the bench, of which a lane has few, and not by deviations, of which a robot has
    hundreds.
    """

    loss: np.ndarray
    """Loss of each candidate without the prior, by block, (candidates, blocks)."""
    pushes: np.ndarray = field(default_factory=lambda: np.zeros((0, 0, 0, 0)))
    """Slopes by number, (candidates, lanes, pieces, numbers)."""
    bends: np.ndarray = field(default_factory=lambda: np.zeros((0, 0, 0, 0, 0)))
    """Curvatures by number, (candidates, lanes, pieces, numbers, numbers)."""
    ways: np.ndarray = field(default_factory=lambda: np.zeros((0, 0, 0, 0)))
    """Derivatives of the numbers by each deviation, (candidates, lanes, parameters, numbers)."""

    def weighted(self, candidate: int, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Slope (parameters) and curvature (parameters, parameters) of a sum of blocks."""
        ways = self.ways[candidate]
        each = weights.reshape(len(ways), -1)
        push = np.einsum("lb,lbn->ln", each, self.pushes[candidate])
        bend = np.einsum("lb,lbnm->lnm", each, self.bends[candidate])
        slope, curve = np.zeros(ways.shape[1]), np.zeros((ways.shape[1], ways.shape[1]))
        for lane, way in enumerate(ways):
            # a lane moves by a few of the deviations
            some = np.flatnonzero(way.any(axis=1))
            slope[some] += way[some] @ push[lane]
            curve[np.ix_(some, some)] += way[some] @ bend[lane] @ way[some].T
        return slope, curve

    @property
    def slope(self) -> np.ndarray:
        """Slopes by block, (candidates, blocks, parameters)."""
        made = np.einsum("glpn,glbn->glbp", self.ways, self.pushes, optimize=True)
        return made.reshape(*self.loss.shape, -1)

    @property
    def curve(self) -> np.ndarray:
        """Curvatures by block, (candidates, blocks, parameters, parameters)."""
        half = np.einsum("glpn,glbnm->glbpm", self.ways, self.bends, optimize=True)
        made = np.einsum("glbpm,glqm->glbpq", half, self.ways, optimize=True)
        return made.reshape(*self.loss.shape, *made.shape[3:])

    def take(self, rows: np.ndarray) -> Local:
        """Some of the candidates, in this order."""
        return Local(self.loss[rows], self.pushes[rows], self.bends[rows], self.ways[rows])

    def put(self, candidate: int, other: Local, row: int) -> None:
        """Replace a candidate by one of others."""
        for entry in fields(self):
            getattr(self, entry.name)[candidate] = getattr(other, entry.name)[row]


@dataclass(frozen=True, eq=False)
class Information:
    """What the data tell at a point, by block: of each, only the parameters that move its lane."""

    count: int
    """How many parameters there are [1]."""
    places: np.ndarray
    """Parameters of each block, (blocks, most); `count` where it has fewer."""
    slope: np.ndarray
    """Slope of the loss g, (blocks, most)."""
    curve: np.ndarray
    """Curvature of the loss H, for predictions that are straight, (blocks, most, most)."""
    noise: np.ndarray
    """Covariance N that the slope has if residuals are as much alike as their weight says, as the curvature."""

    def curvature(self, weights: np.ndarray) -> np.ndarray:
        """Curvature of a sum of blocks, (parameters, parameters)."""
        return self.added(self.curve, weights)

    def added(self, squares: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Sum over blocks of what is given for the parameters of each, (parameters, parameters)."""
        made = np.zeros((self.count + 1, self.count + 1))
        for weight, places, square in zip(weights, self.places, squares, strict=True):
            made[np.ix_(places, places)] += weight * square
        return made[:-1, :-1]


@dataclass(frozen=True, eq=False)
class _Worth:
    """What each residual of a channel is worth, (samples)."""

    pull: np.ndarray
    """Slope of its loss."""
    bend: np.ndarray
    """Curvature of its loss."""
    noise: np.ndarray
    """Square of the slope, over the weight: of n samples that are alike, each has the weight 1/n, and all n² add up."""


class Problem:
    """Logs, a space of parameters, and what a prediction is worth."""

    def __init__(self, predictor: Predictor | Extrapolated, space: Space, blocks: Blocks, scales: Scales):
        self.predictor, self.space, self.blocks, self.scales = predictor, space, blocks, scales
        readings = predictor.trials.readings
        counts = [reading.there.sum(axis=1) for reading in readings]
        self._cuts = [
            [blocks.cuts(reading.time[lane], int(count[lane])) for lane in range(blocks.lanes)]
            for reading, count in zip(readings, counts, strict=True)
        ]
        self._narrow: dict[tuple[str, ...], Predictor | Extrapolated] = {}
        self.hints = np.zeros((0, len(space.parameters)))
        """Deviations from which a fit starts besides others, (hints, parameters)."""
        self.reached: Scales | None = None
        """Scales that a fit with all laws has reached: poorer fits are measured against no larger ones."""
        self.steps: int | None = None
        """Steps after which no block counts and nothing need be simulated; None: all of them are."""
        bench = values_of(predictor.bench, space.names, blocks.lanes)
        self._set_by_space = set(np.flatnonzero((bench != space.base).any(axis=1)).tolist())

    def residuals(self, theta: np.ndarray, active: np.ndarray) -> list[np.ndarray]:
        """Predicted less measured, (candidates, lanes, samples) per channel; 0 where nothing was measured."""
        predictor, places = self._among(active)
        return self._subtract(predictor.predict(self._values(theta, active)[places], self.steps))

    def _among(self, active: np.ndarray) -> tuple[Predictor | Extrapolated, np.ndarray]:
        """A predictor of those numbers that free parameters move or the space has set, and where they are among all."""
        moved = {place for k in np.flatnonzero(active) for place in self.space.places[k]}
        places = np.array(sorted(moved | self._set_by_space), dtype=int)
        names = tuple(self.space.names[place] for place in places)
        if names not in self._narrow:
            self._narrow[names] = self.predictor.among(names)
        return self._narrow[names], places

    def among(self, lanes: np.ndarray, samples: int) -> Problem:
        """The same problem for some of the lanes, and no more than some samples of each."""
        before = self.predictor
        trials = before.trials.among(lanes, samples)
        predictor = Predictor(bench_among(before.bench, lanes), trials, before.names)
        made = Problem(predictor, self.space.among(lanes), replace(self.blocks, lanes=len(lanes)), self.scales)
        made.steps, made.hints, made.reached = self.steps, self.hints, self.reached
        return made

    def moved(self, active: np.ndarray) -> tuple[str, ...]:
        """Numbers that free parameters move or the space has set."""
        return self._among(active)[0].names

    def samples_in(self, weights: np.ndarray) -> list[np.ndarray]:
        """Which samples of each channel are in blocks that have a weight, (lanes, samples)."""
        found = []
        for reading, cuts in zip(self.predictor.trials.readings, self._cuts, strict=True):
            inside = np.zeros(reading.there.shape, dtype=bool)
            for lane in range(self.blocks.lanes):
                for piece, (low, high) in enumerate(cuts[lane]):
                    inside[lane, low:high] = weights[lane * self.blocks.pieces + piece] > 0.0
            found.append(inside & reading.there)
        return found

    def evaluate(self, theta: np.ndarray, active: np.ndarray, slopes: bool = True) -> Local:
        """The loss by block, with slopes and curvatures."""
        if not slopes:
            return self._losses(self.residuals(theta, active))
        predictor, places = self._among(active)
        seen, by_number = predictor.linearise(self._values(theta, active)[places], self.steps)
        residuals = self._subtract(seen)
        local = self._losses(residuals)
        candidates, count, numbers = len(theta), self.blocks.count, len(places)
        slope, curve = np.zeros((candidates, count, numbers)), np.zeros((candidates, count, numbers, numbers))
        for channel, (residual, rows) in enumerate(zip(residuals, by_number, strict=True)):
            sigma, weight = self.scales.sigma[channel], self.scales.weight[channel]
            soft = weight / (sigma * sigma * np.sqrt(1.0 + (residual / (KAPPA * sigma)) ** 2))
            for g in range(candidates):
                for lane in range(self.blocks.lanes):
                    for piece, (low, high) in enumerate(self._cuts[channel][lane]):
                        block = lane * self.blocks.pieces + piece
                        part = rows[g, lane, low:high]
                        soft_part = part * soft[g, lane, low:high, None]
                        slope[g, block] += np.einsum("s,sk->k", residual[g, lane, low:high], soft_part)
                        curve[g, block] += _product(soft_part, part)
        shape = (candidates, self.blocks.lanes, self.blocks.pieces)
        local.pushes, local.bends = slope.reshape(*shape, numbers), curve.reshape(*shape, numbers, numbers)
        tangents = np.stack([self.space.tangents(row, active)[:, places] for row in theta])
        local.ways = np.ascontiguousarray(np.moveaxis(tangents, 3, 1))
        return local

    def inform(self, theta: np.ndarray, active: np.ndarray) -> Information:
        """What the data tell at one point of the parameters that lanes share, which stand before those of one lane.

        Parameters of one lane, such as its start s, are free: with J the derivatives of residuals, B the curvature of
        their loss and P the prior's precision, what is left of those by the others is

            J - Js·(Jsᵀ·B·Js + P)⁻¹·Jsᵀ·B·J
        """
        predictor, places = self._among(active)
        seen, by_number = predictor.linearise(self._values(theta[None], active)[places], self.steps)
        residuals = [residual[0] for residual in self._subtract(seen)]
        ways = self.space.tangents(theta, active)[:, places]
        own = np.array([each.lane is not None for each in self.space.parameters])
        moves = np.asarray(ways.any(axis=1))
        most, count, blocks = int((moves & ~own[:, None]).sum(axis=0).max()), int((~own).sum()), self.blocks.count
        told = Information(
            count, np.full((blocks, most), count), np.zeros((blocks, most)), *np.zeros((2, blocks, most, most))
        )
        for lane in range(self.blocks.lanes):
            ours, shared = np.flatnonzero(moves[:, lane] & own), np.flatnonzero(moves[:, lane] & ~own)
            parts = [self._worth(channel, residual[lane]) for channel, residual in enumerate(residuals)]
            starts = [rows[0, lane] @ ways[ours, :, lane].T for rows in by_number]
            others = [rows[0, lane] @ ways[shared, :, lane].T for rows in by_number]
            bent, cross = np.diag(1.0 / self.space.spreads[ours] ** 2), np.zeros((len(ours), len(shared)))
            for worth, start, other in zip(parts, starts, others, strict=True):
                bent += _product(start * worth.bend[:, None], start)
                cross += _product(start * worth.bend[:, None], other)
            taken, some = np.linalg.solve(bent, cross), slice(0, len(shared))
            for worth, start, other, cuts in zip(parts, starts, others, self._cuts, strict=True):
                left = other - start @ taken
                for piece, (low, high) in enumerate(cuts[lane]):
                    rows, block = left[low:high], lane * self.blocks.pieces + piece
                    told.places[block, some] = shared
                    told.slope[block, some] += worth.pull[low:high] @ rows
                    told.curve[block, some, some] += _product(rows * worth.bend[low:high, None], rows)
                    told.noise[block, some, some] += _product(rows * worth.noise[low:high, None], rows)
        return told

    def _worth(self, channel: int, residual: np.ndarray) -> _Worth:
        sigma, weight = self.scales.sigma[channel], self.scales.weight[channel]
        bow = 1.0 + (residual / (KAPPA * sigma)) ** 2
        pull = weight * residual / (sigma * sigma * np.sqrt(bow))
        return _Worth(pull, weight / (sigma * sigma * bow**1.5), pull * pull / weight)

    def _values(self, theta: np.ndarray, active: np.ndarray) -> np.ndarray:
        return np.stack([self.space.values(row, active) for row in theta], axis=1)

    def _subtract(self, seen: list[np.ndarray]) -> list[np.ndarray]:
        return [
            np.where(reading.there, predicted - reading.values, 0.0)
            for predicted, reading in zip(seen, self.predictor.trials.readings, strict=True)
        ]

    def _losses(self, residuals: list[np.ndarray]) -> Local:
        loss = np.zeros((len(residuals[0]), self.blocks.count))
        for channel, residual in enumerate(residuals):
            sigma, weight = self.scales.sigma[channel], self.scales.weight[channel]
            each = weight * KAPPA**2 * (np.sqrt(1.0 + (residual / (KAPPA * sigma)) ** 2) - 1.0)
            each = np.where(np.isfinite(each), each, 1e12)
            for lane in range(self.blocks.lanes):
                for piece, (low, high) in enumerate(self._cuts[channel][lane]):
                    loss[:, lane * self.blocks.pieces + piece] += each[:, lane, low:high].sum(axis=1)
        return Local(loss)


def _product(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """leftᵀ·right, in parts that are too small for BLAS to split over threads, which cost more than they give."""
    many = max(8, SMALL // max(1, left.shape[1] * right.shape[1]))
    made = left[:many].T @ right[:many]
    for first in range(many, len(left), many):
        made += left[first : first + many].T @ right[first : first + many]
    return made


def measure_scales(problem: Problem, residuals: list[np.ndarray], floors: np.ndarray, weights: np.ndarray) -> Scales:
    """Size and correlation of the residuals of the first candidate by channel, in the blocks that have a weight."""
    sigma, weight = [], []
    for there, residual, floor in zip(problem.samples_in(weights), residuals, floors, strict=True):
        # what a mean absolute error would be the standard deviation of; a spike moves it little
        sigma.append(max(1.2533 * float(np.abs(residual[0][there]).mean()), floor))
        clipped = np.where(there, np.clip(residual[0], -3.0 * sigma[-1], 3.0 * sigma[-1]), 0.0)
        weight.append(1.0 / (1.0 + 2.0 * correlation_length(clipped, there)))
    if problem.reached is None:
        return Scales(np.array(sigma), np.array(weight))
    return Scales(np.minimum(sigma, problem.reached.sigma), np.maximum(weight, problem.reached.weight))


def correlation_length(residual: np.ndarray, there: np.ndarray) -> float:
    """Samples after which the correlation of residuals has fallen to 1/e, over all lanes, (lanes, samples) [1]."""
    longest = max(2, there.shape[1] // 4)
    power = float((residual * residual).sum())
    if power == 0.0:
        return 0.0
    for lag in range(1, longest):
        both = there[:, lag:] & there[:, :-lag]
        if float((residual[:, lag:] * residual[:, :-lag])[both].sum()) < power / np.e:
            return float(lag - 1)
    return float(longest)


def make_blocks(trials: Trials, pieces: int = 1) -> Blocks:
    """Blocks of whole lanes, or of so many pieces of each."""
    return Blocks(pieces, trials.lanes, trials.steps * trials.dt / pieces)
