"""A motor's torque-speed envelope, and what each simulator makes of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..actuator import Actuator, Command, Supply
from ..checks import Number
from ..errors import BackemfError
from ..motor import Motor
from ..plot.style import BLUE, GREY, INK, RPM, VERMILION, WIDTH, axis_scale, cross, look, number, save
from ..progress import progress_bar
from ..sims.on_joint import Law, OnJoint
from .duty import Scale, command_for, complete_actuator, scale_of
from .exported import Exported, asked_of, export, inputs_of, law_of, steady_torque
from .targets import NAMES, target_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

REACH = 1.3
"""Fastest speed of the picture, over the speed without load [1]."""
SAMPLES = 121


def simulators(
    thing: Motor | Actuator | OnJoint,
    targets: tuple[str, ...] = NAMES,
    *,
    title: str = "",
    timestep: float = 0.002,
    effort: str = "peak",
    supply: Supply | Number | None = None,
    path: str | Path | None = None,
) -> Figure:
    """The largest and the smallest torque that each simulator allows, over the motor's own, cold.

    One panel per simulator, with the error over its operating range. A simulator that cannot hold the actuator says
    why in its panel.
    """
    full = complete_actuator(thing, supply, effort)
    scale = scale_of(full, effort)
    speed = np.linspace(-REACH, REACH, SAMPLES) * scale.speed
    own = _own_envelope(full, speed, scale, timestep)
    factor, unit = axis_scale(own, "N·m")
    rows = -(-len(targets) // 2)
    with look():
        from matplotlib.figure import Figure

        drawn = Figure(figsize=(2 * WIDTH, 1.95 * rows + 0.7), layout="constrained")
        axes: list[Axes] = list(drawn.subplots(rows, 2, sharex=True, sharey=True, squeeze=False).flat)
        with progress_bar("running every simulator's law", len(targets)) as advance:
            for ax, name in zip(axes, targets, strict=False):
                _panel(ax, name, full, speed, own, factor, unit, timestep, effort, scale)
                advance(1)
        for ax in axes[len(targets) :]:
            _legend(ax)
        # the lowest panel of each column
        for ax in axes[max(len(targets) - 2, 0) : len(targets)]:
            ax.set_xlabel("joint speed [rpm]")
            ax.tick_params(labelbottom=True)
        for ax in axes[::2]:
            ax.set_ylabel(f"joint torque [{unit}]")
        axes[0].set_xlim(RPM * speed[0], RPM * speed[-1])
        axes[0].set_ylim(*(1.18 * factor * np.array([own[1].min(), own[0].max()])))
        words = "full torque demanded either way, cold"
        drawn.suptitle(f"{title}: {words}" if title else words.capitalize(), x=0.01, ha="left", fontsize=10.0)
        return save(drawn, path)


class Envelopes(NamedTuple):
    """Largest and smallest torque at each speed, of a motor and of a simulator's own law."""

    speed: np.ndarray
    """Joint speed [rad/s], shape (samples,)."""
    own: np.ndarray
    """Largest and smallest torque of the motor itself [N·m], shape (2, samples)."""
    theirs: np.ndarray
    """The same of the simulator's law [N·m], shape (2, samples)."""


def envelopes(
    thing: Motor | Actuator | OnJoint, other: OnJoint, *, effort: str = "peak", timestep: float = 0.002
) -> Envelopes:
    """The torque-speed envelope of a motor, cold, beside that of what was read back from a simulator's text."""
    full = complete_actuator(thing, None, effort)
    scale = scale_of(full, effort)
    speed = np.linspace(-REACH, REACH, SAMPLES) * scale.speed
    own = _own_envelope(full, speed, scale, timestep)
    return Envelopes(speed, own, _envelope_on(full, other, speed, scale, timestep))


def _own_envelope(full: Actuator | OnJoint, speed: np.ndarray, scale: Scale, dt: float) -> np.ndarray:
    return envelope_of(law_of(full), inputs_of(full), partial(command_for, full), speed, scale.asked, dt)


def _envelope_on(full: Actuator | OnJoint, other: OnJoint, speed: np.ndarray, scale: Scale, dt: float) -> np.ndarray:
    return envelope_of(other.law(), inputs_of(other), partial(asked_of, full, other), speed, scale.asked, dt)


def envelope_of(
    law: Law, inputs: tuple[str, ...], ask: Callable[..., Command], speed: np.ndarray, torque: float, dt: float
) -> np.ndarray:
    """Largest and smallest torque at each speed, under full demand either way; `ask` makes the targets."""
    shape = (2, speed.size)
    demand = np.broadcast_to(torque * np.array([[1.0], [-1.0]]), shape)
    return steady_torque(law, inputs, ask, demand, np.broadcast_to(speed, shape), dt)


def _panel(
    ax: Axes,
    name: str,
    full: Actuator | OnJoint,
    speed: np.ndarray,
    own: np.ndarray,
    factor: float,
    unit: str,
    timestep: float,
    effort: str,
    scale: Scale,
) -> None:
    cross(ax)
    ax.fill_between(RPM * speed, factor * own[1], factor * own[0], color=BLUE, alpha=0.14, linewidth=0)
    for edge in own:
        ax.plot(RPM * speed, factor * edge, color=BLUE, linewidth=0.9)
    target = target_of(name)
    try:
        found: Exported = export(full, name, effort=effort, timestep=timestep, compare=False)
        other = _envelope_on(full, found.on_joint, speed, scale, timestep)
    except BackemfError as error:
        ax.set_title(target.title)
        ax.text(0.5, 0.5, _wrap(str(error)), transform=ax.transAxes, ha="center", va="center", color=GREY, fontsize=7)
        return
    for edge in other:
        ax.plot(RPM * speed, factor * edge, color=VERMILION, linewidth=1.5)
    off = other - own
    # more than the motor has, whichever way it pulls
    too_much = np.maximum(np.maximum(off[0], -off[1]), 0.0).max()
    rms = float(np.sqrt(np.mean(off**2)))
    exact, none = np.abs(off).max() < 1e-3 * scale.torque, too_much < 1e-3 * scale.torque
    more = "never too much" if none else f"too much by up to {number(factor * too_much, 2)} {unit}"
    words = "as the motor" if exact else f"rms error {number(factor * rms, 2)} {unit}, {more}"
    ax.set_title(f"{target.title}\n{words}", fontsize=8.5)


def _wrap(text: str) -> str:
    import textwrap

    return "\n".join(textwrap.wrap(text, 46)[:6])


def _legend(ax: Axes) -> None:
    ax.axis("off")
    for color, words, width in ((BLUE, "the motor, cold, after friction and gear loss", 0.9),
                                (VERMILION, "the simulator's own law", 1.5)):  # fmt: skip
        ax.plot([], [], color=color, linewidth=width, label=words)
    ax.legend(loc="center left", labelcolor=INK)
