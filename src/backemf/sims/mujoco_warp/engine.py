"""MuJoCo Warp's own step, cut where the motors come in: before the acceleration, and at the integrator.

Its integrators take slopes of joint dampings, so the slope of the motors' torque stands there while a step is
integrated, and nowhere else. Nothing is read back to the host, so that a CUDA graph can hold a step.
"""

from __future__ import annotations

import importlib
from importlib import metadata

import numpy as np
import warp as wp  # pyright: ignore[reportMissingImports]

from ...errors import ParameterError
from ...values import Module
from ..mujoco_joints import Joints
from ..mujoco_types import MjModel
from . import kernels
from .types import WarpData, WarpModel

mjw: Module = importlib.import_module("mujoco_warp")
"""MuJoCo Warp itself, whose name is that of this room too."""

OLDEST = (4, 0)
"""Oldest version of mujoco-warp whose step is known here."""


def require_version() -> None:
    """Raise a ParameterError where the version of MuJoCo Warp does not fit."""
    found = metadata.version("mujoco-warp")
    if tuple(int(x) for x in found.split(".")[:2]) < OLDEST:
        raise ParameterError(
            f"mujoco-warp {found} is installed, and its motors need {'.'.join(map(str, OLDEST))} or newer: "
            "pip install --upgrade mujoco-warp"
        )


def column(values: np.ndarray, kind: type, device: wp.Device) -> wp.array:
    """Numbers of joints on the device."""
    return wp.array(np.ascontiguousarray(values), dtype=kind, device=device)


class Engine:
    """MuJoCo Warp's stages on the joints with motors, `order` being that of the groups."""

    def __init__(self, model: MjModel, joints: Joints, order: np.ndarray, worlds: int, device: wp.Device):
        self.device, self.worlds, self.count = device, worlds, len(order)
        clipped = (joints.actuators >= 0) & (model.jnt_actfrclimited[joints.ids] != 0)
        ranges = model.jnt_actfrcrange[joints.ids]
        self.dofs = column(joints.dofs[order], int, device)
        self.places = column(joints.positions[order], int, device)
        self.armature = column(joints.armature[order], float, device)
        self._hands = column(joints.actuators[order], int, device)
        self._gears = column(joints.gears[order], float, device)
        self._low = column(np.where(clipped, ranges[:, 0], -np.inf)[order], float, device)
        self._high = column(np.where(clipped, ranges[:, 1], np.inf)[order], float, device)
        joint_of = np.full(model.nv, -1)
        joint_of[joints.dofs[order]] = np.arange(len(order))
        self._joint_of = column(joint_of, int, device)
        self._others, self.cut = self.joints(), self.joints()
        self._damping = wp.zeros((worlds, model.nv), dtype=float, device=device)
        self._factor: wp.array = None
        self._column = wp.zeros((worlds, self.count, model.nv), dtype=float, device=device)
        self.mobility = wp.zeros((worlds, self.count, self.count), dtype=float, device=device)

    def joints(self) -> wp.array:
        """Room for a number of each joint of each world."""
        return wp.zeros((self.worlds, self.count), dtype=float, device=self.device)

    def launch(self, kernel: wp.Kernel, dim: int | tuple[int, ...], *arguments: object) -> None:
        """Launch a kernel on the device."""
        wp.launch(kernel, dim=dim, inputs=list(arguments), device=self.device)

    def require_integrator(self, model: WarpModel) -> None:
        """Raise a ParameterError for a model whose integrator takes no slope of the motors' torque."""
        kinds, bits, flags = mjw.IntegratorType, mjw.DisableBit, int(model.opt.disableflags)
        if model.opt.integrator not in (kinds.EULER, kinds.IMPLICIT, kinds.IMPLICITFAST):
            raise ParameterError(
                f"the integrator {kinds(model.opt.integrator).name} does not take the motors' torque as they give it, "
                "once a step: set model.opt.integrator to implicitfast, implicit or Euler"
            )
        if flags & bits.ACTUATION:
            raise ParameterError("the model disables actuation, and with it the motors: take that flag out")
        if flags & bits.DAMPER or (model.opt.integrator == kinds.EULER and flags & bits.EULERDAMP):
            raise ParameterError(
                "the model disables damping or eulerdamp, by which the slope of the motors' torque reaches the "
                "integrator: take that flag out"
            )

    def begin(self, model: WarpModel, data: WarpData) -> None:
        """All that does not depend on the motors' torque; the model's other actuators included."""
        mjw.step1(model, data)
        mjw.fwd_actuation(model, data)

    def accelerate(self, model: WarpModel, data: WarpData, torque: wp.array, first: bool) -> None:
        """Accelerations with a torque of the motors; `first`: the actuators' forces are those of the others alone."""
        self.launch(
            kernels.push_torque, torque.shape, torque, self.dofs, self._hands, self._gears, self._low, self._high,
            int(first), self._others, data.qfrc_actuator, data.actuator_force, self.cut,
        )  # fmt: skip
        mjw.fwd_acceleration(model, data)
        mjw.solve(model, data)

    def find_load(self, model: WarpModel, data: WarpData, torque: wp.array, found: dict[str, wp.array]) -> None:
        """What each motor finds at its joint, with the accelerations under the torque that it gave last."""
        if self._factor is None:
            self._factor = wp.zeros_like(data.M)
        rows = model.M_rownnz, model.M_rowadr, model.M_colind
        self.launch(kernels.factor_masses, self.worlds, model.nv, *rows, data.M, self._factor)
        self.launch(
            kernels.find_load, torque.shape, model.nv, *rows, self._factor, self.dofs, self.places, self.armature,
            data.qpos, data.qvel, data.qacc, model.dof_damping, torque, self._column, self.mobility,
            *(found[name] for name in ("position", "velocity", "load_torque", "load_inertia", "load_damping")),
        )  # fmt: skip

    def integrate(self, model: WarpModel, data: WarpData, slope: wp.array) -> None:
        """The step, with a torque that falls with the speed at its end by `slope` [N·m·s/rad]."""
        wanted = not model.opt.disableflags & mjw.DisableBit.SENSOR and model.sensor_rne_postconstraint
        if model.opt.run_rne_postconstraint or wanted:
            mjw.rne_postconstraint(model, data)
        mjw.sensor_acc(model, data, skip_rne_postconstraint=True)
        own = model.dof_damping
        self.launch(kernels.damp, self._damping.shape, self._joint_of, own, slope, self.cut, self._damping)
        model.dof_damping = self._damping
        try:
            (mjw.euler if model.opt.integrator == mjw.IntegratorType.EULER else mjw.implicit)(model, data)
        finally:
            model.dof_damping = own
