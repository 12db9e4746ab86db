"""The motor backwards: what a prescribed motion of the joint asks of the rotor and of the winding.

    speed    w = N·q'
    torque   m = J·N·q'' + drag(w) + sign(w)·friction(w) + what enters the gears
    current  i = the inverse of Kt(i)·flux(T)·i at m
    voltage  v = R(T)·i + L·di/dt + Ke·flux(T)·w

The laws are those that a step runs forwards. At rest dry friction and gears neither help nor hinder. Cogging averages
out over a turn and is left out, and so is the time that the rotor takes through backlash.
"""

from ..motor import Motor
from ..values import Number
from .circuit import current_for
from .gearbox import input_torque
from .magnet import back_emf, flux
from .mechanics import drag, sliding_friction
from .ops import absolute, sign, where
from .winding import resistance

ROUNDS = 3
"""Rounds of Aitken's extrapolation for friction that depends on its own torque [1]."""
LOCKED = 1e30
"""Friction of a joint that no torque moves [N·m]."""


def motor_torque(motor: Motor, velocity: Number, acceleration: Number, torque: Number) -> Number:
    """Torque of the current on the rotor [N·m], at a velocity, an acceleration and a torque of the joint.

    `torque` is what the gears give to the load, without the part that accelerates the rotor and the gears themselves.
    """
    ratio = motor.ratio
    speed = ratio * velocity
    way = sign(speed)
    out = torque / ratio
    entering = out
    if motor.gearbox is not None and not motor.gearbox.lossless:
        entering = input_torque(out, way, motor.gearbox.efficiency, motor.gearbox.back_efficiency)
    rubbing = friction_under(motor, speed, way, entering, out)
    return motor.inertia * ratio * acceleration + drag(motor, speed)[0] + way * rubbing + entering


def friction_under(motor: Motor, speed: Number, way: Number, entering: Number, out: Number) -> Number:
    """Dry friction of a rotor that also has to overcome it, where friction grows with the torque [N·m]."""
    rubbing = sliding_friction(motor, speed, entering, -out)
    if motor.friction is None or not motor.friction.by_load:
        return rubbing
    # f = budget(f) with a slope below 1: two evaluations and the line through them, three times over
    rubbing = 0.0 * entering
    for _ in range(ROUNDS):
        once = sliding_friction(motor, speed, entering + way * rubbing, -out)
        twice = sliding_friction(motor, speed, entering + way * once, -out)
        moved = once - rubbing
        still = absolute(moved) < 1e-30
        slope = where(still, 0.0, (twice - once) / where(still, 1.0, moved))
        locks = slope >= 1.0
        rubbing = where(locks, LOCKED, rubbing + moved / where(locks, 1.0, 1.0 - slope))
    return rubbing


def current_at(motor: Motor, torque: Number, temperature: Number) -> Number:
    """Current that makes a torque on the rotor while the winding has a temperature [A]."""
    return current_for(motor, torque, field_at(motor, temperature))


def field_at(motor: Motor, temperature: Number) -> Number:
    """Flux of the magnet relative to its data [1]; without a thermal model nothing is warmer than the data."""
    return 1.0 if motor.thermal is None else flux(temperature, motor.magnet)


def terminal_voltage(
    motor: Motor, current: Number, current_rate: Number, velocity: Number, temperature: Number
) -> Number:
    """R(T)·i + L·di/dt + Ke·flux(T)·w at a joint velocity [V]."""
    volts = resistance(temperature, motor.winding) * current
    if motor.winding.inductance is not None:
        volts = volts + motor.winding.inductance * current_rate
    return volts + back_emf(motor.ratio * velocity, field_at(motor, temperature), motor.magnet)
