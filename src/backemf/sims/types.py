"""Types that the rooms of all simulators share."""

from __future__ import annotations

from typing import Any, TypeAlias, TypedDict

from ..actuator.supply import Supply
from ..values import Json as Json
from ..values import Number

Field: TypeAlias = Any
"""An argument of a class that is given by its name: the class knows its type, and checks it."""
Fields: TypeAlias = dict[str, Field]
"""Arguments of a class by name."""


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
