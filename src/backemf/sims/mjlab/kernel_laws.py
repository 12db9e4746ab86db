"""The laws of a physics step as kernels run them: what the simulation's own tables say of a joint goes in.

`found` is what a joint finds in them: torques by springs and dampers, constraints, users and motion [N·m], its entry on
the diagonal of the mass matrix [kg·m²], the share of that which a torque meets [1], and the motor's inertia [kg·m²].
"""

from __future__ import annotations

from ...actuator import Actuator, Command
from ...actuator.chain import held
from ...physics.ops import maximum
from ...physics.state import Output, State
from ...values import Maybe, Number
from .implicit import line_ahead, output_over_step, step_taken

Load = tuple[Maybe, Maybe]
"""Torque [N·m] and inertia [kg·m²] of what moves with a joint; None: nobody asks for them."""


def inertia_of(mass: Number, share: Number, armature: Number) -> Number:
    """Inertia that a torque meets at a joint, without the motor's own [kg·m²]."""
    return maximum(share * mass - armature, 1e-9)


def load_of(
    passive: Number, constraint: Number, applied: Number, bias: Number, mass: Number, share: Number, armature: Number
) -> tuple[Number, Number]:
    """Torque [N·m] and inertia [kg·m²] of the load in the last physics step."""
    return passive + constraint + applied - bias, inertia_of(mass, share, armature)


def line_before(
    actuator: Actuator, state: State, command: Command, position: Number, velocity: Number, dt: Number,
    load_torque: None, load_inertia: None, draws: None, *found: Number,
) -> tuple[Load, Output]:  # fmt: skip
    """The load, and the line of torque over speed before a step."""
    load = load_of(*found)
    return load, line_ahead(actuator, state, command, position, velocity, dt, *load)[1]


def line_after(
    actuator: Actuator, state: State, command: Command, position: Number, velocity: Number, dt: Number,
    load_torque: None, load_inertia: None, draws: None, *found: Number,
) -> tuple[State, Output]:  # fmt: skip
    """New state and output after a step: `found` is its end [rad/s], the inertia, and torque and slope of the line."""
    end, mass, share, armature, torque, slope = found
    joint = position, velocity, dt, end, inertia_of(mass, share, armature)
    state, out = step_taken(actuator, state, command, *joint)
    return state, output_over_step(out, torque, slope, velocity, end)


def held_before(
    actuator: Actuator, state: State, command: Command, position: Number, velocity: Number, dt: Number,
    load_torque: None, load_inertia: None, draws: None, *found: Number,
) -> tuple[Load, Output]:  # fmt: skip
    """The load, where `found` says of one, and the output of a step in which the joint keeps its speed."""
    load = load_of(*found) if found else (None, None)
    return load, held(actuator, state, command, position, velocity, dt, *load)[1]


def held_after(
    actuator: Actuator, state: State, command: Command, position: Number, velocity: Number, dt: Number,
    load_torque: Maybe, load_inertia: Maybe, draws: None,
) -> tuple[State, Output]:  # fmt: skip
    """New state and output of that step."""
    return held(actuator, state, command, position, velocity, dt, load_torque, load_inertia)
