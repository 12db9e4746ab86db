"""Intervals by drawing blocks of the logs again: what other logs of the same kind would have given.

Blocks are drawn with replacement from those of the training share, and every draw is fitted from the best fit on. What
only the prior tells would not scatter at all, so the prior is drawn again too, and moves each fit by

    (H + P)⁻¹·P·shift

with the curvatures H of the data's loss and P of the prior at the best fit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..checks import quote, require_seed
from ..errors import ParameterError
from ..progress import progress_bar
from .evidence import Evidence
from .solve import solve

AT_ONCE = 25
"""Draws that are fitted side by side [1]."""
STEPS = 40
"""Most steps of each fit [1]."""


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """Parameters of fits to blocks that were drawn again."""

    names: tuple[str, ...]
    """The parameters."""
    units: tuple[str, ...]
    """Their SI units."""
    draws: np.ndarray
    """Value of each parameter in each draw, (draws, parameters)."""
    low: np.ndarray
    """Lower ends of the 95 % intervals, (parameters)."""
    high: np.ndarray
    """Upper ends of them, (parameters)."""

    def interval(self, name: str) -> tuple[float, float]:
        """The 95 % interval of a parameter."""
        if name not in self.names:
            raise ParameterError(f"bootstrap: {quote(name)} was not fitted; there are {', '.join(self.names)}")
        k = self.names.index(name)
        return float(self.low[k]), float(self.high[k])

    def __repr__(self) -> str:
        return f"Bootstrap({len(self.draws)} draws of {', '.join(self.names)})"


def bootstrap(evidence: Evidence, theta: np.ndarray, active: np.ndarray, count: int, seed: int = 0) -> Bootstrap:
    """Fits to blocks that are drawn again.

    Args:
        evidence: Logs and what a fit has seen of them.
        theta: Deviations of the fit.
        active: Which of them are free.
        count: Number of draws.
        seed: Random seed of the draws.
    """
    if isinstance(count, bool) or not isinstance(count, int) or count < 20:
        raise ParameterError(f"bootstrap: n = {quote(count)}: must be a whole number from 20 on, as in 200")
    generator = np.random.default_rng(require_seed("bootstrap", seed))
    space = evidence.problem.space
    there = np.flatnonzero(evidence.weights > 0.0)
    if len(there) < 2:
        raise ParameterError("bootstrap: the training share is one block; give longer logs, or several")
    times = generator.multinomial(len(there), np.full(len(there), 1.0 / len(there)), size=count)
    weights = np.zeros((count, len(evidence.weights)))
    weights[:, there] = times * evidence.weights[there]
    free = np.flatnonzero(active).tolist()
    shifts = generator.normal(size=(count, len(free))) * space.spreads[free]
    found = np.empty((count, len(theta)))
    with progress_bar("bootstrap", count) as done:
        for first in range(0, count, AT_ONCE):
            rows = slice(first, min(first + AT_ONCE, count))
            starts = np.tile(theta, (rows.stop - rows.start, 1))
            solved = solve(evidence.problem, starts, active, weights[rows], STEPS)
            found[rows] = solved.theta
            done(rows.stop - rows.start)
    _, curve = evidence.problem.evaluate(theta[None], active).weighted(0, evidence.weights)
    prior = np.diag(1.0 / space.spreads[free] ** 2)
    found[:, free] += shifts @ np.linalg.solve(curve[np.ix_(free, free)] + prior, prior).T
    at_prior = space.values(np.zeros(len(theta)), active)
    columns = []
    for k in free:
        each, middle = space.parameters[k], at_prior[space.places[k][0], int(np.argmax(space.lanes[k]))]
        columns.append(middle * np.exp(found[:, k]) if each.positive else middle + found[:, k])
    draws = np.stack(columns, axis=1)
    low, high = np.quantile(draws, (0.025, 0.975), axis=0)
    parameters = [space.parameters[k] for k in free]
    return Bootstrap(tuple(each.name for each in parameters), tuple(each.unit for each in parameters), draws, low, high)
