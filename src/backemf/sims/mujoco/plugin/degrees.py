"""Targets that look like degrees on a hinge whose range is known: said once, then never again."""

from __future__ import annotations

import warnings

import numpy as np

from ....actuator import Actuator
from ....actuator.degrees import TURN, hint_of
from ....errors import BackemfWarning
from ....robot.actuator_set import ActuatorSet
from ...mujoco_joints import mujoco_module
from ...mujoco_types import MjModel
from ...robot_step import MAIN


class DegreeWatch:
    """Looks at position targets until one is beyond a turn and beyond the range of its hinge."""

    def __init__(self, model: MjModel, robot: ActuatorSet):
        self._joints = robot.joints
        self._bounds = {
            name: np.array(
                [_bound(model, joint, each, name) for joint, each in zip(robot.joints, robot.actuators, strict=True)]
            )
            for name in (MAIN, "position")
        }
        self.awake = any(np.isfinite(bounds).any() for bounds in self._bounds.values())
        """Whether there is anything left to say."""

    @property
    def bounds(self) -> np.ndarray:
        """Size beyond which a main input of each joint looks like degrees [rad]; infinite where none does."""
        return self._bounds[MAIN]

    def look(self, names: tuple[str, ...], rows: list[np.ndarray]) -> None:
        """Warn of the first target that looks like degrees."""
        for name, row in zip(names, rows, strict=True):
            bounds = self._bounds.get(name)
            if bounds is None or not (np.abs(row) > bounds).any():
                continue
            place = int(np.argmax(np.abs(row) > bounds))
            self.awake = False
            warnings.warn(
                f"joint {self._joints[place]!r}: {hint_of(float(np.abs(row[place])))}; the range of the joint ends "
                "before that",
                BackemfWarning,
                stacklevel=3,
            )
            return


def _bound(model: MjModel, joint: str, actuator: Actuator, name: str) -> float:
    """Size beyond which a target of a joint looks like degrees [rad]; infinite where no size does."""
    followed = actuator.controller.main == "position" if name == MAIN else "position" in actuator.controller.inputs
    number = model.joint(joint).id
    hinge = model.jnt_type[number] == int(mujoco_module().mjtJoint.mjJNT_HINGE)
    if not (followed and hinge and model.jnt_limited[number]):
        return np.inf
    largest = float(np.abs(model.jnt_range[number]).max())
    if name == MAIN and actuator.command_range is not None:
        # a command range beyond the joint's says that such commands are meant
        largest = max(largest, *(float(np.abs(np.ravel(bound)).max()) for bound in actuator.command_range))
    return max(TURN, largest)
