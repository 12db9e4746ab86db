"""What a motor moves: small frozen groups of constants, all at the joint, each with the law of its torque.

A load is a part of the family "load" with a law, `@reaction_of(Kind)`. One that remembers something names it in
`remembers` and has a second law, `@memory_of(Kind)`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from .checks import Number, require_rising_table
from .errors import ParameterError
from .parts import number, part, table
from .physics.load import MEMORIES, REACTIONS, Memory, Reaction, react
from .physics.ops import absolute, interpolate, maximum, minimum, sin, where

reaction_of, memory_of = REACTIONS.register, MEMORIES.register


class BaseLoad:
    """What all loads have."""

    remembers: ClassVar[tuple[str, ...]] = ()
    """Names of what it remembers between steps, which starts as position and velocity of the joint."""


@part(family="load", kw_only=False)
class Inertia(BaseLoad):
    """A turning mass, with bearings that may drag."""

    inertia: Number = number("kg·m²", least=0.0)
    """Moment of inertia at the joint, without the motor's own."""
    damping: Number = number("N·m·s/rad", default=0.0, least=0.0)
    """Drag torque per speed."""


@reaction_of(Inertia)
def inertia_reaction(load: Inertia, memory: Memory, position: Number, velocity: Number, dt: Number) -> Reaction:
    """Bearings that drag."""
    return Reaction(load.inertia, -load.damping * velocity, load.damping)


@part(family="load", called="torque")
class ConstantTorque(BaseLoad):
    """A turning mass that something pulls on, such as a weight on a drum."""

    torque: Number = number("N·m")
    """Torque on the joint; negative hinders positive motion."""
    inertia: Number = number("kg·m²", default=0.0, least=0.0)
    """Moment of inertia at the joint, without the motor's own."""


@reaction_of(ConstantTorque)
def constant_reaction(load: ConstantTorque, memory: Memory, position: Number, velocity: Number, dt: Number) -> Reaction:
    """The same torque at every speed."""
    return Reaction(load.inertia, load.torque)


@part(family="load")
class Pendulum(BaseLoad):
    """A weight on an arm; at position 0 it hangs straight down."""

    mass: Number = number("kg", least=0.0)
    """Weight at the end of the arm."""
    length: Number = number("m", above=0.0)
    """Length of the arm."""
    arm_mass: Number = number("kg", default=0.0, least=0.0)
    """Mass of the arm itself, a uniform rod."""
    damping: Number = number("N·m·s/rad", default=0.0, least=0.0)
    """Drag torque per speed."""
    gravity: Number = number("m/s²", default=9.80665, least=0.0)
    """Acceleration of gravity."""
    offset: Number = number("rad", default=0.0)
    """Angle by which position 0 is off the vertical."""
    inertia: Number = number("kg·m²", default=0.0, least=0.0)
    """Moment of inertia that turns along and has no weight, without the motor's own."""


def pendulum_torque(position: Number, p: Pendulum) -> Number:
    """Torque of gravity on weight and arm [N·m]."""
    return -(p.mass + 0.5 * p.arm_mass) * p.gravity * p.length * sin(position + p.offset)


def pendulum_inertia(p: Pendulum) -> Number:
    """Weight at the end of the arm and a uniform rod [kg·m²]."""
    return (p.mass + p.arm_mass / 3.0) * p.length * p.length + p.inertia


@reaction_of(Pendulum)
def pendulum_reaction(load: Pendulum, memory: Memory, position: Number, velocity: Number, dt: Number) -> Reaction:
    """Gravity and drag."""
    inertia, torque = pendulum_inertia(load), pendulum_torque(position, load) - load.damping * velocity
    # a step longer than gravity swings the arm sees part of the way that it goes, and gains no energy from it
    gravity = (load.mass + 0.5 * load.arm_mass) * load.gravity * load.length
    brake = maximum(gravity * dt - inertia / dt, 0.0)
    return Reaction(inertia, torque - brake * velocity, load.damping + brake)


@part(family="load")
class Fan(BaseLoad):
    """A propeller or pump: its torque grows with the square of the speed."""

    coefficient: Number = number("N·m·s²/rad²", least=0.0)
    """Torque per squared speed."""
    inertia: Number = number("kg·m²", default=0.0, least=0.0)
    """Moment of inertia at the joint, without the motor's own."""


def fan_torque(speed: Number, f: Fan) -> Number:
    """Torque of the air, against the motion [N·m]."""
    return f.coefficient * speed * absolute(speed)


@reaction_of(Fan)
def fan_reaction(load: Fan, memory: Memory, position: Number, velocity: Number, dt: Number) -> Reaction:
    """The speed at the end meets the coefficient of the start, which never pushes."""
    return Reaction(load.inertia, -fan_torque(velocity, load), load.coefficient * absolute(velocity))


@part(family="load")
class TwoMass(BaseLoad):
    """A mass at the joint that drives another one through a spring with backlash: a belt, a coupling, a soft gear."""

    remembers = ("far_position", "far_velocity")

    inertia: Number = number("kg·m²", least=0.0)
    """Moment of inertia at the joint, without the motor's own."""
    far_inertia: Number = number("kg·m²", above=0.0)
    """Moment of inertia behind the spring."""
    stiffness: Number = number("N·m/rad", above=0.0)
    """Stiffness of the spring."""
    damping: Number = number("N·m·s/rad", default=0.0, least=0.0)
    """Damping of the spring while it is tight."""
    backlash: Number = number("rad", default=0.0, least=0.0)
    """Backlash of the spring, from flank to flank."""
    far_torque: Number = number("N·m", default=0.0)
    """Torque on the far mass."""


def tight_twist(twist: Number, backlash: Number) -> Number:
    """Twist beyond the backlash [rad]."""
    return twist - maximum(minimum(twist, 0.5 * backlash), -0.5 * backlash)


def spring(twist: Number, twist_rate: Number, dt: Number, m: TwoMass) -> tuple[Number, Number]:
    """Torque of the spring at the end of the step if the speeds stayed, and how it grows with the rate of twist."""
    ahead = tight_twist(twist + dt * twist_rate, m.backlash)
    tight = where(absolute(ahead) > 0.0, 1.0, 0.0)
    return m.stiffness * ahead + tight * m.damping * twist_rate, tight * (dt * m.stiffness + m.damping)


@reaction_of(TwoMass)
def spring_reaction(load: TwoMass, memory: Memory, position: Number, velocity: Number, dt: Number) -> Reaction:
    """The far mass yields within the step: its speed is eliminated from the spring's implicit torque."""
    far_position, far_velocity = memory
    torque, stiffening = spring(position - far_position, velocity - far_velocity, dt, load)
    mobility = dt / load.far_inertia
    share = 1.0 / (1.0 + stiffening * mobility)
    return Reaction(load.inertia, -share * (torque - stiffening * mobility * load.far_torque), share * stiffening)


@memory_of(TwoMass)
def far_mass(load: TwoMass, memory: Memory, torque_on_joint: Number, dt: Number) -> Memory:
    """Position and velocity of the far mass after the step."""
    far_position, far_velocity = memory
    far_velocity = far_velocity + dt * (load.far_torque - torque_on_joint) / load.far_inertia
    return far_position + dt * far_velocity, far_velocity


@part(family="load", called="locked")
class LockedRotor(BaseLoad):
    """A joint that is held still."""


@part(family="load")
class PrescribedMotion(BaseLoad):
    """A joint that is moved along a table, whatever the motor does: a dynamometer."""

    time: np.ndarray = table("s")
    """Times of the table, rising."""
    position: np.ndarray = table("rad")
    """Joint positions at those times, linear in between."""

    def __post_init__(self) -> None:
        for name in ("time", "position"):
            try:
                object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=float))
            except (TypeError, ValueError, OverflowError):
                raise ParameterError(f"PrescribedMotion.{name}: must be a list of numbers") from None
        require_rising_table(self, "time", "position", two=True)

    def at(self, time: np.ndarray) -> np.ndarray:
        """Positions at given times; the ends hold [rad]."""
        return np.interp(time, self.time, self.position)


def prescribed_position(load: PrescribedMotion, time: Number) -> Number:
    """Position at a time; the ends hold [rad]."""
    return interpolate(time, load.time, load.position)


Load = Inertia | ConstantTorque | Pendulum | Fan | TwoMass | LockedRotor | PrescribedMotion
"""Everything a motor can be simulated with."""
KINEMATIC = (LockedRotor, PrescribedMotion)
"""Loads whose motion is prescribed."""


def inertia_of(load: Load) -> Number:
    """Inertia of a load at the joint, without the motor's own [kg·m²]; not for prescribed motion."""
    return react(load, (0.0,) * len(load.remembers), 0.0, 0.0, 1.0).inertia


def with_inertia(load: Load, inertia: Number) -> Load:
    """The load with more inertia at the joint [kg·m²]; one whose motion is prescribed does not change."""
    if isinstance(load, KINEMATIC) or inertia == 0.0:
        return load
    return replace(load, inertia=load.inertia + inertia)
