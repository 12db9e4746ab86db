"""What the motors of many worlds remember from step to step, as arrays of Warp that steps write in place."""

from __future__ import annotations

from dataclasses import dataclass

import warp as wp  # pyright: ignore[reportMissingImports]

from ...physics.state import State


@dataclass(frozen=True, kw_only=True)
class MotorsState:
    """The motors of all worlds."""

    groups: tuple[State, ...]
    """The memory of each group of like actuators, arrays of the shape (worlds, joints of the group)."""
    torque: wp.array
    """Mean torque on each joint over the last step, joints in the order of the groups [N·m]."""
    slip: wp.array
    """How much further than foreseen each joint went in that step [rad]."""
