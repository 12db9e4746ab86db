"""Pictures of a run: what moved, and where the energy went."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .style import BLUE, GREEN, GREY, ORANGE, SERIES, VERMILION, caption, figure, look, number, save, scaled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOTORS = 4
"""So many motors of a batch are drawn."""

_ROWS = (
    ("position", ("position",)),
    ("speed", ("velocity",)),
    ("voltage", ("voltage",)),
    ("current", ("current",)),
    ("temperature", ("winding_temperature", "housing_temperature")),
)


def step_response(run: Any, path: str | Path | None = None) -> Figure:
    """Position, speed, voltage, current and temperature of a run over time; of a batch, the first motors."""
    rows = [(name, [c for c in channels if c in run.channels and run[c] is not None]) for name, channels in _ROWS]
    rows = [(name, channels) for name, channels in rows if channels]
    with look():
        drawn, axes = figure(len(rows), 0.55 + 0.92 * len(rows), sharex=True)
        factor, unit = scaled(run.time[-1], "s")
        for ax, (name, channels) in zip(axes, rows, strict=True):
            _draw_row(ax, factor * run.time, run, channels)
            ax.set_ylabel(f"{name}\n[{_pretty(run.unit(channels[0]))}]")
            ax.ticklabel_format(axis="y", useOffset=False)
            ax.margins(x=0.0, y=0.12)
        axes[-1].set_xlabel(f"time [{unit}]")
        axes[0].set_title(_title(run, "run"))
        drawn.align_ylabels()
        return save(drawn, path)


def energy_balance(run: Any, path: str | Path | None = None) -> Figure:
    """Where the electrical energy of a run went: each bar takes its share off what the ones above have left.

    What is below a thousandth of the largest share is left to `rest`, which is drawn where it can be seen.
    """
    flows = {name: float(np.atleast_1d(_first_motors(values)[0])[-1]) for name, values in run.energy().items()}
    spent = {name: value for name, value in flows.items() if name not in ("electrical", "cogging", "numerical")}
    given = {"cogging": -flows.get("cogging", 0.0), "numerical": -flows.get("numerical", 0.0)}
    bars = _gathered(flows["electrical"], spent | given)
    factor, unit = scaled([flows["electrical"], *bars.values()], "J")
    with look():
        drawn, (ax,) = figure(height=0.75 + 0.24 * (len(bars) + 1))
        ax.barh(0, factor * flows["electrical"], color=ORANGE, height=0.7)
        left = flows["electrical"]
        for row, (name, value) in enumerate(bars.items(), start=1):
            ax.barh(row, -factor * value, left=factor * left, color=_colour(name), height=0.7)
            # where the next bar begins
            ax.plot([factor * (left - value)] * 2, [row - 0.35, row + 1.35], color=GREY, linewidth=0.6)
            left -= value
        _value_labels(ax, flows["electrical"], bars, factor)
        ax.axvline(0.0, color=GREY, linewidth=0.8)
        ax.set_yticks(range(len(bars) + 1), [_WORDS["electrical"], *(_WORDS.get(name, name) for name in bars)])
        ax.tick_params(axis="y", length=0)
        ax.invert_yaxis()
        ax.set_ylim(len(bars) + 0.5, -0.5)
        ax.spines["left"].set_visible(False)
        ax.set_xlabel(f"energy [{unit}]")
        ax.set_title(_title(run, f"energy over {number(run.time[-1])} s"))
        return save(drawn, path)


_WORDS = {
    "electrical": "electrical in",
    "copper": "copper heat",
    "magnetic": "magnetic field",
    "conversion": "conversion loss",
    "iron": "iron heat",
    "drag": "drag",
    "friction": "friction",
    "bristle": "bent bristles",
    "gear": "gear loss",
    "rotor": "rotor motion",
    "mechanical": "to the load",
    "cogging": "cogging",
    "numerical": "numerical",
}
_COLOURS = {"mechanical": GREEN, "rotor": GREEN, "magnetic": BLUE, "bristle": BLUE, "cogging": BLUE}


def _colour(name: str) -> str:
    """Green for motion, blue for what is stored, vermilion for heat."""
    return _COLOURS.get(name, GREY if name in ("numerical", "rest") else VERMILION)


def _gathered(electrical: float, spent: dict[str, float]) -> dict[str, float]:
    """The shares worth a bar, the largest first, and all others as `rest`."""
    largest = max(abs(electrical), *(abs(value) for value in spent.values()))
    shown = {name: value for name, value in spent.items() if abs(value) > 1e-3 * largest}
    shown = dict(sorted(shown.items(), key=lambda item: -item[1]))
    rest = electrical - sum(shown.values())
    return shown | ({"rest": rest} if abs(rest) > 5e-4 * largest else {})


def _value_labels(ax, electrical: float, bars: dict[str, float], factor: float) -> None:
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


def _first_motors(values: np.ndarray) -> list[np.ndarray]:
    """The channel of each motor that is drawn."""
    flat = np.asarray(values, dtype=float).reshape(len(values), -1)
    return [flat[:, k] for k in range(min(flat.shape[1], MOTORS))]


def _draw_row(ax, time: np.ndarray, run: Any, channels: list[str]) -> None:
    """One quantity; two channels of it share the axes, the second dashed."""
    for channel, dashes, colour in zip(channels, ("-", "--"), (VERMILION, BLUE), strict=False):
        motors = _first_motors(run[channel])
        colours = (colour,) if len(motors) == 1 and len(channels) > 1 else SERIES
        for index, values in enumerate(motors):
            name = channel.removesuffix("_temperature") if index == 0 else None
            ax.plot(time, values, dashes, color=colours[index], label=name)
    if len(channels) > 1:
        ax.legend(loc="best", borderaxespad=0.1, labelspacing=0.1, borderpad=0.1)


def _pretty(unit: str) -> str:
    return unit.replace("degC", "°C").replace("*", "·")


def _title(run: Any, words: str) -> str:
    return caption("" if run.motor is None else run.motor.name, words)
