"""What a fit has to beat: an ideal PD, the datasheet alone, the first rung of the ladder, and a linear filter.

Each predicts the same channels of the same logs, and is fitted, where it is fitted at all, to the same training share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from ..learned.linear import LinearFilter
from .evidence import Error, Evidence, mean_error
from .ladder import settle
from .log import Log
from .loss import Problem
from .signals import LEAST, slope_over
from .solve import solve
from .trials import Reading

if TYPE_CHECKING:
    from .fit import Fit

HISTORY = 16
"""Samples that the linear filter sees of each input [1]."""
OWN = (0, 2, 16)
"""Samples of its own past that it is tried with [1]."""
RIDGES = (1e-10, 1e-6, 1e-4, 1e-2)
"""Penalties of its squared weights that are tried, of inputs with a root mean square of 1 [1]."""
FOLDS = 5
"""Most parts of the training logs that are left out in turn to choose among them [1]."""
STEPS = 40
"""Most steps of the fit of the first rung [1]."""
STATES = ("position", "velocity")
"""Channels that carry on by themselves."""


@dataclass(frozen=True, eq=False)
class Baseline:
    """A simpler model of the same drive."""

    name: str
    """What it is called."""
    about: str
    """What it does, in one sentence."""
    errors: tuple[Error, ...]
    """How far its predictions are off, log by log; none of channels that it cannot predict."""

    def error(self, channel: str, held_out: bool) -> float:
        """Mean over the logs of the mean absolute error of a channel, in its SI unit; nan where there is none."""
        return mean_error(self.errors, channel, held_out)


def baselines(fit: Fit) -> tuple[Baseline, ...]:
    """Every model that a fit has to beat, on its logs."""
    evidence = fit._evidence
    first = fit.rungs[0]
    return (
        Baseline("ideal PD", "the position is the command; torque and current are a PD with the gains of least squares",
                 evidence.errors(_ideal_pd(evidence))),
        Baseline("prior alone", "the datasheet or motor that the fit started from, as it was given",
                 evidence.errors(_prior_alone(evidence.problem))),
        Baseline(f"{first.name} only", "the first rung of the ladder, with its own best numbers",
                 evidence.errors(_first_rung(fit))),
        Baseline("linear filter",
                 f"the last {HISTORY} samples of the command, and its own past, by least squares with a ridge",
                 evidence.errors(_linear_filter(evidence))),
    )  # fmt: skip


def _prior_alone(problem: Problem) -> list[np.ndarray]:
    """Predicted less measured with the numbers of the prior, (lanes, samples) by channel."""
    seen = problem.predictor.predict(problem.space.base[:, None, :])
    readings = problem.predictor.trials.readings
    return [np.where(each.there, rows[0] - each.values, 0.0) for rows, each in zip(seen, readings, strict=True)]


def _first_rung(fit: Fit) -> list[np.ndarray]:
    evidence, first = fit._evidence, fit.rungs[0]
    given, theta = evidence.problem, fit._theta
    active = np.array([each.name in first.parameters for each in given.space.parameters])
    # at scales of its own, which the fit's do not know of
    problem = Problem(given.predictor, given.space, given.blocks, given.scales)
    if not np.array_equal(active, fit._active):
        # from where the fit ended, and from where it began
        starts = np.stack([np.where(active, theta, given.space.starts), given.space.starts])
        weights = np.tile(evidence.weights, (len(starts), 1))
        solved = solve(problem, starts, active, weights, STEPS)
        best = solved.theta[solved.loss.argmin()][None]
        theta = settle(problem, best, active, weights[:1], evidence.floors).theta[0]
    return [each[0] for each in problem.residuals(theta[None], active)]


# --- the ideal PD


def _ideal_pd(evidence: Evidence) -> list[np.ndarray | None]:
    return [_pd_of_channel(evidence, reading) for reading in evidence.trials.readings]


def _pd_of_channel(evidence: Evidence, reading: Reading) -> np.ndarray | None:
    logs = evidence.trials.logs
    if reading.channel in STATES:
        if not all("position_command" in log for log in logs):
            return None
        made = [_followed(log, reading.channel) for log in logs]
    elif reading.channel in ("torque", "current"):
        errors = [_position_error(log, log.times(reading.channel)) for log in logs]
        if any(each is None for each in errors):
            return None
        speeds = [_speed(log, log.times(reading.channel)) for log in logs]
        inputs = [np.stack([e, v], axis=1) for e, v in zip(errors, speeds, strict=True) if e is not None]
        made = _fitted_by_joint(evidence, reading, inputs)
    else:
        return None
    residual = np.zeros(reading.values.shape)
    for lane, rows in enumerate(made):
        residual[lane, reading.there[lane]] = rows - reading.values[lane, reading.there[lane]]
    return residual


def _followed(log: Log, channel: str) -> np.ndarray:
    """The motion of a joint that is where it should be, at the times of a channel."""
    time = log.times(channel)
    position = _command(log, time)
    if channel == "position":
        return position
    return slope_over(time, position) if len(time) >= LEAST else np.zeros(len(time))


def _command(log: Log, at: np.ndarray) -> np.ndarray:
    time, values = log.times("position_command"), log["position_command"]
    if log.command_between == "linear":
        return np.interp(at, time, values)
    return values[np.clip(np.searchsorted(time, at + 1e-9, side="right") - 1, 0, len(time) - 1)]


def _position_error(log: Log, at: np.ndarray) -> np.ndarray | None:
    if "position_error" in log:
        return np.interp(at, log.times("position_error"), log["position_error"])
    if "position_command" in log and "position" in log:
        return _command(log, at) - np.interp(at, log.times("position"), log["position"])
    return None


def _speed(log: Log, at: np.ndarray) -> np.ndarray:
    if "velocity" in log:
        return np.interp(at, log.times("velocity"), log["velocity"])
    if "position" in log and len(log["position"]) >= LEAST:
        time = log.times("position")
        return np.interp(at, time, slope_over(time, log["position"]))
    return np.zeros(len(at))


def _fitted_by_joint(evidence: Evidence, reading: Reading, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """What the gains of least squares give for each lane; every joint has its own."""
    made: list[np.ndarray] = [np.zeros(0)] * len(inputs)
    for lanes in _joints(evidence):
        rows = [inputs[k][evidence.seen(k, reading.time[k, reading.there[k]])] for k in lanes]
        wanted = [reading.values[k, evidence.rows(reading, k, False)] for k in lanes]
        gains = np.linalg.lstsq(np.concatenate(rows), np.concatenate(wanted), rcond=None)[0]
        for k in lanes:
            made[k] = inputs[k] @ gains
    return made


def _joints(evidence: Evidence) -> list[list[int]]:
    """Lanes of each joint."""
    names = evidence.trials.joints or ("",) * evidence.trials.lanes
    return [[k for k, name in enumerate(names) if name == one] for one in dict.fromkeys(names)]


# --- the linear filter


@dataclass(frozen=True, eq=False)
class _Series:
    """A lane at equal steps."""

    step: float
    """Time between samples [s]."""
    inputs: np.ndarray
    """What the filter sees, (samples, inputs)."""
    values: np.ndarray
    """What it has to predict, (samples)."""
    before: np.ndarray
    """What there was before the first sample, newest first, (HISTORY)."""
    seen: np.ndarray
    """Which samples it is fitted to."""


def _linear_filter(evidence: Evidence) -> list[np.ndarray | None]:
    return [
        None if reading.channel.endswith("temperature") else _filter_of_channel(evidence, reading)
        for reading in evidence.trials.readings
    ]


def _filter_of_channel(evidence: Evidence, reading: Reading) -> np.ndarray | None:
    residual = np.zeros(reading.values.shape)
    for lanes in _joints(evidence):
        series = [_series(evidence, reading, lane) for lane in lanes]
        kinds = list(product(OWN if reading.channel in STATES else (0,), RIDGES))
        kinds = [kind for kind in kinds if _fit_filter(series, *kind) is not None]
        if not kinds:
            return None
        best = min(kinds, key=lambda kind: _left_out_error(series, *kind))
        found = _fit_filter(series, *best)
        assert found is not None
        for lane, each in zip(lanes, series, strict=True):
            made, there = _run_filter(found, each, best[0]), reading.there[lane]
            at = np.interp(reading.time[lane, there], each.step * np.arange(len(made)), made)
            residual[lane, there] = at - reading.values[lane, there]
    return residual


def _left_out_error(series: Sequence[_Series], past: int, ridge: float) -> float:
    """Mean absolute error on logs that are left out in turn; of a single log, on itself."""
    known = [each for each in series if each.seen.any()]
    folds = min(len(known), FOLDS)
    errors = []
    for fold in range(folds):
        others = [each for k, each in enumerate(known) if k % folds != fold] or known
        found = _fit_filter(others, past, ridge)
        if found is None:
            return float("inf")
        errors += [np.abs(_run_filter(found, each, past) - each.values)[each.seen] for each in known[fold::folds]]
    return float(np.concatenate(errors).mean())


def _series(evidence: Evidence, reading: Reading, lane: int) -> _Series:
    trials = evidence.trials
    there = reading.there[lane]
    time, values = reading.time[lane, there], reading.values[lane, there]
    step = float(np.median(np.diff(time)))
    at = step * np.arange(int(time[-1] / step + 1e-6) + 1)
    rows = np.minimum((at / trials.dt + 1e-6).astype(int), trials.steps - 1)
    columns = [row[rows, lane] for name, row in trials.commands.items() if name != "enable"]
    if trials.path is not None:
        # along a measured motion the filter sees what a controller does: the error and the speed
        path = trials.path[:, lane]
        columns = [row[rows, lane] - (path[rows] if name == "position" else 0.0)
                   for name, row in trials.commands.items() if name != "enable"]  # fmt: skip
        columns.append(((path[1:] - path[:-1]) / trials.dt)[rows])
    if "enable" in trials.commands:
        on = trials.commands["enable"][rows, lane]
        columns = [*(column * on for column in columns), on]
    found = np.interp(at, time, values)
    drift = float(trials.velocity[lane]) if reading.channel == "position" else 0.0
    before = found[0] - drift * step * np.arange(1, HISTORY + 1)
    # the first samples have no history to learn from
    seen = evidence.seen(lane, at) & (np.arange(len(at)) >= HISTORY)
    return _Series(step, np.stack(columns, axis=1), found, before, seen)


def _columns(series: _Series, past: int) -> np.ndarray:
    """Inputs, newest first, and measured values before each sample, (samples, columns)."""
    count = len(series.values)
    ages = np.maximum(np.arange(count)[:, None] - np.arange(HISTORY), 0)
    inputs = series.inputs[ages].reshape(count, -1)
    longer = np.concatenate([series.before[::-1], series.values])
    own = longer[np.arange(count)[:, None] + HISTORY - np.arange(1, past + 1)]
    return np.concatenate([inputs, own], axis=1)


def _fit_filter(series: Sequence[_Series], past: int, ridge: float) -> LinearFilter | None:
    """The filter with the least squares and a ridge on inputs of equal size; None where there are too few samples."""
    x = np.concatenate([_columns(each, past)[each.seen] for each in series])
    y = np.concatenate([each.values[each.seen] for each in series])
    if len(x) <= 2 * x.shape[1]:
        return None
    sizes = np.maximum(np.sqrt((x**2).mean(axis=0)), 1e-12)
    penalty = np.diag(np.full(x.shape[1] + 1, np.sqrt(ridge * len(x))))[:-1]
    plain = np.concatenate([x / sizes, np.ones((len(x), 1))], axis=1)
    rows, wanted = np.concatenate([plain, penalty]), np.concatenate([y, np.zeros(len(penalty))])
    found = np.linalg.lstsq(rows, wanted, rcond=None)[0]
    return LinearFilter(found[:-1] / sizes, float(found[-1]))


def _run_filter(found: LinearFilter, series: _Series, past: int) -> np.ndarray:
    """What the filter predicts from its own predictions, once it has been started."""
    inputs = _columns(series, 0) @ found.weights[: len(found.weights) - past] + found.offset
    if not past:
        return inputs
    weights = found.weights[len(found.weights) - past :]
    held = [float(series.values[0]), *series.before[: past - 1].tolist()]
    made = np.full(len(inputs), held[0])
    # one that gains from itself ends far away, and not in an overflow
    most = 1e3 * (1.0 + float(np.abs(series.values).max()))
    for k, given in enumerate(inputs[1:], 1):
        made[k] = min(max(float(given + weights @ held), -most), most)
        held = [made[k], *held[:-1]]
    return made
