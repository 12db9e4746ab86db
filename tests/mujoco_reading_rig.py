"""A rig for actuators that are read from a model: MuJoCo itself, its law as it is read, and our actuator.

The motion of the joint and the targets are random and the same for all three.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from mujoco_rig import mujoco

from backemf import motorfile
from backemf.actuator import Command
from backemf.sims.mujoco import MujocoOnJoint
from backemf.sims.on_joint import OnJoint

VERSION = ".".join(mujoco.__version__.split(".")[:2])
DT = 0.002
JOINT = ("armature", "coulomb", "stiction", "viscous")


def one_joint(element: str, joint: str = "", more: str = "") -> str:
    """A model with one joint, free of gravity, and an actuator on it."""
    return (
        f'<mujoco><compiler angle="radian"/><option timestep="{DT}" gravity="0 0 0"><flag contact="disable"/></option>'
        f'{more}<worldbody><body><joint name="j" axis="0 0 1" {joint}/>'
        '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody>'
        f"<actuator>{element}</actuator></mujoco>"
    )


class Motion(NamedTuple):
    """A random motion of a joint, and targets beside it."""

    position: np.ndarray
    velocity: np.ndarray
    targets: dict[str, np.ndarray]


def random_motion(seed: int, steps: int = 90, reach: float = 1.0) -> Motion:
    """A motion that starts at rest at 0, and targets that are held for a while."""
    rng = np.random.default_rng(seed)
    velocity = np.concatenate([[0.0], np.cumsum(DT * np.repeat(rng.uniform(-400, 400, steps // 20 + 1), 20))])[:steps]
    position = np.concatenate([[0.0], np.cumsum(DT * velocity)[:-1]])
    sizes = {"position": reach, "velocity": 5.0 * reach, "effort": 3.0 * reach, "voltage": 12.0}
    held = {name: size * np.repeat(rng.uniform(-1, 1, steps // 15 + 1), 15)[:steps] for name, size in sizes.items()}
    return Motion(position, velocity, held)


def command_at(motion: Motion, heard: tuple[str, ...], k: int) -> Command:
    """The targets of one step."""
    return Command(**{name: float(motion.targets[name][k]) for name in heard})


def torque_of_mujoco(text: str, found: MujocoOnJoint, motion: Motion, heard: tuple[str, ...]) -> np.ndarray:
    """What MuJoCo itself gives the joint: actuator and damping, dry friction apart [N·m]."""
    model = mujoco.MjModel.from_xml_string(text)
    law: Any = found.law()
    data, torques = mujoco.MjData(model), []
    controls: Callable[..., Any] = getattr(law, "inner", law).controls
    for k, (q, v) in enumerate(zip(motion.position, motion.velocity, strict=True)):
        data.qpos[:], data.qvel[:] = q, v
        data.ctrl[:] = controls(command_at(motion, heard, k), q, v)
        mujoco.mj_step(model, data)
        torques.append(float(data.qfrc_actuator[0] + data.qfrc_damper[0]))
    return np.array(torques)


def torque_of_law(found: MujocoOnJoint, motion: Motion, heard: tuple[str, ...]) -> np.ndarray:
    """What the law that is read gives it, dry friction apart [N·m]."""
    law = replace(found, coulomb=0.0).law()
    state, torques = law.initial(()), []
    for k, (q, v) in enumerate(zip(motion.position, motion.velocity, strict=True)):
        state, torque = law.step(state, command_at(motion, heard, k), q, v, DT)
        torques.append(float(torque))
    return np.array(torques)


def torque_of_ours(found: OnJoint, motion: Motion, heard: tuple[str, ...]) -> np.ndarray:
    """What our actuator gives it, with the joint's damping and without its dry friction [N·m]."""
    step = found.actuator.compile("python")
    state, torques = step.initial(()), []
    for k, (q, v) in enumerate(zip(motion.position.tolist(), motion.velocity.tolist(), strict=True)):
        state, out = step(state, command_at(motion, heard, k), q, v, DT)
        torques.append(float(out.torque) - found.viscous * v)
    return np.array(torques)


def from_motor_file(found: OnJoint) -> OnJoint:
    """The same actuator and joint, through a motor file."""
    own = {name: getattr(found, name) for name in JOINT}
    text = motorfile.dumps(found.actuator, own | {"name": found.joint})
    actuator, joint = motorfile.loads_with_joint(text)
    assert actuator == found.actuator
    return OnJoint(actuator=actuator, joint=joint.pop("name", ""), **joint)


def lost_rows(found: OnJoint) -> list[str]:
    """What a reader is told to be lost."""
    return [loss.phenomenon for loss in found.losses if loss.status != "kept"]
