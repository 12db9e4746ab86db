"""The torque that a model has too much along a measured motion: where a law is missing, and nowhere else.

A simulation of a free joint carries an error on: a wrong torque at one angle moves the joint at all that follow. Along
the measured motion it does not, so residuals of a position are turned into a torque first:

    surplus = torque of the simulated drive - (J·q'' - torque of the load)

The acceleration is that of a parabola through neighbouring samples, Σ c·q(t) with numbers c that depend on their times.
That is an average of the true one, with the weight Σ c·max(t - s, 0) at the time s; the other torques are averaged with
the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..physics.load import react
from ..random.randomize import rebuild
from ..tree import map_numbers
from ..values import Foreign
from .evidence import Evidence
from .predict import Predictor
from .trials import Reading, Trials

MISSING = "missing torque"
"""What it is called among the channels that are compared."""
HALF_PATH, HALF = 3, 5
"""Fewest neighbours on either side from which the smooth path and the acceleration are taken [1]."""
AVERAGED = 0.04
"""Half-width of the averages where samples are near enough [s]; the noise of an acceleration falls with its 5/2."""
SAMPLED = 4e-3
"""Shortest time between samples that are looked at [s]: more of them do not tell more, and take long."""
STANDSTILL = 3.0
"""Speed, over its noise, below which friction may be anything, and nothing is said [1]."""
LONGEST = 0.05
"""Longest half-width of the averages [s]; slower logs do not show accelerations."""


def surplus_torque(evidence: Evidence, theta: np.ndarray, active: np.ndarray) -> tuple[Reading, np.ndarray] | None:
    """Torque that was needed, and how much more the simulated drive gives, (lanes, samples) [N·m].

    None where it cannot be told: along a prescribed motion, without positions, of slow logs, or of loads that remember
    something.
    """
    trials, bench = evidence.trials, evidence.problem.predictor.bench
    remembers: Sequence[str] = getattr(type(bench.load), "remembers", ())
    if trials.path is not None or remembers or not all("position" in log for log in trials.logs):
        return None
    every = [max(1, int(SAMPLED / np.median(np.diff(log.times("position"))))) for log in trials.logs]
    times = [log.times("position")[::n] - log.time[0] for log, n in zip(trials.logs, every, strict=True)]
    if any(len(time) < 4 * HALF or HALF * float(np.median(np.diff(time))) > LONGEST for time in times):
        return None
    numbers = evidence.problem.space.values(theta, active)
    known = dict(zip(evidence.problem.space.names, numbers, strict=True))
    bias = np.broadcast_to(known.get("sensors.position.bias", bench.sensors.position.bias), (trials.lanes,))
    measured = [_Motion(times[k], log["position"][:: every[k]] - bias[k]) for k, log in enumerate(trials.logs)]
    # steps and averages leave a little surplus where there is none: that of the simulated motion, which is taken off
    grid = _dense("position", trials)
    free = Predictor(bench, replace(trials, readings=(grid,)), evidence.problem.space.names)
    rows = free.predict(numbers[:, None, :])[0][0] - bias[:, None]
    simulated = [_Motion(time, np.interp(time, grid.time[k], rows[k])) for k, time in enumerate(times)]
    needed, surplus = _surplus(evidence, measured, known)
    _, artefact = _surplus(evidence, simulated, known)
    longest = max(len(time) for time in times)
    made, values, residual = (np.zeros((trials.lanes, longest)) for _ in range(3))
    there = np.zeros((trials.lanes, longest), dtype=bool)
    for k, time in enumerate(times):
        own = slice(0, len(time))
        made[k, own], values[k, own], there[k, own] = time, needed[k], measured[k].moving & simulated[k].moving
        residual[k, own] = surplus[k] - artefact[k]
    return Reading(MISSING, made, values, there), np.where(there, residual, 0.0)


def _surplus(
    evidence: Evidence, motions: Sequence[_Motion], known: Mapping[str, np.ndarray]
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Torque that each motion needs, and how much more the drive gives along it, at its samples [N·m]."""
    trials, bench, dt = evidence.trials, evidence.problem.predictor.bench, evidence.trials.dt
    path = np.stack([motion.path(dt * np.arange(trials.steps + 1)) for motion in motions], axis=1)
    along = replace(trials, path=path, position=path[0], readings=(_dense("torque", trials),), robot=None)
    given = Predictor(bench, along, tuple(known)).predict(np.stack(list(known.values()))[:, None, :])[0][0]
    load: Foreign = rebuild(bench.load, _under("load.", known))
    motor = rebuild(bench.actuator, _under("actuator.", known)).motor
    # the torque at a joint whose motion is prescribed is that without the rotor's inertia
    rotor = np.broadcast_to(0.0 if motor is None else np.asarray(motor.reflected_inertia), (trials.lanes,))
    needed, surplus = [], []
    for lane, motion in enumerate(motions):
        if trials.robot is None:
            own: Foreign = map_numbers(load, lambda x, lane=lane: float(np.broadcast_to(x, (trials.lanes,))[lane]))
            reaction = react(own, (), path[:, lane], np.gradient(path[:, lane], dt), 1e-6)
            terms = (reaction.torque, reaction.inertia)
        else:
            terms = (np.append(x[:, lane], x[-1, lane]) for x in (trials.robot.torque, trials.robot.inertia))
        pull, inertia = (np.broadcast_to(np.asarray(x, dtype=float), path[:, lane].shape) for x in terms)
        heavy, pulled, driven = motion.averages((inertia + rotor[lane], pull, given[lane]), dt)
        needed.append(heavy * motion.acceleration - pulled)
        surplus.append(driven - needed[-1])
    return needed, surplus


def _dense(channel: str, trials: Trials) -> Reading:
    """A channel at the ends of all steps."""
    at = np.broadcast_to(trials.dt * np.arange(trials.steps + 1), (trials.lanes, trials.steps + 1))
    return Reading(channel, at, np.zeros(at.shape), np.ones(at.shape, dtype=bool))


def _under(place: str, known: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The numbers of a part of the bench, by their names in it."""
    return {name.removeprefix(place): value for name, value in known.items() if name.startswith(place)}


class _Motion:
    """A measured motion: smooth positions, speeds and accelerations at its samples."""

    def __init__(self, time: np.ndarray, position: np.ndarray):
        self.time = time
        step = float(np.median(np.diff(time)))
        half = min(max(HALF, int(AVERAGED / step)), (len(time) - 1) // 2)
        windows, made = _parabolas(time, HALF_PATH)
        self._value, self._slope = (np.einsum("nw,nw->n", made[:, k], position[windows]) for k in (0, 1))
        self._windows, made = _parabolas(time, half)
        self._second = 2.0 * made[:, 2]
        self.acceleration = np.einsum("nw,nw->n", self._second, position[self._windows])
        # noise of a slope over 2·n + 1 samples: σ/(step·√(n·(n + 1)·(2·n + 1)/3))
        size = step * np.sqrt(HALF_PATH * (HALF_PATH + 1) * (2 * HALF_PATH + 1) / 3.0)
        noise = 1.4826 * float(np.median(np.abs(position - self._value))) / size
        inner = np.arange(len(time))
        inside = (inner >= half) & (inner < len(time) - half)
        slow = np.abs(self._slope) < STANDSTILL * noise + 1e-9
        # friction is open at rest, and so is every average that reaches into it
        near = np.convolve(slow, np.ones(2 * half + 1), mode="same") > 0.5
        self.moving = inside & ~near

    def path(self, grid: np.ndarray) -> np.ndarray:
        """Positions at some times, smooth in between; the ends hold [rad]."""
        from scipy.interpolate import CubicHermiteSpline

        return np.asarray(
            CubicHermiteSpline(self.time, self._value, self._slope)(np.clip(grid, self.time[0], self.time[-1]))
        )

    def averages(self, series: Sequence[np.ndarray], dt: float) -> list[np.ndarray]:
        """Averages of each series at 0, dt, 2·dt and so on with the weights of the acceleration, at each sample.

        The weight Σ c·max(t - s, 0) at a time s is that of the samples behind it, Σ c·t - s·Σ c.
        """
        first = np.floor(self.time[self._windows[:, 0]] / dt).astype(int)
        count = int(np.ceil((self.time[self._windows[:, -1]] / dt - first).max())) + 1
        places = first[:, None] + np.arange(count)
        # times count from each sample, so that little is lost in the difference
        since = self.time[self._windows] - self.time[:, None]
        behind, moment = (_sums_from(self._second * x) for x in (1.0, since))
        passed = np.searchsorted(self.time, dt * np.arange(int(places.max()) + 1), side="right")
        which = np.clip(passed[places] - self._windows[:, :1], 0, self._windows.shape[1])
        at = dt * places - self.time[:, None]
        weights = np.take_along_axis(moment, which, axis=1) - at * np.take_along_axis(behind, which, axis=1)
        whole = weights.sum(axis=1)
        return [(weights * rows[np.clip(places, 0, len(rows) - 1)]).sum(axis=1) / whole for rows in series]


def _sums_from(rows: np.ndarray) -> np.ndarray:
    """Sums of each row from a place to its end, and 0 behind it, (rows, columns + 1)."""
    return np.pad(np.cumsum(rows[:, ::-1], axis=1)[:, ::-1], ((0, 0), (0, 1)))


def _parabolas(time: np.ndarray, half: int) -> tuple[np.ndarray, np.ndarray]:
    """Neighbours of each sample, (samples, window), and what gives their parabola's terms, (samples, 3, window)."""
    count = len(time)
    centres = np.clip(np.arange(count), half, count - 1 - half)
    windows = centres[:, None] + np.arange(-half, half + 1)
    width = 0.5 * (time[windows[:, -1]] - time[windows[:, 0]])
    scaled = (time[windows] - time[:, None]) / width[:, None]
    powers = np.stack([np.ones_like(scaled), scaled, scaled**2], axis=1)
    made = np.linalg.solve(np.einsum("niw,njw->nij", powers, powers), powers)
    return windows, made / np.stack([np.ones(count), width, width**2], axis=1)[:, :, None]
