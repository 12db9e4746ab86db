"""What a notebook shows of a log: its channels with their ranges, and a picture of the motion."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ..plot import style
from ..plot.page import picture, quantity_text, table
from .channels import CHANNELS

if TYPE_CHECKING:
    from ..plot.types import Figure
    from .log import Log
    from .rig import Rig

DRAWN = ("position_command", "position", "velocity", "torque", "current", "duty", "bus_voltage", "winding_temperature")
"""Channels that are drawn, if the log has them."""


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
            ax.set_ylabel(f"{title.replace('_', ' ')}\n[{CHANNELS[names[0]].unit.replace('*', '·')}]")
        axes[-1].set_xlabel("time [s]")
        return drawn


def rig_html(rig: Rig) -> str:
    """The rig in one line, and a table of what is known how well."""
    rows = []
    for name, known in rig.known.items():
        spread = "" if not known.spread else f"{100 * known.spread:.3g} %" if known.relative else f"{known.spread:.3g}"
        value = f"{known.value:.6g}" + (f" · log.{known.note}" if known.note else "")
        rows.append((escape(name), escape(value), escape(spread)))
    return f"<div><p><code>{escape(repr(rig))}</code></p>{table(('quantity', 'value in SI', 'spread'), rows)}</div>"
