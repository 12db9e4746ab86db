"""Gains of a joint's controller: from a bandwidth, and between volts and newton metres.

Pure functions of numbers or arrays of any engine: only arithmetic, so they broadcast and gradients flow through them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ..checks import Number
from ..errors import ParameterError
from ..motor import Motor
from .hardware import positive


class Gains(NamedTuple):
    """Gains of a controller kp·e + ki·∫e + kd·(v* - v), in volts or newton metres per radian."""

    kp: Number
    """Per position error [V/rad] or [N·m/rad]."""
    ki: Number = 0.0
    """Per integral of the error [V/(rad·s)] or [N·m/(rad·s)]."""
    kd: Number = 0.0
    """Per speed error [V·s/rad] or [N·m·s/rad]."""


class Bandwidth(NamedTuple):
    """What gains make of an inertia: a spring and a damper."""

    bandwidth_hz: Number
    """Natural frequency, undamped [Hz]."""
    damping_ratio: Number
    """Damping over critical damping [1]."""


def gains_from_bandwidth(inertia: Number, bandwidth_hz: Number, damping_ratio: Number = 1.0) -> Gains:
    """Torque gains that swing an inertia [kg·m²] at a natural frequency: kp = J·wn², kd = 2·ζ·J·wn, wn = 2π·f."""
    positive("inertia", inertia)
    positive("bandwidth_hz", bandwidth_hz)
    positive("damping_ratio", damping_ratio, zero=True)
    natural = 2.0 * math.pi * bandwidth_hz
    return Gains(kp=inertia * natural * natural, kd=2.0 * damping_ratio * inertia * natural)


def bandwidth_from_gains(inertia: Number, gains: Gains) -> Bandwidth:
    """Natural frequency and damping of an inertia [kg·m²] under torque gains: the inverse of `gains_from_bandwidth`."""
    positive("inertia", inertia)
    positive("gains.kp", gains.kp)
    natural = (gains.kp / inertia) ** 0.5
    return Bandwidth(bandwidth_hz=natural / (2.0 * math.pi), damping_ratio=gains.kd / (2.0 * inertia * natural))


def torque_gains(motor: Motor, gains: Gains, side: str = "joint") -> Gains:
    """Torque gains that do what volt gains do on this motor, cold, unsaturated and with the current following at once.

    With v = kp·e + ki·∫e - kd·w at the terminals and i = (v - Ke·N·w)/R, the joint feels τ = N·Kt·i, which is
        τ = (N·Kt/R)·(kp·e + ki·∫e) - (N·Kt/R·kd + N²·Kt·Ke/R)·w
    so the back-EMF is a damping that volt gains get for nothing. With a speed target v*, it acts on w alone and not on
    v* - w. `side="motor"`: gains per angle of the rotor and torques of the rotor, N = 1.
    """
    volts_to_torque, damping = _conversion(motor, side)
    kp, ki, kd = (volts_to_torque * gain for gain in gains)
    return Gains(kp, ki, kd + damping)


def volt_gains(motor: Motor, gains: Gains, side: str = "joint") -> Gains:
    """Volt gains that do what torque gains do on this motor: the inverse of `torque_gains`.

    A kd below zero is right where less damping is asked for than the back-EMF gives by itself.
    """
    volts_to_torque, damping = _conversion(motor, side)
    return Gains(gains.kp / volts_to_torque, gains.ki / volts_to_torque, (gains.kd - damping) / volts_to_torque)


def _conversion(motor: Motor, side: str) -> tuple[Number, Number]:
    """N·Kt/R [N·m/V] and N²·Kt·Ke/R [N·m·s/rad]."""
    if side not in ("joint", "motor"):
        raise ParameterError(f'side = {side!r}: must be "joint" or "motor"')
    ratio = motor.ratio if side == "joint" else 1.0
    per_volt = ratio * motor.magnet.torque_constant / motor.winding.resistance
    return per_volt, per_volt * ratio * motor.magnet.back_emf_constant
