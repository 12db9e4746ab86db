"""Controllers from end to end: scripts, robot files, records, pictures, sounds and the command line."""

import os
import re
import subprocess
import sys
import threading
import time
import wave
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow.parquet
import pytest
from typer.testing import CliRunner
from webots_rig import HIP, hip, lines

from backemf.cli.app import app
from backemf.errors import ParameterError
from backemf.sims import webots
from backemf.sims.webots import controller
from backemf.sims.webots.records import wav
from backemf.sims.webots.robots.description import with_inertia

SCRIPTS = Path(__file__).parent / "webots_scripts"
EXAMPLES = Path(__file__).parent.parent / "examples" / "webots"
BACKENDS = ("ideal", "motor", "mujoco")


@pytest.fixture
def robot_file(tmp_path):
    path = tmp_path / "robot.toml"
    path.write_text(HIP % "")
    return path


def called(*words):
    return CliRunner().invoke(app, ["webots", "run", *map(str, words)])


# --- the three controllers


def recorded(name: str, backend: str) -> dict[str, np.ndarray]:
    if backend == "mujoco":
        pytest.importorskip("mujoco")
    robot = webots.load_robot(EXAMPLES / "robot.toml").with_values(backend=backend)
    recorder = webots.Recorder()
    ended = webots.run_script(EXAMPLES / f"{name}.py", robot, recorder=recorder)
    assert (ended.code, ended.error) == (0, None)
    assert ended.simulation.time == pytest.approx(4.0)
    return recorder.table()


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_position_loop_runs_unchanged(backend, capsys) -> None:
    """The arm goes to each target in turn, and comes to rest at the last."""
    table = recorded("position_loop", backend)
    assert capsys.readouterr().out.count("reached") == 3
    assert table["position[arm motor]"].max() > 1.1 and table["position[arm motor]"].min() < -0.5
    assert table["position[arm motor]"][-1] == pytest.approx(0.0, abs=0.03)


@pytest.mark.parametrize("backend", BACKENDS)
def test_endless_velocities_run_unchanged(backend) -> None:
    """Both wheels reach the velocity that they were told, and turn round half-way."""
    table = recorded("endless_velocity", backend)
    half = np.searchsorted(table["time"], 1.9)
    for name, before, after in (("left", 20.0, -10.0), ("right", 10.0, -20.0)):
        speed = table[f"velocity[{name} wheel motor]"]
        assert (speed[half], speed[-1]) == pytest.approx((before, after), rel=0.01)


@pytest.mark.parametrize("backend", BACKENDS)
def test_torque_control_with_feedback_runs_unchanged(backend, capsys) -> None:
    """The arm swings to where spring and weight are in balance; the feedback of the wheel is printed."""
    table = recorded("torque_control", backend)
    assert capsys.readouterr().out.count("the wheel takes 0.4") >= 3
    angle = table["position[arm motor]"][-1]
    # the full motor may stop short of it by its friction
    assert 4.0 * (0.8 - angle) == pytest.approx(
        0.4 * 9.81 * 0.3 * np.sin(angle), abs=0.35 if backend == "motor" else 0.01
    )
    assert set(table["mode[arm motor]"][1:]) == {2.0} and set(table["mode[left wheel motor]"]) == {0.0}


# --- scripts


def test_a_script_runs_as_a_program_in_its_own_folder(capsys) -> None:
    """With its arguments, its modules, and `controller`; nothing of it is left afterwards."""
    before, argv, path, modules = os.getcwd(), sys.argv, list(sys.path), set(sys.modules)
    webots.run_script(SCRIPTS / "says.py", hip(), ["--fast", "3"])
    assert capsys.readouterr().out.splitlines() == [
        "arguments ['--fast', '3']", "folder webots_scripts", "beside Camera __main__",
    ]  # fmt: skip
    assert (os.getcwd(), sys.argv, sys.path) == (before, argv, path)
    assert "controller" not in sys.modules and "beside" not in sys.modules
    assert {name for name in set(sys.modules) - modules if "webots_scripts" in name} == set()
    with pytest.raises(ValueError, match="no simulation is running"):
        controller.Robot()


def test_a_module_of_that_name_comes_back(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "controller", os)
    webots.run_script(SCRIPTS / "leaves.py", hip())
    assert sys.modules["controller"] is os


def test_arguments_come_from_the_robot_file(capsys) -> None:
    robot = webots.robot_from_toml('arguments = ["a", "b"]\n' + HIP % "")
    webots.run_script(SCRIPTS / "says.py", robot)
    assert "arguments ['a', 'b']" in capsys.readouterr().out


def test_a_script_that_goes_on_is_ended() -> None:
    """One step after the one that said -1, as in Webots."""
    ended = webots.run_script(SCRIPTS / "goes_on.py", hip(), duration=0.32)
    assert (ended.code, ended.error, ended.simulation.count) == (0, None, 10)


def test_a_second_thread_that_goes_on_is_ended_without_a_word(capsys, monkeypatch) -> None:
    """Python keeps quiet about a thread that exits, if it exits by SystemExit itself."""
    monkeypatch.setattr(threading, "excepthook", threading.__excepthook__)
    webots.run_script(SCRIPTS / "goes_on_in_a_thread.py", hip(), duration=0.32)
    assert capsys.readouterr().err == ""


def test_what_a_script_commands_last_is_sent_when_it_ends(capsys) -> None:
    """As Webots does it: the library sends it when the script ends, and time goes on without the script."""
    recorder = webots.Recorder()
    ended = webots.run_script(SCRIPTS / "ends_at_once.py", hip(), recorder=recorder, duration=3.2)
    assert (ended.code, ended.simulation.count) == (0, 100)
    assert recorder.table()["position[hip]"][-1] == pytest.approx(0.5, abs=1e-3)
    assert lines(capsys) == ["Note: the script ended at t = 0 s; the run continues to its end with the last commands"]


def test_a_script_that_leaves_nothing_unsent_ends_the_run() -> None:
    """It commands nothing."""
    assert webots.run_script(SCRIPTS / "says.py", hip()).simulation.count == 0


def test_an_exit_code_is_kept() -> None:
    assert webots.run_script(SCRIPTS / "leaves.py", hip()).code == 3


def test_a_script_that_raises_leaves_its_record(tmp_path, robot_file) -> None:
    """Its own lines are in the traceback, ours are not; the file is whole and has every step until then."""
    target = tmp_path / "run.parquet"
    done = called(SCRIPTS / "raises.py", "--robot", robot_file, "-o", target, "--plot", tmp_path / "run.png")
    assert done.exit_code == 1
    assert "RuntimeError: the gripper is on fire" in done.stderr and 'raises.py", line 11' in done.stderr
    assert "runpy" not in done.stderr and "running.py" not in done.stderr
    assert done.stderr.splitlines()[-1] == (
        f"{SCRIPTS / 'raises.py'} raised RuntimeError at t = 0.512 s; what was recorded until then is in {target}."
    )
    table = pyarrow.parquet.read_table(target)
    assert table.num_rows == 16 and not list(tmp_path.glob("*.part"))
    assert (tmp_path / "run.png").stat().st_size > 1000


def test_a_script_that_is_stopped_leaves_its_record(tmp_path, robot_file) -> None:
    target = tmp_path / "run.parquet"
    done = called(SCRIPTS / "interrupted.py", "--robot", robot_file, "-o", target)
    assert done.exit_code == 130 and "interrupted.py was stopped at t = 0.224 s" in done.stderr
    assert pyarrow.parquet.read_table(target).num_rows == 7


def test_a_device_that_is_not_there_ends_in_the_scripts_own_error(robot_file) -> None:
    """Webots' message first, then what Python says of using None."""
    done = called(SCRIPTS / "nothing_there.py", "--robot", robot_file)
    assert done.exit_code == 1
    assert done.stderr.splitlines()[0] == 'Device "hipp" was not found on robot "leg"'
    assert "'NoneType' object has no attribute 'setPosition'" in done.stderr


TEN_STEPS = """
from pathlib import Path
from controller import Robot

robot = Robot()
for _ in range(10):
    robot.step(32)
Path(__file__).with_name("ten").touch()
while True:
    robot.step(32)
"""


def test_a_run_that_is_told_to_terminate_closes_its_record(tmp_path, robot_file) -> None:
    """SIGTERM ends it after ten steps or more, and the file is whole."""
    script, target = tmp_path / "script.py", tmp_path / "run.parquet"
    script.write_text(TEN_STEPS)
    words = ["webots", "run", script, "--robot", robot_file, "-o", target, "--realtime"]
    process = subprocess.Popen([sys.executable, "-m", "backemf", *map(str, words)])
    try:
        while not (tmp_path / "ten").exists():
            assert process.poll() is None, "it ended before it could be stopped"
            time.sleep(0.02)
        process.terminate()
        assert process.wait() == 143
    finally:
        process.kill()
    assert pyarrow.parquet.read_table(target).num_rows >= 10


def test_real_time_takes_its_time(monkeypatch) -> None:
    """On a clock that only waiting moves, ten steps of 32 ms wait for 32 ms each."""
    waits: list[float] = []
    clock = SimpleNamespace(monotonic=lambda: sum(waits), sleep=waits.append)
    monkeypatch.setattr("backemf.sims.webots.simulation.time", clock)
    webots.run_script(SCRIPTS / "goes_on.py", hip(), duration=0.32, realtime=True)
    assert sum(waits) == pytest.approx(0.32) and max(waits) == pytest.approx(0.032)


# --- the record


def test_a_record_has_every_motor_with_units(tmp_path) -> None:
    """A column per quantity and motor; the unit is in its metadata."""
    target = tmp_path / "run.parquet"
    webots.run_script(
        EXAMPLES / "endless_velocity.py", webots.load_robot(EXAMPLES / "robot.toml"), recorder=webots.Recorder(target)
    )
    table = pyarrow.parquet.read_table(target)
    units = {field.name: field.metadata[b"unit"].decode() for field in table.schema}
    assert units["time"] == "s" and units["position[arm motor]"] == "rad" and units["torque[arm motor]"] == "N*m"
    assert units["velocity[left wheel motor]"] == "rad/s" and units["mode[arm motor]"] == "1"
    assert table.num_rows == 250 and table["time"][-1].as_py() == pytest.approx(4.0)
    assert table["commanded_velocity[left wheel motor]"][100].as_py() == 20.0


def test_a_record_of_full_motors_has_current_and_temperature() -> None:
    robot = webots.load_robot(EXAMPLES / "robot.toml").with_values(backend="motor", duration=0.32)
    recorder = webots.Recorder()
    webots.run_script(EXAMPLES / "endless_velocity.py", robot, recorder=recorder)
    table = recorder.table()
    assert np.isfinite(table["current[left wheel motor]"]).all()
    assert table["winding_temperature[left wheel motor]"][-1] > 25.0
    assert recorder.units["voltage[arm motor]"] == "V"


def test_a_long_record_is_written_as_it_comes(tmp_path, monkeypatch) -> None:
    """In several pieces, which make one table."""
    monkeypatch.setattr("backemf.sims.webots.records.recording.ROWS", 10)
    monkeypatch.setattr("backemf.recording_writing.GROUP", 10)
    monkeypatch.setattr("backemf.recording_writing.GROUP_BYTES", 0)
    monkeypatch.setattr("backemf.recording_writing.GROUP_COLUMN_BYTES", 0)
    target = tmp_path / "run.parquet"
    recorder = webots.Recorder(target, keep=False)
    with webots.simulate(hip(), duration=1.0, recorder=recorder, hints=False):
        robot = controller.Robot()
        robot.getDevice("hip").setPosition(1.0)
        while robot.step(32) != -1:
            pass
        assert (tmp_path / "run.parquet.part").exists() and not target.exists()
    table = pyarrow.parquet.ParquetFile(target)
    assert table.metadata.num_row_groups == 4 and table.metadata.num_rows == 31
    with pytest.raises(ParameterError, match="did not stay in memory"):
        recorder.table()


def test_a_record_that_cannot_be_written_is_one_sentence(tmp_path) -> None:
    recorder = webots.Recorder(tmp_path / "no" / "run.parquet")
    with pytest.raises(ParameterError, match="cannot be written"), webots.simulate(hip(), recorder=recorder):
        pass


def test_the_record_says_torque_and_feedback_apart() -> None:
    """The battery's energy is in it where there is one."""
    recorder = webots.Recorder()
    robot = webots.robot_from_toml('battery = ["100 J", "100 J", "0 W"]\n' + HIP % "")
    with webots.simulate(robot, recorder=recorder, hints=False):
        script = controller.Robot()
        script.getDevice("hip").setTorque(1.0)
        script.step(64)
    table = recorder.table()
    assert list(table["torque[hip]"]) == [1.0, 1.0] and list(table["torque_feedback[hip]"]) == [0.0, 0.0]
    assert table["battery"][-1] == pytest.approx(100.0 - 0.064 * 10.0)


# --- sound


def read_wave(path) -> tuple[np.ndarray, int]:
    with wave.open(str(path)) as file:
        assert (file.getnchannels(), file.getsampwidth()) == (1, 2)
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(float), file.getframerate()


def pitch(samples: np.ndarray, rate: int) -> float:
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    return float(np.fft.rfftfreq(len(samples), 1 / rate)[spectrum.argmax()])


def sung(velocity: float, **world) -> webots.Recorder:
    """The record of a motor that goes at a velocity of at most 8 rad/s for a second."""
    recorder = webots.Recorder()
    with webots.simulate(hip(), duration=1.024, recorder=recorder, hints=False):
        robot = controller.Robot()
        robot.getDevice("hip").setPosition(float("inf"))
        robot.getDevice("hip").setVelocity(velocity)
        while robot.step(32) != -1:
            pass
    return recorder


@pytest.mark.parametrize("velocity", [8.0, 4.0])
def test_pitch_and_volume_follow_the_velocity(velocity, tmp_path) -> None:
    """Pitch 0.6 + 0.8 v and gain 0.9 + 0.1 v of the share v of the largest velocity."""
    samples, rate = read_wave(webots.write_sound(sung(velocity), tmp_path / "run.wav"))
    assert len(samples) / rate == pytest.approx(1.024, abs=1e-3)
    share = velocity / 8.0
    assert pitch(samples, rate) == pytest.approx(220 * (0.6 + 0.8 * share), abs=2.0)
    full = wav.motor_sound(sung(8.0))
    middle = slice(len(full) // 4, 3 * len(full) // 4)
    ratio = np.abs(samples[middle]).max() / 32767 / np.abs(full[middle]).max()
    assert ratio == pytest.approx(0.9 + 0.1 * share, abs=0.01)


def test_a_slow_motor_is_silent() -> None:
    """Up to a tenth of the largest velocity."""
    assert np.abs(wav.motor_sound(sung(0.8))).max() == 0.0
    assert np.abs(wav.motor_sound(sung(0.81))).max() > 0.5


def test_a_wave_file_of_its_own_is_played_round_and_round(tmp_path) -> None:
    """Shifted in pitch as any other; 8 bit and two channels are read too."""
    tone = np.sin(2 * np.pi * 500 * np.arange(8000) / 8000)
    with wave.open(str(tmp_path / "hum.wav"), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(1)
        file.setframerate(8000)
        file.writeframes(np.repeat(np.round(127 * tone + 128), 2).astype("u1").tobytes())
    sound = wav.motor_sound(sung(8.0), {"hip": str(tmp_path / "hum.wav")})
    assert pitch(sound, wav.RATE) == pytest.approx(500 * 1.4, abs=2.0)
    (tmp_path / "no.wav").write_text("no wave")
    with pytest.raises(ParameterError, match=r"no.wav: is not a wave file that can be read"):
        wav.motor_sound(sung(8.0), {"hip": str(tmp_path / "no.wav")})


def test_the_sound_of_a_robot_is_looked_for_beside_its_file(tmp_path) -> None:
    path = tmp_path / "robot.toml"
    path.write_text(HIP % ', sound = "hum.wav"')
    with pytest.raises(ParameterError, match=r"the sound 'hum.wav' of 'hip' is not there"):
        wav.waves_of(webots.load_robot(path))
    (tmp_path / "hum.wav").write_bytes(b"")
    assert wav.waves_of(webots.load_robot(path)) == {"hip": str(tmp_path / "hum.wav")}


def test_where_nothing_can_play_it_is_said(monkeypatch, tmp_path) -> None:
    """And a player that fails is named."""
    monkeypatch.setattr(wav.shutil, "which", lambda name: None)
    assert wav.play(tmp_path / "run.wav") == "No program to play sounds is installed (aplay, paplay, ffplay, afplay)."
    monkeypatch.setattr(wav.shutil, "which", lambda name: sys.executable if name == "ffplay" else None)
    assert wav.play("run.wav") == "ffplay could not play run.wav (exit code 2)."


# --- robot files


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nam = 'x'\n", "robot.toml: there is no field 'nam'; did you mean name?"),
        (HIP % ', max_tork = "5 N*m"', "[[joint]] 1, motor: there is no field 'max_tork'; did you mean max_torque?"),
        (HIP.replace("damping", "dampning") % "", "[[joint]] 1: there is no field 'dampning'; did you mean damping?"),
        (HIP.replace('"0.02 kg*m^2"', "0.02") % "", "1 inertia = 0.02: must be a text with a unit, such as '1 kg*m^2'"),
        (HIP.replace("0.02 kg*m^2", "-0.02 kg*m^2") % "", "[[joint]] 1 inertia = -0.02: must be above 0"),
        (HIP.replace("0.02 kg*m^2", "0.02 kg") % "", '1 inertia: "0.02 kg" is a mass, not a moment of inertia'),
        (HIP.replace("32 ms", "-32 ms") % "", "basic_time_step = -0.032: must be a finite number greater than 0"),
        (HIP % ', max_position = "90"', "motor max_position = '90' has no unit: write it like \"90 deg\""),
        (HIP % ", control_pid = [0, 0, 0]", "1, motor: WebotsMotor.control_p = 0: must be a finite number greater"),
        (HIP % ", control_pid = [1, 2]", "motor control_pid = [1, 2]: must be three numbers"),
        (HIP % ", multiplier = nan", "motor multiplier = nan: must be a finite number"),
        (HIP % ', acceleration = "1 rad"', "is a plain number or angle, not"),
        (HIP.replace('"hip sensor"', '"hip"') % "", "two devices are called 'hip'; give each its own name"),
        (HIP.replace('"hip sensor"', '"s", noise = "-1 rad"') % "", "sensor: noise = -1: must be 0 or more"),
        ("[[joint]]\nkind = 'ball'\n", "[[joint]] 1 kind = 'ball': must be hinge or slider"),
        ("backend = 'real'\n" + HIP % "", "backend = 'real': must be one of ideal, motor, mujoco"),
        ("battery = ['5 W']\n" + HIP % "", "battery: \"5 W\" is a power, not"),
        ("battery = ['-5 J']\n" + HIP % "", "battery = ['-5 J']: must be 0 or more"),
        ("joint = 3\n", "robot.toml: joint = 3: must be tables [[joint]]"),
        ("name = 'x'\n", "robot.toml: the robot has no motor that a controller could drive"),
        ("name = \n", "correct the TOML there"),
        ("[[joint]]\nphysics = false\ninertia = '1 kg*m^2'\n", "inertia would never take effect without physics"),
        (HIP % "" + "[[coupling]]\nleader = 'hip'\n", "[[coupling]] 1: needs follower = the name of a joint"),
    ],
)  # fmt: skip
def test_a_robot_file_that_is_wrong_is_one_sentence(text, said) -> None:
    with pytest.raises(ParameterError) as error:
        webots.robot_from_toml(text)
    assert said in str(error.value) and "\n" not in str(error.value) and str(error.value).startswith("robot.toml")


def test_a_robot_file_is_corrected_as_webots_corrects_a_world(capsys) -> None:
    """Negative limits lose their sign or get their default, each with Webots' warning."""
    text = HIP.replace(
        'max_torque = "5 N*m", max_velocity = "8 rad/s"', 'max_torque = "-5 N*m", max_velocity = "-8 rad/s"'
    )
    robot = webots.robot_from_toml(text % ', multiplier = 0, acceleration = "-3 rad/s^2"')
    with webots.simulate(robot):
        said = lines(capsys)
    assert said == [
        "WARNING: robot.toml, [[joint]] 1: Invalid 'maxVelocity' changed to 8. The value should be non-negative.",
        "WARNING: robot.toml, [[joint]] 1: Invalid 'acceleration' changed to -1. The value should be either -1 or "
        "non-negative.",
        "WARNING: robot.toml, [[joint]] 1: Invalid 'maxTorque' changed to 10. The value should be non-negative.",
        "WARNING: robot.toml, [[joint]] 1: The value of 'multiplier' cannot be 0. Value reverted to 1.",
    ]


def test_units_of_a_robot_file_are_what_they_say() -> None:
    robot = webots.robot_from_toml(
        HIP.replace("0.02 kg*m^2", "200 kg*cm^2")
        % ', min_position = "-90 deg", max_position = "0.25 rev", acceleration = -1'
    )
    joint = robot.joints[0].world
    assert joint.motor is not None
    assert joint.inertia == pytest.approx(0.02)
    assert (joint.motor.min_position, joint.motor.max_position) == pytest.approx((-np.pi / 2, np.pi / 2))
    assert joint.motor.acceleration == -1.0 and robot.basic_time_step == 0.032


def test_devices_are_in_the_order_of_the_file() -> None:
    """As they are in the scene tree of Webots."""
    robot = webots.robot_from_toml(
        '[[joint]]\ninertia = "1 kg*m^2"\n[joint.brake]\nname = "b"\n[joint.sensor]\n[joint.motor]\nname = "m"\n'
    )
    with webots.simulate(robot):
        assert list(controller.Robot().devices) == ["b", "m sensor", "m"]


def test_a_mass_on_an_arm_has_its_inertia() -> None:
    """m·l² where no inertia is given."""
    robot = webots.robot_from_toml('[[joint]]\nmass = "2 kg"\nlength = "50 cm"\nmotor = { name = "m" }')
    assert robot.joints[0].world.inertia == pytest.approx(0.5)


WORLD = """#VRML_V2023 utf8
WorldInfo { basicTimeStep 8 }
Robot {
  name "arm" model "A1" controller "drive" controllerArgs [ "slow" ] battery [ 50, 60, 0 ] cpuConsumption 2
  children [
    HingeJoint {
      jointParameters HingeJointParameters { axis 0 0 1 dampingConstant 0.1 }
      device [ PositionSensor { name "elbow sensor" resolution 0.01 } Brake { name "elbow brake" }
               RotationalMotor { name "elbow" maxTorque 3 maxVelocity 6 sound "https://x.org/hum.wav" } ]
      endPoint Solid {
        name "forearm"
        physics Physics { density -1 mass 1 centerOfMass [ 0 0 0 ] inertiaMatrix [ 0.01 0.01 0.02, 0 0 0 ] }
      }
    }
    SliderJoint {
      jointParameters JointParameters { axis 1 0 0 }
      device LinearMotor { name "rail" maxForce 20 }
      endPoint Solid { physics Physics { mass 2 } }
    }
  ]
}
Robot { name "other" children [ HingeJoint { device RotationalMotor { name "w" } endPoint Solid { } } ] }
"""


@pytest.fixture
def world(tmp_path):
    path = tmp_path / "arm.wbt"
    path.write_text(WORLD)
    return path


def test_a_world_of_webots_is_a_robot(world) -> None:
    """Motors, joints, sensors, brakes, the battery and the time step, with devices in the order of the text."""
    robot = webots.load_robot(world, "arm")
    assert (robot.name, robot.model, robot.basic_time_step, robot.arguments) == ("arm", "A1", 0.008, ("slow",))
    assert robot.battery == (50.0, 60.0, 0.0) and robot.cpu_consumption == 2.0
    with webots.simulate(robot, hints=False) as simulation:
        script = controller.Robot()
        assert list(script.devices) == ["elbow sensor", "elbow brake", "elbow", "rail"]
        assert script.getBasicTimeStep() == 8.0
        elbow, rail = simulation.axes
        assert (elbow.inertia, elbow.joint.damping_constant, elbow.motor.max_torque) == (0.02, 0.1, 3.0)
        assert (rail.inertia, rail.joint.kind, rail.motor.max_torque) == (2.0, "slider", 20.0)
        script.getDevice("elbow").setPosition(0.5)
        sensor = script.getDevice("elbow sensor")
        sensor.enable(8)
        script.step(800)
        assert sensor.getValue() == 0.5
    assert wav.waves_of(robot) == {}


def test_a_robot_with_brakes_alone_runs() -> None:
    """From 1 rad off its spring's rest, 1 N·m/rad on 1 kg·m²: free it swings with cos(t), braked it hardly leaves."""
    joint = """HingeJoint { jointParameters HingeJointParameters { axis 0 0 1 position 1 springConstant 1 }
      device [ %s PositionSensor { name "%s" } ] endPoint Solid { physics Physics { density -1 mass 1
      centerOfMass [ 0 0 0 ] inertiaMatrix [ 1 1 1, 0 0 0 ] } } }"""
    text = f"""WorldInfo {{ gravity 0 basicTimeStep 1 }} Robot {{ name "still" }} Robot {{ name "swing" children [
      {joint % ('Brake { name "brake" }', "braked")} {joint % ("", "free")} ] }}"""
    with webots.simulate(webots.from_world(webots.read_world(text)), duration=2.0):
        robot = controller.Robot()
        assert robot.getName() == "swing"
        sensors = [robot.getDevice(name) for name in ("braked", "free")]
        for sensor in sensors:
            sensor.enable(1)
        robot.getDevice("brake").setDampingConstant(1000.0)
        for _ in range(1000):
            robot.step(1)
        braked, free = (sensor.getValue() for sensor in sensors)
        assert braked == pytest.approx(np.exp(-1e-3), abs=1e-4)
        assert free == pytest.approx(np.cos(1.0), abs=2e-3)


def test_a_robot_with_sensors_alone_has_nothing_to_drive() -> None:
    """A sensor is no reason to run a robot whose motors are missing."""
    text = 'Robot { children [ HingeJoint { device PositionSensor { name "a" } } ] }'
    with pytest.raises(ParameterError, match="the robot has no motor that a controller could drive"):
        webots.from_world(webots.read_world(text))


def test_a_world_with_two_robots_needs_a_name(world) -> None:
    with pytest.raises(ParameterError, match="which robot: there are 'arm', 'other'; give the name of one"):
        webots.load_robot(world)
    with pytest.raises(ParameterError, match="there is no robot 'leg'; there are 'arm', 'other'"):
        webots.load_robot(world, "leg")
    with pytest.raises(ParameterError, match=r"a robot is a .toml, a .wbt or a .proto file"):
        webots.load_robot("robot.xml")
    with pytest.raises(ParameterError, match=r"nowhere\.toml: no such file; give a robot in TOML"):
        webots.load_robot("nowhere.toml")


@pytest.mark.parametrize("idle", ["void", "<none>", ""])
def test_a_robot_without_a_controller_is_not_the_one_a_script_drives(idle) -> None:
    """Of two robots with motors, the only one that has a controller is taken for a script of any name."""
    robot = 'Robot { name "%s" controller "%s" children [ HingeJoint { device RotationalMotor { name "m" } } ] }'
    world = webots.read_world(robot % ("still", idle) + robot % ("busy", "drive"))
    assert webots.from_world(world, controller="other").name == "busy"
    world = webots.read_world(robot % ("one", idle) + robot % ("two", idle))
    with pytest.raises(ParameterError, match="which robot: there are 'one', 'two'"):
        webots.from_world(world, controller="other")


def test_of_robots_with_one_controller_a_script_drives_the_first() -> None:
    """A swarm is alike, so that a script of any name drives its first robot; of two kinds, one has to be named."""
    robot = 'Robot { name "%s" controller "%s" children [ HingeJoint { device RotationalMotor { name "m" } } ] }'
    swarm = robot % ("still", "void") + robot % ("one", "drive") + robot % ("two", "drive")
    chosen = webots.from_world(webots.read_world(swarm), controller="other")
    assert chosen.name == "one" and chosen.warnings == ("world: 'other' drives 'one' here, and not 'two' (--name)",)
    with pytest.raises(ParameterError, match="which robot: there are 'still', 'one', 'two', 'three'"):
        webots.from_world(webots.read_world(swarm + robot % ("three", "lead")), controller="other")


def test_an_inertia_can_be_given_for_joints_that_do_not_say_theirs() -> None:
    """A mesh elsewhere is not known; a Physics without any shape is 1 kg·m² in Webots, whatever the robot."""
    away = 'endPoint Solid { boundingObject Mesh { url "https://a.org/b.stl" } physics Physics { } }'
    robot = webots.from_world(
        webots.read_world(f'HingeJoint {{ device RotationalMotor {{ name "m" }} {away} }}'), "text"
    )
    assert robot.joints[0].world.inertia is None
    assert with_inertia(robot, 0.3).joints[0].world.inertia == 0.3
    text = 'HingeJoint { device RotationalMotor { name "m" } endPoint Solid { physics Physics { } } }'
    robot = webots.from_world(webots.read_world(text), "text")
    assert robot.joints[0].world.inertia == 1.0 and robot.joints[0].world.load.assumed
    assert with_inertia(robot, 0.3).joints[0].world.inertia == 0.3
    assert with_inertia(robot, 0.3, "slider").joints[0].world.inertia == 1.0
    with pytest.raises(ParameterError, match="inertia = -1: must be a finite number above 0"):
        with_inertia(robot, -1.0)


# --- the command line


def test_the_command_line_writes_record_picture_and_sound(tmp_path) -> None:
    files = [tmp_path / f"run.{ending}" for ending in ("parquet", "png", "wav")]
    done = called(
        EXAMPLES / "position_loop.py", "--robot", EXAMPLES / "robot.toml", "-o", files[0], "--plot", files[1],
        "--sound", files[2], "--duration", "1 s",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "0.368 s: reached 1.2 rad" in done.output
    assert [str(path) in done.stdout.replace("\n", "") for path in files] == [True] * 3
    assert pyarrow.parquet.read_table(files[0]).num_rows == 62 and files[1].stat().st_size > 5000
    assert len(read_wave(files[2])[0]) == pytest.approx(44100 * 0.992, abs=50)


def test_the_command_line_puts_motors_behind_devices(world, tmp_path) -> None:
    """For all devices, or for one; --supply feeds them."""
    target = tmp_path / "run.parquet"
    done = called(
        SCRIPTS / "goes_on.py", "--robot", world, "--name", "other", "--inertia", "0.05 kg*m^2", "--backend", "motor",
        "--motor", "w=maxon-re40-gp52c", "--supply", "24 V", "--duration", "64 ms", "-o", target,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "current[w]" in pyarrow.parquet.read_table(target).column_names
    done = called(SCRIPTS / "goes_on.py", "--robot", world, "--name", "other", "--motor", "x=maxon-re40-gp52c")
    assert done.exit_code == 2 and "--motor 'x=maxon-re40-gp52c': the robot has no motor 'x'" in done.stderr


def test_arguments_of_the_script_stand_behind_two_dashes(robot_file) -> None:
    done = called(SCRIPTS / "says.py", "--robot", robot_file, "--", "--fast", "3")
    assert done.exit_code == 0 and "arguments ['--fast', '3']" in done.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nowhere.py",), "nowhere.py: there is no such controller script"),
        ((SCRIPTS / "leaves.py", "--duration", "0 s"), '--duration: "0 s" must be above 0'),
        ((SCRIPTS / "leaves.py", "--duration", "5"), "--duration"),
        ((SCRIPTS / "leaves.py", "--backend", "real"), "backend = 'real': must be one of ideal, motor, mujoco"),
        ((SCRIPTS / "leaves.py", "-o", "run.csv"), "--output run.csv: the name must end in .parquet"),
        ((SCRIPTS / "leaves.py", "--sound", "run.mp3"), "--sound run.mp3: the name must end in .wav"),
        ((SCRIPTS / "leaves.py", "--inertia", "-1 kg"), '--inertia: "-1 kg" must be above 0'),
        ((SCRIPTS / "leaves.py", "--supply", "-1 V"), '--supply: "-1 V" must be above 0'),
        ((SCRIPTS / "leaves.py", "--motor", "no-such-motor", "--backend", "motor"), "no-such-motor"),
    ],
)
def test_bad_options_are_one_sentence(words, said, robot_file) -> None:
    done = called(*words, "--robot", robot_file)
    assert done.exit_code == 2 and said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_hints_can_be_left_out(robot_file, tmp_path) -> None:
    script = tmp_path / "hinted.py"
    script.write_text(
        "from controller import Robot\nr = Robot()\nr.getDevice('hip').setVelocity(1)\n"
        "while r.step(32) != -1:\n    pass\n"
    )
    assert "Hint: Motor" in called(script, "--robot", robot_file).stderr
    assert called(script, "--robot", robot_file, "--no-hints").stderr == ""


# --- the page


@pytest.mark.long
def test_programs_of_the_page_run(tmp_path) -> None:
    """The Python blocks of the page, one after the other, are a program that runs."""
    page = (EXAMPLES.parent.parent / "docs" / "simulators" / "webots.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 4
    program = tmp_path / "program.py"
    program.write_text("\n".join(blocks), encoding="utf-8")
    done = subprocess.run([sys.executable, program], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_page_has_every_option_and_every_field() -> None:
    """Of the command, and of the robot file."""
    from backemf.sims.webots.robots import robot_toml

    page = (EXAMPLES.parent.parent / "docs" / "simulators" / "webots.md").read_text(encoding="utf-8")
    known = set(re.findall(r"(?<![-\w])--[a-z]+(?:-[a-z]+)*", called("--help").output)) - {"--help", "--fast"}
    assert {option for option in known if option not in page} == set()
    for fields in (robot_toml._ROBOT, robot_toml._JOINT, robot_toml._MOTOR, robot_toml._SENSOR, robot_toml._COUPLING):
        assert [name for name in fields if not re.search(rf"`{name}\b", page)] == []


@pytest.mark.long
def test_the_example_draws_its_pictures(tmp_path) -> None:
    """Of three scripts on three backends."""
    pytest.importorskip("mujoco")
    done = subprocess.run(
        [sys.executable, EXAMPLES / "compare.py"], env=os.environ | {"BACKEMF_OUT": str(tmp_path)}, capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(list(tmp_path.glob("webots_*.svg"))) == 4


def test_runs_are_compared_by_a_motor_that_they_have() -> None:
    with pytest.raises(ParameterError, match="motor = 'knee': must be a motor of every run"):
        webots.draw_compared({"one": sung(8.0)}, "knee")
