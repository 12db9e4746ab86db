"""The PD law of simulators that only have joints, with a flat limit or the torque-speed line of a DC motor.

mjlab and Isaac Lab have the same law under different names; each package adds what only it has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..checks import Maybe, Number, require


@dataclass(frozen=True, kw_only=True)
class Gains:
    """What a PD law multiplies its errors with."""

    stiffness: Number
    """Torque per position error [N·m/rad]."""
    damping: Number
    """Torque per velocity error [N·m·s/rad]."""

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping"):
            require(self, name, ">=")


@dataclass(frozen=True, kw_only=True)
class LimitedPd(Gains):
    """A PD law and a flat limit."""

    effort_limit: Maybe = None
    """Largest torque in either direction [N·m]; None: no limit."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self, "effort_limit", ">=")


def pd_torque(
    law: Gains,
    position_target: Any,
    velocity_target: Any,
    effort_target: Any,
    position: Number,
    velocity: Number,
) -> Any:
    """Torque of the PD law before any limit, the effort target added last [N·m]."""
    torque = law.stiffness * (position_target - position)
    torque = torque + law.damping * (velocity_target - velocity)
    return torque + effort_target
