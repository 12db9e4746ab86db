"""The profile likelihood of a parameter: how good a fit can still be while that parameter is held at each value.

Its interval is where the loss rises by less than half of the χ² limit, 1.92. It believes the scales of the residuals
and how many samples count as one; it sees a lop-sided or an open interval, which a straight line around the best fit
does not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..checks import quote
from ..errors import ParameterError
from ..progress import progress_bar
from .channels import suggest
from .evidence import Evidence
from .solve import solve

RISE = 1.9207
"""Rise of the loss at the ends of the 95 % interval [1]."""
POINTS = 12
"""Points on either side of the best value [1]."""
WIDENINGS = 5
"""How often the range is doubled where the loss has not risen enough [1]."""
STEPS = 40
"""Most steps of each fit [1]."""


@dataclass(frozen=True, eq=False)
class Profile:
    """How the loss rises as one parameter is moved and all others are fitted again."""

    name: str
    """The parameter."""
    unit: str
    """SI unit."""
    value: float
    """Its best value."""
    low: float
    """Lower end of the 95 % interval; -inf, or 0 of a positive number, where there is none."""
    high: float
    """Upper end of it; inf where there is none."""
    values: np.ndarray
    """Values at which it was held, rising, (points)."""
    rise: np.ndarray
    """Rise of the loss above its least at each of them, (points) [1]."""

    def __repr__(self) -> str:
        return f"Profile({self.name} = {self.value:.5g} {self.unit}, 95 % between {self.low:.4g} and {self.high:.4g})"


def profile(
    evidence: Evidence, theta: np.ndarray, active: np.ndarray, covariance: np.ndarray, name: str, points: int = POINTS
) -> Profile:
    """The profile of a parameter.

    Args:
        evidence: Logs and what a fit has seen of them.
        theta: Deviations of the fit.
        active: Which of them are free.
        covariance: Their covariance, from which the range is chosen.
        name: The parameter.
        points: Points on either side of its best value.
    """
    space = evidence.problem.space
    free = [space.parameters[k].name for k in np.flatnonzero(active)]
    if name not in free:
        raise ParameterError(f"profile: {quote(name)} was not fitted: {suggest(name, free)}")
    if isinstance(points, bool) or not isinstance(points, int) or points < 2:
        raise ParameterError(f"profile: points = {quote(points)}: must be a whole number from 2 on")
    index = space.index(name)
    spread = float(np.sqrt(max(covariance[index, index], 0.0)))
    reach = 3.0 * (spread or space.parameters[index].spread)
    with progress_bar(f"profile of {name}", 2) as done:
        sides = []
        for sign in (-1.0, 1.0):
            sides.append(_side(evidence, theta, active, covariance, index, sign * reach, points))
            done(1)
    (below, rise_below), (above, rise_above) = sides
    at = np.concatenate([below[::-1], theta[index : index + 1], above])
    rise = np.concatenate([rise_below[::-1], [0.0], rise_above])
    # a fit that is better than the best one moves the bottom, and the ends with it
    best = int(np.argmin(rise))
    rise = rise - rise[best]
    each = space.parameters[index]
    prior = float(
        space.values(np.zeros(len(theta)), active)[space.places[index][0], int(np.argmax(space.lanes[index]))]
    )

    def value(deviation: float) -> float:
        return prior * float(np.exp(deviation)) if each.positive else prior + deviation

    low, high = _crossing(at[best::-1], rise[best::-1], -np.inf), _crossing(at[best:], rise[best:], np.inf)
    return Profile(name, each.unit, value(float(at[best])), value(low), value(high),
                   np.array([value(float(x)) for x in at]), rise)  # fmt: skip


def _side(
    evidence: Evidence, theta: np.ndarray, active: np.ndarray, covariance: np.ndarray, index: int, reach: float,
    points: int,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Deviations on one side, from the best one on, and the rise of the loss at each."""
    limits = evidence.problem.space.parameters[index].limits
    at, rise = np.zeros(0), np.zeros(0)
    for _ in range(WIDENINGS):
        steps = reach * np.arange(1, points + 1) / points
        at = np.clip(theta[index] + steps, *limits)
        rise = _held(evidence, theta, active, covariance, index, at)
        if rise[-1] > RISE or at[-1] in limits:
            break
        reach *= 2.0
    return at, rise


def _held(
    evidence: Evidence, theta: np.ndarray, active: np.ndarray, covariance: np.ndarray, index: int, at: np.ndarray
) -> np.ndarray:
    """Rise of the loss with a parameter held at some deviations and all others fitted again."""
    starts = np.tile(theta, (len(at) + 1, 1))
    moved = at - theta[index]
    if covariance[index, index] > 0.0:
        # the others start where a straight line would have them
        starts[1:] += moved[:, None] * covariance[index] / covariance[index, index]
    starts[1:, index] = at
    fixed = np.arange(len(theta)) == index
    weights = np.tile(evidence.weights, (len(starts), 1))
    found = solve(evidence.problem, starts, active, weights, steps=STEPS, fixed=fixed)
    return found.loss[1:] - found.loss[0]


def _crossing(at: np.ndarray, rise: np.ndarray, none: float) -> float:
    """Where the loss first rises to the limit on the way from its bottom; `none` where it does not."""
    root = np.sqrt(np.maximum(rise, 0.0))
    over = np.flatnonzero(root > np.sqrt(RISE))
    if not len(over):
        return none
    k = int(over[0])
    share = (np.sqrt(RISE) - root[k - 1]) / (root[k] - root[k - 1])
    return float(at[k - 1] + share * (at[k] - at[k - 1]))
