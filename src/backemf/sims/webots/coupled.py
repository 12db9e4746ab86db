"""Motors that share a name: `"name::specifier"` couples them, and the first one's limits hold for all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from .motor import WebotsMotor


def groups(names: list[str]) -> dict[str, list[str]]:
    """The motors of each coupling by what stands before `::`; a name must have exactly two parts."""
    found: dict[str, list[str]] = {}
    for name in names:
        parts = name.split("::")
        if len(parts) == 2:
            found.setdefault(parts[0], []).append(name)
    return found


def couple_motors(motors: Mapping[str, WebotsMotor]) -> tuple[dict[str, WebotsMotor], list[str]]:
    """The motors of one robot with the limits that Webots gives to coupled ones, in the order of the robot; and its
    warnings."""
    known, messages = dict(motors), []
    for group in groups(list(motors)).values():
        if len(group) == 1:
            messages.append(f"Motor '{group[0]}' uses the coupled motor name structure but does not have any siblings.")
            continue
        first, *others = group
        for other in others:
            known[other], said = _following(first, known[first], known[other])
            messages += said
    return known, messages


def _following(name: str, leader: WebotsMotor, motor: WebotsMotor) -> tuple[WebotsMotor, list[str]]:
    """A motor with the limits of the first of its coupling. Webots names the first one in what it says."""
    messages = []
    ratio = motor.multiplier / leader.multiplier
    low, high = sorted((leader.min_position * ratio, leader.max_position * ratio))
    if (leader.min_position, leader.max_position) == (0.0, 0.0):
        if (motor.min_position, motor.max_position) != (0.0, 0.0):
            messages.append(
                "For coupled motors, if one has unlimited position, its siblings must have unlimited position as well. "
                f"Adjusting 'minPosition' and 'maxPosition' to 0 for motor '{name}'."
            )
        low = high = 0.0
    else:
        for field, now, then in (("minPosition", motor.min_position, low), ("maxPosition", motor.max_position, high)):
            if now != then:
                messages.append(
                    f"When using coupled motors, '{field}' must be consistent across devices. Adjusting '{field}' "
                    f"from {now:g} to {then:g} for motor '{name}'."
                )
    top = leader.max_velocity * abs(motor.multiplier) / abs(leader.multiplier)
    if motor.max_velocity != top:
        messages.append(
            "When using coupled motors, velocity limits must be consistent across devices. Adjusted 'maxVelocity' "
            f"from {motor.max_velocity:g} to {top:g} for motor '{name}'."
        )
    return replace(motor, min_position=low, max_position=high, max_velocity=top), messages
