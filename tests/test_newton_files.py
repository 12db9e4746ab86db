"""Newton's USD files without Newton: written for a motor, read back, and refused in one sentence."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest

import backemf as be
from backemf.sims.newton import DcMotor, Drive, MaxEffort, Pipeline, PositionBased, read_actuator, write

pytest.importorskip("pxr")
KNEE = "/World/robot/knee"
MOTOR = be.Datasheet.load("mit-mini-cheetah").motor()
GAINS = {"stiffness": 20.0, "damping": 0.5}
CLIP = be.DcClip(saturation_effort=20.3, velocity_limit=31.4, effort_limit=12.7)
PID = be.TorquePid(kp=11.1, ki=3.3, kd=0.7, integral_limit=0.5)
TABLE = be.AngleTable(angle=[-1.1, 0.0, 1.3], effort=[5.0, 9.0, 4.0])


def prim(schemas: str, body: str = "") -> str:
    """The text of a stage with one actuator."""
    return f"""#usda 1.0
def NewtonActuator "a" (prepend apiSchemas = [{schemas}])
{{
    rel newton:targets = </robot/knee>
    {body}
}}
"""


PD = '"NewtonPDControlAPI"'


# --- round trips


@pytest.mark.parametrize(
    "actuator",
    [
        be.Actuator(controller=be.IdealPd(stiffness=40.1, damping=1.7), limits=CLIP),
        be.Actuator(controller=be.IdealPd(stiffness=40.1, damping=1.7), limits=(CLIP, TABLE)),
        be.Actuator(controller=be.IdealPd(stiffness=40.1), limits=CLIP, delay=be.Delay(steps=3, schedule="isaaclab")),
    ],
)
def test_a_pd_with_a_line_comes_back(actuator):
    """Writing and reading changes nothing that a DC-motor clamp can hold, and writing again not a letter."""
    written = write(actuator, KNEE)
    found = read_actuator(written.text)
    assert found.joint == KNEE
    assert found.actuator.controller == actuator.controller
    assert found.actuator.delay == actuator.delay
    assert found.actuator.limits[0] == CLIP
    for given, back in zip(actuator.limits[1:], found.actuator.limits[1:], strict=True):
        assert np.array_equal(given.angle, back.angle)
        assert np.array_equal(given.effort, back.effort)
    assert write(found, KNEE).text.split("#usda")[1].count("newton:") == written.text.count("newton:")
    assert read_actuator(write(found, KNEE).text).actuator.controller == actuator.controller


def test_a_pid_comes_back():
    """Gains and the limit of the integral, with a flat limit."""
    actuator = be.Actuator(controller=PID, limits=be.EffortLimit(effort_limit=9.5))
    written = write(actuator, KNEE, "pid")
    found = read_actuator(written.text)
    assert found.actuator == actuator
    assert found.pipeline == Pipeline(
        drive=Drive(kp=11.1, ki=3.3, kd=0.7, integral_max=0.5), clamps=(MaxEffort(max_effort=9.5),)
    )
    assert {loss.phenomenon: loss.status for loss in written.statuses if loss.status != "unknown"} == {
        "controller": "kept",
        "integral": "approximated",
        "effort limit": "kept",
    }


def test_a_whole_actuator_comes_back():
    """Kind "backemf" keeps every number to the last bit, in a text with quotes and lines in it."""
    motor = replace(
        MOTOR, friction=be.Coulomb(coulomb=0.0123456789012345), thermal=be.Thermal(resistance=1.5, capacitance=40.0)
    )
    actuator = be.Actuator(
        motor, be.Supply(voltage=24.0), controller=be.PositionPid(kp=1 / 3, ki=5.0), delay=be.Delay(seconds=0.0041)
    )
    written = write(actuator, KNEE, "backemf")
    found = read_actuator(written.text)
    assert found.actuator == actuator
    assert found.pipeline is None
    # the joint's armature is the rotor's, which the motor has: it is there once
    (told,) = [row for row in written.text.splitlines() if "newton:armature" in row]
    assert float(told.split(" = ")[1].split()[0]) == pytest.approx(float(motor.armature), rel=1e-6)
    assert found.armature == 0.0
    assert not [loss for loss in written.losses if loss.status != "unknown"]
    step, law = actuator.compile("numpy"), found.law()
    state, memory = step.initial((3,), dt=1e-3), law.initial((3,))
    state, out = step(state, 0.4, np.zeros(3), np.ones(3), 1e-3)
    memory, torque = law.step(memory, 0.4, np.zeros(3), np.ones(3), 1e-3)
    assert np.array_equal(torque, out.torque)


def test_a_motor_of_the_catalogue_is_read():
    """An id, a voltage and gains in a file are the actuator that one would make by hand."""
    text = prim(
        '"BackemfControlAPI"',
        'token newton:backemf:motor = "mit-mini-cheetah"\n'
        "float newton:backemf:kp = 20.5\n float newton:backemf:voltage = 24",
    )
    found = read_actuator(text).actuator
    assert found == be.Actuator(MOTOR, be.Supply(voltage=24.0), controller=be.TorquePid(kp=20.5))


# --- what is written


def test_numbers_of_a_motor():
    """Stall torque, no-load speed and armature of a motor, in radians; each with its unit and where it is from."""
    written = write(MOTOR, KNEE, supply=24.0, **GAINS)
    found = read_actuator(written.text)
    n, winding, magnet = abs(float(MOTOR.ratio)), MOTOR.winding, MOTOR.magnet
    line = found.pipeline.clamps[0]
    assert isinstance(line, DcMotor)
    assert line.saturation_effort == pytest.approx(n * magnet.torque_constant * 24.0 / winding.resistance, rel=1e-6)
    assert line.velocity_limit == pytest.approx(24.0 / (n * magnet.back_emf_constant), rel=1e-6)
    assert found.armature == pytest.approx(n * n * float(MOTOR.inertia), rel=1e-6)
    rows = [row for row in written.text.splitlines() if "newton:" in row and "targets" not in row]
    assert len(rows) == 8
    assert all(" # " in row and ": " in row.split(" # ")[1] for row in rows)


def test_friction_of_the_joint_is_in_degrees():
    """NewtonJointAPI counts in degrees: damping is π/180 of what it is per radian; friction and armature are plain."""
    motor = replace(MOTOR, friction=be.Coulomb(coulomb=0.01), drag=be.Drag(coefficients=(1e-4,)))
    written = write(motor, KNEE, "pd", supply=24.0, **GAINS)
    n = abs(float(motor.ratio))
    values = {row.split("newton:")[1].split(" = ")[0]: row for row in written.text.splitlines() if "newton:" in row}
    per_degree = float(values["damping"].split(" = ")[1].split()[0])
    assert per_degree == pytest.approx(1e-4 * n * n * np.pi / 180.0, rel=1e-6)
    assert "/degree" in values["damping"]
    found = read_actuator(written.text)
    assert found.viscous == pytest.approx(1e-4 * n * n, rel=1e-6)
    assert found.coulomb == pytest.approx(0.01 * n, rel=1e-6)
    law = found.law()
    _, torque = law.step(law.initial(()), 0.0, 0.0, 2.0, 1e-3)
    assert torque == pytest.approx(-0.5 * 2.0 - found.coulomb - found.viscous * 2.0)


def test_a_slider_is_in_metres():
    """The damping of a prismatic joint has no degrees in it."""
    text = """#usda 1.0
def PhysicsPrismaticJoint "slide" (prepend apiSchemas = ["NewtonJointAPI"]) { float newton:damping = 3; }
def NewtonActuator "a" (prepend apiSchemas = ["NewtonPDControlAPI"]) { rel newton:targets = </slide>; }
"""
    assert read_actuator(text).viscous == 3.0


def test_losses_are_told():
    """What Newton's own drives lack: heat, current and the like; a delay is rounded."""
    motor = replace(MOTOR, thermal=be.Thermal(resistance=1.5, capacitance=40.0))
    delayed = be.Actuator(
        motor,
        be.Supply(voltage=24.0),
        controller=be.IdealPd(stiffness=20.0, damping=0.5),
        delay=be.Delay(seconds=0.0043),
    )
    written = write(delayed, KNEE, timestep=2e-3)
    statuses = {loss.phenomenon: loss.status for loss in written.statuses}
    assert statuses["winding heat"] == statuses["current and power"] == "dropped"
    assert statuses["delay"] == "approximated"
    assert statuses["controller"] == statuses["rotor inertia"] == "kept"
    assert "int newton:delaySteps = 2" in written.text
    with pytest.raises(be.ParameterError, match="give timestep="):
        write(delayed, KNEE)


def test_the_law_of_a_file_is_newtons():
    """A delay of two steps passes the first target at once, and the integral takes this step's error."""
    actuator = be.Actuator(controller=be.TorquePid(kp=1.0, ki=10.0), delay=be.Delay(steps=2))
    law = read_actuator(write(actuator, KNEE, "pid").text).law()
    memory, torques = law.initial(()), []
    for target in (1.0, 2.0, 3.0, 4.0):
        memory, torque = law.step(memory, target, 0.0, 0.0, 0.1)
        torques.append(float(torque))
    seen = [1.0, 1.0, 1.0, 2.0]
    assert torques == pytest.approx([x + 10.0 * 0.1 * sum(seen[: k + 1]) for k, x in enumerate(seen)])


# --- what is read


def test_limits_that_a_file_leaves_open():
    """Newton's infinities are no limits; a line without a top is the line alone; zero is zero."""
    assert read_actuator(prim(PD + ', "NewtonMaxEffortClampingAPI"')).actuator.limits == ()
    line = prim(
        PD + ', "NewtonDCMotorClampingAPI"', "float newton:saturationEffort = 5\n float newton:velocityLimit = 4"
    )
    found = read_actuator(line)
    law = found.law()
    _, torque = law.step(law.initial(()), be.Command(effort=100.0), 0.0, 40.0, 1e-3)
    assert torque == pytest.approx(5.0 * (1.0 - 40.0 / 4.0))
    step = found.actuator.compile("numpy")
    assert step(step.initial(()), be.Command(effort=100.0), 0.0, 40.0, 1e-3)[1].torque == pytest.approx(torque)
    table = prim(
        PD + ', "NewtonPositionBasedClampingAPI"',
        "float[] newton:lookupPositions = [0, 1]\n float[] newton:lookupEfforts = [2, 4]",
    )
    assert isinstance(read_actuator(table).pipeline.clamps[0], PositionBased)


def test_a_constant_torque():
    """Newton's constEffort has no place in our words: it stays beside them, in the law, and in what is written."""
    found = read_actuator(prim(PD, "float newton:constEffort = 2.5"))
    assert found.beside == {"const_effort": 2.5}
    law = found.law()
    assert law.step(law.initial(()), 0.0, 0.0, 0.0, 1e-3)[1] == 2.5
    assert read_actuator(write(found, KNEE, "pd").text).beside == {"const_effort": 2.5}
    assert not read_actuator(write(found, KNEE, "pd", const_effort=0.0).text).beside


def test_one_of_several_actuators():
    """By the path or the name of its joint; without it, one sentence with the choices."""
    text = "#usda 1.0\n" + "".join(
        f'def NewtonActuator "{n}" (prepend apiSchemas = ["NewtonPDControlAPI"]) {{\n'
        f"rel newton:targets = </robot/{n}_joint>\nfloat newton:kp = {kp}\n}}\n"
        for n, kp in (("hip", 1), ("knee", 2))
    )
    assert read_actuator(text, "knee_joint").actuator.controller.stiffness == 2.0
    assert read_actuator(text, "/robot/hip_joint").actuator.controller.stiffness == 1.0
    with pytest.raises(be.ParameterError, match="2 actuators it could be: give joint=, one of /robot/hip_joint"):
        read_actuator(text)
    with pytest.raises(be.ParameterError, match="no NewtonActuator for the joint 'elbow'"):
        read_actuator(text, "elbow")


def test_a_file(tmp_path):
    """A path is read like a text."""
    path = tmp_path / "robot.usda"
    path.write_text(write(MOTOR, KNEE, supply=24.0, **GAINS).text)
    assert read_actuator(path) == read_actuator(path.read_text())
    assert read_actuator(str(path)) == read_actuator(path)


BAD = {
    "not USD that can be read": "#usda 1.0\ndef {{{",
    "there is no such file": "nowhere.usda",
    "has no NewtonActuator": "#usda 1.0\n",
    "has no drive: must have one of": prim('"NewtonActuatorDelayAPI"'),
    "has NewtonPDControlAPI and NewtonPIDControlAPI": prim(PD + ', "NewtonPIDControlAPI"'),
    "newton:kp = -1|Drive.kp = -1": prim(PD, "float newton:kp = -1"),
    "newton:kp = nan: must be a finite number": prim(PD, "float newton:kp = nan"),
    "newton:kp = inf: must be a finite number": prim(PD, "float newton:kp = inf"),
    "newton:kp = 'much': must be a number": prim(PD, 'string newton:kp = "much"'),
    "has time samples": prim(PD, "float newton:kp.timeSamples = { 0: 1, 1: 2 }"),
    "Newton refuses a line without end": prim(PD + ', "NewtonDCMotorClampingAPI"', "float newton:velocityLimit = 2"),
    "lookupPositions is missing": prim(PD + ', "NewtonPositionBasedClampingAPI"'),
    "positions must not fall": prim(
        PD + ', "NewtonPositionBasedClampingAPI"',
        "float[] newton:lookupPositions = [1, 0]\n float[] newton:lookupEfforts = [2, 4]",
    ),
    "delaySteps = -1": prim(PD + ', "NewtonActuatorDelayAPI"', "int newton:delaySteps = -1"),
    "delaySteps = 2000000000": prim(PD + ', "NewtonActuatorDelayAPI"', "int newton:delaySteps = 2000000000"),
    "only Newton itself can run it": prim('"NewtonNeuralControlAPI"'),
    "names 0 joints": prim(PD).replace("rel newton:targets = </robot/knee>", ""),
    "names 2 joints": prim(PD).replace("</robot/knee>", "[</a>, </b>]"),
    "needs newton:backemf:actuator, or newton:backemf:motor": prim('"BackemfControlAPI"'),
    "did you mean mit-mini-cheetah": prim('"BackemfControlAPI"', 'token newton:backemf:motor = "mit-mini-cheeta"'),
    "`backemf list` shows the catalogue": prim('"BackemfControlAPI"', 'token newton:backemf:motor = "/etc/passwd"'),
    "correct the TOML there": prim('"BackemfControlAPI"', 'string newton:backemf:actuator = "= ="'),
    "the backemf actuator has everything": prim('"BackemfControlAPI", "NewtonMaxEffortClampingAPI"'),
    "the actuator has everything, leave it out": prim(
        '"BackemfControlAPI"', 'string newton:backemf:actuator = "x"\n float newton:backemf:kp = 2'
    ),
    "backemf:kp = inf: must be a finite number": prim('"BackemfControlAPI"', "float newton:backemf:kp = inf"),
}


@pytest.mark.parametrize("sentence", BAD)
def test_a_bad_file_is_one_sentence(sentence):
    """Whatever is wrong with a file is said in one line, with the prim where there is one."""
    with pytest.raises(be.ParameterError) as caught:
        read_actuator(BAD[sentence])
    told = str(caught.value)
    assert any(part in told for part in sentence.split("|")), told
    assert "\n" not in told


def test_what_cannot_be_written_is_one_sentence():
    """An unknown kind, a path that is none, numbers that nothing takes, a line without a motor, no integral."""
    pd = be.Actuator(controller=be.IdealPd(stiffness=1.0))
    for sentence, arguments, more in (
        ("kind = 'servo'", (pd, KNEE, "servo"), {}),
        ("joint = 'a knee'", (pd, "a knee"), {}),
        ("must be the path of a prim", (pd, '/World/a" { }'), {}),
        ("there is no such argument", (pd, KNEE), {"ratio": 3.0}),
        ("the actuator has everything; leave it out", (pd, KNEE, "backemf"), {"stiffness": 3.0}),
        ("needs a torque-speed line", (pd, KNEE, "dc_motor"), {}),
        ("needs an integral", (pd, KNEE, "pid"), {}),
        ("must be a Motor or an Actuator", (3.0, KNEE), {}),
    ):
        with pytest.raises(be.ParameterError, match=sentence.replace("(", r"\(")):
            write(*arguments, **more)


# --- the package


def test_the_schema_is_in_the_package():
    """The plug-in is a resource without code, and declares what its schema file defines."""
    folder = files("backemf.sims.newton") / "schema"
    info = json.loads((folder / "plugInfo.json").read_text())["Plugins"][0]
    assert info["Type"] == "resource"
    text = (folder / "generatedSchema.usda").read_text()
    for kind in info["Info"]["Types"].values():
        assert f'class "{kind["schemaIdentifier"]}"' in text
        assert kind["apiSchemaCanOnlyApplyTo"] == ["NewtonActuator"]
    from pxr import Sdf

    assert Sdf.Layer.CreateAnonymous(".usda").ImportFromString(text)


@pytest.mark.skipif("newton" in sys.modules, reason="Newton is there")
def test_without_newton_the_files_still_work():
    """What needs Newton says so when it is asked for; law and files do not."""
    from backemf.sims import newton

    if newton.find_spec("newton") is None:
        with pytest.raises(be.MissingExtraError, match=r"backemf\[newton\]"):
            _ = newton.BackemfDrive
    with pytest.raises(AttributeError, match="no attribute 'Motor'"):
        _ = newton.Motor


def test_the_pipeline_refuses_what_newton_has_not():
    """One sentence each."""
    with pytest.raises(be.ParameterError, match="delay_steps"):
        Pipeline(drive=Drive(), delay_steps=1.5)
    with pytest.raises(be.ParameterError, match="clamps holds"):
        Pipeline(drive=Drive(), clamps=(CLIP,))
    with pytest.raises(be.ParameterError, match=r"Command\.voltage"):
        law = Pipeline(drive=Drive())
        law.step(law.initial(()), be.Command(voltage=1.0), 0.0, 0.0, 1e-3)
    with pytest.raises(be.ParameterError, match="PositionBased has 2 positions and 1 efforts"):
        PositionBased(positions=np.array([0.0, 1.0]), efforts=np.array([1.0]))
