"""Heating up under a constant loss."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..analyze.constants import continuous_current
from ..analyze.given import thermal_of
from ..analyze.heat import steady_temperature, time_constants
from ..checks import Number
from ..motor import Motor, Thermal
from ..physics.thermal import one_node, two_nodes
from ..physics.winding import resistance
from .style import BLUE, GREY, VERMILION, figure, first, look, number, save, title
from .types import Figure


def heating(motor: Motor, power: Number | None = None, path: str | Path | None = None) -> Figure:
    """Temperature over time under a constant copper loss [W], with the time at which 63 % of the rise is reached.

    Without `power` it is the steady loss at the rated current, or else what brings the winding to its limit, or else
    what makes a rise of 100 K.
    """
    motor = first(motor)
    t = thermal_of(motor)
    watts = _power(motor) if power is None else float(power)
    slowest = float(time_constants(motor)[0])
    time = slowest * np.linspace(0.0, 1.0, 801)[1:] ** 2 * 5.0
    one = isinstance(t, Thermal)
    rises = [one_node(0.0, watts, time, t)] if one else two_nodes(0.0, 0.0, watts, 0.0, time, t)
    rises = [np.asarray(rise) for rise in rises]
    end, ambient = float(t.resistance) * watts, float(t.ambient)
    share = 1.0 - np.exp(-1.0)
    reached = float(np.interp(share * end, rises[0], time))
    scale, unit = (1.0 / 60.0, "min") if slowest > 300.0 else (1.0, "s")
    with look():
        drawn, (ax,) = figure()
        ax.axhline(ambient + end, color=GREY, linestyle=":", linewidth=1.1)
        for rise, name, colour in zip(rises, ("winding", "housing"), (VERMILION, BLUE), strict=False):
            ax.plot(scale * np.append(0.0, time), ambient + np.append(0.0, rise), color=colour)
            ax.annotate(name, (scale * time[-1], ambient + rise[-1]), (0, -4), textcoords="offset points",
                        color=colour, ha="right", va="top")  # fmt: skip
        at = (scale * reached, ambient + share * end)
        ax.plot([at[0], at[0], 0.0], [ambient, at[1], at[1]], color=GREY, linewidth=0.8, linestyle="--", zorder=1)
        ax.plot(*at, "o", color=VERMILION, markersize=4)
        said = f"63 % after {number(reached)} s"
        ax.annotate(said, (at[0], ambient), (4, 1), textcoords="offset points")
        rated = None if motor.ratings is None else motor.ratings.winding_temperature
        if rated is not None and (limit := float(rated)) < ambient + 1.6 * end:
            ax.axhline(limit, color=VERMILION, linewidth=0.8, linestyle="--")
            # clear of the steady state, which is drawn above a limit that is broken
            side = {"xytext": (3, -3), "va": "top"} if limit < ambient + end else {"xytext": (3, 2), "va": "bottom"}
            ax.annotate(f"limit {number(limit)} °C", (0.0, limit), textcoords="offset points", color=VERMILION, **side)
        ax.set(xlim=(0, scale * time[-1]), xlabel=f"time [{unit}]", ylabel="temperature [°C]")
        ax.margins(y=0.12)
        title(ax, motor, f"heating under {number(watts)} W")
        return save(drawn, path)


def _power(motor: Motor) -> float:
    """A loss that this motor may see [W]."""
    t = thermal_of(motor)
    current = continuous_current(motor)
    if current is not None:
        hot = float(steady_temperature(motor, current).winding)
        if np.isfinite(hot):
            return float(current) ** 2 * float(resistance(hot, motor.winding))
    if motor.ratings is not None and motor.ratings.winding_temperature is not None:
        return float((motor.ratings.winding_temperature - t.ambient) / t.resistance)
    return float(100.0 / t.resistance)
