"""Joints of an MJCF model, as MuJoCo compiles them; mesh files may be missing."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np

from ...errors import ParameterError
from ..mujoco_types import MjModel
from ..robot_model import BALL, FREE, HINGE, SLIDE, Allowed, ModelJoint, RobotModel
from .kinds import ModelActuator, actuators_of
from .stripped import compiled_source
from .written.existing import moved_by

KINDS = (FREE, BALL, SLIDE, HINGE)
"""Kinds of joints, in the order of MuJoCo's numbers."""


def read_model(path: Path) -> RobotModel:
    """The joints of an MJCF file; raise ParameterError where MuJoCo refuses it."""
    mujoco, model, *_ = compiled_source(path)
    return model_of(mujoco, model, path)


def model_of(mujoco: ModuleType, model: MjModel, path: Path | None, format: str = "MJCF") -> RobotModel:
    """The joints of a compiled model."""
    actuators = actuators_of(mujoco, model)
    moved = moved_by(mujoco, model) if any(each.joint_number is None for each in actuators) else []
    coupled, tied = couplings(mujoco, model), ties(mujoco, model)
    joints, unnamed = [], 0
    for number in range(model.njnt):
        name = str(model.joint(number).name)
        kind = KINDS[int(model.jnt_type[number])]
        if not name:
            unnamed += kind in (HINGE, SLIDE)
            continue
        acting = [a for a in actuators if a.joint_number == number or (moved and name in moved[a.index])]
        joint = joint_of(model, number, name, kind, acting, tuple(coupled.get(number, ())))
        joints.append(replace(joint, tied=tuple(tied.get(number, ()))))
    problems = () if not unnamed else (f"{unnamed} joints have no name, and get no motor; name them in the model",)
    if not any(joint.is_driven for joint in joints):
        raise ParameterError(f"{path}: has no hinge or slide with a name; name its joints")
    step = float(model.opt.timestep)
    return RobotModel(path=path, format=format, joints=tuple(joints), timestep=step, problems=problems)


def joint_of(
    model: MjModel, number: int, name: str, kind: str, acting: list[ModelActuator], coupled: tuple[str, ...]
) -> ModelJoint:
    """A joint with all that a motor may replace."""
    dof = int(model.jnt_dofadr[number])
    moves = kind in (HINGE, SLIDE)
    own = sum(
        each.numbers("armature")[0] * each.numbers("gear")[0] ** 2 for each in acting if each.joint_number == number
    )
    return ModelJoint(
        name=name,
        kind=kind,
        coupled=coupled,
        armature=float(model.dof_armature[dof]) + own if moves else None,
        coulomb=float(model.dof_frictionloss[dof]) if moves else None,
        viscous=float(model.dof_damping[dof]) if moves else None,
        spring=spring_of(model, number) if moves else None,
        span=span_of(model, number) if moves else None,
        limits=tuple(limits_of(model, number, kind, acting)) if moves else (),
        actuators=tuple(each.label for each in acting),
    )


def spring_of(model: MjModel, number: int) -> tuple[float, float] | None:
    """Stiffness and rest position of a joint's own spring."""
    stiffness = float(model.jnt_stiffness[number])
    return (stiffness, float(model.qpos_spring[int(model.jnt_qposadr[number])])) if stiffness else None


def span_of(model: MjModel, number: int) -> tuple[float, float] | None:
    """Range of a joint."""
    if not model.jnt_limited[number]:
        return None
    low, high = (float(x) for x in model.jnt_range[number])
    return low, high


def limits_of(model: MjModel, number: int, kind: str, acting: list[ModelActuator]) -> list[Allowed]:
    """Efforts that the model allows at a joint: its own, and those of the actuators that drive it alone."""
    unit = "N·m" if kind == HINGE else "N"
    found = []
    if model.jnt_actfrclimited[number]:
        found.append(Allowed("actuatorfrcrange", float(np.max(np.abs(model.jnt_actfrcrange[number]))), unit))
    for each in acting:
        if each.joint_number != number or each.is_type("gain", "dcmotor"):
            continue
        gear = abs(each.numbers("gear")[0])
        if each.model.actuator_forcelimited[each.index]:
            most = gear * max(abs(x) for x in each.numbers("forcerange"))
            found.append(Allowed(f"forcerange of its <{each.kind}>", most, unit))
        ends = each.ctrl_ranges[0] if each.ctrl_ranges else (-math.inf, math.inf)
        if each.kind == "motor" and all(map(math.isfinite, ends)):
            most = gear * max(abs(x) for x in ends)
            found.append(Allowed(f"ctrlrange of its <{each.kind}>", most, unit))
    return found


def ties(mujoco: ModuleType, model: MjModel) -> dict[int, list[str]]:
    """Names of the joints that equalities move along with each joint, by the number of the joint."""
    found: dict[int, list[str]] = {}
    for row in range(int(model.neq)):
        pair = int(model.eq_obj1id[row]), int(model.eq_obj2id[row])
        if int(model.eq_type[row]) == int(mujoco.mjtEq.mjEQ_JOINT) and min(pair) >= 0:
            for one, other in (pair, pair[::-1]):
                # a joint without a name is no part of the robot's model
                found.setdefault(one, []).extend(filter(None, [str(model.joint(other).name)]))
    return found


def couplings(mujoco: ModuleType, model: MjModel) -> dict[int, list[str]]:
    """Equalities and tendons of joints, by the number of the joint."""
    found: dict[int, list[str]] = {}
    for row in range(int(model.neq)):
        if int(model.eq_type[row]) != int(mujoco.mjtEq.mjEQ_JOINT):
            continue
        first, second = int(model.eq_obj1id[row]), int(model.eq_obj2id[row])
        for one, other in ((first, second), (second, first)):
            if one >= 0:
                what = "fixed by an equality" if other < 0 else f"an equality with {model.joint(other).name!r}"
                found.setdefault(one, []).append(what)
    for tendon in range(int(model.ntendon)):
        begin, count = int(model.tendon_adr[tendon]), int(model.tendon_num[tendon])
        for row in range(begin, begin + count):
            if int(model.wrap_type[row]) == int(mujoco.mjtWrap.mjWRAP_JOINT):
                words = f"the tendon {model.tendon(tendon).name!r}"
                found.setdefault(int(model.wrap_objid[row]), []).append(words)
    return found
