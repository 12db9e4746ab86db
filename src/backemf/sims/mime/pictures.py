"""The picture of the verifications: what is computed over what theory says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...plot.style import BLUE, GREEN, INK, ORANGE, VERMILION, figure, look, save
from .compiled import compose_pose
from .motor import MimeInputs
from .pose import IDENTITY
from .verification import DT, REFERENCE, run, spin_up, voltage_speed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

THEORY = {"linestyle": "--", "color": INK, "linewidth": 1.0}
"""How theory is drawn."""


def mime_verification(path: str | Path | None = None) -> Figure:
    """The four verifications, one below the other; dashed is what theory says."""
    with look():
        drawn, axes = figure(4, 6.6)
        for ax, draw in zip(axes, (_torque, _voltage, _velocity, _pose), strict=True):
            draw(ax)
            ax.margins(x=0.0)
        drawn.align_ylabels(axes)
        return save(drawn, path)


def _torque(ax: Axes) -> None:
    time, done = _from_rest(MimeInputs(commanded_torque=0.02), 80)
    ax.plot(1e3 * time, done["angular_velocity"], color=BLUE, label="MIME's law")
    ax.plot(1e3 * time, spin_up(REFERENCE, 0.02, time), **THEORY, label="τ/b·(1 − exp(−b·t/J))")
    _label_axes(ax, "Torque 0.02 N·m", "time [ms]", "speed\n[rad/s]")


def _voltage(ax: Axes) -> None:
    time, done = _from_rest(MimeInputs(commanded_voltage=5.0), 60)
    ax.plot(1e3 * time, done["angular_velocity"], color=BLUE, label="speed [rad/s]")
    ax.plot(1e3 * time, done["current"], color=ORANGE, label="current [A]")
    speed = voltage_speed(REFERENCE, 5.0)
    for level in (speed, REFERENCE.damping_n_m_s * speed / REFERENCE.kt_n_m_per_a):
        ax.axhline(level, **THEORY)
    _label_axes(ax, "Voltage 5 V", "time [ms]", "speed,\ncurrent")


def _velocity(ax: Axes) -> None:
    time, done = _from_rest(MimeInputs(commanded_velocity=10.0), 6000)
    ax.plot(time, done["angular_velocity"], color=BLUE)
    ax.axhline(10.0, **THEORY)
    ax.axvline(5.0, color=VERMILION, linewidth=1.0, linestyle=":")
    ax.annotate("within 1 %", (4.9, 1.0), ha="right", color=VERMILION)
    _label_axes(ax, "Velocity 10 rad/s, default gains", "time [s]", "speed\n[rad/s]")


def _pose(ax: Axes) -> None:
    angle = np.linspace(0.0, 2.0 * np.pi, 61)
    pose = compose_pose(IDENTITY, (0.0, 0.0, 1.0), angle, (0.1, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), engine="numpy")
    for index, name, colour in ((0, "x/0.1 m", GREEN), (3, "qw", BLUE), (6, "qz", ORANGE)):
        ax.plot(angle / np.pi, pose[:, index] / (0.1 if index == 0 else 1.0), color=colour, label=name)
    for exact in (np.cos(angle), np.cos(0.5 * angle), np.sin(0.5 * angle)):
        ax.plot(angle / np.pi, exact, **THEORY)
    # room for the names above the curves
    ax.set_ylim(-1.15, 1.9)
    _label_axes(ax, "Pose of a tool 0.1 m out", "angle [π rad]", "place,\nquaternion", ncols=3)


def _from_rest(inputs: MimeInputs, steps: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Times and states of a run, the start included."""
    done = {name: np.concatenate([[0.0], values]) for name, values in run(REFERENCE, inputs, steps).items()}
    return DT * np.arange(steps + 1), done


def _label_axes(ax: Axes, title: str, across: str, up: str, ncols: int = 1) -> None:
    ax.set_title(title)
    ax.set_xlabel(across)
    ax.set_ylabel(up)
    if ax.get_legend_handles_labels()[0]:
        ax.legend(loc="best" if ncols == 1 else "upper center", ncols=ncols, borderaxespad=0.1, labelspacing=0.1)
