"""The chain: from a command through delay, slew and controller to the motor, or to a joint torque where there is none.

`receive` runs once per step: it looks a command over and lets it travel. What the controller makes of it may run
several times per step, each time with the joint a little further on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..physics.command import Command
from ..physics.load import IMMOVABLE, LinearLoad, Memory, follow, react
from ..physics.ops import as_bits, change, isfinite, repeat, where
from ..physics.state import OUTPUTS, Output, State
from ..physics.step import coupled as motor_coupled
from ..physics.step import held as motor_held
from ..values import Bits, Maybe, Number, Recorded
from .arrival import receive
from .decision import decide, settle
from .delay import Draws
from .finite_joint import in_place_of, is_plain, known_joints, resting_command, without_unknown
from .joint import joint_coupled, joint_output
from .joint_spring import JointSpring, SpringPull, spring_pull, spring_torque

if TYPE_CHECKING:
    from ..loads import Load
    from .actuator import Actuator

Substep = tuple[State, Memory, Number, Number, Number, Number, Output | None]
"""What substeps leave: state, memory and joint; travel, mean torque of the load and output so far."""
HeldSubstep = tuple[State, Number, Output | None]
"""The same of a joint that a host moves: state, substeps and output so far."""

# --- a host moves the joint


def held(
    actuator: Actuator, state: State, command: Command | Number, position: Number, velocity: Number, dt: Number,
    load_torque: Maybe = None, load_inertia: Maybe = None, draws: Draws | None = None,
) -> tuple[State, Output]:  # fmt: skip
    """New state and output for a joint position and velocity that a host holds over the step."""
    return on_known_joints(
        held_known, actuator, state, command, position, velocity, dt, load_torque, load_inertia, draws
    )


def on_known_joints(
    law: Callable[..., tuple[State, Output]], actuator: Actuator, state: State, command: Command | Number,
    position: Number, velocity: Number, dt: Number, load_torque: Maybe, load_inertia: Maybe,
    draws: Draws | None,
) -> tuple[State, Output]:  # fmt: skip
    """State and output of a law in which motors take no part where what is known of the joint is not finite."""
    good = known_joints(dt, position, velocity, load_torque, load_inertia)
    inputs = command, position, velocity, dt, load_torque, load_inertia
    if good is None:
        after, out = law(actuator, state, *inputs, draws)
    else:
        after, out = law(actuator, state, *known_inputs(good, actuator, state, *inputs), draws)
        after, out = without_unknown(good, state, after, out)
    return after, change(out, limit=as_bits(out.limit))


def known_inputs(
    good: Bits, actuator: Actuator, state: State, command: Command | Number, position: Number, velocity: Number,
    dt: Number, load_torque: Maybe, load_inertia: Maybe,
) -> tuple[Command | Number, Number, Number, Number, Recorded, Recorded]:  # fmt: skip
    """The inputs of a step with harmless numbers where what is known of the joint is not finite."""
    # a command that is not finite will hold the joint here when it arrives, even if the rest is not known now
    began = 0.0 if state.held_position is None else state.held_position
    position, velocity = in_place_of(isfinite(position), position, began), in_place_of(good, velocity, 0.0)
    # a step that is one for all motors stays one, since delays are counted in it
    dt = dt if is_plain(dt) else where(isfinite(dt) & (dt > 0.0), dt, 1.0)
    if actuator.supply is not None and actuator.supply.shared:
        command = resting_command(good, actuator.controller.main, command, position)
    return (
        command, position, velocity, dt, in_place_of(good, load_torque, 0.0), in_place_of(good, load_inertia, 1.0)
    )  # fmt: skip


def held_known(
    actuator: Actuator, state: State, command: Command | Number, position: Number, velocity: Number, dt: Number,
    load_torque: Maybe, load_inertia: Maybe, draws: Draws | None,
) -> tuple[State, Output]:  # fmt: skip
    """New state and output where all that is known of the joint is finite."""
    told, flags, state = receive(actuator, state, command, position, velocity, dt, draws)
    substeps = actuator.substeps
    if substeps == 1:
        return held_substep(actuator, state, told, flags, position, velocity, dt, load_torque, load_inertia)
    # how the torque follows the joint over all substeps is that of one substep as long as the step
    _, whole = held_substep(actuator, state, told, flags, position, velocity, dt, load_torque, load_inertia)
    short = dt / substeps

    def substep(here: HeldSubstep) -> HeldSubstep:
        state, index, total = here
        # the joint goes on at its speed
        now = position + (index * short) * velocity
        state, out = held_substep(actuator, state, told, flags, now, velocity, short, load_torque, load_inertia)
        return state, index + 1, add_substep(total, out, substeps)

    start: HeldSubstep = state, 0, None
    state, _, total = repeat(substeps, substep, start)
    assert total is not None
    return state, change(total, torque_slope=whole.torque_slope, torque_stiffness=whole.torque_stiffness)


def held_substep(
    actuator: Actuator, state: State, command: Command, flags: Bits, position: Number, velocity: Number, dt: Number,
    load_torque: Maybe, load_inertia: Maybe,
) -> tuple[State, Output]:  # fmt: skip
    """One substep of the control loop and the motor."""
    decision = decide(actuator, state, command, flags, position, velocity, dt)
    if actuator.motor is None or decision.demand is None:
        out = joint_output(actuator, decision, position, velocity)
        return settle(actuator, decision, decision.state, out, position, dt), out
    pull = None if actuator.spring is None else SpringPull(spring_torque(position, actuator.spring), 0.0)
    if pull is not None and load_torque is not None:
        load_torque = load_torque + pull.torque
    state, out = motor_held(
        actuator.motor,
        actuator.supply,
        decision.state,
        decision.demand,
        position,
        velocity,
        dt,
        load_torque,
        load_inertia,
    )
    state, out = count_energy(settle(actuator, decision, state, out, position, dt), out, dt)
    if pull is not None and actuator.spring is not None:
        out = with_spring(actuator.spring, pull, out, velocity, velocity)
    return state, out


# --- motor and load move the joint together


def coupled(
    actuator: Actuator, state: State, command: Command | Number, position: Number, velocity: Number, dt: Number,
    load_torque: Number = 0.0, load_inertia: Number = 0.0, draws: Draws | None = None, load_damping: Number = 0.0,
    load_stiffness: Number = 0.0,
) -> tuple[State, Output]:  # fmt: skip
    """New state and output of a step together with a load that is linear around the start of the step.

    An infinite inertia is that of a joint that keeps its velocity, whatever the motor does.
    """
    if not is_plain(load_inertia):
        load_inertia = where(load_inertia > IMMOVABLE, IMMOVABLE, load_inertia)
    inputs = command, position, velocity, dt, load_torque, load_inertia
    good = known_joints(dt, position, velocity, load_torque, load_inertia, load_damping, load_stiffness)
    if good is not None:
        inputs = known_inputs(good, actuator, state, *inputs)
        load_damping, load_stiffness = in_place_of(good, load_damping, 0.0), in_place_of(good, load_stiffness, 0.0)
    command, begin, speed, step, torque, inertia = inputs
    load = LinearLoad(torque, inertia, load_damping, load_stiffness, begin, speed)
    after, _, out = with_load(actuator, state, command, begin, speed, step, load, (), draws)
    if good is not None:
        after, out = without_unknown(good, state, after, out)
        # a joint that is not known stays where it is
        end, last = where(good, out.joint_position, position), where(good, out.joint_velocity, velocity)
        out = change(out, joint_position=end, joint_velocity=last)
    return after, change(out, limit=as_bits(out.limit))


def with_load(
    actuator: Actuator, state: State, command: Command | Number, position: Number, velocity: Number, dt: Number,
    load: Load | LinearLoad, memory: Memory, draws: Draws | None = None,
) -> tuple[State, Memory, Output]:  # fmt: skip
    """New state, memory of the load and output of a step together with a load that reacts anew in each substep."""
    told, flags, state = receive(actuator, state, command, position, velocity, dt, draws)
    substeps = actuator.substeps
    short = dt if substeps == 1 else dt / substeps

    def substep(here: Substep) -> Substep:
        state, memory, position, velocity, travel, pulled, total = here
        reaction = react(load, memory, position, velocity, short)
        state, after, out = coupled_substep(
            actuator, state, told, flags, position, velocity, short, reaction.torque, reaction.inertia,
            reaction.damping,
        )  # fmt: skip
        torque = reaction.torque - reaction.damping * (after - velocity)
        memory = follow(load, memory, torque, short)
        travel, pulled = travel + short * after, pulled + torque / substeps
        total = out if substeps == 1 else add_substep(total, out, substeps)
        return state, memory, position + short * after, after, travel, pulled, total

    start: Substep = state, memory, position, velocity, 0.0, 0.0, None
    state, memory, position, velocity, travel, pulled, total = repeat(substeps, substep, start)
    assert total is not None
    ends = {"joint_position": position, "joint_velocity": velocity, "joint_travel": travel, "load_torque": pulled}
    return state, memory, change(total, **ends)


def coupled_substep(
    actuator: Actuator, state: State, command: Command, flags: Bits, position: Number, velocity: Number, dt: Number,
    load_torque: Number, load_inertia: Number, load_damping: Number,
) -> tuple[State, Number, Output]:  # fmt: skip
    """New state, joint velocity at the end and output of one substep together with a load, after `receive`."""
    decision = decide(actuator, state, command, flags, position, velocity, dt)
    if actuator.motor is None or decision.demand is None:
        return joint_coupled(actuator, decision, position, velocity, dt, load_torque, load_inertia, load_damping)
    pull = None if actuator.spring is None else spring_pull(position, velocity, dt, actuator.spring)
    if pull is not None:
        load_torque, load_damping = load_torque + pull.torque, load_damping + pull.damping
    state, end, out = motor_coupled(
        actuator.motor,
        actuator.supply,
        decision.state,
        decision.demand,
        position,
        velocity,
        dt,
        load_torque,
        load_inertia,
        load_damping,
    )
    state, out = count_energy(settle(actuator, decision, state, out, position, dt), out, dt)
    if pull is not None and actuator.spring is not None:
        out = with_spring(actuator.spring, pull, out, velocity, end)
    return state, end, out


# --- what both share


def with_spring(spring: JointSpring, pull: SpringPull, out: Output, velocity: Number, end: Number) -> Output:
    """The output of a motor with what the spring at its joint adds; `end` is the velocity at which the step ends."""
    pulled = pull.torque - pull.damping * (end - velocity)
    return change(
        out,
        torque=out.torque + pulled,
        torque_stiffness=out.torque_stiffness + spring.stiffness,
        mechanical_power=out.mechanical_power + pulled * end,
        spring_power=-pulled * end,
    )


def count_energy(state: State, out: Output, dt: Number) -> tuple[State, Output]:
    """State and output with the electrical energy of the step counted."""
    if state.energy is None:
        return state, out
    energy = state.energy + out.electrical_power * dt
    return change(state, energy=energy), change(out, electrical_energy=energy)


AT_THE_END = (
    "voltage", "current", "back_emf", "winding_temperature", "housing_temperature", "measured_temperature",
    "rotor_speed", "bus_voltage", "torque_slope", "torque_stiffness", "electrical_energy",
)  # fmt: skip
"""What is reported as it is after the last substep; all else is the mean over the substeps."""


def add_substep(total: Output | None, out: Output, substeps: int) -> Output:
    """The output of a step as it grows by a substep: means are summed share by share, flags are joined."""
    share = 1.0 / substeps
    grown = {}
    for name in OUTPUTS:
        value = getattr(out, name)
        if value is None or name in AT_THE_END:
            grown[name] = value
        elif name == "limit":
            grown[name] = value if total is None else total.limit | value
        else:
            grown[name] = share * value if total is None else getattr(total, name) + share * value
    return Output(**grown)
