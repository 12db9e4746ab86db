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


def entity(folder: Path, kind: str | None = None, robot: be.Robot | None = None) -> Entity:
    """A robot, by default the quadruped, by its own module."""
    robot = be.read_robot(write_robot(folder / "robot")) if robot is None else robot
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


def test_a_carriage_on_a_belt_is_in_newtons(tmp_path: Path):
    """mjlab's slide has the rotor's mass in kg, and 2000 N/m bring its carriage to 0.1 m."""
    (tmp_path / "axis.xml").write_text(
        '<mujoco><option gravity="0 0 0"/><worldbody><body name="carriage"><joint name="lift" type="slide" axis="1 0 0"'
        ' armature="0.3"/><geom type="box" size=".1 .1 .1" mass="5"/></body></worldbody></mujoco>'
    )
    motor, pd = be.Datasheet.load("maxon-re40-148867").motor(), be.IdealPd(stiffness=2000.0, damping=200.0)
    drive = be.JointDrive(motor=motor, slide=be.design.Belt(radius=0.012), controller=pd)
    robot = be.Robot(model=tmp_path / "axis.xml", supply=be.Supply(voltage=24.0), drives={"lift": drive})
    model = entity(tmp_path, "builtin_position", robot).spec.compile()
    assert model.dof_armature[0] == pytest.approx(motor.rotor.inertia / 0.012**2, rel=1e-5)
    data = mujoco.MjData(model)
    data.ctrl[0] = 0.1
    for _ in range(500):
        mujoco.mj_step(model, data)
    # friction of the motor holds it a little off
    assert abs(data.qpos[0] - 0.1) < float(motor.friction.coulomb) / 0.012 / 2000.0 + 1e-4
