"""How a torque, and how fast it falls with speed, reach MuJoCo's integrators.

A joint that has an actuator gets its torque through it, so that MuJoCo's sensors see it; one without gets it as an
applied force. The slope goes where the integrator takes it: `implicit` and `implicitfast` take that of an actuator's
bias and that of a joint's damping, `Euler` that of the damping alone.
"""

from __future__ import annotations

import numpy as np

from ....errors import ParameterError
from ...mujoco_types import MjData, MjModel
from .joints import Joints, mujoco_module

INTEGRATORS = ("Euler", "implicit", "implicitfast")
"""Integrators that evaluate the forces once a step and take their slopes."""
SAVED = (
    "actuator_gaintype", "actuator_biastype", "actuator_dyntype", "actuator_gainprm", "actuator_biasprm",
    "actuator_forcelimited", "actuator_armature", "actuator_damping", "actuator_dampingpoly",
)  # fmt: skip
"""What of an actuator the motor takes over."""


class Hands:
    """The places of a model and its data that the motors write to."""

    def __init__(self, model: MjModel, joints: Joints, armature: bool):
        mujoco = mujoco_module()
        self._model, self._joints, self._armature = model, joints, armature
        self._has = joints.actuators >= 0
        ids = self._ids = joints.actuators[self._has]
        self._gears = joints.gears[self._has]
        self._saved = {name: getattr(model, name)[ids].copy() for name in SAVED}
        self._own_armature = model.dof_armature[joints.dofs].copy()
        model.actuator_gaintype[ids] = mujoco.mjtGain.mjGAIN_FIXED
        model.actuator_biastype[ids] = mujoco.mjtBias.mjBIAS_AFFINE
        model.actuator_gainprm[ids] = 0.0
        model.actuator_biasprm[ids] = 0.0
        model.actuator_forcelimited[ids] = 0
        # states of a dcmotor rest, and its rotor and drag are those of the motor that drives the joint now
        model.actuator_dyntype[ids] = mujoco.mjtDyn.mjDYN_NONE
        driven = joints.actuators[self._has & joints.motors]
        for name in ("actuator_armature", "actuator_damping", "actuator_dampingpoly"):
            getattr(model, name)[driven] = 0.0
        if armature:
            self._set_armature(self._own_armature + joints.armature)
        self._all_have, self._bias, self._minus_square = (
            bool(self._has.all()),
            model.actuator_biasprm,
            -(self._gears**2),
        )
        self._integrators = {int(getattr(mujoco.mjtIntegrator, f"mjINT_{n.upper()}")): n for n in INTEGRATORS}
        self._no_actuation = int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
        self._no_damper = int(mujoco.mjtDisableBit.mjDSBL_DAMPER)
        self._no_euler = int(mujoco.mjtDisableBit.mjDSBL_EULERDAMP)
        # what stands in the joints' damping, and what was written beside the user's own numbers
        self._standing = np.zeros(len(joints.names))
        self._damping = self._damping_written = np.zeros(len(joints.names))
        self._applied = self._applied_written = np.zeros(len(joints.names))
        self._wrote = False
        self.off: np.ndarray | None = None
        """Motors whose actuator is disabled by its group; None: none is."""
        self._clipped = self._has & (model.jnt_actfrclimited[joints.ids] != 0)

    def _set_armature(self, armature: np.ndarray) -> None:
        """The inertia of the joints, and what the compiler derives from it."""
        mujoco = mujoco_module()
        self._model.dof_armature[self._joints.dofs] = armature
        mujoco.mj_setConst(self._model, mujoco.MjData(self._model))

    def look(self, data: MjData) -> tuple[bool, bool]:
        """Whether the slopes of actuators and of dampings are integrated now; raises ParameterError where none can be.

        Also looks for what the user has written to the data since, which is kept beside what the motors write.
        """
        options = self._model.opt
        integrator, flags = self._integrators.get(options.integrator), options.disableflags
        if integrator is None:
            name = mujoco_module().mjtIntegrator(options.integrator).name.removeprefix("mjINT_")
            raise ParameterError(
                f"the integrator {name} does not take the motors' torque as they give it, once a step: set "
                "model.opt.integrator to implicitfast, implicit or Euler"
            )
        if flags & self._no_actuation:
            raise ParameterError("the model disables actuation, and with it the motors: take that flag out")
        self.off = self._disabled_motors() if options.disableactuator else None
        applied, damping = data.qfrc_applied[self._joints.dofs], self._model.dof_damping[self._joints.dofs]
        if self._wrote:
            # what still stands as it was written is the motors'
            applied = np.where(applied == self._applied_written, self._applied, applied)
            damping = np.where(damping == self._damping_written, self._damping, damping)
        self._applied, self._damping = applied, damping
        implicit = integrator != "Euler"
        damped = not flags & self._no_damper and (implicit or not flags & self._no_euler)
        return implicit, damped

    @property
    def damping(self) -> np.ndarray:
        """Damping of the joints themselves [N·m·s/rad]."""
        return self._damping

    def push(self, data: MjData, torque: np.ndarray, in_bias: float | np.ndarray, velocity: np.ndarray) -> None:
        """Hand over a torque at this velocity [N·m], with a slope in the bias of the actuators [N·m·s/rad]."""
        has, ids, gears = self._has, self._ids, self._gears
        at_rest = torque + in_bias * velocity
        if self._all_have:
            self._bias[ids, 0] = at_rest / gears
            self._bias[ids, 2] = in_bias / self._minus_square
        elif len(ids):
            self._bias[ids, 0] = at_rest[has] / gears
            self._bias[ids, 2] = np.broadcast_to(in_bias, has.shape)[has] / self._minus_square
        if not self._all_have or self._wrote:
            # the passive forces of this step already have what stands in the damping: make up for it
            self._wrote = True
            self._applied_written = self._applied + np.where(has, 0.0, torque) + self._standing * velocity
            data.qfrc_applied[self._joints.dofs] = self._applied_written

    def give(self, data: MjData, torque: np.ndarray, slope: np.ndarray, velocity: np.ndarray, implicit: bool) -> None:
        """Hand over the torque at this velocity [N·m] and how fast it falls with it [N·m·s/rad], for good."""
        in_bias = slope if implicit and self._all_have else np.where(self._has & implicit, slope, 0.0)
        self.push(data, torque, in_bias, velocity)
        if self._wrote or in_bias is not slope:
            # from the next step on it is part of the passive forces
            self._wrote, self._applied_written = True, data.qfrc_applied[self._joints.dofs]
            self._standing = slope - in_bias
            self._damping_written = self._damping + self._standing
            self._model.dof_damping[self._joints.dofs] = self._damping_written

    def _disabled_motors(self) -> np.ndarray | None:
        """Motors whose actuator belongs to a group that is switched off; None where there is none."""
        groups = self._model.actuator_group[self._ids]
        off = np.zeros(len(self._has), bool)
        # MuJoCo has a bit for the groups 0 to 30
        off[self._has] = (
            (groups >= 0) & (groups <= 30) & ((self._model.opt.disableactuator >> groups.clip(0, 30)) & 1 > 0)
        )
        return off if off.any() else None

    def cut(self, data: MjData) -> np.ndarray | None:
        """What `actuatorfrcrange` of the joints took off the torque of their actuators [N·m]; None: nothing."""
        if not self._clipped.any():
            return None
        total = np.zeros(self._model.nv)
        for row in range(len(data.moment_rownnz)):
            begin = int(data.moment_rowadr[row])
            span = slice(begin, begin + int(data.moment_rownnz[row]))
            total[data.moment_colind[span]] += np.ravel(data.actuator_moment)[span] * data.actuator_force[row]
        dofs = self._joints.dofs
        asked = total[dofs] + np.where(self._model.jnt_actgravcomp[self._joints.ids], data.qfrc_gravcomp[dofs], 0.0)
        cut = np.where(self._clipped, asked - data.qfrc_actuator[dofs], 0.0)
        # rounding of the sums is not a limit
        cut[np.abs(cut) <= 1e-12 * np.abs(asked)] = 0.0
        return cut if cut.any() else None

    def withdraw(self, data: MjData) -> None:
        """Leave the applied forces and the damping as the user had them."""
        if self._wrote:
            data.qfrc_applied[self._joints.dofs] = self._applied
            self._model.dof_damping[self._joints.dofs] = self._damping
            self._applied_written, self._damping_written = self._applied, self._damping
            self._standing, self._wrote = np.zeros_like(self._standing), False

    def release(self) -> None:
        """Give the model back its own actuators and armature."""
        for name, rows in self._saved.items():
            getattr(self._model, name)[self._ids] = rows
        if self._armature:
            self._set_armature(self._own_armature)
