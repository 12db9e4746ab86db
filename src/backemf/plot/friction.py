"""Friction as a loop over a small angle, and as a curve over speed."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..analyze.steady import drag_torque, dry_friction
from ..errors import ParameterError
from ..motor import Dahl, LoadDependent, LuGre, Motor
from ..parts import acts
from ..physics.bristle import bristle_mean, bristle_step, bristle_torque
from ..physics.mechanics import bristles
from .style import BLUE, GREY, ORANGE, RPM, axis_scale, cross, figure, first, look, number, save, title
from .types import Axes, Figure

ASSUMED_SLIP = 1e-3
"""Angle over which dry friction without bristles is drawn to build up [rad]."""


def loop(friction: Dahl | LuGre, amplitude: float, steps: int = 1000) -> tuple[np.ndarray, np.ndarray, float]:
    """Angle [rad], friction torque on the rotor [N·m] and energy per cycle [J] of a slow sine of the angle [rad]."""
    # slow: what the bristles do then depends on the way alone
    speed_scale = 0.01 * friction.stribeck_velocity if isinstance(friction, LuGre) else 1.0
    period = 2.0 * np.pi * amplitude / speed_scale
    dt = period / steps
    angle = amplitude * np.sin(2.0 * np.pi * np.arange(4 * steps + 1) / steps)
    torque, bend = np.zeros(4 * steps), 0.0
    for k, speed in enumerate(np.diff(angle) / dt):
        level, stiffness, damping = bristles(friction, speed)
        after = bristle_step(bend, speed, level, stiffness, dt)
        mean = bristle_mean(bend, speed, level, stiffness, dt)
        torque[k] = -bristle_torque(mean, after - bend, speed, stiffness, damping, dt)
        bend = after
    # the last cycle, which comes back to itself
    middle, moved = 0.5 * (angle[1:] + angle[:-1])[-steps:], np.diff(angle)[-steps:]
    return middle, torque[-steps:], float(-np.sum(torque[-steps:] * moved))


def hysteresis(motor: Motor, amplitude: float | None = None, path: str | Path | None = None) -> Figure:
    """Friction torque over the rotor's angle in slow motion to both sides [rad]; the area is the energy lost per cycle.

    Dry friction without bristles is drawn as a Dahl loop that slips after 1 mrad.
    """
    motor = first(motor)
    friction, words = _bristles_of(motor)
    slip = friction.coulomb / friction.stiffness
    angle, torque, energy = loop(friction, 4.0 * slip if amplitude is None else amplitude)
    with look():
        drawn, (ax,) = figure()
        cross(ax)
        x, x_unit = axis_scale(angle, "rad")
        y, y_unit = axis_scale(torque, "N·m")
        e, e_unit = axis_scale(energy, "J")
        ax.fill(x * angle, y * torque, color=BLUE, alpha=0.18, linewidth=0)
        ax.plot(x * np.append(angle, angle[0]), y * np.append(torque, torque[0]), color=BLUE)
        for k in (len(angle) // 14, len(angle) // 2 + len(angle) // 14):
            there, here = (x * angle[k + 10], y * torque[k + 10]), (x * angle[k], y * torque[k])
            ax.annotate("", there, here, arrowprops={"arrowstyle": "-|>", "color": BLUE, "lw": 1.4})
        ax.text(0.0, 0.0, f"{number(e * energy)} {e_unit}\nper cycle", ha="center", va="center")
        ax.set(xlabel=f"rotor angle [{x_unit}]", ylabel=f"friction torque [{y_unit}]")
        ax.margins(y=0.1)
        title(ax, motor, words)
        return save(drawn, path)


def stribeck(motor: Motor, path: str | Path | None = None) -> Figure:
    """Friction torque on the rotor over its speed once the motion is steady, without load; it opposes the motion."""
    motor = first(motor)
    if motor.friction is None and motor.drag is None and not acts(motor.magnet, "iron_loss"):
        raise ParameterError("Motor.friction and Motor.drag are None: there is no friction to draw")
    half = _fastest(motor) * np.linspace(0.0, 1.0, 401)
    top = RPM * half[-1]
    size = np.asarray(dry_friction(motor, half, 0.0, 0.0))
    torque = size + drag_torque(motor, half)
    with look():
        drawn, (ax,) = figure()
        cross(ax)
        y, unit = axis_scale(torque, "N·m")
        speed = RPM * np.concatenate([-half[::-1], half])
        ax.plot(speed, y * np.concatenate([torque[::-1], -torque]), color=BLUE)
        known = motor.friction
        if isinstance(known, LuGre):
            _mark_stribeck(ax, known, y, unit)
        elif known is not None:
            level = f"Coulomb friction {number(y * float(size[0]))} {unit}"
            ax.annotate(level, (-top, y * float(torque[-1])), (0, 6), textcoords="offset points")
        ax.set(xlabel="motor speed [rpm]", ylabel=f"friction torque [{unit}]", xlim=(-1.03 * top, 1.03 * top))
        ax.margins(y=0.28)
        title(ax, motor, "steady friction")
        return save(drawn, path)


def _mark_stribeck(ax: Axes, f: LuGre, y: float, unit: str) -> None:
    """Stiction, Coulomb friction and the speed between them."""
    ax.axhline(y * f.coulomb, color=GREY, linestyle=":", linewidth=1.1)
    ax.plot([0.0], [y * f.stiction], "o", color=ORANGE, markersize=4)
    said = f"stiction {number(y * f.stiction)} {unit}"
    ax.annotate(said, (0.0, y * f.stiction), (6, 0), textcoords="offset points", va="center")
    coulomb = f"Coulomb {number(y * f.coulomb)} {unit}"
    ax.annotate(coulomb, (1.0, y * f.coulomb), (0, -3), xycoords=("axes fraction", "data"), textcoords="offset points",
                ha="right", va="top")  # fmt: skip
    level = -y * float(bristles(f, f.stribeck_velocity)[0])
    ax.plot([RPM * f.stribeck_velocity] * 2, [0.0, level], color=GREY, linestyle=":", linewidth=1.1)
    velocity = f"{number(RPM * f.stribeck_velocity)} rpm"
    ax.annotate(velocity, (RPM * f.stribeck_velocity, 0.0), (3, -3), textcoords="offset points", va="top")


def _fastest(motor: Motor) -> float:
    """A speed up to which the curve shows its shape [rad/s]."""
    f = motor.friction
    if isinstance(f, LuGre):
        return 5.0 * float(f.stribeck_velocity)
    if isinstance(f, LoadDependent) and f.stribeck is not None:
        return 5.0 * float(f.stribeck.velocity)
    volts = 12.0 if motor.ratings is None or motor.ratings.voltage is None else motor.ratings.voltage
    return float(volts / motor.magnet.back_emf_constant)


def _bristles_of(motor: Motor) -> tuple[Dahl | LuGre, str]:
    """Bristles to bend, and what to call the loop."""
    f = motor.friction
    if isinstance(f, (Dahl, LuGre)):
        return f, f"{type(f).__name__} friction loop"
    if f is not None and f.coulomb > 0.0:
        return Dahl(coulomb=f.coulomb, stiffness=f.coulomb / ASSUMED_SLIP), "Dahl loop, slip of 1 mrad assumed"
    raise ParameterError("Motor.friction is None: give Coulomb(...), Dahl(...) or LuGre(...) to draw its loop")
