"""The best deviations for a set of logs: damped Gauss-Newton steps on a robust loss, the prior as one more residual."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .loss import Local, Problem

CONVERGED = 1e-3
"""A fit has converged when a step lowers the loss by less than this share of what one sample's worth is [1]."""
GROWTH = 4.0
"""How much shorter the first step after one that was refused is; each further one doubles it [1]."""
LONGEST = 1.0
"""Longest step of a logarithm, and of any other deviation in spreads [1]."""
RECENT, AHEAD = 4, 10.0
"""Last steps of a fit, and how many times what they have saved the next ones may save at most [1]."""


@dataclass(eq=False)
class Solved:
    """The end of a fit, for each candidate."""

    theta: np.ndarray
    """Deviations, (candidates, parameters)."""
    loss: np.ndarray
    """Loss with prior [1]."""
    converged: np.ndarray
    """Whether each candidate came to rest."""
    local: Local
    """Slopes and curvatures at the end, by block."""
    iterations: int
    """Steps that were taken."""
    damping: np.ndarray
    """Damping of the next step, (candidates)."""

    def take(self, rows: np.ndarray) -> Solved:
        """Some of the candidates, in this order."""
        kept = self.theta[rows], self.loss[rows], self.converged[rows], self.local.take(rows)
        return Solved(*kept, self.iterations, self.damping[rows])


def solve(
    problem: Problem,
    theta: np.ndarray,
    active: np.ndarray,
    weights: np.ndarray,
    steps: int = 30,
    progress: Callable[[int, float], None] | None = None,
    fixed: np.ndarray | None = None,
    rivals: np.ndarray | None = None,
    damping: np.ndarray | None = None,
) -> Solved:
    """The best deviations of each candidate from where it starts.

    Args:
        problem: Logs and what they are compared with.
        theta: Starts, (candidates, parameters).
        active: Which parameters are free.
        weights: How often each block counts for each candidate, (candidates, blocks); 0: it is left out.
        steps: Most steps.
        progress: Told the step and the loss of the first candidate after each.
        fixed: Which active parameters stay where they start; None: none.
        rivals: Losses that candidates are held against, (candidates); all end when none will come near its own.
        damping: That of a fit that is gone on with; None: a small one.
    """
    space = problem.space
    precision = np.where(active, 1.0 / space.spreads**2, 0.0)
    free = np.flatnonzero(active if fixed is None else active & ~fixed)
    longest = np.array([LONGEST if each.positive else LONGEST * each.spread for each in space.parameters])
    own = np.array([each.lane is not None for each in space.parameters])
    low, high = np.array([each.limits for each in space.parameters]).T
    theta = np.clip(np.array(theta, dtype=float), low, high)
    count = len(theta)
    damping = np.full(count, 1e-3) if damping is None else damping.copy()
    growth = np.full(count, GROWTH)
    local = problem.evaluate(theta, active)
    total = _total(local.loss, weights, theta, precision)
    converged, refused = np.zeros((2, count), dtype=bool)
    stalled = np.zeros(count, dtype=int)
    taken, totals = 0, [total.copy()]
    for taken in range(1, steps + 1):
        tried = theta.copy()
        gain = np.zeros(count)
        moving = np.flatnonzero(~converged)
        for g in moving.tolist():
            slope, curve = local.weighted(g, weights[g])
            slope += precision * theta[g]
            h = curve[np.ix_(free, free)] + np.diag(precision[free])
            step = np.linalg.solve(h + damping[g] * np.diag(np.diag(h)), -slope[free])
            share = np.minimum(1.0, longest[free] / np.maximum(np.abs(step), 1e-300))
            # one lane whose start is far off need not hold up the others
            step *= np.where(own[free], share, np.min(share[~own[free]], initial=1.0))
            tried[g, free] = np.clip(theta[g, free] + step, low[free], high[free])
            gain[g] = -(slope[free] @ step + 0.5 * step @ h @ step)
        # slopes cost most: after a step that was refused, only where the next one is better
        cautious = bool(refused[moving].all())
        after = problem.evaluate(tried[moving], active, slopes=not cautious)
        new = _total(after.loss, weights[moving], tried[moving], precision)
        better = new < total[moving]
        if cautious and better.any():
            after = problem.evaluate(tried[moving[better]], active)
        places = np.cumsum(better) - 1 if cautious else np.arange(len(moving))
        refused[moving] = ~better
        for row, g in enumerate(moving.tolist()):
            if better[row]:
                saved = total[g] - new[row]
                small = saved < CONVERGED * max(1.0, 1e-3 * total[g])
                stalled[g] = stalled[g] + 1 if small else 0
                theta[g], total[g] = tried[g], new[row]
                local.put(g, after, int(places[row]))
                # the less of what was foretold came true, the less the next step is trusted
                damping[g] *= max(0.2, 1.0 - (2.0 * min(1.0, saved / max(gain[g], 1e-300)) - 1.0) ** 3)
                damping[g], growth[g] = max(damping[g], 1e-9), GROWTH
                converged[g] = stalled[g] >= 2 or (small and gain[g] < CONVERGED)
            else:
                # no step of any length lowers the loss: this is the bottom
                converged[g] = damping[g] > 1e6 or gain[g] < 1e-6
                damping[g] *= growth[g]
                growth[g] *= 2.0
        if progress is not None:
            progress(taken, float(total[0]))
        totals = [*totals[-RECENT:], total.copy()]
        if converged.all() or (rivals is not None and _hopeless(totals, rivals)):
            break
    return Solved(theta, total, converged, local, taken, damping)


def solve_lanes(problem: Problem, theta: np.ndarray, active: np.ndarray, weights: np.ndarray, steps: int) -> np.ndarray:
    """The best parameters of each lane alone, such as its start, where those that lanes share stay as they are.

    Lanes do not know of each other, so that each takes its own steps, all of them in one evaluation.
    """
    space = problem.space
    precision = 1.0 / space.spreads**2
    longest = LONGEST * space.spreads
    places = [np.flatnonzero([each.lane == lane for each in space.parameters]) for lane in range(problem.blocks.lanes)]
    low, high = np.array([each.limits for each in space.parameters]).T
    each_weight = weights.reshape(problem.blocks.lanes, -1)
    theta = np.array(theta, dtype=float)

    def totals(loss: np.ndarray, at: np.ndarray) -> np.ndarray:
        prior = np.array([0.5 * (precision[own] * at[own] ** 2).sum() for own in places])
        return (each_weight * loss.reshape(each_weight.shape)).sum(axis=1) + prior

    local = problem.evaluate(theta[None], active)
    total = totals(local.loss, theta)
    damping, growth = np.full(len(places), 1e-3), np.full(len(places), GROWTH)
    for _ in range(steps):
        tried = theta.copy()
        for lane, own in enumerate(places):
            way, weight = local.ways[0, lane, own], each_weight[lane]
            slope = way @ (weight @ local.pushes[0, lane]) + precision[own] * theta[own]
            h = way @ np.einsum("b,bnm->nm", weight, local.bends[0, lane]) @ way.T + np.diag(precision[own])
            step = np.linalg.solve(h + damping[lane] * np.diag(np.diag(h)), -slope)
            tried[own] = np.clip(theta[own] + np.clip(step, -longest[own], longest[own]), low[own], high[own])
        after = problem.evaluate(tried[None], active)
        new = totals(after.loss, tried)
        for lane, own in enumerate(places):
            if new[lane] < total[lane]:
                theta[own], total[lane] = tried[own], new[lane]
                for mine, other in ((local.pushes, after.pushes), (local.bends, after.bends), (local.ways, after.ways)):
                    mine[0, lane] = other[0, lane]
                damping[lane], growth[lane] = max(0.2 * damping[lane], 1e-9), GROWTH
            else:
                damping[lane] *= growth[lane]
                growth[lane] *= 2.0
    return theta


def _hopeless(totals: list[np.ndarray], rivals: np.ndarray) -> bool:
    """Whether every candidate is behind its rival by many times what its last steps have saved."""
    if len(totals) <= RECENT:
        return False
    saved = totals[0] - totals[-1]
    return bool(np.all(totals[-1] - rivals > AHEAD * saved + 1.0))


def _total(loss: np.ndarray, weights: np.ndarray, theta: np.ndarray, precision: np.ndarray) -> np.ndarray:
    return (weights * loss).sum(axis=1) + 0.5 * (precision * theta**2).sum(axis=1)
