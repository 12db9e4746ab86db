"""Which of Newton's arrays is which input of an actuator, and which indices find a joint in each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...actuator import Actuator
from ...errors import ParameterError
from .types import Arrays

if TYPE_CHECKING:
    import warp as wp  # pyright: ignore[reportMissingImports]

TARGETS = {"position": "target_pos", "velocity": "target_vel", "effort": "feedforward", "voltage": "feedforward"}
"""Which of Newton's arrays is each input; a voltage comes as feedforward, `joint_act`."""
PLACES = {
    "position": "pos",
    "velocity": "vel",
    "target_pos": "target",
    "target_vel": "command",
    "feedforward": "command",
}
"""Which indices find a joint's number in each of Newton's arrays."""


ARRAYS = ("positions", "velocities", "target_pos", "target_vel", "feedforward")
INDICES = ("pos", "vel", "target", "command", "effort")


def host_arrays(*arrays: wp.array) -> Arrays:
    """Newton's arrays by name, in the order of `ARRAYS`."""
    return dict(zip(ARRAYS, arrays, strict=True))


def host_places(*indices: wp.array) -> Arrays:
    """Newton's arrays of indices by name, in the order of `INDICES`; efforts have those of velocities if left out."""
    return dict(zip(INDICES, indices if len(indices) == len(INDICES) else (*indices, indices[1]), strict=True))


def inputs_of(actuator: Actuator, without: bool) -> tuple[str, ...]:
    """Inputs of the controller that Newton has; `without`: there is no feedforward."""
    controller = actuator.controller
    if without and TARGETS[controller.main] == "feedforward":
        raise ParameterError(
            f"{type(controller).__name__} follows joint_act, which is not there: give control.joint_act an array"
        )
    return tuple(name for name in controller.inputs if not (without and TARGETS[name] == "feedforward"))
