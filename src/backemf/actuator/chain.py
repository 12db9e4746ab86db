"""The chain: from a command through delay, slew and controller to the motor, or to a joint torque where there is none.

`receive` runs once per step: it looks a command over and lets it travel. What the controller makes of it may run
several times per step, each time with the joint a little further on.
"""

from __future__ import annotations

from ..physics.ops import as_bits
from ..physics.state import OUTPUTS, Output, State
from ..physics.step import coupled as motor_coupled
from ..physics.step import held as motor_held
from ..tree import changed
from .arrival import receive
from .decision import decide, settle
from .joint import joint_coupled, joint_output


def held(actuator, state: State, command, position, velocity, dt, load_torque=None, load_inertia=None, draws=None):
    """New state and output for a joint position and velocity that a host holds over the step."""
    command, flags, state = receive(actuator, state, command, position, velocity, dt, draws)
    turns = actuator.substeps
    before, short, outs = state, dt / turns, []
    for turn in range(turns):
        # the joint goes on at its speed while the loop turns
        here = position if turn == 0 else position + (turn * short) * velocity
        state, out = turn_held(actuator, state, command, flags, here, velocity, short, load_torque, load_inertia)
        outs.append(out)
    out = outs[0] if turns == 1 else averaged(outs)
    if turns > 1:
        # how the torque follows the joint over all turns is that of one turn as long as the step
        _, whole = turn_held(actuator, before, command, flags, position, velocity, dt, load_torque, load_inertia)
        out = changed(out, torque_slope=whole.torque_slope, torque_stiffness=whole.torque_stiffness)
    return state, changed(out, limit=as_bits(out.limit))


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


def averaged(outs: list[Output]) -> Output:
    """One output for several turns."""
    merged = {}
    for name in OUTPUTS:
        values = [getattr(out, name) for out in outs]
        if values[0] is None or name in AT_THE_END:
            merged[name] = values[-1]
        elif name == "limit":
            flags = values[0]
            for more in values[1:]:
                flags = flags | more
            merged["limit"] = flags
        else:
            merged[name] = sum(values) * (1.0 / len(values))
    return Output(**merged)
