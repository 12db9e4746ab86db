"""A step of the motor together with the expected load, as a line of torque over speed for mjlab's integrator.

`simulate` finds torque and speed at the end of a step together. The line passes through that point, so an integrator
whose joint has the expected load arrives there too. For any other load the slope of the line says how the torque
changes: it is the slope between the speeds at start and end, across any limit in between.

Once the integrator has found the speed at the end, whatever the load was, the motor makes its step along that motion.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...actuator import Actuator, Command
from ...actuator.arrival import receive
from ...actuator.chain import add_substep, count_energy, on_known_joints, with_spring
from ...actuator.chain import coupled_substep as coupled
from ...actuator.decision import Decision, decide, settle
from ...actuator.joint import joint_coupled, joint_output
from ...actuator.joint_spring import spring_pull
from ...motor import Motor
from ...physics.circuit import circuit_of
from ...physics.demand import Demand
from ...physics.drive import drive
from ...physics.ops import absolute, change, maximum, where
from ...physics.state import Output, State
from ...physics.step import coupled as motor_coupled
from ...physics.step import has_backlash, with_stiffness
from ...values import Bits, Number

Step = Callable[..., tuple[State, Number, Output]]
"""A law of one substep: new state, speed at the end [rad/s] and output."""
SMALL = 1e-2
"""Change of speed that is too small for a difference of torques in single precision [rad/s]."""
HEAVY = 1e9
"""Inertia of a joint whose motion is prescribed [kg·m²]; its square fits into single precision."""


def line_ahead(actuator: Actuator, state: State, command: Command, *joint: Number) -> tuple[State, Output]:
    """The unchanged state, and the output of a step together with the expected load.

    `joint` is position [rad], velocity [rad/s], dt [s], torque of the load [N·m] and its inertia without the motor
    [kg·m²]. The torque of the output is the line's at the speed of the start [N·m], `torque_slope` how fast the line
    falls with speed, 0 or more [N·m·s/rad].
    """
    return on_known_joints(along_a_line, actuator, state, command, *joint, draws=None)


def step_taken(actuator: Actuator, state: State, command: Command, *joint: Number) -> tuple[State, Output]:
    """New state and output of a step in which the joint came from its speed at the start to a known speed at the end.

    `joint` is position [rad], velocity [rad/s], dt [s], velocity at the end [rad/s] and inertia of the load [kg·m²].
    """
    return on_known_joints(along_the_motion, actuator, state, command, *joint, draws=None)


# --- before the step


def along_a_line(actuator: Actuator, state: State, command: Command, *joint: Number) -> tuple[State, Output]:
    """The line where all that is known of the joint is finite."""
    position, velocity, dt, load_torque, load_inertia, *_ = joint
    before = state
    command, flags, state = receive(actuator, state, command, position, velocity, dt, None)
    load = (load_torque, load_inertia, 0.0)
    _, end, out = coupled(actuator, state, command, flags, position, velocity, dt, *load)
    motion = (position, velocity, end - velocity, dt, load_inertia)
    slope = slope_of_step(actuator, state, command, flags, out, *motion)
    if actuator.substeps > 1:
        # the slope over all substeps is that of one as long as the step
        _, end, out = in_substeps(coupled, actuator, state, command, flags, position, velocity, dt, *load)
    return before, change(out, torque=out.torque + slope * (end - velocity), torque_slope=slope)


def in_substeps(
    law: Step, actuator: Actuator, state: State, command: Command, flags: Bits, *joint: Number
) -> tuple[State, Number, Output]:
    """New state, speed at the end [rad/s] and output of a law that is stepped several times, under a constant load."""
    (position, velocity, dt, *load), substeps = joint, actuator.substeps
    total: Any = None  # an Output, once there is one
    if substeps == 1:
        return law(actuator, state, command, flags, position, velocity, dt, *load)
    short = dt / substeps
    for _ in range(substeps):
        state, velocity, out = law(actuator, state, command, flags, position, velocity, short, *load)
        position, total = position + short * velocity, add_substep(total, out, substeps)
    return state, velocity, total


def slope_of_step(
    actuator: Actuator, state: State, command: Command, flags: Bits, out: Output, *motion: Number
) -> Number:
    """How fast the torque falls with speed between start and end of a step, dry friction left out [N·m·s/rad].

    Behind backlash it is 0: the flank pushes as much as it does, whatever the joint does within the step.
    """
    position, velocity, gained, dt, load_inertia = motion
    nothing, motor = 0.0 * out.torque, actuator.motor
    if motor is None:
        # the position of the end is another dt·v away
        ahead = position + dt * velocity
        decision = decide(actuator, state, command, flags, ahead, velocity, dt)
        fallen = joint_output(actuator, decision, ahead, velocity).torque - out.torque
        at_once = out.torque_slope + dt * out.torque_stiffness
    elif has_backlash(motor):
        return nothing
    else:
        decision = decide(actuator, state, command, flags, position, velocity, dt)
        fallen = motor.ratio * (
            torque_at_start(motor, actuator, decision, velocity, dt, load_inertia) - out.motor_torque
        )
        at_once = out.torque_slope
    moves = absolute(gained) > SMALL
    slope = maximum(where(moves, fallen / where(moves, gained, 1.0 + nothing), nothing + at_once), nothing)
    # halfway through the step the joint is half of dt·v further
    spring = None if motor is None else actuator.spring
    return slope if spring is None else slope + 0.5 * dt * spring.stiffness


def torque_at_start(
    motor: Motor, actuator: Actuator, decision: Decision, velocity: Number, dt: Number, load_inertia: Number
) -> Number:
    """Torque of the winding if the joint kept its speed, on the motor side [N·m]."""
    circuit, demand = circuit_of(motor, decision.state, dt), demand_on(motor, decision, velocity, dt, load_inertia)
    return drive(motor, actuator.supply, circuit, demand, motor.ratio * velocity, dt, mean_torque=True).torque


def demand_on(motor: Motor, decision: Decision, velocity: Number, dt: Number, load_inertia: Number) -> Demand:
    """What is asked of the drive; a position gain that is too stiff for step and inertia is taken at the end."""
    circuit, inertia = circuit_of(motor, decision.state, dt), motor.inertia + load_inertia / (motor.ratio * motor.ratio)
    demand: Any = decision.demand  # a motor has one
    return with_stiffness(motor, circuit, demand, motor.ratio * velocity, inertia, dt)


# --- after it


def along_the_motion(actuator: Actuator, state: State, command: Command, *joint: Number) -> tuple[State, Output]:
    """The step that was taken, where all that is known of the joint is finite."""
    position, velocity, dt, end, load_inertia, *_ = joint
    command, flags, state = receive(actuator, state, command, position, velocity, dt, None)
    load = ((end - velocity) / dt, load_inertia)
    state, _, out = in_substeps(substep_along, actuator, state, command, flags, position, velocity, dt, *load)
    return state, out


def output_over_step(out: Output, torque: Number, slope: Number, start: Number, end: Number) -> Output:
    """The output with the torque that acted over the step: that of the line at the speed of its end.

    The line has `torque` [N·m] at the speed `start` and falls by `slope` [N·m·s/rad]; `end` is the speed at the end.
    """
    acted, powers = torque - slope * (end - start), {}
    if out.mechanical_power is not None:
        powers["mechanical_power"] = acted * end
        if out.numerical_power is not None:
            # what the line gives the joint beyond the motor's laws
            powers["numerical_power"] = out.numerical_power + powers["mechanical_power"] - out.mechanical_power
    return change(out, torque=acted, **powers)


def substep_along(
    actuator: Actuator, state: State, command: Command, flags: Bits, *joint: Number
) -> tuple[State, Number, Output]:
    """New state, speed at the end [rad/s] and output of one substep on a joint that is moved at an acceleration.

    It is so heavy that nothing else changes its motion. Whether a gain is too stiff for the step is decided by the
    inertia that the joint really has.
    """
    position, velocity, dt, acceleration, load_inertia = joint
    pull = HEAVY * acceleration
    decision, motor = decide(actuator, state, command, flags, position, velocity, dt), actuator.motor
    if motor is None:
        return joint_coupled(actuator, decision, position, velocity, dt, pull, HEAVY, 0.0)
    spring = actuator.spring
    demand = demand_on(motor, decision, velocity, dt, load_inertia)
    state, end, out = motor_coupled(
        motor, actuator.supply, decision.state, demand, position, velocity, dt, pull, HEAVY, 0.0,
        prescribed=velocity + dt * acceleration,
    )  # fmt: skip
    state, out = count_energy(settle(actuator, decision, state, out, position, dt), out, dt)
    if spring is not None:
        out = with_spring(spring, spring_pull(position, velocity, dt, spring), out, velocity, end)
    return state, end, out
