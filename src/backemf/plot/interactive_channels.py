"""For Plotly: channels of a log over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .interactive import COLOURS, Figure, figure, line

MOST_AXES = 4
"""Most axes above each other [1]; channels of further units are left out."""


class Curve(NamedTuple):
    """A channel as it is drawn."""

    title: str
    """What its line is called."""
    unit: str
    """Its unit, as in N*m."""
    time: Sequence[float]
    """Times [s]."""
    values: Sequence[float]
    """Its values, in `unit`."""
    is_command: bool = False
    """Whether it was commanded, not measured: its line is dotted."""


def channels_over_time(curves: Sequence[Curve]) -> Figure:
    """Channels of one unit share an axis; axes stand above each other."""
    units = list(dict.fromkeys(curve.unit for curve in curves))[:MOST_AXES]
    names = {unit: "y" if k == 0 else f"y{k + 1}" for k, unit in enumerate(units)}
    layout: Figure = {}
    for k, (unit, name) in enumerate(names.items()):
        low, title = 1.0 - (k + 1) / len(units), {"degC": "°C", "1": "[1]"}.get(unit, unit).replace("*", "·")
        domain = [low + 0.05, low + 1.0 / len(units)]
        layout[f"yaxis{name[1:]}"] = {
            "title": {"text": title}, "domain": domain, "anchor": "x", "automargin": True, "nticks": 4,
        }  # fmt: skip
    lines = [
        line(curve.time, curve.values, curve.title, COLOURS[number % len(COLOURS)], yaxis=names[curve.unit],
             width=1.5, dash="dot" if curve.is_command else "solid")
        for number, curve in enumerate(curves) if curve.unit in names
    ]  # fmt: skip
    last = names[units[-1]] if units else "y"
    return figure(lines, "time [s]", "", xaxis={"anchor": last}, **layout)
