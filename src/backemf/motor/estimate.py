"""Which numbers of a motor are estimates, and how good they are."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import ParameterError
from ..units import format_quantity, practical_unit

if TYPE_CHECKING:
    from .motor import Motor

PHENOMENA: dict[str, tuple[str, ...]] = {
    "rotor inertia": ("rotor.inertia",),
    "dry friction": ("friction.coulomb",),
    "inductance": ("winding.inductance",),
    "winding heat": ("thermal.winding_resistance", "thermal.winding_capacitance"),
    "housing heat": ("thermal.housing_resistance", "thermal.housing_capacitance"),
}
"""The numbers of a motor behind each phenomenon of a loss table that can be estimated."""


@dataclass(frozen=True)
class Estimate:
    """A number that stands in for one that the maker does not print, at the motor, in SI."""

    name: str
    """Its dotted name in the motor, such as `"rotor.inertia"`."""
    value: float
    """The estimate."""
    low: float
    """Lower end of the range that holds the true number in nine of ten motors."""
    high: float
    """Upper end of that range."""
    unit: str
    """SI unit, as `units.format_quantity` takes it."""
    rule: str
    """How it was found, in one sentence."""

    def __post_init__(self) -> None:
        for name in ("name", "unit", "rule"):
            if not isinstance(getattr(self, name), str):
                raise ParameterError(f"Estimate.{name} = {getattr(self, name)!r}: must be a text")
        for name in ("value", "low", "high"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not np.isfinite(value):
                raise ParameterError(f"Estimate.{name} = {value!r}: must be a finite number")
        if not 0.0 < self.low <= self.value <= self.high:
            raise ParameterError(
                f"Estimate({self.name}): low = {self.low:g}, value = {self.value:g}, high = {self.high:g}: "
                "must be positive and in this order"
            )

    def __str__(self) -> str:
        value, low, high = self.texts()
        return f"{self.name} {value} (estimate, 90 % between {low} and {high}): {self.rule}"

    def texts(self) -> tuple[str, str, str]:
        """Value, lower and upper end for people, all in the unit that suits the value."""
        unit = practical_unit(self.value, self.unit)
        value, low, high = (format_quantity(x, unit, 2) for x in (self.value, self.low, self.high))
        return value, low, high


def still_estimated(motor: Motor) -> tuple[Estimate, ...]:
    """The estimates that still hold: one whose number was replaced is left out."""
    return tuple(estimate for estimate in motor.estimates if _holds(motor, estimate))


def estimates_behind(motor: Motor, phenomenon: str) -> tuple[Estimate, ...]:
    """The estimates that a phenomenon, in the words of the loss table, rests on; empty where all is known."""
    names = PHENOMENA.get(phenomenon, ())
    return tuple(estimate for estimate in still_estimated(motor) if estimate.name in names)


def estimate_of(motor: Motor, name: str) -> Estimate | None:
    """The estimate behind one number of a motor, such as `"rotor.inertia"`; None: it is no estimate."""
    return next((estimate for estimate in still_estimated(motor) if estimate.name == name), None)


def mark(motor: Motor, name: str, factor: float = 1.0, plus: float = 0.0) -> str:
    """What to write behind the source of `factor·number + plus`: `"; estimate, 90 % between 1.2e-05 and 0.0004"`.

    Empty where the number is no estimate.
    """
    found = estimate_of(motor, name)
    if found is None:
        return ""
    low, high = (f"{factor * end + plus:.2g}" for end in (found.low, found.high))
    return f"; estimate, 90 % between {low} and {high}"


def heat_mark(motor: Motor) -> str:
    """What to write behind the source of thermal figures; empty where none of them is an estimate."""
    found = [e for phenomenon in ("winding heat", "housing heat") for e in estimates_behind(motor, phenomenon)]
    parts = [f"{e.name.removeprefix('thermal.')} 90 % between {e.texts()[1]} and {e.texts()[2]}" for e in found]
    return f"; estimates: {', '.join(parts)}" if parts else ""


def _holds(motor: Motor, estimate: Estimate) -> bool:
    """Whether the number is still the estimated one; one that is being traced is taken to be."""
    part: object = motor
    for word in estimate.name.split("."):
        if not is_dataclass(part) or word not in {entry.name for entry in fields(part)}:
            return False
        part = getattr(part, word)
    if part is None:
        return False
    try:
        known = np.asarray(part, dtype=float)
    except (TypeError, ValueError, RuntimeError):
        return True
    # single precision is the same number
    return bool(np.allclose(known, estimate.value, rtol=1e-6, atol=0.0))
