"""A fit whose numbers depend neither on the step of its simulation nor on the noise of first samples.

The ladder is climbed with one step for all and with lanes that start where their first samples are. At its top, starts
become free, and the slope of the loss with finer predictions says how far they would move the numbers,

    δ = -(H + P)⁻¹·(Σ g + P·θ)

Where that is more than a share of a number's standard deviation, or where predictions themselves change by more than a
share of the residuals, the fit goes on with them: first with predictions that are extrapolated from this step and its
half, then with half of both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..datasheet import Finding
from .bench import Start
from .extrapolate import on_grids
from .information import covariance, is_of_network
from .ladder import IDLE, NEAR, settle
from .loss import Information, Problem, Scales
from .parameters import Parameter
from .predict import Predictor
from .rung import Rung
from .solve import solve, solve_lanes
from .trials import Trials

SHARE = 0.5
"""Largest part of a standard deviation by which the step may move a number [1]."""
CHANGE = 0.2
"""Largest change of predictions, over the usual size of a residual, that the step may make [1]."""
MOST = 4
"""Most times that the predictions are refined [1]."""
SAMPLES = 4000
"""Samples of a lane, above which only every so many are looked at until the fit is near its optimum [1]."""
LANE_STEPS = 5
"""Steps of each lane towards its own start, before all numbers move together [1]."""
LARGEST = 3e6
"""Steps of all lanes above which predictions are not refined any further [1]."""


@dataclass(eq=False)
class Refined:
    """The fit with the predictions that it needs."""

    theta: np.ndarray
    """Deviations."""
    covariance: np.ndarray
    """Their covariance, with what still finer predictions would change."""
    information: Information
    """What the data tell, whatever the starts are."""
    residuals: list[np.ndarray]
    """Predicted less measured, from first samples on, (1, lanes, samples) per channel."""
    steps: tuple[float, ...]
    """The step of the predictions, or those from which they are extrapolated [s]."""
    shares: np.ndarray
    """How far still finer ones would move each deviation, in its standard deviations [1]."""
    problem: Problem
    """Logs with these predictions, from the starts that were found."""
    level: int
    """How often predictions were refined [1]."""


def refine(
    problem: Problem, theta: np.ndarray, active: np.ndarray, starts: Sequence[Parameter], weights: np.ndarray,
    floors: np.ndarray, on_grid: Callable[[float], Trials], level: int = 0, near: bool = False,
    largest: float = LARGEST,
) -> Refined:  # fmt: skip
    """Go on from the optimum of a coarse step until finer ones do not matter, or have been tried often enough.

    Args:
        problem: Logs on the grid of the coarse step.
        theta: Its optimum.
        active: Which parameters are free.
        starts: Parameters of where lanes start.
        weights: Weight of each block in the fit, (blocks).
        floors: Smallest residual that counts of each channel.
        on_grid: The logs on a grid with another step [s].
        level: How often predictions have been refined before.
        near: Whether theta is nearly the optimum: that of some of the logs.
        largest: Steps of all lanes above which predictions are not refined any further.
    """
    bench, trials, count, limit = problem.predictor.bench, problem.predictor.trials, len(theta), problem.steps
    before, blocks = problem.space, problem.blocks
    space = before.extended(starts, bench)
    every = np.concatenate([active, np.ones(len(starts), dtype=bool)])
    at = np.concatenate([theta, np.zeros(len(starts))])[None]
    plain = Predictor(bench, trials, space.names_of(every))

    def refined(level: int, scales: Scales, samples: int) -> Problem:
        grids = [on_grid(step).among(np.arange(trials.lanes), samples) for step in _steps(trials.dt, level)]
        made = Problem(on_grids(plain, grids), space, blocks, scales)
        made.steps = None if limit is None else limit * 2 ** max(level - 1, 0)
        return made

    def is_too_large(level: int) -> bool:
        return sum(trials.dt / step for step in _steps(trials.dt, level)) * trials.steps * trials.lanes > largest

    while level and is_too_large(level):
        level -= 1
    every_sample = max(reading.time.shape[1] for reading in trials.readings)
    samples = every_sample if near else SAMPLES
    problem = refined(level, problem.scales, samples)
    at = solve_lanes(problem, at[0], every, weights, LANE_STEPS)[None]
    while True:
        # what is left to the optimum is a part of how far finer predictions would move the numbers
        at = settle(problem, at, every, weights[None], floors, near).theta
        told = problem.inform(at[0], every)
        spread = covariance(told, weights, space.spreads, active)
        finer = refined(level + 1, problem.scales, samples)
        shares = _move(finer, at[0], every, weights)[:count] / np.sqrt(np.where(active, np.diag(spread), 1.0))
        last = level == MOST or is_too_large(level + 1)
        if last or (np.all(np.abs(shares) <= SHARE) and _change(problem, finer, at, every) <= CHANGE):
            break
        problem, level = finer, level + 1
    if samples < every_sample:
        problem = refined(level, problem.scales, every_sample)
        at = settle(problem, at, every, weights[None], floors, near=True).theta
        told = problem.inform(at[0], every)
        spread = covariance(told, weights, space.spreads, active)
    problem.steps = None
    wide = np.sqrt(1.0 + shares**2)
    values = dict(zip(space.names, space.values(at[0], every), strict=True))
    found = {name.removeprefix("start."): value for name, value in values.items() if name.startswith("start.")}
    started = Predictor(replace(bench, start=Start(**found)), trials, before.names)
    grids = [on_grid(step) for step in _steps(trials.dt, level)]
    return Refined(
        at[0, :count],
        spread * np.outer(wide, wide),
        told,
        problem.residuals(np.where(np.arange(len(every)) < count, at, 0.0), every),
        _steps(trials.dt, level),
        shares,
        Problem(on_grids(started, grids), before, blocks, problem.scales),
        level,
    )


def _steps(dt: float, level: int) -> tuple[float, ...]:
    """The step of predictions, or those from which they are extrapolated, after so many refinements [s]."""
    return (dt / 2 ** (level - 1), dt / 2**level) if level else (dt,)


def explained_away(fine: Refined, rungs: Sequence[Rung], active: np.ndarray, weights: np.ndarray) -> set[str]:
    """Rungs that had stood for errors of the step: with finer ones they save next to nothing, the last one first."""
    problem, space = fine.problem, fine.problem.space
    at, found = solve(problem, fine.theta[None], active, weights[None], steps=NEAR), set()
    for rung in reversed([rung for rung in rungs if not rung.required]):
        without = active.copy()
        without[[space.index(each.name) for each in rung.parameters]] = False
        if (without == active).all():
            continue
        left = solve(problem, at.theta, without, weights[None], steps=NEAR, rivals=at.loss)
        if left.loss[0] - at.loss[0] < IDLE:
            at, active = left, without
            found.add(rung.name)
    return found


def coarse_steps(parameters: Sequence[Parameter], fine: Refined) -> tuple[Finding, ...]:
    """A finding where finer steps would still move parameters."""
    both = zip(parameters, fine.shares, strict=True)
    shares = {p.name: abs(share) for p, share in both if abs(share) > SHARE and not is_of_network(p.name)}
    if not shares:
        return ()
    shares = dict(sorted(shares.items(), key=lambda each: each[1]))
    *_, worst = shares
    words = (
        f"finer steps than {1e3 * fine.steps[-1]:.2g} ms would still move {', '.join(shares)}, the last "
        f"by {shares[worst]:.1f} standard deviations, and intervals are wider by as much: log at a higher rate, or a "
        "smoother motion"
    )
    return (Finding(worst, None, None, "warning", words, "coarse-step"),)


def _change(problem: Problem, finer: Problem, at: np.ndarray, active: np.ndarray) -> float:
    """Root mean square of what finer predictions change, over the residuals' usual size, in the worst channel [1]."""
    both = zip(problem.residuals(at, active), finer.residuals(at, active), problem.scales.sigma, strict=True)
    return max(float(np.sqrt(((one - other) ** 2).mean())) / sigma for one, other, sigma in both)


def _move(problem: Problem, theta: np.ndarray, active: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """How far one step towards the optimum goes."""
    precision = np.where(active, 1.0 / problem.space.spreads**2, 0.0)
    slope, curve = problem.evaluate(theta[None], active).weighted(0, weights)
    slope, curve = slope + precision * theta, curve + np.diag(precision)
    moved = np.zeros(len(theta))
    moved[active] = np.linalg.solve(curve[np.ix_(active, active)], -slope[active])
    return moved
