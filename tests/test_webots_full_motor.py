"""Full motors behind Webots' devices: the machine code of all substeps beside the public step, one by one."""

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from long import some_now
from properties.draw import Draw, motor_of, scale_of
from webots_reference_motor import ReferenceMotors
from webots_rig import begun

import backemf as be
from backemf.errors import ParameterError
from backemf.sims import webots
from backemf.sims.webots.backends import drive_code
from backemf.tree import map_numbers

SEEN = ("position", "speed", "feedback", "total", "current", "voltage", "temperature")
JOINTS = """
basic_time_step = "16 ms"
[[joint]]
inertia = "0.02 kg*m^2"
damping = "0.05 N*m*s/rad"
mass = "0.4 kg"
length = "0.2 m"
motor = { name = "arm", max_torque = "30 N*m" }
[[joint]]
inertia = "0.01 kg*m^2"
spring = "2 N*m/rad"
min_stop = "-20 deg"
max_stop = "30 deg"
motor = { name = "stopped", max_torque = "30 N*m" }
brake = { name = "brake" }
[[joint]]
kind = "slider"
inertia = "2 kg"
motor = { name = "slide", max_torque = "500 N", max_velocity = "1 m/s" }
[[joint]]
inertia = "0.02 kg*m^2"
motor = { name = "plain", max_torque = "30 N*m" }
[[joint]]
name = "passive"
inertia = "0.02 kg*m^2"
damping = "0.1 N*m*s/rad"
torque = "0.3 N*m"
[[joint]]
name = "carried"
inertia = "0.004 kg*m^2"
mass = "0.1 kg"
length = "0.1 m"
[[coupling]]
leader = "plain"
follower = "carried"
ratio = -1.5
efficiency = 0.8
"""


LEGS = "".join(f"""
[[joint]]
inertia = "{0.01 + 0.003 * k} kg*m^2"
damping = "0.02 N*m*s/rad"
motor = {{ name = "leg {k}", max_torque = "{20 + k} N*m" }}
""" for k in range(7))  # fmt: skip


def robot_of(actuators, supply: float | be.Supply = 24.0, text: str = JOINTS) -> webots.RobotDescription:
    """The joints of a text with motors, dealt out in turn."""
    dealt = iter(actuators)
    robot = webots.robot_from_toml(text)
    robot = robot.with_joints(lambda joint: replace(joint, actuator=next(dealt), supply=supply, travel=0.005))
    return replace(robot, backend="motor")


def commanded(axes, draw: random.Random) -> None:
    """What a controller may tell motors and brakes between two steps."""
    for axis in axes:
        if axis.driven and draw.random() < 0.3:
            axis.take_position(draw.choice([math.inf, draw.uniform(-1, 1)]))
        if axis.driven and draw.random() < 0.3:
            axis.take_velocity(draw.uniform(-5, 5))
        if axis.driven and draw.random() < 0.15:
            axis.take_available(draw.choice([0.0, 0.3, 30.0]))
        if axis.driven and draw.random() < 0.15:
            axis.take_torque(draw.uniform(-1, 1))
        if draw.random() < 0.1:
            axis.brake = draw.uniform(0.0, 1.0)


def compared(robot: webots.RobotDescription, seed: int, steps: int) -> dict[str, float]:
    """Largest difference between machine code and the reference of every number of the axes, over its largest size."""
    runs = []
    for reference in (False, True):
        draw, rows = random.Random(seed), []
        with begun(robot) as (_, simulation):
            behind = ReferenceMotors(robot, simulation.axes) if reference else simulation.behind
            for axis in simulation.axes:
                axis.warn = lambda text: None
            for _ in range(steps):
                commanded(simulation.axes, draw)
                behind.step()
                rows.append([[getattr(axis, name) for name in SEEN] for axis in simulation.axes])
        runs.append(np.array(rows))
    ours, expected = runs
    assert np.array_equal(np.isnan(ours), np.isnan(expected))
    # a passive joint has no current
    ours, expected = np.nan_to_num(ours), np.nan_to_num(expected)
    size = np.abs(expected).max(axis=0) + 1e-9
    worst = (np.abs(ours - expected) / size).max(axis=(0, 1))
    return dict(zip(SEEN, worst, strict=True))


def drawn_motors(seed: int, count: int) -> list[be.Motor]:
    """Random motors of one structure, each with numbers of its own, and of the size of the joints above."""
    draw = Draw(np.random.default_rng(seed), (count,))
    scale = replace(
        scale_of(draw), voltage=draw.spread(1.2, 1.5), speed=draw.spread(2.0, 2.5), current=draw.spread(1.0, 1.5)
    )
    torque = scale.voltage / scale.speed * scale.current
    motor = motor_of(draw, replace(scale, torque=torque, inertia=draw.spread(-2.0, -1.0) * torque / scale.speed))
    return [map_numbers(motor, lambda x, k=k: float(np.broadcast_to(x, (count,))[k])) for k in range(count)]


@pytest.mark.parametrize("seed", some_now(range(40), lambda seed: seed < 6))
def test_random_motors_are_those_of_the_public_step(seed) -> None:
    """Gravity, springs, hard stops, sliders, brakes, gears and a passive joint under random commands."""
    found = compared(robot_of(drawn_motors(seed, 6)), seed, 12)
    assert max(found.values()) <= 1e-9, found


@pytest.mark.parametrize("seed", some_now(range(40), lambda seed: seed < 6))
def test_motors_of_one_kind_are_stepped_side_by_side(seed) -> None:
    """Seven motors with numbers of their own in one vector, to rounding, whatever they are made of."""
    found = compared(robot_of(drawn_motors(seed, 7), text=LEGS), seed, 12)
    assert max(found.values()) <= 1e-9, found


@pytest.mark.parametrize("shared", [False, True])
def test_every_motor_has_a_supply_of_its_own(shared) -> None:
    """Also one that is meant for several: behind a device it feeds its motor alone."""
    supply = be.Supply(voltage=24.0, resistance=0.2, shared=shared)
    found = compared(robot_of([be.load("maxon-re40-gp52c")] * 7, supply, LEGS), 3, 12)
    assert max(found.values()) <= 1e-9, found


def test_a_basic_time_step_is_one_call_for_each_kind_of_motor(monkeypatch) -> None:
    """Sixteen substeps of seven motors of two kinds are two calls."""
    calls = []
    step = drive_code.DriveCode.step
    monkeypatch.setattr(drive_code.DriveCode, "step", lambda self: calls.append(self.count) or step(self))
    motors = [be.load("maxon-re40-gp52c"), be.load("maxon-re40-148867-2010")]
    with begun(robot_of([motors[k % 2] for k in range(7)], text=LEGS)) as (robot, simulation):
        assert simulation.behind._drives[0].turns == 32
        robot.step(32)
        assert sorted(calls) == [3, 4]
        robot.step(3 * 32)
        assert len(calls) == 8


def test_robots_of_one_structure_share_what_was_traced(monkeypatch) -> None:
    """Another robot with other numbers is not traced again."""
    with begun(robot_of([be.load("maxon-re40-gp52c")] * 7, text=LEGS)):
        pass
    monkeypatch.setattr(drive_code, "_trace", None)
    heavier = LEGS.replace("0.02 N*m*s/rad", "0.07 N*m*s/rad")
    with begun(robot_of([be.load("maxon-re40-gp52c")] * 7, 12.0, heavier)) as (robot, simulation):
        robot.getDevice("leg 0").setTorque(2.0)
        robot.step(32)
        assert simulation.axes[0].speed > 0.0


def test_a_load_that_is_not_finite_is_one_sentence() -> None:
    """A brake of infinite damping stops the run, and says what is not finite."""
    with begun(robot_of([be.load("maxon-re40-gp52c")] * 6)) as (robot, simulation):
        robot.getDevice("stopped").setPosition(0.2)
        robot.step(32)
        simulation.axes[1].brake = math.inf
        with pytest.raises(ParameterError, match=r"^load_torque = -?inf: must be a finite number"):
            robot.step(32)


def test_a_joint_that_nobody_moves_turns_no_electricity() -> None:
    """Its current is NaN, as in the record; a driven one has numbers."""
    with begun(robot_of([be.load("maxon-re40-gp52c")] * 6)) as (robot, simulation):
        robot.step(32)
        assert math.isnan(simulation.axes[4].current) and math.isfinite(simulation.axes[0].current)


@pytest.mark.parametrize("way", [-1.0, 1.0])
def test_hard_stops_are_those_of_the_public_step(way) -> None:
    """Driven beyond a stop, on either side, the joint comes back as the reference does."""
    text = LEGS.replace("damping", 'min_stop = "-2 deg"\nmax_stop = "2 deg"\ndamping')
    robot, ends = robot_of([be.load("maxon-re40-gp52c")] * 7, text=text), []
    for reference in (False, True):
        with begun(robot) as (_, simulation):
            behind = ReferenceMotors(robot, simulation.axes) if reference else simulation.behind
            for axis in simulation.axes:
                axis.take_position(way)
            for _ in range(8):
                behind.step()
                ends.append([axis.position for axis in simulation.axes])
    ours, expected = np.array(ends[:8]), np.array(ends[8:])
    assert np.abs(ours - expected).max() <= 1e-12 and (way * expected).max() > math.radians(2.0)


# --- what an actuator has besides its motor

LEG = '[[joint]]\ninertia = "0.02 kg*m^2"\nmotor = { name = "leg", max_torque = "30 N*m" }\n'
GEARED = be.Motor(
    winding=be.Winding(resistance=0.5),
    magnet=be.Magnet(torque_constant=0.06, back_emf_constant=0.06),
    gearbox=be.Gearbox(stages=(be.Stage(ratio=20.0),)),
)
"""1.2 N·m of the joint for each ampere."""


def test_a_limit_of_the_joint_limits_the_current() -> None:
    """0.6 N·m are 0.5 A, however much torque the controller commands."""
    limited = be.Actuator(GEARED, limits=be.EffortLimit(effort_limit=0.6))
    with begun(robot_of([limited], text=LEG)) as (robot, simulation):
        robot.getDevice("leg").setTorque(3.0)
        robot.step(32)
        assert simulation.axes[0].current == pytest.approx(0.5) and simulation.axes[0].total == pytest.approx(0.6)


def test_a_spring_of_the_joint_is_held() -> None:
    """At 0.5 rad a spring of 2.4 N·m/rad takes 1.2 N·m, which is 1 A."""
    sprung = be.Actuator(GEARED, spring=be.JointSpring(stiffness=2.4))
    with begun(robot_of([sprung], text=LEG)) as (robot, simulation):
        robot.getDevice("leg").setPosition(0.5)
        robot.step(3200)
        assert simulation.axes[0].position == pytest.approx(0.5, abs=1e-6)
        assert simulation.axes[0].current == pytest.approx(1.0, rel=1e-6)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"delay": be.Delay(steps=(2, 2))}, "leaves out delay of its actuator"),
        ({"slew": 2.0, "command_range": (-1.0, 1.0)}, "leaves out command_range and slew of its actuator"),
        ({}, None),
    ],
)
def test_what_stands_before_a_controller_is_said_to_be_left_out(parts, words, capsys) -> None:
    """Webots' PID is the controller: what the actuator does to commands of its own has no place."""
    actuator = be.Actuator(GEARED, be.Supply(voltage=24.0), controller=be.IdealPd(stiffness=5.0, damping=0.1), **parts)
    with begun(robot_of([actuator], text=LEG)):
        pass
    said = [line for line in capsys.readouterr().err.splitlines() if "its actuator" in line]
    assert len(said) == (words is not None) and all(words in line and "'leg'" in line for line in said)


def test_numbers_of_many_robots_are_refused() -> None:
    """A batch of motors on one joint is one sentence."""
    many = replace(GEARED, winding=be.Winding(resistance=np.array([0.5, 0.6])))
    words = r"the actuator of joint 'leg' has 2 numbers for motor\.winding\.resistance"
    with pytest.raises(ParameterError, match=words), begun(robot_of([many], text=LEG)):
        pass
