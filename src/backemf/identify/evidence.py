"""What a fit was found from: the logs on their grid, and which part of them it has seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .loss import Problem
from .trials import Reading, Trials

ROUNDING = 1e-12
"""Part of the size of a channel below which a residual is rounding [1]."""


@dataclass(frozen=True)
class Error:
    """How far predictions are off in one channel of one log."""

    log: str
    """Name of the log."""
    channel: str
    """What was compared."""
    mean_absolute: float
    """Mean absolute error, in the channel's SI unit."""
    rms: float
    """Root of the mean squared error, in the channel's SI unit."""
    held_out: bool
    """Whether the fit has not seen it."""
    joint: str = ""
    """The joint of a robot; empty: the log is of one joint."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """Logs, and the share of them that is the fit's."""

    problem: Problem
    """Logs with predictions of them, at the scales of the last fit."""
    weights: np.ndarray
    """How often each block counts, (blocks); 0 where it is held out."""
    train: tuple[bool, ...]
    """Which of the given logs are fitted."""
    last: float
    """Up to which share of their duration [1]."""
    floors: np.ndarray
    """Smallest residual that counts of each channel."""

    @property
    def trials(self) -> Trials:
        """The logs on their grid."""
        return self.problem.predictor.trials

    def among(self, lanes: np.ndarray, samples: int) -> Evidence:
        """Some of the lanes, and no more than some samples of each."""
        weights = self.weights.reshape(self.trials.lanes, -1)[lanes].reshape(-1)
        return replace(self, problem=self.problem.among(lanes, samples), weights=weights)

    @property
    def held_out(self) -> bool:
        """Whether the fit has not seen some part."""
        return self.last < 1.0 or not all(self.train)

    def seen(self, lane: int, time: np.ndarray) -> np.ndarray:
        """Which times of a lane, since its start, are in the training share."""
        if not self.train[self.trials.files[lane]]:
            return np.zeros(len(time), dtype=bool)
        return np.ones(len(time), dtype=bool) if self.last >= 1.0 else time < self.last * self._duration

    def rows(self, reading: Reading, lane: int, held_out: bool) -> np.ndarray:
        """Which samples of a lane are held out, or are fitted."""
        return reading.there[lane] & (self.seen(lane, reading.time[lane]) != held_out)

    def errors(self, residuals: Sequence[np.ndarray | None]) -> tuple[Error, ...]:
        """Errors of each log, of its fitted and its held-out share, from residuals (lanes, samples) by channel.

        A channel without residuals is left out.
        """
        found = []
        for reading, residual in zip(self.trials.readings, residuals, strict=True):
            if residual is None:
                continue
            for lane, log in enumerate(self.trials.logs):
                joint = self.trials.joints[lane] if self.trials.joints else ""
                for out in (False, True):
                    rows = self.rows(reading, lane, out)
                    part = residual[lane, rows]
                    if len(part):
                        # what is left of a constant that was fitted is rounding, and no error
                        largest = float(np.abs(reading.values[lane, rows]).max())
                        part = np.where(np.abs(part) < ROUNDING * largest, 0.0, part)
                        found.append(Error(log.name, reading.channel, float(np.abs(part).mean()),
                                           float(np.sqrt((part**2).mean())), out, joint))  # fmt: skip
        return tuple(found)

    @property
    def _duration(self) -> float:
        return self.trials.steps * self.trials.dt


def mean_error(errors: Sequence[Error], channel: str, held_out: bool) -> float:
    """Mean over the logs of the mean absolute error of a channel, in its SI unit; nan where there is none."""
    found = [each.mean_absolute for each in errors if each.channel == channel and each.held_out == held_out]
    return float(np.mean(found)) if found else float("nan")
