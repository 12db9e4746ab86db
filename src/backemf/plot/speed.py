"""Torque over speed: the lines of constant voltage, the current limit, and what the losses leave."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..analyze import constants, envelope, operating_point
from ..analyze.given import array, current_limit_of, temperature_of, voltage_of
from ..checks import Number
from ..motor import Motor
from ..physics.circuit import torque_of
from ..physics.magnet import flux
from ..physics.winding import resistance
from . import style
from .style import RPM, axis_scale, band, cross, figure, first, halo, look, number, save, side, title
from .types import Axes, Figure


def torque_speed(
    motor: Motor, voltages: Number | None = None, temperature: Number | None = None, path: str | Path | None = None
) -> Figure:
    """Torque over speed at several voltages [V] (quarters of the rated one if None), driving, after all losses.

    Dotted: the lossless line Kt/R·(v - Ke·w) of the highest voltage.
    """
    motor = first(motor)
    volts = np.atleast_1d(array(voltages)) if voltages is not None else voltage_of(motor, None) * np.arange(1, 5) / 4
    with look():
        drawn, (ax,) = figure()
        at = [constants(motor, v, temperature) for v in volts]
        top = max(c.stall_torque for c in at) * abs(motor.ratio)
        factor, unit = axis_scale(top, "N·m")
        fastest = max(c.voltage / c.back_emf_constant for c in at) / abs(motor.ratio)
        for v, c, shade in zip(volts, at, np.linspace(0.35, 1.0, len(volts)), strict=True):
            speed = np.linspace(0.0, c.no_load_speed / motor.ratio, 201)
            torque = operating_point(motor, v, speed, temperature).joint_torque
            # at standstill the curve begins where a slow motion would be
            torque[0] = operating_point(motor, v, 1e-9 * speed[1], temperature).joint_torque
            ax.plot(RPM * speed, factor * torque, color=style.BLUE, alpha=shade)
            k = len(speed) // 2
            ax.text(RPM * speed[k], factor * torque[k], f"{number(v)} V", ha="center", va="center", path_effects=halo())
        ideal = np.linspace(0.0, fastest, 101)
        lossless = factor * _lossless(motor, max(volts), ideal, temperature)
        ax.plot(RPM * ideal, lossless, ":", color=style.GREY, linewidth=1.1, zorder=1)
        ax.set(xlim=(0, 1.04 * RPM * fastest), ylim=(0, None))
        _label(ax, motor, unit)
        title(ax, motor, "torque at constant voltage")
        return save(drawn, path)


def current_envelope(
    motor: Motor,
    voltage: Number | None = None,
    current_limit: Number | None = None,
    temperature: Number | None = None,
    path: str | Path | None = None,
) -> Figure:
    """The parallelogram that voltage [V] and current limit [A] leave of torque and speed, before losses."""
    motor = first(motor)
    volts, celsius = voltage_of(motor, voltage), temperature_of(motor, temperature)
    limit, said = largest_current(motor, volts, celsius, current_limit)
    shape = envelope(motor, volts, limit, celsius)
    speed = RPM * shape.joint_speed
    high, low = motor.ratio * shape.max_motor_torque, motor.ratio * shape.min_motor_torque
    factor, unit = axis_scale(high, "N·m")
    with look():
        drawn, (ax,) = figure()
        cross(ax)
        band(ax, speed, factor * low, factor * high, 0.18)
        _quadrants(ax, speed, factor * high)
        top = factor * float(np.nanmax(high))
        ax.set_ylim(-1.5 * top, 1.5 * top)
        corner = f"±{number(float(limit))} A, {said}: ±{number(top)} {unit}"
        ax.annotate(corner, (0.0, top), (0, 4), textcoords="offset points", ha="center")
        _label(ax, motor, unit)
        title(ax, motor, f"operating range within ±{number(float(volts))} V")
        return save(drawn, path)


def loss_envelope(
    motor: Motor,
    voltage: Number | None = None,
    current_limit: Number | None = None,
    temperature: Number | None = None,
    path: str | Path | None = None,
) -> Figure:
    """Torque that remains after friction, drag and gears, and below it the loss itself on its own scale.

    Coulomb friction makes the torque jump at standstill, linear drag tilts it, drag of higher order bends it.
    """
    motor = first(motor)
    volts, celsius = voltage_of(motor, voltage), temperature_of(motor, temperature)
    limit, _ = largest_current(motor, volts, celsius, current_limit)
    shape = envelope(motor, volts, limit, celsius)
    speed = RPM * shape.joint_speed
    factor, unit = axis_scale(np.fmax(np.abs(shape.max_torque), np.abs(shape.min_torque)), "N·m")
    with look():
        drawn, (ax, below) = figure(2, 3.6, sharex=True, height_ratios=(2, 1.15))
        cross(ax)
        cross(below)
        low, high = factor * shape.min_torque, factor * shape.max_torque
        ax.fill_between(speed, low, high, color=style.BLUE, alpha=0.18, linewidth=0)
        for edge, ideal in ((shape.max_torque, shape.max_motor_torque), (shape.min_torque, shape.min_motor_torque)):
            ax.plot(speed, factor * motor.ratio * ideal, ":", color=style.GREY, linewidth=1.1)
            ax.plot(speed, factor * edge, color=style.BLUE)
        _quadrants(ax, speed, factor * shape.max_torque)
        title(ax, motor, "torque after losses")
        ax.set_ylabel(f"{side(motor)} torque [{unit}]")
        small, small_unit = axis_scale(shape.loss_torque, "N·m")
        below.plot(speed, small * shape.loss_torque, color=style.INK, label="friction + drag")
        if np.ptp(shape.drag_torque) > 0.0 and motor.friction is not None:
            below.plot(speed, small * shape.drag_torque, "--", color=style.ORANGE, label="drag alone")
            below.legend(loc="upper left", borderaxespad=0.0, labelspacing=0.2)
        below.set_ylabel(f"loss [{small_unit}]")
        below.margins(y=0.15)
        below.set_xlabel(f"{side(motor)} speed [rpm]")
        drawn.align_ylabels()
        return save(drawn, path)


def largest_current(motor: Motor, volts: Number, celsius: Number, current_limit: Number | None) -> tuple[Number, str]:
    """A current limit to draw [A], and where it comes from."""
    known = current_limit_of(motor, current_limit, celsius)
    if known is not None:
        return known, "given" if current_limit is not None else "the drive's limit"
    ratings = motor.ratings
    if ratings is not None and ratings.peak_current is not None:
        return array(ratings.peak_current), "rated peak"
    if ratings is not None and ratings.current is not None:
        return array(ratings.current), "rated"
    return 0.5 * np.abs(volts) / resistance(celsius, motor.winding), "half of stall"


def _lossless(motor: Motor, volts: Number, joint_speed: np.ndarray, temperature: Number | None) -> np.ndarray:
    """Torque at the joint if nothing were lost [N·m]."""
    celsius = temperature_of(motor, temperature)
    field = flux(celsius, motor.magnet)
    emf = motor.magnet.back_emf_constant * field * motor.ratio * joint_speed
    return np.asarray(motor.ratio * torque_of(motor, (volts - emf) / resistance(celsius, motor.winding), field))


def _quadrants(ax: Axes, speed: np.ndarray, high: np.ndarray) -> None:
    """Words where the motor drives and where it brakes."""
    x, y = 0.36 * float(np.nanmax(speed)), 0.45 * float(np.nanmax(high))
    for sx, sy, word in ((1, 1, "drives"), (-1, 1, "brakes"), (-1, -1, "drives"), (1, -1, "brakes")):
        ax.text(sx * x, sy * y, word, color=style.GREY, ha="center", va="center")


def _label(ax: Axes, motor: Motor, unit: str) -> None:
    ax.set(xlabel=f"{side(motor)} speed [rpm]", ylabel=f"{side(motor)} torque [{unit}]")
