"""The slope of a motor's torque over a whole step, for an integrator that takes one.

A motor's torque falls with speed along the line of its voltage, and not at all while a limit of the current acts.
Within a long step a light joint runs from the one into the other. So the motor is also asked for its torque at the
speed that the joint would reach, and the slope is the steeper of the one at the start of the step and the one between
the two speeds.
"""

from __future__ import annotations

from typing import Any

from ...actuator.chain import held
from ...physics.ops import absolute, maximum, where
from ...physics.state import Output
from ...tree import changed

PROBES = 2
"""Speeds that the motor is asked for its torque at, besides that of the start."""
SMALL = 1e-2
"""Change of speed that is too small for a difference of torques in single precision [rad/s]."""


def held_with_slope(actuator, state, command, position, velocity, dt, load_torque, load_inertia, inertia) -> Any:
    """New state and output of a step; `torque_slope` is the one to integrate with, 0 or more [N·m·s/rad].

    `inertia` is what a torque finds at the joint, the rotor included [kg·m²].
    """
    after, out = held(actuator, state, command, position, velocity, dt, load_torque, load_inertia)
    slope = slope_at_start(actuator, out, dt)
    if not rigid(actuator):
        return after, changed(out, torque_slope=slope)
    push = out.torque if load_torque is None else out.torque + load_torque
    for _ in range(PROBES):
        gained = below_no_load(actuator, velocity, dt * push / (inertia + dt * slope))
        _, ahead = held(actuator, state, command, position, velocity + gained, dt, load_torque, load_inertia)
        fallen = driving_torque(actuator, out) - driving_torque(actuator, ahead)
        moves = absolute(gained) > SMALL
        between = where(moves, fallen / where(moves, gained, 1.0 + 0.0 * gained), 0.0 * gained)
        slope = maximum(slope, between)
    return after, changed(out, torque_slope=slope)


def slope_at_start(actuator, out: Output, dt):
    """How fast the torque falls with speed at the start of a step [N·m·s/rad].

    At least dt·stiffness: a position gain that the step could not follow then acts on a heavier joint.
    """
    nothing = 0.0 * out.torque
    if not rigid(actuator):
        # the flank pushes as much as it does, whatever the joint does within the step
        return nothing
    return maximum(maximum(nothing + out.torque_slope, nothing + dt * out.torque_stiffness), nothing)


def below_no_load(actuator, velocity, gained):
    """A change of speed that ends at the speed without load at most, where one is known [rad/s].

    The motor brakes beyond that speed, so that a slope between the two speeds never carries a joint past it.
    """
    if actuator.motor is None or actuator.supply is None:
        return gained
    supply, motor = actuator.supply, actuator.motor
    highest = absolute(supply.voltage * supply.modulation_limit / (motor.magnet.back_emf_constant * motor.ratio))
    left = where(gained > 0.0, highest - velocity, -highest - velocity)
    return where((left * gained > 0.0) & (absolute(left) < absolute(gained)), left, gained)


def driving_torque(actuator, out: Output):
    """Torque that follows speed, dry friction left out [N·m]."""
    return out.torque if actuator.motor is None else actuator.motor.ratio * out.motor_torque


def rigid(actuator) -> bool:
    """Whether the rotor turns with the joint, without backlash."""
    motor = actuator.motor
    return motor is None or motor.gearbox is None or motor.gearbox.backlash is None
