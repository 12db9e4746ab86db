"""Newton's objects, as far as they are used here; Newton needs an environment of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import warp as wp  # pyright: ignore[reportMissingImports]
    from newton.actuators import Actuator as NewtonActuator  # pyright: ignore[reportMissingImports]

    from .memory import MotorState

Device: TypeAlias = "wp.Device | str | None"
"""Where arrays are; None: Warp's present device."""
Arrays: TypeAlias = "dict[str, wp.array]"
"""Arrays of Warp's by name; None: there is none."""


class SimState(Protocol):
    """Where a model is: `newton.State`."""

    joint_q: wp.array
    joint_qd: wp.array


class ActuatorState(Protocol):
    """What a row of actuators remembers."""

    drive_state: MotorState | None


class Model(Protocol):
    """What `ModelBuilder.finalize` makes, `newton.Model`: fields that are not named here are arrays."""

    device: Device
    actuators: Sequence[NewtonActuator]
    articulation_count: int
    body_count: int
    joint_count: int
    joint_coord_count: int
    joint_dof_count: int
    max_joints_per_articulation: int
    max_dofs_per_articulation: int

    def __getattr__(self, name: str, /) -> wp.array: ...
    def state(self) -> SimState: ...
