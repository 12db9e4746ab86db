"""The chain: from a command through delay, slew and controller to the motor, or to a joint torque where there is none.

`receive` runs once per step: it looks a command over and lets it travel. What the controller makes of it may run
several times per step, each time with the joint a little further on.
"""

from __future__ import annotations

from typing import Any

from ..physics.ops import as_bits, isfinite, where
from ..physics.state import OUTPUTS, Output, State
from ..physics.step import coupled as motor_coupled
from ..physics.step import held as motor_held
from ..tree import changed
from .arrival import receive
from .decision import decide, settle
from .finite_joint import in_place_of, is_plain, known_joints, resting_command, without_unknown
from .joint import joint_coupled, joint_output


def held(actuator, state: State, command, position, velocity, dt, load_torque=None, load_inertia=None, draws=None):
    """New state and output for a joint position and velocity that a host holds over the step."""
    return on_known_joints(
        held_known, actuator, state, command, position, velocity, dt, load_torque, load_inertia, draws
    )


def on_known_joints(law, actuator, state: State, command, position, velocity, dt, load_torque, load_inertia, draws):
    """State and output of a law in which motors take no part where what is known of the joint is not finite."""
    good = known_joints(position, velocity, dt, load_torque, load_inertia)
    if good is None:
        state, out = law(actuator, state, command, position, velocity, dt, load_torque, load_inertia, draws)
        return state, changed(out, limit=as_bits(out.limit))
    position, velocity = in_place_of(good, position, 0.0), in_place_of(good, velocity, 0.0)
    # a step that is one for all motors stays one, since delays are counted in it
    dt = dt if is_plain(dt) else where(isfinite(dt) & (dt > 0.0), dt, 1.0)
    load_torque, load_inertia = in_place_of(good, load_torque, 0.0), in_place_of(good, load_inertia, 1.0)
    if actuator.supply is not None and actuator.supply.shared:
        command = resting_command(good, actuator.controller.main, command, position)
    after, out = law(actuator, state, command, position, velocity, dt, load_torque, load_inertia, draws)
    after, out = without_unknown(good, state, after, out)
    return after, changed(out, limit=as_bits(out.limit))


def held_known(actuator, state: State, command, position, velocity, dt, load_torque, load_inertia, draws):
    """New state and output where all that is known of the joint is finite."""
    command, flags, state = receive(actuator, state, command, position, velocity, dt, draws)
    turns = actuator.substeps
    if turns == 1:
        return turn_held(actuator, state, command, flags, position, velocity, dt, load_torque, load_inertia)
    # how the torque follows the joint over all turns is that of one turn as long as the step
    _, whole = turn_held(actuator, state, command, flags, position, velocity, dt, load_torque, load_inertia)
    short = dt / turns
    total: Any = None
    for turn in range(turns):
        # the joint goes on at its speed while the loop turns
        here = position + (turn * short) * velocity
        state, out = turn_held(actuator, state, command, flags, here, velocity, short, load_torque, load_inertia)
        total = added(total, out, turns)
    slopes = {"torque_slope": whole.torque_slope, "torque_stiffness": whole.torque_stiffness}
    return state, changed(total, **slopes)


def turn_held(actuator, state: State, command, flags, position, velocity, dt, load_torque, load_inertia):
    """One turn of the control loop and the motor."""
    decision = decide(actuator, state, command, flags, position, velocity, dt)
    if actuator.motor is None:
        out = joint_output(actuator, decision, position, velocity)
        return settle(actuator, decision, decision.state, out, position, dt), out
    state, out = motor_held(
        actuator, decision.state, decision.demand, position, velocity, dt, load_torque, load_inertia
    )
    return metered(settle(actuator, decision, state, out, position, dt), out, dt)


def coupled(actuator, state: State, command, flags, position, velocity, dt, load_torque, load_inertia, load_slope):
    """New state, joint velocity at the end and output of one turn together with a load, after `receive`."""
    decision = decide(actuator, state, command, flags, position, velocity, dt)
    if actuator.motor is None:
        return joint_coupled(actuator, decision, position, velocity, dt, load_torque, load_inertia, load_slope)
    state, velocity, out = motor_coupled(
        actuator, decision.state, decision.demand, position, velocity, dt, load_torque, load_inertia, load_slope
    )
    state, out = metered(settle(actuator, decision, state, out, position, dt), out, dt)
    return state, velocity, out


def metered(state: State, out: Output, dt):
    """State and output with the electrical energy of the step counted."""
    if state.energy is None:
        return state, out
    energy = state.energy + out.electrical_power * dt
    return changed(state, energy=energy), changed(out, electrical_energy=energy)


AT_THE_END = (
    "voltage", "current", "back_emf", "winding_temperature", "housing_temperature", "rotor_speed", "bus_voltage",
    "torque_slope", "torque_stiffness", "electrical_energy",
)  # fmt: skip
"""What is reported as it is after the last turn; all else is the mean over the turns."""


def added(total: Output | None, out: Output, turns: int) -> Output:
    """The output of several turns as it grows: means are summed share by share, flags are joined."""
    share = 1.0 / turns
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
