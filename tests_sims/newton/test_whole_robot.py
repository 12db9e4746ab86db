"""A whole robot in USD: Newton's own parser finds an actuator on every joint, and nothing of what was there before."""

from __future__ import annotations

import sys
from pathlib import Path

import newton
import numpy as np
import pytest
from newton.actuators import DrivePD

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests"))
from robot_models import ARM_JOINTS, RAIL, write_arm_usd

import backemf as be
from backemf.sims.newton import BackemfDrive, fuse

ARMATURE = 6.0**2 * 6.3e-5
"""Rotor of the mini cheetah behind its gear of 6 [kg·m²]."""


def arm(folder: Path, kind: str | None) -> newton.Model:
    """The arm with six motors, as Newton reads it."""
    drive = be.JointDrive(motor="mit-mini-cheetah", controller=be.IdealPd(stiffness=60.0, damping=2.0))
    robot = be.Robot(model=write_arm_usd(folder), supply=be.Supply(voltage=24.0), drives={"joint_.*": drive})
    (folder / "out").mkdir()
    robot.export("newton", folder / "out" / "arm.usda", kind=kind)
    builder = newton.ModelBuilder()
    found = builder.add_usd(str(folder / "out" / "arm.usda"))
    assert found["actuator_count"] == len(ARM_JOINTS)
    return builder.finalize()


@pytest.mark.parametrize("kind", [None, "backemf"])
def test_newton_loads_the_arm_with_its_motors(kind: str | None, tmp_path: Path):
    """Six actuators; the rotor's inertia in place of the model's 0.02 kg·m², and no drive of the joint beside them."""
    model = arm(tmp_path, kind)
    assert model.joint_armature.numpy()[-6:] == pytest.approx(ARMATURE, rel=1e-5)
    assert not model.joint_target_ke.numpy()[-6:].any()
    assert sum(len(each.indices) for each in model.actuators) == 6
    assert all(isinstance(each.drive, BackemfDrive if kind else DrivePD) for each in model.actuators)


def test_the_arm_holds_its_pose(tmp_path: Path):
    """With whole actuators on six joints, half a second brings all to 0.2 rad against gravity, within 0.05."""
    model = fuse(arm(tmp_path, "backemf"))
    solver = newton.solvers.SolverFeatherstone(model)
    here, there, control = model.state(), model.state(), model.control()
    newton.eval_fk(model, model.joint_q, model.joint_qd, here)
    control.joint_target_q.fill_(0.2)
    before = [each.state() for each in model.actuators]
    after = [each.state() for each in model.actuators]
    for _ in range(500):
        control.joint_f.zero_()
        for actuator, old, new in zip(model.actuators, before, after, strict=True):
            actuator.step(here, control, old, new, dt=1e-3)
        here.clear_forces()
        solver.step(here, there, control, None, 1e-3)
        here, there, before, after = there, here, after, before
    assert np.abs(here.joint_q.numpy()[-6:] - 0.2).max() < 0.05


@pytest.mark.parametrize("kind", [None, "backemf"])
def test_a_carriage_on_a_belt_moves_as_in_simulate(kind: str | None, tmp_path: Path):
    """Newton's slide has the rotor's mass in kg and its force in N; with the whole motor it moves as by ourselves."""
    (tmp_path / "axis.usda").write_text(RAIL)
    motor, belt = be.Datasheet.load("maxon-re40-148867").motor(), be.design.Belt(radius=0.012)
    pd = be.IdealPd(stiffness=2000.0, damping=200.0)
    drive = be.JointDrive(motor=motor, slide=belt, controller=pd)
    robot = be.Robot(model=tmp_path / "axis.usda", supply=be.Supply(voltage=24.0), drives={"lift": drive})
    robot.export("newton", tmp_path / "with_motor.usda", kind=kind)
    builder = newton.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    builder.add_usd(str(tmp_path / "with_motor.usda"))
    model = builder.finalize()
    assert model.joint_armature.numpy()[-1] == pytest.approx(motor.rotor.inertia / 0.012**2, rel=1e-5)
    fuse(model)
    solver = newton.solvers.SolverFeatherstone(model)
    here, there, control = model.state(), model.state(), model.control()
    newton.eval_fk(model, model.joint_q, model.joint_qd, here)
    control.joint_target_q.fill_(0.1)
    before, after = model.actuators[0].state(), model.actuators[0].state()
    seen = []
    for _ in range(300):
        control.joint_f.zero_()
        model.actuators[0].step(here, control, before, after, dt=1e-3)
        here.clear_forces()
        solver.step(here, there, control, None, 1e-3)
        here, there, before, after = there, here, after, before
        seen.append(here.joint_q.numpy()[-1])
    if kind is None:
        assert abs(seen[-1] - 0.1) < 0.01
        return
    actuator = be.Actuator(belt.motor(motor), be.Supply(voltage=24.0), controller=pd)
    ours = be.simulate(actuator, be.Inertia(inertia=5.0), 0.1, 0.3, 1e-3)
    assert np.abs(np.array(seen) - ours["position"][-300:]).max() < 2e-3
