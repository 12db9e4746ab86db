"""Joints of a MuJoCo model behind Webots' devices: a Webots controller drives a MuJoCo robot.

Webots' PID gives a velocity for every motor, and Webots' engine reaches all of them within its step with as much torque
as each motor has. The same is done here: in every step h of MuJoCo, torques t are found so that the velocities after
it,

    w' = free + A t   with A = h (M + h D)^-1 of the driven joints, and free what they would be without motors,

are the wanted ones. Where that is more torque than there is, they are found as ODE finds them: sweep by sweep, each
bounded torque in turn. Contacts are MuJoCo's own, which come after that. For one joint, this is Webots' own law.
"""

from __future__ import annotations

import math
from types import ModuleType

import numpy as np

from ....errors import MissingExtraError, ParameterError
from ...mjcf import require_readable
from ...mujoco_types import MjModel
from ..robots.description import RobotDescription
from .axis import Axis
from .straight import straight_control

SWEEPS = 200
"""Most sweeps over the driven joints in a step [1]."""
SETTLED = 1e-12
"""Change of a torque between two sweeps below which it is found, over the largest [1]."""


class OnMujoco:
    """Moves the axes by a basic time step of a MuJoCo model."""

    electric = False

    def __init__(self, robot: RobotDescription, axes: list[Axis]):
        self.mujoco = _mujoco()
        if robot.mujoco is None:
            raise ParameterError(f"{robot.file}: the backend mujoco needs a model: give mujoco = a file, or --mujoco")
        if robot.couplings:
            raise ParameterError(f"{robot.file}, coupling: a MuJoCo model couples joints itself: use <equality> there")
        self.model = _model(self.mujoco, str(robot.mujoco))
        self.data = self.mujoco.MjData(self.model)
        # Webots' motors stand in for the actuators of the model
        self.model.opt.disableflags |= self.mujoco.mjtDisableBit.mjDSBL_ACTUATION
        self.dt = robot.basic_time_step
        self.substeps = max(1, round(self.dt / self.model.opt.timestep))
        self.model.opt.timestep = self.dt / self.substeps
        names = {joint.name: joint.joint or joint.name for joint in robot.joints}
        self.axes = axes
        ids = [self._joint(robot, axis, names[axis.name]) for axis in axes]
        self.places = [int(self.model.jnt_qposadr[j]) for j in ids]
        self.dofs = np.array([int(self.model.jnt_dofadr[j]) for j in ids])
        self.damping = [float(self.model.dof_damping[dof]) for dof in self.dofs]
        self.controls = [straight_control(axis.motor, axis.joint, self.dt) for axis in axes]
        self.torques = np.zeros(len(axes))
        for axis, place in zip(axes, self.places, strict=True):
            if axis.joint.position != 0.0:
                self.data.qpos[place] = axis.joint.position
            axis.position = float(self.data.qpos[place])
            axis.target_position = axis.position
            axis.dynamic, axis.numb = True, ""
        self.mujoco.mj_forward(self.model, self.data)
        self._units = np.eye(self.model.nv)

    def _joint(self, robot: RobotDescription, axis: Axis, name: str) -> int:
        kinds = self.mujoco.mjtJoint
        found = self.mujoco.mj_name2id(self.model, self.mujoco.mjtObj.mjOBJ_JOINT, name)
        every = [self.model.joint(i).name for i in range(self.model.njnt)]
        if found < 0:
            raise ParameterError(
                f"{robot.mujoco}: there is no joint {name!r} for the motor {axis.name!r}; there are "
                f"{', '.join(map(repr, every[:12]))}; give joint = the name of one in the robot file"
            )
        turns = {int(kinds.mjJNT_HINGE): True, int(kinds.mjJNT_SLIDE): False}.get(int(self.model.jnt_type[found]))
        if turns is None or turns != axis.rotates:
            word = "turns" if axis.rotates else "slides"
            raise ParameterError(f"{robot.mujoco}: the joint {name!r} must be one that {word}, as its motor does")
        return found

    def step(self) -> None:
        for axis, control in zip(self.axes, self.controls, strict=True):
            control(axis, 0.0)
        for k, axis in enumerate(self.axes):
            self.model.dof_damping[self.dofs[k]] = self.damping[k] + axis.brake
        wanted = np.array([axis.wanted for axis in self.axes])
        most = np.array([axis.most for axis in self.axes])
        pushed = np.array([axis.push() for axis in self.axes])
        cfm = np.array([axis.joint.cfm for axis in self.axes])
        mean = np.zeros(len(self.axes))
        for _ in range(self.substeps):
            mean += self._substep(wanted, most, pushed, cfm) / self.substeps
        for k, axis in enumerate(self.axes):
            axis.position = float(self.data.qpos[self.places[k]])
            axis.speed = float(self.data.qvel[self.dofs[k]])
            axis.feedback = float(mean[k])
            axis.total = axis.feedback + axis.push()
        if not math.isfinite(self.axes[0].position + self.axes[0].speed):
            raise ParameterError("the MuJoCo model left the finite numbers: lower its timestep, or look at its masses")

    def _masses(self) -> np.ndarray:
        """The mass matrix."""
        whole = np.empty((self.model.nv, self.model.nv))
        for row, unit in zip(whole, self._units, strict=True):
            self.mujoco.mj_mulM(self.model, self.data, row, unit)
        return whole

    def _substep(self, wanted: np.ndarray, most: np.ndarray, pushed: np.ndarray, cfm: np.ndarray) -> np.ndarray:
        """One step of MuJoCo; the torques of the motors in it [N·m]."""
        model, data, mujoco, dofs = self.model, self.data, self.mujoco, self.dofs
        data.qfrc_applied[dofs] = pushed
        mujoco.mj_step1(model, data)
        h = model.opt.timestep
        # MuJoCo takes the damping of its joints at the end of the step
        heavy = self._masses() + h * np.diag(model.dof_damping)
        smooth = data.qfrc_passive - data.qfrc_bias + data.qfrc_applied
        columns = np.zeros((model.nv, len(dofs) + 1))
        columns[dofs, np.arange(len(dofs))] = 1.0
        columns[:, -1] = smooth
        solved = h * np.linalg.solve(heavy, columns)
        free = data.qvel[dofs] + solved[dofs, -1]
        self.torques = solve_bounded(solved[dofs, :-1] + np.diag(cfm), wanted - free, most, self.torques)
        data.qfrc_applied[dofs] = pushed + self.torques
        mujoco.mj_step2(model, data)
        return self.torques


def solve_bounded(matrix: np.ndarray, short: np.ndarray, most: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Torques within ±most that make matrix·torques = short, or are at a bound that would be passed."""
    free = np.linalg.solve(matrix, short)
    if (np.abs(free) <= most).all():
        return free
    torques = np.clip(start, -most, most)
    scale = SETTLED * max(1.0, float(most.max(initial=0.0)))
    for _ in range(SWEEPS):
        change = 0.0
        for k in range(len(torques)):
            missing = short[k] - float(matrix[k] @ torques)
            new = min(max(torques[k] + missing / matrix[k, k], -most[k]), most[k])
            change, torques[k] = max(change, abs(new - torques[k])), new
        if change <= scale:
            break
    return torques


def _mujoco() -> ModuleType:
    try:
        import mujoco
    except ModuleNotFoundError:
        raise MissingExtraError("mujoco", "mujoco", "The backend mujoco") from None
    return mujoco


def _model(mujoco: ModuleType, path: str) -> MjModel:
    require_readable(path)
    try:
        return mujoco.MjModel.from_xml_path(path)
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise ParameterError(f"{path}: MuJoCo cannot load it: {reason}") from None
