"""The energy of a run: where it went."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..run import Run
from .response import first_motors, title
from .style import BLUE, GREEN, GREY, ORANGE, VERMILION, axis_scale, figure, look, number, save
from .types import Axes, Figure


def energy_balance(run: Run, path: str | Path | None = None) -> Figure:
    """Where the electrical energy of a run went: each bar subtracts its share from what remains.

    Shares below a thousandth of the largest are summed up in `rest`, which is drawn if it is large enough to see.
    """
    flows = {name: float(np.atleast_1d(first_motors(values)[0])[-1]) for name, values in run.energy().items()}
    spent = {name: value for name, value in flows.items() if name not in ("electrical", "cogging", "numerical")}
    given = {"cogging": -flows.get("cogging", 0.0), "numerical": -flows.get("numerical", 0.0)}
    bars = _shares(flows["electrical"], spent | given)
    factor, unit = axis_scale([flows["electrical"], *bars.values()], "J")
    with look():
        drawn, (ax,) = figure(height=0.75 + 0.24 * (len(bars) + 1))
        ax.barh(0, factor * flows["electrical"], color=ORANGE, height=0.7)
        left = flows["electrical"]
        for row, (name, value) in enumerate(bars.items(), start=1):
            ax.barh(row, -factor * value, left=factor * left, color=_COLOURS.get(name, VERMILION), height=0.7)
            # where the next bar begins
            ax.plot([factor * (left - value)] * 2, [row - 0.35, row + 1.35], color=GREY, linewidth=0.6)
            left -= value
        _value_labels(ax, flows["electrical"], bars, factor)
        ax.axvline(0.0, color=GREY, linewidth=0.8)
        ax.set_yticks(range(len(bars) + 1), [_WORDS.get(name, name) for name in ("electrical", *bars)])
        ax.tick_params(axis="y", length=0)
        ax.invert_yaxis()
        ax.set_ylim(len(bars) + 0.5, -0.5)
        ax.spines["left"].set_visible(False)
        ax.set_xlabel(f"energy [{unit}]")
        ax.set_title(title(run, f"energy over {number(run.time[-1])} s"))
        return save(drawn, path)


_WORDS = {
    "electrical": "electrical in",
    "copper": "copper heat",
    "magnetic": "magnetic field",
    "conversion": "conversion loss",
    "iron": "iron heat",
    "bristle": "bent bristles",
    "gear": "gear loss",
    "rotor": "rotor motion",
    "mechanical": "to the load",
    "spring": "joint spring",
}
_COLOURS = {
    **dict.fromkeys(("mechanical", "rotor"), GREEN),
    **dict.fromkeys(("magnetic", "bristle", "spring", "cogging"), BLUE),
    **dict.fromkeys(("numerical", "rest"), GREY),
}
"""Green for motion, blue for what is stored; all others are heat."""


def _shares(electrical: float, spent: dict[str, float]) -> dict[str, float]:
    """The shares worth a bar, the largest first, and all others as `rest`."""
    largest = max(abs(electrical), *(abs(value) for value in spent.values()))
    shown = {name: value for name, value in spent.items() if abs(value) > 1e-3 * largest}
    shown = dict(sorted(shown.items(), key=lambda item: -item[1]))
    rest = electrical - sum(shown.values())
    return shown | ({"rest": rest} if abs(rest) > 5e-4 * largest else {})


def _value_labels(ax: Axes, electrical: float, bars: dict[str, float], factor: float) -> None:
    """Each energy and its share, in two columns on the right."""
    values = [electrical, *bars.values()]
    largest = factor * max(map(abs, values))
    decimals = max(0, 3 - int(np.floor(np.log10(largest)))) if largest > 0.0 else 0
    energies = [f"{factor * value:.{decimals}f}" for value in values]
    shares = [f"{100 * value / electrical:.1f} %" if electrical else "" for value in values]
    for row, (energy, share) in enumerate(zip(_flush(energies), _flush(shares), strict=True)):
        ax.annotate(f"{energy}  {share}", (1.02, row), xycoords=("axes fraction", "data"), va="center")


def _flush(texts: list[str]) -> list[str]:
    """The texts, set flush right with spaces as wide as a digit."""
    width = max(map(len, texts))
    return [text.replace("-", "−").rjust(width, "\u2007") for text in texts]
