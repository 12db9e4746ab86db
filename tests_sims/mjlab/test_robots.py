"""mjlab's own three robots: read whole from texts and live configurations, written again, and run by mjlab."""

import dataclasses
import importlib
import re
from pathlib import Path

import mujoco
import numpy as np
import pytest
from mjlab.entity import Entity, EntityArticulationInfoCfg
from test_files import run

import backemf as be
from backemf.sims import mjlab
from backemf.sims.on_joint import OnJoint

ROBOTS = {
    "unitree_g1": ("g1_constants", "get_g1_robot_cfg", 6),
    "unitree_go1": ("go1_constants", "get_go1_robot_cfg", 2),
    "i2rt_yam": ("yam_constants", "get_yam_robot_cfg", 7),
}
"""Module, function that makes the configuration, and how many actuators it has."""


def module_of(robot: str):
    return importlib.import_module(f"mjlab.asset_zoo.robots.{robot}.{ROBOTS[robot][0]}")


def live(robot: str):
    """The configuration that the running program has."""
    return getattr(module_of(robot), ROBOTS[robot][1])()


def text_rows(robot: str) -> list[OnJoint]:
    """Every actuator of the text, all of them ours."""
    path = Path(module_of(robot).__file__)
    rows = mjlab.read_actuators(path)
    assert all(isinstance(row, OnJoint) for row in rows), rows
    return rows


@pytest.mark.parametrize("robot", ROBOTS)
def test_text_and_objects_give_the_same_actuators(robot: str):
    """In the order of the robot, every number of the text is the running program's, within a rounding."""
    of_text, of_objects, theirs = (
        text_rows(robot),
        mjlab.read_actuators(live(robot)),
        live(robot).articulation.actuators,
    )
    assert len(of_text) == len(of_objects) == len(theirs) == ROBOTS[robot][2]
    for ours, same, cfg in zip(of_text, of_objects, theirs, strict=True):
        assert ours.joint == same.joint == "|".join(cfg.target_names_expr)
        for found in (ours, same):
            pd, (limit,) = found.actuator.controller, found.actuator.limits
            assert pd.inputs == ("position",)
            numbers = (pd.stiffness, pd.damping, limit.effort_limit, found.armature)
            assert numbers == pytest.approx((cfg.stiffness, cfg.damping, cfg.effort_limit, cfg.armature), rel=1e-14)
        assert [loss.phenomenon for loss in ours.losses] == [loss.phenomenon for loss in same.losses]


@pytest.mark.parametrize("robot", ROBOTS)
def test_what_is_read_is_written_again_and_gives_the_same_force(robot: str):
    """The robot on the texts that are written: every joint's force along a random motion is that of our law."""
    rows = text_rows(robot)
    made = tuple(run(mjlab.write(row, tuple(row.joint.split("|"))).text) for row in rows)
    for cfg, own in zip(made, live(robot).articulation.actuators, strict=True):
        assert type(cfg) is type(own)
        for entry in dataclasses.fields(own):
            value = getattr(own, entry.name)
            same = pytest.approx(value, rel=1e-14) if isinstance(value, float) else value
            assert getattr(cfg, entry.name) == same, entry.name
    robot_cfg = dataclasses.replace(live(robot), articulation=EntityArticulationInfoCfg(actuators=made))
    model = Entity(robot_cfg).spec.compile()
    data, draw = mujoco.MjData(model), np.random.default_rng(3)
    driven = {
        joint: row
        for joint in (model.joint(k).name for k in range(model.njnt))
        for row in rows
        if re.fullmatch(row.joint, joint)
    }
    assert len(driven) == model.nu
    worst, clipped = 0.0, 0
    for _ in range(50):
        data.qvel[:] = draw.normal(size=model.nv) * 3.0
        targets = {joint: draw.normal() * 2.0 for joint in driven}
        angles = {joint: draw.normal() * 0.5 for joint in driven}
        for joint in driven:
            data.joint(joint).qpos[0] = angles[joint]
            data.actuator(joint).ctrl[0] = targets[joint]
        mujoco.mj_forward(model, data)
        for joint, row in driven.items():
            plain = dataclasses.replace(row, coulomb=0.0, viscous=0.0).law()
            told = be.Command(position=targets[joint])
            _, ours = plain.step(plain.initial(()), told, angles[joint], float(data.joint(joint).qvel[0]), 0.005)
            (limit,) = row.actuator.limits
            worst = max(worst, abs(float(ours) - float(data.joint(joint).qfrc_actuator[0])) / limit.effort_limit)
            clipped += abs(float(ours)) == limit.effort_limit
    assert worst < 1e-12
    assert clipped > 10
    for joint, row in driven.items():
        assert model.dof_armature[model.joint(joint).dofadr[0]] == pytest.approx(row.armature)
