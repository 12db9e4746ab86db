"""Reading MuJoCo models: the actuators that are already there, one per joint, as our actuators."""

from __future__ import annotations

from typing import Any

from ...actuator import Actuator
from ...errors import ParameterError
from ..loss import DROPPED
from .general_reading import actuator_of_general, general_of
from .stripped import compiled_source


def compiled_model(model: Any) -> tuple[Any, Any]:
    """MuJoCo and the compiled model; raises one sentence where it cannot be read."""
    source = compiled_source(model)
    return source.mujoco, source.model


def read(mujoco: Any, model: Any, index: int, name: str) -> Actuator:
    """One actuator of a model; raises one sentence where an actuator alone would not be the whole of it.

    MuJoCo's force is gain·ctrl + b0 + b1·length + b2·velocity with length and velocity gear times the joint's; the
    joint gets gear times the force.
    """
    general = general_of(mujoco, model, index, name)
    found = actuator_of_general(general, name)
    lost = [loss.note for loss in found.losses if loss.status == DROPPED]
    if general.moved_damping:
        lost.append("kv of an intvelocity is a damping of the joint")
    if lost:
        raise ParameterError(f"actuator {name!r}: {lost[0]}; read_actuator says what is lost and gives the rest")
    return found.actuator
