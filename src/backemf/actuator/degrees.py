"""Position targets that look like degrees: positions are in radians, and 90 is fourteen turns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..values import Number

if TYPE_CHECKING:
    from .actuator import Actuator

TURN = 2.0 * math.pi
"""A target beyond one turn is rare on a joint, and every target in degrees is beyond it [rad]."""


def degrees_hint(actuator: Actuator, channels: Mapping[str, np.ndarray]) -> str | None:
    """What to look at where the targets of a run, by channel, look like degrees; None: they do not.

    A command range that holds the targets says that they are meant.
    """
    if actuator.motor is not None and actuator.motor.motion == "linear":
        return None
    main = actuator.controller.main == "position"
    target = channels.get("command") if main and "command" in channels else channels.get("position_command")
    if target is None:
        return None
    known = np.asarray(target, dtype=float)
    largest = float(np.max(np.abs(known), initial=0.0, where=np.isfinite(known)))
    if largest <= TURN or (main and _holds(actuator.command_range, known)):
        return None
    remedy = "Actuator.command_range says that it is meant" if main else "look at Command.position"
    return f"{hint_of(largest)}; {remedy}"


def _holds(limits: tuple[Number, Number] | None, targets: np.ndarray) -> bool:
    """Whether a command range holds every target."""
    if limits is None:
        return False
    low, high = (np.asarray(bound, dtype=float) for bound in limits)
    return bool(((targets >= low) & (targets <= high)).all())


def hint_of(largest: float) -> str:
    """The sentence about a target of this size [rad]."""
    return (
        f"a position target of {largest:.4g} rad is {largest / TURN:.3g} turns: positions are in radians; "
        f"if degrees were meant, {largest:.4g}° are {math.radians(largest):.4g} rad"
    )
