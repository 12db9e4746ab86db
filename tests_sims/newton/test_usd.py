"""Actuators in USD: what we write is read by Newton's own parser, and a motor of ours runs in its solvers."""

from __future__ import annotations

import newton
import numpy as np
import pytest
import warp as wp
from newton.actuators import ClampingDCMotor, ClampingMaxEffort, ClampingPositionBased, DrivePD, DrivePID
from pxr import Sdf, Usd
from rig import BATTERY, BRISTLES, motor

import backemf as be
from backemf.motorfile import dumps
from backemf.sims.newton import BackemfClamp, BackemfDrive, add_armature, fuse, read_actuator, write

ROBOT = """#usda 1.0
(
    defaultPrim = "World"
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "World" {
    def PhysicsScene "scene" {}
    def Xform "robot" (prepend apiSchemas = ["PhysicsArticulationRootAPI"]) {
        def PhysicsFixedJoint "weld" {
            rel physics:body1 = </World/robot/base>
        }
        def Xform "base" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {
            float physics:mass = 5
        }
        def Xform "link" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {
            float physics:mass = 1
            float3 physics:diagonalInertia = (0.02, 0.02, 0.02)
            point3f physics:centerOfMass = (0.2, 0, 0)
        }
        def PhysicsRevoluteJoint "knee" {
            rel physics:body0 = </World/robot/base>
            rel physics:body1 = </World/robot/link>
            uniform token physics:axis = "Y"
        }
    }
}
"""
KNEE = "/World/robot/knee"


def stage_with(text: str) -> Usd.Stage:
    """The robot with a layer laid over it."""
    under, over = Sdf.Layer.CreateAnonymous(".usda"), Sdf.Layer.CreateAnonymous(".usda")
    assert under.ImportFromString(ROBOT)
    assert over.ImportFromString(text)
    over.subLayerPaths.append(under.identifier)
    stage = Usd.Stage.Open(over)
    stage.SetDefaultPrim(stage.GetPrimAtPath("/World"))
    stage.kept = under
    return stage


def build_model(text: str, count: int = 1) -> newton.Model:
    one = newton.ModelBuilder()
    found = one.add_usd(stage_with(text))
    assert found["actuator_count"] == 1
    builder = newton.ModelBuilder()
    builder.replicate(one, count)
    return builder.finalize()


FULL = be.Actuator(
    motor(friction=BRISTLES),
    BATTERY,
    controller=be.TorquePid(kp=6.0, ki=5.0, kd=0.15, current_bandwidth=600.0),
    delay=be.Delay(steps=2),
)


def test_a_motor_from_usd_runs_in_a_solver():
    """150 steps of three robots in Featherstone's solver: the torque is our NumPy step's on the same motion."""
    model = build_model(write(FULL, KNEE, "backemf").text, 3)
    (actuator,) = fuse(model, implicit=False).actuators
    assert isinstance(actuator.drive, BackemfDrive)
    assert actuator.drive.backemf == FULL
    # the file says it, in kg·m²
    assert model.joint_armature.numpy() == pytest.approx(FULL.motor.armature, rel=1e-6)
    solver = newton.solvers.SolverFeatherstone(model)
    here, there, control = model.state(), model.state(), model.control()
    newton.eval_fk(model, model.joint_q, model.joint_qd, here)
    control.joint_target_q.assign(np.array([0.4, -0.2, 0.1], dtype=np.float32))
    before, after = actuator.state(), actuator.state()
    step = FULL.compile("numpy")
    state, dt, moved = step.initial((3,)), 1e-3, 0.0
    rows = []
    for _ in range(150):
        q, v = (x.numpy().astype(float) for x in (here.joint_q, here.joint_qd))
        state, out = step(state, be.Command(position=control.joint_target_q.numpy().astype(float), velocity=np.zeros(3),
                                            effort=np.zeros(3)), q, v, dt)  # fmt: skip
        control.joint_f.zero_()
        actuator.step(here, control, before, after, dt=dt)
        rows.append((control.joint_f.numpy().copy(), out.torque))
        before, after = after, before
        here.clear_forces()
        solver.step(here, there, control, None, dt)
        here, there = there, here
        moved = max(moved, np.abs(q).max())
    found, expected = (np.array(x) for x in zip(*rows, strict=True))
    assert moved > 0.05
    assert np.abs(found - expected).max() <= 2e-5 * np.abs(expected).max()
    rise = before.drive_state["winding_rise"].numpy()
    assert rise == pytest.approx(state.winding_rise, rel=1e-4)


def test_the_schema_is_known_to_usd():
    """USD knows the attributes of both schemas, and that they belong on a NewtonActuator."""
    registry = Usd.SchemaRegistry()
    control = registry.FindAppliedAPIPrimDefinition("BackemfControlAPI")
    names = ("actuator", "motor", "voltage", "kp", "ki", "kd")
    assert {f"newton:backemf:{name}" for name in names} <= set(control.GetPropertyNames())
    clamp = registry.FindAppliedAPIPrimDefinition("BackemfClampingAPI")
    assert "newton:backemf:limits" in clamp.GetPropertyNames()
    stage = stage_with(write(FULL, KNEE, "backemf").text)
    prim = stage.GetPrimAtPath(KNEE + "_actuator")
    assert prim.HasAPI("BackemfControlAPI")
    assert prim.HasAPI("NewtonActuatorControlBaseAPI")


def test_a_motor_of_the_catalogue_from_usd():
    """An id, a voltage and gains are enough."""
    text = """#usda 1.0
    over "World" {
    over "robot" {
        def NewtonActuator "motor" (prepend apiSchemas = ["BackemfControlAPI"]) {
            rel newton:targets = </World/robot/knee>
            token newton:backemf:motor = "mit-mini-cheetah"
            float newton:backemf:voltage = 24
            float newton:backemf:kp = 20
            float newton:backemf:kd = 0.5
        }
    }
    }"""
    model = build_model(text)
    found = model.actuators[0].drive.backemf
    assert found == read_actuator(stage_with(text)).actuator
    assert found.motor == be.Datasheet.load("mit-mini-cheetah").motor()
    add_armature(model)
    assert model.joint_armature.numpy() == pytest.approx(found.motor.armature)
    unknown = text.replace("mit-mini-cheetah", "mit-mini-cheeta")
    with pytest.raises(be.ParameterError, match="did you mean mit-mini-cheetah"):
        build_model(unknown)
    with pytest.raises(be.ParameterError, match="did you mean mit-mini-cheetah"):
        read_actuator(stage_with(unknown))


def test_our_limits_from_usd():
    """A knee curve of ours around Newton's own PD."""
    knee = be.KneeCurve(driving_effort=2.0, braking_effort=3.0, knee_speed=1.0, no_load_speed=5.0)
    text = f"""#usda 1.0
    over "World" {{
    over "robot" {{
        def NewtonActuator "motor" (prepend apiSchemas = ["NewtonPDControlAPI", "BackemfClampingAPI"]) {{
            rel newton:targets = </World/robot/knee>
            float newton:kp = 20
            string newton:backemf:limits = '''{dumps(be.Actuator(limits=knee))}'''
        }}
    }}
    }}"""
    (actuator,) = build_model(text).actuators
    assert isinstance(actuator.drive, DrivePD)
    assert [type(clamp) for clamp in actuator.clamping] == [BackemfClamp]
    assert actuator.clamping[0].limits == (knee,)


MOTOR = be.Datasheet.load("mit-mini-cheetah").motor()


@pytest.mark.parametrize("kind", ["dc_motor", "pd", "pid"])
def test_newton_reads_what_we_write(kind):
    """Newton's parser finds the numbers that we wrote, and its drive gives the torque of our reading of the file."""
    table = be.AngleTable(angle=[-1.0, 0.0, 1.0], effort=[5.0, 9.0, 4.0])
    controller = be.TorquePid(kp=11.0, ki=3.0, kd=0.7, integral_limit=0.5)
    clip = be.DcClip(saturation_effort=20.0, velocity_limit=30.0, effort_limit=12.0)
    written = write(be.Actuator(controller=controller, limits=(clip, table), delay=be.Delay(steps=2)), KNEE, kind)
    (actuator,) = build_model(written.text).actuators
    assert isinstance(actuator.drive, DrivePID if kind == "pid" else DrivePD)
    limit = {"dc_motor": ClampingDCMotor}.get(kind, ClampingMaxEffort)
    assert [type(clamp) for clamp in actuator.clamping] == [limit, ClampingPositionBased]
    assert actuator.delay.delay_steps.numpy().tolist() == [2]
    law = read_actuator(written.text).law()
    memory, rng = law.initial((1,)), np.random.default_rng(1)
    sim = type("S", (), {})()
    control = type("C", (), {})()
    before, after = actuator.state(), actuator.state()
    for _ in range(20):
        q, v, p = (rng.normal(size=1).astype(np.float32) * s for s in (0.5, 20.0, 2.0))
        sim.joint_q, sim.joint_qd = wp.array(q), wp.array(v)
        control.joint_target_q, control.joint_target_qd = wp.array(p), wp.zeros(1)
        control.joint_f = wp.zeros(1)
        actuator.step(sim, control, before, after, dt=0.01)
        before, after = after, before
        memory, torque = law.step(memory, p.astype(float), q.astype(float), v.astype(float), 0.01)
        assert control.joint_f.numpy() == pytest.approx(torque, abs=1e-4)


def test_joint_numbers_arrive_in_newtons_units():
    """Armature, friction and damping of the joint: degrees in the file, radians in the model."""
    rubbing = be.Motor(
        winding=MOTOR.winding,
        magnet=MOTOR.magnet,
        rotor=MOTOR.rotor,
        gearbox=MOTOR.gearbox,
        friction=be.Coulomb(coulomb=0.01),
        drag=be.Drag(coefficients=(1e-4,)),
        ratings=MOTOR.ratings,
    )
    written = write(rubbing, KNEE, "pd", stiffness=20.0, damping=0.5, supply=24.0)
    model, found = build_model(written.text), read_actuator(written.text)
    n = abs(float(rubbing.ratio))
    assert found.coulomb == pytest.approx(0.01 * n, rel=1e-6)
    assert found.viscous == pytest.approx(1e-4 * n * n, rel=1e-6)
    assert model.joint_armature.numpy()[0] == pytest.approx(found.armature, rel=1e-6)
    assert model.joint_friction.numpy()[0] == pytest.approx(found.coulomb, rel=1e-6)
    assert model.joint_damping.numpy()[0] == pytest.approx(found.viscous, rel=1e-6)
