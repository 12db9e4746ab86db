"""What the winding can withstand: continuously at each speed, or intermittently."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..checks import Number
from ..errors import ParameterError
from ..motor import Motor, Thermal
from ..physics.mechanics import iron_power
from ..physics.winding import resistance
from .given import array, finite, limit_of, positive, thermal_of
from .heat import flow, steady_temperature
from .roots import bisect, grow
from .steady import at_current


@dataclass(frozen=True, kw_only=True)
class ContinuousTorque:
    """The torque that holds the winding at exactly its limit; NaN where the iron alone overheats it."""

    motor_speed: np.ndarray
    """Speed of the rotor [rad/s]."""
    joint_speed: np.ndarray
    """Speed of the joint [rad/s]."""
    current: np.ndarray
    """Size of the current [A]."""
    motor_torque: np.ndarray
    """Torque of that current, before any loss [N·m]."""
    joint_torque: np.ndarray
    """Torque at the joint while the motor drives [N·m]."""
    braking_torque: np.ndarray
    """Torque at the joint with the same current against the motion [N·m]."""
    voltage: np.ndarray
    """Terminal voltage it takes to drive [V]."""


def continuous_torque(motor: Motor, joint_speed: Number = 0.0, limit: Number | None = None) -> ContinuousTorque:
    """Continuous torque at each joint speed [rad/s], with the winding at `limit` [°C] (the rated one if None).

    The copper loss with R at the limit and the iron loss carry exactly the heat that the limit drives to the ambient.
    """
    t, celsius = thermal_of(motor), limit_of(motor, limit)
    joint = finite("joint_speed", joint_speed)
    speed = array(motor.ratio * joint)
    outer = t.resistance if isinstance(t, Thermal) else t.housing_resistance
    copper = (celsius - t.ambient - outer * iron_power(motor, speed)) / t.resistance
    current = np.sqrt(np.where(copper >= 0.0, copper, np.nan) / resistance(celsius, motor.winding))
    # forwards is the way of the speed; at standstill, the way of a positive joint speed
    way = np.where(speed == 0.0, np.sign(motor.ratio), np.sign(speed))
    driving = at_current(motor, way * current, speed, celsius, way)
    braking = at_current(motor, -way * current, speed, celsius, way)
    return ContinuousTorque(
        motor_speed=driving.motor_speed,
        joint_speed=driving.joint_speed,
        current=np.abs(driving.current),
        motor_torque=driving.motor_torque,
        joint_torque=driving.joint_torque,
        braking_torque=braking.joint_torque,
        voltage=driving.voltage,
    )


def peak_temperature(
    motor: Motor, on_current: Number, duty: Number, period: Number, motor_speed: Number = 0.0
) -> np.ndarray:
    """Hottest winding in the periodic steady state [°C]: a share `duty` [1] of each `period` [s] at `on_current` [A],
    the rest without current; inf where no such state exists. Exact, with R(T).
    """
    t = thermal_of(motor)
    share, length = _share(duty), positive("period", period)
    on, off = flow(motor, on_current, motor_speed), flow(motor, 0.0, motor_speed)
    shape = np.broadcast_shapes(share.shape, length.shape, on.rates.shape[:-1], off.rates.shape[:-1])
    time_on, time_off = (np.broadcast_to(x, shape) for x in (share * length, (1.0 - share) * length))
    nodes = on.rates.shape[-1]
    zero = np.zeros((*shape, nodes))
    # x after off and on is gain·x + gathered; the periodic state is the x that comes back
    with np.errstate(over="ignore", invalid="ignore"):
        gain = on.gain(time_on) @ off.gain(time_off)
        gathered = on.after(off.after(zero, time_off), time_on)
        grows = _spectral_radius(gain) >= 1.0
        system = np.where(grows[..., None, None], np.eye(nodes), np.eye(nodes) - gain)
        rise = np.linalg.solve(system, np.where(grows[..., None], 0.0, gathered)[..., None])[..., 0, 0]
    # without pauses, or with nothing but pauses, the formula is 0/0 for short periods
    steady = steady_temperature(motor, on_current, motor_speed).winding
    idle = steady_temperature(motor, 0.0, motor_speed).winding
    hottest = np.where(grows, np.inf, t.ambient + rise)
    return np.where(share >= 1.0, steady, np.where(share <= 0.0, idle, hottest))


def intermittent_duty(
    motor: Motor, on_current: Number, period: Number, limit: Number | None = None, motor_speed: Number = 0.0
) -> np.ndarray:
    """Largest share [1] of each period [s] at `on_current` [A] that keeps the winding at or below `limit` [°C].

    1 where the current may flow continuously, 0 where the iron alone overheats the winding.
    """
    celsius = limit_of(motor, limit)

    def room(share: np.ndarray) -> np.ndarray:
        return celsius - peak_temperature(motor, on_current, share, period, motor_speed)

    shape = np.shape(room(array(0.0)))
    none, whole = np.zeros(shape), np.ones(shape)
    found = bisect(room, none, whole)
    return np.where(room(whole) >= 0.0, 1.0, np.where(room(none) < 0.0, 0.0, found))


def intermittent_current(
    motor: Motor, duty: Number, period: Number, limit: Number | None = None, motor_speed: Number = 0.0
) -> np.ndarray:
    """Largest current [A] for a share `duty` [1] of each period [s] that keeps the winding at or below `limit` [°C].

    The inverse of `intermittent_duty`; 0 where the iron alone overheats the winding, inf for a share of 0.
    """
    celsius, share = limit_of(motor, limit), _share(duty)

    def room(current: np.ndarray) -> np.ndarray:
        return celsius - peak_temperature(motor, current, share, period, motor_speed)

    none = np.zeros(np.shape(room(array(0.0))))
    start = continuous_torque(motor, motor_speed / motor.ratio, limit).current
    high = grow(room, none + np.where(np.nan_to_num(start) > 0.0, start, 1.0))
    known = np.isfinite(high)
    found = np.where(known, bisect(room, none, np.where(known, high, 1.0)), np.inf)
    return np.where(room(none) < 0.0, 0.0, found)


def _spectral_radius(gain: np.ndarray) -> np.ndarray:
    """Largest size of an eigenvalue [1]; inf where a gain is no longer finite."""
    finite_gain: Any = np.isfinite(gain).all(axis=(-1, -2))
    safe = np.where(finite_gain[..., None, None], gain, 0.0)
    return np.where(finite_gain, np.abs(np.linalg.eigvals(safe)).max(axis=-1), np.inf)


def _share(duty: Number) -> np.ndarray:
    known = finite("duty", duty)
    if ((known < 0.0) | (known > 1.0)).any():
        raise ParameterError(f"duty = {duty}: must be a share between 0 and 1")
    return known
