"""What a motor moves: small frozen groups of constants, all at the joint."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .checks import Number, require, require_finite
from .errors import ParameterError
from .tree import kind_of_numbers


@kind_of_numbers
@dataclass(frozen=True)
class Inertia:
    """A turning mass, with bearings that may drag."""

    inertia: Number
    """Moment of inertia at the joint, without the motor's own [kg·m²]."""
    damping: Number = 0.0
    """Drag torque per speed [N·m·s/rad]."""

    def __post_init__(self) -> None:
        require(self, "inertia", ">=")
        require(self, "damping", ">=")


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class ConstantTorque:
    """A turning mass that something pulls on, such as a weight on a drum."""

    torque: Number
    """Torque on the joint [N·m]; negative hinders positive motion."""
    inertia: Number = 0.0
    """Moment of inertia at the joint, without the motor's own [kg·m²]."""

    def __post_init__(self) -> None:
        require_finite(self, "torque")
        require(self, "inertia", ">=")


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Pendulum:
    """A weight on an arm; at position 0 it hangs straight down."""

    mass: Number
    """Weight at the end of the arm [kg]."""
    length: Number
    """Length of the arm [m]."""
    arm_mass: Number = 0.0
    """Mass of the arm itself, a uniform rod [kg]."""
    damping: Number = 0.0
    """Drag torque per speed [N·m·s/rad]."""
    gravity: Number = 9.80665
    """Acceleration of gravity [m/s²]."""
    offset: Number = 0.0
    """Angle by which position 0 is off the vertical [rad]."""
    inertia: Number = 0.0
    """Moment of inertia that turns along and has no weight, without the motor's own [kg·m²]."""

    def __post_init__(self) -> None:
        require(self, "mass", ">=")
        require(self, "length", ">")
        require(self, "arm_mass", ">=")
        require(self, "damping", ">=")
        require(self, "gravity", ">=")
        require(self, "inertia", ">=")
        require_finite(self, "offset")


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Fan:
    """A propeller or pump: its torque grows with the square of the speed."""

    coefficient: Number
    """Torque per squared speed [N·m·s²/rad²]."""
    inertia: Number = 0.0
    """Moment of inertia at the joint, without the motor's own [kg·m²]."""

    def __post_init__(self) -> None:
        require(self, "coefficient", ">=")
        require(self, "inertia", ">=")


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class TwoMass:
    """A mass at the joint that drives another one through a spring with play: a belt, a coupling, a soft gear."""

    inertia: Number
    """Moment of inertia at the joint, without the motor's own [kg·m²]."""
    far_inertia: Number
    """Moment of inertia behind the spring [kg·m²]."""
    stiffness: Number
    """Stiffness of the spring [N·m/rad]."""
    damping: Number = 0.0
    """Damping of the spring while it is tight [N·m·s/rad]."""
    backlash: Number = 0.0
    """Free play of the spring, from flank to flank [rad]."""
    far_torque: Number = 0.0
    """Torque on the far mass [N·m]."""

    def __post_init__(self) -> None:
        require(self, "inertia", ">=")
        for name in ("far_inertia", "stiffness"):
            require(self, name, ">")
        for name in ("damping", "backlash"):
            require(self, name, ">=")
        require_finite(self, "far_torque")


@kind_of_numbers
@dataclass(frozen=True)
class LockedRotor:
    """A joint that is held still."""


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class PrescribedMotion:
    """A joint that is moved along a table, whatever the motor does: a dynamometer."""

    time: np.ndarray
    """Times of the table, rising [s]."""
    position: np.ndarray
    """Joint positions at those times, linear in between [rad]."""

    def __post_init__(self) -> None:
        for name in ("time", "position"):
            try:
                object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=float))
            except (TypeError, ValueError, OverflowError):
                raise ParameterError(f"PrescribedMotion.{name}: must be a list of numbers") from None
        if self.time.ndim != 1 or self.time.shape != self.position.shape or len(self.time) < 2:
            raise ParameterError(
                f"PrescribedMotion: time {self.time.shape} and position {self.position.shape} must be two lists "
                "of one length, two or more"
            )
        for name in ("time", "position"):
            bad = np.flatnonzero(~np.isfinite(getattr(self, name)))
            if len(bad):
                raise ParameterError(
                    f"PrescribedMotion.{name}[{bad[0]}] = {getattr(self, name)[bad[0]]}: must be finite"
                )
        falls = np.flatnonzero(np.diff(self.time) <= 0)
        if len(falls):
            raise ParameterError(
                f"PrescribedMotion.time[{falls[0] + 1}] = {self.time[falls[0] + 1]:g} s: must be after the one before"
            )

    def at(self, time: np.ndarray) -> np.ndarray:
        """Positions at given times; the ends hold [rad]."""
        return np.interp(time, self.time, self.position)


Load = Inertia | ConstantTorque | Pendulum | Fan | TwoMass | LockedRotor | PrescribedMotion
"""Everything a motor can be simulated with."""
KINEMATIC = (LockedRotor, PrescribedMotion)
"""Loads that move as they please."""


def with_inertia(load: Load, inertia: float) -> Load:
    """The load with more inertia at the joint [kg·m²]; one whose motion is prescribed stays as it is."""
    if isinstance(load, KINEMATIC) or inertia == 0.0:
        return load
    return replace(load, inertia=load.inertia + inertia)
