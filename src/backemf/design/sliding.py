"""A motor that turns a screw or a pulley, as the linear motor that the slide feels.

Every number is brought to the slide by its unit: with r the travel per radian, a torque becomes a force τ/r, an angle a
length r·q and an inertia a mass J/r². Gears stay as they are: the screw stands, so to speak, before them.
"""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass, replace
from typing import TypeVar

from ..checks import Number, concrete, quote
from ..errors import ParameterError
from ..motor import Drag, Gearbox, Harmonic, Motor, Stage
from ..motor.estimate import Estimate
from ..motor.thermistor import PhaseHeat
from ..parts import declaration_of
from ..units import linear_unit
from ..values import Foreign

P = TypeVar("P")

POWERS = {"kg·m²": -2, "N·m": -1, "rad": 1}
"""Power of the travel that each unit of a turning joint takes along [1]."""
OWN_POWERS = {
    (Harmonic, "periodicity"): -1, (Harmonic, "phase"): 0, (PhaseHeat, "pole_pairs"): -1, (PhaseHeat, "phase"): 0,
}  # fmt: skip
"""The same of numbers whose unit does not say it: waves per turn, and where in a wave it begins [1]."""
_UNIT = re.compile(r"(kg·m²|N·m|rad)(²?)")


def power_of(unit: str | None) -> int:
    """Power of the travel per radian that brings a quantity of a unit to the slide [1]: -2 for N·m·s/rad."""
    above, _, below = (unit or "").partition("/")
    total = 0
    for sign, side in ((1, above), (-1, below)):
        total += sign * sum(POWERS[word] * (2 if squared else 1) for word, squared in _UNIT.findall(side))
    return total


def slide_part(part: P, travel: Number) -> P:
    """A part with all its numbers at the slide; `travel` is how far that goes per radian, above 0 [m/rad]."""
    if isinstance(part, Drag):
        # of order n, per speed to the n
        return replace(part, coefficients=tuple(b / travel ** (n + 2) for n, b in enumerate(part.coefficients)))
    given: Foreign = part
    changes: dict[str, Foreign] = {}
    for entry in fields(given):
        value, it = getattr(part, entry.name), declaration_of(entry)
        if value is None or it is None:
            continue
        if is_dataclass(value):
            changes[entry.name] = slide_part(value, travel)
        elif it.role == "parts":
            changes[entry.name] = tuple(slide_part(each, travel) for each in value)
        elif it.role in ("number", "numbers", "table"):
            power = OWN_POWERS.get((type(part), entry.name), power_of(it.unit))
            if power:
                changes[entry.name] = _times(value, travel**power)
    return replace(given, **changes)


def _times(value: Foreign, factor: Number) -> Foreign:
    return tuple(each * factor for each in value) if isinstance(value, tuple) else value * factor


def slide_motor(motor: Motor, travel: Number, efficiency: Number, back_efficiency: Number | None) -> Motor:
    """The linear motor that a slide feels of a motor behind a screw or a pulley."""
    if not isinstance(motor, Motor):
        raise ParameterError(f"motor = {quote(motor)}: must be a Motor that turns the screw or the pulley")
    if motor.motion == "linear":
        raise ParameterError(f"{motor.name or 'Motor'} is a linear motor already; give one that turns")
    known = concrete(travel)
    if known is None or known.size != 1:
        raise ParameterError("a motor on a slide needs one travel per turn, a plain number")
    far = abs(float(known.reshape(())))
    made = slide_part(replace(motor, estimates=()), far)
    gearbox, way = made.gearbox, 1.0 if float(known.reshape(())) > 0.0 else -1.0
    if way < 0.0 or efficiency != 1.0 or back_efficiency is not None:
        screw = Stage(ratio=way, efficiency=efficiency, back_efficiency=back_efficiency)
        gearbox = Gearbox(stages=(screw,)) if gearbox is None else replace(gearbox, stages=(*gearbox.stages, screw))
    estimates = tuple(_slide_estimate(each, far) for each in motor.valid_estimates)
    return replace(made, gearbox=gearbox, motion="linear", estimates=estimates)


def _slide_estimate(estimate: Estimate, travel: float) -> Estimate:
    factor = travel ** power_of(estimate.unit.replace("*", "·").replace("^2", "²"))
    values = {name: getattr(estimate, name) * factor for name in ("value", "low", "high")}
    return replace(estimate, unit=linear_unit(estimate.unit), **values)
