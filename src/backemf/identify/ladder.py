"""The ladder: laws from simple to rich, each from the optimum of the one before, kept only if it predicts better.

Cold starts end in worse optima than warm ones, so a rung starts where the last one ended, with several starts for what
it adds. It stays if blocked cross-validation within the training share improves by more than its standard error. One
that improves it by less waits, and stays if the next does so together with it: what two laws explain, one may not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .rungs import Rung
from .solve import Blocks, Problem, Solved, measure_scales, solve

FIRST_STARTS, STARTS = 24, 3
"""Starts of the first rung, and of what another adds to each optimum so far [1]."""
OPTIMA = 4
"""Optima that are followed up the ladder [1]: the best of one rung seldom leads to the best of the next."""
SETTLINGS = 5
"""Most times that the scales of the last fit are found anew [1]."""
OFF = -3.5
"""Deviation at which a new term is too small to matter [1]."""
SHORT, LONG = 8, 40
"""Steps of each start, and of the best one after that [1]."""


@dataclass(frozen=True)
class Climbed:
    """What became of a rung."""

    name: str
    """What it adds."""
    kept: bool
    """Whether it stayed."""
    gain: float
    """Loss on left-out blocks that it saved, mean per block [1]."""
    error: float
    """Standard error of that [1]."""
    sigma: tuple[float, ...]
    """Usual size of the residuals of each channel after it, in training."""
    converged: bool
    """Whether its fit came to rest."""
    parameters: tuple[str, ...]
    """What it freed."""


@dataclass(eq=False)
class Top:
    """Where the ladder ended."""

    theta: np.ndarray
    """Deviations."""
    active: np.ndarray
    """Which parameters are free."""
    rungs: tuple[Climbed, ...]
    """What became of each rung."""
    solved: Solved
    """The last fit of all of the training share."""


def climb(
    problem: Problem,
    rungs: Sequence[Rung],
    train: np.ndarray,
    folds: np.ndarray,
    floors: np.ndarray,
    seed: int = 0,
    told: Callable[[str, int], None] | None = None,
) -> Top:
    """Climb as far as cross-validation allows.

    Args:
        problem: Logs, parameters of all rungs, and scales to begin with.
        rungs: From simple to rich.
        train: Weight of each block in the fit, (blocks).
        folds: Fold that leaves each block out, (blocks); -1 where it is not in the training share.
        floors: Smallest residual that counts of each channel, such as its quantisation.
        seed: Random seed of the starts.
        told: Told the name of a rung and its number before it is tried.
    """
    count = int(folds.max()) + 1
    weights = np.stack([train, *(np.where(folds == k, 0.0, train) for k in range(count))])
    left_out = np.stack([np.where(folds == k, train, 0.0) for k in range(count)])
    at, done = _go_up(problem, rungs, weights, floors, seed, told)
    for number in reversed(range(len(rungs))):
        rung = rungs[number]
        if rung.required:
            continue
        active = at.active.copy()
        active[[problem.space.index(each.name) for each in rung.parameters]] = False
        without = _refit(problem, at.theta, active, weights)
        gain, error = _compare(without.loss[1:], at.loss[1:], left_out)
        kept = gain > error
        done[number] = replace(done[number], kept=kept, gain=gain, error=error)
        if told is not None:
            told(rung.name, len(rungs) + number)
        if not kept:
            at = without
            _rescale(problem, at.theta, at.active, floors, train)
            at.loss = problem.evaluate(at.theta, at.active, slopes=False).loss
    final = _settle(problem, at.theta[:1], at.active, weights[:1], floors)
    return Top(final.theta[0], at.active, tuple(done), final)


@dataclass(eq=False)
class _Place:
    """A set of laws, fitted to the whole training share and without each fold."""

    theta: np.ndarray
    active: np.ndarray
    loss: np.ndarray


def _go_up(
    problem: Problem, rungs: Sequence[Rung], weights: np.ndarray, floors: np.ndarray, seed: int,
    told: Callable[[str, int], None] | None,
) -> tuple[_Place, list[Climbed]]:  # fmt: skip
    """All rungs, each from the optima of the one before, and then without each fold."""
    space, train = problem.space, weights[:1]
    active = np.zeros(len(space.parameters), dtype=bool)
    optima = space.starts[None]
    generator = np.random.default_rng(seed)
    done: list[Climbed] = []
    for number, rung in enumerate(rungs):
        if told is not None:
            told(rung.name, number)
        new = np.array([space.index(each.name) for each in rung.parameters])
        active[new] = True
        solved = _solve_from_several(problem, optima, active, new, train, generator)
        optima = solved.theta
        _rescale(problem, optima, active, floors, train[0])
        names = tuple(each.name for each in rung.parameters)
        sigma = tuple(problem.scales.sigma.tolist())
        done.append(Climbed(rung.name, True, 0.0, 0.0, sigma, bool(solved.converged[0]), names))
    return _refit(problem, np.repeat(optima[:1], len(weights), axis=0), active, weights), done


def _refit(problem: Problem, theta: np.ndarray, active: np.ndarray, weights: np.ndarray) -> _Place:
    """The fits of the whole training share and without each fold, from where they are."""
    solved = solve(problem, theta, active, weights, steps=LONG)
    return _Place(solved.theta, active, solved.local.loss)


def _settle(problem: Problem, theta: np.ndarray, active: np.ndarray, weights: np.ndarray, floors: np.ndarray) -> Solved:
    """The fit of the training share at scales that are those of its own residuals: a better fit counts for more."""
    final = solve(problem, theta, active, weights, steps=2 * LONG)
    for _ in range(SETTLINGS):
        before = problem.scales.sigma
        _rescale(problem, final.theta, active, floors, weights[0])
        final = solve(problem, final.theta, active, weights, steps=2 * LONG)
        if np.allclose(before, problem.scales.sigma, rtol=0.02):
            break
    return final


def _solve_from_several(
    problem: Problem, theta: np.ndarray, active: np.ndarray, new: np.ndarray, weights: np.ndarray,
    generator: np.random.Generator,
) -> Solved:  # fmt: skip
    """The best optima that several starts from each optimum of the rung before lead to, the very best first."""
    space = problem.space
    count = FIRST_STARTS if len(theta) == 1 else STARTS
    starts = np.repeat(theta, count, axis=0)
    sizes = np.array([min(e.spread, 1.2) if e.positive else e.spread for e in (space.parameters[k] for k in new)])
    starts[:, new] = space.starts[new] + generator.normal(size=(len(starts), len(new))) * sizes
    # the first start of each is nearly where the last rung ended: what is new is small
    small = [k for k in new if space.parameters[k].positive and space.parameters[k].reference is not None]
    starts[::count, new] = space.starts[new]
    starts[::count, small] = OFF
    short = solve(problem, starts, active, np.repeat(weights, len(starts), axis=0), steps=SHORT)
    chosen = _distinct(short)
    long = solve(problem, short.theta[chosen], active, np.repeat(weights, len(chosen), axis=0), steps=LONG)
    return long.take(np.argsort(long.loss))


def _distinct(solved: Solved) -> list[int]:
    """The best few candidates whose losses tell that they are not the same."""
    found: list[int] = []
    for k in np.argsort(solved.loss).tolist():
        if not found or solved.loss[k] - solved.loss[found[-1]] > 0.1:
            found.append(k)
    return found[:OPTIMA]


def _compare(before: np.ndarray, after: np.ndarray, left_out: np.ndarray) -> tuple[float, float]:
    """Mean loss saved per left-out block, and its standard error."""
    saved = ((before - after) * left_out).sum(axis=0)[left_out.sum(axis=0) > 0.0]
    error = float(saved.std(ddof=1) / np.sqrt(len(saved))) if len(saved) > 1 else np.inf
    return float(saved.mean()), error


def _rescale(problem: Problem, theta: np.ndarray, active: np.ndarray, floors: np.ndarray, train: np.ndarray) -> None:
    problem.scales = measure_scales(problem, problem.residuals(theta[:1], active), floors, train)


def make_folds(
    blocks: Blocks, files: Sequence[int], train: np.ndarray, groups: Sequence[object], most: int = 8
) -> np.ndarray:
    """Fold of each block: by group where there are several, else by log, else by time.

    `groups` are what the logs of the lanes have in common, such as the gain that a hold-out leaves out.
    """
    lanes = np.repeat(np.arange(blocks.lanes), blocks.pieces)
    there = [k for k in range(blocks.lanes) if train[lanes == k].any()]
    kinds = sorted({str(groups[k]) for k in there})
    logs = sorted({files[k] for k in there})
    if len(kinds) >= 3:
        of_lane = {k: _deal(kinds.index(str(groups[k])), len(kinds), most) for k in there}
    elif len(logs) >= 3:
        of_lane = {k: _deal(logs.index(files[k]), len(logs), most) for k in there}
    else:
        piece = np.tile(np.arange(blocks.pieces), blocks.lanes)
        used = sorted({int(p) for p, w in zip(piece, train, strict=True) if w > 0.0})
        fold = {p: _deal(k, len(used), most) for k, p in enumerate(used)}
        return np.array([fold[int(p)] if w > 0.0 else -1 for p, w in zip(piece, train, strict=True)])
    return np.array([of_lane[int(k)] if w > 0.0 else -1 for k, w in zip(lanes, train, strict=True)])


def _deal(index: int, count: int, most: int) -> int:
    """Fold of one of `count` things: neighbours share one where there are more than `most`."""
    return index * min(most, count) // count
