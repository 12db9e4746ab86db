"""From what the hardware is to what a simulator's joint wants: gear trains, linear axes and linkages.

Pure functions of numbers or arrays of any engine: only arithmetic, so they broadcast and gradients flow through them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..checks import Maybe, Number, concrete, no_number, require_finite
from ..errors import ParameterError
from ..motor import Motor, Stage
from ..parts import number, part
from ..values import Array
from .sliding import slide_motor


def positive(name: str, value: Number, zero: bool = False) -> None:
    """Check that a number that is known now is finite and positive; raise `ParameterError` if not."""
    if value is None or no_number(value):
        raise ParameterError(f"{name} = {value!r}: must be a number or an array of them")
    known = concrete(value)
    if known is not None and not (np.isfinite(known) & ((known >= 0) if zero else (known > 0))).all():
        raise ParameterError(f"{name} = {value}: must be a finite number {'of at least' if zero else 'above'} 0")


def _require_not_zero(part: object, name: str, why: str) -> None:
    require_finite(part, name)
    known = concrete(getattr(part, name))
    if known is not None and (known == 0).any():
        raise ParameterError(f"{type(part).__name__}.{name} = 0: must not be zero; {why}")


# --- gear trains


def reflected_inertia(inertias: Number | tuple[Number, ...], ratios: Number | tuple[Number, ...]) -> Number:
    """Inertia that a joint feels behind a gear train [kg·m²].

    `ratios[i]` is the input speed over the output speed of stage i, from the motor to the joint. `inertias[i]` turns
    with the input of stage i; one more, if there is one, turns with the joint. Each counts with the square of all
    ratios behind it: J0·(N0·N1)² + J1·N1² + J2 for two stages. One number each is one stage.

    Tuples of equal length whose first ratio is 1, as mjlab has them, name the rotor as a stage of its own: that 1 is
    left out, and the last inertia turns with the joint. A real first stage of 1:1 has one inertia more than ratios.
    """
    masses = tuple(inertias) if isinstance(inertias, (tuple, list)) else (inertias,)
    stages = tuple(ratios) if isinstance(ratios, (tuple, list)) else (ratios,)
    if len(masses) not in (len(stages), len(stages) + 1):
        raise ParameterError(
            f"reflected_inertia: {len(masses)} inertias do not fit {len(stages)} ratios; "
            "give one at the input of each stage, and at most one more at the joint"
        )
    if len(masses) == len(stages) > 1 and _is_one(stages[0]):
        stages = stages[1:]
    for index, value in enumerate(masses):
        positive(f"inertias[{index}]", value, zero=True)
    total: Number = 0.0
    for index, inertia in enumerate(masses):
        turns: Number = 1.0
        for ratio in stages[index:]:
            turns = turns * ratio
        total = total + inertia * (turns * turns)
    return total


def _is_one(ratio: Number) -> bool:
    known = concrete(ratio)
    return known is not None and bool((known == 1.0).all())


def planetary_ratio(sun_teeth: Number, ring_teeth: Number) -> Number:
    """Ratio of a planetary stage, sun in, carrier out, ring held: 1 + ring/sun [1]."""
    positive("sun_teeth", sun_teeth)
    positive("ring_teeth", ring_teeth)
    return 1.0 + ring_teeth / sun_teeth


@part
class PlanetaryStage:
    """A planetary stage with a held ring, by its wheels. Planets mesh with sun and ring, so they have (ring - sun)/2
    teeth."""

    sun_teeth: Number = number("1", above=0.0)
    """Teeth of the sun, the input."""
    ring_teeth: Number = number("1", above=0.0)
    """Teeth of the ring, which is held."""
    orbit_radius: Number = number("m", above=0.0)
    """From the axis to the centre of a planet."""
    sun_inertia: Number = number("kg·m²", default=0.0, least=0.0)
    """Inertia of the sun about the axis."""
    planet_inertia: Number = number("kg·m²", default=0.0, least=0.0)
    """Inertia of one planet about its own centre."""
    planet_mass: Number = number("kg", default=0.0, least=0.0)
    """Mass of one planet."""
    planets: Number = number("1", default=3, above=0.0)
    """Number of planets."""
    carrier_inertia: Number = number("kg·m²", default=0.0, least=0.0)
    """Inertia of the carrier about the axis, without the planets."""

    def __post_init__(self) -> None:
        sun, ring = concrete(self.sun_teeth), concrete(self.ring_teeth)
        if sun is not None and ring is not None and (ring <= sun).any():
            raise ParameterError(
                f"PlanetaryStage.ring_teeth = {self.ring_teeth} must be above sun_teeth = {self.sun_teeth}: "
                "the planets turn between them"
            )

    @property
    def ratio(self) -> Number:
        """Speed of the sun over speed of the carrier [1]."""
        return planetary_ratio(self.sun_teeth, self.ring_teeth)

    @property
    def planet_ratio(self) -> Number:
        """Speed of a planet about its own centre over speed of the carrier [1]; it turns backwards.

        Rolling in the held ring, (w_planet - w_carrier)·planet_teeth = -w_carrier·ring_teeth.
        """
        return -(self.ring_teeth + self.sun_teeth) / (self.ring_teeth - self.sun_teeth)

    @property
    def output_inertia(self) -> Number:
        """Inertia of all wheels felt at the carrier [kg·m²]: twice their kinetic energy at 1 rad/s."""
        planet = self.planet_mass * self.orbit_radius**2 + self.planet_inertia * self.planet_ratio**2
        return self.sun_inertia * self.ratio**2 + self.carrier_inertia + self.planets * planet

    @property
    def input_inertia(self) -> Number:
        """The same felt at the sun [kg·m²], as `Stage.inertia` wants it."""
        return self.output_inertia / self.ratio**2

    def stage(self, efficiency: Maybe = None, back_efficiency: Maybe = None) -> Stage:
        """This stage for a `Gearbox`."""
        share: Any = efficiency
        return Stage(ratio=self.ratio, efficiency=share, back_efficiency=back_efficiency, inertia=self.input_inertia)


# --- from turning to sliding


class _Slide:
    """What turns into a straight motion: v = r·w, F = τ/r, m = J/r² with r the travel per radian."""

    efficiency: Number
    back_efficiency: Maybe

    @property
    def travel(self) -> Number:
        """Travel per angle r [m/rad]."""
        raise NotImplementedError

    def motor(self, motor: Motor) -> Motor:
        """The linear motor that the slide feels of a motor that turns the shaft: N/A for N·m/A, kg for kg·m²."""
        if self.back_efficiency is not None and not np.all(concrete(self.back_efficiency)):
            raise ParameterError(
                f"{type(self).__name__}.back_efficiency = 0: a motor behind what locks itself cannot be simulated; "
                "give what is left of the power, such as 0.01"
            )
        return slide_motor(motor, self.travel, self.efficiency, self.back_efficiency)

    def velocity(self, speed: Number) -> Number:
        """Velocity of the slide at a speed of the shaft [m/s]; also position from angle [m]."""
        return self.travel * speed

    def speed(self, velocity: Number) -> Number:
        """Speed of the shaft at a velocity of the slide [rad/s]; also angle from position [rad]."""
        return velocity / self.travel

    def mass(self, inertia: Number) -> Number:
        """Mass that a slide feels of an inertia on the shaft, the joint's armature [kg]."""
        return inertia / self.travel**2

    def inertia(self, mass: Number) -> Number:
        """Inertia that the shaft feels of a mass on the slide [kg·m²]."""
        return mass * self.travel**2

    def force(self, torque: Number) -> Number:
        """Force of a torque while the shaft drives, η·τ/r [N]."""
        return self.efficiency * torque / self.travel

    def torque(self, force: Number) -> Number:
        """Torque that a driving shaft needs for a force, F·r/η [N·m]."""
        return force * self.travel / self.efficiency

    def back_torque(self, force: Number) -> Number:
        """Torque on the shaft while the slide drives it with a force, ηb·F·r [N·m]."""
        share = self.efficiency if self.back_efficiency is None else self.back_efficiency
        return force * self.travel * share


@part(family="slide")
class LeadScrew(_Slide):
    """A screw that pushes a nut: r = lead/2π."""

    lead: Number = number("m")
    """Travel per turn; negative for a left-hand thread."""
    efficiency: Number = number("1", default=1.0, above=0.0, most=1.0, neutral=1.0)
    """Power out over power in while the screw drives; 1: nothing is lost."""
    back_efficiency: Maybe = number("1", default=None, least=0.0, most=1.0)
    """Power out over power in while the nut drives; 0: self-locking; None: the same as `efficiency`."""

    def __post_init__(self) -> None:
        _require_not_zero(self, "lead", "it is the travel per turn")

    @property
    def travel(self) -> Number:
        """Travel per angle r [m/rad]."""
        return self.lead / (2.0 * math.pi)


@part(family="slide")
class Belt(_Slide):
    """A pulley that pulls a belt, or a pinion that pushes a rack: r is its pitch radius."""

    radius: Number = number("m")
    """Pitch radius; negative if the slide moves the other way."""
    efficiency: Number = number("1", default=1.0, above=0.0, most=1.0, neutral=1.0)
    """Power out over power in while the pulley drives; 1: nothing is lost."""
    back_efficiency: Maybe = number("1", default=None, least=0.0, most=1.0)
    """Power out over power in while the belt drives; None: the same as `efficiency`."""

    def __post_init__(self) -> None:
        _require_not_zero(self, "radius", "it is the travel per radian")

    @property
    def travel(self) -> Number:
        """Travel per angle r [m/rad]."""
        return self.radius


# --- several motors on several joints


@dataclass(frozen=True)
class Linkage:
    """A parallel linkage at one configuration: speeds of n motors from speeds of m joints, w = J·v.

    Work is kept, so torques go the other way: τ = Jᵀ·τ_motor. Two motors that both turn one joint have J = [[1], [1]];
    an ankle whose motors turn alike for pitch and against each other for roll has J = [[1, 1], [1, -1]]. There the
    rule of adding up the motors is exact; elsewhere J says how far off it is.
    """

    jacobian: Any  # an array of any library, or rows of numbers
    """Motor speed per joint speed [1], of shape (..., n motors, m joints)."""

    def __post_init__(self) -> None:
        if isinstance(self.jacobian, (list, tuple)):
            object.__setattr__(self, "jacobian", np.asarray(self.jacobian, dtype=float))
        if len(getattr(self.jacobian, "shape", ())) < 2:
            raise ParameterError(
                "Linkage.jacobian: must be an array with a row for each motor and a column for each joint"
            )
        known = concrete(self.jacobian)
        if known is not None and not np.isfinite(known).all():
            raise ParameterError("Linkage.jacobian: must be finite numbers; near a singular configuration it has none")

    def motor_speed(self, joint_speed: Array) -> Number:
        """Speeds of the motors [rad/s] at speeds of the joints [rad/s], on the last axis."""
        return (self.jacobian @ joint_speed[..., None])[..., 0]

    def joint_torque(self, motor_torque: Number) -> Number:
        """Torques at the joints of torques of the motors, Jᵀ·τ [N·m]; one number is the same for every motor."""
        return (self.jacobian * _column(motor_torque)).sum(-2)

    def effort_limit(self, motor_limit: Number) -> Number:
        """Largest torque at each joint, Σ|J|·limit [N·m]. All joints do not have it at once: they share the motors."""
        return (abs(self.jacobian) * _column(motor_limit)).sum(-2)

    def matrix(self, values: Number) -> Number:
        """Jᵀ·diag(values)·J: inertias, dampings or stiffnesses of the motors as the joints feel them, with coupling."""
        return self.jacobian.swapaxes(-1, -2) @ (self.jacobian * _column(values))

    def diagonal(self, values: Number) -> Number:
        """Diagonal of `matrix(values)`: what one armature, damping or stiffness per joint can hold of it."""
        return (self.jacobian * self.jacobian * _column(values)).sum(-2)


def _column(values: Any) -> Number:
    """One value per motor as a column beside the rows of a Jacobian; one number for all stays one."""
    values = np.asarray(values, dtype=float) if isinstance(values, (list, tuple)) else values
    return values[..., None] if getattr(values, "ndim", 0) else values
