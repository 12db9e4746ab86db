"""The efficiency map, with the region of continuous operation."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .. import analyze
from ..analyze.constants import continuous_current
from ..analyze.given import limit_of, temperature_of, voltage_of
from ..checks import Number
from ..errors import ParameterError
from ..motor import Motor
from ..physics.magnet import flux
from ..physics.winding import resistance
from .style import INK, RPM, axis_scale, figure, first, halo, look, number, save, side, title
from .types import Axes, Figure


def efficiency_map(
    motor: Motor,
    voltage: Number | None = None,
    temperature: Number | None = None,
    quadrants: int = 1,
    path: str | Path | None = None,
) -> Figure:
    """Efficiency over speed and torque, the continuous torque and the rated point.

    The torque axis ends at five times the continuous torque where that is known: beyond, all is heat.
    """
    motor = first(motor)
    volts, celsius = voltage_of(motor, voltage), temperature_of(motor, temperature)
    speeds, torques = _grid(motor, volts, celsius, quadrants)
    factor, unit = axis_scale(torques, "N·m")
    # beyond the operating range too: the picture is cut along its exact edge
    with np.errstate(invalid="ignore", over="ignore"):
        percent = 100.0 * analyze.point_at_torque(motor, torques[:, None], speeds[None], celsius).efficiency
    with look():
        drawn, (ax,) = figure(height=2.7)
        inside = analyze.envelope(motor, np.abs(volts), None, celsius, joint_speed=speeds)
        low = inside.min_torque if quadrants == 4 else 0.0
        edge = ax.fill_between(RPM * speeds, factor * low, factor * inside.max_torque, color="none")
        filled = ax.contourf(RPM * speeds, factor * torques, percent, levels=_levels(percent), cmap="cividis")
        filled.set_clip_path(edge.get_paths()[0], ax.transData)
        bar = drawn.colorbar(filled, ax=ax, pad=0.02, aspect=30)
        bar.set_label("efficiency [%]")
        bar.outline.set_visible(False)  # type: ignore[operator]
        ax.set(xlim=(RPM * speeds[0], RPM * speeds[-1]), ylim=(factor * torques[0], factor * torques[-1]))
        _draw_continuous(ax, motor, volts, speeds, factor, quadrants)
        _draw_nominal(ax, motor, volts, celsius, factor, unit)
        _draw_legend(drawn, ax)
        ax.set(xlabel=f"{side(motor)} speed [rpm]", ylabel=f"{side(motor)} torque [{unit}]")
        title(ax, motor, f"efficiency up to {number(float(np.abs(volts)))} V")
        return save(drawn, path)


def _levels(percent: np.ndarray) -> np.ndarray:
    """Steps of the colour: finer where motors are good."""
    steps = np.array([0, 20, 40, 50, 60, 65, 70, 75, 80, 85, 90, 95, 100])
    return steps[: max(2, int(np.searchsorted(steps, np.nanmax(percent))) + 1)]


def _grid(motor: Motor, volts: Number, celsius: Number, quadrants: int) -> tuple[np.ndarray, np.ndarray]:
    """Speeds and torques to draw."""
    c = analyze.constants(motor, np.abs(volts), celsius)
    speed = abs(c.no_load_speed / motor.ratio)
    inside = analyze.envelope(motor, np.abs(volts), None, celsius, joint_speed=np.zeros(1))
    torque = 1.04 * float(
        inside.max_torque[0] if quadrants == 1 else np.max(np.abs([inside.max_torque, inside.min_torque]))
    )
    lasting = _continuous(motor, np.zeros(1))
    if lasting is not None:
        torque = min(torque, 5.0 * float(lasting.joint_torque[0]))
    elif c.max_torque is not None:
        torque = min(torque, 5.0 * abs(c.max_torque * motor.ratio))
    shares = np.linspace(-1.0 if quadrants == 4 else 0.0, 1.0, 301 if quadrants == 4 else 181)
    return shares * speed, shares * torque


def _continuous(motor: Motor, speeds: np.ndarray) -> analyze.ContinuousTorque | None:
    """Continuous torque, as far as the figures tell."""
    try:
        return analyze.continuous_torque(motor, speeds)
    except ParameterError:
        return None


def _draw_continuous(ax: Axes, motor: Motor, volts: Number, speeds: np.ndarray, factor: float, quadrants: int) -> None:
    found = _continuous(motor, speeds)
    if found is None:
        return
    # as far as the voltage reaches with the winding at its limit
    drive = np.where(np.abs(found.voltage) <= np.abs(volts), factor * found.joint_torque, np.nan)
    words = f"continuous torque, winding at {number(float(limit_of(motor, None)))} °C"
    lines = [(drive, words)] if quadrants == 1 else [(drive, words), (factor * found.braking_torque, None)]
    for line, label in lines:
        # both jump at standstill
        broken = line if quadrants == 1 else np.where(np.abs(speeds) < 1e-9 * speeds[-1], np.nan, line)
        ax.plot(RPM * speeds, broken, color=INK, linewidth=1.6, path_effects=halo(), label=label)


def _draw_nominal(ax: Axes, motor: Motor, volts: Number, celsius: Number, factor: float, unit: str) -> None:
    """The rated current at this voltage."""
    current = continuous_current(motor)
    if current is None:
        return
    emf = volts - resistance(celsius, motor.winding) * current
    speed = emf / (motor.magnet.back_emf_constant * flux(celsius, motor.magnet)) / motor.ratio
    point = analyze.operating_point(motor, volts, speed, celsius)
    at = RPM * float(point.joint_speed), factor * float(point.joint_torque)
    if not (0.0 < at[0] <= ax.get_xlim()[1] and 0.0 < at[1] <= ax.get_ylim()[1]):
        return
    words = f"rated {number(float(current))} A: {number(at[1])} {unit}, {100 * float(point.efficiency):.0f} %"
    dot = {"color": "white", "markeredgecolor": INK, "markersize": 6, "clip_on": False, "zorder": 5}
    ax.plot(*at, "o", label=words, linestyle="none", **dot)


def _draw_legend(drawn: Figure, ax: Axes) -> None:
    """What the line and the dot are, below the axes: within them the words would cover the map and each other."""
    handles, words = ax.get_legend_handles_labels()
    if handles:
        drawn.set_figheight(drawn.get_figheight() + 0.2 * len(handles))
        drawn.legend(handles, words, loc="outside lower left", borderpad=0.0, labelspacing=0.25)
