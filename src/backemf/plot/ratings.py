"""The maker's limits as thin lines over a run, and the area beyond them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..analyze.gear_load import gear_output_torque
from ..checks import Number
from ..run import Run
from .style import RPM, SERIES, VERMILION, halo
from .types import Axes

NEAR = 0.4
"""A limit of which a run reaches less than this share is left out, so that it does not flatten the lines [1]."""
SHADED = 3000
"""Points of an area at most: unlike lines, areas are not thinned out where they are drawn."""
LETTER, HEIGHT, GAP = 0.026, 0.19, 0.02
"""Width of a letter and height of a name in shares of the axes, and the name's distance from its line [1]."""


@dataclass(frozen=True)
class RatingLine:
    """A limit in one row of the picture."""

    words: str
    """What it is called there."""
    limit: Number
    """Its value, a number or one per motor, in the unit of the row."""
    base: Number = 0.0
    """Where the quantity begins: the ambient temperature, else 0."""
    signed: bool = True
    """Whether it bounds both directions."""


def rating_lines(run: Run, row: str) -> list[RatingLine]:
    """The limits of a row of the picture, as far as the maker says them."""
    motor = run.motor
    if motor is None or motor.ratings is None:
        return []
    ratings, ratio = motor.ratings, np.abs(motor.ratio)
    base = 25.0 if motor.thermal is None else motor.thermal.ambient
    known = {
        "speed": [("maximum", ratings.speed, ratio / RPM), ("gear maximum", ratings.gear_input_speed, ratio / RPM)],
        "current": [("continuous", ratings.current, 1.0), ("peak", ratings.peak_current, 1.0)],
        "gear torque": [("continuous", ratings.gear_torque, 1.0), ("peak", ratings.gear_peak_torque, 1.0)],
        "temperature": [("maximum", ratings.winding_temperature, 1.0)],
    }
    hot = row == "temperature"
    return [
        RatingLine(words, np.asarray(limit, dtype=float) / factor, base if hot else 0.0, signed=not hot)
        for words, limit, factor in known.get(row, [])
        if limit is not None
    ]


def shows_gear_torque(run: Run) -> bool:
    """Whether the gearbox comes near its ratings."""
    known = {"torque", "load_torque"} <= set(run.channels)
    lines = rating_lines(run, "gear torque") if known else []
    values = gear_output_torque(run) if lines else np.zeros(1)
    return any(bool(np.any(np.abs(values) >= NEAR * line.limit)) for line in lines)


def draw_ratings(
    ax: Axes, time: np.ndarray, motors: list[np.ndarray], batch: tuple[int, ...], lines: list[RatingLine]
) -> None:
    """The limits that the motors of a row come near, with their names, and the area beyond them."""
    drawn = []
    for line in lines:
        limits = np.broadcast_to(line.limit, batch).reshape(-1)[: len(motors)]
        base = np.broadcast_to(line.base, batch).reshape(-1)[: len(motors)]
        for sign in (1.0, -1.0) if line.signed else (1.0,):
            share = max(float((sign * (v - b)).max() / (m - b)) for v, m, b in zip(motors, limits, base, strict=True))
            if share >= NEAR:
                _draw_line(ax, time, motors, sign * limits)
                drawn.append((line.words, sign * float(limits[0])))
    # autoscale now, so that the names are placed in the final view
    ax.autoscale_view()
    _name(ax, time, motors, drawn)


def _draw_line(ax: Axes, time: np.ndarray, motors: list[np.ndarray], limits: np.ndarray) -> None:
    """One line where the limit is the same for all motors, else one in the colour of each."""
    same = bool((limits == limits[0]).all())
    for limit, colour in zip(limits[:1] if same else limits, (VERMILION,) if same else SERIES, strict=False):
        ax.plot(time[[0, -1]], [limit, limit], "-.", color=colour, linewidth=0.9)
    if len(motors) == 1:
        every = slice(None, None, -(-len(time) // SHADED))
        values = motors[0][every]
        beyond = values > limits[0] if limits[0] > 0.0 else values < limits[0]
        shade = {"color": VERMILION, "alpha": 0.18, "linewidth": 0.0}
        ax.fill_between(time[every], values, limits[0], where=beyond, interpolate=True, **shade)


def _name(ax: Axes, time: np.ndarray, motors: list[np.ndarray], drawn: list[tuple[str, float]]) -> None:
    """The name of each limit at its line, once, where it hides least."""
    low, high = ax.get_ylim()
    across = (time - time[0]) / max(float(time[-1] - time[0]), 1e-300)
    curves = [(across, (values - low) / (high - low)) for values in motors]
    curves += [(np.linspace(0.0, 1.0, 99), np.full(99, (limit - low) / (high - low))) for _, limit in drawn]
    boxes: list[_Box] = []
    for words, limit in dict(reversed(drawn)).items():
        level = (limit - low) / (high - low)
        # the places that hide nothing come first in this order
        places = [
            (_Box(left, level + (GAP if above else -GAP - HEIGHT), LETTER * len(words)), align, above)
            for align, left in (("right", 0.99 - LETTER * len(words)), ("left", 0.01))
            for above in (level < 0.5, level >= 0.5)
        ]
        box, align, above = min(places, key=lambda place: _overlap(place[0], curves, boxes))
        boxes.append(box)
        ax.annotate(
            words,
            (0.99 if align == "right" else 0.01, limit),
            xycoords=ax.get_yaxis_transform(),
            xytext=(0.0, 1.5 if above else -1.5),
            textcoords="offset points",
            ha=align,
            va="bottom" if above else "top",
            color=VERMILION,
            path_effects=halo(),
        )


@dataclass(frozen=True)
class _Box:
    """Where a name would stand, in shares of the axes."""

    left: float
    bottom: float
    width: float

    def overlaps(self, other: _Box) -> bool:
        apart = abs(self.bottom - other.bottom) > HEIGHT
        return not (apart or self.left > other.left + other.width or other.left > self.left + self.width)


def _overlap(box: _Box, curves: list[tuple[np.ndarray, np.ndarray]], boxes: list[_Box]) -> float:
    """How much a name would hide there: the share of each curve, other names, and what sticks out of the axes."""
    inside = sum(
        float(np.mean((x > box.left) & (x < box.left + box.width) & (y > box.bottom) & (y < box.bottom + HEIGHT)))
        for x, y in curves
    )
    outside = max(0.0, -box.bottom, box.bottom + HEIGHT - 1.0)
    return inside + outside + sum(box.overlaps(other) for other in boxes)
