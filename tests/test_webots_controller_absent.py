"""What scripts use besides motors: devices that are not simulated, submodules, the keyboard, the supervisor's world."""

import math
import sys
from pathlib import Path

import pytest
from webots_rig import begun, hip, lines

from backemf.errors import ParameterError
from backemf.sims import webots
from backemf.sims.webots import controller
from backemf.sims.webots.devices.absent import ABSENT
from backemf.sims.webots.devices.kinds import snake
from backemf.sims.webots.law import propeller_effort
from backemf.sims.webots.nodes.others import DEVICES
from backemf.sims.webots.records import wav

SCRIPTS = Path(__file__).parent / "webots_scripts"
WORLD = """#VRML_SIM R2025a utf8
WorldInfo { basicTimeStep 32 }
DEF BALL Solid { translation 0.5 -1 0.25 rotation 0 0 1 1.5707963267948966 }
DEF CAR Robot {
  translation 1 0 0
  customData "third floor"
  children [
    DistanceSensor { name "ds0" lookupTable [ 0 1024 0, 0.2 5 0 ] type "sonar" }
    DEF HINGE HingeJoint {
      device [ RotationalMotor { name "wheel" } PositionSensor { name "wheel sensor" } ]
      endPoint DEF TYRE Solid {
        physics Physics { density -1 mass 1 centerOfMass [ 0 0 0 ] inertiaMatrix [ 0.001 0.001 0.001, 0 0 0 ] }
      }
    }
    DistanceSensor { name "ds1" }
    Camera { width 8 height 5 fieldOfView 1.2 }
    Lidar { horizontalResolution 6 numberOfLayers 2 maxRange 80 }
    RangeFinder { width 3 height 2 }
    LED { name "lamp" }
    Emitter { channel 7 } Receiver { }
    GPS { model "precise" } InertialUnit { } TouchSensor { type "force" } Display { } Speaker { }
  ]
  name "car"
  %s
}
"""
PHYSICS = "physics Physics { density -1 mass 2 }"


def without_notes(text: str) -> list[str]:
    """Lines without what is assumed of loads, which other tests look at."""
    return [line for line in text.splitlines() if not line.startswith("Note: ")]


def printed(capsys) -> list[str]:
    """What was printed to the error stream since the last look."""
    return without_notes("\n".join(lines(capsys)))


def car(more: str = PHYSICS) -> webots.RobotDescription:
    return webots.from_world(webots.read_world(WORLD % more))


# --- devices that are not simulated


def test_every_device_of_webots_has_a_class_and_a_name() -> None:
    """What is read from worlds and what scripts may import are the same."""
    assert set(DEVICES) == set(ABSENT)
    words = {name: snake(name).replace("_", " ") for name in ABSENT} | {"RangeFinder": "range-finder"}
    assert words == DEVICES


def test_devices_are_listed_in_the_order_of_the_file() -> None:
    """A joint's own devices stand where the joint stands."""
    with begun(car()) as (robot, _):
        names = [robot.getDeviceByIndex(i).getName() for i in range(robot.getNumberOfDevices())]
        assert names[:5] == ["ds0", "wheel", "wheel sensor", "ds1", "camera"]
        assert names == list(robot.devices) and len(names) == 15
        kinds = [robot.getDevice(name).getNodeType() for name in ("ds0", "gps", "lamp", "range-finder")]
        assert kinds == [controller.Node.DISTANCE_SENSOR, controller.Node.GPS, controller.Node.LED,
                         controller.Node.RANGE_FINDER]  # fmt: skip


def test_a_proto_that_is_not_read_is_the_device_that_its_name_ends_with(capsys) -> None:
    """Proximity sensors of a copied E-puck.proto stand in a PROTO on the web; a script finds them by their names."""
    text = WORLD.replace('DistanceSensor { name "ds1" }', 'E-puckDistanceSensor { name "ps0" } OakTree { name "tree" }')
    with begun(webots.from_world(webots.read_world(text % PHYSICS))) as (robot, _):
        sensor = robot.getDevice("ps0")
        sensor.enable(32)
        robot.step(32)
        assert type(sensor).__name__ == "DistanceSensor" and math.isnan(sensor.getValue())
        assert robot.getDevice("tree") is None


def test_a_device_says_once_that_it_is_not_simulated(capsys) -> None:
    """When it is used, and not when it is looked up."""
    with begun(car()) as (robot, _):
        sensor = robot.getDevice("ds0")
        assert sensor.getName() == sensor.name == "ds0" and printed(capsys) == []
        sensor.enable(64)
        assert math.isnan(sensor.getValue()) and math.isnan(sensor.value)
        assert sensor.getSamplingPeriod() == sensor.sampling_period == 64
        assert printed(capsys) == ['WARNING: DistanceSensor "ds0" is not simulated: what it measures stays NaN.']


def test_what_the_file_says_of_a_device_is_known() -> None:
    """Sizes, ranges and types are no measurements."""
    with begun(car()) as (robot, _):
        sensor, camera, lidar = (robot.getDevice(name) for name in ("ds0", "camera", "lidar"))
        assert (sensor.getMinValue(), sensor.max_value) == (5.0, 1024.0)
        assert sensor.getType() == controller.DistanceSensor.SONAR and len(sensor.getLookupTable()) == 6
        assert (camera.getWidth(), camera.height, camera.getFov()) == (8, 5, 1.2)
        assert (lidar.getNumberOfPoints(), lidar.max_range, lidar.getVerticalFov()) == (12, 80.0, 0.2)
        assert robot.getDevice("emitter").getChannel() == 7 and robot.getDevice("gps").getModel() == "precise"
        assert robot.getDevice("touch sensor").getType() == controller.TouchSensor.FORCE


@pytest.mark.parametrize(
    ("name", "method", "length"),
    [
        ("camera", "getImage", 4 * 8 * 5), ("camera", "getImageArray", 8), ("lidar", "getRangeImage", 12),
        ("lidar", "getPointCloud", 12), ("lidar", "getRangeImageArray", 2), ("range-finder", "getRangeImage", 6),
        ("gps", "getValues", 3), ("inertial unit", "getRollPitchYaw", 3), ("inertial unit", "getQuaternion", 4),
        ("receiver", "getFloats", 0), ("receiver", "getString", 0),
    ],
)  # fmt: skip
def test_answers_have_the_shape_of_webots(name, method, length) -> None:
    """So that a script that takes them apart goes on."""
    with begun(car()) as (robot, _):
        assert len(getattr(robot.getDevice(name), method)()) == length


def test_what_is_set_is_read_back(capsys) -> None:
    """Without effect, which is said once."""
    with begun(car()) as (robot, _):
        lamp, camera = robot.getDevice("lamp"), robot.getDevice("camera")
        assert lamp.get() == 0
        lamp.set(2)
        assert (lamp.get(), lamp.value) == (2, 2)
        camera.fov = 0.5
        assert camera.getFov() == 0.5
        robot.getDevice("display").drawText("hello", 1, 2)
        assert printed(capsys) == [
            'WARNING: LED "lamp" is not simulated: it does not shine.',
            'WARNING: Camera "camera" is not simulated: its image stays black.',
            'WARNING: Display "display" is not simulated: nothing is drawn on it.',
        ]


def test_a_device_made_by_its_name_is_the_robots(capsys) -> None:
    """As of motors; a sensor is enabled at once, and a name that is not there is said."""
    with begun(car()) as (robot, _):
        made = controller.DistanceSensor("ds1")
        assert isinstance(made, controller.DistanceSensor) and made.getSamplingPeriod() == 32
        assert robot.getDevice("ds1").getSamplingPeriod() == 32
        printed(capsys)
        lost = controller.Camera("eye")
        assert printed(capsys) == ['Warning: "eye" device not found.']
        lost.enable(32)
        assert printed(capsys) == ["Error: wb_camera_enable(): invalid device tag."]


def test_a_typo_in_a_method_is_an_error_as_in_webots() -> None:
    """A lamp has no sampling period, and no class has what Webots' class has not."""
    with begun(car()) as (robot, _):
        for name, method in (("lamp", "enable"), ("ds0", "getValues"), ("camera", "getWith")):
            with pytest.raises(AttributeError, match=method):
                getattr(robot.getDevice(name), method)


def test_a_script_with_other_devices_runs_unchanged(capsys) -> None:
    """It drives as where nothing is in the way."""
    recorder = webots.Recorder()
    ended = webots.run_script(SCRIPTS / "wanders.py", car(), recorder=recorder, duration=0.64)
    said = capsys.readouterr()
    assert ended.code == 0 and said.out == "turned 0.64 True\n"
    assert recorder.table()["velocity[wheel]"][-1] == pytest.approx(3.0, rel=1e-3)
    assert [line.split(" is not")[0] for line in without_notes(said.err)] == [
        'WARNING: DistanceSensor "ds0"', 'WARNING: DistanceSensor "ds1"', 'WARNING: Camera "camera"',
        "WARNING: Keyboard", 'WARNING: LED "lamp"',
    ]  # fmt: skip


def test_a_robot_file_may_name_devices_that_are_not_simulated(capsys) -> None:
    """So that a script finds them there, too."""
    text = '[[joint]]\ninertia = "1 kg*m^2"\nmotor = { name = "hip" }\n[[device]]\nkind = "%s"\nname = "eye"'
    with begun(webots.robot_from_toml(text % "Camera")) as (robot, _):
        assert len(robot.getDevice("eye").getImage()) == 4 * 64 * 64
    with pytest.raises(ParameterError, match=r"\[\[device\]\] 1 kind = 'Kamera': must be one of Accelerometer"):
        webots.robot_from_toml(text % "Kamera")


# --- the module


def test_submodules_and_colours_are_there(capsys) -> None:
    """And gone when the script is over."""
    ended = webots.run_script(SCRIPTS / "submodules.py", hip())
    assert ended.code == 0
    assert capsys.readouterr().out == "\x1b[2J\x1b[31mhot\x1b[0m\n0.5 True Camera Supervisor\n"
    assert not [name for name in sys.modules if name.partition(".")[0] == "controller"]


def test_submodules_of_another_controller_come_back(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "controller.motor", math)
    webots.run_script(SCRIPTS / "leaves.py", hip())
    assert sys.modules["controller.motor"] is math


def test_all_names_of_webots_package_are_there() -> None:
    """Every class of every submodule, and what `import *` takes."""
    for name, module in controller.modules().items():
        wanted = controller.__all__ if name == "controller" else controller.SUBMODULES[name[11:]].split()
        assert all(isinstance(getattr(module, each), type) for each in wanted)
    assert controller.motor.Motor is controller.Motor
    with pytest.raises(AttributeError, match=r"wb\.wb_robot_step: Webots' C library is not here"):
        controller.CLibrary().wb_robot_step(32)
    with pytest.raises(AttributeError, match="no attribute 'Robbot'"):
        _ = controller.Robbot


def test_nobody_sits_at_the_keyboard(capsys) -> None:
    """Nor at mouse and joystick."""
    with begun() as (robot, _):
        assert printed(capsys) == []
        keyboard = robot.getKeyboard()
        keyboard.enable(32)
        assert (keyboard.getKey(), robot.keyboard.getKey(), controller.Keyboard.UP) == (-1, -1, 315)
        assert robot.getJoystick().isConnected() is False and robot.getMouse().getState().left is False
        assert printed(capsys) == [
            "WARNING: Keyboard is not simulated: no key is ever pressed.",
            "WARNING: Joystick is not simulated: none is connected.",
            "WARNING: Mouse is not simulated: no button is ever pressed.",
        ]


def test_words_of_the_world(capsys) -> None:
    """Custom data and paths are known; what needs a window says so once."""
    with begun(car()) as (robot, _):
        assert robot.getCustomData() == "third floor"
        robot.custom_data = "fourth"
        assert robot.getCustomData() == "fourth"
        robot.wwiSendText("hello")
        robot.wwiSendText("again")
        assert printed(capsys) == ["WARNING: Robot.wwiSendText() has no effect: there is no robot window."]


# --- motions of files

WAVE = "#WEBOTS_MOTION,V1.0,hip,knee\n00:00:000,Pose1,0,*\n00:00:064,Pose2,0.4,*\n00:00:128,Pose3,0.4,1\n"


def played(tmp_path, text: str = WAVE) -> controller.Motion:
    (tmp_path / "wave.motion").write_text(text)
    return controller.Motion(str(tmp_path / "wave.motion"))


def test_a_motion_sets_positions_between_its_poses(tmp_path, capsys) -> None:
    """Each step sends the position of its beginning, on a straight line between poses; the last one stays."""
    with begun() as (robot, _):
        motion = played(tmp_path)
        assert printed(capsys) == [
            "Warning: wbu_motion_new(): ignoring joint 'knee', specified in file "
            f"'{tmp_path / 'wave.motion'}', but not found in this robot."
        ]
        assert motion.isValid() and (motion.getDuration(), motion.getTime()) == (128, 0)
        motion.play()
        sent = []
        while not motion.isOver():
            robot.step(32)
            sent.append(robot.getDevice("hip").getTargetPosition())
        assert sent == pytest.approx([0.0, 0.2, 0.4, 0.4])
        robot.step(32)
        assert motion.getTime() == 128


def test_a_motion_goes_round_backwards_and_stops(tmp_path) -> None:
    """In a loop it is never over, and in reverse it begins at the end."""
    with begun() as (robot, _):
        motion, motor = played(tmp_path), robot.getDevice("hip")
        motion.setReverse(True)
        motion.setLoop(True)
        motion.play()
        sent = []
        for _ in range(6):
            robot.step(32)
            sent.append(motor.getTargetPosition())
        assert sent == pytest.approx([0.4, 0.4, 0.4, 0.2, 0.0, 0.4]) and not motion.isOver()
        motion.stop()
        motion.setTime(-5)
        motor.setPosition(0.1)
        robot.step(64)
        assert (motion.time, motor.getTargetPosition()) == (0, 0.1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty."),
        ("#WEBOTS,V1.0,hip\n0,a,1", "invalid motion file header"),
        ("#WEBOTS_MOTION,V2.0,hip\n0,a,1", "unsupported version number 'V2.0'"),
        ("#WEBOTS_MOTION,V1.0,hip\nx,a,1", "expected <time value> but found 'x'"),
        ("#WEBOTS_MOTION,V1.0,hip\n5,a,1\n5,b,1", "illegal (non-increasing) time sequence"),
        ("#WEBOTS_MOTION,V1.0,hip\n0,a", "missing data"),
        ("#WEBOTS_MOTION,V1.0,hip\n0,a,1,2", "unexpected extra data"),
        ("#WEBOTS_MOTION,V1.0,hip\n0,a,up", "expected <double value>, but found 'up'"),
        ("#WEBOTS_MOTION,V1.0,hip\n", "must contain at least one joint and one pose."),
    ],
)
def test_a_bad_motion_file_is_one_line(text, said, tmp_path, capsys) -> None:
    """As Webots says it; the motion is not valid, and playing it is refused."""
    with begun():
        motion = played(tmp_path, text)
        (line,) = printed(capsys)
        assert line.startswith("Error: wbu_motion_new(): ") and said in line
        motion.play()
        assert not motion.isValid() and motion.getDuration() == -1
        assert printed(capsys)[0] == "Error: wbu_motion_play() called with NULL 'motion' argument."


# --- supervisors


def test_a_supervisor_sees_the_world_of_the_file(capsys) -> None:
    """What it moves is read back, and one line says that it does not move."""
    ended = webots.run_script(SCRIPTS / "supervises.py", car())
    said = capsys.readouterr()
    assert said.out.splitlines() == [
        "ball at [0.5, -1.0, 0.25] [0.5, -1.0, 0.25] Solid", "ball at [1.0, 2.0, 3.0] and None", "ended 0.224",
    ]  # fmt: skip
    assert without_notes(said.err) == [
        "WARNING: Supervisor: Solid BALL is not simulated: only joints of the robot move.",
        "WARNING: Supervisor.setLabel() has no effect: only the robot's joints are simulated.",
    ]
    assert ended.code == 0


def test_nodes_of_a_supervisor() -> None:
    """The robot itself, turned nodes, and what hangs on a joint, whose place is not known."""
    with webots.simulate(car()):
        robot = controller.Supervisor()
        own = robot.getSelf()
        assert own is robot.getFromDef("CAR") and own.getType() == controller.Node.ROBOT
        assert own.getPosition() == [1.0, 0.0, 0.0] and own.getField("name").getSFString() == "car"
        turned = robot.getFromDef("BALL").getOrientation()
        assert turned == pytest.approx([0, -1, 0, 1, 0, 0, 0, 0, 1], abs=1e-15)
        assert all(map(math.isnan, robot.getFromDef("TYRE").getPosition()))
        assert robot.getFromDef("HINGE").getField("endPoint").getSFNode().getDef() == "TYRE"
        assert robot.getFromDef("TYRE").getParentNode() is robot.getFromDef("HINGE")
        children = robot.getRoot().getField("children")
        assert [children.getMFNode(i).getTypeName() for i in range(children.getCount())] == [
            "WorldInfo", "Solid", "Robot",
        ]  # fmt: skip
        assert children.getMFNode(-1) is own and children.getMFNode(3) is None
        assert children.getMFNode(0).getField("basicTimeStep").getSFFloat() == 32.0
        assert math.isnan(own.getField("unknown").getSFFloat())


def test_a_row_is_as_long_as_the_field_whatever_the_script_calls_it() -> None:
    """Webots' library returns the value of the field's own type: two numbers of a size, also from getSFVec3f."""
    with webots.simulate(webots.from_world(webots.read_world(WORLD % PHYSICS + "DEF FLOOR Floor { size 8 6 }"))):
        size = controller.Supervisor().getFromDef("FLOOR").getField("size")
        assert size.getSFVec3f() == size.getSFVec2f() == [8.0, 6.0]
        assert math.isnan(size.getSFFloat())


# --- torque feedback, ball joints, propellers, sounds


def test_feedback_needs_physics_of_the_base(capsys) -> None:
    """A robot without Physics stands in the world as a wall does; Webots measures nothing there."""
    with begun(car("")) as (robot, _):
        motor = robot.getDevice("wheel")
        motor.enableTorqueFeedback(32)
        robot.step(64)
        assert math.isnan(motor.getTorqueFeedback())
        assert printed(capsys) == [
            'WARNING: RotationalMotor "wheel": wb_motor_enable_torque_feedback(): cannot be invoked because the '
            "parent Solid has no Physics node."
        ]
    with begun(car()) as (robot, _):
        motor = robot.getDevice("wheel")
        motor.enableTorqueFeedback(32)
        robot.step(64)
        assert motor.getTorqueFeedback() == 0.0 and printed(capsys) == []


def ball(limits: str) -> webots.World:
    return webots.read_world(
        "BallJoint { jointParameters BallJointParameters { dampingConstant 0.2 } device [ RotationalMotor { } ] "
        f'device2 [ RotationalMotor {{ name "second" {limits} }} ] }}'
    )


@pytest.mark.parametrize(
    ("limits", "low", "high", "said"),
    [
        ("", -math.pi / 2, math.pi / 2, []),
        ("minPosition -1 maxPosition 0.5", -1.0, 0.5, []),
        ("minPosition -3 maxPosition 0.5", -math.pi / 2, 0.5, ["The lower limit", "smaller than -pi/2."]),
        ("minPosition -1 maxPosition 2", -1.0, math.pi / 2, ["The upper limit", "greater than pi/2."]),
    ],
)
def test_the_second_axis_of_a_ball_joint_turns_by_a_quarter(limits, low, high, said) -> None:
    """Its engine measures no more; the first axis has no such limit, and its damping holds for all axes."""
    world = ball(limits)
    motor = world.motors()["second"].motor
    assert motor is not None and (motor.min_position, motor.max_position) == (low, high)
    assert all(part in " ".join(world.warnings) for part in said) and len(world.warnings) == bool(said)
    first = world.motors()["rotational motor"].motor
    assert first is not None and first.min_position == first.max_position == 0.0
    assert [joint.joint.damping_constant for joint in world.joints] == [0.2, 0.2, 0.2]


PROPELLER = """Robot { battery [ 1000, 1000, 0 ] cpuConsumption 2 physics Physics { }
  children [ Propeller { thrustConstants 0.01 0 torqueConstants %s 0
    device RotationalMotor { name "rotor" maxVelocity 100 maxTorque 5 consumptionFactor 3 } } ] }"""


@pytest.mark.parametrize(("constant", "torque"), [(0.001, 0.1), (0.2, 5.0)])
def test_a_propeller_pays_for_thrust_and_torque(constant, torque, capsys) -> None:
    """P = factor·(|thrust| + |torque|) at its speed, the torque no more than the motor's; there is no feedback."""
    robot = webots.from_world(webots.read_world(PROPELLER % constant))
    with begun(robot) as (script, simulation):
        motor = script.getDevice("rotor")
        motor.enableTorqueFeedback(32)
        motor.setPosition(math.inf)
        motor.setVelocity(10.0)
        while simulation.axes[0].velocity < 10.0:
            script.step(32)
        before = simulation.energy
        script.step(32)
        assert before - simulation.energy == pytest.approx(0.032 * (2.0 + 3.0 * (0.01 * 10.0**2 + torque)))
        assert propeller_effort(10.0, 0.01, constant, 5.0) == pytest.approx(1.0 + torque)
        assert math.isnan(motor.getTorqueFeedback())
        assert 'RotationalMotor "rotor": Feedback is available for motorized joints only' in printed(capsys)[0]


def test_an_inertia_for_joints_makes_no_joint_of_a_propeller() -> None:
    """A propeller turns without resistance in Webots, whatever it weighs."""
    from backemf.sims.webots.robots.description import with_inertia

    robot = with_inertia(webots.from_world(webots.read_world(PROPELLER % 0.0)), 0.1)
    assert robot.joints[0].world.inertia is None and not robot.joints[0].world.dynamic


def test_a_sound_on_the_web_is_not_fetched_and_says_so(capsys) -> None:
    """The motor hums instead."""
    text = 'Robot { children [ HingeJoint { device RotationalMotor { name "m" sound "https://x.org/hum.wav" } } ] }'
    assert wav.waves_of(webots.from_world(webots.read_world(text))) == {}
    assert printed(capsys) == [
        "WARNING: the sound 'https://x.org/hum.wav' of 'm' is not fetched from the web: it hums instead."
    ]
