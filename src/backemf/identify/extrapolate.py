"""Predictions that hardly depend on the step: those of two steps, extrapolated to none.

Positions follow the velocity at the end of each step, so that the error of a prediction is nearly proportional to the
step. With half of it,

    q = 2·q(dt/2) - q(dt)

has an error of the order dt² for three times the work; steps alone would have to be twenty times as short. Where
friction stops a joint the error of a step is no smooth function of it, and less is gained.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .bench import Bench
from .predict import Predictor
from .trials import Trials


class Extrapolated:
    """A predictor from one with a step and one with half of it."""

    def __init__(self, coarse: Predictor, fine: Predictor):
        self._coarse, self._fine = coarse, fine
        self.bench, self.trials, self.names = coarse.bench, coarse.trials, coarse.names
        self.grids = coarse.trials, fine.trials

    def among(self, names: Sequence[str]) -> Extrapolated:
        """The same predictor for other numbers of the bench."""
        return self if tuple(names) == self.names else Extrapolated(self._coarse.among(names), self._fine.among(names))

    def predict(self, values: np.ndarray, steps: int | None = None) -> list[np.ndarray]:
        """Channels at their measured times, as those of `Predictor`; `steps` are of the longer step."""
        return _extrapolate(self._coarse.predict(values, steps), self._fine.predict(values, _twice(steps)))

    def linearise(self, values: np.ndarray, steps: int | None = None) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Channels and their derivatives, as those of `Predictor`."""
        coarse, fine = self._coarse.linearise(values, steps), self._fine.linearise(values, _twice(steps))
        return _extrapolate(coarse[0], fine[0]), _extrapolate(coarse[1], fine[1])


def with_bench(predictor: Predictor | Extrapolated, bench: Bench, names: Sequence[str]) -> Predictor | Extrapolated:
    """A predictor of other numbers of another bench, on the same grids."""
    if isinstance(predictor, Predictor):
        return Predictor(bench, predictor.trials, names)
    return on_grids(Predictor(bench, predictor.trials, names), predictor.grids)


def _twice(steps: int | None) -> int | None:
    return None if steps is None else 2 * steps


def _extrapolate(coarse: list[np.ndarray], fine: list[np.ndarray]) -> list[np.ndarray]:
    return [2.0 * near - far for far, near in zip(coarse, fine, strict=True)]


def on_grids(predictor: Predictor, trials: Sequence[Trials]) -> Predictor | Extrapolated:
    """The same predictor on one grid, or extrapolated from two, of which the second has half the step of the first."""
    first, *more = (predictor.on(grid) for grid in trials)
    return Extrapolated(first, more[0]) if more else first
