"""What is suspicious about a log: each defect is found where it was put, and none where there is none."""

import json
import math
import os
from pathlib import Path

import numpy as np
import pytest
from test_cli import call
from typer.testing import CliRunner

import backemf as be
from backemf.cli.app import app, as_options
from backemf.identify.signals import find_lag, resolution, slope_over

DATA = Path(os.environ.get("BACKEMF_DATA", Path(__file__).parents[2] / "shared" / "data"))
STEP = 5e-3
TIME = STEP * np.arange(1200)
SPEED = 12.0
MOTOR = be.Datasheet.load("maxon-re40-148877").motor()


def clean(time: np.ndarray = TIME) -> dict[str, np.ndarray]:
    """A swing of two sines that follows its command by 20 ms, with a current, a duty and a supply that sags."""
    command = np.sin(3.0 * time) + 0.4 * np.sin(11.0 * time)
    late = time - 0.02
    position = np.sin(3.0 * late) + 0.4 * np.sin(11.0 * late)
    velocity = 3.0 * np.cos(3.0 * late) + 4.4 * np.cos(11.0 * late)
    duty = 0.5 * np.sin(3.0 * time) + 0.1 * np.cos(11.0 * time)
    return {
        "position_command": command,
        "position": position,
        "velocity": velocity,
        "current": 2.0 * duty,
        "torque": 0.1 * duty,
        "duty": duty,
        "bus_voltage": 24.0 - 0.4 * np.abs(duty),
        "winding_temperature": 25.0 + 10.0 * (1.0 - np.exp(-time)),
    }


def found(channels: dict, time: np.ndarray = TIME, motor=None) -> set[tuple[str, str, str]]:
    """Channel, cause and severity of each finding."""
    findings = be.Log.from_arrays(time, channels).check(motor)
    for finding in findings:
        assert finding.explanation and "\n" not in finding.explanation
    return {(finding.figure, finding.cause, finding.severity) for finding in findings}


def with_(**changes) -> dict:
    """The clean channels, some of them changed by a function of their values."""
    channels = clean()
    return channels | {name: change(channels[name]) for name, change in changes.items()}


def test_a_clean_log_has_no_findings():
    assert found(clean()) == set()


@pytest.mark.parametrize("name", list(clean()))
def test_a_log_of_one_clean_channel_has_no_findings(name):
    assert found({name: clean()[name]}) == set()


# --- each defect alone

WORD = 1e-3
"""Resolution of a word of 16 bits."""


def wrap(values: np.ndarray) -> np.ndarray:
    """As unsigned 16-bit words of 1e-3 each."""
    return WORD * np.mod(np.round(values / WORD), 65536)


def alternating(volts: np.ndarray) -> np.ndarray:
    """Sampled at one or the other end of the PWM period, the more the larger the duty."""
    return volts + 0.8 * np.abs(clean()["duty"]) * np.where(np.arange(len(volts)) % 2, 1.0, -1.0)


DEFECTS = {
    "wrapped words": ({"current": wrap}, ("current", "wrapped-word", "error")),
    "wrapped angle": (
        {"position": lambda x: np.mod(3 * x, 2 * math.pi), "velocity": lambda x: 3 * x},
        ("position", "wrapped-angle", "error"),
    ),
    "quantisation": ({"position": lambda x: np.round(x / 0.01) * 0.01}, ("position", "quantisation", "info")),
    "coarse": ({"current": lambda x: np.round(x / 0.1) * 0.1}, ("current", "quantisation", "warning")),
    "clipped current": ({"current": lambda x: np.clip(x, -0.7, 0.7)}, ("current", "clipping", "warning")),
    "clipped velocity": ({"velocity": lambda x: np.clip(x, -5.0, 5.0)}, ("velocity", "clipping", "warning")),
    "full duty": ({"duty": lambda x: np.clip(3 * x, -1.0, 1.0)}, ("duty", "saturation", "info")),
    "velocity late": (
        {"velocity": lambda x: np.interp(TIME - 0.02, TIME, x)}, ("velocity", "clock-offset", "warning"),
    ),
    "velocity early": (
        {"velocity": lambda x: np.interp(TIME + 0.02, TIME, x)}, ("velocity", "clock-offset", "warning"),
    ),
    "command late": (
        {"position_command": lambda x: np.interp(TIME - 0.06, TIME, x)}, ("position", "clock-offset", "warning"),
    ),
    "inside the PWM": ({"bus_voltage": alternating}, ("bus_voltage", "inside-pwm", "warning")),
    "degrees": (
        {"position": np.degrees, "position_command": np.degrees}, ("position", "deg-as-si", "error"),
    ),
    "degrees of the position alone": ({"position": np.degrees}, ("position", "deg-as-si", "error")),
    "degrees of the command": ({"position_command": np.degrees}, ("position_command", "deg-as-si", "error")),
    "degrees per second": ({"velocity": np.degrees}, ("velocity", "deg/s-as-si", "error")),
    "rpm": ({"velocity": lambda x: x * 30 / math.pi}, ("velocity", "rpm-as-si", "error")),
    "degrees and rpm": (
        {"position": np.degrees, "position_command": np.degrees, "velocity": lambda x: x * 30 / math.pi},
        ("position", "deg-as-si", "error"),
    ),
    "degrees and turns per second": (
        {"position": np.degrees, "position_command": np.degrees, "velocity": lambda x: x / (2 * math.pi)},
        ("position", "deg-as-si", "error"),
    ),
    "turns per second": ({"velocity": lambda x: x / (2 * math.pi)}, ("velocity", "rev/s-as-si", "error")),
    "gear": ({"velocity": lambda x: 20 * x}, ("velocity", "factor", "error")),
    "sign": ({"velocity": lambda x: -x}, ("velocity", "sign", "error")),
    "per cent": ({"duty": lambda x: 100 * x}, ("duty", "%-as-si", "error")),
    "millivolts": ({"bus_voltage": lambda x: 1000 * x}, ("bus_voltage", "mV-as-si", "error")),
    "kelvin": ({"winding_temperature": lambda x: x + 273.15}, ("winding_temperature", "K-as-si", "error")),
    "cold": ({"winding_temperature": lambda x: 25 + 0.1 * (x - 25)}, ("winding_temperature", "cold", "info")),
    "low duty": ({"duty": lambda x: 0.1 * x}, ("duty", "low", "info")),
    "constant": (
        {"position_command": lambda x: 0.0 * x}, ("position_command", "constant", "warning"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "expected"), DEFECTS.values(), ids=list(DEFECTS))
def test_a_defect_is_found_and_nothing_else(changes, expected):
    """Degrees of the position stand against its velocity and its command, which is one finding of one channel."""
    assert found(with_(**changes)) == {expected}


def test_two_units_that_were_taken_for_others_are_both_named():
    """Degrees over rpm are 6, near the 2π of turns per second: the nearer one is meant."""
    channels = {"position": np.degrees(clean()["position"]), "velocity": clean()["velocity"] * 30 / math.pi}
    worst = be.Log.from_arrays(TIME, channels).check()[0]
    assert 'give units={"position": "deg", "velocity": "rpm"}' in worst.explanation


def test_time_in_milliseconds_is_found():
    """The position seems to move a thousand times slower than the velocity says."""
    assert ("time", "ms-as-si", "error") in found(clean(), 1000 * TIME)


def test_jitter_is_found():
    times = TIME + STEP * np.random.default_rng(1).uniform(-0.2, 0.2, len(TIME))
    assert found(clean(times), times) == {("time", "jitter", "info")}


def test_a_gap_is_found_and_named():
    keep = (TIME < 1.9975) | (TIME > 2.1025)
    channels = {name: values[keep] for name, values in clean().items()}
    assert found(channels, TIME[keep]) == {("time", "gap", "warning")}
    (gap,) = be.Log.from_arrays(TIME[keep], channels).check()
    assert "1 gap in steps of 5 ms, the longest of 110 ms after t = 1.995 s" in gap.explanation


def test_one_direction_is_found():
    turning = {"position": 5.0 * TIME + 0.1 * np.sin(3 * TIME), "velocity": 5.0 + 0.3 * np.cos(3 * TIME)}
    assert found(turning) == {("velocity", "one-direction", "info")}
    assert found({"position": turning["position"]}) == {("position", "one-direction", "info")}


def test_standstill_is_found():
    assert found({"velocity": np.zeros(100), "current": clean()["current"][:100]}, TIME[:100]) == {
        ("velocity", "standstill", "info")
    }


def test_a_response_that_is_one_step_late_is_normal():
    assert found(with_(position_command=lambda x: np.interp(TIME - 0.015, TIME, x))) == set()


@pytest.mark.parametrize(("shift", "words"), [(-0.02, "20 ms behind"), (0.02, "20 ms ahead of")])
def test_a_velocity_that_is_off_says_how_far(shift, words):
    channels = with_(velocity=lambda x: np.interp(TIME + shift, TIME, x))
    (offset,) = be.Log.from_arrays(TIME, channels).check()
    assert offset.explanation.startswith(f"{words} the slope of the position")


# --- against the rig


def test_a_log_that_contradicts_its_rig_is_found():
    """A weight of 1.13 kg on a rig with 0.49 kg, a command in volts for a servo, motion of a locked joint."""
    log = be.Log.from_arrays(TIME, clean(), meta={"mass": 0.49, "kp": 400})
    pendulum = be.Pendulum(mass=0.49, length=0.1)

    def said(rig: be.Rig, log: be.Log = log) -> list[str]:
        return [f"{x.severity} {x.figure}" for x in log.check(rig=rig)]

    servo = be.DutyServo(kp=2.0)
    assert said(be.Rig(pendulum, firmware=servo)) == []
    assert said(be.Rig(pendulum), log.with_meta(mass=1.13)) == ["error load.mass"]
    spread = be.Rig(pendulum, spreads={"load.mass": "1 %"})
    assert said(spread, log.with_meta(mass=0.50)) == [] and said(spread, log.with_meta(mass=0.51)) == [
        "error load.mass"
    ]
    assert said(be.Rig(pendulum, firmware=be.Voltage())) == ["error command"]
    assert said(be.Rig(be.LockedRotor())) == ["error position"]
    assert said(be.Rig(be.RobotModel(model="a.xml", joints=("hip", "knee")))) == ["error position"]
    noted = be.Rig.parse('format = "backemf rig 1"\n[load]\nkind = "Inertia"\ninertia = "log.inertia kg*m^2"')
    assert said(noted) == ["error notes"]


def test_a_resolution_that_is_not_the_rigs_is_found():
    """Advice to give it to the rig is for a rig that has none."""
    coarse = be.Log.from_arrays(TIME, with_(position=lambda x: np.round(x / 0.01) * 0.01))
    pendulum, sensor = be.Pendulum(mass=0.49, length=0.1), be.Sensor
    causes = {
        step: [x.cause for x in coarse.check(rig=be.Rig(pendulum, sensors={"position": sensor(quantisation=step)}))]
        for step in (0.0, 0.01, 0.01 * math.pi / 180)
    }
    assert list(causes.values()) == [["quantisation"], [], ["rig"]]


# --- against the motor


def test_the_sizes_of_the_motor_are_known():
    """RE 40 at 48 V: 7590 rpm without load (about 795 rad/s), 42.4 A at stall."""
    fast = {"velocity": 400.0 * np.sin(3 * TIME), "current": 20.0 * np.cos(3 * TIME)}
    assert found(fast, motor=MOTOR) == set()
    assert found({"velocity": 60.0 * np.sin(3 * TIME)}, motor=MOTOR) == {("velocity", "slow", "info")}
    assert found({"velocity": 7000.0 * np.sin(3 * TIME)}, motor=MOTOR) == {("velocity", "speed-of-motor", "error")}
    assert found({"current": 2000.0 * np.sin(3 * TIME)}, motor=MOTOR) == {("current", "mA-as-si", "error")}
    assert found({"current": 2.0 * np.sin(3 * TIME)}, motor=MOTOR) == {("current", "low", "info")}
    assert found({"torque": 200.0 * np.sin(3 * TIME)}, motor=MOTOR) == {("torque", "mNm-as-si", "error")}
    # at full speed backwards a current is twice that at stall; three times is another motor's
    assert found({"current": 80.0 * np.sin(3 * TIME)}, motor=MOTOR) == set()
    assert found({"current": 130.0 * np.sin(3 * TIME)}, motor=MOTOR) == {("current", "beyond-stall", "warning")}
    assert found({"torque": 8.0 * np.sin(3 * TIME)}, motor=MOTOR) == {("torque", "beyond-stall", "warning")}
    actuator = be.Actuator(MOTOR, be.Supply(voltage=48.0))
    assert found({"position": 2000.0 * np.sin(3 * TIME)}, motor=actuator) == {("position", "deg-as-si", "error")}
    with pytest.raises(be.ParameterError, match="must be a motor"):
        be.Log.from_arrays(TIME, clean()).check(be.Actuator())


# --- several joints


def test_what_all_joints_share_stands_once():
    """Two joints in degrees per second, one of them coarse too."""
    base = clean()
    coarse = np.round(base["position"] / 0.01) * 0.01
    channels = {
        "position": np.stack([base["position"], coarse], axis=1),
        "velocity": np.degrees(np.stack([base["velocity"], base["velocity"]], axis=1)),
    }
    findings = be.Log.from_arrays(TIME, channels, joints=("hip", "knee")).check()
    assert [finding.cause for finding in findings] == ["deg/s-as-si", "quantisation"]
    assert findings[0].explanation.startswith("hip (and 1 more of 2 joints): ")
    assert findings[1].explanation.startswith("knee: ")


def test_what_was_not_read_is_said(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("time,position,mood\n" + "".join(f"{t},{math.sin(t)},1\n" for t in np.arange(0, 9, 0.1)))
    (unread,) = be.read_log(path).check()
    assert unread.cause == "unread" and "mood" in unread.explanation


# --- what the checks rest on


def test_the_slope_of_a_line_is_exact_at_irregular_times():
    times = np.cumsum(np.random.default_rng(2).uniform(0.5, 1.5, 50))
    np.testing.assert_allclose(slope_over(times, 3.0 * times + 1.0), 3.0, rtol=1e-10)


def test_the_resolution_is_measured():
    """Of 12 bits a turn; none of a smooth series, of noise, or of two values."""
    step = 2 * math.pi / 4096
    assert resolution(np.round(clean()["position"] / step) * step) == pytest.approx(step, rel=1e-6)
    assert resolution(clean()["position"]) is None
    assert resolution(np.random.default_rng(0).normal(size=1000)) is None
    assert resolution(np.array([0.0, 1.0] * 20)) is None


@pytest.mark.parametrize("lag", [-0.031, 0.0, 0.0123])
def test_a_lag_is_measured_within_a_tenth_of_a_step(lag):
    position = clean()["position"]
    shifted = np.sin(3.0 * (TIME - 0.02 - lag)) + 0.4 * np.sin(11.0 * (TIME - 0.02 - lag))
    measured = find_lag(TIME, position, TIME, shifted, 0.1)
    assert measured is not None
    assert measured.seconds == pytest.approx(lag, abs=0.1 * STEP)


# --- the command line


def test_the_command_line_says_findings(tmp_path):
    """Exit code 1 and the sentence for degrees per second; 0 once the unit is given."""
    path = be.Log.from_arrays(TIME, with_(velocity=np.degrees)).save(tmp_path / "log.csv")
    result = call("log", "check", path, width=200)
    assert result.exit_code == 1
    assert "error velocity: the slope of the position is 0.01748 times the velocity" in result.output
    given = tmp_path / "plain.csv"
    given.write_text(path.read_text().replace("velocity [rad/s]", "fast").replace("position [rad]", "angle [rad]"))
    words = ("--channel", "velocity=fast", "--unit", "fast=deg/s")
    result = call("log", "check", given, *words, width=200)
    assert result.exit_code == 0 and "nothing is suspicious" in result.output
    rig = be.Rig(be.LockedRotor()).save(tmp_path / "rig.toml")
    result = call("log", "check", given, *words, "--rig", rig, width=200)
    assert result.exit_code == 1 and "the rig holds the joint still" in result.output


def test_the_command_line_answers_in_json(tmp_path):
    log = be.Log.from_arrays(TIME, with_(duty=lambda x: 0.1 * x))
    result = call("log", "check", log.save(tmp_path / "log.csv"), "--json", "--motor", "maxon-re40-148877")
    (answer,) = json.loads(result.output)
    assert result.exit_code == 0
    assert answer["hash"] == log.hash and answer["rows"] == 1200
    assert {finding["cause"] for finding in answer["findings"]} == {"low", "slow"}


@pytest.mark.parametrize("name", ["*.csv", "log-?.json", "[ab].mcap"])
def test_a_pattern_without_files_is_one_sentence(name, tmp_path):
    """A shell hands on a pattern that matches nothing."""
    done = call("log", "check", str(tmp_path / name))
    assert done.exit_code == 2 and "no file has such a name" in done.stderr and "Traceback" not in done.stderr


def test_bad_words_are_one_sentence(tmp_path):
    path = be.Log.from_arrays(TIME, clean()).save(tmp_path / "log.csv")
    for words, said in (
        ((path, "--channel", "position"), "must be two names such as position=angle"),
        ((path, "--unit", "position=mA"), "the unit 'mA' of position"),
        ((path, "--rate", "5 V"), "--rate"),
        ((path, "--motor", "no-such-motor"), "no-such-motor"),
        ((tmp_path / "none.csv",), "no such file"),
    ):
        result = call("log", "check", *words)
        assert result.exit_code == 2 and said in result.output
        assert len(result.output.strip().splitlines()) == 1


# --- real measurements


def real(folder: str, pattern: str) -> list[Path]:
    paths = sorted((DATA / folder).glob(pattern))
    if not paths:
        pytest.skip(f"needs {folder} of the shared measurements: BACKEMF_DATA names their folder")
    return paths


def test_the_pendulum_logs_have_the_known_traps():
    """Encoder of 4096 a turn, velocity of 0.229 rpm and about 20 ms late, voltage inside the PWM, wrapped load."""
    step, inside = 2 * math.pi / 4096, 0
    for log in map(be.read_log, real("xl330_pendulum", "*.json")):
        assert resolution(log["position"]) == pytest.approx(step, rel=1e-3)
        assert resolution(log["velocity"]) == pytest.approx(0.229 * math.pi / 30, rel=1e-3)
        findings = {finding.cause: finding for finding in log.check()}
        assert float(findings["clock-offset"].explanation.split()[0]) == pytest.approx(20.0, abs=2.0)
        assert "jitter" in findings and not [f for f in findings.values() if f.severity == "error"]
        inside += "inside-pwm" in findings
    assert inside >= 11


@pytest.mark.parametrize(
    ("folder", "pattern"),
    [("xl330_pendulum", "*.json"), ("feetech_sts3250", "2*.json"), ("embir_dyno", "*.csv"), ("go2_in_air", "*.npz")],
)
def test_the_real_logs_fit_their_rigs(folder, pattern):
    rig = be.Rig.read(Path(__file__).parent / "data" / "rigs" / f"{folder}.toml")
    for path in real(folder, pattern):
        assert [str(finding) for finding in be.read_log(path).check(rig=rig) if finding.cause == "rig"] == []


@pytest.mark.parametrize(
    ("folder", "pattern", "rate"),
    [
        ("feetech_sts3250", "2*.json", None),
        ("embir_dyno", "*.csv", None),
        ("anymal_sea", "*.csv", 400.0),
        ("go2_in_air", "*.npz", None),
    ],
)
def test_the_other_logs_contradict_nothing(folder, pattern, rate):
    for path in real(folder, pattern):
        assert [str(finding) for finding in be.read_log(path, rate=rate).check() if finding.severity == "error"] == []


def test_the_command_line_says_its_own_options(tmp_path):
    """The remedy of a finding and of an error is an option, not an argument in Python."""
    time = np.arange(0.0, 2.0, 0.01)
    angle = 40.0 * np.sin(3.0 * time)
    table = np.stack([time, angle, np.radians(np.gradient(angle, time))], axis=1)
    np.savetxt(tmp_path / "a.csv", table, delimiter=",", header="time [s],position [rad],velocity [rad/s]", comments="")
    said = CliRunner().invoke(app, ["log", "check", str(tmp_path / "a.csv")])
    words = " ".join(said.output.split())
    assert "--unit position=deg" in words and "units={" not in words
    assert as_options('give units={"position": "0.02 rad", "time": ...}.') == (
        "give --unit 'position=0.02 rad' --unit time=...."
    )
    (tmp_path / "b.csv").write_text("Zeit [ms],position [rad]\n0,0\n1,1\n")
    said = CliRunner().invoke(app, ["log", "check", str(tmp_path / "b.csv")])
    assert "name it in --channel time=..., or" in said.output
