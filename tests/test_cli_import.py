"""backemf import: every actuator of a file, listed, chosen by its joint, or written to a folder."""

import json

import pytest
from test_cli import call

import backemf as be

ROBOT = """<mujoco>
  <worldbody>
    <body><joint name="hip"/><geom size="0.1"/>
      <body><joint name="knee" armature="0.02"/><geom size="0.1"/>
        <body><joint name="ankle"/><geom size="0.1"/>
          <body><joint name="toe" type="ball"/><geom size="0.1"/></body></body></body></body>
  </worldbody>
  <actuator>
    <position name="a" joint="hip" kp="30"/>
    <velocity name="b" joint="knee" kv="2"/>
    <motor name="c" joint="toe" gear="1 0 0 0 0 0"/>
    <muscle name="d" joint="ankle" lengthrange="0 1"/>
  </actuator>
</mujoco>
"""
TWO_ROBOTS = """
from isaaclab.actuators import IdealPDActuatorCfg
A_CFG = ArticulationCfg(actuators={
    "legs": IdealPDActuatorCfg(joint_names_expr=[".*_hip"], stiffness=1.0, damping=0.1, effort_limit=2.0)})
B_CFG = ArticulationCfg(actuators={
    "legs": IdealPDActuatorCfg(joint_names_expr=[".*_hip"], stiffness=3.0, damping=0.1, effort_limit=2.0)})
"""


@pytest.fixture
def robot(tmp_path):
    """A file with four actuators, two of which are read."""
    path = tmp_path / "robot.xml"
    path.write_text(ROBOT)
    return path


def test_a_position_and_a_velocity_actuator_are_written_with_plain_numbers(robot, tmp_path):
    """The file of a <position> was `stiffness = np.float64(30.0)`, which nobody can read."""
    for joint, controller in (
        ("hip", be.IdealPd(stiffness=30.0, listens=("position",))),
        ("knee", be.TorquePid(kd=2.0, follows="velocity", listens=("velocity",))),
    ):
        out = tmp_path / f"{joint}.toml"
        result = call("import", robot, "--joint", joint, "-o", out)
        assert result.exit_code == 0, result.stderr
        assert "np." not in out.read_text() and be.load(out).controller == controller


def test_several_actuators_need_a_joint_and_the_sentence_lists_them(robot):
    result = call("import", robot)
    assert result.exit_code == 2 and result.stdout == ""
    assert "4 actuators, for hip, knee, c, d: give --joint NAME, or -o FOLDER for all" in result.stderr
    result = call("import", robot, "--joint", "elbow")
    assert result.exit_code == 2 and "--joint elbow: no actuator drives it; the file has hip, knee" in result.stderr


def test_the_list_has_a_row_for_each_with_the_reason(robot):
    told = call("import", robot, "--list", width=200).stdout
    assert "2 of 4 actuators can be read" in told and "ball joint" in told and "muscle" in told
    rows = json.loads(call("import", robot, "--list", "--json").stdout)
    assert [row["read"] for row in rows] == [True, True, False, False]
    assert rows[0]["controller"] == "IdealPd" and "ball" in rows[2]["why"]


def test_a_folder_gets_a_file_for_each_that_is_read(robot, tmp_path):
    result = call("import", robot, "-o", tmp_path / "motors")
    assert result.exit_code == 0 and "wrote 2 of 4 actuators" in result.stdout
    assert sorted(path.name for path in (tmp_path / "motors").iterdir()) == ["hip.toml", "knee.toml"]
    assert be.load(tmp_path / "motors" / "hip.toml").controller.stiffness == 30.0


def test_one_that_is_not_read_says_why(robot):
    result = call("import", robot, "--joint", "c")
    assert result.exit_code == 2 and "ball joint" in result.stderr and len(result.stderr.splitlines()) == 1


def test_what_is_lost_is_told_with_its_torque_error(tmp_path):
    """The integral bound of a velocity dcmotor of 3.11 acts on the target itself, and has no place here."""
    path = tmp_path / "one.xml"
    path.write_text(
        '<mujoco><worldbody><body><joint name="k"/><geom size="0.1"/></body></worldbody><actuator>'
        '<dcmotor joint="k" motorconst="0.05" resistance="1" input="velocity" controller="0.1 2 0 0 0.01 24"/>'
        "</actuator></mujoco>"
    )
    result = call("import", path, "--version", "3.11", "-o", tmp_path / "one.toml", width=160)
    assert result.exit_code == 0, result.stderr
    assert "integral" in result.stdout and "dropped" in result.stdout and "Torque error at the joint" in result.stdout


def test_a_robot_is_named_before_its_joint(tmp_path):
    path = tmp_path / "robots.py"
    path.write_text(TWO_ROBOTS)
    result = call("import", path, "--joint", "left_hip")
    assert result.exit_code == 2 and "A_CFG/.*_hip, B_CFG/.*_hip" in result.stderr
    out = tmp_path / "hip.toml"
    assert call("import", path, "--joint", "B_CFG/left_hip", "-o", out).exit_code == 0
    assert be.load(out).controller.stiffness == 3.0 and 'name = "left_hip"' in out.read_text()
    told = call("import", path, "-o", tmp_path / "all").stdout
    assert "wrote 2 of 2" in told and len(list((tmp_path / "all").iterdir())) == 2
