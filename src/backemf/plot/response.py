"""The picture of a run: what the joint and the drive do, where they should be, and which limits act."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..actuator import Delay
from ..analyze.gear_load import gear_output_torque
from ..physics.state import LIMITS
from ..run import Run
from .ratings import draw_ratings, rating_lines, shows_gear_torque
from .style import BLUE, INK, LIGHT, ORANGE, RPM, SERIES, VERMILION, axis_scale, caption, figure, look, save
from .types import Axes, Figure

Style = dict[str, Any]
"""How matplotlib draws a line, by its own words."""

MOTORS = 4
"""So many motors of a batch are drawn."""
ROW, LANE = 0.92, 0.36
"""Height of the axes of a quantity, and of a limit in the strip below them [in]."""
SAME = 1e-6
"""Two lines closer than this share of their size are one [1]."""

# name, input of the controller that is its target, channels
_ROWS = (
    ("position", "position", ("position",)),
    ("speed", "velocity", ("velocity",)),
    ("torque", "effort", ("torque",)),
    ("voltage", "voltage", ("voltage",)),
    ("current", None, ("current",)),
    ("gear torque", None, ("gear_torque",)),
    ("temperature", None, ("winding_temperature", "housing_temperature", "measured_temperature")),
)
_NAMED_LIMITS = ("voltage", "current", "torque", "slew")


def step_response(run: Run, path: str | Path | None = None) -> Figure:
    """Position, speed, torque, voltage, current and temperature over time, what a run has of them.

    Dashed is the target, dotted what is left of it after range, delay and slew; dash-dotted is what the maker allows,
    where the run comes near it, and shaded what is beyond that. The strip at the bottom shows when each limit acts. Of
    a batch, the first motors are drawn.
    """
    present = [*run.channels, *(["gear_torque"] if shows_gear_torque(run) else [])]
    rows = [(name, aim, [c for c in channels if c in present]) for name, aim, channels in _ROWS]
    # torque where there is no current to look at, or where a torque is commanded
    with_torque = "current" not in run.channels or _target(run, "effort") is not None
    rows = [row for row in rows if row[2] and (row[0] != "torque" or with_torque)]
    acting = _acting(run)
    heights = [ROW] * len(rows) + ([LANE * len(acting)] if acting else [])
    with look():
        drawn, axes = figure(len(heights), 0.55 + sum(heights), sharex=True, height_ratios=heights)
        factor, unit = axis_scale(run.time[-1], "s")
        lines: dict[str, Style] = {}
        for ax, (name, aim, channels) in zip(axes, rows, strict=False):
            _draw_row(ax, factor * run.time, run, channels)
            lines |= _draw_target(ax, factor * run.time, run, aim, channels[0])
            ax.set_ylabel(f"{name}\n[{_unit(run, channels[0])}]")
            ax.ticklabel_format(axis="y", useOffset=False)
            ax.margins(x=0.0, y=0.12)
            values = _values(run, channels[0])
            draw_ratings(ax, factor * run.time, first_motors(values), values.shape[1:], rating_lines(run, name))
            if name == "temperature" and np.ptp(ax.get_ylim()) < 1.0:
                # at least one kelvin from bottom to top: less would look like heat
                ax.set_ylim(ax.get_ylim()[0], ax.get_ylim()[0] + 1.0)
        if acting:
            _draw_limits(axes[-1], factor, run, acting)
        if lines:
            _draw_legend(drawn, lines)
        axes[-1].set_xlabel(f"time [{unit}]")
        # over the whole width: a long name would not fit over the axes alone
        drawn.suptitle(title(run, "run"), x=0.01, ha="left", fontsize=9.0)
        drawn.align_ylabels(axes[: len(rows)])
        return save(drawn, path)


def first_motors(values: np.ndarray) -> list[np.ndarray]:
    """The channel of each motor that is drawn."""
    flat = np.asarray(values, dtype=float).reshape(len(values), -1)
    return [flat[:, k] for k in range(min(flat.shape[1], MOTORS))]


def title(run: Run, words: str) -> str:
    """What is drawn, and of which motor, if there is one."""
    return caption("" if run.motor is None else run.motor.name, words)


def _draw_row(ax: Axes, time: np.ndarray, run: Run, channels: list[str]) -> None:
    """One quantity; two channels of it share the axes, the second dashed."""
    for channel, dashes, colour in zip(channels, ("-", "--"), (VERMILION, BLUE), strict=False):
        motors = first_motors(_values(run, channel))
        colours = (colour,) if len(motors) == 1 and len(channels) > 1 else SERIES
        for index, values in enumerate(motors):
            name = channel.removesuffix("_temperature") if index == 0 else None
            ax.plot(time, values, dashes, color=colours[index], label=name)
    if len(channels) > 1:
        # a white ground keeps the names readable where a limit passes behind them
        ground = {"frameon": True, "facecolor": "white", "edgecolor": "none", "framealpha": 0.85}
        ax.legend(loc="best", borderaxespad=0.1, labelspacing=0.1, borderpad=0.1, **ground)


def _values(run: Run, channel: str) -> np.ndarray:
    """A channel; the torque of a motor is taken before friction and gear loss, as a command of torque is."""
    if channel == "gear_torque":
        return gear_output_torque(run)
    if channel == "torque" and run.motor is not None:
        return run["motor_torque"] * run.motor.ratio
    return _factor(run, channel) * run[channel]


# --- targets


def _target(run: Run, aim: str | None) -> str | None:
    """The channel that commands a quantity; None: nothing does."""
    if aim is None:
        return None
    if "command" in run.channels:
        return "command" if run.actuator.controller.main == aim else None
    return f"{aim}_command" if f"{aim}_command" in run.channels else None


def _draw_target(ax: Axes, time: np.ndarray, run: Run, aim: str | None, channel: str) -> dict[str, Style]:
    """The target over its quantity, and what arrives of it where that differs; the look of each by its name."""
    target = _target(run, aim)
    if aim is None or target is None or (aim == "voltage" and _alike(run[target], run[channel])):
        return {}
    factor = _factor(run, channel)
    lines = {"target": _over(ax, time, factor * run[target], "--", INK, 1.0)}
    arrives, words = _at_controller(run, aim, run[target])
    if arrives is not None and not _alike(run[target], arrives):
        lines[f"after {words}"] = _over(ax, time, factor * arrives, ":", ORANGE, 1.6)
    return lines


def _over(ax: Axes, time: np.ndarray, values: np.ndarray, dashes: str, colour: str, width: float) -> Style:
    """Broken lines over a row, one for all motors where they are the same; their look."""
    motors = first_motors(values)
    one = all(np.array_equal(motors[0], other, equal_nan=True) for other in motors)
    for each, shade in zip(motors[:1] if one else motors, (colour,) if one else SERIES, strict=False):
        ax.plot(time, each, dashes, color=shade, linewidth=width)
    return {"linestyle": dashes, "color": colour if one else INK, "linewidth": width}


def _draw_legend(drawn: Figure, lines: dict[str, Style]) -> None:
    """What the broken lines are, below all axes, where nothing can be hidden by it."""
    from matplotlib.lines import Line2D

    drawn.set_figheight(drawn.get_figheight() + 0.2)
    shown = [Line2D([], [], **line) for line in lines.values()]
    drawn.legend(shown, list(lines), loc="outside lower center", ncols=len(lines), borderpad=0.0, handlelength=2.2)


def _alike(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two channels are the same line."""
    return bool((np.abs(a - b) <= SAME * max(np.abs(a).max(), 1e-300)).all())


def _at_controller(run: Run, aim: str, target: np.ndarray) -> tuple[np.ndarray | None, str]:
    """The target as the controller sees it, None where that is not known, and what it went through."""
    actuator = run.actuator
    main = aim == actuator.controller.main
    limits = actuator.command_range if main else None
    slewed = main and actuator.slew is not None
    delay = actuator.delay if aim in actuator.delayed_inputs else None
    steps = (("range", limits is not None), ("delay", delay is not None), ("slew", slewed))
    words = ", ".join(word for word, there in steps if there)
    if slewed:
        return run["setpoint"], words
    if limits is not None:
        target = np.clip(target, *limits)
    return (target if delay is None else _after_delay(run, target, delay)), words


def _after_delay(run: Run, target: np.ndarray, delay: Delay) -> np.ndarray | None:
    """A target when it arrives; NaN until the first has, None where a random delay is not recorded."""
    if "lag" in run.channels:
        lag = run["lag"]
    elif delay.is_random:
        return None
    else:
        lag: Any = delay.steps if delay.seconds is None else np.asarray(delay.seconds) / run.dt
        lag = np.round(lag) if delay.whole else lag
    lags = np.broadcast_to(lag, target.shape).reshape(len(target), -1)
    flat = target.reshape(len(target), -1)
    # slightly later, so that the first command is there in the step in which it arrives
    times = run.time + 1e-9 * run.dt
    left = None if delay.is_foreign else np.nan
    columns = [np.interp(times - lags[:, k] * run.dt, run.time, flat[:, k], left=left) for k in range(flat.shape[1])]
    return np.stack(columns, axis=1).reshape(target.shape)


# --- limits


def _acting(run: Run) -> list[str]:
    """Names of the limits that act on the motors that are drawn."""
    if "limit" not in run.channels:
        return []
    seen = np.bitwise_or.reduce([np.bitwise_or.reduce(flags.astype(int)) for flags in first_motors(run["limit"])])
    return [name for name, bit in LIMITS.items() if seen & bit]


def _draw_limits(ax: Axes, factor: float, run: Run, acting: list[str]) -> None:
    """A lane for each limit, filled while it acts; the motors of a batch share it."""
    motors = [flags.astype(int) for flags in first_motors(run["limit"])]
    share = 0.56 / len(motors)
    colours = (VERMILION,) if len(motors) == 1 else SERIES
    for lane, name in enumerate(acting):
        ax.axhline(lane, color=LIGHT, linewidth=0.6, zorder=0)
        for index, flags in enumerate(motors):
            low = lane - 0.28 + share * index
            spans = [
                (factor * begin, factor * (end - begin)) for begin, end in spans_of(run.time, flags & LIMITS[name])
            ]
            # an edge keeps a moment visible that is shorter than a dot
            ax.broken_barh(spans, (low, share), facecolor=colours[index], edgecolor=colours[index], linewidth=0.4)
    ax.set_yticks(range(len(acting)), [f"{n}\nlimit" if n in _NAMED_LIMITS else n.replace(" ", "\n") for n in acting])
    ax.tick_params(axis="y", length=0)
    for label in ax.get_yticklabels():
        label.set_linespacing(1.0)
    ax.set_ylim(len(acting) - 0.5, -0.5)
    ax.set_xlim(factor * run.time[0], factor * run.time[-1])
    ax.spines["left"].set_visible(False)


def spans_of(time: np.ndarray, flags: np.ndarray) -> list[tuple[float, float]]:
    """Begin and end of each stretch in which a flag is set; a value belongs to the step that ends at its time [s]."""
    on = np.concatenate([[0], (np.asarray(flags) != 0).astype(int), [0]])
    edges = np.concatenate([[2 * time[0] - time[1] if len(time) > 1 else 0.0], time])
    begins, ends = np.flatnonzero(np.diff(on) == 1), np.flatnonzero(np.diff(on) == -1)
    return [(float(edges[a]), float(edges[b])) for a, b in zip(begins, ends, strict=True)]


def _factor(run: Run, channel: str) -> float:
    """From the unit of a channel to the one that is drawn."""
    return RPM if channel != "gear_torque" and run.unit(channel) == "rad/s" else 1.0


def _unit(run: Run, channel: str) -> str:
    """The unit in which a channel is drawn."""
    unit = "N*m" if channel == "gear_torque" else run.unit(channel)
    return {"rad/s": "rpm", "degC": "°C"}.get(unit, unit).replace("*", "·")
