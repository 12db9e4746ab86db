"""What is believed of each joint of a robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..actuator import Actuator
from ..errors import ParameterError
from ..robot import ActuatorSet
from .heat_prior import follows_measured_current, with_measured_current
from .joints import drive_of_joint
from .log import Log
from .prior import Prior, make_prior, read_prior
from .rig import Rig
from .trials import Trials

FROM_MODEL = "drives without a motor have the armature of the robot's model; their friction starts at a usual size"
"""What is assumed of drives of which only torque and speed are known."""


def joints_of(logs: Sequence[Log]) -> tuple[str, ...]:
    """Joints of all logs, in their order; empty where logs are of one joint without a name."""
    return tuple(dict.fromkeys(joint for log in logs for joint in log.joints))


def read_drives(given: object, joints: Sequence[str], what: str = "identify: prior") -> dict[str, Actuator]:
    """The drive of each joint: one for all, or by patterns of names as in an `ActuatorSet`.

    Without joints it stands under an empty name. `what` is named in the error.
    """
    if isinstance(given, (Mapping, ActuatorSet)) and not joints:
        raise ParameterError(f"{what}: is given by joint, and the logs name no joints; give one drive")
    if isinstance(given, ActuatorSet):
        return {joint: given[joint] for joint in joints}
    if isinstance(given, Mapping):
        made = ActuatorSet(joints, {name: read_prior(each, what=f"{what}[{name!r}]") for name, each in given.items()})
        return {joint: made[joint] for joint in joints}
    return dict.fromkeys(joints or ("",), read_prior(given, what=what))


def drives_on_rig(drives: Mapping[str, Actuator], rig: Rig, logs: Sequence[Log]) -> dict[str, Actuator]:
    """The drives as they are simulated: where the measured current drives a motor, it flows whatever was asked for."""
    made = {}
    for joint, drive in drives.items():
        own = [log.joint(joint) if joint else log for log in logs if not joint or joint in log.joints]
        follows = bool(own) and follows_measured_current(drive, rig, own)
        made[joint] = with_measured_current(drive, own) if follows else drive
    return made


def make_priors(drives: Mapping[str, Actuator], rig: Rig, logs: Sequence[Log], trials: Trials) -> dict[str, Prior]:
    """The prior of each joint on its rig."""
    if "current" in trials.commands and trials.path is not None:
        return {joint: Prior(drive, drive) for joint, drive in drives.items()}
    if "" in drives:
        return {"": make_prior(drives[""], rig, logs, trials.dt)}
    made = {}
    for joint, drive in drives.items():
        own = [log.joint(joint) for log in logs if joint in log.joints]
        if not own:
            raise ParameterError(f"identify: every log with the joint {joint!r} is held out; leave one to fit")
        robot = trials.robot is not None
        bare = robot and drive.motor is None
        drive = _with_inertia(drive, rig, joint, own[0], trials) if bare else drive
        prior = make_prior(drive, rig, own, trials.dt, of_robot=robot)
        made[joint] = replace(prior, notes=(*prior.notes, FROM_MODEL)) if bare else prior
    return made


def _with_inertia(drive: Actuator, rig: Rig, joint: str, log: Log, trials: Trials) -> Actuator:
    """A drive without a motor as one that has the armature of the robot's model."""
    assert trials.robot is not None
    armature = float(trials.robot.armature[trials.joints.index(joint)])
    if not (np.isfinite(armature) and armature > 0.0):
        raise ParameterError(
            f"identify: the drive of {joint!r} has no inertia, and neither has the robot's model: give "
            "be.drive_of_joint(actuator, armature=...), or an armature in the model"
        )
    return drive_of_joint(rig.actuator_for(drive, log), armature)
