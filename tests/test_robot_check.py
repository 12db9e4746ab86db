"""What does not fit together in a robot: each finding on a robot that has just that, and none on one that has not."""

import json
import re
import shlex
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from robot_models import ROBOT, write_arm_urdf, write_quadruped, write_robot
from typer.testing import CliRunner

import backemf as be
from backemf.analyze.constants import continuous_current
from backemf.cli.app import app
from backemf.transfer import SupplyCurrent

pytest.importorskip("mujoco")
ROOT = Path(__file__).resolve().parent.parent
PD = be.IdealPd(stiffness=60.0, damping=2.0)
CHEETAH = be.load("mit-mini-cheetah").motor
PEAK = CHEETAH.limits.peak_current


def causes(robot: be.Robot) -> dict[str, str]:
    """Severity of each cause that a check finds."""
    return {each.cause: each.severity for each in robot.check() if each.severity != "ok"}


def quadruped(folder: Path, **fields) -> be.Robot:
    """The quadruped with the same motor everywhere."""
    write_quadruped(folder)
    own = {name: fields.pop(name) for name in ("armature", "friction") if name in fields}
    drives = fields.pop("drives", {".*": be.JointDrive(motor="mit-mini-cheetah", controller=PD, **own)})
    supply = fields.pop("supply", be.Supply(voltage=24.0))
    return be.Robot(model=folder / "quadruped.xml", drives=drives, supply=supply, **fields)


def test_patterns_and_joints(tmp_path: Path):
    """Joints without a motor, patterns without a joint, two patterns for one joint, overrides of nothing."""
    drive = be.JointDrive(motor="mit-mini-cheetah", controller=PD)
    found = causes(quadruped(tmp_path, drives={".*_hip": drive}))
    assert found["no-motor"] == "warning"
    found = causes(quadruped(tmp_path, drives={".*_hip": drive}, passive=[".*_(thigh|calf)"]))
    assert "no-motor" not in found
    found = causes(quadruped(tmp_path, drives={".*_(hip|thigh|calf)": drive, "FL_.*": drive, "ankle": drive}))
    assert found["overlap"] == found["pattern-without-joint"] == "error"
    found = causes(quadruped(tmp_path, overrides={"ankle": be.JointDrive(controller=PD)}))
    assert found["override-without-joint"] == "error"


def test_a_typo_in_one_alternative(tmp_path: Path):
    """In a pattern of joints, of an override and of passive joints; the export says it too."""
    drive = be.JointDrive(motor="mit-mini-cheetah", controller=PD)
    robot = quadruped(
        tmp_path, drives={"(FL|FR|RL|RX)_hip|.*_thigh": drive}, passive=[".*_(calf|clf)", "RR_hip"],
        overrides={"FL_hip|FL_tigh": be.JointDrive(controller=PD)},
    )  # fmt: skip
    found = {each.figure: each for each in robot.check() if each.cause == "alternative-without-joint"}
    assert {name: each.explanation.split('"')[1] for name, each in found.items()} == {
        'joints."(FL|FR|RL|RX)_hip|.*_thigh"': "RX", "passive": "clf", 'override."FL_hip|FL_tigh"': "FL_tigh",
    }  # fmt: skip
    assert {each.severity for each in found.values()} == {"warning"}
    assert 'its alternative "RX" matches no joint' in " ".join(robot.export("mujoco@4.0").notes)
    assert "alternative-without-joint" not in causes(quadruped(tmp_path, drives={".*_(hip|thigh|calf)": drive}))


GRIPPER = """<mujoco><worldbody>
  <body><joint name="left" axis="0 1 0"/><geom size="0.1" pos="0.1 0 0"/></body>
  <body pos="1 0 0"><joint name="right" axis="0 1 0"/><geom size="0.1" pos="0.1 0 0"/></body>
  <body pos="2 0 0"><joint name="tip" axis="0 1 0"/><geom size="0.1" pos="0.1 0 0"/></body>
  <body pos="3 0 0"><joint name="free_1" axis="0 1 0"/><geom size="0.1" pos="0.1 0 0"/></body>
  <body pos="4 0 0"><joint name="free_2" axis="0 1 0"/><geom size="0.1" pos="0.1 0 0"/></body>
</worldbody>
<equality><joint joint1="left" joint2="right"/><joint joint1="right" joint2="tip"/></equality>
ACTUATOR</mujoco>"""


def test_joints_that_an_equality_moves_need_no_motor(tmp_path: Path):
    """The tip follows the left finger over the right one; joints that nothing moves are one finding."""
    (tmp_path / "gripper.xml").write_text(GRIPPER.replace("ACTUATOR", ""))
    drive = be.JointDrive(motor="mit-mini-cheetah", controller=PD)
    robot = be.Robot(model=tmp_path / "gripper.xml", drives={"left": drive}, supply=be.Supply(voltage=24.0))
    said = {each.figure: each for each in robot.check()}
    assert said["joints right, tip"].cause == "moved-along" and said["joints right, tip"].severity == "info"
    assert said["joints free_1, free_2"].cause == "no-motor" and said["joints free_1, free_2"].severity == "warning"
    # where the finger has no motor either, nothing moves them
    robot = be.Robot(model=tmp_path / "gripper.xml", drives={"free_.*": drive})
    assert {each.figure for each in robot.check() if each.cause == "no-motor"} == {"joints left, tip", "joint right"}


@pytest.mark.parametrize("to", ["mujoco@4.0", "mjlab"])
def test_an_actuator_of_joints_with_and_without_a_motor(to: str, tmp_path: Path):
    """A tendon that pulls at both: the check says what the export refuses, for every simulator alike."""
    tendon = """<tendon><fixed name="both"><joint joint="left" coef="1"/><joint joint="tip" coef="1"/></fixed></tendon>
    <actuator><motor name="pull" tendon="both"/></actuator>"""
    (tmp_path / "gripper.xml").write_text(GRIPPER.replace("ACTUATOR", tendon))
    drive = be.JointDrive(motor="mit-mini-cheetah", controller=PD)
    robot = be.Robot(model=tmp_path / "gripper.xml", drives={"left": drive}, supply=be.Supply(voltage=24.0))
    assert causes(robot)["shared-actuator"] == "error"
    with pytest.raises(be.ParameterError, match="the actuator 'pull' drives 'tip' besides 'left'"):
        robot.export(to)
    both = be.Robot(model=tmp_path / "gripper.xml", drives={"left|tip": drive}, supply=be.Supply(voltage=24.0))
    assert "shared-actuator" not in causes(both)
    assert "pull" not in both.export(to).text


def test_inertia_that_counts_twice(tmp_path: Path):
    """The model's armature and the rotor: replaced with a word about it, added with a warning."""
    found = [each for each in quadruped(tmp_path).check() if each.cause == "replaced" and each.listed is not None]
    assert {each.listed for each in found} == {0.01, 0.02}
    assert [each.predicted for each in found] == pytest.approx(2 * [36 * 6.3e-5])
    found = causes(quadruped(tmp_path, armature="add", friction="add"))
    assert found["double-inertia"] == found["double-friction"] == "warning"
    assert "replaced" not in found


def test_limits_above_the_motors(tmp_path: Path):
    """40 N·m of the model's actuators over the 18 N·m of the motor; 10 N·m in a URDF are below."""
    (found,) = [each for each in quadruped(tmp_path).check() if each.cause == "above-motor"]
    assert (found.listed, found.predicted) == (40.0, pytest.approx(18.0))
    drives = {"joint_.*": be.JointDrive(motor="mit-mini-cheetah", controller=PD)}
    robot = be.Robot(model=write_arm_urdf(tmp_path, effort=10.0), drives=drives, passive=["finger"])
    assert causes(robot) == {}
    assert [each.figure for each in robot.check()] == ["supply", "robot"]


def test_units_that_were_mixed_up(tmp_path: Path):
    """An effort in kgf·cm, a range in degrees, an armature in kg·cm²."""
    drives = {"joint_.*": be.JointDrive(motor="mit-mini-cheetah", controller=PD)}
    robot = be.Robot(model=write_arm_urdf(tmp_path, effort=18.0 / 0.0980665), drives=drives, passive=["finger"])
    assert causes(robot) == {"kgf*cm-as-N*m": "warning"}
    path = write_quadruped(tmp_path)
    path.write_text(path.read_text().replace('range="-0.8 0.8" armature="0.01"', 'range="-46 46" armature="22.7"'))
    found = causes(be.Robot(model=path, drives={".*": drives["joint_.*"]}))
    assert found["deg-as-rad"] == found["armature-unit"] == "warning"


def test_a_supply_that_is_too_weak(tmp_path: Path):
    """Twelve motors of 34.6 A: a supply for 100 A is too weak for all, one for 20 A for any of them."""
    total: SupplyCurrent = quadruped(tmp_path).export("mujoco@4.0").supply
    assert total.peak == pytest.approx(12 * PEAK) and total.largest == pytest.approx(PEAK)
    assert len(total.without_continuous) == 12 and total.continuous == 0.0
    assert causes(quadruped(tmp_path, peak_current=100.0))["weak-supply"] == "warning"
    assert causes(quadruped(tmp_path, peak_current=20.0))["weak-supply"] == "error"
    assert "weak-supply" not in causes(quadruped(tmp_path, peak_current=500.0))
    # 415.7 A over 10 mΩ leave 19.8 of 24 V, over 20 mΩ 15.7 V, which is below 80 %
    assert "sag" not in causes(quadruped(tmp_path, supply=be.Supply(voltage=24.0, resistance=0.01)))
    assert causes(quadruped(tmp_path, supply=be.Supply(voltage=24.0, resistance=0.02)))["sag"] == "warning"


def test_a_supply_for_another_motor(tmp_path: Path):
    """A servo of 5 V on 48 V; twice the nominal voltage is common, and a drive may keep the rest away."""
    servo = be.load("dynamixel-xl330-m288")
    found = causes(quadruped(tmp_path, drives={".*": be.JointDrive(motor=servo)}, supply=be.Supply(voltage=48.0)))
    assert found["above-nominal"] == "info"
    limited = replace(servo, voltage_limit=6.0)
    for motor, volts in ((servo, 10.0), (limited, 48.0)):
        robot = quadruped(tmp_path, drives={".*": be.JointDrive(motor=motor)}, supply=be.Supply(voltage=volts))
        assert "above-nominal" not in causes(robot)


def test_continuous_current_of_all_motors(tmp_path: Path):
    """Four RE 40, each with the continuous current of its datasheet, on a supply for less and one for more."""
    motor = be.load("maxon-re40-148867")
    amperes = continuous_current(motor.motor)
    write_quadruped(tmp_path)
    drives = {".*_hip": be.JointDrive(motor="maxon-re40-148867")}
    robot = quadruped(tmp_path, drives=drives, passive=[".*_(thigh|calf)"], continuous_current=3.9 * amperes)
    assert causes(robot)["weak-supply"] == "warning"
    robot = quadruped(tmp_path, drives=drives, passive=[".*_(thigh|calf)"], continuous_current=4.1 * amperes)
    assert "weak-supply" not in causes(robot)


# --- the command line


def run(*words: object):
    return CliRunner().invoke(app, [str(word) for word in words])


def test_the_command_checks_a_robot(tmp_path: Path):
    """Warnings end in 0, what cannot be in 1, what cannot be read in 2; JSON has every finding."""
    path = write_robot(tmp_path)
    done = run("check", path)
    assert done.exit_code == 0 and "forcerange of its <position> = 40 N·m" in " ".join(done.output.split())
    rows = json.loads(run("check", path, "--json").output)
    assert {row["cause"] for row in rows} >= {"above-motor", "replaced"}
    path.write_text(ROBOT + '[joints."ankle"]\nmotor = "mit-mini-cheetah"\n')
    done = run("check", path)
    assert done.exit_code == 1 and 'joints."ankle": matches no joint' in " ".join(done.output.split())
    path.write_text(ROBOT.replace('"24 V"', '"24 A"'))
    assert run("check", path).exit_code == 2


def test_the_command_exports_a_robot(tmp_path: Path):
    """A table for each kind of joint, the changes, the supply, and the file; options of one motor are refused."""
    path, out = write_robot(tmp_path), tmp_path / "with_motors.xml"
    done = run("export", path, "--to", "mujoco@4.0", "--quick", "-o", out)
    assert done.exit_code == 0, done.output
    assert out.exists()
    flat = " ".join(done.output.split())
    assert ".*_(hip|thigh) (8 joints): what MuJoCo 4.0 makes of it" in flat
    assert ".*_calf (4 joints): what MuJoCo 4.0 makes of it" in flat
    assert "replaced by <dcmotor> 'FL_hip_act'. (and 11 alike)" in flat
    assert "supply: 12 motors draw up to" in flat
    known = json.loads(run("export", path, "--to", "mjlab", "--quick", "--json").output)
    assert len(known["kinds"]) == 2 and list(known["files"]) == ["robot_model.xml"]
    for words in (("--joint", "FL_hip"), ("--controller", "torque"), ("--supply", "voltage=24V")):
        done = run("export", path, "--to", "mujoco", *words)
        assert done.exit_code == 2 and f"{words[0]} is for one motor" in done.output
    assert run("export", path).exit_code == 2
    assert run("export", "mit-mini-cheetah", "--to", "mujoco", "--quick").exit_code == 2


def test_the_command_finds_the_torque_error(tmp_path: Path):
    """Without --quick each kind has the errors that its motor has alone."""
    path = tmp_path / "robot.toml"
    joints = 'joint_names = ["knee"]\n[supply]\nvoltage = "24 V"\n[joints."knee"]\nmotor = "mit-mini-cheetah"\n'
    path.write_text(f'format = "backemf robot 1"\n{joints}')
    (kind,) = json.loads(run("export", path, "--to", "isaaclab", "--json").output)["kinds"]
    alone = be.export("mit-mini-cheetah", "isaaclab", supply=24.0).errors
    assert [row["where"] for row in kind["errors"]] == [row.where for row in alone]
    assert kind["errors"][0]["worst"] == pytest.approx(alone[0].worst)


def test_the_commands_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """On the example, which is the page's file; every file is written, and findings are as printed."""
    page = (ROOT / "docs" / "tutorials" / "robot.md").read_text(encoding="utf-8")
    shown = re.search(r"^```toml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    example = (ROOT / "examples" / "robot" / "robot.toml").read_text(encoding="utf-8")
    assert shown is not None and shown[1].strip() == example.partition("\n")[2].strip()
    shutil.copytree(ROOT / "examples" / "robot", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    commands = re.findall(r"^backemf (.*)$", page, re.MULTILINE)
    assert len(commands) == 5
    for command in commands:
        words = shlex.split(command)
        done = run(*words, *(["--quick"] if words[0] == "export" else []))
        assert done.exit_code == 0, done.output
        if "-o" in words:
            assert Path(words[-1]).exists()
        else:
            said = " ".join(done.output.split())
            printed = page.partition(command)[2].split("```")[2]
            for finding in re.split(r"^(?=warning|info)", printed, flags=re.MULTILINE)[1:]:
                assert " ".join(finding.split()) in said
