"""What sizing found as a robot: saved and read back, and its motors in MuJoCo."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from size_rig import motor, task

import backemf as be

TASKS = Path(__file__).parents[1] / "examples" / "tasks"


@cache
def candidates() -> be.Candidates:
    """The catalogue, read once."""
    return be.Candidates.catalogue()


@cache
def sized(name: str) -> be.Found:
    """What was found for a task of the gallery."""
    return be.size(replace(be.Task.read(TASKS / f"{name}.toml"), samples=100), candidates())


def bodies(names: list[str]) -> str:
    """MJCF of a chain of these joints."""
    text = ""
    for name in reversed(names):
        geom = '<geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.2" mass="0.5"/>'
        text = f'<body><joint name="{name}" type="hinge" axis="0 1 0"/>{geom}{text}</body>'
    return f"<mujoco><worldbody>{text}</worldbody></mujoco>"


@pytest.mark.parametrize("name", ["arm", "knee", "pan_tilt"])
def test_a_robot_reads_back_as_it_was_saved(name, tmp_path):
    found = sized(name)
    robot = found.robot()
    robot.save(tmp_path / "robot.toml")
    assert be.read_robot(tmp_path / "robot.toml") == robot
    assert robot.supply == found.task.supply
    assert list(robot.joints) == list(found.joints)
    # a motor that could draw more than the task allows its supply is said
    wrong = [finding.figure for finding in robot.check() if finding.severity == "error"]
    assert wrong == (["supply"] if found.task.limits.supply_current is not None else [])


@pytest.mark.parametrize("name", ["arm", "knee", "pan_tilt"])
def test_mujoco_has_the_motors_that_were_found(name, tmp_path):
    """On a model with these joints each has a DC motor and the inertia of its best pair."""
    mujoco = pytest.importorskip("mujoco")
    found = sized(name)
    plain = tmp_path / "plain.xml"
    plain.write_text(bodies(list(found.joints)), encoding="utf-8")
    robot = replace(found.robot(), model=plain, joint_names=())
    robot.export("mujoco@4.0", tmp_path / "with_motors.xml", digits=None)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "with_motors.xml"))
    assert len(model.actuator_gaintype) == len(found.joints)
    for joint, each in found.joints.items():
        dof = int(model.jnt_dofadr[model.joint(joint).id])
        assert model.dof_armature[dof] == pytest.approx(each.best.figures["inertia"], rel=1e-9)
    assert set(map(int, model.actuator_gaintype)) == {int(mujoco.mjtGain.mjGAIN_DCMOTOR)}


def test_drives_are_what_the_task_says():
    """The air, the mounting and the limits of the task, and a loop of 30 natural frequencies there and back."""
    given = task(
        ambient=40.0, mounting=0.5, limits=be.TaskLimits(current=8.0, supply_current=6.0), name="two [arms]",
        joints={"left.arm": task().joints["joint"], "right": replace(task().joints["joint"], spring=True)},
    )  # fmt: skip
    robot = be.size(given, [motor()]).robot()
    assert robot.joints == {"left\\.arm": ("left.arm",), "right": ("right",)}
    assert robot.peak_current == 6.0 and robot.name == "two [arms]"
    left, right = (drive.actuator()[0] for drive in robot.drives.values())
    assert left.motor.thermal.ambient == 40.0
    assert left.motor.thermal.housing_resistance == pytest.approx(0.5 * 5.0)
    assert left.motor.limits.peak_current == 8.0
    inertia, natural = 0.08 + 10.0**2 * 2e-5, 2 * np.pi * 30.0 / 1.0
    assert left.controller.stiffness == pytest.approx(inertia * natural**2)
    assert left.controller.damping == pytest.approx(2.0 * inertia * natural)
    assert left.spring is None and right.spring is not None


def test_bandwidth_of_the_loop():
    robot = be.size(task(), [motor()]).robot(bandwidth=4.0)
    (drive,) = robot.drives.values()
    stiffness = (0.08 + 10.0**2 * 2e-5) * (2 * np.pi * 4.0) ** 2
    assert drive.actuator()[0].controller.stiffness == pytest.approx(stiffness)
    with pytest.raises(be.ParameterError, match="bandwidth_hz"):
        be.size(task(), [motor()]).robot(bandwidth=-1.0)


def test_model_of_the_task_is_the_robots(tmp_path):
    """Under the names that its joints have there; also where loads say the torque."""
    pytest.importorskip("mujoco")
    (tmp_path / "arm.xml").write_text(bodies(["hinge_1"]), encoding="utf-8")
    move = be.SineMotion(amplitude=0.6, frequency=1.0)
    given = be.Task(
        joints={"swing": be.JointTask(motion=move)}, supply=be.Supply(voltage=48.0), wanted="energy", folder=tmp_path,
        robot=be.RobotModel(model="arm.xml", joints=("hinge_1",)),
    )  # fmt: skip
    robot = be.size(given, [motor()]).robot()
    assert robot.model == tmp_path / "arm.xml"
    assert robot.joints == {"hinge_1": ("hinge_1",)}
    loaded = replace(given, joints={"swing": be.JointTask(motion=move, load=be.Inertia(0.01))})
    assert be.size(loaded, [motor()]).robot().model == tmp_path / "arm.xml"
    assert be.size(replace(loaded, robot=None), [motor()]).robot().model is None


def test_no_robot_where_a_joint_has_no_pair():
    weak = motor(ratings=be.Ratings(winding_temperature=26.0))
    with pytest.raises(be.ParameterError, match=r"joint 'joint': none of 1 pairs can do the task; 1 on winding"):
        be.size(task(), [weak]).robot()


def test_rating_of_a_gear_that_its_motor_exceeds():
    """A rotor of 0.02 kg·m² at the joint takes a fifth of the torque, which the gear never bears."""
    # 0.08 kg·m² and the rotor at 24 rad/s²: 1.92 N·m at the gear, 2.4 N·m of the motor
    for torque, stays in ((2.0, False), (2.8, False), (3.0, True)):
        ratings = be.Ratings(winding_temperature=400.0, gear_torque=1.95, gear_peak_torque=torque)
        heavy = motor(rotor=be.Rotor(inertia=2e-4), ratings=ratings)
        found = be.size(task(), [heavy])
        kept = found.robot().drives["joint"].motor.motor.ratings
        assert (kept.gear_peak_torque, kept.gear_torque) == ((torque, 1.95) if stays else (None, None))
        assert kept.winding_temperature == 400.0
        # what was found stays as its maker states it
        assert found.best.motor.ratings.gear_peak_torque == torque


@pytest.mark.parametrize("name", ["arm", "knee", "pan_tilt"])
def test_task_to_robot_file_to_mujoco_that_moves(name, tmp_path):
    """From the TOML of the gallery: the joints of its own model follow the motion in MuJoCo."""
    mujoco = pytest.importorskip("mujoco")
    found = sized(name)
    found.robot().save(tmp_path / "robot.toml")
    be.read_robot(tmp_path / "robot.toml").export("mujoco@4.0", tmp_path / "with_motors.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "with_motors.xml"))
    data = mujoco.MjData(model)
    cells = {joint: each.cycle.cells for joint, each in found.joints.items()}
    places = {joint: int(model.jnt_qposadr[model.joint(joint).id]) for joint in cells}
    for joint, c in cells.items():
        data.qpos[places[joint]] = c.position[0]
    far = dict.fromkeys(cells, 0.0)
    while data.time < max(c.duration for c in cells.values()):
        for k, c in enumerate(cells.values()):
            # each motor has three controls: position, velocity and torque
            data.ctrl[3 * k : 3 * k + 2] = [np.interp(data.time, c.time, x) for x in (c.position, c.velocity)]
        mujoco.mj_step(model, data)
        for joint, c in cells.items():
            off = data.qpos[places[joint]] - np.interp(data.time, c.time, c.position)
            far[joint] = max(far[joint], abs(float(off)))
    for joint, c in cells.items():
        assert far[joint] < 0.03 * np.ptp(c.position)
