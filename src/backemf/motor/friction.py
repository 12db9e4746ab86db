"""What rubs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..checks import Maybe, Number, concrete, leave_out, no_number, require, require_finite, require_part, shown
from ..errors import ParameterError
from ..tree import kind_of_numbers


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Coulomb:
    """Dry friction of constant size, exact at standstill."""

    coulomb: Number
    """Friction torque [N·m]."""

    def __post_init__(self) -> None:
        require(self, "coulomb", ">=")


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Dahl:
    """Dry friction with elastic pre-sliding: a spring that slips."""

    coulomb: Number
    """Friction torque when sliding [N·m]."""
    stiffness: Number
    """Pre-sliding stiffness of the bristles [N·m/rad]."""

    def __post_init__(self) -> None:
        require(self, "coulomb", ">")
        require(self, "stiffness", ">")


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class LuGre:
    """Bristle friction with stiction, the Stribeck effect and micro-damping."""

    coulomb: Number
    """Friction torque when sliding fast [N·m]."""
    stiction: Number
    """Friction torque at rest, at least the Coulomb torque [N·m]."""
    stribeck_velocity: Number
    """Speed over which stiction falls to Coulomb friction [rad/s]."""
    stiffness: Number
    """Stiffness of the bristles [N·m/rad]."""
    damping: Number = 0.0
    """Damping of the bristles at rest [N·m·s/rad]."""
    viscous: Number = 0.0
    """Friction torque per speed [N·m·s/rad]."""
    stribeck_exponent: Maybe = None
    """Exponent of the Stribeck curve, usually 1 or 2; None: 2."""
    damping_exponent: Maybe = None
    """Exponent with which the bristle damping dies away with speed; None: it is constant."""

    def __post_init__(self) -> None:
        for name in ("coulomb", "stribeck_velocity", "stiffness", "stribeck_exponent"):
            require(self, name, ">")
        require(self, "damping", ">=")
        require(self, "viscous", ">=")
        require(self, "damping_exponent", ">")
        leave_out(self, "stribeck_exponent", 2.0)
        require_finite(self, "stiction")
        coulomb, stiction = concrete(self.coulomb), concrete(self.stiction)
        if coulomb is not None and stiction is not None and (stiction < coulomb).any():
            raise ParameterError(
                f"LuGre.stiction = {self.stiction} N·m is below coulomb = {self.coulomb} N·m: "
                "friction at rest must be at least the friction when sliding"
            )


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class LoadDependent:
    """Dry friction that grows with the torque through the gears: the family M1..M6.

    The groups that are None are left out: a `coulomb` and `viscous` alone are M1, all groups together are M6.
    """

    coulomb: Number
    """Friction torque without load [N·m]."""
    viscous: Number = 0.0
    """Friction torque per speed [N·m·s/rad]."""
    stribeck: Stribeck | None = None
    """What is added near standstill (M2, M4, M5, M6)."""
    load: LoadShare | None = None
    """What the transmitted torques add (M3 to M6)."""
    quadratic: QuadraticShare | None = None
    """What opposing torques add in the square (M6)."""

    def __post_init__(self) -> None:
        require(self, "coulomb", ">=")
        require(self, "viscous", ">=")
        require_part(self, "stribeck", Stribeck)
        require_part(self, "load", LoadShare)
        require_part(self, "quadratic", QuadraticShare)
        if self.quadratic is not None and self.stribeck is None:
            raise ParameterError(
                "LoadDependent.quadratic fades with the Stribeck curve: give LoadDependent.stribeck too"
            )


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class LoadShare:
    """Friction per transmitted torque, for driving and for being driven."""

    drive: Number
    """Friction per torque of the motor [1]."""
    back: Number
    """Friction per torque of the load [1]."""

    def __post_init__(self) -> None:
        require(self, "drive", ">=")
        require(self, "back", ">=")


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Stribeck:
    """Friction that fades as exp(-|speed/velocity|^exponent)."""

    velocity: Number
    """Speed over which it fades [rad/s]."""
    exponent: Number = 2.0
    """How sharply it fades [1]."""
    coulomb: Number = 0.0
    """Friction torque added at rest [N·m]."""
    load: LoadShare | None = None
    """Friction per transmitted torque added at rest."""

    def __post_init__(self) -> None:
        require(self, "velocity", ">")
        require(self, "exponent", ">")
        require(self, "coulomb", ">=")
        require_part(self, "load", LoadShare)


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class QuadraticShare:
    """Friction per squared torque while motor and load oppose each other."""

    drive: Number
    """While the load is the stronger: per squared torque of the motor [1/(N·m)]."""
    back: Number
    """While the motor is the stronger: per squared torque of the load [1/(N·m)]."""

    def __post_init__(self) -> None:
        require(self, "drive", ">=")
        require(self, "back", ">=")


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Drag:
    """Viscous drag as a polynomial of the speed: B1·w + B2·w|w| + B3·w³ + ..."""

    coefficients: tuple[Number, ...]
    """B1 [N·m·s/rad], B2 [N·m·s²/rad²], ... of any order."""

    def __post_init__(self) -> None:
        if not isinstance(self.coefficients, (tuple, list)) or not self.coefficients:
            raise ParameterError(f"Drag.coefficients = {shown(self.coefficients)}: must be a tuple such as (B1, B2)")
        object.__setattr__(self, "coefficients", tuple(self.coefficients))
        for order, value in enumerate(self.coefficients, start=1):
            known = None if no_number(value) else concrete(value)
            bad = known is not None and not (np.isfinite(known) & (known >= 0)).all()
            if bad or value is None or no_number(value):
                raise ParameterError(
                    f"Drag.coefficients, B{order} = {shown(value)}: must be a finite number of at least 0"
                )
