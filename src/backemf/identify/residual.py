"""A learned drive for what no law explains: a filter over past errors and velocities, bent at some values of both.

    torque = Σ a_k·e(t - k·dt) + Σ b_k·v(t - k·dt) + offset + Σ c_j·bend(e, j) + Σ d_j·bend(v, j)
    bend(x, j) = max(x - knot_j, 0) - max(-x - knot_j, 0)

Bends make a series of straight lines, such as friction that sets in, drag that grows with the speed, or a spring that
stiffens. The whole is an MLP with one hidden layer of relu, so every simulator that loads a network loads it. A spike
in the log must not rule the fit: the loss is Huber's. How long the history is, how strong the ridge is and which bends
there are follows from blocks of the log that are left out in turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from ..actuator import Actuator
from ..actuator.controllers.learned import LearnedMlp
from ..actuator.networks import Mlp
from ..errors import ParameterError
from ..learned.linear import LinearFilter, with_filter
from .log import Log

HUBER = 1.345
"""Residual over its scale from which on it counts by its size and not by its square [1]."""
KNOTS = (0.7, 1.4, 2.8)
"""Where bends are, over the root mean square of the input [1]."""
HISTORIES = (4, 8, 12, 16)
"""Numbers of samples that are tried."""
RIDGES = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
"""Penalties of squared weights that are tried, of inputs with a root mean square of 1 [1]."""
BENDS = ((), ("velocity",), ("error", "velocity"))
"""Inputs with bends that are tried."""


@dataclass(frozen=True, eq=False)
class ResidualFilter:
    """A bent filter, as it was fitted; `controller` is the same as a network."""

    straight: LinearFilter
    """Filter over the history, newest first, errors before velocities, each over its scale."""
    bends: tuple[tuple[int, float, float], ...]
    """Input, knot and weight of each bend, all over their scales."""
    history: int
    """Samples of each input that it sees."""
    scales: tuple[float, float, float]
    """Root mean square of position error [rad], velocity [rad/s] and torque [N·m]."""
    dt: float
    """Time between two samples; it is right at this step only [s]."""
    ridge: float
    """Penalty of squared weights [1]."""
    left_out: float
    """Usual size of the error on blocks that were left out in turn [N·m]."""

    def predict(self, error: np.ndarray, velocity: np.ndarray) -> np.ndarray:
        """Torque for position errors [rad] and velocities [rad/s], sample by sample, (samples,) [N·m].

        The first sample stands for those before it.
        """
        x = _histories(error / self.scales[0], velocity / self.scales[1], self.history)
        made = self.straight(x)
        for place, knot, weight in self.bends:
            made = made + weight * bend(x[:, place], knot)
        return self.scales[2] * made

    def predict_log(self, log: Log) -> tuple[np.ndarray, np.ndarray]:
        """Times [s] and torque [N·m] for the errors and velocities of a log, at the step of the fit."""
        time, error, velocity, _ = samples_of(log, self.dt)
        return time, self.predict(error, velocity)

    def controller(self) -> LearnedMlp:
        """The same as a network."""
        count, inputs = 2 * len(self.bends), 2 * self.history
        if not count:
            net = Mlp(weights=(self.straight.weights[None],), biases=(np.array([self.straight.offset]),))
        else:
            first, knots, last = np.zeros((count, inputs)), np.zeros(count), np.zeros((1, count))
            for k, (place, knot, weight) in enumerate(self.bends):
                first[2 * k, place], first[2 * k + 1, place] = 1.0, -1.0
                knots[2 * k : 2 * k + 2] = -knot
                last[0, 2 * k], last[0, 2 * k + 1] = weight, -weight
            net = with_filter(Mlp(weights=(first, last), biases=(knots, np.zeros(1)), activation="relu"), self.straight)
        error, velocity, torque = self.scales
        return LearnedMlp(
            network=net, history=self.history, position_scale=1.0 / error, velocity_scale=1.0 / velocity,
            torque_scale=torque,
        )  # fmt: skip

    def actuator(self) -> Actuator:
        """An actuator whose torque it is; steps must be as long as `dt`."""
        return Actuator(controller=self.controller())


def fit_residual(
    error: np.ndarray,
    velocity: np.ndarray,
    torque: np.ndarray,
    dt: float,
    *,
    folds: int = 5,
    histories: Sequence[int] = HISTORIES,
    ridges: Sequence[float] = RIDGES,
    bends: Sequence[Sequence[str]] = BENDS,
) -> ResidualFilter:
    """The bent filter that predicts torque best where it was not fitted.

    Args:
        error: Position command less position, at equal steps, (samples,) [rad].
        velocity: Joint velocity [rad/s].
        torque: Joint torque, nan where there is none [N·m].
        dt: Time between two samples [s].
        folds: Blocks of the log, each of which is left out in turn.
        histories: Numbers of samples to choose from.
        ridges: Penalties to choose from.
        bends: Inputs with bends to choose from, each some of "error" and "velocity".
    """
    arrays = [np.asarray(each, dtype=float) for each in (error, velocity, torque)]
    there = np.isfinite(arrays[2])
    fewest = folds * (4 * max(histories) + 4)
    if there.sum() < fewest:
        raise ParameterError(f"torque: {int(there.sum())} samples are too few for a filter; give {fewest} or more")
    scales = [float(np.sqrt(np.mean(each[there] ** 2))) for each in arrays]
    for name, scale in zip(("position error", "velocity", "torque"), scales, strict=True):
        if not scale > 0.0:
            raise ParameterError(f"{name}: is {'not finite' if np.isnan(scale) else '0'} throughout; log another run")
    rows = np.flatnonzero(there)
    y = arrays[2][rows] / scales[2]
    blocks = np.arange(len(rows)) * folds // len(rows)
    best: tuple[float, int, float, tuple[str, ...]] | None = None
    made = {h: _histories(arrays[0] / scales[0], arrays[1] / scales[1], h)[rows] for h in histories}
    size = _usual(y - _columns(made[max(histories)], ()) @ _robust(_columns(made[max(histories)], ()), y, ridges[0]))
    for history, bent in product(histories, bends):
        x = _columns(made[history], tuple(bent))
        for ridge in ridges:
            missed = np.concatenate([_left_out(x, y, blocks == k, history, ridge) for k in range(folds)])
            # by the same robust loss, or one spike would choose
            loss = float(np.mean(_huber(missed / size)))
            if best is None or loss < best[0]:
                best = (loss, history, ridge, tuple(bent))
    assert best is not None
    loss, history, ridge, bent = best
    x = _columns(made[history], bent)
    weights = _robust(x, y, ridge)
    places = _bends(bent, history)
    straight = LinearFilter(weights[: 2 * history], float(weights[-1]))
    found = tuple((place, knot, float(w)) for (place, knot), w in zip(places, weights[2 * history : -1], strict=True))
    left_out = scales[2] * size * float(np.sqrt(2.0 * loss))
    return ResidualFilter(straight, found, history, (scales[0], scales[1], scales[2]), dt, ridge, left_out)


def fit_residual_log(log: Log, *, folds: int = 5) -> ResidualFilter:
    """The bent filter for the torque of a log."""
    return fit_residual_logs([log], folds=folds)


def fit_residual_logs(logs: Sequence[Log], *, folds: int = 5) -> ResidualFilter:
    """The bent filter for the torque of several logs of one drive."""
    error, velocity, torque, dt = rows_of_logs(logs)
    return fit_residual(error, velocity, torque, dt, folds=folds)


def rows_of_logs(logs: Sequence[Log]) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Errors, velocities and torques of logs one after the other, at equal steps, and the step [s].

    The first samples of each log after the first have no torque: their history is that of another log.
    """
    dt = min(float(np.median(np.diff(_clock(log)))) for log in logs)
    parts = [samples_of(log, dt)[1:] for log in logs]
    error, velocity = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
    begin = np.arange(max(HISTORIES))
    late = [torque if not k else np.where(np.arange(len(torque)) <= begin[-1], np.nan, torque)
            for k, (_, _, torque) in enumerate(parts)]  # fmt: skip
    return error, velocity, np.concatenate(late), dt


def left_out_errors(found: ResidualFilter, logs: Sequence[Log], folds: int = 5) -> np.ndarray:
    """Errors of filters like this one, each on the block that it was not fitted to, nan without torque [N·m]."""
    error, velocity, torque, _ = rows_of_logs(logs)
    rows = np.flatnonzero(np.isfinite(torque))
    x = _histories(error / found.scales[0], velocity / found.scales[1], found.history)[rows]
    bent = tuple(name for name, place in (("error", 0), ("velocity", found.history)) if place in _bent(found))
    columns, y = _columns(x, bent), torque[rows] / found.scales[2]
    blocks = np.arange(len(rows)) * folds // len(rows)
    made = np.full(len(torque), np.nan)
    for k in range(folds):
        made[rows[blocks == k]] = -found.scales[2] * _left_out(columns, y, blocks == k, found.history, found.ridge)
    return made


def _bent(found: ResidualFilter) -> set[int]:
    return {place for place, _, _ in found.bends}


def samples_of(log: Log, dt: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Times [s], position error [rad], velocity [rad/s] and torque [N·m] of a log at equal steps.

    The torque is nan before its first and after its last sample, and everywhere where none was logged.
    """
    clock = _clock(log)
    time = clock[0] + dt * np.arange(round((clock[-1] - clock[0]) / dt) + 1)
    if "position_error" in log:
        error = np.interp(time, log.times("position_error"), log["position_error"])
    else:
        held = np.searchsorted(log.times("position_command"), time + 1e-9 * dt, side="right") - 1
        target = log["position_command"][np.maximum(held, 0)]
        error = target - np.interp(time, log.times("position"), log["position"])
    velocity = np.interp(time, log.times("velocity"), log["velocity"])
    if "torque" not in log:
        return time, error, velocity, np.full(len(time), np.nan)
    known, values = log.times("torque"), log["torque"]
    torque = np.interp(time, known, values)
    outside = (time < known[0] - 1e-6 * dt) | (time > known[-1] + 1e-6 * dt)
    return time, error, velocity, np.where(outside, np.nan, torque)


def bend(x: np.ndarray, knot: float) -> np.ndarray:
    """What of a number is beyond a knot, on either side."""
    return np.maximum(x - knot, 0.0) - np.maximum(-x - knot, 0.0)


def _clock(log: Log) -> np.ndarray:
    """Times of the error, or of the position it is made of."""
    names = ("position_error",) if "position_error" in log else ("position_command", "position")
    for name in (*names, "velocity"):
        log.channel(name)
    return log.times(names[-1])


def _histories(error: np.ndarray, velocity: np.ndarray, history: int) -> np.ndarray:
    """Errors, then velocities, newest first, (samples, 2·history)."""
    ages = np.maximum(np.arange(len(error))[:, None] - np.arange(history), 0)
    return np.concatenate([error[ages], velocity[ages]], axis=1)


def _bends(bent: Sequence[str], history: int) -> list[tuple[int, float]]:
    """Input and knot of each bend."""
    return [({"error": 0, "velocity": history}[name], knot) for name in bent for knot in KNOTS]


def _columns(x: np.ndarray, bent: Sequence[str]) -> np.ndarray:
    made = [bend(x[:, place], knot)[:, None] for place, knot in _bends(bent, x.shape[1] // 2)]
    return np.concatenate([x, *made, np.ones((len(x), 1))], axis=1)


def _left_out(x: np.ndarray, y: np.ndarray, out: np.ndarray, history: int, ridge: float) -> np.ndarray:
    """Errors on a block by a fit to the others; rows whose history touches it are in neither."""
    near = np.convolve(out, np.ones(2 * history + 1), mode="same") > 0.5
    return y[out] - x[out] @ _robust(x[~near], y[~near], ridge)


def _robust(x: np.ndarray, y: np.ndarray, ridge: float, steps: int = 40) -> np.ndarray:
    """Weights with the least Huber loss, by squares with weights that follow the residuals; no ridge on the last."""
    penalty = (ridge + 1e-12) * len(x) * np.eye(x.shape[1])
    penalty[-1, -1] = 0.0
    trust, size = np.ones(len(y)), 0.0
    found = np.zeros(x.shape[1])
    for _ in range(steps):
        weighted = x * trust[:, None]
        found = np.linalg.solve(weighted.T @ x + penalty, weighted.T @ y)
        left = np.abs(y - x @ found)
        before, size = size, _usual(left)
        if abs(size - before) < 1e-3 * size:
            break
        trust = np.minimum(1.0, HUBER * size / np.maximum(left, 1e-12))
    return found


def _usual(residual: np.ndarray) -> float:
    """Usual size of residuals, from their median."""
    return max(1.4826 * float(np.median(np.abs(residual))), 1e-9)


def _huber(ratio: np.ndarray) -> np.ndarray:
    size = np.abs(ratio)
    return np.where(size < HUBER, 0.5 * size**2, HUBER * (size - 0.5 * HUBER))
