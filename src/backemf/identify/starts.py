"""Where lanes start: the first sample of a log has noise, and a simulation that starts there is off from then on.

A joint that nothing pulls back keeps an error of its first position for the whole log. So the start of each lane is
found with the other numbers, in a wide range around the first samples.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from .log import Log
from .parameters import Parameter
from .rig import Rig
from .signals import noise_of
from .trials import PARABOLA, Trials

STARTING = ("position", "velocity", "winding_temperature", "housing_temperature")
"""Channels whose first samples say where a lane starts."""
WIDE = 5.0
"""Spread of a start in standard deviations of its noise; wide, since the first samples themselves are compared [1]."""


def make_starts(trials: Trials, rig: Rig, seen: np.ndarray) -> tuple[Parameter, ...]:
    """A parameter for each state of each lane that starts from a measured value.

    `seen` says which lanes are in the training share, (lanes).
    """
    found: list[Parameter] = []
    for lane in np.flatnonzero(seen).tolist():
        log = trials.logs[lane]
        noise = {name: _noise(log, rig, name) for name in STARTING if name in log}
        found += starts_of(trials, log, noise, lane)
    return tuple(found)


def starts_of(trials: Trials, log: Log, noise: Mapping[str, float], lane: int | None = None) -> Iterator[Parameter]:
    """A parameter for each state of a lane that starts from a measured value; `noise` is one standard deviation."""
    for name, size in _sizes(trials, log, noise):
        if size > 0.0:
            full = f"start.{name}"
            yield Parameter(full if lane is None else f"{full}.{lane}", (full,), WIDE * size, positive=False, lane=lane)


def _sizes(trials: Trials, log: Log, noise: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """Standard deviation of each state that a lane starts from."""
    if trials.path is None and "position" in noise:
        yield "position", noise["position"]
        yield "velocity", noise["velocity"] if "velocity" in noise else _of_slope(log, noise["position"])
    compared = {reading.channel for reading in trials.readings}
    for name in STARTING[2:]:
        if name in compared:
            yield name, noise[name]


def _noise(log: Log, rig: Rig, channel: str) -> float:
    step = float(np.max(np.asarray(rig.sensor_for(channel, log).quantisation)))
    return max(noise_of(log.times(channel), log[channel]), step / np.sqrt(12.0))


def _of_slope(log: Log, position: float) -> float:
    """Standard deviation of the slope of a parabola through the first positions [rad/s]."""
    time = log.times("position")[:PARABOLA]
    if len(time) < PARABOLA:
        return 0.0
    powers = np.vander(time - time[0], 3)
    return position * float(np.sqrt(np.linalg.inv(powers.T @ powers)[1, 1]))
