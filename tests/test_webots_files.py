"""Webots' worlds, PROTOs and nodes: read with lines in every error, written with every number's origin, and back."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from motors import motors

import backemf as be
from backemf import ParameterError
from backemf.sims import webots
from backemf.sims.on_joint import Unread
from backemf.sims.webots import WebotsJoint, WebotsMotor
from backemf.sims.webots.held import put_on_joint
from backemf.sims.webots.nodes.node import walk
from backemf.sims.webots.nodes.vrml import parse

PD = be.IdealPd(stiffness=30.0, damping=1.5)
WORLD = """#VRML_SIM R2023b utf8
EXTERNPROTO "webots://projects/objects/floors/protos/Floor.proto"

WorldInfo {
  basicTimeStep 8
  CFM 0.001
}
Robot {
  name "arm"  # our own
  battery [ 600, 36000, 5 ]
  cpuConsumption 5
  controller "drive"
  children [
    DEF KNEE HingeJoint {
      jointParameters HingeJointParameters {
        axis 0 1 0
        position 0.2
        dampingConstant 0.3
        staticFriction -0.1
        minStop -1 maxStop 1.5
      }
      device [
        RotationalMotor { name "knee" maxTorque 12.5 maxVelocity -4 controlPID 5 1 0.5 minPosition -2 maxPosition 0.1 }
        PositionSensor { name "knee sensor" resolution 0.01 noise 0.002 }
        Brake { }
      ]
      endPoint Solid {
        name "shin"
        physics Physics { density -1 mass 2 centerOfMass [ 0.1 0 0 ] inertiaMatrix [ 0.1 0.2 0.3, 0 0 0 ] }
      }
    }
    SliderJoint {
      device LinearMotor { maxForce 30 }
      endPoint USE KNEE_END
    }
  ]
}
""".replace("      endPoint USE KNEE_END\n", "")


def geared(**parts: Any) -> be.Motor:
    """A motor behind a gear of 9, with constants whose products are easy to follow."""
    known = {
        "winding": be.Winding(resistance=0.5, inductance=1e-4),
        "magnet": be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
        "rotor": be.Rotor(inertia=6e-5),
        "friction": be.Coulomb(coulomb=0.01),
        "drag": be.Drag(coefficients=(1e-4,)),
        "gearbox": be.Gearbox(stages=(be.Stage(ratio=9.0),)),
        "limits": be.Limits(peak_current=20.0),
        "ratings": be.Ratings(voltage=24.0),
    }
    return be.Motor(**{**known, **parts})


# --- worlds


def test_a_world_is_read() -> None:
    """Time step, robot, battery, both joints with their devices."""
    world = webots.read_world(WORLD)
    (robot,) = world.robots
    assert (robot.name, robot.controller, robot.cpu_consumption) == ("arm", "drive", 5.0)
    assert world.basic_time_step == 0.008 and robot.battery == (600.0, 36000.0, 5.0)
    knee, slide = world.joints
    assert list(world.motors()) == ["knee", "linear motor"] and knee.robot == slide.robot == "arm"
    assert (knee.holder, knee.axis, knee.end_point, knee.brake) == ("HingeJoint", (0.0, 1.0, 0.0), "shin", "brake")
    assert knee.sensor is not None and (knee.sensor.name, knee.sensor.resolution) == ("knee sensor", 0.01)
    assert slide.motor == WebotsMotor(kind="linear", max_torque=30.0) and slide.joint.kind == "slider"


def test_fields_are_corrected_as_webots_does_it() -> None:
    """A negative velocity and friction lose their sign, soft limits hold the position, and warnings name the line."""
    world = webots.read_world(WORLD)
    knee = world.joints[0]
    assert knee.motor is not None and (knee.motor.max_velocity, knee.motor.max_position) == (4.0, 0.2)
    assert knee.joint.static_friction == 0.1 and (knee.joint.min_stop, knee.joint.max_stop) == (-1.0, 1.5)
    assert world.warnings == (
        "line 14: 'staticFriction' must be greater than or equal to zero.",
        "line 14: Invalid 'maxVelocity' changed to 4. The value should be non-negative.",
        "line 14: Invalid 'maxPosition' changed to 0.2. The value should be 0.2 or greater.",
        "line 14: HingeJoint 'minStop' must be less or equal to RotationalMotor 'minPosition'.",
    )


def test_the_inertia_is_that_about_the_joint() -> None:
    """0.2 kg·m² about y, and 2 kg at 0.1 m from it; the engine's softness is the world's."""
    knee = webots.read_world(WORLD).joints[0]
    assert knee.inertia == pytest.approx(0.2 + 2 * 0.1**2) and knee.dynamic
    assert (knee.joint.cfm, knee.joint.stop_cfm, knee.joint.stop_erp) == (0.001, 0.001, 0.2)


def test_a_proto_has_the_defaults_of_its_header() -> None:
    """IS takes the value of the PROTO's own field; templates are left alone where nobody asks for them."""
    proto = """#VRML_SIM R2023b utf8
    PROTO Arm [
      field SFFloat  torque 7.5
      field SFNode{Solid {}, NULL}  tool NULL
      field SFString name "elbow"
    ] {
    %< const size = 3; >%
      HingeJoint { device [ RotationalMotor { name IS name maxTorque IS torque sound %<= size >% } ] }
    }
    """
    found = webots.read_actuator(proto)
    assert found.joint == "elbow" and found.motor.max_torque == 7.5


def test_a_template_that_cannot_be_run_is_named() -> None:
    """A name that is not there is one sentence with its line."""
    text = "PROTO A [ ] {\nHingeJoint { device [ RotationalMotor {\n maxTorque %<= f() >% } ] } }"
    with pytest.raises(ParameterError, match=r"^line 3: template of A: f is not a name that templates know here$"):
        webots.read_world(text)


def test_use_takes_the_node_of_def() -> None:
    """The same node, which is walked once."""
    roots = parse('Group { children [ DEF A Solid { name "x" } USE A ] }').roots
    children = roots[0].fields["children"]
    assert children[0] is children[1] and [node.kind for node, _, _ in walk(roots)] == ["Group", "Solid"]


def test_joints_with_several_axes() -> None:
    """A Hinge2Joint has a motor for each axis."""
    text = """Hinge2Joint {
      jointParameters HingeJointParameters { position 0.1 }
      jointParameters2 JointParameters { position 0.4 }
      device [ RotationalMotor { name "a" } ]
      device2 [ RotationalMotor { name "b" } ]
    }"""
    assert [(j.name, j.joint.position) for j in webots.read_world(text).joints] == [("a", 0.1), ("b", 0.4)]


def test_coupled_motors_share_their_limits() -> None:
    """The first motor's limits hold for its siblings in the same robot."""
    text = """Robot { children [
      HingeJoint { device [ RotationalMotor { name "m::a" maxVelocity 4 } ] }
      HingeJoint { device [ RotationalMotor { name "m::b" multiplier -2 } ] }
    ] }"""
    world = webots.read_world(text)
    second = world.motors()["m::b"].motor
    assert second is not None and second.max_velocity == 8.0
    assert any("velocity limits must be consistent" in sentence for sentence in world.warnings)


# --- hostile text


@pytest.mark.parametrize("name", ["wheel\u2011left", "m/2", "arm(1)", "a*b", "höhe", "x.y", "w:1"])
def test_names_have_every_character_that_vrml_allows(name: str) -> None:
    """All but spaces, control characters and " # ' , [ \\ ] { }."""
    world = webots.read_world(f"Robot {{ children [ DEF {name} HingeJoint {{ device RotationalMotor {{ }} }} ] }}")
    assert [joint.motor is not None for joint in world.joints] == [True]
    proto = f"PROTO {name} [ field SFFloat t 3 ] {{ HingeJoint {{ device RotationalMotor {{ maxTorque IS t }} }} }}"
    (joint,) = webots.read_world(f"{proto}\nRobot {{ children [ {name} {{ }} ] }}").motors().values()
    assert joint.motor.max_torque == 3.0


@pytest.mark.parametrize(
    ("row", "battery"),
    [("[ ]", ()), ("[ 0 ]", (0.0, -1.0, -1.0)), ("[ 5 10 ]", (5.0, 10.0, -1.0)), ("[ 5 10 2 7 ]", (5.0, 10.0, 2.0))],
)
def test_a_battery_may_leave_numbers_out(row: str, battery: tuple[float, ...]) -> None:
    """Webots' Robot takes -1 for a largest energy or a charging power that is not given, and no fourth number."""
    assert webots.read_world(f"Robot {{ battery {row} }}").robots[0].battery == battery


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Solid { a [\n RotationalMotor { maxTorque \"a\" } ] }", r"^line 2: RotationalMotor.maxTorque = 'a': must be"),
        ("HingeJoint {\n\n device [ RotationalMotor {", r"^line 3: the bracket of line 3 is never closed$"),
        ("HingeJoint { device [ 1 2 }", r"^line 1: expected a value but found }$"),
        ("HingeJoint { } }", r"^line 1: expected a node but found }$"),
        ("TRUE\n", r"^line 1: expected a node but found TRUE$"),
        ("Solid { name \"never closed }", r"^line 1: this is not VRML: unexpected '\"'$"),
        ("Solid { \x00 }", r"^line 1: this is not VRML: unexpected '\\x00'$"),
        ("WorldInfo { basicTimeStep 0 }", r"^line 1: WorldInfo.basicTimeStep = 0.0: must be a number of milliseconds"),
        ("RotationalMotor { maxTorque 1e999 }", r"^line 1: RotationalMotor.maxTorque = inf: must be a number$"),
        ("RotationalMotor { controlPID 1 2 }", r"^line 1: RotationalMotor.controlPID = \(1.0, 2.0\): must be 3"),
        ("RotationalMotor { controlPID 0 0 0 }", r"^line 1: WebotsMotor.control_p = 0: must be a finite number"),
        ("Robot { battery [ 1 TRUE ] }", r"^line 1: Robot.battery = a list of 2: must be numbers: energy now"),
        pytest.param(
            "Solid {" + "a Solid {" * 100_000,
            r"^line 1: the bracket of line 1 is never closed$",
            marks=pytest.mark.long,
        ),
        pytest.param(
            "Solid { a " + "[" * 200_000, r"^line 1: the bracket of line 1 is never closed$", marks=pytest.mark.long
        ),
        ("PROTO A [ field SFNode{Solid{", r"^line 1: the bracket of this line is never closed$"),
    ],
)  # fmt: skip
def test_bad_text_is_one_sentence_with_its_line(text: str, sentence: str) -> None:
    """Whatever is wrong, and however deep it is."""
    with pytest.raises(ParameterError, match=sentence):
        webots.read_world(text)


@pytest.mark.long
def test_a_deep_world_is_read() -> None:
    """100,000 nodes inside each other are no trouble."""
    deep = "Solid { children " * 100_000 + 'RotationalMotor { name "deep" }' + "}" * 100_000
    assert webots.read_actuator(deep).joint == "deep"


def test_files_that_are_no_worlds(tmp_path: Path) -> None:
    """Binary, missing and empty files are one sentence each."""
    binary = tmp_path / "a.wbt"
    binary.write_bytes(bytes(range(256)))
    with pytest.raises(ParameterError, match=r"a\.wbt: this is not text"):
        webots.read_world(binary)
    with pytest.raises(ParameterError, match=r"b\.wbt: no such file"):
        webots.read_world(tmp_path / "b.wbt")
    (tmp_path / "c.wbt").write_text("#VRML_SIM R2023b utf8\n")
    with pytest.raises(ParameterError, match=r"c\.wbt: there is no motor in it"):
        webots.read_actuator(tmp_path / "c.wbt")
    with pytest.raises(ParameterError, match=r"^text = int\(\.\.\.\): must be a text"):
        webots.read_world(3)  # pyright: ignore[reportArgumentType]


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet='{}[]"#%<>\\ \nDEFUSEISa1.-', max_size=60) | st.text(max_size=40))
def test_no_text_raises_anything_but_a_sentence(text: str) -> None:
    """Any text is read, or is one sentence."""
    try:
        webots.read_world(text + "\n")
    except ParameterError as error:
        assert "\n" not in str(error)[:200] or "\n" in text


# --- writing


def test_numbers_are_those_of_the_joint() -> None:
    """After the gear: top N·Kt·imax, speed V/(N·Ke), friction N·f, drag N²·b."""
    found = webots.read_actuator(webots.write(be.Actuator(geared(), controller=be.Torque()), "knee").text)
    assert found.joint == "knee" and found.control == "torque"
    assert found.motor.max_torque == pytest.approx(9 * 0.1 * 20)
    assert found.motor.max_velocity == pytest.approx(24 / 0.9)
    assert found.parameters.static_friction == pytest.approx(9 * 0.01)
    assert found.parameters.damping_constant == pytest.approx(81 * 1e-4)
    assert found.motor.consumption_factor == pytest.approx(24 / 0.9)


def test_every_number_has_its_origin() -> None:
    """A comment says the unit and where the number came from, and another how much inertia is missing."""
    written = webots.write(be.Actuator(geared(), controller=PD), "knee")
    for line in written.text.splitlines():
        if any(word in line for word in ("maxTorque", "maxVelocity", "controlPID", "Friction", "damping", "Factor")):
            assert "#" in line and len(line.split("#")[1]) > 10, line
    assert written.text.startswith("# Webots has no armature: add 0.00486 kg·m² about the axis")
    assert written.notes[0].startswith("Webots has no armature: add 0.00486")


@pytest.mark.parametrize(
    ("controller", "control", "gain"),
    [
        (be.Torque(), "torque", 10.0),
        (be.Voltage(), "torque", 10.0),
        (PD, "position", 20.0),
        (be.TorquePid(kp=30.0, kd=1.5, ki=3.0), "position", 20.0),
        (be.PositionPid(kp=12.0, kd=0.3), "position", 12.0 / (0.3 + 0.9)),
        (be.DutyServo(kp=0.5), "position", 24 * 0.5 / 0.9),
        (be.VelocityPi(kp=2.0), "velocity", 10.0),
        (be.TorquePid(kd=2.0, follows="velocity"), "velocity", 10.0),
    ],
)
def test_the_gain_is_the_velocity_per_error(controller: Any, control: str, gain: float) -> None:
    """kp/kd in torque, kp/(kd + N·Ke) in volts; without a position, Webots' own."""
    actuator = be.Actuator(geared(), controller=controller, supply=be.Supply(voltage=24.0))
    found = webots.read_actuator(webots.write(actuator).text)
    assert found.control == control and found.motor.control_p == pytest.approx(gain)


def test_the_integral_goes_along() -> None:
    """I = ki/kd."""
    actuator = be.Actuator(geared(), controller=be.TorquePid(kp=30.0, kd=1.5, ki=3.0))
    assert webots.read_actuator(webots.write(actuator).text).motor.control_i == pytest.approx(2.0)


def test_ranges_and_slew_find_their_places() -> None:
    """A range of positions is the soft limits; a slew of velocities is the acceleration."""
    wide = be.Actuator(geared(), controller=PD, command_range=(-0.5, 1.5))
    found = webots.read_actuator(webots.write(wide).text).motor
    assert (found.min_position, found.max_position) == (-0.5, 1.5)
    slow = be.Actuator(geared(), controller=be.VelocityPi(kp=1.0), slew=20.0)
    assert webots.read_actuator(webots.write(slow).text).motor.acceleration == 20.0


def test_fates_say_what_webots_does() -> None:
    """Approximated with a sentence, kept, or dropped."""
    statuses = {loss.phenomenon: loss for loss in webots.write(be.Actuator(geared(), controller=PD)).statuses}
    assert statuses["controller"].status == "approximated" and "P = 20 1/s" in statuses["controller"].note
    assert (
        statuses["torque-speed line"].status == "approximated" and "maxVelocity" in statuses["torque-speed line"].note
    )
    assert statuses["dry friction"].status == "approximated" and statuses["viscous drag"].status == "kept"
    assert statuses["rotor inertia"].status == "dropped" and statuses["inductance"].status == "dropped"
    by_torque = {loss.phenomenon: loss.status for loss in webots.write(geared()).statuses}
    assert by_torque["dry friction"] == "kept" and by_torque["torque-speed line"] == "dropped"


@settings(max_examples=60, deadline=None)
@given(motors())
def test_every_motor_round_trips_to_the_last_bit(motor: be.Motor) -> None:
    """Read, written again and read again, nothing has changed."""
    once = webots.read_actuator(
        webots.write(be.Actuator(motor, controller=PD), "a", supply=24.0, effort_limit=3.0).text
    )
    assert webots.read_actuator(webots.write(once, "a").text) == once


@settings(max_examples=100, deadline=None)
@given(
    st.builds(
        WebotsMotor,
        kind=st.sampled_from(["rotational", "linear"]),
        acceleration=st.just(-1.0) | st.floats(0.0, 1e6),
        control_p=st.floats(1e-6, 1e6),
        control_d=st.floats(0.0, 1e6),
        min_position=st.floats(-10.0, 0.0),
        max_position=st.floats(0.0, 10.0),
        max_velocity=st.floats(0.0, 1e9),
        multiplier=st.floats(-5.0, -0.1) | st.floats(0.1, 5.0),
        max_torque=st.floats(0.0, 1e9),
    ),
    st.sampled_from(["position", "velocity", "torque"]),
    st.text(min_size=1, max_size=12).filter(lambda name: "::" not in name and "\r" not in name),
)
def test_everything_that_webots_holds_round_trips(motor: WebotsMotor, control: str, name: str) -> None:
    """Any motor on any joint under any name."""
    kind = "slider" if motor.kind == "linear" else "hinge"
    joint = WebotsJoint(
        kind=kind, damping_constant=0.25, min_stop=-1.0, max_stop=2.0, stop_erp=0.5, spring_constant=3.0
    )
    thing = put_on_joint(motor, joint, control, name)
    assert webots.read_actuator(webots.write(thing, name).text) == thing


def test_a_linear_motor_is_scaled_by_its_travel() -> None:
    """At 2 mm/rad: force torque/r, velocity speed·r, friction N·m/r, damping N·m·s/rad / r²."""
    text = webots.write(geared(), "lift", kind="linear", travel=0.002).text
    found = webots.read_actuator(text)
    assert found.motor.kind == "linear" and "LinearMotor" in text and "maxForce" in text and "setForce" in text
    assert found.motor.max_torque == pytest.approx(18 / 0.002)
    assert found.motor.max_velocity == pytest.approx(24 / 0.9 * 0.002)
    assert found.parameters.static_friction == pytest.approx(0.09 / 0.002)
    assert found.parameters.damping_constant == pytest.approx(0.0081 / 0.002**2)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: webots.write(geared(), kind="hydraulic"), r"^kind = 'hydraulic': must be one of rotational, linear$"),
        (lambda: webots.write(geared(), kind="linear"), r"^kind = 'linear' needs travel="),
        (lambda: webots.write(geared(), control="thought"), r"^control = 'thought': must be one of"),
        (lambda: webots.write(geared(), colour=3), r"^write\(colour=\.\.\.\): there is no such argument"),
        (lambda: webots.write(geared(), joint=""), r"^joint = '': must be the name of the motor$"),
        (lambda: webots.read_actuator(WORLD), r"^text: which of its motors: there are 'knee', 'linear motor'"),
        (lambda: webots.read_actuator(WORLD, "hip"), r"^text: joint = 'hip': no single motor has that name"),
    ],
)  # fmt: skip
def test_mistakes_are_one_sentence(call: Any, sentence: str) -> None:
    """What is wrong and what to do."""
    with pytest.raises(ParameterError, match=sentence):
        call()


# --- the law of what is read


def test_a_torque_is_limited_and_rubbed() -> None:
    """setTorque within maxTorque, less static friction and damping; at rest friction takes what it can."""
    motor, joint = WebotsMotor(max_torque=2.0), WebotsJoint(static_friction=0.3, damping_constant=0.1)
    law = put_on_joint(motor, joint, "torque").law()
    velocity = np.array([0.0, 0.0, 4.0, -4.0])
    _, torque = law.step(law.initial((4,)), np.array([0.2, 1.0, 9.0, 9.0]), 0.0, velocity, 0.002)
    assert torque == pytest.approx([0.0, 0.7, 2.0 - 0.3 - 0.4, 2.0 + 0.3 + 0.4])


def test_a_position_is_pursued_with_all_of_the_torque() -> None:
    """Where the motion is given, the motor pushes with all it has towards P·e, and at P·e with what keeps it."""
    law = put_on_joint(WebotsMotor(max_torque=2.0, control_p=10.0), WebotsJoint(damping_constant=0.1), "position").law()
    command = be.Command(position=0.5, velocity=0.0, effort=0.0)
    for velocity, expected in ((4.0, 2.0 - 0.4), (5.0, 0.0), (6.0, -2.0 - 0.6)):
        _, torque = law.step(law.initial(), command, 0.0, velocity, 0.002)
        assert float(torque) == pytest.approx(expected)


def test_with_an_inertia_it_is_the_engines_torque() -> None:
    """J·(v - w)/ts within the largest torque."""
    joint = WebotsJoint(cfm=0.0)
    law = put_on_joint(WebotsMotor(max_torque=5.0), joint, "velocity", inertia=0.01).law()
    _, torque = law.step(law.initial(), 3.0, 0.0, 2.0, 0.032)
    assert float(torque) == pytest.approx(0.01 * 1.0 / 0.032)


def test_the_inertia_of_a_file_is_taken() -> None:
    """The end point's Physics, or as given."""
    found = webots.read_actuator(WORLD, "knee")
    assert found.inertia == pytest.approx(0.22) and found.control == "position"
    assert webots.read_actuator(WORLD, "knee", inertia=0.5, control="torque").inertia == 0.5


def test_as_an_actuator_it_has_its_limits() -> None:
    """The closest actuator of ours asks for the largest torque at the largest velocity error."""
    found = put_on_joint(
        WebotsMotor(max_torque=6.0, max_velocity=3.0, control_p=5.0), WebotsJoint(), "position"
    ).actuator
    assert found.controller == be.IdealPd(stiffness=10.0, damping=2.0, listens=("position",))
    assert found.limits == (be.DriveEnvelope(max_effort=6.0, max_actuator_velocity=3.0),)


def test_every_motor_of_a_file_is_read_or_says_why_not() -> None:
    """One motor that only Webots could tell does not lose the others, and nothing is lost without a row."""
    broken = WORLD.replace("maxForce 30", "maxForce %<= fields.force.value >%")
    knee, slider = webots.read_actuators(broken)
    assert isinstance(slider, Unread) and slider.kind == "LinearMotor" and "maxForce" in slider.why
    assert isinstance(knee, webots.OnWebotsJoint) and knee == webots.read_actuator(WORLD, "knee")
    rows = {loss.phenomenon: loss.status for loss in knee.losses}
    assert rows == {
        "controller": "approximated",
        "integral": "dropped",
        "hard stops": "dropped",
        "dry friction": "approximated",
    }
    with pytest.raises(be.ParameterError, match="maxForce"):
        webots.read_world(broken)


def test_soft_limits_and_acceleration_are_read() -> None:
    """They bound a position and the rate of a velocity; where another command is given, a row says so."""
    motor = WebotsMotor(min_position=-1.0, max_position=2.0, acceleration=30.0)
    assert put_on_joint(motor, WebotsJoint(), "position").actuator.command_range == (-1.0, 2.0)
    assert put_on_joint(motor, WebotsJoint(), "velocity").actuator.slew == 30.0
    text = webots.write(put_on_joint(motor, WebotsJoint(), "torque"), "knee").text
    assert {loss.phenomenon for loss in webots.read_actuator(text).losses} == {"command range"}
    assert {loss.phenomenon for loss in webots.read_actuator(text, control="position").losses} >= {"slew"}


def test_a_limit_that_is_not_known_does_not_act() -> None:
    """Webots' own limits are 10 N·m and 10 rad/s, which an actuator without limits does not have."""
    found = webots.read_actuator(webots.write(be.Actuator(controller=PD)).text).motor
    assert (found.max_torque, found.max_velocity) == (1e6, 1e6)


def test_our_motor_in_webots_stays_below_its_torque() -> None:
    """Whatever is asked, the law of what was written gives no more than the motor's largest torque, friction apart."""
    law = webots.read_actuator(webots.write(geared()).text).law()
    state = law.initial((5,))
    _, torque = law.step(state, np.linspace(-100, 100, 5), 0.0, np.full(5, 1e-9), 0.002)
    assert np.abs(torque).max() == pytest.approx(18.0 + 0.09) and math.isclose(float(torque[2]), -0.09, rel_tol=1e-6)
