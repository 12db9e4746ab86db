"""Plain curves in the style of all pictures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from numpy.typing import ArrayLike

from .style import figure, look, save
from .types import Figure


def curves(
    x: ArrayLike,
    lines: Mapping[str, ArrayLike],
    xlabel: str,
    ylabel: str,
    title: str = "",
    bands: Mapping[str, tuple[ArrayLike, ArrayLike]] | None = None,
    path: str | Path | None = None,
) -> Figure:
    """Each line over `x`, with its name in a legend below; `bands` fill from a lower to an upper edge behind them.

    Labels carry their units: "time [s]".
    """
    with look():
        drawn, (ax,) = figure(height=2.6)
        for name, (low, high) in (bands or {}).items():
            ax.fill_between(x, low, high, alpha=0.2, linewidth=0, label=name)
        for name, values in lines.items():
            ax.plot(x, values, label=name)
        ax.set(xlabel=xlabel, ylabel=ylabel)
        ax.margins(x=0.0)
        ax.set_title(title)
        if len(lines) + len(bands or {}) > 1:
            names = ax.get_legend_handles_labels()
            drawn.legend(*names, loc="outside lower left", ncols=2, borderpad=0.0, columnspacing=1.2)
        return save(drawn, path)
