"""Steady running: every torque and every power at a held speed, from the same laws that the simulation steps.

At a constant speed the torque of the current goes through drag, friction and gears to the joint; cogging averages out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..checks import Number
from ..errors import ParameterError
from ..motor import Motor
from ..physics.circuit import current_for as current_law
from ..physics.circuit import torque_of
from ..physics.gearbox import input_torque, loss_budget
from ..physics.magnet import back_emf, flux
from ..physics.mechanics import drag as drag_law
from ..physics.mechanics import iron_power, sliding_friction
from ..physics.winding import resistance, steady_current
from .given import array, finite, temperature_of
from .roots import Function, fixed_point


@dataclass(frozen=True, kw_only=True)
class OperatingPoint:
    """A motor that runs steadily. Powers add up: electrical = copper + conversion + iron + drag + friction + gear +
    mechanical."""

    voltage: np.ndarray
    """Terminal voltage [V]."""
    temperature: np.ndarray
    """Winding temperature [°C]."""
    motor_speed: np.ndarray
    """Speed of the rotor [rad/s]."""
    joint_speed: np.ndarray
    """Speed of the joint [rad/s]."""
    current: np.ndarray
    """Current [A]."""
    motor_torque: np.ndarray
    """Torque of the current on the rotor, before any loss [N·m]."""
    joint_torque: np.ndarray
    """Torque that reaches the joint [N·m]."""
    electrical_power: np.ndarray
    """Power into the terminals [W]; negative while generating."""
    copper_power: np.ndarray
    """Heat of the winding, R(T)·i² [W]."""
    conversion_power: np.ndarray
    """Power lost between Ke and Kt and by saturation, back-EMF·i - torque·speed [W]."""
    iron_power: np.ndarray
    """Heat of the iron [W]."""
    drag_power: np.ndarray
    """Heat of the drag [W]."""
    friction_power: np.ndarray
    """Heat of dry friction [W]."""
    gear_power: np.ndarray
    """Heat of the gears [W]."""
    mechanical_power: np.ndarray
    """Power into the joint [W]; negative while the load drives."""

    @property
    def efficiency(self) -> np.ndarray:
        """Power out over power in [1]: mechanical over electrical while motoring, the other way round while generating,
        0 where both sides only make heat."""
        electrical, mechanical = self.electrical_power, self.mechanical_power
        motoring = (electrical > 0.0) & (mechanical > 0.0)
        generating = (electrical < 0.0) & (mechanical < 0.0)
        out = np.where(motoring, mechanical, np.where(generating, electrical, 0.0))
        into = np.where(motoring, electrical, np.where(generating, mechanical, 1.0))
        return out / into


def operating_point(
    motor: Motor, voltage: Number, joint_speed: Number = 0.0, temperature: Number | None = None
) -> OperatingPoint:
    """The motor at a terminal voltage [V] and a joint speed [rad/s], with the winding at a temperature [°C].

    At standstill friction holds against the torque, so `joint_torque` is what the motor can exert.
    """
    celsius = temperature_of(motor, temperature)
    speed = motor.ratio * finite("joint_speed", joint_speed)
    emf = back_emf(speed, flux(celsius, motor.magnet), motor.magnet)
    current = steady_current(finite("voltage", voltage), emf, resistance(celsius, motor.winding))
    return at_current(motor, current, speed, celsius)


def point_at_torque(
    motor: Motor, joint_torque: Number, joint_speed: Number = 0.0, temperature: Number | None = None
) -> OperatingPoint:
    """The motor as it gives a torque to the joint [N·m] at a joint speed [rad/s]: the inverse of `operating_point`."""
    celsius = temperature_of(motor, temperature)
    speed = motor.ratio * finite("joint_speed", joint_speed)
    out = finite("joint_torque", joint_torque) / motor.ratio
    direction = np.where(speed == 0.0, np.sign(out), np.sign(speed))
    net = out
    if motor.gearbox is not None:
        net = input_torque(out, direction, motor.gearbox.efficiency, motor.gearbox.back_efficiency)
    arriving = net + direction * _friction_at_load(motor, speed, net, -out, direction)
    current = current_for(motor, arriving + drag_torque(motor, speed), flux(celsius, motor.magnet))
    return at_current(motor, current, speed, celsius, direction)


def at_current(
    motor: Motor, current: Number, speed: Number, celsius: Number, direction: Number | None = None
) -> OperatingPoint:
    """The motor at a current [A] and a rotor speed [rad/s].

    `direction` is the way the rotor turns, +1 or -1, for a standstill that is the limit of slow motion; None: at
    standstill friction holds what it can.
    """
    ohms, field = resistance(celsius, motor.winding), flux(celsius, motor.magnet)
    emf = back_emf(speed, field, motor.magnet)
    air_gap = torque_of(motor, current, field)
    drag = drag_torque(motor, speed)
    arriving = air_gap - drag
    way = np.where(speed == 0.0, np.sign(arriving), np.sign(speed)) if direction is None else direction
    friction = _friction_at_current(motor, speed, arriving, way)
    if direction is None:
        friction = np.where(speed == 0.0, np.minimum(friction, np.abs(arriving)), friction)
    net = arriving - way * friction
    lost = gear_loss(motor, net, way)
    out = net - way * lost
    iron = iron_power(motor, speed)
    parts = {
        "voltage": emf + ohms * current,
        "temperature": celsius,
        "motor_speed": speed,
        "joint_speed": speed / motor.ratio,
        "current": current,
        "motor_torque": air_gap,
        "joint_torque": out * motor.ratio,
        "electrical_power": (emf + ohms * current) * current,
        "copper_power": ohms * current * current,
        "conversion_power": emf * current - air_gap * speed,
        "iron_power": iron,
        "drag_power": drag * speed - iron,
        "friction_power": way * friction * speed,
        "gear_power": way * lost * speed,
        "mechanical_power": out * speed,
    }
    return OperatingPoint(**dict(zip(parts, np.broadcast_arrays(*map(array, parts.values())), strict=True)))


def drag_torque(motor: Motor, speed: Number) -> Number:
    """Torque of everything that grows with speed: polynomial drag, viscous friction, iron [N·m]."""
    return drag_law(motor, speed)[0] + 0.0 * speed


def dry_friction(motor: Motor, speed: Number, arriving: Number, load: Number) -> Number:
    """Size of the dry friction of a rotor that slides at a speed [N·m]; `arriving` and `load` pull on it [N·m]."""
    return sliding_friction(motor, speed, arriving, load) + 0.0 * speed


def gear_loss(motor: Motor, net: Number, direction: Number) -> Number:
    """Size of the torque that the gears lose, on the motor side [N·m]."""
    if motor.gearbox is None or motor.gearbox.lossless:
        return 0.0 * net
    return loss_budget(net, direction, motor.gearbox.efficiency, motor.gearbox.back_efficiency)


def _friction_at_current(motor: Motor, speed: Number, arriving: Number, direction: Number) -> Number:
    """Dry friction where the rotor's torque is known and the load balances it [N·m]."""
    if motor.friction is None or not motor.friction.by_load:
        return dry_friction(motor, speed, arriving, 0.0)

    def budget(friction: np.ndarray) -> Number:
        net = arriving - direction * friction
        return dry_friction(motor, speed, arriving, direction * gear_loss(motor, net, direction) - net)

    return _balance(budget, speed, arriving)


def _friction_at_load(motor: Motor, speed: Number, net: Number, load: Number, direction: Number) -> Number:
    """Dry friction where the load is known and the rotor's torque balances it [N·m]."""
    if motor.friction is None or not motor.friction.by_load:
        return dry_friction(motor, speed, net, load)
    return _balance(lambda friction: dry_friction(motor, speed, net + direction * friction, load), speed, net)


def _balance(budget: Function, speed: Number, torque: Number) -> np.ndarray:
    """The friction that is equal to its own budget [N·m]."""
    friction = fixed_point(budget, np.zeros(np.broadcast_shapes(np.shape(speed), np.shape(torque))))
    if not np.isfinite(friction).all():
        raise ParameterError(
            "Motor.friction locks: each newton metre of load adds more than one of friction, "
            "so no torque moves the joint; lower LoadDependent.load or its Stribeck share"
        )
    return friction


def current_for(motor: Motor, torque: Number, field: Number) -> Number:
    """Current that makes a torque on the rotor, saturation included [A]."""
    with np.errstate(over="ignore"):
        return current_law(motor, torque, field)
