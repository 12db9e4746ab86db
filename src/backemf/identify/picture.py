"""Pictures of logs: what a notebook shows of one, and what was measured over what drives predict."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..plot import style
from ..plot.page import picture, quantity_text, table
from .channels import CHANNELS

if TYPE_CHECKING:
    from ..plot.types import Axes, Figure
    from .excitation import Excitation
    from .log import Log
    from .rig import Rig

DRAWN = ("position_command", "position", "velocity", "torque", "current", "duty", "bus_voltage", "winding_temperature")
"""Channels that are drawn, if the log has them."""
WIDE = 16
"""Letters of a name beside which no other fits in a legend."""


def log_html(log: Log) -> str:
    """The log in one line, a table of its channels, and a picture."""
    rows = []
    for name, channel in log.channels.items():
        unit = CHANNELS[name].unit
        ends = (quantity_text(float(value), unit) for value in (channel.values.min(), channel.values.max()))
        rows.append((escape(name), str(len(channel)), *(escape(end) for end in ends)))
    notes = "".join(f"<p>{escape(note)}</p>" for note in log.notes)
    shown = table(("channel", "samples", "smallest", "largest"), rows, numeric=(1, 2, 3))
    drawn = picture(draw_log(log), "log", "", style="max-width: 26rem")
    return f"<div><p><code>{escape(repr(log))}</code></p>{notes}{shown}{drawn}</div>"


def draw_log(log: Log) -> Figure:
    """Channels over time, one below the other; a command lies over its measurement."""
    groups: dict[str, list[str]] = {}
    for name in DRAWN:
        if name in log:
            groups.setdefault(name.removesuffix("_command"), []).append(name)
    groups = groups or {next(iter(log.channels)): [next(iter(log.channels))]}
    with style.look():
        drawn, axes = style.figure(rows=len(groups), height=0.6 + 1.1 * len(groups), sharex=True)
        for ax, (title, names) in zip(axes, groups.items(), strict=True):
            for name in names:
                dashed = name.endswith("_command")
                ax.plot(log.times(name), log[name], linewidth=0.8, linestyle="--" if dashed else "-")
            _label(ax, title, CHANNELS[names[0]].unit)
        axes[-1].set_xlabel("time [s]")
        return drawn


def draw_comparison(log: Log, predictions: Mapping[str, Log]) -> Figure:
    """What was measured in a log, and over it what each drive predicts, channel below channel and joint by joint."""
    channels = [name for name in CHANNELS if any(name in each for each in predictions.values())]
    panels = [(name, k) for name in channels for k in range(len(log.joints) or 1)]
    wide = max(map(len, predictions)) > WIDE
    lines_below = 2 + len(predictions) if wide else 1 + (len(predictions) + 1) // 2
    with style.look():
        height = 0.6 + 1.3 * len(panels) + 0.18 * lines_below
        drawn, axes = style.figure(rows=len(panels), height=height, sharex=True)
        for ax, (name, joint) in zip(axes, panels, strict=True):
            if f"{name}_command" in log:
                asked = log[f"{name}_command"]
                asked = asked[:, joint] if asked.ndim == 2 else asked
                time = log.times(f"{name}_command")
                ax.plot(time, asked, "--", color=style.GREY, linewidth=0.8, label="command", zorder=0)
            measured = log[name][:, joint] if log[name].ndim == 2 else log[name]
            ax.plot(log.times(name), measured, color=style.INK, linewidth=1.2, label="measured")
            for colour, (title, each) in zip(_colours(len(predictions)), predictions.items(), strict=True):
                if name in each:
                    rows = each[name][:, joint] if log.joints else each[name]
                    ax.plot(each.times(name), rows, color=colour, linewidth=0.9, label=title)
            _label(ax, name if not log.joints else f"{log.joints[joint]}\n{name}", CHANNELS[name].unit)
        axes[-1].set_xlabel("time [s]")
        axes[0].set_title(style.caption("", Path(log.name).name or "log"))
        lines, titles = axes[0].get_legend_handles_labels()
        drawn.legend(lines, titles, loc="outside lower center", ncols=1 if wide else 2)
        return drawn


def draw_excitation(found: Excitation) -> Figure:
    """The command of a motion, what the drive is believed to do, and how far each number's spread falls."""
    seen, unit = found.prediction, CHANNELS[f"{found.input}_command"].unit
    panels = [name for name in ("position", "velocity", "current", "torque", "winding_temperature") if name in seen]
    panels = panels if found.input in panels else [found.input, *panels]
    below = 0.25 + 0.14 * len(found.reveals)
    with style.look():
        ratios = [*(1.0 for _ in panels), below]
        height = 1.1 + 1.0 * (len(panels) + below)
        drawn, axes = style.figure(rows=len(panels) + 1, height=height, height_ratios=ratios)
        *over_time, last = axes
        for ax, name in zip(over_time, panels, strict=True):
            if name == found.input:
                ax.step(found.time, found.command, "--", where="post", color=style.GREY, linewidth=0.8)
            if name in seen:
                ax.plot(seen.times(name), seen[name], color=style.BLUE, linewidth=1.0)
            off = np.flatnonzero(np.diff(np.concatenate([[1.0], found.enable, [1.0]])))
            for first, end in zip(off[::2], off[1::2], strict=True):
                ends = (float(found.time[k]) for k in (first, min(end, len(found.time) - 1)))
                ax.axvspan(*ends, color=style.LIGHT, alpha=0.6)
            _label(ax, name, CHANNELS[name].unit if name in CHANNELS else unit)
        over_time[-1].set_xlabel("time [s]; grey: torque off")
        drawn.suptitle(style.caption("", textwrap.fill(found.name, 44)), x=0.02, ha="left", fontsize=9.0)
        places = np.arange(len(found.reveals))[::-1]
        last.barh(places, [max(100.0 * each.share, 1e-3) for each in found.reveals], color=style.BLUE, height=0.6)
        last.set(
            xscale="log", xlim=(None, 100.0), xlabel="spread after, of that before [%]", ylim=(-0.6, len(places) - 0.4)
        )
        last.set_yticks(places, [each.name.removeprefix("motor.") for each in found.reveals])
        last.tick_params(axis="y", labelsize=6.5)
        return drawn


def _colours(count: int) -> list[str]:
    return [style.SERIES[k % len(style.SERIES)] for k in range(count)]


def _label(ax: Axes, title: str, unit: str) -> None:
    shown = unit.replace("*", "·").replace("degC", "°C")
    ax.set_ylabel(f"{title.replace('_', ' ')}\n[{shown}]")


def rig_html(rig: Rig) -> str:
    """The rig in one line, and a table of what is known how well."""
    rows = []
    for name, known in rig.known.items():
        spread = "" if not known.spread else f"{100 * known.spread:.3g} %" if known.relative else f"{known.spread:.3g}"
        value = f"{known.value:.6g}" + (f" · log.{known.note}" if known.note else "")
        rows.append((escape(name), escape(value), escape(spread)))
    return f"<div><p><code>{escape(repr(rig))}</code></p>{table(('quantity', 'value in SI', 'spread'), rows)}</div>"
