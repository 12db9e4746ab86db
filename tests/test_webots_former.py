"""Servo and DifferentialWheels, nodes of Webots 5 to 8: read as joints with motors, and their part of `controller`."""

import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from webots_rig import begun, lines

from backemf.errors import ParameterError
from backemf.sims import webots
from backemf.sims.on_joint import Unread
from backemf.sims.webots import controller

MASS = "density -1 mass 1 centerOfMass [ 0 0 0 ] inertiaMatrix [ 0.001 0.002 0.003, 0 0 0 ]"
SERVO = """Servo {
  translation 0 0.1 0 rotation 0 0 1 0.5 name "knee" maxVelocity 3 maxForce 7 controlP 4 acceleration 20
  position 0.5 minPosition -1 maxPosition 1 minStop -1.2 maxStop 1.2 springConstant 0.5 dampingConstant 0.25
  staticFriction 0.125 %s
  physics Physics { density -1 mass 2 centerOfMass [ 0.3 0 0 ] inertiaMatrix [ 0.1 0.1 0.1, 0 0 0 ] }
}"""
LEG = "#VRML_SIM V6.3.2 utf8\nWorldInfo { basicTimeStep 16 }\nRobot { children [ %s ] physics Physics { } }"


def wheel(side: str, more: str = "") -> str:
    return f'Solid {{ translation 0.03 0.02 0 rotation 1 0 0 0.7 name "{side} wheel" {more} }}'


WHEELS = wheel("left", f"boundingObject Sphere {{ }} physics Physics {{ {MASS} }}") + wheel(
    "Right", f"boundingObject Sphere {{ }} physics Physics {{ {MASS} }}"
)
ROVER = """#VRML_SIM V6.3.2 utf8
WorldInfo { basicTimeStep 32 }
DifferentialWheels {
  name "rover" children [ %s ] maxSpeed 8 speedUnit 0.1 maxForce 0.25 maxAcceleration 5 slipNoise 0
  encoderNoise 0 encoderResolution 100 motorConsumption 3 cpuConsumption 1 %s
}"""


def rover(children: str = WHEELS, more: str = "physics Physics { }", fields: str = ROVER) -> webots.RobotDescription:
    return webots.from_world(webots.read_world(fields % (children, more)))


def rover_text(wheel_fields: str) -> str:
    return ROVER % (f'Solid {{ name "left wheel" {wheel_fields} }}', "")


def leg(more: str = "", text: str = SERVO) -> webots.RobotDescription:
    return webots.from_world(webots.read_world(LEG % (text % more)))


# --- Servo


def test_a_servo_is_a_hinge_with_a_motor_and_a_sensor() -> None:
    """All of its fields have their place; the axis is that of its rotation."""
    (joint,) = webots.read_world(LEG % (SERVO % "")).joints
    assert (joint.holder, joint.name, joint.axis, joint.control) == ("HingeJoint", "knee", (0.0, 0.0, 1.0), "position")
    assert joint.joint == webots.WebotsJoint(
        position=0.5, damping_constant=0.25, spring_constant=0.5, static_friction=0.125, min_stop=-1.2, max_stop=1.2
    )
    assert joint.motor == webots.WebotsMotor(
        acceleration=20.0, control_p=4.0, min_position=-1.0, max_position=1.0, max_velocity=3.0, max_torque=7.0
    )
    assert joint.sensor is not None and joint.sensor.name == "knee sensor"
    # 0.1 kg·m² and 2 kg at 0.3 m from the axis, which goes through the servo's own origin
    assert joint.dynamic and joint.inertia == pytest.approx(0.1 + 2 * 0.3**2)


def test_a_servo_hangs_where_gravity_pulls_it() -> None:
    """Along x turned by 0.5 rad about z at position 0.5: the arm points along x at 0, and hangs down at -pi/2."""
    (joint,) = webots.read_world(LEG % (SERVO % "")).joints
    assert joint.load.weight == pytest.approx(2 * 9.81 * 0.3)
    assert joint.load.hangs_at == pytest.approx(-math.pi / 2)


def test_a_servo_without_fields_has_those_of_the_manual() -> None:
    """About y, 10 rad/s, 10 N·m, P = 10 1/s, without Physics in kinematic mode."""
    (joint,) = webots.read_world("Robot { children Servo { } }").joints
    assert joint.motor == webots.WebotsMotor() and joint.joint == webots.WebotsJoint()
    assert (joint.name, joint.axis, joint.dynamic) == ("servo", (0.0, 1.0, 0.0), False)


def test_a_linear_servo_slides_along_its_own_z() -> None:
    """Turned by a quarter about x, its z is the parent's -y: 2 kg pull with 2·9.81 N."""
    text = """Servo { type "linear" rotation 1 0 0 1.5707963267948966 maxForce 40
      physics Physics { density -1 mass 2 centerOfMass [ 0 0 0 ] } }"""
    (joint,) = webots.read_world(LEG % text).joints
    assert (joint.holder, joint.joint.kind, joint.inertia) == ("SliderJoint", "slider", 2.0)
    assert joint.motor is not None and (joint.motor.kind, joint.motor.max_torque) == ("linear", 40.0)
    assert joint.load.pull == pytest.approx(2 * 9.81)


def test_servos_on_servos_are_joints_on_joints() -> None:
    """The outer one moves both: 0.1 + 2·0.3² of its own, and of the inner one the same at the same place."""
    outer, inner = webots.read_world(LEG % (SERVO % f"children [ {SERVO % ''} ]").replace("0 0.1 0", "0 0 0")).joints
    assert outer.load.locked and not inner.load.locked
    assert inner.inertia == pytest.approx(0.28)
    assert outer.inertia == pytest.approx(0.56)


def test_a_proto_with_a_servo_in_it_is_expanded(tmp_path: Path) -> None:
    """Its fields arrive; without its own PROTO of that name, Servo is the node of former versions."""
    (tmp_path / "Arm.proto").write_text('PROTO Arm [ field SFFloat force 3 ] { Servo { name "a" maxForce IS force } }')
    (tmp_path / "a.wbt").write_text("#VRML_SIM V7.0.3 utf8\nRobot { children [ Arm { force 4 } ] }")
    (joint,) = webots.read_world(tmp_path / "a.wbt").joints
    assert joint.name == "a" and joint.motor == webots.WebotsMotor(max_torque=4.0)
    (tmp_path / "c.wbt").write_text("#VRML_SIM V7.0.3 utf8\nArm { }")
    assert list(webots.read_world(tmp_path / "c.wbt").motors()) == ["a"]
    (tmp_path / "Servo.proto").write_text('PROTO Servo [ ] { HingeJoint { device RotationalMotor { name "own" } } }')
    (tmp_path / "b.wbt").write_text("#VRML_SIM R2020a utf8\nRobot { children [ Servo { } ] }")
    assert list(webots.read_world(tmp_path / "b.wbt").motors()) == ["own"]


def test_a_wrong_field_of_a_servo_is_named_with_its_line() -> None:
    """The line is that of the field in the file."""
    with pytest.raises(ParameterError, match=r"line 3: RotationalMotor.maxVelocity = 'fast': must be a number"):
        webots.read_world('Robot { children [\n Servo {\n maxVelocity "fast"\n } ] }')


def test_scripts_of_former_versions_drive_a_servo(capsys) -> None:
    """`getServo` gives the motor with the names of that time, and a position without a sensor of its own."""
    with begun(leg()) as (robot, _):
        servo = robot.getServo("knee")
        assert isinstance(servo, controller.Servo) and servo.getType() == controller.Servo.ROTATIONAL
        servo.enablePosition(16)
        servo.enableMotorForceFeedback(16)
        assert (servo.getPositionSamplingPeriod(), servo.getMotorForceFeedbackSamplingPeriod()) == (16, 16)
        servo.setMotorForce(6.0)
        servo.setControlP(8.0)
        servo.setPosition(0.25)
        lines(capsys)
        for _ in range(200):
            robot.step(16)
        assert servo.getPosition() == pytest.approx(0.25, abs=1e-3)
        assert servo.getAvailableTorque() == 6.0 and abs(servo.getMotorForceFeedback()) <= 6.0
        # the spring and the weight together, held at rest
        assert servo.getMotorForceFeedback() == pytest.approx(0.5 * 0.25 + 2 * 9.81 * 0.3 * math.cos(0.25), rel=1e-2)
        servo.disablePosition()
        robot.step(16)
        servo.getPosition()
        assert [line for line in lines(capsys) if "wb_servo_get_position() called for a disabled device" in line]
        assert robot.getServo("no such") is None
        assert controller.Servo("knee").getTargetPosition() == 0.25


def test_a_servo_is_refused_a_period_below_zero(capsys) -> None:
    """As every sensor."""
    with begun(leg()):
        controller.Servo("knee").enablePosition(-1)
        assert "Error: wb_servo_enable_position() called with negative sampling period." in lines(capsys)


def test_the_keyboard_of_former_versions_is_part_of_the_robot() -> None:
    """No key is ever pressed, which was a 0 then."""
    with begun(leg()) as (robot, _):
        robot.keyboardEnable(16)
        robot.step(16)
        assert robot.keyboardGetKey() == 0
        assert (robot.KEYBOARD_UP, robot.KEYBOARD_CONTROL) == (315, 0x20000)
        robot.keyboardDisable()
        assert robot.getKeyboard().getSamplingPeriod() == 0


# --- DifferentialWheels


def test_the_wheels_are_hinges_with_motors_and_sensors() -> None:
    """By their names, in any case of letters; forwards is against the axis of their rotation."""
    left, right = webots.read_world(ROVER % (WHEELS, "physics Physics { }")).joints
    assert [joint.name for joint in (left, right)] == ["left wheel motor", "right wheel motor"]
    assert left.sensor is not None and left.sensor.name == "left wheel sensor"
    assert left.axis == (-1.0, 0.0, 0.0)
    assert left.motor == webots.WebotsMotor(max_velocity=8.0, max_torque=0.25, consumption_factor=0.0)
    assert left.dynamic and left.carried
    # about the wheel's own x, through its own origin
    assert left.inertia == right.inertia == pytest.approx(0.001)


def test_a_differential_wheels_script_turns_the_wheels() -> None:
    """40 units of 0.1 rad/s are 4 rad/s; an encoder counts 100 per radian, one step late where ODE moves the wheels."""
    with webots.simulate(rover(), duration=10.0) as simulation:
        robot = controller.DifferentialWheels()
        assert (robot.getMaxSpeed(), robot.getSpeedUnit()) == (8.0, 0.1)
        assert math.isnan(robot.getLeftSpeed())
        robot.enableEncoders(32)
        robot.setSpeed(40, -20)
        positions = []
        for _ in range(50):
            assert robot.step(32) == 0
            positions.append([axis.position for axis in simulation.axes])
        assert simulation.axes[0].speed == pytest.approx(4.0, rel=1e-4)
        assert simulation.axes[1].speed == pytest.approx(-2.0, rel=1e-4)
        assert (robot.getLeftSpeed(), robot.getRightSpeed(), robot.getEncodersSamplingPeriod()) == (40, -20, 32)
        assert robot.getLeftEncoder() == pytest.approx(100 * positions[-2][0])
        assert robot.getRightEncoder() == pytest.approx(100 * positions[-2][1])


def test_encoders_are_set_and_count_on_from_there() -> None:
    """At once for the script, and in the robot with the next step."""
    with webots.simulate(rover(), duration=10.0) as simulation:
        robot = controller.DifferentialWheels()
        robot.enableEncoders(32)
        robot.setSpeed(40, 40)
        for _ in range(10):
            robot.step(32)
        robot.setEncoders(7.0, -7.0)
        assert (robot.getLeftEncoder(), robot.getRightEncoder()) == (7.0, -7.0)
        before = simulation.axes[0].position
        robot.step(32)
        robot.step(32)
        gone = simulation.axes[0].position - before
        assert robot.getLeftEncoder() - 7.0 == pytest.approx(100 * gone, rel=1e-3)


def test_encoders_without_noise_zero_stay_at_zero() -> None:
    """encoderNoise -1, the default, means that there are none."""
    with webots.simulate(rover(fields=ROVER.replace("encoderNoise 0", "")), duration=1.0):
        robot = controller.DifferentialWheels()
        robot.enableEncoders(32)
        robot.setSpeed(40, 40)
        for _ in range(5):
            robot.step(32)
        assert robot.getLeftEncoder() == 0.0


def test_without_physics_the_wheels_follow_with_their_largest_acceleration() -> None:
    """5 rad/s² until 4 rad/s, whatever maxForce is; the wheels need not even be there."""
    for children in ("", wheel("left") + wheel("right"), WHEELS):
        with webots.simulate(rover(children, ""), duration=10.0) as simulation:
            robot = controller.DifferentialWheels()
            robot.enableEncoders(32)
            robot.setSpeed(40, 40)
            robot.step(32)
            assert simulation.axes[0].velocity == pytest.approx(5 * 0.032)
            assert robot.getLeftEncoder() == pytest.approx(100 * 5 * 0.032**2)
            for _ in range(60):
                robot.step(32)
            assert simulation.axes[0].velocity == pytest.approx(4.0)


def test_noise_of_slip_and_encoders_is_bounded_and_repeats() -> None:
    """Each step's increment is off by 10 % of itself at most, and the same again with the same seed."""

    def increments(seed: int) -> list[float]:
        noisy = ROVER.replace("slipNoise 0", "slipNoise 0.1").replace("maxAcceleration 5", "maxAcceleration 1e6")
        with webots.simulate(rover("", "", noisy), duration=10.0, seed=seed):
            robot = controller.DifferentialWheels()
            robot.enableEncoders(32)
            robot.setSpeed(40, 40)
            counts = [0.0]
            for _ in range(100):
                robot.step(32)
                counts.append(robot.getLeftEncoder())
        return [(b - a) / (100 * 4.0 * 0.032) for a, b in pairwise(counts)]

    found = increments(0)
    assert 0.9 <= min(found) < 0.93 and 1.07 < max(found) <= 1.1
    assert found == increments(0) != increments(1)


def test_too_fast_is_an_error_line_and_the_largest_speed(capsys) -> None:
    """The manual's maxSpeed holds; 120 units of 0.1 rad/s are 12 rad/s, and 8 rad/s is the most."""
    with webots.simulate(rover(), duration=10.0) as simulation:
        robot = controller.DifferentialWheels()
        lines(capsys)
        robot.setSpeed(120, 0)
        assert lines(capsys) == [
            "Error: wb_differential_wheels_set_speed(120,0) overflows maxSpeed/speedUnit: 8/0.1=80."
        ]
        robot.setSpeed(math.nan, 0)
        assert "invalid NaN value" in lines(capsys)[0]
        for _ in range(50):
            robot.step(32)
        assert lines(capsys) == []
        assert simulation.axes[0].speed == pytest.approx(8.0, rel=1e-4)


def test_the_battery_pays_for_the_mean_speed() -> None:
    """3 W per rad/s of the mean of 4 and 2 rad/s, and 1 W of the computer: 10 J/s."""
    with webots.simulate(rover(more="physics Physics { } battery [ 100 100 0 ]"), duration=10.0) as simulation:
        robot = controller.DifferentialWheels()
        robot.setSpeed(40, -20)
        for _ in range(10):
            robot.step(32)
        assert simulation.energy == pytest.approx(100 - 10 * 0.32)


@pytest.mark.parametrize("physics", ["physics Physics { }", ""])
def test_an_empty_battery_stops_the_wheels(physics: str) -> None:
    """13 W of a battery with 1 J: it is empty after three steps, and no command moves the wheels from then on."""
    with webots.simulate(rover(WHEELS, f"{physics} battery [ 1 1 0 ]"), duration=10.0) as simulation:
        robot = controller.DifferentialWheels()
        robot.enableEncoders(32)
        for _ in range(20):
            robot.setSpeed(40, 40)
            robot.step(32)
        count = robot.getLeftEncoder()
        robot.step(320)
        assert simulation.energy == 0.0
        assert simulation.axes[0].speed == pytest.approx(0.0, abs=1e-9)
        assert robot.getLeftEncoder() == count > 0.0


@pytest.mark.parametrize("rotation", ["1 0 0", "TRUE", '"x" "y" "z" "a"', "NULL", "[ ]", "[ 1 0 0 NULL ]"])
def test_a_rotation_that_is_none_is_one_sentence(rotation: str) -> None:
    """Of a servo and of a wheel, whatever stands there."""
    for text in (f"Robot {{ children Servo {{ rotation {rotation} }} }}", rover_text(f"rotation {rotation}")):
        with pytest.raises(ParameterError, match=r"line \d+: "):
            webots.read_world(text)


def test_a_rotation_that_only_webots_knows_is_said_of_the_joint() -> None:
    """A field that is no field of its PROTO; all else is read."""
    proto = """PROTO Odd [ ] { DifferentialWheels { children [
      Solid { name "left wheel" rotation IS turn } Servo { rotation IS turn } ] } } Odd { }"""
    rows = webots.read_actuators(proto)
    unread = [row for row in rows if isinstance(row, Unread)]
    assert sorted(row.name for row in unread) == ["left wheel motor", "servo"]
    assert all("line 2" in row.why for row in unread) and len(rows) == 3


def test_a_wheel_whose_sensor_has_a_namesake_is_not_there(capsys) -> None:
    """Two devices of one name are a warning, and the robot is not driven as a DifferentialWheels."""
    other = """HingeJoint { device [ RotationalMotor { name "m" } PositionSensor { name "left wheel sensor" } ] }"""
    with webots.simulate(rover(other + WHEELS), duration=1.0):
        controller.DifferentialWheels().setSpeed(1, 1)
        assert [line for line in lines(capsys) if "two devices are called 'left wheel sensor'" in line]


def test_a_script_for_wheels_on_another_robot_says_so(capsys) -> None:
    """As Webots' library: every call is ignored."""
    with webots.simulate(leg(), duration=1.0):
        robot = controller.DifferentialWheels()
        lines(capsys)
        robot.setSpeed(1, 1)
        robot.enableEncoders(32)
        assert math.isnan(robot.getLeftEncoder())
        said = lines(capsys)
        assert said[0] == (
            "Error: ignoring illegal call to wb_differential_wheels_set_speed() in a 'Robot' controller: this function "
            "can only be used in a 'DifferentialWheels' controller."
        )
        assert len(said) == 3


def test_newer_scripts_find_the_wheels_as_motors() -> None:
    """Under the names that Webots recommends for them since R2018."""
    with begun(rover()) as (robot, simulation):
        motor = robot.getDevice("left wheel motor")
        motor.setPosition(math.inf)
        motor.setVelocity(3.0)
        for _ in range(50):
            robot.step(32)
        assert simulation.axes[0].speed == pytest.approx(3.0, rel=1e-4)


def test_a_wheel_that_is_missing_is_a_warning() -> None:
    """With Physics the robot needs both of its wheels."""
    world = webots.read_world(ROVER % (wheel("left", "boundingObject Sphere { }"), "physics Physics { }"))
    text = " ".join(world.warnings)
    assert 'A Solid children named "right wheel" is missing.' in text
    assert "The Solid children named \"left wheel\" has no 'physics'." in text


def test_the_unit_of_speed_was_another_before_version_6() -> None:
    """Webots 5: 0.1 rad/s unless the file says it, since then 1 rad/s."""
    for header, unit in (
        ("#VRML_SIM V5.10.0 utf8", 0.1),
        ("#VRML_SIM V6.0.1 utf8", 1.0),
        ("#VRML_SIM R2018a utf8", 1.0),
    ):
        (robot,) = webots.read_world(f"{header}\nDifferentialWheels {{ }}").robots
        assert robot.wheels is not None and robot.wheels.speed_unit == unit


@pytest.mark.parametrize("kind", ["Supervisor", "CustomRobot"])
@pytest.mark.parametrize("physics", ["physics Physics { }", ""])
def test_other_robots_of_former_versions_are_robots(kind: str, physics: str, tmp_path: Path) -> None:
    """With all that is on them, and no word of what they are called now."""
    (tmp_path / "a.wbt").write_text(f"#VRML_SIM V6.0 utf8\n{kind} {{ children [ {SERVO % ''} ] {physics} }}")
    robot = webots.load_robot(tmp_path / "a.wbt")
    assert [joint.name for joint in robot.joints] == ["knee"] and robot.unexpanded == ()
    assert robot.joints[0].world.carried == bool(physics)


def test_old_robots_run_with_full_motors() -> None:
    """What is read is what every backend takes."""
    strong = rover(fields=ROVER.replace("maxForce 0.25", "maxForce 20"))
    robot = strong.with_joints(lambda joint: replace(joint, actuator="maxon-re40-gp52c", supply=24.0))
    with webots.simulate(robot.with_values(backend="motor"), duration=1.0) as simulation:
        script = controller.DifferentialWheels()
        script.setSpeed(40, 40)
        for _ in range(20):
            script.step(32)
        assert simulation.axes[0].speed == pytest.approx(4.0, rel=0.05)
