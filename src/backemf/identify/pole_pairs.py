"""Pole pairs of a motor from the heat of its phases at standstill."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..progress import progress_bar
from .heat import PHASE, POLE_PAIRS, PolePairs, scan_pole_pairs, with_pole_pairs
from .loss import Problem, Scales, measure_scales
from .parameters import Parameter
from .rung import Rung
from .solve import solve

PAIRS = range(2, 25)
"""Pole pairs that are tried [1]."""
FINAL = 8
"""The best so many of them are tried again with a finer scale [1]."""
COARSE, FINE = 0.03, 0.01
"""Residuals that count, as a share of how far each channel scatters, at first and in the end [1]."""
WEIGHT = 0.05
"""Independent samples per sample [1]."""
APART = 2.0
"""Difference in loss of pole pairs that the logs tell apart [1]."""


def scanned_parameters(rungs: Sequence[Rung]) -> list[Parameter]:
    """The pole pairs, where the heat of one phase is looked for: a number that is tried and that no fit moves."""
    wanted = any(each.name == PHASE for rung in rungs for each in rung.parameters)
    return [Parameter("motor.thermistor.phase_heat.pole_pairs", (POLE_PAIRS,), 1.0)] if wanted else []


def find_pole_pairs(
    problem: Problem, weights: np.ndarray, floors: np.ndarray, known: bool
) -> tuple[Problem, list[str]]:
    """The problem with the pole pairs that fit best with all laws, and a note that says so.

    Nothing changes where they are no parameter, or `known` from the prior.
    """
    space = problem.space
    active = np.array([POLE_PAIRS not in each.targets for each in space.parameters])
    if known or active.all():
        return problem, []
    begin, pairs = problem.scales, list(PAIRS)
    inside = zip(problem.predictor.trials.readings, problem.samples_in(weights), strict=True)
    sizes = np.maximum([float(np.std(reading.values[there])) for reading, there in inside], floors)
    with progress_bar("pole pairs", len(PAIRS) + FINAL) as done:
        for share, count, steps in ((COARSE, len(PAIRS), 12), (FINE, FINAL, 40)):
            # residuals of a wrong fit stay alike for long and would count for little: none of them is left at first
            problem.scales = Scales(share * sizes, np.full(len(sizes), WEIGHT))
            found = scan_pole_pairs(problem, active, pairs[:count], steps, weights, lambda: done(1))
            pairs = list(found.pairs)
    ranked = _rank(problem, active, found, weights, floors)
    (first, best, theta), (second, _, _) = ranked[:2]
    made = with_pole_pairs(problem, first)
    made.scales, made.hints, made.reached = begin, theta, problem.scales
    behind = ranked[1][1] - best
    said = f"{first} pole pairs fit best of {PAIRS[0]} to {PAIRS[-1]}; with {second} the loss is {behind:.2g} higher"
    return made, [said + ("" if behind > APART else ", which does not tell them apart: give them")]


def _rank(
    problem: Problem, active: np.ndarray, found: PolePairs, weights: np.ndarray, floors: np.ndarray
) -> list[tuple[int, float, np.ndarray]]:
    """Pole pairs, loss and optimum of each, the best first, at scales that are those of the best one's residuals."""
    made = [(pair, 0.0, each.theta) for pair, each in zip(found.pairs, found.solved, strict=True)]
    for _ in range(2):
        residuals = with_pole_pairs(problem, made[0][0]).residuals(made[0][2], active)
        problem.scales = measure_scales(problem, residuals, floors, weights)
        fits = [solve(with_pole_pairs(problem, pair), theta, active, weights[None]) for pair, _, theta in made]
        made = [(m[0], float(fit.loss[0]), fit.theta) for m, fit in zip(made, fits, strict=True)]
        made.sort(key=lambda each: each[1])
    return made
