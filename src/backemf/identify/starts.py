"""Where lanes start: the first sample of a log has noise, and a simulation that starts there is off from then on.

A joint that nothing pulls back keeps an error of its first position for the whole log. So the start of each lane is
found with the other numbers, in a wide range around the first samples.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .log import Log
from .parameters import Parameter
from .rig import Rig
from .signals import noise_of
from .trials import PARABOLA, Trials

WIDE = 5.0
"""Spread of a start in standard deviations of its noise; wide, since the first samples themselves are compared [1]."""


def make_starts(trials: Trials, rig: Rig, seen: np.ndarray) -> tuple[Parameter, ...]:
    """A parameter for each state of each lane that starts from a measured value.

    `seen` says which lanes are in the training share, (lanes).
    """
    return tuple(
        Parameter(f"start.{name}.{lane}", (f"start.{name}",), WIDE * noise, positive=False, lane=lane)
        for lane in np.flatnonzero(seen).tolist()
        for name, noise in _noises(trials, trials.logs[lane], rig)
        if noise > 0.0
    )


def _noises(trials: Trials, log: Log, rig: Rig) -> Iterator[tuple[str, float]]:
    """Standard deviation of each state that a lane starts from."""
    if trials.path is None and "position" in log:
        position = _noise(log, rig, "position")
        yield "position", position
        yield "velocity", _noise(log, rig, "velocity") if "velocity" in log else _of_slope(log, position)
    compared = {reading.channel for reading in trials.readings}
    for name in ("winding_temperature", "housing_temperature"):
        if name in compared:
            yield name, _noise(log, rig, name)


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
