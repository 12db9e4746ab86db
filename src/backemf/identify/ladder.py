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

STARTS = 4
"""Starts of what a rung adds [1]."""
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
    space = problem.space
    count = int(folds.max()) + 1
    weights = np.stack([train, *(np.where(folds == k, 0.0, train) for k in range(count))])
    left_out = np.stack([np.where(folds == k, train, 0.0) for k in range(count)])
    theta = np.tile(space.starts, (count + 1, 1))
    active = np.zeros(len(space.parameters), dtype=bool)
    generator = np.random.default_rng(seed)
    done: list[Climbed] = []
    # rungs that help, but not by more than their standard error: they wait for the next one to be tried with it
    waiting, ahead = _Waiting(theta, active), 0.0
    for number, rung in enumerate(rungs):
        if told is not None:
            told(rung.name, number)
        new = np.array([space.index(each.name) for each in rung.parameters])
        tried = waiting.active.copy()
        tried[new] = True
        solved = _solve_from_several(problem, waiting.theta, tried, new, weights, generator)
        gain, error, kept = 0.0, 0.0, True
        if not rung.required:
            before = problem.evaluate(theta, active, slopes=False).loss
            gain, error = _compare(before[1:], solved.local.loss[1:], left_out)
            kept = gain > error
        names = tuple(each.name for each in rung.parameters)
        done.append(Climbed(rung.name, kept, gain, error, (), bool(solved.converged[0]), names))
        if kept:
            theta, active = solved.theta, tried
            _rescale(problem, theta, active, floors)
            done = [replace(each, kept=True) if k in waiting.rungs else each for k, each in enumerate(done)]
            done[-1] = replace(done[-1], sigma=tuple(problem.scales.sigma.tolist()))
            waiting, ahead = _Waiting(theta, active), 0.0
        elif gain > ahead:
            waiting, ahead = _Waiting(solved.theta, tried, (*waiting.rungs, number)), gain
    final = _settle(problem, theta[:1], active, weights[:1], floors)
    return Top(final.theta[0], active, tuple(done), final)


def _settle(problem: Problem, theta: np.ndarray, active: np.ndarray, weights: np.ndarray, floors: np.ndarray) -> Solved:
    """The fit of the training share at scales that are those of its own residuals: a better fit counts for more."""
    final = solve(problem, theta, active, weights, steps=2 * LONG)
    for _ in range(SETTLINGS):
        before = problem.scales.sigma
        _rescale(problem, final.theta, active, floors)
        final = solve(problem, final.theta, active, weights, steps=2 * LONG)
        if np.allclose(before, problem.scales.sigma, rtol=0.02):
            break
    return final


@dataclass(eq=False)
class _Waiting:
    """Where the next rung starts: the last that stayed, with those that wait for company."""

    theta: np.ndarray
    active: np.ndarray
    rungs: tuple[int, ...] = ()


def _solve_from_several(
    problem: Problem, theta: np.ndarray, active: np.ndarray, new: np.ndarray, weights: np.ndarray,
    generator: np.random.Generator,
) -> Solved:  # fmt: skip
    """The best of several starts for each candidate."""
    space = problem.space
    starts = np.repeat(theta[None], STARTS, axis=0)
    # the first start is nearly where the last rung ended: what is new is small
    small = [k for k in new if space.parameters[k].positive and space.parameters[k].reference is not None]
    starts[0][:, small] = OFF
    for k in range(1, STARTS):
        draw = generator.normal(size=len(new))
        sizes = [min(space.parameters[j].spread, 1.2) if space.parameters[j].positive else space.parameters[j].spread
                 for j in new]  # fmt: skip
        starts[k][:, new] = space.starts[new] + draw * np.array(sizes)
    candidates = len(theta)
    short = solve(problem, starts.reshape(-1, theta.shape[1]), active, np.tile(weights, (STARTS, 1)), steps=SHORT)
    best = short.loss.reshape(STARTS, candidates).argmin(axis=0)
    # folds differ little from the whole: what was best for it is tried for them too
    chosen = short.theta.reshape(STARTS, candidates, -1)[best, np.arange(candidates)]
    return solve(problem, chosen, active, weights, steps=LONG)


def _compare(before: np.ndarray, after: np.ndarray, left_out: np.ndarray) -> tuple[float, float]:
    """Mean loss saved per left-out block, and its standard error."""
    saved = ((before - after) * left_out).sum(axis=0)[left_out.sum(axis=0) > 0.0]
    error = float(saved.std(ddof=1) / np.sqrt(len(saved))) if len(saved) > 1 else np.inf
    return float(saved.mean()), error


def _rescale(problem: Problem, theta: np.ndarray, active: np.ndarray, floors: np.ndarray) -> None:
    problem.scales = measure_scales(problem, problem.residuals(theta[:1], active), floors)


def make_folds(
    blocks: Blocks, files: Sequence[int], train: np.ndarray, groups: Sequence[object], most: int = 4
) -> np.ndarray:
    """Fold of each block: by group where there are several, else by log, else by time.

    `groups` are what the logs of the lanes have in common, such as the gain that a hold-out leaves out.
    """
    lanes = np.repeat(np.arange(blocks.lanes), blocks.pieces)
    there = [k for k in range(blocks.lanes) if train[lanes == k].any()]
    kinds = sorted({str(groups[k]) for k in there})
    logs = sorted({files[k] for k in there})
    if len(kinds) >= 3:
        of_lane = {k: kinds.index(str(groups[k])) % most for k in there}
    elif len(logs) >= 3:
        of_lane = {k: logs.index(files[k]) % most for k in there}
    else:
        piece = np.tile(np.arange(blocks.pieces), blocks.lanes)
        used = sorted({int(p) for p, w in zip(piece, train, strict=True) if w > 0.0})
        count = min(most, len(used))
        fold = {p: min(k * count // len(used), count - 1) for k, p in enumerate(used)}
        return np.array([fold[int(p)] if w > 0.0 else -1 for p, w in zip(piece, train, strict=True)])
    return np.array([of_lane[int(k)] if w > 0.0 else -1 for k, w in zip(lanes, train, strict=True)])
