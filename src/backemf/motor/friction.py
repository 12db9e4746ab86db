"""Friction models, and drag that grows with speed.

A model of dry friction is a part of the family "friction" with a law: `@budget_of(Kind)` in `physics/friction.py` for
its largest torque, or `@bristles_of(Kind)` in `physics/bristle.py` for bristles that bend.
"""

from __future__ import annotations

import numpy as np

from ..checks import Maybe, Number, concrete, no_entry, quote
from ..errors import ParameterError
from ..parts import number, numbers, one, part


class DryFriction:
    """What all models of dry friction have."""

    viscous: Number = 0.0
    """Friction torque per speed [N·m·s/rad]."""
    drags = False
    """Whether the viscous part is drag beside the dry friction; else it is in its budget."""
    by_load = False
    """Whether it depends on the torques of motor and load."""


class Bristles(DryFriction):
    """Dry friction of bristles, whose bend is a state of the motor."""

    stiffness: Number
    """Stiffness of the bristles [N·m/rad]."""


@part(family="friction")
class Coulomb(DryFriction):
    """Dry friction of constant size, exact at standstill."""

    coulomb: Number = number("N·m", least=0.0)
    """Friction torque."""


@part(family="friction")
class Dahl(Bristles):
    """Dry friction with elastic pre-sliding: a spring that slips."""

    coulomb: Number = number("N·m", above=0.0)
    """Friction torque when sliding."""
    stiffness: Number = number("N·m/rad", above=0.0)
    """Pre-sliding stiffness of the bristles."""


@part(family="friction")
class LuGre(Bristles):
    """Bristle friction with stiction, the Stribeck effect and micro-damping."""

    drags = True

    coulomb: Number = number("N·m", above=0.0)
    """Friction torque when sliding fast."""
    stiction: Number = number("N·m")
    """Friction torque at rest, at least the Coulomb torque."""
    stribeck_velocity: Number = number("rad/s", above=0.0)
    """Speed over which stiction falls to Coulomb friction."""
    stiffness: Number = number("N·m/rad", above=0.0)
    """Stiffness of the bristles."""
    damping: Number = number("N·m·s/rad", default=0.0, least=0.0)
    """Damping of the bristles at rest."""
    viscous: Number = number("N·m·s/rad", default=0.0, least=0.0)
    """Friction torque per speed."""
    stribeck_exponent: Number = number("1", default=2.0, above=0.0, neutral=2.0)
    """Exponent of the Stribeck curve, usually 1 or 2."""
    damping_exponent: Maybe = number("1", default=None, above=0.0)
    """Exponent with which the bristle damping dies away with speed; None: it is constant."""

    def __post_init__(self) -> None:
        coulomb, stiction = concrete(self.coulomb), concrete(self.stiction)
        if coulomb is not None and stiction is not None and (stiction < coulomb).any():
            raise ParameterError(
                f"LuGre.stiction = {self.stiction} N·m is below coulomb = {self.coulomb} N·m: "
                "friction at rest must be at least the friction when sliding"
            )


@part
class LoadShare:
    """Friction per transmitted torque, for driving and for being driven."""

    drive: Number = number("1", least=0.0)
    """Friction per torque of the motor."""
    back: Number = number("1", least=0.0)
    """Friction per torque of the load."""


@part
class Stribeck:
    """Friction that fades as exp(-|speed/velocity|^exponent)."""

    velocity: Number = number("rad/s", above=0.0)
    """Speed over which it fades."""
    exponent: Number = number("1", default=2.0, above=0.0)
    """How sharply it fades."""
    coulomb: Number = number("N·m", default=0.0, least=0.0)
    """Friction torque added at rest."""
    load: LoadShare | None = one(LoadShare, default=None)
    """Friction per transmitted torque added at rest."""


@part
class QuadraticShare:
    """Friction per squared torque while motor and load oppose each other."""

    drive: Number = number("1/(N·m)", least=0.0)
    """While the load is the stronger: per squared torque of the motor."""
    back: Number = number("1/(N·m)", least=0.0)
    """While the motor is the stronger: per squared torque of the load."""


@part(family="friction")
class LoadDependent(DryFriction):
    """Dry friction that grows with the torque through the gears: the family M1..M6.

    The groups that are None are left out: a `coulomb` and `viscous` alone are M1, all groups together are M6.
    """

    by_load = True

    coulomb: Number = number("N·m", least=0.0)
    """Friction torque without load."""
    viscous: Number = number("N·m·s/rad", default=0.0, least=0.0)
    """Friction torque per speed."""
    stribeck: Stribeck | None = one(Stribeck, default=None)
    """What is added near standstill (M2, M4, M5, M6)."""
    load: LoadShare | None = one(LoadShare, default=None)
    """What the transmitted torques add (M3 to M6)."""
    quadratic: QuadraticShare | None = one(QuadraticShare, default=None)
    """What opposing torques add in the square (M6)."""

    def __post_init__(self) -> None:
        if self.quadratic is not None and self.stribeck is None:
            raise ParameterError(
                "LoadDependent.quadratic fades with the Stribeck curve: give LoadDependent.stribeck too"
            )


@part
class Drag:
    """Viscous drag as a polynomial of the speed: B1·w + B2·w|w| + B3·w³ + ..."""

    coefficients: tuple[Number, ...] = numbers("N·m·s/rad")
    """B1, B2 per squared speed, ... of any order."""

    def __post_init__(self) -> None:
        if not isinstance(self.coefficients, (tuple, list)) or not self.coefficients:
            raise ParameterError(f"Drag.coefficients = {quote(self.coefficients)}: must be a tuple such as (B1, B2)")
        object.__setattr__(self, "coefficients", tuple(self.coefficients))
        for order, value in enumerate(self.coefficients, start=1):
            known = None if no_entry(value) else concrete(value)
            bad = known is not None and not (np.isfinite(known) & (known >= 0)).all()
            if bad or no_entry(value):
                raise ParameterError(
                    f"Drag.coefficients, B{order} = {quote(value)}: must be a finite number of at least 0"
                )
