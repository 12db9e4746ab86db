"""For Plotly: pairs of motor and gear by two figures that are wanted small."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..values import Foreign
from .interactive import COLOURS, SHADOW, Figure, figure

Row = Mapping[str, Foreign]
"""Figures of a pair by name, with its "name"."""


def pairs_by_figures(pairs: Sequence[Row], front: Sequence[Row], x: tuple[str, str], y: tuple[str, str]) -> Figure:
    """A point for each pair, those that no other beats larger and coloured; a point's `customdata` is its pair's name.

    Args:
        pairs: Pairs that can do a task.
        front: Those of them that no other beats in both figures.
        x: Name of the figure to the right, and the title of its axis with its unit.
        y: Name of the figure upwards, and the title of its axis.
    """
    data: list[Figure] = []
    for rows, title, colour, size in ((pairs, "can do it", SHADOW, 8), (front, "front", COLOURS[0], 12)):
        names = [row["name"] for row in rows]
        data.append({
            "type": "scatter", "mode": "markers", "name": title, "marker": {"color": colour, "size": size},
            "x": [row[x[0]] for row in rows], "y": [row[y[0]] for row in rows], "customdata": names, "text": names,
            "hovertemplate": "%{text}<br>%{x:.3g}, %{y:.3g}<extra></extra>",
        })  # fmt: skip
    made = figure(data, x[1], y[1], hovermode="closest")
    for axis, (name, _) in (("xaxis", x), ("yaxis", y)):
        # one point would stand in the middle of an axis that goes below zero: no mass does
        if all((row[name] or 0.0) >= 0.0 for row in pairs):
            made["layout"][axis]["rangemode"] = "nonnegative"
    return made
