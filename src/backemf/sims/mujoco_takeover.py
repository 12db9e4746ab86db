"""What of a MuJoCo model the motors on its joints take over, and how it is given back."""

from __future__ import annotations

import numpy as np

from .mujoco_joints import Joints, mujoco_module
from .mujoco_types import MjModel

SAVED = (
    "actuator_gaintype", "actuator_biastype", "actuator_dyntype", "actuator_gainprm", "actuator_biasprm",
    "actuator_forcelimited", "actuator_armature", "actuator_damping", "actuator_dampingpoly",
)  # fmt: skip
"""What of an actuator the motor takes over."""


class TakenOver:
    """Actuators of a model that do nothing by themselves any more, and joints with the inertia of their rotors."""

    def __init__(self, model: MjModel, joints: Joints, armature: bool):
        mujoco = mujoco_module()
        self._model, self._joints, self._armature = model, joints, armature
        has = joints.actuators >= 0
        ids = self._ids = joints.actuators[has]
        self._saved = {name: getattr(model, name)[ids].copy() for name in SAVED}
        self._own_armature = model.dof_armature[joints.dofs].copy()
        model.actuator_gaintype[ids] = mujoco.mjtGain.mjGAIN_FIXED
        model.actuator_biastype[ids] = mujoco.mjtBias.mjBIAS_AFFINE
        model.actuator_gainprm[ids] = 0.0
        model.actuator_biasprm[ids] = 0.0
        model.actuator_forcelimited[ids] = 0
        # states of a dcmotor rest, and its rotor and drag are those of the motor that drives the joint now
        model.actuator_dyntype[ids] = mujoco.mjtDyn.mjDYN_NONE
        driven = joints.actuators[has & joints.motors]
        for name in ("actuator_armature", "actuator_damping", "actuator_dampingpoly"):
            getattr(model, name)[driven] = 0.0
        if armature:
            self._set_armature(self._own_armature + joints.armature)

    def _set_armature(self, armature: np.ndarray) -> None:
        """The inertia of the joints, and what the compiler derives from it."""
        mujoco = mujoco_module()
        self._model.dof_armature[self._joints.dofs] = armature
        mujoco.mj_setConst(self._model, mujoco.MjData(self._model))

    def release(self) -> None:
        """Give the model back its own actuators and armature."""
        for name, rows in self._saved.items():
            getattr(self._model, name)[self._ids] = rows
        if self._armature:
            self._set_armature(self._own_armature)
