"""What a motor moves: small frozen groups of constants, all at the joint."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .checks import Number, require_rising_table
from .errors import ParameterError
from .parts import number, part, table


@part(family="load", kw_only=False)
class Inertia:
    """A turning mass, with bearings that may drag."""

    inertia: Number = number("kg·m²", least=0.0)
    """Moment of inertia at the joint, without the motor's own."""
    damping: Number = number("N·m·s/rad", default=0.0, least=0.0)
    """Drag torque per speed."""


@part(family="load", called="torque")
class ConstantTorque:
    """A turning mass that something pulls on, such as a weight on a drum."""

    torque: Number = number("N·m")
    """Torque on the joint; negative hinders positive motion."""
    inertia: Number = number("kg·m²", default=0.0, least=0.0)
    """Moment of inertia at the joint, without the motor's own."""


@part(family="load")
class Pendulum:
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


@part(family="load")
class Fan:
    """A propeller or pump: its torque grows with the square of the speed."""

    coefficient: Number = number("N·m·s²/rad²", least=0.0)
    """Torque per squared speed."""
    inertia: Number = number("kg·m²", default=0.0, least=0.0)
    """Moment of inertia at the joint, without the motor's own."""


@part(family="load")
class TwoMass:
    """A mass at the joint that drives another one through a spring with backlash: a belt, a coupling, a soft gear."""

    inertia: Number = number("kg·m²", least=0.0)
    """Moment of inertia at the joint, without the motor's own."""
    far_inertia: Number = number("kg·m²", above=0.0)
    """Moment of inertia behind the spring."""
    stiffness: Number = number("N·m/rad", above=0.0)
    """Stiffness of the spring."""
    damping: Number = number("N·m·s/rad", default=0.0, least=0.0)
    """Damping of the spring while it is tight."""
    backlash: Number = number("rad", default=0.0, least=0.0)
    """Backlash before the spring, from flank to flank."""
    far_torque: Number = number("N·m", default=0.0)
    """Torque on the far mass."""


@part(family="load", called="locked")
class LockedRotor:
    """A joint that is held still."""


@part(family="load")
class PrescribedMotion:
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


Load = Inertia | ConstantTorque | Pendulum | Fan | TwoMass | LockedRotor | PrescribedMotion
"""Everything a motor can be simulated with."""
KINEMATIC = (LockedRotor, PrescribedMotion)
"""Loads whose motion is prescribed."""


def with_inertia(load: Load, inertia: float) -> Load:
    """The load with more inertia at the joint [kg·m²]; one whose motion is prescribed does not change."""
    if isinstance(load, KINEMATIC) or inertia == 0.0:
        return load
    return replace(load, inertia=load.inertia + inertia)
