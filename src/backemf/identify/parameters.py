"""What a fit may move: numbers of the bench, each by its deviation from the prior.

A number that must be positive is prior·exp(deviation), any other prior + deviation. Several parameters may move one
number, such as one for all joints and one for each of them; one parameter may move several, such as Kt and Ke together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from .bench import Bench, bounds_of, values_of

FARTHEST = 7.0
"""Largest deviation of a logarithm, a factor of 1100 [1]."""


@dataclass(frozen=True)
class Parameter:
    """One free number of a fit."""

    name: str
    """What it is called, such as motor.winding.resistance."""
    targets: tuple[str, ...]
    """Numbers of the bench that it moves."""
    spread: float
    """One standard deviation of its prior: of the logarithm for a positive number, else in its unit."""
    positive: bool = True
    """Whether it moves a logarithm."""
    unit: str = "1"
    """Unit of the number."""
    reference: float | None = None
    """Value at which the prior is, where the bench has none; None: the bench's own."""
    source: str = "prior"
    """Where the prior is from, in a few words."""
    start: float = 0.0
    """Deviation at which a fit starts."""
    least: float = -np.inf
    """Lowest value of the number."""
    most: float = np.inf
    """Highest value of the number."""
    joint: str = ""
    """The joint it is for; empty: all of them."""
    lane: int | None = None
    """The lane it is for; None: all of them."""

    @property
    def limits(self) -> tuple[float, float]:
        """Lowest and highest deviation."""
        if self.positive:
            return -FARTHEST, FARTHEST
        return -np.inf, np.inf


@dataclass(frozen=True, eq=False)
class Space:
    """All parameters of a fit and the numbers of the bench that they move."""

    parameters: tuple[Parameter, ...]
    """The parameters, whether they are free or not."""
    names: tuple[str, ...]
    """Numbers of the bench that any of them moves."""
    base: np.ndarray
    """Their values in the bench, (names, lanes)."""
    lanes: np.ndarray
    """Which lanes each parameter moves, (parameters, lanes)."""
    places: tuple[tuple[int, ...], ...] = field(default=())
    """Where the targets of each parameter are among the names."""

    @classmethod
    def over(cls, parameters: Sequence[Parameter], bench: Bench, lanes: int, joints: Sequence[str] = ()) -> Space:
        """The space of some parameters on a bench; `joints` are those of the lanes."""
        names = tuple(dict.fromkeys(target for each in parameters for target in each.targets))
        mask = np.ones((len(parameters), lanes), dtype=bool)
        for row, each in zip(mask, parameters, strict=True):
            if each.joint:
                row[:] = [joint == each.joint for joint in joints]
            if each.lane is not None:
                row[:] = np.arange(lanes) == each.lane
        places = tuple(tuple(names.index(target) for target in each.targets) for each in parameters)
        return cls(_within(parameters, bench), names, values_of(bench, names, lanes), mask, places)

    def extended(self, parameters: Sequence[Parameter], bench: Bench) -> Space:
        """This space with more parameters behind its own, of numbers that it does not move."""
        more = Space.over(parameters, bench, self.lanes.shape[1])
        count = len(self.names)
        return Space(
            (*self.parameters, *more.parameters),
            (*self.names, *more.names),
            np.concatenate([self.base, more.base]),
            np.concatenate([self.lanes, more.lanes]),
            (*self.places, *(tuple(count + place for place in places) for places in more.places)),
        )

    def among(self, lanes: np.ndarray) -> Space:
        """The same parameters on some of the lanes."""
        return replace(self, base=self.base[:, lanes], lanes=self.lanes[:, lanes])

    @property
    def spreads(self) -> np.ndarray:
        """Standard deviations of the priors."""
        return np.array([each.spread for each in self.parameters])

    @property
    def starts(self) -> np.ndarray:
        """Deviations at which a fit starts."""
        return np.array([each.start for each in self.parameters])

    def names_of(self, active: np.ndarray) -> tuple[str, ...]:
        """Numbers of the bench that free parameters move."""
        places = sorted({place for k in np.flatnonzero(active) for place in self.places[k]})
        return tuple(self.names[place] for place in places)

    def index(self, name: str) -> int:
        """Where a parameter is."""
        return [each.name for each in self.parameters].index(name)

    def values(self, theta: np.ndarray, active: np.ndarray) -> np.ndarray:
        """Numbers of the bench at some deviations, (names, lanes); what is not active stays as the bench has it."""
        values, least, most = self._unbounded(theta, active)
        return np.clip(values, least, most)

    def _unbounded(self, theta: np.ndarray, active: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The same without bounds, and the bounds."""
        values, factor, least, most = self._referenced(active)
        for k, each in enumerate(self.parameters):
            if active[k]:
                for place in self.places[k]:
                    if each.positive:
                        factor[place] += theta[k] * self.lanes[k]
                    else:
                        values[place] += theta[k] * self.lanes[k]
        return values * np.exp(factor), least, most

    def tangents(self, theta: np.ndarray, active: np.ndarray) -> np.ndarray:
        """Derivatives of these values by each deviation, (parameters, names, lanes)."""
        values, least, most = self._unbounded(theta, active)
        inside = (values >= least) & (values <= most)
        made = np.zeros((len(self.parameters), *values.shape))
        for k, each in enumerate(self.parameters):
            if active[k]:
                for place in self.places[k]:
                    made[k, place] = inside[place] * self.lanes[k] * (values[place] if each.positive else 1.0)
        return made

    def _referenced(self, active: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        values = self.base.copy()
        least, most = np.full(values.shape, -np.inf), np.full(values.shape, np.inf)
        for k, each in enumerate(self.parameters):
            if active[k]:
                for place in self.places[k]:
                    if each.reference is not None:
                        values[place] = np.where(self.lanes[k], each.reference, values[place])
                    least[place], most[place] = max(least[place].max(), each.least), min(most[place].min(), each.most)
        return values, np.zeros(values.shape), least, most

    def settings(self, theta: np.ndarray, active: np.ndarray, lane: int = 0) -> Mapping[str, float]:
        """Value of each number in one lane, by its name in the bench."""
        return dict(zip(self.names, self.values(theta, active)[:, lane].tolist(), strict=True))


def _within(parameters: Sequence[Parameter], bench: Bench) -> tuple[Parameter, ...]:
    """The parameters with the bounds that their numbers have anywhere, such as a duty of at most 1."""
    made = []
    for each in parameters:
        lows, highs = zip(*(bounds_of(bench, target) for target in each.targets), strict=True)
        made.append(replace(each, least=max(each.least, *lows), most=min(each.most, *highs)))
    return tuple(made)
