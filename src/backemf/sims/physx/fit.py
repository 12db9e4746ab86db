"""A drive performance envelope from points of a torque-speed diagram, such as a maker's operating range.

The boundary of the envelope is two straight lines that meet in a corner:

    torque + velocity_dependent_resistance·speed = max_effort                   from standstill to the corner
    speed + speed_effort_gradient·torque = max_actuator_velocity                from the corner to the top speed

Every way to cut the points in two, in the order of their speeds, gives a line on each side. The best of them begins a
bounded least-squares fit of all four numbers to the distances from the boundary. Speeds count in shares of the fastest
point and torques in shares of the strongest; beyond a few percent a distance counts less than its square, so that one
stray point does not bend the lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...actuator.torque_limits import DriveEnvelope
from ...checks import Number
from ...errors import ParameterError, UnitError
from ...units import parse
from .law import Envelope

LEAST = 3
"""Fewest points: the ends of the two lines, and the corner that they share."""
STRAY = 0.03
"""Distance beyond which a point is taken as a stray one [1]."""
RISE = 0.05
"""Share of the largest torque by which the points may rise with speed and still be noise [1]."""


@dataclass(frozen=True, kw_only=True)
class FittedEnvelope:
    """An envelope through points of a diagram, and how well it fits them."""

    limit: DriveEnvelope
    """The four numbers, ready for an `Envelope`, an `Actuator` or a file."""
    residual: float
    """Root mean square distance of the points from the boundary, in shares of the largest torque and speed [1]."""
    worst: float
    """Largest distance of a point, in the same shares [1]."""
    torque_error: float
    """Largest difference between a point's torque and the envelope's at its speed, up to the top speed [N·m]."""


def fit_envelope(points: Sequence[Sequence[float | str]] | np.ndarray) -> FittedEnvelope:
    """The envelope whose boundary is nearest to the points of a diagram, each a speed [rad/s] and a torque [N·m].

    A figure may be a text with its unit, such as ("3000 rpm", "1.2 N*m"). Points of a straight line that loses more
    than half of its torque are a motor's speed-torque line, with the largest torque at its beginning; those that lose
    less are the flat top, and the diagram ends at the last of them.
    """
    speed, torque = _columns(points)
    # a corner above a corner: from the same speed the strongest comes first, as it does along the boundary
    order = np.lexsort((-torque, speed))
    scale_speed, scale_torque = float(speed.max()), float(torque.max())
    v, t = speed[order] / scale_speed, torque[order] / scale_torque
    _require_falling(v, t)
    begin = min(_starts(v, t), key=lambda start: (_cost(start, v, t) > 1e-20) * _cost(start, v, t))
    top, fast, loss, gradient = _refine(begin, v, t)
    limit = DriveEnvelope(
        max_effort=top * scale_torque,
        max_actuator_velocity=fast * scale_speed,
        velocity_dependent_resistance=loss * scale_torque / scale_speed,
        speed_effort_gradient=gradient * scale_speed / scale_torque,
    )
    away = np.abs(_distances((top, fast, loss, gradient), v, t))
    slow = speed < limit.max_actuator_velocity
    allowed = Envelope(limit=limit).bounds(speed)[1]
    missed = np.abs(allowed - torque)[slow]
    return FittedEnvelope(
        limit=limit,
        residual=float(np.sqrt(np.mean(away**2))),
        worst=float(away.max()),
        torque_error=float(missed.max(initial=0.0)),
    )


# --- points


def _columns(points: object) -> tuple[np.ndarray, np.ndarray]:
    """Speeds [rad/s] and torques [N·m]; raises ParameterError if they are not points of a diagram."""
    rows = points.tolist() if isinstance(points, np.ndarray) else points
    if not isinstance(rows, (list, tuple)) or not all(isinstance(row, (list, tuple)) and len(row) == 2 for row in rows):
        raise ParameterError("points: must be a list of points, each a speed [rad/s] and a torque [N·m]")
    if len(rows) < LEAST:
        raise ParameterError(
            f"points: {len(rows)} of them are too few for an envelope; give at least {LEAST}, the ends of the curve "
            "and its corner"
        )
    found = []
    for number, (speed, torque) in enumerate(rows, start=1):
        pair = _figure(number, "speed", speed, "rad/s"), _figure(number, "torque", torque, "N*m")
        found.append(pair)
    speeds, torques = np.array(found).T
    if np.ptp(speeds) <= 1e-9 * speeds.max(initial=0.0):
        raise ParameterError(f"points: all have the speed {speeds[0]:g} rad/s; give points at several speeds")
    if torques.max() == 0.0:
        raise ParameterError("points: all have a torque of 0; give points with a torque")
    return speeds, torques


def _figure(number: int, name: str, value: Number | str, unit: str) -> float:
    """One figure of a point in SI units."""
    if isinstance(value, str):
        try:
            value = parse(value, unit)
        except UnitError as error:
            raise ParameterError(f"points, number {number}: {name} {error}") from None
    known = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not known or not np.isfinite(value) or value < 0.0:
        shown = unit.replace("*", "·")
        raise ParameterError(
            f"points, number {number}: {name} = {value!r}: must be a finite number of {shown}, 0 or more; a diagram's "
            "other quadrants are mirrored by PhysX"
        )
    return float(value)


def _require_falling(v: np.ndarray, t: np.ndarray) -> None:
    """Refuse points through which a rising line goes."""
    rise = float(np.polyfit(v, t, 1)[0] * np.ptp(v))
    if rise > RISE:
        raise ParameterError(
            f"points: the torque rises with speed, by {100 * rise:.3g} % of the largest over the range; an envelope "
            "falls; give each point as speed [rad/s] and torque [N·m], in this order"
        )


# --- the fit: (top, fast, loss, gradient) in shares


def _starts(v: np.ndarray, t: np.ndarray) -> Iterator[tuple[float, float, float, float]]:
    """An envelope for each way to cut the points in two; the first of equals is taken."""
    count = len(v)
    if np.polyfit(v, t, 1)[0] * np.ptp(v) < -0.5 * t.max():
        fast, gradient = _line(t, v)
        yield max(float(t.max()), 1e-9), fast, 0.0, gradient
    else:
        top, loss = _line(v, t)
        yield top, float(v.max()), loss, 0.0
    for cut in range(2, count):
        # with the corner on both lines, and on one alone
        for after in (cut - 1, cut):
            if count - after >= 2:
                (top, loss), (fast, gradient) = _line(v[:cut], t[:cut]), _line(t[after:], v[after:])
                yield top, fast, loss, gradient


def _line(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Height at 0 and how much it falls per x, no less than nothing: y = height - fall·x."""
    spread = x - x.mean()
    width = float(spread @ spread)
    fall = 0.0 if width <= 1e-18 else max(-float(spread @ y) / width, 0.0)
    return max(float(y.mean() + fall * x.mean()), 1e-9), fall


def _distances(numbers: Sequence[float] | np.ndarray, v: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Distance of each point from the boundary, positive outside [1]."""
    top, fast, loss, gradient = numbers
    by_torque = (t + loss * v - top) / np.sqrt(1.0 + loss * loss)
    by_speed = (v + gradient * t - fast) / np.sqrt(1.0 + gradient * gradient)
    return np.maximum(by_torque, by_speed)


def _cost(numbers: Sequence[float] | np.ndarray, v: np.ndarray, t: np.ndarray) -> float:
    """What the fit makes small: squares, but for stray points."""
    return float(np.sum(np.sqrt(1.0 + (_distances(numbers, v, t) / STRAY) ** 2) - 1.0))


def _refine(begin: tuple[float, float, float, float], v: np.ndarray, t: np.ndarray) -> tuple[float, ...]:
    """The four numbers of least squares, none below nothing, from a first guess."""
    from scipy.optimize import least_squares

    low = np.array([1e-9, 1e-9, 0.0, 0.0])
    found = least_squares(
        lambda x: _distances(x, v, t),
        np.maximum(begin, low),
        bounds=(low, np.inf),
        loss="soft_l1",
        f_scale=STRAY,
        xtol=1e-15,
        ftol=1e-15,
        gtol=1e-15,
    )
    # the solver stays off its bounds: what is nothing but rounding is nothing
    better = np.where(found.x < 1e-9, low, found.x)
    return tuple(float(x) for x in (better if _cost(better, v, t) < _cost(begin, v, t) else begin))
