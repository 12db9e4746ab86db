"""Which joints of a model have motors, and what of the model is theirs."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from ..actuator import Actuator
from ..errors import MissingExtraError, ParameterError
from ..motor import Motor
from ..robot.actuator_set import ActuatorSet
from .mujoco_types import MjModel, MjSpec


def mujoco_module() -> ModuleType:
    """MuJoCo; raises MissingExtraError where it is not installed."""
    mujoco: Any
    try:
        import mujoco
    except ModuleNotFoundError:
        raise MissingExtraError("mujoco", "mujoco", "A motor inside MuJoCo") from None
    return mujoco


@dataclass(frozen=True)
class Joints:
    """Where the joints with motors are in a model, in the order of the set."""

    names: tuple[str, ...]
    positions: np.ndarray
    """Places in qpos."""
    dofs: np.ndarray
    """Places in qvel."""
    actuators: np.ndarray
    """Number of the actuator on each joint; -1 where there is none."""
    gears: np.ndarray
    """Gear of that actuator; 1 where there is none."""
    armature: np.ndarray
    """Inertia of the motor that the joint has as armature [kg·m²]."""
    ids: np.ndarray
    """Numbers of the joints."""
    motors: np.ndarray
    """Whether each actuator has a motor, rather than a controller alone."""
    controls: np.ndarray
    """Place in ctrl of that actuator's first control; -1 where there is none."""


def robot_on(model: MjModel, actuators: ActuatorSet | Mapping[str, Actuator | Motor]) -> ActuatorSet:
    """The actuators of a model's joints; raises ParameterError where a pattern matches none or a joint is missing."""
    mujoco = mujoco_module()
    if not isinstance(model, mujoco.MjModel):
        raise ParameterError(f"Motors({type(model).__name__}): the first argument must be a mujoco.MjModel")
    turning = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
    names = [model.joint(i).name for i in range(model.njnt) if model.jnt_type[i] in turning]
    names = [name for name in names if name]
    if isinstance(actuators, ActuatorSet):
        missing = [joint for joint in actuators.joints if joint not in names]
        if missing:
            raise ParameterError(
                f"the model has no hinge or slide joint {missing[0]!r}; it has {', '.join(names) or 'none'}"
            )
        return actuators
    if not isinstance(actuators, Mapping) or not actuators:
        raise ParameterError("Motors: give an ActuatorSet, or a dict of patterns and actuators: {'.*_knee': motor}")
    if not names:
        raise ParameterError("the model has no hinge or slide joint with a name: nothing to put a motor on")
    found = [matches(pattern, names) for pattern in actuators]
    # a pattern that matches nothing is a mistake, and the set has the sentence for it
    wanted = set().union(*found) if all(found) else names
    return ActuatorSet([name for name in names if name in wanted], actuators)


def matches(pattern: str, names: list[str]) -> list[str]:
    """The names that a pattern matches as a whole; none where it is no pattern at all."""
    try:
        return [name for name in names if re.fullmatch(pattern, name)]
    except (re.error, TypeError):
        return []


def find_joints(model: MjModel, robot: ActuatorSet, armature: bool) -> Joints:
    """Places of the joints and their actuators; raises ParameterError where no actuator takes a motor's torque."""
    mujoco = mujoco_module()
    ids = np.array([model.joint(name).id for name in robot.joints])
    hands, gears = np.full(len(ids), -1), np.ones(len(ids))
    own = [0.0 if each.motor is None else float(np.ravel(each.motor.armature)[0]) for each in robot.actuators]
    kinds = (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))
    # since 3.12 an actuator may have several controls
    count = len(model.actuator_trntype)
    first = model.actuator_ctrladr if hasattr(model, "actuator_ctrladr") else np.arange(count)
    for number in range(count):
        if model.actuator_trntype[number] not in kinds or model.actuator_trnid[number, 0] not in ids:
            continue
        place = int(np.flatnonzero(ids == model.actuator_trnid[number, 0])[0])
        joint, name = robot.joints[place], model.actuator(number).name or f"number {number}"
        if hands[place] >= 0:
            raise ParameterError(f"joint {joint!r} has two actuators, {name!r} among them: leave one for the motor")
        own_motor = model.actuator_gaintype[number] == int(mujoco.mjtGain.mjGAIN_DCMOTOR)
        if (model.actuator_actadr[number] >= 0 and not own_motor) or model.actuator_plugin[number] >= 0:
            raise ParameterError(
                f"actuator {name!r} on joint {joint!r} has states of its own: make it a <motor>, or take it out, and "
                "the motor of backemf stands in its place"
            )
        if any(getattr(model, "actuator_delay", ())[number : number + 1]):
            raise ParameterError(
                f"actuator {name!r} on joint {joint!r} has a delay of its own, which motors do not see: take it out, "
                "and give the actuator of backemf a Delay"
            )
        gears[place] = model.actuator_gear[number, 0]
        if gears[place] == 0.0:
            raise ParameterError(f"actuator {name!r} on joint {joint!r} has the gear 0: give it 1")
        hands[place] = number
    dofs = model.jnt_dofadr[ids].astype(int)
    if not armature:
        for joint, dof, needed in zip(robot.joints, dofs, own, strict=True):
            if model.dof_armature[dof] < needed * (1.0 - 1e-9):
                raise ParameterError(
                    f"Motors(armature=False): joint {joint!r} has the armature {model.dof_armature[dof]:g} kg·m², "
                    f"which does not hold the rotor's {needed:g} kg·m²; leave armature=False out, or write it there"
                )
    warn_of_doubles(model, robot, ids, dofs, hands, armature)
    controls = np.where(hands >= 0, np.asarray(first)[hands], -1) if count else hands
    places, motors = model.jnt_qposadr[ids].astype(int), np.array([each.motor is not None for each in robot.actuators])
    return Joints(robot.joints, places, dofs, hands, gears, np.array(own), ids, motors, controls)


def warn_of_doubles(
    model: MjModel, robot: ActuatorSet, ids: np.ndarray, dofs: np.ndarray, hands: np.ndarray, armature: bool
) -> None:
    """Warn where the model says what the motor says too, clips what it gives, or would if the joint had an actuator."""
    words, bare = [], []
    for joint, number, dof, hand, actuator in zip(robot.joints, ids, dofs, hands, robot.actuators, strict=True):
        motor = actuator.motor
        if motor is not None and armature and model.dof_armature[dof] > 0.0 and np.any(np.asarray(motor.inertia) > 0.0):
            words.append(f"{joint} has armature {model.dof_armature[dof]:g} besides the motor's")
        if motor is not None and motor.friction is not None and model.dof_frictionloss[dof] > 0.0:
            words.append(f"{joint} has frictionloss {model.dof_frictionloss[dof]:g} besides the motor's friction")
        if hand >= 0 and model.jnt_actfrclimited[number]:
            words.append(f"{joint} clips its actuator to {np.abs(model.jnt_actfrcrange[number]).min():g} N·m")
        if hand < 0 and model.jnt_actfrclimited[number]:
            bare.append(f"{joint} to {np.abs(model.jnt_actfrcrange[number]).min():g} N·m")
    if bare:
        warnings.warn(
            f"actuatorfrcrange limits {', '.join(bare)}, and MuJoCo limits actuators alone, which there are none of on "
            "these joints: their motors go beyond it. Give the joints actuators with Motors.prepare(spec, actuators), "
            "or the motors a limit of their own.",
            stacklevel=5,
        )
    if words:
        warnings.warn(
            f"The model and the motors both have their say: {'; '.join(words)}. Take out of the model what the motor "
            "brings, or keep it if it is the joint's own.",
            stacklevel=5,
        )


def add_hands(spec: MjSpec, actuators: ActuatorSet | Mapping[str, Actuator | Motor]) -> list[str]:
    """A `<motor>` on every joint of a spec that is to have a motor and has no actuator; the names of those joints."""
    mujoco = mujoco_module()
    if not isinstance(spec, mujoco.MjSpec):
        raise ParameterError(f"Motors.prepare({type(spec).__name__}): the first argument must be a mujoco.MjSpec")
    robot = robot_on(spec.copy().compile(), actuators)
    driven = {actuator.target for actuator in spec.actuators}
    added = [joint for joint in robot.joints if joint not in driven]
    for joint in added:
        element = spec.add_actuator(name=f"{joint}_motor", target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        element.set_to_motor()
    return added
