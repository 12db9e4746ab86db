"""Torque limits moved to where they follow an envelope best."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace

import numpy as np

from ..actuator.torque_limits import DcClip, DriveEnvelope, EffortLimit, KneeCurve, TorqueSpeedTable, bounds
from ..checks import Number

Fittable = DcClip | DriveEnvelope | EffortLimit | KneeCurve
Make = Callable[[Sequence[float] | np.ndarray], Fittable]


def fit_limit(start: Fittable, speed: Number, low: np.ndarray, high: np.ndarray) -> Fittable:
    """The limit of the same kind with the least mean squared difference from an envelope."""
    from scipy.optimize import least_squares

    make, first, least = _free_numbers(start)
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


def _free_numbers(start: Fittable) -> tuple[Make, np.ndarray, np.ndarray]:
    """How to make a limit from free numbers of size 1, those that give the start, and their least values."""
    tiny = 1e-6
    sizes = {entry.name: float(getattr(start, entry.name)) for entry in fields(start)}
    if isinstance(start, KneeCurve):
        drive, brake, top = sizes["driving_effort"], sizes["braking_effort"], sizes["no_load_speed"]

        def knee(x: Sequence[float] | np.ndarray) -> KneeCurve:
            # the knee and the way on from it, so that the order is kept
            return KneeCurve(
                driving_effort=x[0] * drive,
                braking_effort=x[1] * brake,
                knee_speed=x[2] * top,
                no_load_speed=(x[2] + x[3]) * top,
            )

        share = sizes["knee_speed"] / top
        return knee, np.array([1.0, 1.0, share, 1.0 - share]), np.array([tiny, tiny, 0.0, tiny])
    first, least = np.ones(len(sizes)), np.full(len(sizes), tiny)
    if isinstance(start, DriveEnvelope):
        # slopes may be 0: they are measured by the corners, and may vanish
        effort, top = sizes["max_effort"], sizes["max_actuator_velocity"]
        slopes = {"velocity_dependent_resistance": effort / top, "speed_effort_gradient": top / effort}
        first[2:], least[2:] = [sizes[name] / scale for name, scale in slopes.items()], 0.0
        sizes |= slopes

    def scale(x: Sequence[float] | np.ndarray) -> Fittable:
        return replace(start, **{name: k * size for k, (name, size) in zip(x, sizes.items(), strict=True)})

    return scale, first, least


def fit_table(start: TorqueSpeedTable, speed: np.ndarray, low: np.ndarray, high: np.ndarray) -> TorqueSpeedTable:
    """The table with the same speeds and the least mean squared difference: non-negative least squares of hats."""
    from scipy.optimize import nnls

    hats = np.stack([np.interp(np.abs(speed), start.speed, unit) for unit in np.eye(len(start.speed))], axis=1)
    driving = nnls(hats, np.where(speed > 0.0, high, -low))[0]
    braking = nnls(hats, np.where(speed > 0.0, -low, high))[0]
    return TorqueSpeedTable(speed=start.speed, driving=driving, braking=braking)
