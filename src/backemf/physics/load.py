"""How a load acts on the joint over a step: its inertia, its torque, and how that torque falls with speed."""

from __future__ import annotations

from dataclasses import dataclass

from ..parts import Laws
from ..values import Number

REACTIONS = Laws()
"""Law of each load, by its class: `law(load, memory, position, velocity, dt)` gives a `Reaction`."""
MEMORIES = Laws()
"""Law of each load with a memory: `law(load, memory, torque_on_joint, dt)` gives the memory after the step."""
IMMOVABLE = 1e20
"""Inertia of a joint whose motion no motor changes [kg·m²]."""

Memory = tuple[Number, ...]
"""What a load remembers, in the order of its class's `remembers`."""


@dataclass(frozen=True)
class Reaction:
    """What a load does over a step, linear in the speed at its end."""

    inertia: Number
    """Inertia at the joint, without the motor's own [kg·m²]."""
    torque: Number
    """Torque on the joint at the present speed [N·m]."""
    damping: Number = 0.0
    """How fast that torque falls with speed [N·m·s/rad]."""


@dataclass(frozen=True)
class LinearLoad:
    """A load of a host's own, linear around where the joint is at the start of a step."""

    torque: Number
    """Torque on the joint at the start of the step [N·m]."""
    inertia: Number
    """Inertia at the joint, without the motor's own [kg·m²]."""
    damping: Number
    """How fast the torque falls with speed [N·m·s/rad]."""
    stiffness: Number
    """How fast the torque falls with position [N·m/rad]."""
    position: Number
    """Joint position at the start of the step [rad]."""
    velocity: Number
    """Joint velocity at the start of the step [rad/s]."""


@REACTIONS.register(LinearLoad)
def linear_reaction(load: LinearLoad, memory: Memory, position: Number, velocity: Number, dt: Number) -> Reaction:
    """Damping acts at the speed of the end of the step, stiffness at the position of its end."""
    moved = position - load.position + dt * velocity
    torque = load.torque - load.damping * (velocity - load.velocity) - load.stiffness * moved
    return Reaction(load.inertia, torque, load.damping + dt * load.stiffness)


def react(load: object, memory: Memory, position: Number, velocity: Number, dt: Number) -> Reaction:
    """What a load does over a step that begins at a joint position and velocity."""
    return REACTIONS[type(load)](load, memory, position, velocity, dt)


def follow(load: object, memory: Memory, torque_on_joint: Number, dt: Number) -> Memory:
    """What the load remembers after the step, given the torque it put on the joint."""
    law = MEMORIES.get(type(load))
    return memory if law is None else law(load, memory, torque_on_joint, dt)
