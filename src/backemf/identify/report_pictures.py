"""The pictures of a fit's report; names of logs stand in captions, never in a picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..plot import style
from ..plot.types import Axes, Figure
from .channels import CHANNELS, COMMANDS
from .evidence import Evidence
from .fit import Fitted
from .ladder import Climbed
from .residual_findings import QUANTITIES, ResidualCurve

CELL = 0.26
"""Width of a cell of the correlations [in]."""
DRAWN = 1500
"""Most points of a line [1]."""


def unit_of(channel: str) -> str:
    """SI unit of a channel as it is printed."""
    if channel not in CHANNELS:
        return "N·m"
    return CHANNELS[channel].unit.replace("*", "·").replace("degC", "°C")


def draw_lane(evidence: Evidence, residuals: Sequence[np.ndarray], lane: int) -> Figure:
    """What was measured and predicted in one log, and the difference of the first channel below."""
    trials, log = evidence.trials, evidence.trials.logs[lane]
    readings = trials.readings
    with style.look():
        ratios = [2.4] * len(readings) + [1.0]
        drawn, axes = style.figure(
            len(readings) + 1, 0.5 + 1.5 * len(readings) + 0.7, sharex=True, gridspec_kw={"height_ratios": ratios}
        )
        for ax, reading, residual in zip(axes, readings, residuals, strict=False):
            there = reading.there[lane]
            time, measured = reading.time[lane, there], reading.values[lane, there]
            unit = unit_of(reading.channel)
            factor, unit = (1.0, unit) if np.abs(measured).max() > 0.1 else style.axis_scale(measured, unit)
            command = next((c for c, name in COMMANDS.items() if name == reading.channel and c in log), None)
            if command is not None:
                at, values = _held(log.times(command) - log.time[0], log[command], log.command_between == "held")
                ax.plot(at, factor * values, color=style.GREY, linewidth=0.7, linestyle=(0, (4, 2)))
            ax.plot(_thin(time), factor * _thin(measured), color=style.INK, linewidth=0.9)
            ax.plot(_thin(time), factor * _thin(measured + residual[lane, there]), color=style.BLUE, linewidth=1.1)
            ax.set_ylabel(f"{reading.channel.replace('_', ' ')}\n[{unit}]")
            _shade_seen(ax, evidence, lane)
        reading, residual = readings[0], residuals[0]
        there = reading.there[lane]
        factor, unit = style.axis_scale(residual[lane, there], unit_of(reading.channel))
        axes[-1].axhline(0.0, color=style.LIGHT, linewidth=0.8, zorder=0)
        axes[-1].plot(
            _thin(reading.time[lane, there]), factor * _thin(residual[lane, there]), color=style.VERMILION,
            linewidth=0.8,
        )  # fmt: skip
        axes[-1].set_ylabel(f"error\n[{unit}]")
        axes[-1].set_xlabel("time [s]")
        _shade_seen(axes[-1], evidence, lane)
        drawn.align_ylabels(axes)
        return drawn


def _shade_seen(ax: Axes, evidence: Evidence, lane: int) -> None:
    if evidence.last < 1.0:
        cut = evidence.last * evidence.trials.steps * evidence.trials.dt
        ax.axvspan(0.0, cut, color=style.LIGHT, alpha=0.45, linewidth=0, zorder=-1)


def _held(time: np.ndarray, values: np.ndarray, held: bool) -> tuple[np.ndarray, np.ndarray]:
    """A command as it is drawn: steps where it is held, without the samples at which it does not change."""
    if not held:
        return _thin(time), _thin(values)
    change = np.flatnonzero(np.diff(values)) + 1
    if len(change) > DRAWN:
        return _thin(time), _thin(values)
    at = np.concatenate([time[:1], np.repeat(time[change], 2), time[-1:]])
    before, after = values[change - 1], values[change]
    return at, np.concatenate([values[:1], np.stack([before, after], axis=1).reshape(-1), values[-1:]])


def _thin(rows: np.ndarray) -> np.ndarray:
    return rows[:: max(1, len(rows) // DRAWN)]


def _wide_figure(height: float, width: float = 2.0 * style.WIDTH) -> Figure:
    """A figure of a page's width, for long names beside the axes."""
    from matplotlib.figure import Figure as NewFigure

    return NewFigure(figsize=(width, height), layout="constrained")


def draw_ladder(rungs: Sequence[Climbed]) -> Figure:
    """Loss that each rung saved on left-out blocks, with its standard error."""
    tried = [rung for rung in rungs if np.isfinite(rung.error) and (rung.gain or rung.error)]
    with style.look():
        drawn = _wide_figure(0.7 + 0.22 * max(len(tried), 1))
        ax = drawn.subplots()
        for row, rung in enumerate(tried):
            colour = style.BLUE if rung.kept else style.GREY
            ax.errorbar(rung.gain, row, xerr=rung.error, fmt="o", color=colour, markersize=4, linewidth=1.2)
        ax.axvline(0.0, color=style.LIGHT, linewidth=0.8, zorder=0)
        ax.set_yticks(range(len(tried)), [rung.name for rung in tried])
        ax.set_ylim(len(tried) - 0.4, -0.6)
        ax.set_xlabel("loss saved per left-out block [1]")
        return drawn


def draw_parameters(parameters: Sequence[Fitted], widths: Sequence[float]) -> Figure:
    """Each parameter with its interval, in spreads of its prior."""
    with style.look():
        drawn = _wide_figure(0.8 + 0.22 * len(parameters))
        ax = drawn.subplots()
        ax.axvspan(-1.0, 1.0, color=style.LIGHT, alpha=0.5, linewidth=0)
        ax.axvline(0.0, color=style.GREY, linewidth=0.6)
        for row, (each, width) in enumerate(zip(parameters, widths, strict=True)):
            colour = style.VERMILION if abs(each.deviation) > 3.0 or each.at_bound else style.BLUE
            ax.errorbar(each.deviation, row, xerr=width, fmt="o", color=colour, markersize=4, linewidth=1.4)
        ax.set_yticks(range(len(parameters)), [each.name for each in parameters])
        ax.set_ylim(len(parameters) - 0.4, -0.6)
        ax.set_xlabel("distance from the prior, in its spreads [1]")
        return drawn


def draw_table(points: Sequence[Fitted]) -> Figure:
    """The points of a table with their intervals, and the prior behind them."""
    with style.look():
        drawn, (ax,) = style.figure(height=1.9)
        at, values = np.arange(len(points)), np.array([each.value for each in points])
        ends = np.array([[each.value - each.low, each.high - each.value] for each in points]).T
        ax.plot(at, [each.prior for each in points], color=style.GREY, linewidth=0.8)
        ax.errorbar(at, values, yerr=ends, fmt="o-", color=style.BLUE, markersize=3, linewidth=1.0)
        ax.set_xlabel("point of the table")
        ax.set_ylabel(f"value [{points[0].unit}]")
        return drawn


def draw_correlations(names: Sequence[str], correlation: np.ndarray) -> Figure:
    """Squares as large as the correlation of each pair: blue where both rise together, orange where one falls."""
    from matplotlib.patches import Rectangle

    count = len(names)
    with style.look():
        # cells are square: names take what their letters need
        drawn = _wide_figure(0.6 + CELL * count, 0.4 + 0.075 * max(len(name) for name in names) + CELL * count)
        ax = drawn.subplots()
        for row in range(count):
            for column in range(row + 1):
                size = 0.9 * np.sqrt(abs(correlation[row, column]))
                if size < 0.05:
                    continue
                colour = (
                    style.GREY if row == column else style.BLUE if correlation[row, column] > 0 else style.VERMILION
                )
                ax.add_patch(Rectangle((column - size / 2, row - size / 2), size, size, color=colour, linewidth=0))
        ax.set_xlim(-0.6, count - 0.4)
        ax.set_ylim(count - 0.4, -0.6)
        ax.set_xticks(range(count), [str(k + 1) for k in range(count)])
        ax.set_yticks(range(count), [f"{name}  {k + 1}" for k, name in enumerate(names)])
        return drawn


def draw_residual(curve: ResidualCurve) -> Figure:
    """Mean residual along a quantity, and the range that eight of ten are in."""
    it = QUANTITIES[curve.quantity]
    with style.look():
        drawn, (ax,) = style.figure(height=1.9)
        factor, unit = style.axis_scale(np.concatenate([curve.low, curve.high]), unit_of(curve.channel))
        colour = style.VERMILION if curve.follows else style.BLUE
        ax.fill_between(curve.at, factor * curve.low, factor * curve.high, color=style.LIGHT, alpha=0.7, linewidth=0)
        ax.axhline(0.0, color=style.GREY, linewidth=0.6)
        ax.plot(curve.at, factor * curve.mean, color=colour, marker="o", markersize=3, linewidth=1.2)
        ax.locator_params(axis="x", nbins=5)
        ax.set_xlabel(f"{it.name} [{it.unit}]")
        ax.set_ylabel(f"residual [{unit}]")
        ax.set_title(f"{100 * curve.share:.0f} % of the variance; by chance {100 * curve.chance:.0f} %")
        return drawn
