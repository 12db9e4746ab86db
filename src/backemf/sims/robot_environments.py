"""Robots whose numbers differ by environment, in simulators that step many at once."""

from __future__ import annotations

import numpy as np

from ..errors import ParameterError
from ..robot.actuator_set import ActuatorSet
from ..tree import numbers


def environments(robot: ActuatorSet) -> int | None:
    """How many environments the numbers of the actuators are for; None: they are the same in all."""
    sizes = {np.shape(x)[0] for each in robot.actuators for _, x in numbers(each) if np.ndim(x) > 1}
    if len(sizes) > 1:
        raise ParameterError(
            f"the actuators have numbers for {' and for '.join(map(str, sorted(sizes)))} environments: give one count"
        )
    return sizes.pop() if sizes else None


def require_shared_inertia(robot: ActuatorSet) -> None:
    """Raise a ParameterError where rotors differ by environment: their inertia is part of the one model."""
    for joint, actuator in zip(robot.joints, robot.actuators, strict=True):
        if actuator.motor is not None and np.unique(np.asarray(actuator.motor.armature)).size > 1:
            raise ParameterError(
                f"the motor of joint {joint!r} has a rotor inertia or gear ratio that differs by environment, and the "
                "model has one armature for all: randomise other numbers, or the model's dof_armature itself"
            )
