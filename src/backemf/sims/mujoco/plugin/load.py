"""What the joints do besides what their motors do, as MuJoCo knows it in the middle of a step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from ...mujoco_joints import Joints, mujoco_module
from ...mujoco_types import MjModel
from .hands import Hands
from .memory import BAD
from .record import ModelBlock, Record


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


@dataclass(frozen=True)
class Load:
    """What each motor finds at its joint, and what joints do to each other."""

    torque: np.ndarray
    """Torque of all but the motor [N·m]."""
    inertia: np.ndarray
    """Inertia of all but the motor [kg·m²]."""
    acceleration: np.ndarray
    """Acceleration of the joints with the motors' last torque [rad/s²]."""
    mobility: np.ndarray
    """The inverse mass matrix between the joints [1/(kg·m²)]."""

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
        speed = np.linalg.solve(np.eye(len(torque)) + change * slope, free)
        return torque - slope * (speed - ends), speed


class LoadOnJoints:
    """Finds the load on the joints.

    MuJoCo is asked what would happen if the motors went on with the torque they gave last: gravity, springs, contacts
    and everything else that pushes then accelerates the joints by a. Another torque t on joint j changes that by
    (M⁻¹)_jj·t, with the mass matrix M: the motor finds the inertia 1/(M⁻¹)_jj and all other torque beside its own.
    """

    def __init__(self, model: MjModel, joints: Joints):
        mujoco = mujoco_module()
        count = len(joints.names)
        self._joints, self._places = joints, np.arange(count)
        self._units = np.zeros((count, model.nv))
        self._units[self._places, joints.dofs] = 1.0
        self._solve = mujoco.mj_solveM
        self._stages = (mujoco.mj_fwdActuation, mujoco.mj_fwdAcceleration, mujoco.mj_fwdConstraint)

    def look(self, block: ModelBlock, record: Record) -> None:
        """Let MuJoCo find the acceleration with the torque that it was handed."""
        for stage in self._stages:
            stage(block.model, record.data)

    def find(self, block: ModelBlock, record: Record, hands: Hands, velocity: np.ndarray) -> Load:
        """The load on the joints of a record."""
        dofs, data, torque = self._joints.dofs, record.data, record.torque
        hands.push(block, record, torque, 0.0, velocity)
        with without_bad_controls(data.ctrl):
            self.look(block, record)
        acceleration = data.qacc[dofs]
        # columns of the inverse mass matrix, in the factors that MuJoCo has just made
        columns = np.zeros_like(self._units)
        self._solve(block.model, data, columns, self._units)
        mobility = columns[:, dofs]
        inertia = 1.0 / mobility[self._places, self._places]
        rest = np.maximum(inertia - self._joints.armature, 1e-9 * inertia)
        return Load(inertia * acceleration - torque, rest, acceleration, mobility)
