"""What stands behind the devices: Webots' ideal motor, our full motor, joints of a MuJoCo model, and gears."""

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from webots_rig import RAIL, begun, hip, lines

import backemf as be
from backemf.errors import ParameterError
from backemf.sims import webots
from backemf.sims.webots.backends.axis import Axis
from backemf.sims.webots.backends.full_motor import Drive
from backemf.sims.webots.backends.on_mujoco import solve_bounded
from backemf.sims.webots.backends.straight import MEMORY, straight_control, straight_kinematic, straight_step
from backemf.sims.webots.compiled import command_laws, laws
from backemf.sims.webots.law import JointState, MotorState

INF = float("inf")


# --- the straight law


def drawn(draw: random.Random) -> tuple[webots.WebotsMotor, webots.WebotsJoint]:
    """A motor and a joint with all that they may have."""
    motor = webots.WebotsMotor(
        acceleration=draw.choice([-1.0, 3.0, 30.0]),
        control_p=draw.uniform(1, 20),
        control_i=draw.choice([0.0, 2.0]),
        control_d=draw.choice([0.0, 0.1]),
        max_torque=draw.choice([0.5, 50.0]),
        derivative=draw.choice(["source", "manual"]),
    )
    stops = {"min_stop": -0.4, "max_stop": 0.6} if draw.random() < 0.5 else {}
    joint = webots.WebotsJoint(
        kind=draw.choice(["hinge", "slider"]),
        position=draw.uniform(-0.3, 0.3),
        damping_constant=draw.choice([0.0, 0.3]),
        spring_constant=draw.choice([0.0, 4.0]),
        static_friction=draw.choice([0.0, 0.4]),
        **stops,
    )
    return motor, joint


def commanded(axis: Axis, draw: random.Random) -> None:
    if draw.random() < 0.3:
        axis.take_position(draw.choice([INF, -INF, draw.uniform(-1, 1)]))
    if draw.random() < 0.3:
        axis.take_velocity(draw.uniform(-5, 5))
    if draw.random() < 0.15:
        axis.take_available(draw.choice([0.0, 0.3]))
    if draw.random() < 0.1:
        axis.take_torque(draw.uniform(-1, 1))
    if draw.random() < 0.1:
        axis.brake = draw.uniform(0.0, 1.0)


@pytest.mark.parametrize("seed", range(12))
def test_the_straight_law_is_the_law(seed) -> None:
    """The straight line of floats does what `webots_step` does, to rounding, whatever is commanded."""
    draw = random.Random(seed)
    motor, joint = drawn(draw)
    axis = Axis(joint, motor, "m", 0.1, True)
    move = straight_step(motor, joint, 0.1, 0.016)
    for _ in range(60):
        commanded(axis, draw)
        load = draw.uniform(-0.5, 0.5)
        state, at = MotorState(*(getattr(axis, name) for name in MEMORY)), JointState(axis.position, axis.speed)
        after, there, feedback = laws("python").webots_step(
            motor, replace(joint, brake=axis.brake), state, at, 0.1, load, 0.016
        )
        move(axis, load)
        found = [getattr(axis, name) for name in MEMORY]
        assert found == pytest.approx(list(after), rel=1e-13, abs=1e-13)
        assert (axis.position, axis.speed, axis.feedback) == pytest.approx((*there, feedback), rel=1e-12, abs=1e-12)


def test_the_straight_control_is_the_laws() -> None:
    """It asks the engine for what `commanded_velocity` and `largest_torque` say."""
    draw = random.Random(5)
    motor, joint = drawn(draw)
    axis = Axis(joint, motor, "m", 0.1, True)
    control = straight_control(motor, joint, 0.016)
    for _ in range(40):
        commanded(axis, draw)
        axis.position += draw.uniform(-0.1, 0.1)
        state = MotorState(*(getattr(axis, name) for name in MEMORY))
        after = laws("python").commanded_velocity(motor, state, axis.position, 0.016)
        most = laws("python").largest_torque(joint, after)
        control(axis, 0.0)
        assert [getattr(axis, name) for name in MEMORY] == pytest.approx(list(after), rel=1e-13, abs=1e-15)
        assert axis.most == most
        assert axis.wanted == (0.0 if axis.torque_mode else pytest.approx(after.velocity, rel=1e-13))


def test_the_straight_kinematic_mode_is_the_laws() -> None:
    draw = random.Random(3)
    motor = webots.WebotsMotor(acceleration=5.0, min_position=-1.0, max_position=1.0)
    axis = Axis(webots.WebotsJoint(), motor, "m", None, False)
    move = straight_kinematic(motor, 0.016)
    for _ in range(60):
        if draw.random() < 0.2:
            axis.take_position(draw.choice([INF, -INF, draw.uniform(-0.9, 0.9)]))
        state = MotorState(*(getattr(axis, name) for name in MEMORY))
        after, position, _ = laws("python").kinematic_step(motor, state, axis.position, 0.016)
        move(axis, 0.0)
        assert [getattr(axis, name) for name in MEMORY] == list(after)
        assert axis.position == position


def test_commands_arrive_as_the_laws_of_commands_say() -> None:
    """Each command by itself is clipped as `commands` clips it."""
    draw = random.Random(11)
    motor = webots.WebotsMotor(multiplier=-1.5, min_position=-1.0, max_position=2.0, max_velocity=4.0, max_torque=3.0)
    rules = command_laws("python")
    axis = Axis(webots.WebotsJoint(), motor, "m", 1.0, True)
    axis.warn = lambda text: None
    for _ in range(200):
        state = MotorState(*(getattr(axis, name) for name in MEMORY))
        value = draw.uniform(0.0, 6.0) * draw.choice([1, 1, INF])
        which = draw.choice(["position", "velocity", "available", "torque"])
        wanted = getattr(rules, f"set_{which}")(motor, state, value)
        getattr(axis, f"take_{which}")(value)
        assert [getattr(axis, name) for name in MEMORY] == pytest.approx(list(wanted), rel=1e-14)


# --- ideal


def test_an_arm_is_held_against_its_weight() -> None:
    """The feedback of a motor that holds a level arm is m·g·l."""
    text = """
    [[joint]]
    inertia = "0.05 kg*m^2"
    mass = "0.5 kg"
    length = "0.4 m"
    position = "90 deg"
    motor = { name = "arm", max_torque = "20 N*m" }
    """
    with begun(webots.robot_from_toml(text)) as (robot, simulation):
        robot.getDevice("arm").setPosition(math.pi / 2)
        robot.step(320)
        assert simulation.axes[0].feedback == pytest.approx(0.5 * 9.81 * 0.4, rel=1e-3)


def test_a_joint_without_an_inertia_is_one_sentence() -> None:
    with (
        pytest.raises(ParameterError, match=r"robot.toml: what the joint of 'hip' moves is not known: give its"),
        begun(webots.robot_from_toml('[[joint]]\nmotor = { name = "hip" }')),
    ):
        pass


def test_a_joint_without_physics_moves_in_kinematic_mode() -> None:
    """The torque stands for an acceleration there: 0.5·10·(0.1 s)² and the steps of it."""
    with begun(webots.robot_from_toml('[[joint]]\nphysics = false\nmotor = { name = "hip" }')) as (robot, simulation):
        robot.getDevice("hip").setPosition(3.0)
        robot.step(96)
        ts = 0.032
        assert simulation.axes[0].position == pytest.approx(10.0 * ts * ts * (1 + 2 + 3), rel=1e-12)


# --- gears


GEARS = """
[[joint]]
name = "leader"
inertia = "0.02 kg*m^2"
motor = { name = "leader", max_torque = "50 N*m" }
[[joint]]
name = "follower"
inertia = "0.03 kg*m^2"
%s
sensor = { name = "follower sensor" }
[[coupling]]
leader = "leader"
follower = "follower"
ratio = 2.0
efficiency = %s
"""


def test_gears_carry_a_joint_along() -> None:
    """The follower is at ratio times the leader; without loss, the leader moves J + r²·J_f."""
    with begun(webots.robot_from_toml(GEARS % ("", "1.0"))) as (robot, simulation):
        motor, sensor = robot.getDevice("leader"), robot.getDevice("follower sensor")
        sensor.enable(32)
        motor.setTorque(1.4)
        robot.step(32)
        leader, follower = simulation.axes
        assert leader.speed == pytest.approx(0.032 * 1.4 / (0.02 + 4 * 0.03), rel=1e-12)
        assert sensor.getValue() == 2 * leader.position and follower.speed == 2 * leader.speed


def test_gears_lose_their_share_of_the_power_that_passes() -> None:
    """Driving counts 1/efficiency of the follower, being driven its efficiency."""
    with begun(webots.robot_from_toml(GEARS % ("", "0.8"))) as (robot, simulation):
        motor, leader = robot.getDevice("leader"), simulation.axes[0]
        motor.setTorque(1.0)
        robot.step(32)
        assert leader.speed == pytest.approx(0.032 / (0.02 + 4 * 0.03 / 0.8), rel=1e-12)
        for _ in range(20):
            robot.step(32)
        before = leader.speed
        motor.setTorque(-1.0)
        robot.step(32)
        # the follower pushes the leader on while it slows down
        assert leader.speed - before == pytest.approx(-0.032 / (0.02 + 4 * 0.03 * 0.8), rel=1e-12)


def test_a_load_of_the_follower_reaches_the_leader_through_the_gears() -> None:
    """Holding a torque on the follower takes ratio times of it; the efficiency decides when it gives way."""
    with begun(webots.robot_from_toml(GEARS % ('torque = "-3 N*m"', "0.75"))) as (robot, simulation):
        robot.getDevice("leader").setPosition(INF)
        robot.getDevice("leader").setVelocity(2.0)
        robot.step(640)
        assert simulation.axes[0].feedback == pytest.approx(2 * 3 / 0.75, rel=1e-3)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('leader = "leader"', 'leader = "boss"'), "there is no joint 'boss'; there are 'leader', 'follower'"),
        (
            ("efficiency = 1.0", "efficiency = 1.5"),
            "MechanicalCoupling.efficiency = 1.5: must be a finite number at most 1",
        ),
        (("ratio = 2.0", "ratio = 0.0"), "MechanicalCoupling.ratio = 0: must not be 0"),
        (("sensor = {", 'motor = { name = "m2" }\nsensor = {'), "there is no joint 'follower'"),
        (('follower = "follower"', 'follower = "leader"'), "must be another joint"),
    ],
)
def test_gears_that_cannot_be_are_one_sentence(change, said) -> None:
    with pytest.raises(ParameterError, match="coupling") as error:
        webots.robot_from_toml((GEARS % ("", "1.0")).replace(*change))
    assert said in str(error.value)


# --- our full motor


def drive(simulation) -> Drive:
    return simulation.behind._drives[0]


def with_motor(more: str = "", **changes) -> webots.RobotDescription:
    robot = hip(f'actuator = "maxon-re40-gp52c", supply = "24 V"{more}')
    return replace(robot, backend="motor", **changes)


def test_the_full_motor_follows_webots_velocity() -> None:
    """The velocity loop is within 10 % of the commanded velocity after three basic time steps, and settles."""
    with begun(with_motor()) as (robot, simulation):
        motor, axis = robot.getDevice("hip"), simulation.axes[0]
        motor.setPosition(INF)
        motor.setVelocity(2.0)
        robot.step(96)
        assert axis.speed == pytest.approx(2.0, rel=0.1)
        robot.step(320)
        assert axis.speed == pytest.approx(2.0, rel=1e-3)


def test_the_full_motor_reaches_a_position_and_warms_up() -> None:
    """What the ideal motor does not have: current, heat, and friction that the torque has to pay for."""
    with begun(with_motor()) as (robot, simulation):
        robot.getDevice("hip").setPosition(1.0)
        robot.step(32 * 60)
        axis = simulation.axes[0]
        assert axis.position == pytest.approx(1.0, abs=0.01)
        assert axis.temperature > 25.0 and math.isfinite(axis.current)


def test_the_back_emf_limits_the_speed() -> None:
    """With 3 V at the terminals no velocity above V/(N·Ke) is reached, whatever Webots allows."""
    robot = with_motor().with_joints(lambda joint: replace(joint, supply=3.0))
    with begun(robot) as (script, simulation):
        motor = script.getDevice("hip")
        motor.setPosition(INF)
        motor.setVelocity(8.0)
        script.step(32 * 60)
        real = be.load("maxon-re40-gp52c").motor
        assert real is not None
        top = 3.0 / (real.ratio * float(real.magnet.back_emf_constant))
        assert 0.8 * top < simulation.axes[0].speed < top


def test_the_available_torque_limits_the_full_motor() -> None:
    """The drive asks for no more than is available, and for none where none is."""
    with begun(with_motor()) as (robot, simulation):
        motor, axis = robot.getDevice("hip"), simulation.axes[0]
        motor.setAvailableTorque(1.0)
        motor.setPosition(INF)
        motor.setVelocity(8.0)
        robot.step(32)
        real = drive(simulation).actuator.motor
        assert real is not None
        assert abs(axis.current) * float(real.magnet.torque_constant) * real.ratio <= 1.0 + 1e-9
        motor.setAvailableTorque(0.0)
        robot.step(64)
        assert axis.current == pytest.approx(0.0, abs=1e-12)


def test_torque_control_goes_to_the_motor_as_it_is() -> None:
    """The current is the torque over N·Kt; the feedback stays 0 as in Webots, the total is what reaches the joint."""
    with begun(with_motor()) as (robot, simulation):
        motor, axis = robot.getDevice("hip"), simulation.axes[0]
        motor.enableTorqueFeedback(32)
        motor.setTorque(2.0)
        robot.step(32)
        real = drive(simulation).actuator.motor
        assert real is not None
        assert axis.current == pytest.approx(2.0 / (real.ratio * float(real.magnet.torque_constant)), rel=1e-6)
        assert motor.getTorqueFeedback() == 0.0 and 0.0 < motor.getTotalTorque() < 2.0


def test_the_gains_of_the_velocity_loop_are_as_documented() -> None:
    """kp = 3 J/ts with the rotor's inertia at the joint, and ki = kp·3/(4 ts)."""
    with begun(with_motor()) as (_, simulation):
        found = drive(simulation)
        real = found.actuator.motor
        assert real is not None
        assert found.kp == pytest.approx(3 * (0.02 + float(real.armature)) / 0.032)
        assert found.ki == pytest.approx(found.kp * 3 / (4 * 0.032))
        assert found.turns == 32


def test_a_slider_needs_to_know_its_travel() -> None:
    """With it, a linear motor is moved by one that turns: a force of F takes F·travel."""
    robot = replace(webots.robot_from_toml(RAIL), backend="motor")
    robot = robot.with_joints(lambda joint: replace(joint, actuator="maxon-re40-148867-2010", supply=24.0))
    with pytest.raises(ParameterError, match="the motor 'slide' is linear: give travel"), begun(robot):
        pass
    robot = robot.with_joints(lambda joint: replace(joint, travel=0.002))
    with begun(robot) as (script, simulation):
        script.getDevice("slide").setPosition(0.1)
        script.step(32 * 60)
        assert simulation.axes[0].position == pytest.approx(0.1, abs=1e-3)


def test_hard_stops_stop_the_full_motor() -> None:
    text = """
    [[joint]]
    inertia = "0.02 kg*m^2"
    min_stop = "-20 deg"
    max_stop = "20 deg"
    motor = { name = "hip", actuator = "maxon-re40-gp52c", supply = "24 V" }
    """
    with begun(replace(webots.robot_from_toml(text), backend="motor")) as (robot, simulation):
        robot.getDevice("hip").setPosition(1.0)
        robot.step(32 * 40)
        assert simulation.axes[0].position == pytest.approx(math.radians(20), abs=0.03)


def test_gears_carry_a_joint_along_with_the_full_motor() -> None:
    text = (GEARS % ("", "0.9")).replace('max_torque = "50 N*m"', 'actuator = "maxon-re40-gp52c", supply = "24 V"')
    with begun(replace(webots.robot_from_toml(text), backend="motor")) as (robot, simulation):
        robot.getDevice("leader").setPosition(0.5)
        robot.step(32 * 40)
        leader, follower = simulation.axes
        assert leader.position == pytest.approx(0.5, abs=0.01)
        assert follower.position == pytest.approx(2 * leader.position, rel=1e-12)


def test_the_backend_motor_needs_motors_and_physics(capsys) -> None:
    with (
        pytest.raises(ParameterError, match="the motor 'hip' names no actuator, which the backend motor needs"),
        begun(replace(hip(), backend="motor")),
    ):
        pass
    text = '[[joint]]\nphysics = false\nmotor = { name = "hip", actuator = "maxon-re40-148867-2010" }'
    with (
        pytest.raises(ParameterError, match="the joint of 'hip' has no Physics, so that no motor can move it"),
        begun(replace(webots.robot_from_toml(text), backend="motor")),
    ):
        pass
    with begun(replace(with_motor(), joints=tuple(_rubbing(j) for j in with_motor().joints))):
        assert lines(capsys) == [
            "Note: 'hip': static_friction has no effect with the backend motor; the motor has its own."
        ]


def _rubbing(joint):
    return replace(joint, world=replace(joint.world, joint=replace(joint.world.joint, static_friction=0.5)))


# --- MuJoCo


ARM = """
<mujoco>
  <option timestep="0.004" gravity="0 0 0"/>
  <worldbody>
    <body><joint name="hip" axis="0 1 0" damping="0.05"/><inertial pos="0 0 0" mass="1" diaginertia="0.01 0.02 0.01"/>
    </body>
    <body><joint name="rail" type="slide" axis="1 0 0"/><inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/></body>
  </worldbody>
</mujoco>
"""


@pytest.fixture
def arm(tmp_path):
    pytest.importorskip("mujoco")
    path = tmp_path / "arm.xml"
    path.write_text(ARM)
    return path


def test_one_joint_in_mujoco_is_webots_law(arm) -> None:
    """A hinge with the same inertia and damping goes as Webots has it, velocity by velocity, with equal steps."""
    ours = replace(hip('acceleration = "30 rad/s^2"'), basic_time_step=0.004)
    theirs = replace(ours, backend="mujoco", mujoco=arm)
    seen = []
    for described in (ours, theirs):
        speeds = []
        with begun(described) as (robot, simulation):
            motor, axis = robot.getDevice("hip"), simulation.axes[0]
            motor.setPosition(1.0)
            for k in range(60):
                if k == 40:
                    motor.setTorque(1.2)
                robot.step(4)
                speeds.append((axis.speed, axis.feedback))
        seen.append(speeds)
    # positions differ by the 2·atan of ODE's turn, which the PID sees: 1e-6 of the speed
    assert [s for s, _ in seen[1]] == pytest.approx([s for s, _ in seen[0]], rel=1e-4, abs=1e-5)
    assert [f for _, f in seen[1]] == pytest.approx([f for _, f in seen[0]], rel=1e-3, abs=1e-3)


def test_torques_of_coupled_joints_reach_all_velocities_at_once(tmp_path) -> None:
    """Two joints of one arm pull at each other; after a step both have the velocity that Webots commands."""
    pytest.importorskip("mujoco")
    path = tmp_path / "two.xml"
    path.write_text(
        '<mujoco><option timestep="0.004"/><worldbody><body><joint name="a" axis="0 1 0"/>'
        '<geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03"/><body pos="0.4 0 0"><joint name="b" axis="0 1 0"/>'
        '<geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03"/></body></body></worldbody>'
        '<actuator><position joint="a" kp="1000"/></actuator></mujoco>'
    )
    joint = '[[joint]]\nmotor = { name = "%s", max_torque = "500 N*m" }\n'
    robot = webots.robot_from_toml(joint % "a" + joint % "b")
    robot = replace(robot, backend="mujoco", mujoco=path, basic_time_step=0.004)
    with begun(robot) as (script, simulation):
        for name, velocity in (("a", 1.0), ("b", -2.0)):
            script.getDevice(name).setPosition(INF)
            script.getDevice(name).setVelocity(velocity)
        for _ in range(5):
            script.step(4)
            # CFM makes them miss by 1e-5 rad/s per N·m
            for axis, velocity in zip(simulation.axes, (1.0, -2.0), strict=True):
                assert axis.speed == pytest.approx(velocity - 1e-5 * axis.feedback, abs=1e-9)


def test_a_brake_adds_damping_in_mujoco(arm) -> None:
    with begun(replace(hip(), backend="mujoco", mujoco=arm)) as (robot, simulation):
        robot.getDevice("hip brake").setDampingConstant(0.5)
        robot.getDevice("hip").setTorque(1.0)
        robot.step(32 * 40)
        assert simulation.axes[0].speed == pytest.approx(1.0 / 0.55, rel=1e-3)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"mujoco": None}, "the backend mujoco needs a model: give mujoco = a file, or --mujoco"),
        ({"joint": "knee"}, "there is no joint 'knee' for the motor 'hip'; there are 'hip', 'rail'"),
        ({"joint": "rail"}, "the joint 'rail' must be one that turns, as its motor does"),
    ],
)
def test_a_model_that_does_not_fit_is_one_sentence(change, said, arm) -> None:
    robot = replace(hip(), backend="mujoco", mujoco=change.get("mujoco", arm))
    robot = robot.with_joints(lambda joint: replace(joint, joint=change.get("joint", "")))
    with pytest.raises(ParameterError) as error, begun(robot):
        pass
    assert said in str(error.value)


def test_a_file_that_is_no_model_is_one_sentence(tmp_path) -> None:
    pytest.importorskip("mujoco")
    path = tmp_path / "bad.xml"
    path.write_text("<mujoco><worldbody><boddy/></worldbody></mujoco>")
    with (
        pytest.raises(ParameterError, match=r"bad.xml: MuJoCo cannot load it: .*boddy"),
        begun(replace(hip(), backend="mujoco", mujoco=path)),
    ):
        pass


def test_bounded_torques_are_at_a_bound_or_right() -> None:
    """Where a torque is within its bounds its row holds; at a bound, the velocity falls short on that side."""
    draw = np.random.default_rng(4)
    held = 0
    for _ in range(50):
        root = draw.normal(size=(4, 4))
        matrix, short, most = root @ root.T + 0.1 * np.eye(4), draw.normal(size=4), draw.uniform(0.05, 0.5, 4)
        torques = solve_bounded(matrix, short, most, np.zeros(4))
        left = short - matrix @ torques
        for torque, bound, miss in zip(torques, most, left, strict=True):
            if abs(torque) < bound:
                assert miss == pytest.approx(0.0, abs=1e-7)
            else:
                held += 1
                assert miss * torque >= 0.0
    assert held > 20
