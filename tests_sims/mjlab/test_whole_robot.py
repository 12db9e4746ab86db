"""A whole robot for mjlab: its entity is built from the module that is written, and stands on its motors."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest
from mjlab.entity import Entity

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests"))
from robot_models import JOINTS, write_robot

import backemf as be


def entity(folder: Path, kind: str | None = None) -> Entity:
    """The quadruped, by its own module."""
    robot = be.read_robot(write_robot(folder / "robot"))
    (folder / "out").mkdir()
    robot.export("mjlab", folder / "out" / "dog.py", kind=kind)
    spec = importlib.util.spec_from_file_location("dog", folder / "out" / "dog.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return Entity(module.get_robot_cfg())


def test_mjlab_builds_the_quadruped_with_its_motors(tmp_path: Path):
    """One actuator per joint, and the rotors' inertia and friction in place of the model's."""
    model = entity(tmp_path).spec.compile()
    assert model.nu == 12
    dofs = [model.jnt_dofadr[model.joint(joint).id] for joint in JOINTS]
    hip, calf = (be.load(name).motor.armature for name in ("mit-mini-cheetah", "cubemars-ak80-9-v2"))
    assert model.dof_armature[dofs] == pytest.approx(4 * [hip, hip, calf], rel=1e-5)
    assert model.dof_damping[dofs[:2]] == pytest.approx(0.01)
    # its mesh is found from the new folder
    assert model.nmesh == 1


def test_the_quadruped_stands_on_position_actuators(tmp_path: Path):
    """With mjlab's builtin position actuators, which MuJoCo itself computes, half a second of standing."""
    model = entity(tmp_path, "builtin_position").spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    for number in range(model.nu):
        joint = int(model.actuator_trnid[number, 0])
        data.ctrl[number] = data.qpos[model.jnt_qposadr[joint]]
    for _ in range(250):
        mujoco.mj_step(model, data)
    assert np.isfinite(data.qpos).all() and 0.25 < data.qpos[2] < 0.36
