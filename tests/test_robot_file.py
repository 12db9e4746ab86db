"""Robots in TOML files: what they hold, and one sentence for whatever is wrong with them."""

import pickle
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from robot_models import JOINTS, ROBOT, write_arm_urdf, write_quadruped, write_robot

import backemf as be
from backemf.errors import BackemfError, ParameterError

PD = be.IdealPd(stiffness=60.0, damping=2.0)


def names(*joints: str, **fields) -> be.Robot:
    """A robot without a model."""
    drives = fields.pop("drives", {".*": be.JointDrive(motor="mit-mini-cheetah", controller=PD)})
    return be.Robot(joint_names=joints or ("hip", "knee"), drives=drives, **fields)


def test_a_file_gives_joints_actuators_and_supply(tmp_path: Path):
    """Twelve joints in the model's order, each with the motor of its pattern, fed by the robot's supply."""
    robot = be.read_robot(write_robot(tmp_path))
    assert robot.joints[".*_calf"] == ("FL_calf", "FR_calf", "RL_calf", "RR_calf")
    actuators = robot.actuators
    assert actuators.joints == tuple(JOINTS)
    assert actuators["FL_hip"].motor == be.load("mit-mini-cheetah").motor
    assert actuators["FL_calf"].motor == be.load("cubemars-ak80-9-v2").motor
    assert actuators["FL_hip"].supply == robot.supply == be.Supply(voltage=24.0)
    assert actuators["FL_hip"].controller == be.IdealPd(stiffness=60.0, damping=2.0, listens=("position",))


def test_an_override_changes_its_joints_alone(tmp_path: Path):
    """A controller, a supply and a number of one joint; the drive of the pattern keeps the rest."""
    more = """
[override."FL_.*"]
supply = { voltage = "20 V" }
numbers = { winding.resistance = "0.5 ohm" }
[override."FL_hip"]
controller = { kind = "ideal-pd", stiffness = "30 N*m/rad", damping = "1 N*m*s/rad" }
"""
    set_ = be.read_robot(write_robot(tmp_path, more)).actuators
    assert set_["FL_hip"].controller == be.IdealPd(stiffness=30.0, damping=1.0)
    assert set_["FL_thigh"].controller.stiffness == 60.0
    assert [set_[name].supply.voltage for name in ("FL_hip", "FL_calf", "FR_hip")] == [20.0, 20.0, 24.0]
    assert [set_[name].motor.winding.resistance for name in ("FL_hip", "FR_hip")] == [0.5, 0.346]


def test_a_saved_robot_reads_back_equal(tmp_path: Path):
    """Ids, files, whole actuators, delays, limits and overrides; from another folder too."""
    model = write_quadruped(tmp_path)
    be.save(be.Actuator(be.load("mit-mini-cheetah").motor, controller=PD), tmp_path / "hip.toml")
    drives = {
        ".*_hip": be.JointDrive(motor=tmp_path / "hip.toml", delay=be.Delay(seconds=(0.002, 0.005)), armature="add"),
        ".*_thigh": be.JointDrive(motor=be.load("mit-mini-cheetah").motor, limits=be.EffortLimit(effort_limit=12.3)),
        ".*_calf": be.JointDrive(motor="cubemars-ak80-9-v2", numbers={"rotor.inertia": 6.1e-5}, estimate=True),
    }
    robot = be.Robot(
        model=model, drives=drives, overrides={"FL_calf": be.JointDrive(controller=PD, friction="add")},
        supply=be.Supply(voltage=24.0, resistance=0.05), peak_current=60.0, continuous_current=20.0, name="dog",
    )  # fmt: skip
    (tmp_path / "below").mkdir()
    for path in (tmp_path / "robot.toml", tmp_path / "below" / "robot.toml"):
        robot.save(path)
        again = be.read_robot(path)
        assert again == robot
        assert again.actuators["FL_thigh"] == robot.actuators["FL_thigh"]
    assert 'model = "../quadruped.xml"' in path.read_text()
    assert pickle.loads(pickle.dumps(robot)) == robot


@settings(max_examples=40, deadline=None)
@given(
    some.floats(1e-3, 1e4), some.floats(0.0, 1e3), some.floats(1.0, 400.0), some.floats(1e-4, 1.0),
    some.text(some.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=20),
)  # fmt: skip
def test_any_numbers_read_back_exactly(stiffness: float, damping: float, volts: float, late: float, name: str):
    """Quantities are written with units, and not a digit is lost."""
    drive = be.JointDrive(
        motor="mit-mini-cheetah",
        controller=be.IdealPd(stiffness=stiffness, damping=damping),
        delay=be.Delay(seconds=late),
    )
    robot = names("a", drives={"a": drive}, supply=be.Supply(voltage=volts), name=name)
    with tempfile.TemporaryDirectory() as folder:
        robot.save(f"{folder}/robot.toml")
        assert be.read_robot(f"{folder}/robot.toml") == robot


WRONG = {
    'model = "quadruped.xml"': ('model = "other.xml"', "model = .*other.xml.*: there is no such file"),
    'motor = "mit-mini-cheetah"': ('motor = "mit-mini-cheeta"', 'thigh\\)".*: did you mean mit-mini'),
    'voltage = "24 V"': ("voltage = 24", "[supply] voltage = 24: must be a text with its unit"),
    'stiffness = "60 N*m/rad"': ('stiffness = "60 V"', "controller stiffness"),
    'kind = "IdealPd"': ('kind = "IdealPid"', "kind = 'IdealPid': did you mean"),
    'format = "backemf robot 1"': ('format = "backemf robot 9"', 'must be "backemf robot 1"'),
    '[joints.".*_calf"]': ('[joints.".*_ankle"]', 'joints.".*_ankle": matches no joint; there are FL_hip'),
    "[supply]": ("[suply]", "suply: there is no such field: did you mean supply"),
    'name = "quadruped"': ('nam = "quadruped"', "nam: there is no such field: did you mean name"),
    'motor = "cubemars-ak80-9-v2"': ('motor = "motors/knee.toml"', "motors/knee.toml.*: there is no such file"),
}  # fmt: skip


@pytest.mark.parametrize("old", WRONG)
def test_bad_files_say_what_to_change(old: str, tmp_path: Path):
    """The file, the field, the value and the remedy, in one sentence."""
    new, words = WRONG[old]
    path = write_robot(tmp_path)
    assert old in ROBOT
    path.write_text(ROBOT.replace(old, new, 1))
    with pytest.raises(BackemfError) as caught:
        be.read_robot(path).actuators  # noqa: B018
    said = str(caught.value)
    assert str(path) in said and "\n" not in said
    assert words in said or re.search(words, said), said


ADDED = {
    '[override."FL_foot"]\nsupply = { voltage = "20 V" }\n': 'override."FL_foot": matches no joint that has a drive',
    '[override."FL_hip"]\nnumbers = { winding.resistence = "1 ohm" }\n': "is no number of an actuator",
    '[override."FL_hip"]\nnumbers = { winding.resistance = "1 V" }\n': 'winding.resistance: "1 V"',
    '[override."FL_hip"]\narmature = "keep"\n': "armature = 'keep': must be 'replace' or 'add'",
    '[joints."FL_hip"]\nmotor = "mit-mini-cheetah"\n': "joint FL_hip: is matched by",
    '[joints."root"]\nmotor = "mit-mini-cheetah"\n': "'root', a free joint: a motor has no place there",
    '[joints."[a"]\nmotor = "mit-mini-cheetah"\n': "'[a' is not a pattern of joint names",
    '[joints."(x+x+)+y"]\nmotor = "mit-mini-cheetah"\n': "matches no joint",
}  # fmt: skip


@pytest.mark.parametrize("more", ADDED)
def test_bad_tables_say_what_to_change(more: str, tmp_path: Path):
    """Overrides and patterns that do not fit the model."""
    with pytest.raises(ParameterError) as caught:
        be.read_robot(write_robot(tmp_path, more)).actuators  # noqa: B018
    assert str(tmp_path / "robot.toml") in str(caught.value)
    assert ADDED[more] in str(caught.value)


def test_models_that_cannot_be_read(tmp_path: Path):
    """XML with entities, a model that MuJoCo refuses, a xacro template, and a URDF without joints."""
    drives = {".*": be.JointDrive(motor="mit-mini-cheetah")}
    bomb = tmp_path / "bomb.xml"
    bomb.write_text('<!DOCTYPE m [<!ENTITY a "aa">]><mujoco>&a;</mujoco>')
    refused = tmp_path / "refused.xml"
    refused.write_text('<mujoco><worldbody><body><joint name="a"/></body></worldbody></mujoco>')
    xacro = tmp_path / "x.urdf"
    xacro.write_text('<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arm/></robot>')
    still = tmp_path / "still.urdf"
    still.write_text('<robot name="a"><link name="b"/></robot>')
    expected = {
        bomb: "declares a DOCTYPE", refused: "MuJoCo cannot read it", xacro: "run xacro on it",
        still: "has no revolute",
    }  # fmt: skip
    for path, words in expected.items():
        with pytest.raises(ParameterError) as caught:
            be.Robot(model=path, drives=drives).joints  # noqa: B018
        assert str(path) in str(caught.value) and words in str(caught.value)
    with pytest.raises(ParameterError, match="run xacro on it"):
        be.Robot(model=tmp_path / "a.urdf.xacro", drives=drives)


def test_what_xacro_has_done_is_no_template(tmp_path: Path):
    """A URDF keeps the namespace and comments of its template; what is still to be replaced makes it one."""
    path = write_arm_urdf(tmp_path)
    text = path.read_text()
    drives = {"joint_.*": be.JointDrive(motor="mit-mini-cheetah")}
    left = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name'
    path.write_text(text.replace("<robot name", left).replace("<!-- joint 1 -->", '<!-- <xacro:arm x="${pi}"/> -->'))
    assert be.Robot(model=path, drives=drives).joints["joint_.*"][0] == "joint_1"
    for todo in ('<origin xyz="0 0 ${pi}"/>', '<mesh filename="$(find arm)/base.stl"/>', "<xacro:arm/>"):
        path.write_text(text.replace("<!-- joint 1 -->", todo))
        with pytest.raises(ParameterError, match="run xacro on it"):
            be.Robot(model=path, drives=drives).joints  # noqa: B018


def test_a_mimic_joint_gets_no_motor(tmp_path: Path):
    """Of two fingers, one follows: a pattern for both drives the first; a pattern for it alone is an error."""
    arm, finger = write_arm_urdf(tmp_path), be.Actuator(limits=be.EffortLimit(effort_limit=20.0))
    drives = {"joint_.*": be.JointDrive(motor="mit-mini-cheetah"), ".*finger": be.JointDrive(motor=finger)}
    robot = be.Robot(model=arm, drives=drives)
    assert robot.joints[".*finger"] == ("finger",)
    assert "'other_finger', which mimics 'finger', which gets no motor" in str(robot.check())
    with pytest.raises(ParameterError, match="matches only 'other_finger', which mimics 'finger'"):
        be.Robot(model=arm, drives={"other_finger": be.JointDrive(motor=finger)}).joints  # noqa: B018
    with pytest.raises(ParameterError, match="slides, and MIT Mini Cheetah"):
        be.Robot(model=arm, drives={"finger": be.JointDrive(motor="mit-mini-cheetah")}).joints  # noqa: B018


def test_a_robot_needs_a_model_or_names():
    """Neither, or both, is refused; names alone make an actuator set."""
    drives = {".*": be.JointDrive(motor="mit-mini-cheetah")}
    with pytest.raises(ParameterError, match="give the path of a model, or joint_names"):
        be.Robot(drives=drives)
    with pytest.raises(ParameterError, match="motor is missing"):
        names(drives={".*": be.JointDrive(controller=PD)})
    assert names("hip", "knee").actuators.joints == ("hip", "knee")
    with pytest.raises(ParameterError, match="'hip' is there twice"):
        names("hip", "hip").actuators  # noqa: B018
