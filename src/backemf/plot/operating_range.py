"""The operating range as makers print it: where a motor may run continuously, and where for a short time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..analyze import continuous_torque, envelope
from ..analyze.constants import continuous_current, no_load, plain
from ..analyze.given import array, current_limit_of, limit_of, temperature_of, voltage_of
from ..analyze.steady import at_current
from ..checks import Number
from ..errors import ParameterError
from ..motor import Motor
from .style import BLUE, INK, RPM, axis_scale, figure, first, look, number, save, side, title
from .types import Axes, Figure

SHOWN = 3.2
"""The torque axis ends at this multiple of the continuous torque: beyond, a winding is hot within seconds [1]."""


@dataclass(frozen=True)
class OperatingRange:
    """The torques of a motor at each speed, as far as its ratings allow them."""

    speed: np.ndarray
    """Speed of the joint [rad/s]."""
    continuous: np.ndarray
    """Largest continuous torque at the joint [N·m]."""
    short_term: np.ndarray
    """Largest torque at the joint for a short time [N·m]."""


def operating_range(
    motor: Motor, voltage: Number | None = None, temperature: Number | None = None, path: str | Path | None = None
) -> Figure:
    """Speed over torque: the area of continuous operation, and that of short-term operation up to the voltage [V].

    Continuous operation ends where the winding reaches its limit, or at the maker's continuous current where heat is
    unknown; short-term operation starts with a winding at `temperature` [°C] and ends at the current limit or the peak
    current. Maximum speed and the gearbox's ratings bound both. The upper axis has the current of each torque.
    """
    motor = first(motor)
    volts, celsius = np.abs(voltage_of(motor, voltage)), temperature_of(motor, temperature)
    found = range_of(motor, volts, celsius)
    factor, unit = axis_scale(found.continuous, "N·m")
    with look():
        drawn, (ax,) = figure(height=2.9)
        for torque, words, shade in (
            (found.short_term, "short-term operation", 0.12),
            (found.continuous, "continuous operation", 0.38),
        ):
            ax.fill_betweenx(RPM * found.speed, 0.0, factor * torque, color=BLUE, alpha=shade, linewidth=0)
            # the outline, closed along its upper end
            edge = np.append(factor * torque, 0.0), RPM * np.append(found.speed, found.speed[-1])
            ax.plot(*edge, color=BLUE, label=words)
        longest = factor * float(found.continuous.max())
        right = min(SHOWN * longest, 1.04 * factor * float(found.short_term.max()))
        ax.set(xlim=(0.0, max(right, 1.04 * longest)), ylim=(0.0, 1.25 * RPM * float(found.speed[-1])))
        _draw_current(ax, motor, celsius, factor)
        _name_areas(ax, longest, RPM * found.speed, factor * found.short_term)
        _draw_rated(ax, motor, volts, celsius, found, factor, unit)
        ax.set(xlabel=f"{side(motor)} torque [{unit}]", ylabel=f"{side(motor)} speed [rpm]")
        title(ax, motor, f"operating range at {number(float(volts))} V")
        return save(drawn, path)


def range_of(motor: Motor, volts: Number, celsius: Number, samples: int = 301) -> OperatingRange:
    """Continuous and short-term torque from standstill to the fastest permissible speed."""
    ratings = motor.ratings
    fastest = [abs(plain(no_load(motor, volts, celsius)[0]))]
    if ratings is not None:
        fastest += [limit for limit in (ratings.speed, ratings.gear_input_speed) if limit is not None]
    speed = np.linspace(0.0, float(np.min(fastest)) / abs(motor.ratio), samples)
    short = envelope(motor, volts, _largest_current(motor, celsius), celsius, joint_speed=speed).max_torque
    lasting = np.minimum(_continuous(motor, volts, celsius, speed), short)
    if ratings is not None and ratings.gear_peak_torque is not None:
        short = np.minimum(short, ratings.gear_peak_torque)
    if ratings is not None and ratings.gear_torque is not None:
        lasting = np.minimum(lasting, ratings.gear_torque)
    return OperatingRange(speed, np.maximum(lasting, 0.0), np.maximum(np.maximum(short, lasting), 0.0))


def _largest_current(motor: Motor, celsius: Number) -> Number | None:
    """The drive's limit and the maker's peak, whichever is less [A]; None: neither is known."""
    peak = None if motor.ratings is None else motor.ratings.peak_current
    known = [x for x in (current_limit_of(motor, None, celsius), peak) if x is not None]
    return np.minimum.reduce([array(x) for x in known]) if known else None


def _continuous(motor: Motor, volts: Number, celsius: Number, speed: Number) -> np.ndarray:
    """Continuous torque at each joint speed, within the voltage [N·m]."""
    try:
        torque = continuous_torque(motor, speed).joint_torque
        # a hot winding has more resistance: the same voltage ends at a lower speed
        hot = envelope(motor, volts, None, limit_of(motor, None), joint_speed=speed).max_torque
        return np.fmin(np.nan_to_num(torque), hot)
    except ParameterError:
        rated = continuous_current(motor)
    if rated is None:
        raise ParameterError(
            "operating_range: the motor has no continuous current: give Ratings(current=...), "
            "or thermal figures and Ratings(winding_temperature=...)"
        )
    way = np.sign(motor.ratio)
    return at_current(motor, way * array(rated), motor.ratio * speed, celsius, way).joint_torque


def _draw_current(ax: Axes, motor: Motor, celsius: Number, factor: float) -> None:
    """A second axis with the current that makes a torque in slow motion."""
    way = float(np.sign(motor.ratio))
    _, right = ax.get_xlim()
    share = factor * abs(motor.ratio) * float(motor.magnet.torque_constant)
    current = np.linspace(0.0, 10.0 * right / share, 2001)
    torque = factor * at_current(motor, way * current, 0.0, celsius, way).joint_torque

    both = (lambda value: np.interp(value, torque, current), lambda value: np.interp(value, current, torque))
    upper: Any = ax.secondary_xaxis("top", functions=both)
    upper.set_xlabel("current [A]")
    upper.spines["top"].set_visible(True)


def _name_areas(ax: Axes, longest: float, speed: np.ndarray, short: np.ndarray) -> None:
    """The words of both areas, below the middle, where both are wide."""
    level = 0.3 * float(speed[-1])
    edge = min(float(np.interp(level, speed, short)), ax.get_xlim()[1])
    # upright where the area is too narrow for its words
    turn = 0.0 if longest > 0.28 * ax.get_xlim()[1] else 90.0
    ax.text(0.5 * longest, level, "continuous\noperation", ha="center", va="center", rotation=turn)
    if edge > 1.3 * longest:
        ax.text(0.5 * (longest + edge), level, "short-term\noperation", ha="center", va="center")


def _draw_rated(
    ax: Axes, motor: Motor, volts: Number, celsius: Number, found: OperatingRange, factor: float, unit: str
) -> None:
    """The rated current at this voltage, as makers mark it."""
    rated = continuous_current(motor)
    if rated is None:
        return
    way = np.sign(motor.ratio)
    points = at_current(motor, way * array(rated), motor.ratio * found.speed, celsius, way)
    reached = np.flatnonzero(np.abs(points.voltage) <= volts)
    if not len(reached):
        return
    k = reached[-1]
    torque, speed = float(points.joint_torque[k]), float(found.speed[k])
    words = f"rated {number(float(rated))} A: {number(factor * torque)} {unit}, {number(RPM * speed, 4)} rpm"
    dot = {"color": "white", "markeredgecolor": INK, "markersize": 6, "clip_on": False, "zorder": 5}
    (drawn,) = ax.plot(factor * torque, RPM * speed, "o", linestyle="none", **dot)
    # speed falls with torque, so this corner is free
    ax.legend([drawn], [words], loc="upper right", borderaxespad=0.1, handletextpad=0.2)
