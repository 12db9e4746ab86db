"""The ladder: laws from simple to rich, each from the optima of the one before, kept only if it predicts better.

Cold starts end in worse optima than warm ones, so a rung starts where the last one ended, with several starts for what
it adds. The way goes up through all rungs first, and then down: each law, the last one first, is left out, and stays
out unless blocked cross-validation within the training share is better with it by more than its standard error. On the
way up one law would be judged by residuals that are still full of what the others explain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from .memory import Arrays, Memory
from .rungs import Rung
from .solve import Blocks, Problem, Scales, Solved, measure_scales, solve

FIRST_STARTS, STARTS = 24, 3
"""Starts of the first rung, and of what another adds to each optimum so far [1]."""
OPTIMA = 4
"""Optima that are followed up the ladder [1]: the best of one rung seldom leads to the best of the next."""
SETTLINGS = 5
"""Most times that the scales of the last fit are found anew [1]."""
TURNS = 3
"""Most times that each law is left out to see whether it is missed [1]."""
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
    """Loss on left-out blocks that it saves, beside all other laws that stay, mean per block [1]."""
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
    memory: Memory | None = None,
    told: Callable[[], None] = lambda: None,
) -> Top:
    """Climb to the top, and come down as far as cross-validation does not mind.

    Args:
        problem: Logs, parameters of all rungs, and scales to begin with.
        rungs: From simple to rich.
        train: Weight of each block in the fit, (blocks).
        folds: Fold that leaves each block out, (blocks); -1 where it is not in the training share.
        floors: Smallest residual that counts of each channel, such as its quantisation.
        seed: Random seed of the starts.
        memory: What an earlier try has found.
        told: Called after each of 2·len(rungs) steps.
    """
    count = int(folds.max()) + 1
    weights = np.stack([train, *(np.where(folds == k, 0.0, train) for k in range(count))])
    left_out = np.stack([np.where(folds == k, train, 0.0) for k in range(count)])
    memory = memory or Memory(None, ())
    climbing = _Climbing(problem, rungs, weights, floors, seed, memory, told)
    at, done = climbing.go_up()
    # what a law saves beside all others may be gone once those have been left out
    for turn in range(TURNS):
        before = at
        for number in reversed(range(len(rungs))):
            if not rungs[number].required and done[number].kept:
                name = f"turn {turn + 1} without {rungs[number].name}"
                without = climbing.refit(name, at.theta, at.less(climbing.new(number)))
                gain, error = _compare(without.loss[1:], at.loss[1:], left_out)
                done[number] = replace(done[number], kept=gain > error, gain=gain, error=error)
                if gain <= error:
                    at = without
                    climbing.rescale(at.theta, at.active)
                    at.loss = problem.evaluate(at.theta, at.active, slopes=False).loss
            if turn == 0:
                told()
        if at is before:
            break
    final = settle(problem, at.theta[:1], at.active, weights[:1], floors)
    return Top(final.theta[0], at.active, tuple(done), final)


@dataclass(eq=False)
class _Place:
    """A set of laws, fitted to the whole training share and without each fold."""

    theta: np.ndarray
    active: np.ndarray
    loss: np.ndarray

    def less(self, parameters: np.ndarray) -> np.ndarray:
        """What is free without some parameters."""
        active = self.active.copy()
        active[parameters] = False
        return active


@dataclass(eq=False)
class _Climbing:
    """What all steps of a climb need."""

    problem: Problem
    rungs: Sequence[Rung]
    weights: np.ndarray
    floors: np.ndarray
    seed: int
    memory: Memory
    told: Callable[[], None]

    def new(self, number: int) -> np.ndarray:
        """Where the parameters of a rung are."""
        return np.array([self.problem.space.index(each.name) for each in self.rungs[number].parameters])

    def rescale(self, theta: np.ndarray, active: np.ndarray) -> None:
        """Scales from the residuals of the training share."""
        _rescale(self.problem, theta, active, self.floors, self.weights[0])

    def go_up(self) -> tuple[_Place, list[Climbed]]:
        """All rungs, each from the optima of the one before, and then without each fold."""
        problem, space = self.problem, self.problem.space
        active, optima = np.zeros(len(space.parameters), dtype=bool), space.starts[None]
        done: list[Climbed] = []
        for number, rung in enumerate(self.rungs):
            active[self.new(number)] = True
            found = self.memory.step(f"up to {rung.name}", partial(self._rise, number, optima, active.copy()))
            optima = found["optima"]
            problem.scales = Scales(found["sigma"], found["weight"])
            names = tuple(each.name for each in rung.parameters)
            sigma = tuple(found["sigma"].tolist())
            done.append(Climbed(rung.name, True, 0.0, 0.0, sigma, bool(found["converged"]), names))
            self.told()
        return self.refit("all laws", np.repeat(optima[:1], len(self.weights), axis=0), active), done

    def _rise(self, number: int, optima: np.ndarray, active: np.ndarray) -> Arrays:
        """The optima of a rung, and the scales of the best."""
        generator = np.random.default_rng([self.seed, number])
        solved = _solve_from_several(self.problem, optima, active, self.new(number), self.weights[:1], generator)
        self.rescale(solved.theta, active)
        scales = self.problem.scales
        return {
            "optima": solved.theta,
            "sigma": scales.sigma,
            "weight": scales.weight,
            "converged": solved.converged[0],
        }

    def refit(self, name: str, theta: np.ndarray, active: np.ndarray) -> _Place:
        """The fits of the whole training share and without each fold, from where they are."""

        def find() -> Arrays:
            solved = solve(self.problem, theta, active, self.weights, steps=LONG)
            return {"theta": solved.theta, "loss": solved.local.loss}

        found = self.memory.step(name, find)
        return _Place(found["theta"], active, found["loss"])


def settle(problem: Problem, theta: np.ndarray, active: np.ndarray, weights: np.ndarray, floors: np.ndarray) -> Solved:
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
