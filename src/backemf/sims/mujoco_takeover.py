"""What of a MuJoCo model the motors on its joints take over, and how it is given back."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from .mujoco_joints import Joints, mujoco_module
from .mujoco_types import MjModel

SAVED = (
    "actuator_gaintype", "actuator_biastype", "actuator_dyntype", "actuator_gainprm", "actuator_biasprm",
    "actuator_forcelimited", "actuator_armature", "actuator_damping", "actuator_dampingpoly",
)  # fmt: skip
"""What of an actuator the motor takes over."""


@dataclass
class Former:
    """What a model had before motors were put on it."""

    actuators: np.ndarray
    """Numbers of the actuators that motors drive."""
    rows: dict[str, np.ndarray]
    dofs: np.ndarray
    armature: np.ndarray | None
    """Armature of the joints [kg·m²]; None: it was left as it is."""
    waits: bool = True
    """Whether it has not been given back yet."""

    def give_back(self, model: MjModel) -> None:
        """The model's own actuators and armature."""
        self.waits = False
        for name, rows in self.rows.items():
            getattr(model, name)[self.actuators] = rows
        if self.armature is not None:
            set_armature(model, self.dofs, self.armature)


_FORMER: WeakKeyDictionary[MjModel, Former] = WeakKeyDictionary()
"""Models that motors are on."""


def clear_model(model: MjModel) -> None:
    """Give a model back what other motors took over, so that no rotor is added to a joint a second time."""
    former = _FORMER.pop(model, None)
    if former is not None:
        former.give_back(model)


class TakenOver:
    """Actuators of a model that do nothing by themselves any more, and joints with the inertia of their rotors."""

    def __init__(self, model: MjModel, joints: Joints, armature: bool):
        mujoco = mujoco_module()
        has = joints.actuators >= 0
        ids, own = joints.actuators[has], model.dof_armature[joints.dofs].copy()
        saved = {name: getattr(model, name)[ids].copy() for name in SAVED}
        self._model, self._former = model, Former(ids, saved, joints.dofs, own if armature else None)
        _FORMER[model] = self._former
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
            set_armature(model, joints.dofs, own + joints.armature)

    @property
    def holds(self) -> bool:
        """Whether the model is still that of these motors: not released, and no others put on it since."""
        return self._former.waits

    def release(self) -> None:
        """Give the model back its own actuators and armature, if it still is that of these motors."""
        if self.holds:
            clear_model(self._model)


def set_armature(model: MjModel, dofs: np.ndarray, armature: np.ndarray) -> None:
    """The inertia of the joints, and what the compiler derives from it."""
    mujoco = mujoco_module()
    model.dof_armature[dofs] = armature
    mujoco.mj_setConst(model, mujoco.MjData(model))
