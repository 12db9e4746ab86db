"""Which of Newton's arrays is which input of an actuator, and where a joint's number stands in each."""

from __future__ import annotations

from typing import Any

from ...actuator import Actuator
from ...errors import ParameterError

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


def host_arrays(positions: Any, velocities: Any, target_pos: Any, target_vel: Any, feedforward: Any) -> dict[str, Any]:
    """Newton's arrays by name."""
    return {
        "positions": positions,
        "velocities": velocities,
        "target_pos": target_pos,
        "target_vel": target_vel,
        "feedforward": feedforward,
    }


def host_places(pos: Any, vel: Any, target: Any, command: Any, effort: Any = None) -> dict[str, Any]:
    """Newton's arrays of indices by name."""
    return {
        "pos": pos,
        "vel": vel,
        "target": target,
        "command": command,
        "effort": vel if effort is None else effort,
    }


def inputs_of(actuator: Actuator, without: bool) -> tuple[str, ...]:
    """Inputs of the controller that Newton has; `without`: there is no feedforward."""
    controller = actuator.controller
    if without and TARGETS[controller.main] == "feedforward":
        raise ParameterError(
            f"{type(controller).__name__} follows joint_act, which is not there: give control.joint_act an array"
        )
    return tuple(name for name in controller.inputs if not (without and TARGETS[name] == "feedforward"))
