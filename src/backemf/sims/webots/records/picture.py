"""The picture of a run: what every motor did, and where it should have been."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ....errors import ParameterError
from ....plot.style import INK, SERIES, axis_scale, figure, look, save
from .recording import Recorder

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOTORS = len(SERIES)
"""So many motors are drawn."""
ROW = 0.95
"""Height of the axes of a quantity [in]."""
LINE, WIDEST = 0.16, 20
"""Height of a line of the legend [in], and the longest name of two beside each other [1]."""
STILL = 1e-9
"""A motor whose position and torque change by less is left out [rad], [N·m]."""
# name, channel, its target
_ROWS = (
    ("position", "position", "target_position"),
    ("velocity", "velocity", "commanded_velocity"),
    ("torque", "torque", None),
    ("current", "current", None),
    ("winding", "winding_temperature", None),
)


def draw_run(recorder: Recorder, path: str | Path | None = None, title: str = "") -> Figure:
    """Position, velocity and torque of every motor over time; with motors of ours, current and temperature too.

    Dashed is where a position or a velocity should be. Of many motors, the first are drawn.
    """
    table = recorder.table()
    names = _moving(recorder, table)[:MOTORS]
    rows = [row for row in _ROWS if any(f"{row[1]}[{name}]" in table for name in names)]
    curves = [Curve(name, recorder, table, name) for name in names]
    return _draw(rows, curves, curves, path, title or "run")


def draw_compared(
    recorders: Mapping[str, Recorder], motor: str, path: str | Path | None = None, title: str = ""
) -> Figure:
    """One motor in several runs, such as the same script on several backends; `recorders` by what they are called."""
    curves = [Curve(label, recorder, recorder.table(), motor) for label, recorder in recorders.items()][:MOTORS]
    if not curves or any(f"position[{motor}]" not in curve.table for curve in curves):
        raise ParameterError(f"motor = {motor!r}: must be a motor of every run")
    return _draw(_ROWS[:3], curves, curves[:1], path, title or motor)


class Curve(NamedTuple):
    """A motor of a run, drawn in one colour."""

    label: str
    recorder: Recorder
    table: dict[str, np.ndarray]
    motor: str


def _draw(
    rows: Sequence[tuple[str, str, str | None]],
    curves: list[Curve],
    with_target: list[Curve],
    path: str | Path | None,
    title: str,
) -> Figure:
    with look():
        from matplotlib.lines import Line2D

        drawn, axes = figure(len(rows), 0.55 + ROW * len(rows), sharex=True)
        ends = [curve.table["time"][-1] for curve in curves if len(curve.table["time"])]
        factor, unit = axis_scale([max(ends, default=1.0)], "s")
        lines: dict[str, Line2D] = {}
        aimed = False
        for ax, (label, channel, target) in zip(axes, rows, strict=True):
            units = set()
            for colour, curve in zip(SERIES, curves, strict=False):
                column = f"{channel}[{curve.motor}]"
                if column not in curve.table:
                    continue
                (line,) = ax.plot(factor * curve.table["time"], curve.table[column], color=colour)
                lines.setdefault(curve.label, line)
                units.add(_pretty(curve.recorder.units[column]))
                if target is not None and curve in with_target:
                    aimed |= _draw_target(ax, factor, curve.table, curve.motor, target)
            ax.set_ylabel(f"{label}\n[{', '.join(sorted(units))}]")
            ax.ticklabel_format(axis="y", useOffset=False)
            ax.margins(x=0.0, y=0.12)
            if channel == "winding_temperature":
                low, high = ax.get_ylim()
                ax.set_ylim(low, max(high, low + 1.0))
        axes[-1].set_xlabel(f"time [{unit}]")
        if aimed:
            lines["target"] = Line2D([], [], linestyle="--", color=INK, linewidth=1.0)
        if len(lines) > 1:
            widest = max(map(len, lines))
            columns = min(4 if 2 * widest <= WIDEST else 2 if widest <= WIDEST else 1, len(lines))
            drawn.set_figheight(drawn.get_figheight() + LINE * math.ceil(len(lines) / columns))
            drawn.legend(list(lines.values()), list(lines), loc="outside lower center", ncols=columns, borderpad=0.0)
        drawn.suptitle(title, x=0.01, ha="left", fontsize=9.0)
        drawn.align_ylabels(axes)
        return save(drawn, path)


def _moving(recorder: Recorder, table: dict[str, np.ndarray]) -> list[str]:
    """The motors that moved or had a torque; all, where none did."""
    motors = [name for name in recorder.axes if recorder.labels[name]["driven"]]
    parts = ("position", "torque")
    if not len(table["time"]):
        return motors
    moved = [name for name in motors if any(np.ptp(table[f"{part}[{name}]"]) > STILL for part in parts)]
    return moved or motors


def _draw_target(ax: Axes, factor: float, table: dict[str, np.ndarray], name: str, target: str) -> bool:
    """The target as far as it was one: a position in position control, a velocity in either but torque control."""
    mode = table[f"mode[{name}]"]
    holds = mode == 0.0 if target == "target_position" else mode != 2.0
    values = np.where(holds & np.isfinite(table[f"{target}[{name}]"]), table[f"{target}[{name}]"], np.nan)
    # a single sample is no line; over the curves, which may lie on it
    if np.isfinite(values).sum() > 1:
        ax.plot(factor * table["time"], values, "--", color=INK, linewidth=1.0, zorder=3)
        return True
    return False


def _pretty(unit: str) -> str:
    for plain, shown in (("*", "·"), ("degC", "°C")):
        unit = unit.replace(plain, shown)
    return unit
