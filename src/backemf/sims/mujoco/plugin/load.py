"""What the joints do besides what their motors do, as MuJoCo knows it in the middle of a step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ...mujoco_types import MjData, MjModel
from .hands import Hands
from .joints import Joints, mujoco_module

BAD = 1e10
"""Size from which MuJoCo takes a number for bad."""


@contextmanager
def without_bad_controls(ctrl: np.ndarray) -> Iterator[None]:
    """Controls that MuJoCo would warn of and take for 0, as 0: a warning from within a callback never returns."""
    if (np.abs(ctrl) < BAD).all():
        yield
        return
    kept = ctrl.copy()
    ctrl[:] = 0.0
    try:
        yield
    finally:
        ctrl[:] = kept


class LoadOnJoints:
    """Torque and inertia that each motor finds at its joint, and what joints do to each other.

    MuJoCo is asked what would happen if the motors went on with the torque they gave last: gravity, springs, contacts
    and everything else that pushes then accelerates the joints by a. Another torque t on joint j changes that by
    (M⁻¹)_jj·t, with the mass matrix M: the motor finds the inertia 1/(M⁻¹)_jj and all other torque beside its own.
    """

    def __init__(self, model: MjModel, joints: Joints):
        mujoco = mujoco_module()
        count = len(joints.names)
        self._model, self._joints, self._places = model, joints, np.arange(count)
        self._units, self._columns = np.zeros((count, model.nv)), np.zeros((count, model.nv))
        self._units[self._places, joints.dofs] = 1.0
        self._solve = mujoco.mj_solveM
        self._stages = (mujoco.mj_fwdActuation, mujoco.mj_fwdAcceleration, mujoco.mj_fwdConstraint)
        self._identity = np.eye(count)
        self.acceleration, self.mobility = np.zeros(count), np.eye(count)

    def find(
        self, data: MjData, hands: Hands, torque: np.ndarray, velocity: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Torque [N·m] and inertia [kg·m²] of all but the motor at each joint; `torque` is what motors gave last."""
        dofs = self._joints.dofs
        hands.push(data, torque, 0.0, velocity)
        with without_bad_controls(data.ctrl):
            for stage in self._stages:
                stage(self._model, data)
        self.acceleration = data.qacc[dofs]
        # columns of the inverse mass matrix, in the factors that MuJoCo has just made
        self._solve(self._model, data, self._columns, self._units)
        self.mobility = self._columns[:, dofs]
        inertia = 1.0 / self.mobility[self._places, self._places]
        load = inertia * self.acceleration - torque
        return load, np.maximum(inertia - self._joints.armature, 1e-9 * inertia)

    def solve(
        self, torque: np.ndarray, slope: np.ndarray, ends: np.ndarray, before: np.ndarray, velocity: np.ndarray,
        dt: float,
    ) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        """Torque and speed at the end of the step of joints that move each other.

        Each motor gives `torque` if its joint ends at the speed `ends`, and `slope` less per speed beyond; `before` is
        the torque that the acceleration was found with. Solves v = velocity + dt·(a + M⁻¹·(torque(v) - before)).
        """
        change = dt * self.mobility
        free = velocity + dt * self.acceleration + change @ (torque + slope * ends - before)
        speed = np.linalg.solve(self._identity + change * slope, free)
        return torque - slope * (speed - ends), speed
