"""One look for all pictures: colours for colour-blind eyes, units on every axis, readable at half width."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ParameterError
from ..files import write_bytes
from ..motor import Motor
from ..tree import map_numbers, numbers
from ..units import convert
from ..values import Module
from .types import Axes, Figure

# the palette of Okabe and Ito
BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PURPLE, SKY, YELLOW = "#CC79A7", "#56B4E9", "#F0E442"
GREY, INK, LIGHT = "#7A7A7A", "#222222", "#D9D9D9"
SERIES = (BLUE, ORANGE, GREEN, PURPLE, VERMILION, SKY)
WIDTH = 3.4
"""Half the width of a page [in]."""
RPM = convert(1.0, "rpm")
"""Speeds are drawn in rpm, as the command line prints them and makers do [rpm·s/rad]."""

_LOOK: dict[str, object] = {
    **dict.fromkeys(("font.size", "axes.titlesize", "axes.labelsize", "legend.fontsize"), 9.0),
    **dict.fromkeys(("xtick.labelsize", "ytick.labelsize"), 9.0),
    **dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color"), GREY),
    **dict.fromkeys(("axes.labelcolor", "axes.titlecolor", "text.color", "xtick.labelcolor", "ytick.labelcolor"), INK),
    **dict.fromkeys(("axes.linewidth", "xtick.major.width", "ytick.major.width"), 0.6),
    **dict.fromkeys(("xtick.major.size", "ytick.major.size"), 2.5),
    **dict.fromkeys(("axes.spines.top", "axes.spines.right"), False),
    "axes.titlelocation": "left",
    "axes.titlepad": 7.0,
    "lines.linewidth": 1.4,
    "legend.frameon": False,
    "legend.handlelength": 1.4,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "savefig.dpi": 200,
    "svg.hashsalt": "backemf",
    "path.simplify_threshold": 0.3,
}


@contextmanager
def look() -> Iterator[None]:
    """Draw in the project's style."""
    import matplotlib
    from cycler import cycler

    settings: Any = _LOOK | {"axes.prop_cycle": cycler(color=SERIES)}
    with matplotlib.rc_context(settings):
        yield


def figure(rows: int = 1, height: float = 2.5, **options: Module) -> tuple[Figure, list[Axes]]:
    """A figure of half a page's width with stacked axes; belongs to no window."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(WIDTH, height), layout="constrained")
    axes = drawn.subplots(rows, 1, squeeze=False, **options)[:, 0]
    return drawn, list(axes)


def save(drawn: Figure, path: str | Path | None) -> Figure:
    """Write the figure if a path is given: .png, .svg or .pdf."""
    if path is not None:
        target = Path(path)
        content = io.BytesIO()
        try:
            # without a date the same picture is the same file
            form = target.suffix[1:].lower()
            drawn.savefig(content, format=form, metadata={"Date": None} if form == "svg" else None)
        except ValueError as error:
            raise ParameterError(f"{target}: the picture cannot be written ({error})") from None
        write_bytes(target, content.getvalue(), folders=True)
    return drawn


def first(motor: Motor) -> Motor:
    """The first motor of a batch; only rotary ones are drawn, whose units stand at the axes."""
    if motor.motion == "linear":
        raise ParameterError(
            f"{motor.name or 'Motor'} is a linear motor: its pictures would have axes in N·m and rpm; "
            "draw a run of it, with run.plot()"
        )
    if all(np.ndim(value) == 0 for _, value in numbers(motor)):
        return motor
    return map_numbers(motor, lambda value: float(np.asarray(value).flat[0]) if np.ndim(value) else value)


_PREFIXES = ((1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))


def axis_scale(values: ArrayLike, unit: str) -> tuple[float, str]:
    """The factor and the unit in which the command line prints a quantity of this size: (1000, "mN·m") for 0.2 N·m."""
    size = float(np.nanmax(np.abs(np.asarray(values, dtype=float)), initial=0.0))
    for factor, prefix in _PREFIXES:
        if size >= factor:
            return 1.0 / factor, prefix + unit
    return 1.0, unit


def title(ax: Axes, motor: Motor, words: str) -> None:
    """What is drawn, and of which motor."""
    ax.set_title(caption(motor.name, words))


def caption(name: str, words: str) -> str:
    """A title on one line where it fits, else on two."""
    plain = words[:1].upper() + words[1:]
    if not name:
        return plain
    name = textwrap.fill(name, 44)
    return f"{name}: {words}" if len(name) + len(words) < 40 else f"{name}\n{plain}"


def halo() -> list[Module]:
    """A light edge around letters, for text on a picture."""
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=2.2, foreground="white")]


def cross(ax: Axes) -> None:
    """Thin lines through zero."""
    for line in (ax.axhline, ax.axvline):
        line(0.0, color=LIGHT, linewidth=0.8, zorder=0)


def band(
    ax: Axes, x: np.ndarray, low: np.ndarray, high: np.ndarray, alpha: float, line_alpha: float = 1.0, **line: Module
) -> None:
    """The area between two curves with its outline, closed at both ends; `line` is the look of the outline."""
    ax.fill_between(x, low, high, color=BLUE, alpha=alpha, linewidth=0)
    around = np.concatenate([x, x[::-1], x[:1]]), np.concatenate([high, low[::-1], high[:1]])
    ax.plot(*around, color=BLUE, alpha=line_alpha, **line)


def side(motor: Motor) -> str:
    """Where torques and speeds are drawn."""
    return "joint" if motor.gearbox is not None else "motor"


def number(value: float, digits: int = 3) -> str:
    """A number as people write it."""
    text = f"{float(value):.{digits}g}"
    if "e" in text and 1e-4 <= abs(value) < 1e6:
        return f"{float(text):.0f}"
    return text.replace("-", "−")
