"""How a torque, and how fast it falls with speed, reach MuJoCo's integrators.

A joint that has an actuator gets its torque through it, so that MuJoCo's sensors see it; one without gets it as an
applied force. The slope goes where the integrator takes it: `implicit` and `implicitfast` take that of an actuator's
bias and that of a joint's damping, `Euler` that of the damping alone.
"""

from __future__ import annotations

import numpy as np

from ....errors import ParameterError
from ...mujoco_joints import Joints, mujoco_module
from ...mujoco_takeover import TakenOver
from ...mujoco_types import MjData, MjModel
from .record import ModelBlock, Record

INTEGRATORS = ("Euler", "implicit", "implicitfast")
"""Integrators that evaluate the forces once a step and take their slopes."""


class Hands:
    """The places of a model and its data that the motors write to."""

    def __init__(self, model: MjModel, joints: Joints, armature: bool):
        mujoco = mujoco_module()
        self._model, self._joints = model, joints
        self._has = joints.actuators >= 0
        self._ids = joints.actuators[self._has]
        self._gears = joints.gears[self._has]
        self._taken = TakenOver(model, joints, armature)
        self.all_have, self._minus_square = bool(self._has.all()), -(self._gears**2)
        self._integrators = {int(getattr(mujoco.mjtIntegrator, f"mjINT_{n.upper()}")): n for n in INTEGRATORS}
        self._no_actuation = int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
        self._no_damper = int(mujoco.mjtDisableBit.mjDSBL_DAMPER)
        self._no_euler = int(mujoco.mjtDisableBit.mjDSBL_EULERDAMP)
        self.clipped = self._has & (model.jnt_actfrclimited[joints.ids] != 0)
        """Joints whose own limit may cut the torque of their actuator."""

    def look(self, block: ModelBlock, record: Record) -> tuple[bool, bool, np.ndarray | None]:
        """Whether the slopes of actuators and of dampings are integrated now, and which motors are switched off.

        None says that no motor is off. Raises ParameterError where no slope can be integrated. Also looks for what the
        user has written to the data since, which is kept beside what the motors write.
        """
        options = block.model.opt
        integrator, flags = self._integrators.get(options.integrator), options.disableflags
        if integrator is None:
            name = mujoco_module().mjtIntegrator(options.integrator).name.removeprefix("mjINT_")
            raise ParameterError(
                f"the integrator {name} does not take the motors' torque as they give it, once a step: set "
                "model.opt.integrator to implicitfast, implicit or Euler"
            )
        if flags & self._no_actuation:
            raise ParameterError("the model disables actuation, and with it the motors: take that flag out")
        off = self._disabled_motors(options.disableactuator) if options.disableactuator else None
        applied, damping = record.data.qfrc_applied[self._joints.dofs], block.model.dof_damping[self._joints.dofs]
        # what still stands as it was written is the motors'
        if record.wrote:
            applied = np.where(applied == record.applied_written, record.applied, applied)
        if block.wrote:
            damping = np.where(damping == block.damping_written, block.damping, damping)
        record.applied[:], block.damping[:] = applied, damping
        implicit = integrator != "Euler"
        damped = not flags & self._no_damper and (implicit or not flags & self._no_euler)
        return implicit, damped, off

    def push(
        self, block: ModelBlock, record: Record, torque: np.ndarray, in_bias: float | np.ndarray, velocity: np.ndarray
    ) -> None:
        """Hand over a torque at this velocity [N·m], with a slope in the bias of the actuators [N·m·s/rad]."""
        has, ids, gears = self._has, self._ids, self._gears
        at_rest = torque + in_bias * velocity
        if self.all_have:
            block.bias[ids, 0] = at_rest / gears
            block.bias[ids, 2] = in_bias / self._minus_square
        elif len(ids):
            block.bias[ids, 0] = at_rest[has] / gears
            block.bias[ids, 2] = np.broadcast_to(in_bias, has.shape)[has] / self._minus_square
        if not self.all_have or record.wrote or block.wrote:
            # the passive forces of this step already have what stands in the damping: make up for it
            record.wrote = True
            record.applied_written[:] = record.applied + np.where(has, 0.0, torque) + block.standing * velocity
            record.data.qfrc_applied[self._joints.dofs] = record.applied_written

    def give(
        self, block: ModelBlock, record: Record, torque: np.ndarray, slope: np.ndarray, velocity: np.ndarray,
        implicit: bool,
    ) -> None:  # fmt: skip
        """Hand over the torque at this velocity [N·m] and how fast it falls with it [N·m·s/rad], for good."""
        in_bias = slope if implicit and self.all_have else np.where(self._has & implicit, slope, 0.0)
        self.push(block, record, torque, in_bias, velocity)
        if record.wrote or block.wrote or in_bias is not slope:
            # from the next step on it is part of the passive forces
            record.wrote = block.wrote = True
            record.applied_written[:] = record.data.qfrc_applied[self._joints.dofs]
            block.standing[:] = slope - in_bias
            block.damping_written[:] = block.damping + block.standing
            block.model.dof_damping[self._joints.dofs] = block.damping_written

    def _disabled_motors(self, disabled: int) -> np.ndarray | None:
        """Motors whose actuator belongs to a group that is switched off; None where there is none."""
        groups = self._model.actuator_group[self._ids]
        off = np.zeros(len(self._has), bool)
        # MuJoCo has a bit for the groups 0 to 30
        off[self._has] = (groups >= 0) & (groups <= 30) & ((disabled >> groups.clip(0, 30)) & 1 > 0)
        return off if off.any() else None

    def cut(self, data: MjData) -> np.ndarray | None:
        """What `actuatorfrcrange` of the joints took off the torque of their actuators [N·m]; None: nothing."""
        if not self.clipped.any():
            return None
        total = np.zeros(self._model.nv)
        for row in range(len(data.moment_rownnz)):
            begin = int(data.moment_rowadr[row])
            span = slice(begin, begin + int(data.moment_rownnz[row]))
            total[data.moment_colind[span]] += np.ravel(data.actuator_moment)[span] * data.actuator_force[row]
        dofs = self._joints.dofs
        asked = total[dofs] + np.where(self._model.jnt_actgravcomp[self._joints.ids], data.qfrc_gravcomp[dofs], 0.0)
        cut = np.where(self.clipped, asked - data.qfrc_actuator[dofs], 0.0)
        # rounding of the sums is not a limit
        cut[np.abs(cut) <= 1e-12 * np.abs(asked)] = 0.0
        return cut if cut.any() else None

    def withdraw(self, block: ModelBlock, record: Record) -> None:
        """Leave the applied forces and the damping as the user had them."""
        if record.wrote:
            record.data.qfrc_applied[self._joints.dofs] = record.applied
            record.applied_written[:], record.wrote = record.applied, False
        if block.wrote:
            block.model.dof_damping[self._joints.dofs] = block.damping
            block.damping_written[:], block.standing[:], block.wrote = block.damping, 0.0, False

    def rest(self, block: ModelBlock) -> None:
        """No torque through the actuators of a model that is not stepped with its motors."""
        if block.model is not self._model or self.holds:
            block.bias[self._ids] = 0.0

    @property
    def holds(self) -> bool:
        """Whether the model is still that of these motors."""
        return self._taken.holds

    def release(self) -> None:
        """Give the model back its own actuators and armature."""
        self._taken.release()
