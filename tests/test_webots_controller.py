"""The module `controller`: every method, its messages, and the order of a step."""

import math

import numpy as np
import pytest
from webots_rig import PAIR, RAIL, begun, hip, lines

from backemf.errors import SimulationError
from backemf.sims import webots
from backemf.sims.webots import controller

NAN, INF = float("nan"), float("inf")


# --- messages of refused calls


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda m: m.setPosition(NAN), "wb_motor_set_position() called with an invalid 'position' argument (NaN)."),
        (lambda m: m.setVelocity(NAN), "wb_motor_set_velocity() called with an invalid 'velocity' argument.(NaN)"),
        (
            lambda m: m.setVelocity(-1.0),
            "wb_motor_set_velocity() called with negative 'velocity' argument in position control mode (0).",
        ),
        (
            lambda m: m.setAcceleration(NAN),
            "wb_motor_set_acceleration() called with an invalid 'acceleration' argument (NaN).",
        ),
        (
            lambda m: m.setAcceleration(-2.0),
            "wb_motor_set_acceleration() called with negative 'acceleration' argument.",
        ),
        (
            lambda m: m.setAvailableTorque(NAN),
            "wb_motor_set_available_force() called with an invalid 'force' argument (NaN).",
        ),
        (
            lambda m: m.setAvailableForce(-1.0),
            "wb_motor_set_available_force() called with negative 'force' argument.",
        ),
        (lambda m: m.setTorque(NAN), "wb_motor_set_force() called with an invalid 'force' argument (NaN)."),
        (lambda m: m.setForce(NAN), "wb_motor_set_force() called with an invalid 'force' argument (NaN)."),
        (
            lambda m: m.setControlPID(0.0, 0.0, 0.0),
            "wb_motor_set_control_pid() called with negative or zero 'p' argument.",
        ),
        (lambda m: m.setControlPID(1.0, -1.0, 0.0), "wb_motor_set_control_pid() called with negative 'i' argument."),
        (lambda m: m.setControlPID(1.0, 0.0, -1.0), "wb_motor_set_control_pid() called with negative 'd' argument."),
        (
            lambda m: m.setControlPID(NAN, 0.0, 0.0),
            "wb_motor_set_control_pid() called with an invalid 'p' argument (nan).",
        ),
        (
            lambda m: m.setControlPID(1.0, INF, 0.0),
            "wb_motor_set_control_pid() called with an invalid 'i' argument (inf).",
        ),
        (
            lambda m: m.enableTorqueFeedback(-1),
            "wb_motor_enable_force_feedback() called with negative sampling period.",
        ),
        (
            lambda m: m.enableForceFeedback(-8),
            "wb_motor_enable_force_feedback() called with negative sampling period.",
        ),
    ],
)
def test_a_refused_call_says_why_and_changes_nothing(call, said, capsys) -> None:
    """Webots' library prints one line and ignores the call; nothing is raised."""
    with begun() as (robot, simulation):
        motor = robot.getDevice("hip")
        before = vars(motor).copy()
        call(motor)
        assert lines(capsys) == [f"Error: {said}"]
        assert vars(motor) == before
        axis = simulation.axes[0]
        asked = axis.target_position, axis.target_velocity, axis.available, axis.torque_mode, axis.control_p
        robot.step(32)
        assert asked == (
            axis.target_position, axis.target_velocity, axis.available, axis.torque_mode, axis.control_p,
        )  # fmt: skip


@pytest.mark.parametrize(
    ("call", "said", "name", "value"),
    [
        (lambda m: m.setPosition(5.0), "too big requested position: 5 > 2", "target_position", 2.0),
        (lambda m: m.setPosition(-5.0), "too low requested position: -5 < -1", "target_position", -1.0),
        (lambda m: m.setVelocity(9.5), "The requested velocity 9.5 exceeds 'maxVelocity' = 8.", "target_velocity", 8.0),
        (lambda m: m.setVelocity(INF), "The requested velocity inf exceeds 'maxVelocity' = 8.", "target_velocity", 8.0),
        (lambda m: m.setTorque(-7.0), "The requested motor torque -7 exceeds 'maxTorque' = 5", "torque", -5.0),
        (lambda m: m.setTorque(INF), "The requested motor torque inf exceeds 'maxTorque' = 5", "torque", 5.0),
        (
            lambda m: m.setAvailableTorque(INF),
            "The requested available motor torque inf exceeds 'maxTorque' = 5",
            "available",
            5.0,
        ),
    ],
)
def test_a_command_beyond_a_limit_is_clipped_with_a_warning(call, said, name, value, capsys) -> None:
    """The limit is kept when the command arrives, with the next step."""
    with begun(hip('min_position = "-1 rad", max_position = "2 rad"')) as (robot, simulation):
        call(robot.getDevice("hip"))
        assert lines(capsys) == []
        robot.step(32)
        assert lines(capsys) == [f'WARNING: RotationalMotor "hip": {said}']
        assert getattr(simulation.axes[0], name) == value


def test_a_linear_motor_speaks_of_forces(capsys) -> None:
    """`maxForce` is the limit of a LinearMotor."""
    with begun(webots.robot_from_toml(RAIL)) as (robot, _):
        motor = robot.getDevice("slide")
        motor.setForce(60.0)
        motor.setAvailableForce(70.0)
        robot.step(32)
        assert lines(capsys) == [
            "WARNING: LinearMotor \"slide\": The requested available motor force 70 exceeds 'maxForce' = 50",
            "WARNING: LinearMotor \"slide\": The requested motor force 60 exceeds 'maxForce' = 50",
        ]
        assert motor.getType() == motor.type == controller.Motor.LINEAR == 1
        assert motor.getNodeType() == controller.Node.LINEAR_MOTOR


def test_infinite_and_endless_accelerations_are_taken(capsys) -> None:
    """An infinite acceleration is none, as -1 is."""
    for acceleration in (INF, -1.0, 0.0):
        with begun() as (robot, simulation):
            motor = robot.getDevice("hip")
            motor.setAcceleration(acceleration)
            motor.setPosition(1.0)
            robot.step(32)
            assert motor.getAcceleration() == acceleration
            assert simulation.axes[0].velocity == (0.0 if acceleration == 0.0 else 8.0)
    assert lines(capsys) == []


def test_what_is_no_number_is_refused_as_by_ctypes() -> None:
    """Webots' library would raise a TypeError there, too."""
    with begun() as (robot, _):
        motor = robot.getDevice("hip")
        for call in (motor.setPosition, motor.setVelocity, motor.setTorque, motor.setAcceleration):
            with pytest.raises(TypeError):
                call("1.0")
        with pytest.raises(TypeError, match="whole number of milliseconds"):
            motor.enableTorqueFeedback(32.5)
        motor.setPosition(np.float64(0.25))
        motor.setVelocity(1)
        assert (motor.target_position, motor.target_velocity) == (0.25, 1.0)


# --- values of a motor


def test_a_motor_reads_back_what_it_was_told() -> None:
    """The raw arguments, not what the limits make of them."""
    with begun(hip('min_position = "-1 rad", max_position = "2 rad"')) as (robot, _):
        motor = robot.getDevice("hip")
        assert (motor.getTargetPosition(), motor.getVelocity(), motor.getAvailableTorque()) == (0.0, 8.0, 5.0)
        motor.setPosition(7.0)
        motor.setVelocity(20.0)
        motor.setAvailableTorque(9.0)
        robot.step(32)
        assert (motor.getTargetPosition(), motor.target_position) == (7.0, 7.0)
        assert (motor.getVelocity(), motor.target_velocity) == (20.0, 20.0)
        assert (motor.getAvailableForce(), motor.available_force, motor.available_torque) == (9.0, 9.0, 9.0)
        motor.setAcceleration(3.0)
        assert (motor.getAcceleration(), motor.target_acceleration) == (3.0, 3.0)


def test_constants_of_a_motor() -> None:
    """Limits, multiplier, type and the devices beside it."""
    with begun(hip('min_position = "-1 rad", max_position = "2 rad", multiplier = 1.5')) as (robot, _):
        motor = robot.getDevice("hip")
        assert (motor.getMinPosition(), motor.min_position) == (-1.0, -1.0)
        assert (motor.getMaxPosition(), motor.max_position) == (2.0, 2.0)
        assert (motor.getMaxVelocity(), motor.max_velocity) == (8.0, 8.0)
        assert motor.getMaxForce() == motor.max_force == motor.getMaxTorque() == motor.max_torque == 5.0
        assert (motor.getMultiplier(), motor.multiplier) == (1.5, 1.5)
        assert motor.getType() == motor.type == controller.Motor.ROTATIONAL == 0
        assert motor.getNodeType() == motor.node_type == controller.Node.ROTATIONAL_MOTOR
        assert (motor.getName(), motor.name, motor.getModel(), motor.model) == ("hip", "hip", "", "")
        assert motor.getBrake() is motor.brake is robot.getDevice("hip brake")
        assert motor.getPositionSensor() is motor.position_sensor is robot.getDevice("hip sensor")


def test_properties_set_what_methods_set() -> None:
    """`force` and `torque` can only be written."""
    with begun() as (robot, simulation):
        motor = robot.getDevice("hip")
        motor.target_position, motor.target_velocity, motor.target_acceleration = 0.5, 2.0, 4.0
        motor.available_torque = 3.0
        motor.torque_feedback_sampling_period = 64
        robot.step(32)
        axis = simulation.axes[0]
        assert (axis.target_position, axis.target_velocity, axis.acceleration, axis.available) == (0.5, 2.0, 4.0, 3.0)
        assert motor.getForceFeedbackSamplingPeriod() == motor.force_feedback_sampling_period == 64
        motor.force = 1.0
        motor.torque = 2.0
        robot.step(32)
        assert (axis.torque, axis.torque_mode) == (2.0, 1.0)
        with pytest.raises(AttributeError):
            _ = motor.torque


def test_calls_arrive_in_their_own_order() -> None:
    """A torque wins over a position of the same step, whichever was called last."""
    with begun() as (robot, simulation):
        motor = robot.getDevice("hip")
        motor.setTorque(1.0)
        motor.setPosition(0.5)
        robot.step(32)
        axis = simulation.axes[0]
        assert (axis.torque_mode, axis.target_position) == (1.0, 0.5)
        # the available torque comes before the torque, the last value of each wins
        motor.setTorque(4.0)
        motor.setAvailableTorque(2.0)
        motor.setTorque(3.0)
        robot.step(32)
        assert axis.torque == 2.0
        motor.setPosition(0.5)
        robot.step(32)
        assert axis.torque_mode == 0.0


def test_a_negative_velocity_needs_an_endless_position_first(capsys) -> None:
    """It is refused when it is called, by the position that was called before it."""
    with begun() as (robot, simulation):
        motor = robot.getDevice("hip")
        motor.setVelocity(-2.0)
        motor.setPosition(INF)
        motor.setVelocity(-3.0)
        robot.step(32)
        assert simulation.axes[0].target_velocity == -3.0
        assert len(lines(capsys)) == 1


def test_new_gains_make_the_pid_forget() -> None:
    """Integral and previous error are 0 after setControlPID, and after nothing else."""
    with begun(hip("control_pid = [5, 1, 0.1]")) as (robot, simulation):
        motor, axis = robot.getDevice("hip"), simulation.axes[0]
        motor.setPosition(1.0)
        robot.step(320)
        assert axis.integral != 0.0
        was = axis.integral
        motor.setPosition(axis.position)
        robot.step(0)
        assert axis.integral == was
        motor.setControlPID(4.0, 2.0, 0.0)
        robot.step(0)
        assert (axis.integral, axis.previous_error) == (0.0, 0.0)
        assert (axis.control_p, axis.control_i, axis.control_d) == (4.0, 2.0, 0.0)


def test_gains_that_are_the_same_change_nothing() -> None:
    """A field that is set to the value it has is not set: the PID keeps its integral, and the target its raw value."""
    with begun(hip('control_pid = [5, 1, 0.1], max_position = "2 rad"')) as (robot, simulation):
        motor, axis = robot.getDevice("hip"), simulation.axes[0]
        motor.setPosition(7.0)
        robot.step(320)
        was = axis.integral
        motor.setControlPID(5.0, 1.0, 0.1)
        motor.setAcceleration(-1.0)
        robot.step(0)
        assert (axis.integral, motor.getTargetPosition()) == (was, 7.0) and was != 0.0


@pytest.mark.parametrize("call", [lambda m: m.setControlPID(4.0, 2.0, 0.0), lambda m: m.setAcceleration(3.0)])
def test_changed_gains_or_acceleration_read_back_what_the_limits_made_of_the_commands(call) -> None:
    """They configure the motor anew: target and velocity come back multiplied and clipped, the torque clipped."""
    limits = 'min_position = "-1 rad", max_position = "2 rad", multiplier = 1.5'
    with begun(hip(limits)) as (robot, _):
        motor = robot.getDevice("hip")
        motor.setPosition(1.0)
        motor.setVelocity(20.0)
        motor.setAvailableTorque(9.0)
        call(motor)
        # not before the step
        assert (motor.getTargetPosition(), motor.getVelocity(), motor.getAvailableTorque()) == (1.0, 20.0, 9.0)
        robot.step(32)
        assert (motor.getTargetPosition(), motor.getVelocity(), motor.getAvailableTorque()) == (1.5, 8.0, 5.0)
        motor.setPosition(7.0)
        robot.step(32)
        assert motor.getTargetPosition() == 7.0


def test_webots_own_motor_test() -> None:
    """Its sequence of calls, with the figures it holds: 1.51 is read back of 100, and 1.18212 rad is recorded."""
    robot = webots.robot_from_toml(
        """
    [[joint]]
    inertia = "0.005 kg*m^2"
    motor = { name = "motor", acceleration = "5 rad/s^2", max_velocity = "20 rad/s", min_position = "-1.63 rad", \
              max_position = "1.51 rad", max_torque = "100 N*m" }
    sensor = { name = "sensor" }
    """.replace("\\\n", "")
    )
    with begun(robot) as (script, _):
        motor = script.getDevice("motor")
        sensor = motor.getPositionSensor()
        script.step(32)
        assert math.isnan(motor.getTorqueFeedback()) and motor.getTorqueFeedbackSamplingPeriod() == 0
        assert (motor.getMinPosition(), motor.getMaxPosition(), motor.getAcceleration()) == (-1.63, 1.51, 5.0)
        assert motor.getVelocity() == motor.getMaxVelocity() == 20.0
        assert motor.getAvailableTorque() == motor.getMaxTorque() == 100.0
        sensor.enable(32)
        motor.enableTorqueFeedback(32)
        motor.setControlPID(15.0, 5.0, 1.0)
        motor.setAvailableTorque(50.0)
        motor.setPosition(100)
        script.step(32)
        assert motor.getTargetPosition() == 1.51
        for _ in range(20):
            script.step(32)
        assert sensor.getValue() == pytest.approx(1.18212, abs=5e-6)
        assert (motor.getVelocity(), motor.getMaxVelocity()) == (20.0, 20.0)
        assert (motor.getAvailableTorque(), motor.getMaxTorque()) == (50.0, 100.0)
        motor.setVelocity(18.0)
        motor.setAcceleration(4.8)
        script.step(32)
        assert (motor.getAcceleration(), motor.getVelocity(), motor.getMaxVelocity()) == (4.8, 18.0, 20.0)


# --- feedback


def test_feedback_is_there_one_period_after_it_is_enabled() -> None:
    """NaN before; then a new value at every period."""
    with begun() as (robot, simulation):
        motor = robot.getDevice("hip")
        motor.setPosition(1.0)
        assert math.isnan(motor.getTorqueFeedback())
        motor.enableTorqueFeedback(64)
        robot.step(32)
        assert math.isnan(motor.torque_feedback)
        robot.step(32)
        first = motor.getTorqueFeedback()
        assert first == simulation.axes[0].feedback
        robot.step(32)
        assert motor.getForceFeedback() == motor.force_feedback == first != simulation.axes[0].feedback
        motor.disableTorqueFeedback()
        robot.step(64)
        assert (motor.getTorqueFeedback(), motor.getTorqueFeedbackSamplingPeriod()) == (first, 0)


def test_feedback_has_nothing_of_a_commanded_torque_but_the_total_has() -> None:
    """`getTotalTorque` is not in Webots."""
    with begun() as (robot, _):
        motor = robot.getDevice("hip")
        motor.enableForceFeedback(32)
        motor.setForce(1.5)
        robot.step(32)
        assert motor.getTorqueFeedback() == 0.0
        assert motor.getTotalTorque() == motor.total_torque == 1.5
        motor.disableForceFeedback()
        motor.setPosition(0.5)
        robot.step(32)
        assert motor.getTotalTorque() != 0.0


def test_the_joint_has_a_velocity_of_its_own() -> None:
    """`getVelocity` gives back what was commanded; `getJointVelocity`, which is not in Webots, what the joint does."""
    with begun() as (robot, _):
        motor, sensor = robot.getDevice("hip"), robot.getDevice("hip sensor")
        sensor.enable(32)
        motor.setPosition(INF)
        motor.setVelocity(4.0)
        motor.setAvailableTorque(0.5)
        robot.step(32)
        before = sensor.getValue()
        robot.step(32)
        # a step of the hinge is 2·atan(w·dt/2)
        assert motor.getJointVelocity() == pytest.approx(
            2 / 0.032 * math.tan((sensor.getValue() - before) / 2), rel=1e-12
        )
        assert 0.0 < motor.joint_velocity < motor.getVelocity() == 4.0


def test_feedback_needs_physics(capsys) -> None:
    """Webots says so, and there is no value."""
    with begun(webots.robot_from_toml('[[joint]]\nphysics = false\nmotor = { name = "hip" }')) as (robot, _):
        motor = robot.getDevice("hip")
        motor.enableTorqueFeedback(32)
        robot.step(32)
        assert lines(capsys) == [
            'WARNING: RotationalMotor "hip": wb_motor_enable_torque_feedback(): cannot be invoked for a Joint whose '
            "end point has no Physics node."
        ]
        assert math.isnan(motor.getTorqueFeedback()) and motor.getTorqueFeedbackSamplingPeriod() == 32


# --- sensors and brakes


def test_a_sensor_measures_at_its_period(capsys) -> None:
    """NaN before the first sample; a disabled sensor says so and keeps its value."""
    disabled = (
        "Error: wb_position_sensor_get_value() called for a disabled device! Please use: wb_position_sensor_enable()."
    )
    with begun() as (robot, simulation):
        motor, sensor = robot.getDevice("hip"), robot.getDevice("hip sensor")
        assert math.isnan(sensor.getValue())
        assert lines(capsys) == [disabled]
        motor.setPosition(1.0)
        sensor.enable(64)
        assert math.isnan(sensor.value) and sensor.getSamplingPeriod() == sensor.sampling_period == 64
        robot.step(32)
        assert math.isnan(sensor.getValue())
        robot.step(32)
        assert sensor.getValue() == simulation.axes[0].position != 0.0
        sensor.enable(-5)
        assert lines(capsys) == ["Error: wb_position_sensor_enable() called with negative sampling period."]
        kept = sensor.getValue()
        sensor.disable()
        robot.step(64)
        assert (sensor.getValue(), sensor.getSamplingPeriod()) == (kept, 0)
        assert lines(capsys) == [disabled]


def test_a_period_that_is_no_multiple_of_the_step_is_rounded_up_with_a_hint(capsys) -> None:
    """Values come at the first step that is not before the period."""
    with begun(hints=True) as (robot, simulation):
        sensor, motor = robot.getDevice("hip sensor"), robot.getDevice("hip")
        sensor.enable(50)
        motor.setPosition(1.0)
        seen = []
        for _ in range(4):
            robot.step(32)
            seen.append(sensor.getValue() == simulation.axes[0].position)
        assert seen == [False, True, False, True]
        assert lines(capsys) == [
            'Hint: PositionSensor "hip sensor": a sampling period of 50 ms is no multiple of the basic time step of '
            "32 ms, so that values come every 64 ms."
        ]


def test_a_sensor_has_noise_and_a_resolution() -> None:
    """Noise first, then the nearest step; the same seed gives the same noise."""
    text = (
        '[[joint]]\ninertia = "1 kg*m^2"\nmotor = { name = "m" }\n'
        'sensor = { name = "s", noise = "0.3 rad", resolution = "0.25 rad" }'
    )

    def measured(seed: int) -> list[float]:
        with begun(webots.robot_from_toml(text), seed=seed) as (robot, _):
            sensor = robot.getDevice("s")
            sensor.enable(32)
            return [sensor.getValue() for _ in range(20) if robot.step(32) == 0]

    values = measured(1)
    assert all(value / 0.25 == round(value / 0.25) for value in values) and len(set(values)) > 2
    assert measured(1) == values != measured(2)


def test_a_sensor_made_by_its_name_enables_itself() -> None:
    """At the basic time step, or at the period that is given; it is the same device."""
    with begun() as (robot, _):
        sensor = controller.PositionSensor("hip sensor")
        assert sensor.getSamplingPeriod() == 32 == robot.getDevice("hip sensor").getSamplingPeriod()
        assert controller.PositionSensor("hip sensor", 96).sampling_period == 96
        assert controller.PositionSensor(2).getName() == "hip sensor"
        sensor.sampling_period = None
        assert sensor.sampling_period == 0
        motor = controller.Motor("hip")
        motor.setPosition(0.75)
        assert robot.getDevice("hip").getTargetPosition() == 0.75


def test_devices_of_a_joint_know_each_other() -> None:
    """Sensor and brake name their motor, and each other."""
    with begun() as (robot, _):
        motor, sensor, brake = (robot.getDevice(name) for name in ("hip", "hip sensor", "hip brake"))
        assert sensor.getMotor() is sensor.motor is brake.getMotor() is brake.motor is motor
        assert sensor.getBrake() is sensor.brake is brake
        assert brake.getPositionSensor() is brake.position_sensor is sensor
        assert sensor.getType() == sensor.type == controller.PositionSensor.ROTATIONAL == 0
        assert brake.getType() == brake.type == controller.Brake.ROTATIONAL == 0
        assert (controller.PositionSensor.LINEAR, controller.Brake.LINEAR) == (1, 1)
        assert sensor.getNodeType() == controller.Node.POSITION_SENSOR == 52
        assert brake.getNodeType() == controller.Node.BRAKE == 37


def test_devices_that_are_not_there_are_none() -> None:
    """A joint without a brake has none."""
    with begun(webots.robot_from_toml(RAIL)) as (robot, _):
        assert robot.getDevice("slide").getBrake() is None
        assert robot.getDevice("slide sensor").getBrake() is None
        assert robot.getDevice("slide sensor").type == 1


def test_a_brake_adds_damping() -> None:
    """A joint that coasts with damping d loses the share ts·d/(J + ts·d) of its speed in a step."""
    with begun(hip()) as (robot, simulation):
        motor, brake, axis = robot.getDevice("hip"), robot.getDevice("hip brake"), simulation.axes[0]
        motor.setPosition(INF)
        motor.setVelocity(4.0)
        robot.step(320)
        motor.setTorque(0.0)
        brake.setDampingConstant(0.35)
        before = axis.speed
        robot.step(32)
        heavy = 0.02 + 0.032 * (0.05 + 0.35)
        assert axis.speed == pytest.approx(before * 0.02 / heavy, rel=1e-12)
        brake.dampingConstant = 0.0
        before = axis.speed
        robot.step(32)
        assert axis.speed == pytest.approx(before * 0.02 / (0.02 + 0.032 * 0.05), rel=1e-12)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (NAN, "called with an invalid 'damping_constant' argument (NaN)."),
        (-1.0, "called with 'damping_constant' = -1, which must be 0 or more and finite."),
        (INF, "called with 'damping_constant' = inf, which must be 0 or more and finite."),
    ],
)
def test_a_brake_refuses_what_makes_no_sense(value, said, capsys) -> None:
    with begun() as (robot, simulation):
        robot.getDevice("hip brake").setDampingConstant(value)
        assert lines(capsys) == [f"Error: wb_brake_set_damping_constant() {said}"]
        robot.step(32)
        assert simulation.axes[0].brake == 0.0


# --- devices that do not exist


def test_an_unknown_device_is_none_with_a_message(capsys) -> None:
    with begun() as (robot, _):
        assert robot.getDevice("knee") is None
        assert lines(capsys) == ['Device "knee" was not found on robot "leg"']


def test_a_device_made_by_an_unknown_name_says_so_at_every_call(capsys) -> None:
    """As Webots' library does with an invalid tag; nothing is raised."""
    with begun():
        motor = controller.Motor("knee")
        assert lines(capsys) == ['Warning: "knee" device not found.']
        motor.setPosition(1.0)
        motor.setControlPID(1.0, 0.0, 0.0)
        motor.torque = 1.0
        assert math.isnan(motor.getVelocity()) and math.isnan(motor.max_position)
        assert motor.getType() == 0 and motor.getPositionSensor() is None
        sensor = controller.PositionSensor("knee sensor")
        assert math.isnan(sensor.getValue()) and sensor.getSamplingPeriod() == 0
        controller.Brake("").setDampingConstant(1.0)
        assert lines(capsys) == [
            "Error: wb_motor_set_position(): invalid device tag.",
            "Error: wb_motor_set_control_pid(): invalid device tag.",
            "Error: wb_motor_set_torque(): invalid device tag.",
            "Error: wb_motor_get_velocity(): invalid device tag.",
            "Error: wb_motor_get_max_position(): invalid device tag.",
            "Error: wb_motor_get_type(): invalid device tag.",
            "Error: wb_motor_get_position_sensor(): invalid device tag.",
            'Warning: "knee sensor" device not found.',
            "Error: wb_position_sensor_get_value(): invalid device tag.",
            "Error: wb_position_sensor_get_sampling_period(): invalid device tag.",
            "Error: wb_robot_get_device() called with NULL or empty argument.",
            "Error: wb_brake_set_damping_constant(): invalid device tag.",
        ]


def test_a_device_of_another_kind_is_not_taken_for_it(capsys) -> None:
    """A sensor's name does not make a motor."""
    with begun():
        controller.Motor("hip sensor").setPosition(1.0)
        assert lines(capsys) == ["Error: wb_motor_set_position(): invalid device tag."]


# --- the robot


def test_the_robot_lists_its_devices(capsys) -> None:
    """In the order of the file."""
    with begun() as (robot, _):
        assert list(robot.devices) == ["hip", "hip sensor", "hip brake"]
        assert robot.getNumberOfDevices() == robot.number_of_devices == 3
        assert [robot.getDeviceByIndex(i).getName() for i in range(3)] == list(robot.devices)
        assert robot.getDeviceByIndex(3) is None and robot.getDeviceByIndex(-1) is None
        assert lines(capsys) == ["Error: The index of wb_robot_get_device_by_index() is out of the bounds."] * 2


def test_deprecated_getters_still_give_devices(capsys) -> None:
    with begun() as (robot, _):
        assert robot.getMotor("hip") is robot.getDevice("hip")
        assert robot.getPositionSensor("hip sensor") is robot.getDevice("hip sensor")
        assert robot.getBrake("hip brake") is robot.getDevice("hip brake")
        assert lines(capsys) == [
            f"DEPRECATION: Robot.{name} is deprecated, please use Robot.getDevice instead."
            for name in ("getMotor", "getPositionSensor", "getBrake")
        ]


def test_time_goes_on_by_steps_until_the_end() -> None:
    """0 for every step, -1 at the end, and then the controller is ended, as Webots does."""
    with begun(duration=0.128) as (robot, _):
        assert robot.getBasicTimeStep() == robot.basic_time_step == 32.0
        assert robot.getTime() == robot.time == 0.0
        assert [robot.step(), robot.step(32), robot.step(64)] == [0, 0, 0]
        assert robot.getTime() == pytest.approx(0.128, abs=1e-12)
        assert robot.step(32) == -1
        with pytest.raises(SystemExit) as stop:
            robot.step(32)
        assert stop.value.code == 0


def test_step_begin_and_step_end_are_a_step_in_two(capsys) -> None:
    """What is called between them is for the next step."""
    with begun(duration=0.096) as (robot, simulation):
        motor = robot.getDevice("hip")
        assert robot.stepBegin(32) == 0
        motor.setPosition(1.0)
        assert robot.stepEnd() == 0
        assert simulation.axes[0].target_position == 0.0 and robot.getTime() == 0.032
        assert robot.stepBegin() == 0 and robot.stepEnd() == 0
        assert simulation.axes[0].target_position == 1.0
        assert lines(capsys) == []
        robot.stepEnd()
        robot.stepBegin(32)
        robot.stepBegin(32)
        robot.step(32)
        assert lines(capsys) == [
            "Warning: robot_step_end() called multiple times before calling wb_robot_step_begin().",
            "Warning: robot_step_begin() called multiple times before calling wb_robot_step_end().",
            "Warning: wb_robot_step() called before calling wb_robot_step_end().",
            "Warning: robot_step_begin() called multiple times before calling wb_robot_step_end().",
        ]
        assert robot.stepBegin(32) == -1


def test_a_step_that_is_no_multiple_is_rounded_up_with_a_hint(capsys) -> None:
    with begun(hints=True) as (robot, _):
        assert robot.step(50) == 0
        assert robot.getTime() == pytest.approx(0.064, abs=1e-12)
        assert lines(capsys) == [
            "Hint: step(50): the duration must be a multiple of the basic time step of 32 ms; 64 ms are simulated."
        ]
        with pytest.raises(TypeError, match=r"32.0: must be a whole number of milliseconds"):
            robot.step(32.0)
        with pytest.raises(ValueError, match=r"step\(-32\): a step takes 0 ms or more"):
            robot.step(-32)


def test_words_and_modes_of_the_robot(capsys) -> None:
    with begun() as (robot, _):
        assert (robot.getName(), robot.name, robot.getModel(), robot.model) == ("leg", "leg", "", "")
        assert robot.getMode() == robot.mode == controller.Robot.MODE_SIMULATION == 0
        assert robot.getSupervisor() is False and robot.getSynchronization() is True
        robot.setMode(7, "")
        assert lines(capsys) == ["Error: wb_robot_set_mode() cannot set mode to 7."]
        with pytest.raises(AttributeError, match="there is no getLaser in Webots' Robot"):
            robot.getLaser("laser")


def test_there_is_one_robot(capsys) -> None:
    """A second one is an error message, and it shares the time of the first."""
    with begun() as (robot, _):
        other = controller.Robot()
        assert lines(capsys) == ["Error: only one Robot instance can be created per controller process."]
        other.step(32)
        assert robot.getTime() == 0.032
        with pytest.raises(AttributeError):
            _ = other.devices


def test_without_a_simulation_there_is_no_robot() -> None:
    with pytest.raises(
        SimulationError, match="Robot: no simulation is running: run the script by `backemf webots run`"
    ):
        controller.Robot()


def test_a_supervisor_may_end_the_run() -> None:
    with webots.simulate(hip(), duration=10.0):
        robot = controller.Supervisor()
        assert robot.getSupervisor() is True
        assert robot.getSelf().getType() == controller.Node.ROBOT and robot.getSelf().getName() == "leg"
        assert robot.simulationGetMode() == controller.Supervisor.SIMULATION_MODE_FAST
        robot.simulationSetMode(controller.Supervisor.SIMULATION_MODE_REAL_TIME)
        assert robot.simulation_mode == controller.Supervisor.SIMULATION_MODE_REAL_TIME
        assert robot.step(32) == 0
        robot.simulationQuit(0)
        assert robot.step(32) == -1


# --- the battery


def test_the_battery_pays_for_torque_and_computer(capsys) -> None:
    """Power is |feedback|·consumptionFactor and the computer's; empty, it leaves no torque and freezes the sensors."""
    text = 'battery = ["5 J", "10 J", "0 W"]\ncpu_consumption = "20 W"\n' + hip_text(
        'consumption_factor = "10 W/(N*m)"'
    )
    with begun(webots.robot_from_toml(text)) as (robot, simulation):
        motor, sensor = robot.getDevice("hip"), robot.getDevice("hip sensor")
        motor.enableTorqueFeedback(32)
        sensor.enable(32)
        assert math.isnan(robot.batterySensorGetValue())
        assert lines(capsys) == [
            "Error: wb_robot_battery_sensor_get_value() called for a disabled device! "
            "Please use: wb_robot_battery_sensor_enable()."
        ]
        robot.batterySensorEnable(32)
        assert robot.batterySensorGetSamplingPeriod() == robot.battery_sensor_sampling_period == 32
        assert robot.batterySensorGetValue() == -1.0
        motor.setPosition(1.0)
        robot.step(32)
        left = 5.0 - 0.032 * (20.0 + 10.0 * abs(motor.getTorqueFeedback()))
        assert robot.batterySensorGetValue() == pytest.approx(left, rel=1e-12)
        while simulation.energy > 0.0:
            robot.step(32)
        assert lines(capsys) == ['INFO: Robot "leg": Battery is empty.']
        assert robot.batterySensorGetValue() == 0.0 and simulation.axes[0].available == 0.0
        kept = sensor.getValue()
        motor.setTorque(1.0)
        robot.step(320)
        assert sensor.getValue() == kept
        robot.batterySensorDisable()
        assert robot.batterySensorGetSamplingPeriod() == 0
        robot.batterySensorEnable(-1)
        assert lines(capsys)[-1] == "Error: wb_robot_battery_sensor_enable() called with negative sampling period."


def test_a_robot_without_a_battery_measures_minus_one() -> None:
    with begun() as (robot, _):
        robot.batterySensorEnable(32)
        robot.step(32)
        assert robot.batterySensorGetValue() == -1.0


def hip_text(more: str) -> str:
    from webots_rig import HIP

    return HIP % f", {more}"


# --- coupled motors


def test_coupled_motors_get_the_same_command_each_with_its_multiplier() -> None:
    """Position, velocity and torque are relayed; available torque, acceleration and gains are not."""
    with begun(webots.robot_from_toml(PAIR % ("", ""))) as (robot, simulation):
        left, right = robot.getDevice("wheel::left"), robot.getDevice("wheel::right")
        first, second = simulation.axes
        right.setPosition(0.5)
        robot.step(32)
        assert (first.target_position, second.target_position) == (1.0, -0.5)
        assert left.getTargetPosition() == 1.0 and right.getTargetPosition() == 0.5
        left.setPosition(INF)
        left.setVelocity(3.0)
        left.setAvailableTorque(1.0)
        left.setAcceleration(2.0)
        left.setControlPID(1.0, 0.0, 0.0)
        robot.step(32)
        assert (first.target_velocity, second.target_velocity) == (6.0, -3.0)
        assert math.isinf(second.target_position) and right.getVelocity() == -3.0
        assert (second.available, second.acceleration, second.control_p) == (10.0, -1.0, 10.0)
        left.setTorque(0.4)
        robot.step(32)
        assert (first.torque, second.torque) == (0.8, -0.4) and second.torque_mode == 1.0


def test_the_last_device_wins_where_siblings_are_told_different_things() -> None:
    """Commands are sent device by device, and each is relayed."""
    with begun(webots.robot_from_toml(PAIR % ("", ""))) as (robot, simulation):
        robot.getDevice("wheel::left").setPosition(0.1)
        robot.getDevice("wheel::right").setPosition(0.3)
        robot.step(32)
        assert [axis.target_position for axis in simulation.axes] == [0.6, -0.3]


def test_torques_beyond_the_limit_of_coupled_motors_are_silent(capsys) -> None:
    with begun(webots.robot_from_toml(PAIR % ("", ""))) as (robot, simulation):
        robot.getDevice("wheel::left").setTorque(8.0)
        robot.step(32)
        assert lines(capsys) == [] and simulation.axes[0].torque == 10.0


def test_contradictory_limits_of_coupled_motors_are_made_consistent_with_warnings(capsys) -> None:
    """The first motor's limits hold, by the ratio of the multipliers."""
    limits = ', min_position = "-2 rad", max_position = "4 rad"'
    robot = webots.robot_from_toml(PAIR % (limits, ', min_position = "-1 rad", max_position = "1 rad"'))
    with begun(robot) as (_, simulation):
        second = simulation.axes[1].motor
        assert (second.min_position, second.max_position, second.max_velocity) == (-2.0, 1.0, 5.0)
        assert lines(capsys) == [
            "WARNING: When using coupled motors, 'minPosition' must be consistent across devices. Adjusting "
            "'minPosition' from -1 to -2 for motor 'wheel::left'."
        ]


# --- hints


HINT = (
    'Hint: Motor "hip": setVelocity(2) limits the speed on the way to a target position, and no position was set, so '
    "the motor stays where it was loaded; to turn on and on, call setPosition(float('inf')) first."
)


def test_velocities_without_any_position_get_one_hint(capsys) -> None:
    """At the second one, and never twice."""
    with begun(hints=True) as (robot, _):
        motor = robot.getDevice("hip")
        for velocity in (1.0, 2.0, 3.0):
            motor.setVelocity(velocity)
            robot.step(32)
        assert lines(capsys) == [HINT]


def test_one_velocity_without_any_position_gets_its_hint_at_the_end(capsys) -> None:
    """Until then a position might still come."""
    with begun(hints=True, duration=0.32) as (robot, _):
        robot.getDevice("hip").setVelocity(2.0)
        while robot.step(32) != -1:
            assert lines(capsys) == []
        assert lines(capsys) == [HINT]


@pytest.mark.parametrize(
    "calls",
    [
        [("setVelocity", 2.0), ("setPosition", 1.5), ("setVelocity", 1.0)],
        [("setPosition", INF), ("setVelocity", 2.0), ("setVelocity", -2.0)],
        [("setPosition", 0.5), ("setVelocity", 2.0), ("setVelocity", 1.0)],
        [("setVelocity", 0.0), ("setVelocity", 0.0)],
        [("setVelocity", 2.0), ("setTorque", 1.0), ("setVelocity", 1.0)],
    ],
)
def test_ordinary_use_of_velocities_gets_no_hint(calls, capsys) -> None:
    """A limit before or after a position, velocity control, a motor at rest, and torque control."""
    with begun(hints=True, duration=0.32) as (robot, _):
        for name, value in calls:
            getattr(robot.getDevice("hip"), name)(value)
            robot.step(32)
        while robot.step(32) != -1:
            pass
        assert lines(capsys) == []
