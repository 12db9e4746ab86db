"""A run for Plotly: a row for each quantity over one axis of time, and a lane for each limit that acts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ..actuator import Actuator
from ..physics.state import LIMITS
from ..run import Run
from ..run_view import RunView
from ..values import Foreign
from .interactive import COLOURS, RED, SHADOW, SPEEDS, Figure, figure, lean, line
from .ratings import NEAR, rating_lines
from .response import spans_of
from .style import RPM, axis_scale

ROWS = {
    "position": ("position", "position"),
    "speed": ("velocity", "velocity"),
    "torque": ("torque", "effort"),
    "current": ("current", None),
    "temperature": ("winding_temperature", None),
    "energy": ("electrical_energy", None),
}
"""The channel of each row of the picture, and the input of a controller that is its target."""
CHANNELS = (*(channel for channel, _ in ROWS.values()), "limit", "command")
"""Everything that the picture is made of."""
MOST_SPANS = 600
"""Most stretches of a limit that are drawn: more of them are one band on a screen [1]."""
GAP = 0.022
"""Space between two rows, as a share of the picture [1]."""
AXIS = {"zeroline": False, "showgrid": True, "fixedrange": True, "nticks": 4, "automargin": False}

Ratings = Mapping[str, list[tuple[str, float]]]
"""Names and values of what the maker allows, by row, in SI units."""


def ratings_of(actuator: Actuator) -> dict[str, list[tuple[str, float]]]:
    """What the maker of one motor allows, for each row of the picture."""
    bare = Run(actuator, None, 1.0, np.zeros(1), {})
    # makers print speeds in rpm
    scales = {"speed": 1.0 / RPM}
    return {row: [(each.words, scales.get(row, 1.0) * float(each.limit)) for each in rating_lines(bare, row)]
            for row in ROWS}  # fmt: skip


def run_rows(
    view: RunView, ratings: Ratings, before: RunView | None, span: tuple[float, float] | None, speed: str
) -> Figure:
    """All rows of a run over time.

    Args:
        view: The run.
        ratings: What the maker allows, drawn where the run comes near it.
        before: An earlier run as a shadow; None: there is none.
        span: Begin and end of what is in view [s]; None: the whole run.
        speed: Unit of speeds, "rpm" or "rad/s".
    """
    begin, end = span or (0.0, view.duration)
    scale, unit = axis_scale(view.duration, "s")
    bounds = [scale * begin, scale * end]
    rows = [row for row, (channel, _) in ROWS.items() if channel in view.units]
    lanes, words = _lanes(view, begin, end, scale)
    heights = [1.0] * len(rows) + [0.16 + 0.22 * len(words)]
    layout: dict[str, Foreign] = {
        "hoversubplots": "axis", "showlegend": False, "margin": {"l": 88, "r": 12, "t": 6, "b": 40},
    }  # fmt: skip
    data: list[Figure] = []
    top = 1.0
    for number, (row, height) in enumerate(zip([*rows, "limits"], heights, strict=True), start=1):
        suffix = "" if number == 1 else str(number)
        low = top - height / sum(heights)
        place: Figure = {**AXIS, "domain": [max(low + GAP, 0.0), top]}
        top = low
        if row == "limits":
            ticks = {"tickvals": list(range(len(words))), "ticktext": words}
            place |= {"showgrid": False, "range": [len(words) - 0.4, -0.6], **ticks}
            drawn = lanes
        else:
            factor, shown = _shown(view.units[ROWS[row][0]], speed)
            place["title"] = {"text": f"{row}<br>[{shown}]", "standoff": 4, "font": {"size": 12}}
            named = {"hovertemplate": f"%{{y:.4g}} {shown}"}
            drawn = [each | named for each in _lines(view, before, row, (begin, end), scale, factor)]
            drawn += _ratings(view, row, ratings.get(row, []), bounds, factor)
        layout[f"yaxis{suffix}"] = place
        data += [each | {"yaxis": f"y{suffix}"} for each in drawn]
    last = f"y{len(heights)}" if rows else "y"
    layout["xaxis"] = {"range": bounds, "anchor": last, "unifiedhovertitle": {"text": f"%{{x:.5g}} {unit}"}}
    return figure(data, f"time [{unit}]", "", **layout, uirevision=f"{view.folder} {bounds}")


def _lines(
    view: RunView, before: RunView | None, row: str, span: tuple[float, float], scale: float, factor: float
) -> Iterator[Figure]:
    """The run before, the run, and its target."""
    channel, aim = ROWS[row]
    wanted: list[tuple[RunView, str, str, str, Figure]] = []
    if before is not None and channel in before.units:
        wanted.append((before, channel, "before", SHADOW, {"width": 1.5}))
    wanted.append((view, channel, row, COLOURS[0], {"width": 1.8}))
    if aim == view.main and "command" in view.units:
        wanted.append((view, "command", "target", COLOURS[1], {"width": 1.4, "dash": "dash"}))
    for source, name, words, colour, look in wanted:
        time, values = source.between(name, span[0], min(span[1], source.duration))
        yield line(lean(scale * time, 7), lean(factor * values), words, colour, **look)


def _lanes(view: RunView, begin: float, end: float, scale: float) -> tuple[list[Figure], list[str]]:
    """A band for each limit that acts, and the names of the lanes."""
    time, flags = view.between("limit", begin, end) if "limit" in view.units else (np.zeros(1), np.zeros(1, int))
    acting = [name for name, bit in LIMITS.items() if bool((flags & bit).any())]
    if not acting:
        # an axis without a line would not be drawn, and the axis of time hangs on it
        unseen = line([scale * begin, scale * end], [0, 0], "", "rgba(0,0,0,0)", hoverinfo="skip")
        return [unseen], ["no limit acts"]
    lanes: list[Figure] = []
    for lane, limit in enumerate(acting):
        spans = spans_of(scale * time, flags & LIMITS[limit])[:MOST_SPANS]
        x = [v for a, b in spans for v in (float(f"{a:.7g}"), float(f"{b:.7g}"), None)]
        y = [None if v is None else lane for v in x]
        lanes.append(line(x, y, limit, RED, width=11, hoverinfo="skip"))
    return lanes, [f"{limit} limit" for limit in acting]


def _ratings(
    view: RunView, row: str, limits: list[tuple[str, float]], bounds: list[float], factor: float
) -> Iterator[Figure]:
    """What the maker allows as thin lines, where the run comes near it."""
    values = view.between(ROWS[row][0], 0.0, view.duration)[1] if limits else np.zeros(1)
    for words, limit in limits:
        for sign in (1.0, -1.0):
            if (sign * values).max() >= NEAR * limit:
                level = [float(f"{sign * factor * limit:.5g}")] * 2
                look: Figure = {"width": 1, "dash": "dashdot", "hovertemplate": "%{y:.4g}"}
                yield line(lean(bounds, 7), level, f"{words} rating", RED, **look)


def _shown(unit: str, speed: str) -> tuple[float, str]:
    """Factor to the unit that is drawn, and its name."""
    if unit == "rad/s":
        return SPEEDS[speed], speed
    return 1.0, {"degC": "°C"}.get(unit, unit).replace("*", "·")
