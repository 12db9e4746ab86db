"""Every actuator of a Newton stage read as one of ours or as a row that says why not, and written again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import backemf as be
from backemf.motorfile import dumps, loads_with_joint
from backemf.sims import mjlab
from backemf.sims.newton import read_actuator, read_actuators, write
from backemf.sims.on_joint import OnJoint, Unread

pytest.importorskip("pxr")
KNEE = "/World/robot/knee"
MOTOR = be.Datasheet.load("mit-mini-cheetah").motor()
WHOLE = be.Actuator(
    replace(MOTOR, friction=be.Coulomb(coulomb=0.01), thermal=be.Thermal(resistance=1.5, capacitance=40.0)),
    be.Supply(voltage=24.0, resistance=0.05),
    controller=be.PositionPid(kp=3.0, ki=5.0),
)

STAGE = """#usda 1.0
def PhysicsRevoluteJoint "hip" (prepend apiSchemas = ["NewtonJointAPI", "PhysicsDriveAPI:angular"])
{
    float newton:armature = 0.02
    float newton:friction = 0.3
    float newton:damping = 0.01
    float newton:velocityLimit = 90
}
def PhysicsRevoluteJoint "knee"
{
    float newton:armature = 0.03
}
def PhysicsPrismaticJoint "slide" (prepend apiSchemas = ["NewtonJointAPI"])
{
    float newton:damping = 3
}
def NewtonActuator "pd" (prepend apiSchemas = ["NewtonPDControlAPI", "NewtonMaxEffortClampingAPI"])
{
    rel newton:targets = </hip>
    float newton:kp = 20
    float newton:kd = 0.5
    float newton:constEffort = 0.25
    float newton:maxEffort = 7
    float newton:ki = 3
}
def NewtonActuator "pid" (
    prepend apiSchemas = ["NewtonPIDControlAPI", "NewtonDCMotorClampingAPI", "NewtonActuatorDelayAPI", "AcmeHeatAPI"]
)
{
    rel newton:targets = </knee>
    float newton:kp = 20
    float newton:ki = 3
    float newton:kd = 0.5
    float newton:integralMax = 0.2
    float newton:saturationEffort = 30
    float newton:velocityLimit = 25
    float newton:maxMotorEffort = 12
    int newton:delaySteps = 2
}
def NewtonActuator "net" (prepend apiSchemas = ["NewtonNeuralControlAPI"])
{
    rel newton:targets = </knee>
    asset newton:modelPath = @net.pt@
}
def NewtonActuator "off" (
    active = false
    prepend apiSchemas = ["NewtonPDControlAPI"]
)
{
    rel newton:targets = </knee>
}
def NewtonActuator "nowhere" (prepend apiSchemas = ["NewtonPDControlAPI"])
{
}
def NewtonActuator "bad" (prepend apiSchemas = ["NewtonPDControlAPI"])
{
    rel newton:targets = </knee>
    float newton:kp = -3
}
def NewtonActuator "table" (
    prepend apiSchemas = ["NewtonPDControlAPI", "NewtonPositionBasedClampingAPI", "NewtonDCMotorClampingAPI"]
)
{
    rel newton:targets = </slide>
    float newton:kp = 5
    float[] newton:lookupPositions = [0, 1]
    float[] newton:lookupEfforts = [2, 4]
    float newton:saturationEffort = 5
    float newton:velocityLimit = 4
    float newton:maxMotorEffort = 3
}
def NewtonActuator "second" (prepend apiSchemas = ["NewtonPDControlAPI"])
{
    rel newton:targets = </hip>
    float newton:kp = 1
}
def NewtonActuator "motor" (prepend apiSchemas = ["BackemfControlAPI"])
{
    rel newton:targets = </elsewhere/ankle>
    token newton:backemf:motor = "mit-mini-cheetah"
    float newton:backemf:kp = 10
}
class NewtonActuator "template" (prepend apiSchemas = ["NewtonPDControlAPI"])
{
    rel newton:targets = </knee>
}
"""


def test_every_actuator_of_a_stage_is_there():
    """In the order of the file, each as ours or with the reason why not; one that cannot be read loses no other."""
    found = read_actuators(STAGE)
    shown = [(type(x).__name__, x.name if isinstance(x, Unread) else x.joint) for x in found]
    assert shown == [
        ("NewtonJoint", "/hip"),
        ("NewtonJoint", "/knee"),
        ("Unread", "/net"),
        ("Unread", "/off"),
        ("Unread", "/nowhere"),
        ("Unread", "/bad"),
        ("NewtonJoint", "/slide"),
        ("NewtonJoint", "/hip"),
        ("NewtonJoint", "/elsewhere/ankle"),
    ]
    whys = {x.name: (x.kind, x.why) for x in found if isinstance(x, Unread)}
    for name, kind, why in (
        ("/net", "NewtonNeuralControlAPI", "/net: has NewtonNeuralControlAPI: only Newton itself can run it"),
        ("/off", "NewtonPDControlAPI", "/off: is switched off"),
        ("/nowhere", "NewtonPDControlAPI", "/nowhere: newton:targets names 0 joints: must be one"),
        ("/bad", "NewtonPDControlAPI", "/bad: Drive.kp = -3"),
    ):
        assert whys[name][0] == kind
        assert whys[name][1].startswith(why)
        assert "\n" not in whys[name][1]


def test_what_the_joint_says_is_read_once():
    """Armature, friction and damping (per degree, but of a slider) go with the first actuator of the joint.

    Newton reads them whether `NewtonJointAPI` is applied or not.
    """
    hip, knee, slide, second, ankle = [x for x in read_actuators(STAGE) if isinstance(x, OnJoint)]
    assert (hip.armature, hip.coulomb) == (0.02, 0.3)
    assert hip.viscous == pytest.approx(0.01 * 180.0 / np.pi, rel=1e-6)
    assert (second.armature, second.coulomb, second.viscous) == (0.0, 0.0, 0.0)
    assert knee.armature == 0.03
    assert slide.viscous == 3.0
    assert ankle.armature == 0.0


def test_what_is_lost_has_a_row():
    """What a file says and the actuator does not: one row each, with the field and the value."""
    hip, knee, slide, second, ankle = [x for x in read_actuators(STAGE) if isinstance(x, OnJoint)]

    def rows(found):
        return {loss.phenomenon: (loss.status, loss.note) for loss in found.losses}

    assert {name: status for name, (status, _) in rows(hip).items()} == {
        "speed limit": "dropped",
        "drive of the joint": "dropped",
        "newton:ki": "dropped",
        "constant torque": "dropped",
    }
    assert "90" in rows(hip)["speed limit"][1] or "1.571 rad/s" in rows(hip)["speed limit"][1]
    assert "constEffort = 0.25" in rows(hip)["constant torque"][1]
    assert {name: status for name, (status, _) in rows(knee).items()} == {
        "AcmeHeatAPI": "unknown",
        "integral": "approximated",
    }
    assert {name: status for name, (status, _) in rows(slide).items()} == {"effort limit": "approximated"}
    assert rows(second) == {}
    assert rows(ankle)["rotor inertia"][0] == "unknown"
    assert "/elsewhere/ankle" in rows(ankle)["rotor inertia"][1]


def test_newtons_drives_listen_to_three_targets():
    """Position, velocity and effort, whatever the gains; the whole actuator to its own."""
    found = [x for x in read_actuators(STAGE) if isinstance(x, OnJoint)]
    assert all(tuple(x.actuator.controller.inputs) == ("position", "velocity", "effort") for x in found)
    volts = read_actuator(write(replace(WHOLE, controller=None), KNEE, "backemf").text)
    assert tuple(volts.actuator.controller.inputs) == ("voltage",)


@pytest.mark.parametrize("kind", ["pd", "pid"])
def test_a_controller_that_takes_fewer_targets_is_told(kind):
    """Newton's drive takes all three: what ours does not listen to has to stay 0."""
    gains = be.TorquePid(kp=2.0, ki=1.0, listens=("position",))
    actuator = be.Actuator(controller=gains, limits=be.EffortLimit(effort_limit=3.0))
    by = {loss.phenomenon: loss for loss in write(actuator, KNEE, kind).statuses}
    assert by["controller"].status == "approximated"
    assert "takes velocity and effort targets too" in by["controller"].note
    whole = {loss.phenomenon: loss for loss in write(actuator, KNEE, "backemf").statuses}
    assert whole["controller"].status == "kept"


def test_one_bad_prim_hides_no_other():
    """By its joint an actuator is found, though another one has no joint; a joint with several has to be chosen."""
    text = STAGE.replace("rel newton:targets = </slide>", "rel newton:targets = </other>")
    assert read_actuator(text, "other").actuator.controller.stiffness == 5.0
    with pytest.raises(be.ParameterError, match="2 actuators it could be: give joint="):
        read_actuator(text, "hip")


def test_the_file_is_in_the_sentence(tmp_path):
    """Whatever is wrong says in which file."""
    path = tmp_path / "robot.usda"
    path.write_text(STAGE)
    bad = [x for x in read_actuators(path) if isinstance(x, Unread)]
    assert all(x.why.startswith(f"{path}, /") for x in bad)
    path.write_text(STAGE[: STAGE.index("def NewtonActuator")] + STAGE[STAGE.index('def NewtonActuator "bad"') :])
    with pytest.raises(be.ParameterError, match=r"robot\.usda, /bad: Drive\.kp = -3"):
        read_actuator(path, "knee")


# --- round trips

PID = be.TorquePid(kp=11.1, ki=3.3, kd=0.7, integral_limit=0.5)
PD = be.IdealPd(stiffness=40.1, damping=1.7)
CLIP = be.DcClip(saturation_effort=20.3, velocity_limit=31.4, effort_limit=12.7)
FLAT = be.EffortLimit(effort_limit=9.5)
TABLE = be.AngleTable(angle=[-1.1, 0.0, 1.3], effort=[5.0, 9.0, 4.0])
LATE = be.Delay(steps=3, schedule="isaaclab")
JOINT = {"armature": 0.0123, "coulomb": 0.05, "viscous": 0.02}
TRIPS = {
    "PD": be.Actuator(controller=PD),
    "PD, flat": be.Actuator(controller=PD, limits=FLAT),
    "PD, line": be.Actuator(controller=PD, limits=CLIP),
    "PD, line, table": be.Actuator(controller=PD, limits=(CLIP, TABLE)),
    "PD, flat, delay": be.Actuator(controller=PD, limits=FLAT, delay=LATE),
    "PID": be.Actuator(controller=PID),
    "PID, flat": be.Actuator(controller=PID, limits=FLAT),
    "PID, line": be.Actuator(controller=PID, limits=CLIP),
    "PID, line, table, delay": be.Actuator(controller=PID, limits=(CLIP, TABLE), delay=LATE),
    "whole": WHOLE,
    "whole, limits": replace(WHOLE, limits=(CLIP, TABLE), delay=be.Delay(steps=2)),
    "whole, volts": replace(WHOLE, controller=None),
}


def same_torque(a, b) -> None:
    """The laws of two actuators give the same torques along a random motion."""
    rng = np.random.default_rng(4)
    laws = a.law(), b.law()
    states = [law.initial((5,)) for law in laws]
    names = a.actuator.controller.inputs
    for _ in range(40):
        command = be.Command(**{name: rng.normal(size=5) for name in names})
        q, v = rng.normal(size=5), 10.0 * rng.normal(size=5)
        torques = []
        for k, law in enumerate(laws):
            states[k], torque = law.step(states[k], command, q, v, 2e-3)
            torques.append(torque)
        assert np.array_equal(*torques)


@pytest.mark.parametrize("own", [{}, JOINT], ids=["actuator", "with a joint"])
@pytest.mark.parametrize("name", TRIPS)
def test_read_kept_and_written_again(name, own):
    """Read, kept as a motor file, loaded, written and read: the same actuator, joint, losses and torques."""
    thing = OnJoint(actuator=TRIPS[name], joint=KNEE, **own)
    kind = "backemf" if name.startswith("whole") else None
    first = read_actuator(write(thing, KNEE, kind).text)
    for key, value in own.items():
        assert getattr(first, key) == pytest.approx(value, rel=1e-6)
    kept = {"name": first.joint, "armature": first.armature, "coulomb": first.coulomb, "viscous": first.viscous}
    actuator, joint = loads_with_joint(dumps(first.actuator, kept | {"beside": first.beside}))
    loaded = OnJoint(actuator=actuator, joint=joint.pop("name", ""), **joint)
    again = read_actuator(write(loaded, KNEE, kind).text)
    assert again == first
    assert again.losses == first.losses
    same_torque(first, again)


@pytest.mark.parametrize("kind", ["backemf", "dc_motor"])
@pytest.mark.parametrize("own", [0.0, 0.0123], ids=["rotor", "rotor and joint"])
def test_inertia_is_there_once(kind, own):
    """Written for Newton, read and written for other simulators: rotor and joint count once, wherever they go."""
    thing = OnJoint(actuator=replace(WHOLE, controller=be.IdealPd(stiffness=20.0)), joint=KNEE, armature=own)
    whole = own + float(MOTOR.armature)
    found = read_actuator(write(thing, KNEE, kind).text)
    inside = 0.0 if found.actuator.motor is None else float(found.actuator.motor.armature)
    assert found.armature + inside == pytest.approx(whole, rel=1e-5)
    back = mjlab.read_actuator(mjlab.write(found, joint=("knee",)).text)
    assert back.armature == pytest.approx(whole, rel=1e-5)
    once = be.export(found, "newton", compare=False, kind=kind).on_joint
    inside = 0.0 if once.actuator.motor is None else float(once.actuator.motor.armature)
    assert once.armature + inside == pytest.approx(whole, rel=1e-5)


def test_an_armature_that_contradicts_the_motor_is_told():
    """A joint with less inertia than the rotor of its motor: one row with both numbers; none at all is none."""
    text = write(WHOLE, KNEE, "backemf").text
    row = next(line for line in text.splitlines() if "newton:armature" in line)
    less = read_actuator(text.replace(row, "float newton:armature = 0.001"))
    assert less.armature == 0.0
    (loss,) = less.losses
    assert (loss.phenomenon, loss.status) == ("rotor inertia", "approximated")
    assert "0.001" in loss.note
    assert f"{float(MOTOR.armature):.6g}" in loss.note
    more = read_actuator(text.replace(row, "float newton:armature = 0.1"))
    assert more.armature + float(MOTOR.armature) == pytest.approx(0.1, rel=1e-5)
    assert not more.losses


def test_digits_do_not_split_the_inertia():
    """However few digits a text for people has, the rotor's inertia stays the motor's."""
    for digits in (3, 6, None):
        found = be.export(WHOLE, "newton", compare=False, kind="backemf", digits=digits).on_joint
        assert found.armature == 0.0
        assert not found.losses
