"""Stages that are read here and by Newton itself: the same actuators, joints and torques."""

from __future__ import annotations

from dataclasses import replace

import newton
import numpy as np
import pytest
import warp as wp
from pxr import Usd
from rig import BATTERY, BRISTLES, motor
from test_usd import KNEE, ROBOT, build_model, stage_with

import backemf as be
from backemf.motorfile import dumps, loads_with_joint
from backemf.sims.newton import BackemfDrive, read_actuator, read_actuators, write
from backemf.sims.on_joint import OnJoint, Unread

DT = 0.01
PD = "float newton:kp = 11\n float newton:kd = 0.7"
PID = PD + "\n float newton:ki = 3\n float newton:integralMax = 0.05"
LINE = "float newton:saturationEffort = 20\n float newton:velocityLimit = 15\n float newton:maxMotorEffort = 12"
TABLE = "float[] newton:lookupPositions = [-1, 0, 1]\n float[] newton:lookupEfforts = [5, 9, 4]"
WHOLE = be.Actuator(motor(friction=BRISTLES), BATTERY, controller=be.TorquePid(kp=6.0, ki=5.0, kd=0.15))
KINDS = {
    "PD": (["NewtonPDControlAPI"], PD),
    "PD, constant torque": (["NewtonPDControlAPI"], PD + "\n float newton:constEffort = 0.4"),
    "PID": (["NewtonPIDControlAPI"], PID),
    "PID without a bound": (["NewtonPIDControlAPI"], PD + "\n float newton:ki = 3"),
    "PD, flat": (["NewtonPDControlAPI", "NewtonMaxEffortClampingAPI"], PD + "\n float newton:maxEffort = 6"),
    "PD, open": (["NewtonPDControlAPI", "NewtonMaxEffortClampingAPI"], PD),
    "PD, line": (["NewtonPDControlAPI", "NewtonDCMotorClampingAPI"], f"{PD}\n{LINE}"),
    "PD, line without a top": (
        ["NewtonPDControlAPI", "NewtonDCMotorClampingAPI"],
        PD + "\n float newton:saturationEffort = 20\n float newton:velocityLimit = 15",
    ),
    "PID, line": (["NewtonPIDControlAPI", "NewtonDCMotorClampingAPI"], f"{PID}\n{LINE}"),
    "PD, table": (["NewtonPDControlAPI", "NewtonPositionBasedClampingAPI"], f"{PD}\n{TABLE}"),
    "PD, line, flat": (
        ["NewtonPDControlAPI", "NewtonDCMotorClampingAPI", "NewtonMaxEffortClampingAPI"],
        f"{PD}\n{LINE}\n float newton:maxEffort = 6",
    ),
    "PD, flat, line": (
        ["NewtonPDControlAPI", "NewtonMaxEffortClampingAPI", "NewtonDCMotorClampingAPI"],
        f"{PD}\n{LINE}\n float newton:maxEffort = 6",
    ),
    "PID, line, table, delay": (
        ["NewtonPIDControlAPI", "NewtonDCMotorClampingAPI", "NewtonPositionBasedClampingAPI", "NewtonActuatorDelayAPI"],
        f"{PID}\n{LINE}\n{TABLE}\n int newton:delaySteps = 3",
    ),
    "PD, delay that is not said": (["NewtonPDControlAPI", "NewtonActuatorDelayAPI"], PD),
    "attributes of no schema": (["NewtonPDControlAPI"], f"{PID}\n{LINE}"),
    "whole": (["BackemfControlAPI"], f"string newton:backemf:actuator = '''{dumps(WHOLE)}'''"),
    "motor of the catalogue": (
        ["BackemfControlAPI"],
        'token newton:backemf:motor = "mit-mini-cheetah"\n float newton:backemf:kp = 20',
    ),
}


def layer(schemas: list[str], body: str) -> str:
    """A joint with numbers of its own and one actuator."""
    listed = ", ".join(f'"{name}"' for name in schemas)
    return f"""#usda 1.0
over "World"
{{
over "robot"
{{
    over "knee"
    {{
        float newton:armature = 0.2
        float newton:friction = 0.3
        float newton:damping = 0.01
    }}
    def NewtonActuator "actuator" (prepend apiSchemas = [{listed}])
    {{
        rel newton:targets = <{KNEE}>
        {body}
    }}
}}
}}
"""


def course(actuator, law, inputs) -> tuple[np.ndarray, np.ndarray]:
    """Torques of Newton's actuator and of a law along one random motion."""
    memory, rng = law.initial((1,)), np.random.default_rng(1)
    sim, control = type("S", (), {})(), type("C", (), {})()
    before, after = actuator.state(), actuator.state()
    rows = []
    for _ in range(40):
        q, v, p, pv, effort = (rng.normal(size=1).astype(np.float32) * s for s in (0.5, 12.0, 1.0, 1.0, 1.0))
        sim.joint_q, sim.joint_qd = wp.array(q), wp.array(v)
        control.joint_target_q, control.joint_target_qd, control.joint_act = wp.array(p), wp.array(pv), wp.array(effort)
        control.joint_f = wp.zeros(1)
        actuator.step(sim, control, before, after, dt=DT)
        before, after = after, before
        targets = {"position": p, "velocity": pv, "effort": effort, "voltage": effort}
        command = be.Command(**{name: targets[name].astype(float) for name in inputs})
        memory, torque = law.step(memory, command, q.astype(float), v.astype(float), DT)
        rows.append((float(control.joint_f.numpy()[0]), float(np.asarray(torque).reshape(()))))
    found, expected = np.array(rows).T
    return found, expected


def without_friction(found: OnJoint) -> OnJoint:
    """The actuator alone: the friction of the joint is the solver's."""
    return replace(found, coulomb=0.0, viscous=0.0)


@pytest.mark.parametrize("name", KINDS)
def test_newton_and_we_read_the_same(name):
    """The torque of Newton's own actuator from the stage is that of the law that is read here; the joint's numbers are
    those of Newton's model, each once."""
    text = layer(*KINDS[name])
    model, found = build_model(text), read_actuator(stage_with(text))
    own = found.actuator.motor
    inside = 0.0 if own is None or own.rotor is None else float(own.armature)
    assert found.armature + inside == pytest.approx(model.joint_armature.numpy()[0], rel=1e-5)
    assert found.coulomb == pytest.approx(model.joint_friction.numpy()[0], rel=1e-6)
    assert found.viscous == pytest.approx(model.joint_damping.numpy()[0], rel=1e-6)
    law = without_friction(found).law()
    torques, expected = course(model.actuators[0], law, found.actuator.controller.inputs)
    assert np.abs(expected).max() > 0.5
    assert np.abs(torques - expected).max() <= 1e-4 * max(np.abs(expected).max(), 1.0)


@pytest.mark.parametrize("name", KINDS)
def test_what_is_kept_and_written_again_is_the_same_in_newton(name):
    """Read, kept as a motor file, loaded, written and given to Newton: its torques are those of the first stage, where
    the reading names no loss in the law."""
    first = read_actuator(stage_with(layer(*KINDS[name])))
    kept = {"name": first.joint, "armature": first.armature, "coulomb": first.coulomb, "viscous": first.viscous}
    actuator, joint = loads_with_joint(dumps(first.actuator, kept | {"beside": first.beside}))
    thing = OnJoint(actuator=actuator, joint=joint.pop("name", ""), **joint)
    written = write(thing, KNEE, "backemf" if first.pipeline is None else None)
    model = build_model(written.text)
    assert model.joint_armature.numpy()[0] == pytest.approx(0.2, rel=1e-6)
    assert model.joint_friction.numpy()[0] == pytest.approx(0.3, rel=1e-6)
    assert model.joint_damping.numpy()[0] == pytest.approx(0.01 * 180.0 / np.pi, rel=1e-6)
    told = {loss.phenomenon for loss in first.losses}
    if "effort limit" in told:
        # the order of the clamps counts, as the row says
        return
    law = without_friction(first).law()
    torques, expected = course(model.actuators[0], law, first.actuator.controller.inputs)
    assert np.abs(torques - expected).max() <= 1e-4 * max(np.abs(expected).max(), 1.0)


def test_a_row_for_the_order_of_clamps():
    """A flat limit before the line: Newton brakes with the line beyond the no-load speed, the actuator with the limit.

    The row is there exactly where the two laws differ.
    """
    for name, differs in (("PD, flat, line", True), ("PD, line, flat", False), ("PID, line, table, delay", False)):
        found = read_actuator(stage_with(layer(*KINDS[name])))
        assert ("effort limit" in {loss.phenomenon for loss in found.losses}) == differs
        law, step = found.law(), found.actuator.compile("numpy")
        command = be.Command(position=0.0, velocity=0.0, effort=0.0)
        theirs = without_friction(found).law().step(law.initial(()), command, 0.0, 35.0, DT)[1]
        ours = step(step.initial(()), command, 0.0, 35.0, DT)[1].torque
        assert (abs(float(theirs) - float(ours)) > 0.1) == differs


def test_every_actuator_that_newton_makes_is_read():
    """Two joints, one of them with two actuators, and one that is switched off: as many as Newton makes, and a row."""
    extra = ROBOT.replace(
        'def PhysicsRevoluteJoint "knee"',
        'def Xform "foot" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])\n'
        "{ float physics:mass = 1; }\n"
        'def PhysicsRevoluteJoint "ankle" {\n rel physics:body0 = </World/robot/link>\n'
        ' rel physics:body1 = </World/robot/foot>\n uniform token physics:axis = "Y"\n }\n'
        'def PhysicsRevoluteJoint "knee"',
    )
    actuators = "".join(
        f'def NewtonActuator "{name}" (\n active = {active}\n prepend apiSchemas = ["NewtonPDControlAPI"]\n)\n'
        f"{{\n rel newton:targets = </World/robot/{joint}>\n float newton:kp = {kp}\n}}\n"
        for name, joint, kp, active in (
            ("a", "knee", 1, "true"), ("b", "ankle", 2, "true"), ("c", "knee", 3, "true"), ("d", "ankle", 4, "false"),
        )
    )  # fmt: skip
    text = extra.rstrip().removesuffix("}") + actuators + "}\n"
    stage = Usd.Stage.CreateInMemory()
    assert stage.GetRootLayer().ImportFromString(text)
    builder = newton.ModelBuilder()
    made = builder.add_usd(stage)["actuator_count"]
    found = read_actuators(stage)
    assert [type(x) for x in found].count(Unread) == 1
    assert sum(not isinstance(x, Unread) for x in found) == made == 3
    assert [x.actuator.controller.stiffness for x in found if not isinstance(x, Unread)] == [1.0, 2.0, 3.0]


def test_a_whole_actuator_keeps_its_joint():
    """An `OnJoint` written as kind "backemf": rotor and joint arrive in Newton's model together, friction beside."""
    thing = OnJoint(actuator=WHOLE, joint=KNEE, armature=0.05, coulomb=0.2, viscous=0.1)
    model = build_model(write(thing, KNEE, "backemf").text)
    assert isinstance(model.actuators[0].drive, BackemfDrive)
    assert model.joint_armature.numpy()[0] == pytest.approx(0.05 + WHOLE.motor.armature, rel=1e-6)
    assert model.joint_friction.numpy()[0] == pytest.approx(0.2, rel=1e-6)
    assert model.joint_damping.numpy()[0] == pytest.approx(0.1, rel=1e-6)
