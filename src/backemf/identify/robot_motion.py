"""A robot along a measured motion: mass matrix and bias of its joints, from its model in MuJoCo."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import MissingExtraError, ParameterError
from ..hooks import call_hook
from .channels import suggest
from .rig_parts import RobotModel
from .signals import slope_over

if TYPE_CHECKING:
    from .log import Log

MOST = 2_000_000_000
"""Most bytes of the mass matrices [bytes]."""


@dataclass(frozen=True, eq=False)
class RobotMotion:
    """Rigid-body terms along a measured motion: inertia · q'' + bias = torque of the motors at the joints.

    Without the armature, damping and friction of the model, which belong to the motors.
    """

    joints: tuple[str, ...]
    """Joints of the model, in the order of the log's."""
    time: np.ndarray
    """Times of the measured positions [s]."""
    position: np.ndarray
    """Measured positions, (rows, joints) [rad]."""
    velocity: np.ndarray
    """Measured velocities, or slopes of the positions, (rows, joints) [rad/s]."""
    inertia: np.ndarray
    """Mass matrix at each time, (rows, joints, joints) [kg·m²]."""
    bias: np.ndarray
    """Torque of gravity, centrifugal and Coriolis forces, (rows, joints) [N·m]."""
    armature: np.ndarray
    """Armature of the model's joints, which is not in the mass matrix, (joints) [kg·m²]."""


def robot_motion(model: RobotModel, log: Log, folder: Path | None = None) -> RobotMotion:
    """Mass matrix and bias of a robot's joints at each measured position of a log."""
    time, position = log.times("position"), log["position"]
    position = position[:, None] if position.ndim == 1 else position
    velocity = _velocity(log, time, position)
    count = position.shape[1]
    if len(time) * count * count * 8 > MOST:
        raise ParameterError(f"{log.name or 'log'}: {len(time)} rows of {count} joints need more than 2 GB; slice it")
    mujoco, compiled, armature = _compile(model, folder)
    names = model.joints or log.joints
    if len(names) != count:
        raise ParameterError(f"RobotModel.joints names {len(names)} joints, and the log has {count}; name one for each")
    slots = [_slots(mujoco, compiled, name, model.model) for name in names]
    places, degrees = [slot[0] for slot in slots], [slot[1] for slot in slots]
    data = mujoco.MjData(compiled)
    inertia, bias = np.zeros((len(time), count, count)), np.zeros((len(time), count))
    full, unit, column = np.zeros(compiled.nv), np.eye(compiled.nv)[degrees], np.zeros(compiled.nv)
    for row in range(len(time)):
        data.qpos[places], data.qvel[degrees] = position[row], velocity[row]
        mujoco.mj_fwdPosition(compiled, data)
        mujoco.mj_fwdVelocity(compiled, data)
        mujoco.mj_rne(compiled, data, 0, full)
        bias[row] = full[degrees]
        for k in range(count):
            mujoco.mj_mulM(compiled, data, column, unit[k])
            inertia[row, :, k] = column[degrees]
    return RobotMotion(tuple(names), time, position, velocity, inertia, bias, armature[degrees])


def joint_kinds(model: RobotModel, folder: Path | None = None) -> dict[str, str]:
    """Kind of each joint of a robot by its name: hinge, slide, ball or free."""
    mujoco, compiled, _ = _compile(model, folder)
    kinds = {int(kind): kind.name.removeprefix("mjJNT_").lower() for kind in mujoco.mjtJoint.__members__.values()}
    return {compiled.joint(k).name: kinds[int(compiled.jnt_type[k])] for k in range(compiled.njnt)}


def _velocity(log: Log, time: np.ndarray, position: np.ndarray) -> np.ndarray:
    """Measured velocities at the times of the positions, or slopes of these."""
    if "velocity" in log and np.array_equal(log.times("velocity"), time):
        return log["velocity"].reshape(position.shape)
    return np.stack([slope_over(time, column) for column in position.T], axis=1)


def _compile(model: RobotModel, folder: Path | None) -> tuple[Any, Any, np.ndarray]:
    """MuJoCo, the model without meshes, contacts and what belongs to the motors, and its armatures."""
    try:
        mujoco: Any = importlib.import_module("mujoco")
    except ModuleNotFoundError:
        raise MissingExtraError("mujoco", "mujoco", "A rig with a robot model") from None
    path = Path(model.model) if folder is None else folder / model.model
    call_hook("require_readable", path)
    try:
        spec: Any = mujoco.MjSpec.from_file(str(path))
        _drop_meshes(mujoco, spec, path)
        compiled: Any = spec.compile()
    except ParameterError:
        raise
    except Exception as error:  # MuJoCo raises several kinds
        said = " ".join(str(error).split())[:300]
        raise ParameterError(f"{path}: MuJoCo cannot read the model: {said}") from None
    armature = np.array(compiled.dof_armature)
    compiled.dof_armature[:] = 0.0
    compiled.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    return mujoco, compiled, armature


def _drop_meshes(mujoco: Any, spec: Any, path: Path) -> None:
    """Leave out meshes, whose files need not be there; a body whose mass comes from one is an error."""
    for geom in list(spec.geoms):
        if geom.type == mujoco.mjtGeom.mjGEOM_MESH:
            if not geom.parent.explicitinertial:
                raise ParameterError(
                    f"{path}: the mass of the body {geom.parent.name!r} comes from a mesh; give the body an <inertial>"
                )
            spec.delete(geom)
    for mesh in list(spec.meshes):
        spec.delete(mesh)


def _slots(mujoco: Any, compiled: Any, name: str, model: str) -> tuple[int, int]:
    """Where a joint stands in the positions and velocities of the model."""
    names = [compiled.joint(k).name for k in range(compiled.njnt)]
    index = names.index(name) if name in names else -1
    if index < 0:
        raise ParameterError(f"{model}: has no joint {name!r}: {suggest(name, [n for n in names if n])}")
    if int(compiled.jnt_type[index]) not in (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)):
        raise ParameterError(f"{model}: the joint {name!r} is no hinge or slide; name joints that motors drive")
    return int(compiled.jnt_qposadr[index]), int(compiled.jnt_dofadr[index])
