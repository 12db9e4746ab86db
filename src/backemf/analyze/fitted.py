"""Torque limits moved to where they follow an envelope best."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..actuator.torque_limits import (
    DcClip,
    DriveEnvelope,
    EffortLimit,
    KneeCurve,
    TorqueLimit,
    TorqueSpeedTable,
    bounds,
)
from ..checks import Number

Make = Callable[[Any], TorqueLimit]


def fitted(start: TorqueLimit, speed: Number, low: np.ndarray, high: np.ndarray) -> TorqueLimit:
    """The limit of the same kind with the least mean squared difference from an envelope."""
    from scipy.optimize import least_squares

    make, first, least = _free(start)
    first = np.maximum(first, least)

    def difference(x: np.ndarray) -> np.ndarray:
        lower, upper = bounds(make(x), 0.0, speed)
        return np.concatenate([lower - low, upper - high])

    def error(x: np.ndarray) -> float:
        return float(np.sum(difference(x) ** 2))

    # the bounds have kinks: from several starts the best is kept, and never one worse than the first
    found = [first]
    for stretch in (1.0, 0.8, 1.25):
        begin = np.maximum(first * stretch, least + 1e-6)
        found.append(np.maximum(least_squares(difference, begin, bounds=(least, np.inf), diff_step=1e-5).x, least))
    return make([float(x) for x in min(found, key=error)])


def _free(start: TorqueLimit) -> tuple[Make, np.ndarray, np.ndarray]:
    """How to make a limit of free numbers of size 1, those that give the start, and their least values."""
    tiny = 1e-6
    if isinstance(start, EffortLimit):
        size = float(start.effort_limit)
        return (lambda x: EffortLimit(effort_limit=x[0] * size)), np.ones(1), np.full(1, tiny)
    if isinstance(start, DcClip):
        sizes = [float(x) for x in (start.saturation_effort, start.velocity_limit, start.effort_limit)]

        def clip(x: Any) -> DcClip:
            return DcClip(
                saturation_effort=x[0] * sizes[0], velocity_limit=x[1] * sizes[1], effort_limit=x[2] * sizes[2]
            )

        return clip, np.ones(3), np.full(3, tiny)
    if isinstance(start, KneeCurve):
        drive, brake, top = (float(x) for x in (start.driving_effort, start.braking_effort, start.no_load_speed))

        def knee(x: Any) -> KneeCurve:
            # the knee and the way on from it, so that the order is kept
            return KneeCurve(
                driving_effort=x[0] * drive,
                braking_effort=x[1] * brake,
                knee_speed=x[2] * top,
                no_load_speed=(x[2] + x[3]) * top,
            )

        share = float(start.knee_speed) / top
        return knee, np.array([1.0, 1.0, share, 1.0 - share]), np.array([tiny, tiny, 0.0, tiny])
    if not isinstance(start, DriveEnvelope):
        raise TypeError(type(start).__name__)
    effort, speed = float(start.max_effort), float(start.max_actuator_velocity)

    def drive_envelope(x: Any) -> DriveEnvelope:
        return DriveEnvelope(
            max_effort=x[0] * effort,
            max_actuator_velocity=x[1] * speed,
            velocity_dependent_resistance=x[2] * effort / speed,
            speed_effort_gradient=x[3] * speed / effort,
        )

    slopes = (
        float(start.velocity_dependent_resistance) * speed / effort,
        float(start.speed_effort_gradient) * effort / speed,
    )
    return drive_envelope, np.array([1.0, 1.0, *slopes]), np.array([tiny, tiny, 0.0, 0.0])


def fitted_table(start: TorqueSpeedTable, speed: np.ndarray, low: np.ndarray, high: np.ndarray) -> TorqueSpeedTable:
    """The table with the same speeds and the least mean squared difference: non-negative least squares of hats."""
    from scipy.optimize import nnls

    hats = np.stack([np.interp(np.abs(speed), start.speed, unit) for unit in np.eye(len(start.speed))], axis=1)
    driving = nnls(hats, np.where(speed > 0.0, high, -low))[0]
    braking = nnls(hats, np.where(speed > 0.0, -low, high))[0]
    return TorqueSpeedTable(speed=start.speed, driving=driving, braking=braking)
