"""Joints whose actuators are made of the same parts: one row, one launch, numbers side by side."""

from __future__ import annotations

import gc
from dataclasses import replace
from types import SimpleNamespace

import newton
import numpy as np
import pytest
import warp as wp
from newton.actuators import Actuator
from pxr import Usd
from rig import BATTERY, DT, KINDS, array, course, motor

import backemf as be
from backemf.motorfile import dumps
from backemf.sims.newton import BackemfActuator, BackemfDrive, add_armature, fuse, rows
from backemf.tree import map_numbers

LEGS = 12


def vary(kind: be.Actuator, factor: float) -> be.Actuator:
    """The same parts with stronger gains, windings, limits and friction; a delay and gears stay."""
    changed = {"delay": kind.delay, "substeps": kind.substeps}
    if kind.motor is not None:
        parts = {name: map_numbers(getattr(kind.motor, name), lambda x: x * factor) for name in ("winding", "friction")}
        changed["motor"] = replace(kind.motor, **parts)
    scaled = {name: map_numbers(getattr(kind, name), lambda x: x * factor) for name in ("controller", "limits", "slew")}
    return replace(kind, **scaled, **changed)


def quadruped(actuators: list, how: str = "objects") -> newton.Model:
    """Links on hinges, one for each actuator, added as objects, as texts, or by a stage of USD."""
    if how == "usd":
        builder = newton.ModelBuilder(gravity=(0.0, 0.0, 0.0))
        stage = Usd.Stage.CreateInMemory()
        stage.GetRootLayer().ImportFromString(stage_text(actuators))
        builder.add_usd(stage)
        return builder.finalize()
    builder = newton.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    for k, kind in enumerate(actuators):
        link = builder.add_link(mass=1.0, inertia=wp.mat33(np.eye(3) * 0.01))
        builder.add_articulation([builder.add_joint_revolute(-1, link, axis=wp.vec3(0.0, 0.0, 1.0))])
        builder.add_actuator(BackemfDrive, index=k, actuator=kind if how == "objects" else dumps(kind))
    return builder.finalize()


def stage_text(actuators: list) -> str:
    """A base with a hinge and a link for each actuator."""
    body = '(prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])'
    prims = [
        f'def Xform "base" {body} {{ float physics:mass = 5; }}',
        'def PhysicsFixedJoint "weld" { rel physics:body1 = </World/robot/base>; }',
    ]
    for k, kind in enumerate(actuators):
        text = dumps(kind).replace("\\", "\\\\").replace('"', '\\"')
        prims.append(f"""
        def Xform "link{k}" {body} {{
            float physics:mass = 1
            float3 physics:diagonalInertia = (0.01, 0.01, 0.01)
        }}
        def PhysicsRevoluteJoint "joint{k}" {{
            rel physics:body0 = </World/robot/base>
            rel physics:body1 = </World/robot/link{k}>
            uniform token physics:axis = "Y"
        }}
        def NewtonActuator "motor{k}" (prepend apiSchemas = ["BackemfControlAPI"]) {{
            rel newton:targets = </World/robot/joint{k}>
            string newton:backemf:actuator = \"\"\"{text}\"\"\"
        }}""")
    inside = "\n".join(prims)
    return f"""#usda 1.0
    (
        defaultPrim = "World"
        metersPerUnit = 1
        upAxis = "Z"
    )
    def Xform "World" {{
        def PhysicsScene "scene" {{}}
        def Xform "robot" (prepend apiSchemas = ["PhysicsArticulationRootAPI"]) {{
{inside}
        }}
    }}"""


def launches_of(model: newton.Model, monkeypatch, steps: int = 2) -> int:
    """Launches of one step of all actuators, after those that make things ready."""
    control, state = model.control(), model.state()
    states = [[a.state(), a.state()] for a in model.actuators]

    def step() -> None:
        for actuator, pair in zip(model.actuators, states, strict=True):
            actuator.step(state, control, *pair, dt=DT)
            pair.reverse()

    for _ in range(4):
        step()
    seen: list[str] = []
    launch, again = wp.launch, wp._src.context.Launch.launch
    with monkeypatch.context() as patch:
        patch.setattr(wp, "launch", lambda *a, **k: (seen.append("newton"), launch(*a, **k))[1])
        patch.setattr(wp._src.context.Launch, "launch", lambda s, *a: (seen.append("ours"), again(s, *a))[1])
        for _ in range(steps):
            step()
    return len(seen) // steps


def torques(model: newton.Model, given) -> np.ndarray:
    """Torques (steps, joints) over a course of prescribed motion."""
    control, state = model.control(), model.state()
    states = [[a.state(), a.state()] for a in model.actuators]
    rows = []
    for p, pv, effort, q, v in zip(*given, strict=True):
        targets = {"joint_target_q": p, "joint_target_qd": pv, "joint_act": effort}
        for part, named in ((control, targets), (state, {"joint_q": q, "joint_qd": v})):
            for name, x in named.items():
                getattr(part, name).assign(x)
        control.joint_f.zero_()
        for actuator, pair in zip(model.actuators, states, strict=True):
            actuator.step(state, control, *pair, dt=DT)
            pair.reverse()
        rows.append(control.joint_f.numpy().copy())
    return np.array(rows)


@pytest.mark.parametrize("how", ["objects", "texts", "usd"])
@pytest.mark.parametrize("name", ["PD and DC clip", "PID in volts, heat", "delay and slew"])
def test_twelve_joints_are_one_launch(name, how, monkeypatch):
    """Twelve actuators of one structure, other numbers each: as many launches as for one joint, and one if fused."""
    legs = [vary(KINDS[name], 1.0 + 0.05 * k) for k in range(LEGS)]
    one, all_ = quadruped(legs[:1], how), quadruped(legs, how)
    assert [a.num_actuators for a in all_.actuators] == [LEGS]
    assert launches_of(all_, monkeypatch) == launches_of(one, monkeypatch)
    assert launches_of(fuse(all_, implicit=False), monkeypatch) == 1


@pytest.mark.parametrize("name", [name for name in KINDS if name != "drawn delay"])
def test_torques_are_those_of_separate_rows(name):
    """A row of different numbers gives each joint the torque that it has alone, to rounding of float32."""
    legs = [vary(KINDS[name], 1.0 + 0.05 * k) for k in range(LEGS)]
    given = course(LEGS, 40)
    together = torques(fuse(quadruped(legs), implicit=False), given)
    for k in (0, 5, 11):
        alone = torques(fuse(quadruped([legs[k]]), implicit=False), [x[:, k : k + 1] for x in given])[:, 0]
        assert np.abs(together[:, k] - alone).max() <= 2e-6 * max(np.abs(alone).max(), 1.0)
    spread = np.abs(together - together.mean(axis=1, keepdims=True)).max()
    assert spread > 1e-3


def test_one_row_for_each_structure(monkeypatch):
    """Mixed structures: one launch each, whatever the order of the joints, and torques stay with their joints."""
    kinds = [KINDS["PD and DC clip"], KINDS["PID in torque"], KINDS["PID in volts, heat"]]
    legs = [vary(kinds[k % 3], 1.0 + 0.03 * k) for k in range(LEGS)]
    model = fuse(quadruped(legs), implicit=False)
    assert sorted(a.num_actuators for a in model.actuators) == [4, 4, 4]
    assert launches_of(model, monkeypatch) == 3
    given = course(LEGS, 10)
    together = torques(model, given)
    for k in range(LEGS):
        alone = torques(fuse(quadruped([legs[k]]), implicit=False), [x[:, k : k + 1] for x in given])[:, 0]
        assert together[:, k] == pytest.approx(alone, abs=2e-6 * max(float(np.abs(alone).max()), 1.0))


def test_objects_texts_and_motors_of_the_catalogue_share_a_row():
    """However a joint's actuator is given, it is the parts that count."""
    cheetah = be.Datasheet.load("mit-mini-cheetah").motor()
    kind = be.Actuator(cheetah, be.Supply(voltage=24.0), controller=be.TorquePid(kp=9.0, kd=0.5))
    builder = newton.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    ways = [
        {"actuator": kind},
        {"actuator": dumps(kind)},
        {"motor": "mit-mini-cheetah", "voltage": 24.0, "kp": 12.0},
        {"backemf:motor": "mit-mini-cheetah", "backemf:kp": 12.0, "backemf:voltage": 20.0},
    ]
    for k, given in enumerate(ways):
        link = builder.add_link(mass=1.0, inertia=wp.mat33(np.eye(3) * 0.01))
        builder.add_articulation([builder.add_joint_revolute(-1, link)])
        builder.add_actuator(BackemfDrive, index=k, **given)
    (actuator,) = builder.finalize().actuators
    assert actuator.drive.numbers["controller.kp"].numpy().tolist() == [9.0, 9.0, 12.0, 12.0]
    assert actuator.drive.numbers["supply.voltage"].numpy().tolist() == [24.0, 24.0, 24.0, 20.0]


def test_replicated_robots_keep_their_numbers():
    """Environments repeat the numbers of one robot, joint by joint; the armature of each joint is its own."""
    legs = [vary(KINDS["PID in volts, heat"], 1.0 + 0.1 * k) for k in range(3)]
    legs = [
        replace(leg, motor=replace(leg.motor, rotor=be.Rotor(inertia=1e-5 * (k + 1)))) for k, leg in enumerate(legs)
    ]
    robot = newton.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    for k, kind in enumerate(legs):
        link = robot.add_link(mass=1.0, inertia=wp.mat33(np.eye(3) * 0.01))
        robot.add_articulation([robot.add_joint_revolute(-1, link, armature=0.0)])
        robot.add_actuator(BackemfDrive, index=k, actuator=kind)
    builder = newton.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    builder.replicate(robot, 5)
    model = builder.finalize()
    (actuator,) = model.actuators
    ohms = actuator.drive.numbers["winding.resistance"].numpy()
    assert ohms == pytest.approx(5 * [1.2, 1.32, 1.44])
    add_armature(model)
    assert model.joint_armature.numpy() == pytest.approx(5 * [leg.motor.armature for leg in legs], rel=1e-6)


def test_other_parts_are_other_rows():
    """A part that one has and the other lacks, another delay or another table: rows of their own."""
    pd = be.Actuator(controller=be.IdealPd(stiffness=5.0))
    table = be.AngleTable(angle=[0.0, 1.0], effort=[1.0, 2.0])
    others = [
        be.Actuator(controller=be.IdealPd(stiffness=5.0), slew=3.0),
        be.Actuator(controller=be.IdealPd(stiffness=5.0), limits=be.EffortLimit(effort_limit=1.0)),
        be.Actuator(controller=be.TorquePid(kp=5.0)),
        be.Actuator(controller=be.IdealPd(stiffness=5.0), delay=be.Delay(steps=1)),
        be.Actuator(controller=be.IdealPd(stiffness=5.0), delay=be.Delay(steps=2)),
        be.Actuator(controller=be.IdealPd(stiffness=5.0), limits=table),
        be.Actuator(controller=be.IdealPd(stiffness=5.0), limits=replace(table, effort=np.array([1.0, 3.0]))),
        be.Actuator(motor(), BATTERY, controller=be.IdealPd(stiffness=5.0)),
    ]
    assert len(quadruped([pd, *others]).actuators) == 1 + len(others)


def test_kinds_are_forgotten_with_their_builders():
    """The list of kinds keeps nothing alive: with the builder the actuators of its joints are gone."""
    kept = resolve = BackemfDrive.resolve_arguments({"actuator": vary(KINDS["servo"], 1.1)})
    assert kept["kind"] in rows._KINDS.values()
    del kept, resolve
    gc.collect()
    assert not len(rows._KINDS)


@pytest.mark.parametrize("make", [Actuator, BackemfActuator])
def test_constants_of_the_kernel_give_the_same(make):
    """`fixed` puts the numbers into the kernel: the same torques to rounding, and no way to change them."""
    given, found = course(6, 30), []
    targets = ("joint_target_q", "joint_target_qd", "joint_act", "joint_f")
    for fixed in (False, True):
        drive = BackemfDrive(KINDS["PID in volts, heat"], fixed=fixed)
        model = SimpleNamespace(actuators=[make(array(np.arange(6), wp.uint32), drive)])
        model.control = lambda: SimpleNamespace(**{n: wp.zeros(6, dtype=wp.float32) for n in targets})
        model.state = lambda: SimpleNamespace(**{n: wp.zeros(6, dtype=wp.float32) for n in ("joint_q", "joint_qd")})
        found.append(torques(model, given))
    assert np.abs(found[0] - found[1]).max() <= 2e-6 * np.abs(found[1]).max()
    with pytest.raises(be.ParameterError, match="made with fixed=True"):
        drive.set_numbers("winding.resistance", 2.0)
    model = fuse(quadruped([KINDS["PD and DC clip"]]), fixed=True)
    with pytest.raises(be.ParameterError, match="made with fixed=True"):
        _ = model.actuators[0].drive.numbers
