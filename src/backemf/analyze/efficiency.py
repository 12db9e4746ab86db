"""Efficiency over the whole plane of speed and torque."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..checks import Maybe, Number
from ..errors import ParameterError
from ..motor import Motor
from .constants import no_load
from .given import current_limit_of, finite, temperature_of, voltage_of
from .roots import ahead
from .steady import operating_point, point_at_torque

TINY = 1e-9


@dataclass(frozen=True, kw_only=True)
class EfficiencyMap:
    """A grid of torques (rows) and speeds (columns); NaN beyond the voltage or the current limit."""

    joint_speed: np.ndarray
    """Speeds of the joint [rad/s], one per column."""
    joint_torque: np.ndarray
    """Torques at the joint [N·m], one per row."""
    efficiency: np.ndarray
    """Power out over power in [1]: generating counts the other way round, 0 where both sides only make heat."""
    electrical_power: np.ndarray
    """Power into the terminals [W]."""
    mechanical_power: np.ndarray
    """Power into the joint [W]."""
    current: np.ndarray
    """Current [A]."""
    voltage: np.ndarray
    """Terminal voltage it takes [V]."""


def efficiency_map(
    motor: Motor,
    voltage: Number | None = None,
    temperature: Number | None = None,
    current_limit: Number | None = None,
    quadrants: int = 1,
    joint_speed: Number | None = None,
    joint_torque: Number | None = None,
    samples: int = 121,
) -> EfficiencyMap:
    """Efficiency within ±`voltage` [V] and ±`current_limit` [A] at a winding temperature [°C].

    `quadrants` is 1 (driving forwards) or 4. Without `joint_speed` [rad/s] and `joint_torque` [N·m] the grid reaches to
    the no-load speed and to the largest torque at standstill.
    """
    if quadrants not in (1, 4):
        raise ParameterError(f"quadrants = {quadrants}: must be 1 (driving forwards) or 4")
    volts, celsius = np.abs(voltage_of(motor, voltage)), temperature_of(motor, temperature)
    limit = current_limit_of(motor, current_limit, celsius)
    shares = np.linspace(-1.0 if quadrants == 4 else 0.0, 1.0, samples)
    if joint_speed is None:
        joint_speed = ahead(shares, np.abs(no_load(motor, volts, celsius)[0] / motor.ratio))
    if joint_torque is None:
        joint_torque = ahead(shares, _largest_torque(motor, volts, celsius, limit))
    speeds, torques = finite("joint_speed", joint_speed), finite("joint_torque", joint_torque)
    point = point_at_torque(motor, torques[:, None], speeds[None], celsius)
    inside = np.abs(point.voltage) <= volts * (1.0 + TINY)
    if limit is not None:
        inside = inside & (np.abs(point.current) <= limit * (1.0 + TINY))

    def within(values: np.ndarray) -> np.ndarray:
        return np.where(inside, values, np.nan)

    return EfficiencyMap(
        joint_speed=speeds,
        joint_torque=torques,
        efficiency=within(point.efficiency),
        electrical_power=within(point.electrical_power),
        mechanical_power=within(point.mechanical_power),
        current=within(point.current),
        voltage=within(point.voltage),
    )


def _largest_torque(motor: Motor, volts: Number, celsius: Number, limit: Maybe) -> np.ndarray:
    """Torque at standstill, within the current limit [N·m]."""
    stalled = operating_point(motor, volts, 0.0, celsius)
    if limit is not None:
        volts = np.minimum(volts, limit * volts / stalled.current)
        stalled = operating_point(motor, volts, 0.0, celsius)
    return np.abs(stalled.joint_torque)
