"""The ladder: laws from simple to rich, each from the optima of the one before, kept only if it predicts better.

Cold starts end in worse optima than warm ones, so a rung starts where the last one ended, with several starts for what
it adds. The way goes up through all rungs first, and then down: each law, the last one first, is left out, and stays
out unless blocked cross-validation within the training share is better with it by more than its standard error. On the
way up one law would be judged by residuals that are still full of what the others explain.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from .loss import Blocks, Problem, Scales, measure_scales
from .memory import Arrays, Memory
from .parameters import Space
from .rungs import Rung
from .solve import Solved, solve

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
SAME, BEHIND = 0.2, 30.0
"""Differences in loss of two ways to the same optimum, and of one that is given up [1]."""
SHORT, LONG = (3, 3, 4), 40
"""Steps of the starts, of which half are given up each time, and of the best ones after that [1]."""
NEAR = 12
"""Steps of a fit that starts near its optimum [1]."""
FEW = 16
"""Lanes up to which one more in each fit matters more than time [1]."""
IDLE = 1.0
"""Loss of the training share that a law must save at all [1]: a law with two numbers saves as much by chance."""


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

    def without(self, names: Collection[str], rungs: Sequence[Rung], space: Space) -> Top:
        """The same place with some rungs left out."""
        out = {each.name for rung in rungs if rung.name in names for each in rung.parameters}
        active = self.active & np.array([each.name not in out for each in space.parameters])
        done = tuple(
            replace(each, kept=False, gain=0.0, error=0.0) if each.name in names else each for each in self.rungs
        )
        return replace(self, active=active, rungs=done)


def climb(
    problem: Problem,
    rungs: Sequence[Rung],
    train: np.ndarray,
    folds: np.ndarray,
    floors: np.ndarray,
    seed: int = 0,
    memory: Memory | None = None,
    told: Callable[[str], None] = lambda law: None,
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
        told: Called after each rung on the way up, and after each law on the way down, with what was done.
    """
    count = int(folds.max()) + 1
    weights = np.stack([train, *(np.where(folds == k, 0.0, train) for k in range(count))])
    left_out = np.stack([np.where(folds == k, train, 0.0) for k in range(count)])
    memory = memory or Memory(None, ())
    climbing = _Climbing(problem, rungs, weights, floors, seed, memory, told)
    laws = list(dict.fromkeys(rung.law_name for rung in rungs if not rung.required))
    theta, active, done = climbing.go_up()
    at = climbing.leave_idle(laws, theta, active, done)
    # what a law saves beside all others may be gone once those have been left out
    beside: dict[str, bytes] = {}
    for turn in range(TURNS):
        before = at
        for law in reversed(laws):
            members = [k for k in climbing.members(law) if done[k].kept]
            if members and beside.get(law) != at.active.tobytes():
                beside[law] = at.active.tobytes()
                parameters = np.concatenate([climbing.new(k) for k in members])
                without = climbing.refit(f"turn {turn + 1} without {law}", at.theta, at.less(parameters), at)
                gain, error = compare(without.loss[1:], at.loss[1:], left_out)
                for k in members:
                    done[k] = replace(done[k], kept=gain > error, gain=gain, error=error)
                if gain <= error:
                    at = without
                    climbing.rescale(at.theta, at.active)
                    at.loss = problem.evaluate(at.theta, at.active, slopes=False).loss
            if turn == 0:
                told(f"without {law}")
        if at is before:
            break
    problem.reached = None
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
    told: Callable[[str], None]

    def new(self, number: int) -> np.ndarray:
        """Where the parameters of a rung are."""
        return np.array([self.problem.space.index(each.name) for each in self.rungs[number].parameters])

    def rescale(self, theta: np.ndarray, active: np.ndarray) -> None:
        """Scales from the residuals of the training share."""
        _rescale(self.problem, theta, active, self.floors, self.weights[0])

    def members(self, law: str) -> list[int]:
        """The rungs of a law."""
        return [k for k, rung in enumerate(self.rungs) if law == rung.law_name]

    def leave_idle(self, laws: Sequence[str], theta: np.ndarray, active: np.ndarray, done: list[Climbed]) -> _Place:
        """The training share and each fold without the laws that save next to nothing even in training."""
        found = self.memory.step("laws that matter", lambda: self._matter(laws, theta, active))
        for law, idle in zip(laws, found["idle"].tolist(), strict=True):
            for k in self.members(law) if idle else ():
                done[k] = replace(done[k], kept=False)
        self.rescale(found["theta"], found["active"])
        return self.refit("all laws", np.repeat(found["theta"], len(self.weights), axis=0), found["active"])

    def _matter(self, laws: Sequence[str], theta: np.ndarray, active: np.ndarray) -> Arrays:
        problem, train = self.problem, self.weights[:1]
        solved = solve(problem, theta, active, train, steps=LONG)
        idle = np.zeros(len(laws), dtype=bool)
        for place in reversed(range(len(laws))):
            fewer = active.copy()
            fewer[np.concatenate([self.new(k) for k in self.members(laws[place])])] = False
            without = solve(problem, solved.theta, fewer, train, steps=LONG, rivals=solved.loss)
            idle[place] = without.loss[0] - solved.loss[0] < IDLE
            if idle[place]:
                solved, active = without, fewer
        return {"theta": solved.theta, "active": active, "idle": idle}

    def go_up(self) -> tuple[np.ndarray, np.ndarray, list[Climbed]]:
        """The optimum with all rungs, each from the optima of the one before."""
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
            self.told(rung.name)
        return optima[:1], active, done

    def _rise(self, number: int, optima: np.ndarray, active: np.ndarray) -> Arrays:
        """The optima of a rung, and the scales of the best."""
        generator = np.random.default_rng([self.seed, number])
        joints = len(set(self.problem.predictor.trials.joints)) or 1
        # a robot's joints are fitted side by side: as many starts of a joint altogether
        starts = max(2, (STARTS if number else FIRST_STARTS) // joints)
        new, train = self.new(number), self.weights[:1]
        solved = _solve_from_several(self.problem, optima, active, new, train, starts, generator)
        self.rescale(solved.theta, active)
        scales = self.problem.scales
        return {
            "optima": solved.theta,
            "sigma": scales.sigma,
            "weight": scales.weight,
            "converged": solved.converged[0],
        }

    def refit(self, name: str, theta: np.ndarray, active: np.ndarray, rival: _Place | None = None) -> _Place:
        """The fits of the whole training share and without each fold, from where they are.

        Those that stay far behind a rival are not followed to their end.
        """
        rivals = None if rival is None else (self.weights * rival.loss).sum(axis=1)

        def find() -> Arrays:
            solved = solve(self.problem, theta, active, self.weights, steps=LONG, rivals=rivals)
            return {"theta": solved.theta, "loss": solved.local.loss}

        found = self.memory.step(name, find)
        return _Place(found["theta"], active, found["loss"])


def settle(
    problem: Problem, theta: np.ndarray, active: np.ndarray, weights: np.ndarray, floors: np.ndarray, near: bool = False
) -> Solved:
    """The fit of the training share at scales that are those of its own residuals: a better fit counts for more.

    `near` the optimum a few steps are enough.
    """
    steps, settlings = (NEAR, 1) if near else (2 * LONG, SETTLINGS)
    final = solve(problem, theta, active, weights, steps=steps)
    for _ in range(settlings):
        before = problem.scales.sigma
        _rescale(problem, final.theta, active, floors, weights[0])
        final = solve(problem, final.theta, active, weights, steps=steps, damping=final.damping)
        if np.allclose(before, problem.scales.sigma, rtol=0.02):
            break
    return final


def _solve_from_several(
    problem: Problem, theta: np.ndarray, active: np.ndarray, new: np.ndarray, weights: np.ndarray, starts: int,
    generator: np.random.Generator,
) -> Solved:  # fmt: skip
    """The best optima that several starts from each optimum of the rung before lead to, the very best first."""
    space = problem.space
    tried = np.repeat(theta, starts, axis=0)
    sizes = np.array([min(e.spread, 1.2) if e.positive else e.spread for e in (space.parameters[k] for k in new)])
    tried[:, new] = space.starts[new] + generator.normal(size=(len(tried), len(new))) * sizes
    # the first start of each is nearly where the last rung ended: what is new is small
    small = [k for k in new if space.parameters[k].positive and space.parameters[k].reference is not None]
    tried[::starts, new] = space.starts[new]
    tried[::starts, small] = OFF
    tried = np.concatenate([tried, problem.hints])

    def best_of(tried: np.ndarray, steps: int) -> Solved:
        return solve(problem, tried, active, np.repeat(weights, len(tried), axis=0), steps=steps)

    *early, last = SHORT
    for steps in early:
        short = best_of(tried, steps)
        tried = short.theta[np.argsort(short.loss)[: max(OPTIMA, len(tried) // 2)]]
    short = best_of(tried, last)
    long = best_of(short.theta[_distinct(short)], LONG)
    return long.take(np.array(_distinct(long)))


def _distinct(solved: Solved) -> list[int]:
    """The best few candidates whose losses tell that they are not the same, without those that are far behind."""
    found: list[int] = []
    for k in np.argsort(solved.loss).tolist():
        if not found or solved.loss[k] - solved.loss[found[-1]] > SAME:
            found.append(k)
    return [k for k in found if solved.loss[k] - solved.loss[found[0]] < BEHIND][:OPTIMA]


def compare(before: np.ndarray, after: np.ndarray, left_out: np.ndarray) -> tuple[float, float]:
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
    most = most if blocks.lanes <= FEW else most // 2
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
