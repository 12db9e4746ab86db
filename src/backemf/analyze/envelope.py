"""The torques a motor can give at each speed, in all four quadrants."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..actuator.supply import Supply
from ..checks import Maybe, Number
from ..motor import Motor
from ..parts import acts
from ..physics.limits import clip
from ..physics.magnet import back_emf, flux
from ..physics.supply import sagging_bus
from ..physics.winding import resistance, steady_current
from .given import array, current_limit_of, finite, supply_of, temperature_of
from .roots import ahead
from .steady import at_current, drag_torque, dry_friction


@dataclass(frozen=True, kw_only=True)
class Envelope:
    """The largest and the smallest torque at each speed; NaN where no available voltage keeps the current limit.

    Standstill is there twice, once from each side: dry friction makes the torques jump.
    """

    motor_speed: np.ndarray
    """Speed of the rotor [rad/s]."""
    joint_speed: np.ndarray
    """Speed of the joint [rad/s]."""
    direction: np.ndarray
    """Direction in which the rotor turns, +1 or -1 [1]."""
    max_current: np.ndarray
    """Largest current [A]."""
    min_current: np.ndarray
    """Smallest current [A]."""
    max_motor_torque: np.ndarray
    """Largest torque of the current, before any loss [N·m]."""
    min_motor_torque: np.ndarray
    """Smallest torque of the current, before any loss [N·m]."""
    max_torque: np.ndarray
    """Largest torque at the joint [N·m]."""
    min_torque: np.ndarray
    """Smallest torque at the joint [N·m]."""
    drag_torque: np.ndarray
    """Drag that grows with speed, brought to the joint without gear loss [N·m]."""
    loss_torque: np.ndarray
    """Drag and unloaded dry friction, brought to the joint without gear loss [N·m]."""


def envelope(
    motor: Motor,
    supply: Supply | Number | None = None,
    current_limit: Number | None = None,
    temperature: Number | None = None,
    joint_speed: Number | None = None,
    samples: int = 401,
) -> Envelope:
    """Torque-speed envelope at a supply and a winding temperature [°C].

    A number for `supply` is a stiff voltage [V], None the rated one; a `Supply` also sags and modulates. The current is
    held within ±`current_limit` [A], which is the drive's limit at this temperature if None. Without `joint_speed`
    [rad/s], `samples` speeds reach a little beyond where the voltage gives out, or as far as the limit can be kept.
    """
    celsius, source = temperature_of(motor, temperature), supply_of(motor, supply)
    limit = current_limit_of(motor, current_limit, celsius)
    if joint_speed is None:
        speed, direction = _speeds(motor, source, limit, celsius, samples)
    else:
        speed = motor.ratio * finite("joint_speed", joint_speed)
        direction = np.where(speed < 0.0, -1.0, 1.0)
    ohms = resistance(celsius, motor.winding)
    emf = back_emf(speed, flux(celsius, motor.magnet), motor.magnet)
    high, low = (_current(source, share * source.largest_share, emf, ohms) for share in (1.0, -1.0))
    if limit is not None:
        # at the very corner the two sides meet: a rounding error must not open them
        slack = 1e-9 * limit
        kept = (low <= limit + slack) & (high >= -limit - slack)
        high, low = (np.where(kept, clip(i, -limit, limit), np.nan) for i in (high, low))
    best, worst = (at_current(motor, i, speed, celsius, direction) for i in (high, low))
    drag = drag_torque(motor, speed)
    friction = direction * dry_friction(motor, speed, 0.0, 0.0)
    # a train that turns the other way round swaps the two sides
    pair = np.stack([best.joint_torque, worst.joint_torque])
    return Envelope(
        motor_speed=best.motor_speed,
        joint_speed=best.joint_speed,
        direction=direction,
        max_current=best.current,
        min_current=worst.current,
        max_motor_torque=best.motor_torque,
        min_motor_torque=worst.motor_torque,
        max_torque=pair.max(axis=0),
        min_torque=pair.min(axis=0),
        drag_torque=array(motor.ratio * drag),
        loss_torque=array(motor.ratio * (drag + friction)),
    )


def _speeds(motor: Motor, supply: Supply, limit: Maybe, celsius: Number, samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Rotor speeds from one end of the envelope to the other, standstill twice, and their directions."""
    volts = supply.largest_share * array(supply.voltage)
    reach = 1.25 * volts if limit is None else volts + resistance(celsius, motor.winding) * limit
    top = array(reach / (motor.magnet.back_emf_constant * flux(celsius, motor.magnet)))
    half = np.linspace(0.0, 1.0, max(samples // 2, 2))
    shares = np.concatenate([-half[::-1], half])
    speed = ahead(shares, top)
    return speed, ahead(np.repeat([-1.0, 1.0], half.size), np.ones(speed.shape[1:]))


def _current(supply: Supply, share: float, emf: Number, ohms: Number) -> Number:
    """Steady current with the bridge at a share of the bus [A]."""
    bus = array(supply.voltage)
    if acts(supply, "resistance"):
        bus = sagging_bus(bus, supply.resistance, -share * emf / ohms, share * share / ohms, 0.0)
        if not supply.regeneration:
            bus = np.minimum(bus, supply.voltage)
    return steady_current(share * bus, emf, ohms)
