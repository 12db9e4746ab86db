"""What becomes of a joint's own numbers when a motor is put on it, in rows that say it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ....errors import ParameterError

WAYS = ("replace", "add")
"""What a motor's number does to that of the joint."""


@dataclass(frozen=True)
class Change:
    """What becomes of something that the specification had; as a text, its sentence."""

    what: str
    """What it is: "actuator", "armature", "frictionloss", "damping", "keyframes", "sensors" or "integrator"."""
    status: str
    """"kept", "replaced", "added", "set", "removed", "changed"; of an integrator "stable", "unstable", "unknown"."""
    note: str
    """One sentence with the numbers before and after."""

    def __str__(self) -> str:
        return self.note


def units_of(slide: bool) -> dict[str, tuple[str, ...]]:
    """Units of a joint's numbers, by order where a number has several."""
    if slide:
        return {"armature": ("kg",), "frictionloss": ("N",), "damping": ("N·s/m", "N·s²/m²", "N·s³/m³")}
    return {
        "armature": ("kg·m²",),
        "frictionloss": ("N·m",),
        "damping": ("N·m·s/rad", "N·m·s²/rad²", "N·m·s³/rad³"),
    }


def amount(values: tuple[float, ...], units: tuple[str, ...]) -> str:
    """Numbers with their units; of several orders those that are not 0."""
    pairs = [(value, unit) for value, unit in zip(values, units, strict=False) if value] or [(values[0], units[0])]
    return " and ".join(f"{value:.6g} {unit}" for value, unit in pairs)


def numbers_of(value: Any) -> tuple[float, ...]:
    """A number or a row of them, as a row."""
    return tuple(float(x) for x in np.ravel(value))


def set_joint(
    hinge: Any, new: dict[str, tuple[float, ...]], ways: dict[str, str], slide: bool, bristles: bool
) -> list[Change]:
    """Inertia and friction of the joint; `new` holds what the motor says, in its joint or in its actuator.

    `bristles`: whether the motor's dry friction is that of bristles, which stand in the actuator too.
    """
    units, changes = units_of(slide), []
    for name in ("armature", "frictionloss", "damping"):
        old, unit = numbers_of(getattr(hinge, name)), units[name]
        if name not in new:
            if any(old):
                changes.append(
                    Change(name, "kept", f"{_with_amount(name, old, unit)} of the joint kept: the motor has none.")
                )
            continue
        motor, adds = new[name], ways[name] == "add"
        # drag stands in the actuator, beside the joint's own
        written = tuple(0.0 for _ in old) if name == "damping" else motor
        after = tuple(a + b for a, b in zip(old, written, strict=True)) if adds else written
        setattr(hinge, name, after[0] if len(after) == 1 else list(after))
        change = _change(name, old, motor, unit, adds)
        if name == "frictionloss" and bristles:
            change = replace(change, note=f"{change.note} Its dry friction is that of bristles, in the actuator.")
        changes.append(change)
    return changes


def _with_amount(name: str, values: tuple[float, ...], unit: tuple[str, ...]) -> str:
    return f"{name} {amount(values, unit)}"


def _change(name: str, old: tuple[float, ...], motor: tuple[float, ...], unit: tuple[str, ...], adds: bool) -> Change:
    if not any(old):
        return Change(name, "set", f"{_with_amount(name, motor, unit)} of the motor; the joint had none.")
    if adds:
        both = amount(tuple(a + b for a, b in zip(old, (*motor, 0.0, 0.0), strict=False)), unit)
        return Change(
            name,
            "added",
            f"{_with_amount(name, motor, unit)} of the motor added to {amount(old, unit)} of the joint: {both}.",
        )
    return Change(
        name,
        "replaced",
        f"{_with_amount(name, old, unit)} of the joint replaced by {amount(motor, unit)} of the motor.",
    )


def require_way(name: str, way: Any) -> str:
    """One of the ways; raises one sentence otherwise."""
    if way not in WAYS:
        raise ParameterError(f"{name} = {way!r}: must be 'replace' or 'add'")
    return way
