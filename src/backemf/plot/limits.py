"""A motor's envelope and the torque limits that stand in for it in simulators."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..actuator.torque_limits import DcClip, DriveEnvelope, EffortLimit, KneeCurve, TorqueSpeedTable
from ..analyze.given import supply_of, temperature_of, voltage_of
from ..analyze.line import line_of
from ..analyze.simplified import Simplified, simplify
from ..checks import Number
from ..motor import Motor
from . import style
from .speed import largest_current
from .style import RPM, axis_scale, band, cross, figure, first, look, number, save, side, title
from .types import Axes, Figure

_LOOKS = {
    DcClip: ("DC-motor clip", style.ORANGE, "-"),
    DriveEnvelope: ("PhysX envelope", style.VERMILION, "--"),
    KneeCurve: ("knee curve", style.GREEN, "-."),
    TorqueSpeedTable: ("torque-speed table", style.PURPLE, ":"),
    EffortLimit: ("flat limit", style.INK, (0, (4, 2, 1, 2, 1, 2))),
}


def simplified_limits(
    motor: Motor,
    kinds: tuple[type, ...] = (DcClip, KneeCurve, DriveEnvelope),
    voltage: Number | None = None,
    current_limit: Number | None = None,
    temperature: Number | None = None,
    fit: bool = False,
    path: str | Path | None = None,
) -> Figure:
    """The motor's envelope with simplified limits over it, and below how far the upper bound of each is off.

    The legend gives the root mean square error and the worst one, over both bounds and the whole range. The current
    limit [A] is the one given, the drive's, or the rated one; with `fit` the limits are moved to their least error.
    """
    motor = first(motor)
    volts, celsius = voltage_of(motor, voltage), temperature_of(motor, temperature)
    amperes, _ = largest_current(motor, volts, celsius, current_limit)
    found = {kind: simplify(motor, kind, volts, amperes, celsius, fit) for kind in kinds}
    one = next(iter(found.values()))
    factor, unit = axis_scale([np.nanmax(one.motor_high), np.nanmin(one.motor_low)], "N·m")
    with look():
        drawn, (ax, below) = figure(2, 4.3 + 0.15 * len(found), sharex=True, height_ratios=(2, 1.15))
        _envelope(ax, one, factor)
        cross(below)
        for kind, one in found.items():
            _limit_over(ax, below, kind, one, factor, unit)
        _sides(below, RPM * float(line_of(motor, supply_of(motor, volts), amperes, celsius).no_load_speed))
        words = f"{number(float(volts))} V, ±{number(float(amperes))} A"
        title(ax, motor, f"{'fitted' if fit else 'simplified'} limits, {words}")
        ax.set_ylabel(f"{side(motor)} torque [{unit}]")
        below.set_ylabel(f"upper error [{unit}]")
        below.set_xlabel(f"{side(motor)} speed [rpm]")
        drawn.align_ylabels()
        drawn.legend(loc="outside lower left", labelspacing=0.25, borderaxespad=0.2)
        return save(drawn, path)


def _envelope(ax: Axes, one: Simplified, factor: float) -> None:
    """What the motor has: a band, with an outline wide enough to be seen below the limits."""
    cross(ax)
    outline = {"linewidth": 3.6, "label": "the motor", "solid_joinstyle": "round"}
    band(ax, RPM * one.speed, factor * one.motor_low, factor * one.motor_high, 0.12, line_alpha=0.45, **outline)


def _limit_over(ax: Axes, below: Axes, kind: type, one: Simplified, factor: float, unit: str) -> None:
    """One limit over the envelope, and its error."""
    words, color, dashes = _LOOKS[kind]
    rms, worst = (number(factor * float(x), 2) for x in (one.rms_error, one.worst_error))
    label = f"{words}: rms {rms}, worst {worst} {unit}"
    for edge, said in ((one.high, label), (one.low, None)):
        ax.plot(RPM * one.speed, factor * edge, color=color, linestyle=dashes, label=said)
    below.plot(RPM * one.speed, factor * (one.high - one.motor_high), color=color, linestyle=dashes)


def _sides(below: Axes, no_load_speed: float) -> None:
    """Where the error is too much torque and where too little, and where something drives the motor beyond no load."""
    below.margins(y=0.22)
    below.text(0.02, 0.95, "allows too much", transform=below.transAxes, va="top", color=style.GREY)
    below.text(0.98, 0.05, "too little", transform=below.transAxes, ha="right", va="bottom", color=style.GREY)
    left, right = below.get_xlim()
    for begin, end, said in ((left, -no_load_speed, "faster than without load"), (no_load_speed, right, None)):
        if begin < end:
            below.axvspan(begin, end, color=style.LIGHT, alpha=0.45, linewidth=0, zorder=0, label=said)
    below.set_xlim(left, right)
