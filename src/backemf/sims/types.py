"""Types that the rooms of all simulators share."""

from __future__ import annotations

from typing import Any, TypeAlias, TypedDict

from ..actuator.supply import Supply
from ..checks import Number

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
"""What a JSON or TOML file holds."""
Fields: TypeAlias = dict[str, Any]
"""Arguments of a class by name. Each has a type of its own, which the class checks when it is made of them."""


class JointNumbers(TypedDict, total=False):
    """Numbers that may be given with an actuator when it is written; see `joint_of`."""

    supply: Supply | Number | None
    stiffness: float | None
    damping: float | None
    bandwidth_hz: float | None
    damping_ratio: float
    inertia: float | None
    effort: str
    effort_limit: float | None
