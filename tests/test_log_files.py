"""Logs in files: every format is read within bounds, and what can be written reads back as the same log."""

import io
import json
import math
import os
import zipfile
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from test_cli import call

import backemf as be
from backemf.errors import ParameterError
from backemf.identify.servo_json import unwrap_words

DATA = Path(os.environ.get("BACKEMF_DATA", Path(__file__).parents[2] / "shared" / "data"))
TIME = np.array([0.0, 0.1, 0.25, 0.3])
ANGLE = np.array([0.0, 0.1, 0.3, 0.7]) / 3.0


def needs(folder: str) -> pytest.MarkDecorator:
    """Skip where the measurements are not on this machine."""
    return pytest.mark.skipif(
        not (DATA / folder).is_dir(),
        reason=f"needs {folder} of the shared measurements: BACKEMF_DATA names their folder",
    )


def written(tmp_path: Path, text: str | bytes, name: str = "log.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def logs() -> dict[str, be.Log]:
    """A log of each shape."""
    shared = {"position": ANGLE, "enable": [1.0, 1.0, 0.0, 0.0], "winding_temperature": [20.0, 20.1, 20.3, 21.0]}
    own = {"position": ANGLE, "voltage_command": ([0.0, 0.2], [1.0, -1.0 / 3.0])}
    both = {"position": np.stack([ANGLE, -ANGLE], axis=1), "bus_voltage": np.full(4, 24.0)}
    apart = {"position": both["position"], "torque": ([0.05, 0.25], [[1.0, 2.0], [3.0, 4.0]])}
    note = {"kp": 800, "scale": 0.1, "motor": 'an "XL330", new', "held out": True}
    return {
        "one": be.Log.from_arrays(TIME, shared, meta=note),
        "own times": be.Log.from_arrays(TIME, own, command_between="linear"),
        "joints": be.Log.from_arrays(TIME, both, joints=("FL_hip", "FL knee"), meta={"kp": 20}),
        "joints at own times": be.Log.from_arrays(TIME, apart, joints=("hip", "knee")),
    }


# --- round trips


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("kind", ["one", "own times", "joints", "joints at own times"])
def test_a_log_reads_back_as_the_same_log(kind, ending, tmp_path):
    """To the last bit, with its notes, its joints and its own times."""
    log = logs()[kind]
    again = be.read_log(log.save(tmp_path / f"log.{ending}"))
    assert again == log
    assert again.meta == log.meta and again.joints == log.joints and again.command_between == log.command_between


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_recording_is_a_log(ending, tmp_path):
    """What `simulate -o` writes: the command by its unit, channels by name, and the units of the file."""
    path = tmp_path / f"run.{ending}"
    words = ["--command", "90 deg", "--controller", "position-pid kp=10V/rad", "--duration", "20 ms", "--dt", "1 ms"]
    assert call("simulate", "maxon-re40-148877", *words, "-o", path).exit_code == 0
    log, run = be.read_log(path), be.read_recording(path)
    assert log.commands == ("position_command",)
    for name in ("position", "velocity", "current", "torque", "bus_voltage", "winding_temperature"):
        np.testing.assert_array_equal(log[name], run[name])
    np.testing.assert_allclose(log["command"], math.pi / 2, rtol=1e-8)
    assert any(name.startswith("copper_power") for name in log.unread)


def test_a_log_has_a_known_ending(tmp_path):
    with pytest.raises(ParameterError, match=r"written as \.csv or \.parquet"):
        logs()["one"].save(tmp_path / "log.txt")
    with pytest.raises(ParameterError, match="its name must end in"):
        be.read_log(written(tmp_path, "", "log.xlsx"))
    with pytest.raises(ParameterError, match="cannot stand in a header"):
        logs()["one"].with_meta(**{"a;b": 1}).save(tmp_path / "log.csv")


# --- CSV: what headings say

HEADINGS = [
    ("position [deg]", "position", math.pi / 180),
    ("position[deg]", "position", math.pi / 180),
    ("Angle (deg)", "position", math.pi / 180),
    ("current (mA)", "current", 1e-3),
    ("speed_rpm", "velocity", math.pi / 30),
    ("velocity_rad_s", "velocity", 1.0),
    ("Velocity [deg/s]", "velocity", math.pi / 180),
    ("torque [N·m]", "torque", 1.0),
    ("effort_mNm", "torque", 1e-3),
    ("vbus", "bus_voltage", 1.0),
    ("duty [%]", "duty", 0.01),
    ("command [deg]", "position_command", math.pi / 180),
    ("target [deg]", "position_command", math.pi / 180),
    ("goal (rpm)", "velocity_command", math.pi / 30),
    ("command [rpm]", "velocity_command", math.pi / 30),
    ("command [V]", "voltage_command", 1.0),
    ("command [Nm]", "effort_command", 1.0),
    ("command [%]", "duty_command", 0.01),
    ("goal_position", "position_command", 1.0),
    ("position [mm]", "position", 1e-3),
]


@pytest.mark.parametrize(("heading", "channel", "size"), HEADINGS, ids=[row[0] for row in HEADINGS])
def test_a_heading_names_channel_and_unit(heading, channel, size, tmp_path):
    found = be.read_log(written(tmp_path, f"time [ms],{heading}\n0,1\n1,2\n"))
    assert list(found.channels) == [channel]
    np.testing.assert_allclose(found[channel], [size, 2 * size], rtol=1e-12)
    np.testing.assert_allclose(found.time, [0.0, 1e-3])


def test_a_mapping_names_channels_and_units(tmp_path):
    path = written(tmp_path, "clock;a;b;note\n0;90;1;x\n20;180;0;y\n")
    names = {"time": "clock", "position": "a", "enable": "b"}
    found = be.read_log(path, names, {"time": "ms", "a": "deg"}, meta={"kp": 3})
    np.testing.assert_allclose(found["position"], [math.pi / 2, math.pi])
    plain = written(tmp_path, "time,command\n0,180\n1,0\n", "plain.csv")
    np.testing.assert_allclose(be.read_log(plain, units={"command": "deg"})["position_command"], [math.pi, 0.0])
    np.testing.assert_allclose(be.read_log(plain, {"duty_command": "command"})["duty_command"], [180.0, 0.0])
    np.testing.assert_allclose(found.time, [0.0, 0.02])
    assert found.unread == ("note",) and found.meta["kp"] == 3


def test_joints_stand_in_brackets(tmp_path):
    path = written(tmp_path, "time,position[FL_hip] [deg],position[FR_hip] [deg],vbus\n0,1,2,24\n1,3,4,24\n")
    found = be.read_log(path)
    assert found.joints == ("FL_hip", "FR_hip")
    np.testing.assert_allclose(np.degrees(found.joint("FR_hip")["position"]), [2.0, 4.0])
    assert be.read_log(path, joints=["FR_hip"]).joints == ("FR_hip",)


def test_an_empty_cell_is_not_measured(tmp_path):
    found = be.read_log(written(tmp_path, "# kp = 32\n# a remark\ntime,position,temp\n0,1,\n1,2,30\n2,,\n3,4,31\n"))
    np.testing.assert_array_equal(found.times("position"), [0.0, 1.0, 3.0])
    np.testing.assert_array_equal(found.times("housing_temperature"), [1.0, 3.0])
    assert found.meta == {"kp": 32}


def test_a_file_without_times_needs_a_rate(tmp_path):
    path = written(tmp_path, "position\n1\n2\n3\n")
    np.testing.assert_allclose(be.read_log(path, rate=400.0).time, [0.0, 1 / 400, 2 / 400])
    with pytest.raises(ParameterError, match="no column of times"):
        be.read_log(path)
    with pytest.raises(ParameterError, match="it has times"):
        be.read_log(written(tmp_path, "t,position\n1,1\n2,2\n"), rate=10.0)


BAD_CSV = [
    ("", "is empty; it needs a header"),
    ("time,position\n", "has a header and no rows"),
    ("time,position\n0,1\n", "line 2: is its only row"),
    ("0,1\n1,2\n", "line 1: has numbers where the names"),
    ("time,position\n0,1\n1,nan\n", "line 3, position = nan: must be finite; leave the cell empty"),
    ("time,position\n0,1\n\n1,inf\n", "line 4, position = inf"),
    ("time,position\n0,1\n1,two\n", "line 3, position = 'two': must be a number"),
    ("time,position\n0,1\n1\n", "line 3: has 1 cells, and the header has 2"),
    ("time,position\n0,1\n1,2,3\n", "line 3: has 3 cells, and the header has 2"),
    ("time,position\n0,1\n1,2\n0.5,3\n", "line 4, time = 0.5: goes back from 1"),
    ("time,position\n0,1\n1,2\n1,3\n", "line 4, time = 1: is the same as 1"),
    ("time,position\n0,1\n,2\n", "line 3, time: is empty"),
    ("time,position,position\n0,1,1\n1,2,2\n", "the column 'position' comes twice"),
    ("time,speed,velocity\n0,1,1\n1,2,2\n", "'speed' and 'velocity' are both velocity"),
    ("time,a,b\n0,1,1\n1,2,2\n", "none of its columns is a channel"),
    ("time,position [mA]\n0,1\n1,2\n", "the unit 'mA' of position"),
    ("time,command\n0,1\n1,2\n", "the column 'command' has no unit, which says what is commanded"),
    ("time [V],position\n0,1\n1,2\n", "the unit 'V' of the times"),
    ("time,position\n0,\n1,\n", "the column 'position' is empty"),
    ("time,position[a],position[b]\n0,1,1\n1,2,\n", "row 1: 'position\\[b\\]' is empty where other joints"),
    ("time,position[a],velocity[b]\n0,1,1\n1,2,2\n", "velocity is of the joints b, and others of a"),
    (b"time,position\n\x00\xff,1\n", "cannot be read as CSV text"),
    ("time,position\n" + "9" * 3_000_000, "a line of more than"),
]


@pytest.mark.parametrize(("text", "said"), BAD_CSV, ids=[said for _, said in BAD_CSV])
def test_a_bad_csv_is_one_sentence(text, said, tmp_path):
    """The file, the row, the column and the remedy."""
    path = written(tmp_path, text)
    with pytest.raises(ParameterError, match=said) as caught:
        be.read_log(path)
    assert str(caught.value).startswith(str(path)) and "\n" not in str(caught.value)


def test_bad_mappings_are_one_sentence(tmp_path):
    path = written(tmp_path, "time,position\n0,1\n1,2\n")
    for words, said in (
        ({"channels": {"position": "angle"}}, "no column 'angle' for position; there are time, position"),
        ({"channels": {"positon": "position"}}, "'positon' is not a channel: did you mean position"),
        ({"channels": ["position"]}, "must be a dict by channel"),
        ({"units": {"speed": "rpm"}}, "units: no column 'speed'"),
        ({"units": {"position": "mA"}}, "the unit 'mA' of position"),
        ({"rate": 100.0}, "it has times"),
    ):
        with pytest.raises(ParameterError, match=said):
            be.read_log(path, **words)


# --- parquet


def test_a_bad_parquet_is_one_sentence(tmp_path):
    def table(**columns) -> Path:
        pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "log.parquet")
        return tmp_path / "log.parquet"

    for columns, said in (
        (dict(time=[0.0, 1.0], position=[0.0, math.nan]), "row 1, position = nan: must be finite; write null"),
        (dict(time=[0.0, 1.0], position=["a", "b"]), "the column 'position' must be numbers"),
        (dict(time=[1.0, 0.0], position=[0.0, 1.0]), "goes back from 1 s"),
        (dict(time=[0.0], position=[0.0]), "has one row"),
        (dict(position=[0.0, 1.0]), "no column of times"),
    ):
        with pytest.raises(ParameterError, match=said):
            be.read_log(table(**columns))
    with pytest.raises(ParameterError, match="is no parquet file that can be read"):
        be.read_log(written(tmp_path, "PAR1", "log.parquet"))


# --- NumPy archives


def test_an_archive_has_an_array_per_channel(tmp_path):
    both = np.stack([ANGLE, -ANGLE], axis=1)
    np.savez(tmp_path / "log.npz", time=TIME, dof_pos=both, des_dof_pos=both, kp=20, other=np.zeros(3))
    found = be.read_log(tmp_path / "log.npz", joints=["hip", "knee"])
    np.testing.assert_array_equal(found.joint("knee")["position"], -ANGLE)
    assert found.meta == {"kp": 20} and found.unread == ("other",)
    assert be.read_log(tmp_path / "log.npz").joints == ("0", "1")


def test_a_bad_archive_is_one_sentence(tmp_path):
    def archive(**arrays) -> Path:
        np.savez(tmp_path / "log.npz", **arrays)
        return tmp_path / "log.npz"

    def forged() -> Path:
        """An array of which the header promises 8 TB."""
        stream = io.BytesIO()
        np.lib.format.write_array_header_1_0(stream, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)})
        with zipfile.ZipFile(tmp_path / "log.npz", "w") as packed:
            packed.writestr("time.npy", stream.getvalue())
        return tmp_path / "log.npz"

    for make, said in (
        (lambda: archive(time=TIME, position=np.array([None] * 4)), "holds Python objects, which could run code"),
        (lambda: archive(time=TIME, position=ANGLE[:2]), "different numbers of rows: time 4, position 2"),
        (lambda: archive(time=TIME, position=[0.0, 1.0, math.nan, 2.0]), r"position\[2\] = nan"),
        (lambda: archive(time=TIME[::-1], position=ANGLE), "goes back"),
        (forged, "fewer bytes than its shape"),
        (lambda: written(tmp_path, "no zip", "log.npz"), "is damaged or no NumPy archive"),
    ):
        with pytest.raises(ParameterError, match=said):
            be.read_log(make())
    with pytest.raises(ParameterError, match="has 2 joints, and joints names 1"):
        be.read_log(archive(time=TIME, position=np.zeros((4, 2))), joints=["hip"])


# --- JSON of servo rigs


def entry(time: float, load: int = 0, **more) -> dict:
    return {"timestamp": time, "position": time, "speed": 1.0, "load": load, "torque_enable": True} | more


def servo(tmp_path: Path, *entries: dict, **meta) -> Path:
    return written(tmp_path, json.dumps({"motor": "xl330", "kp": 800, "entries": entries} | meta), "log.json")


def test_wrapped_words_are_unwrapped_and_said():
    """65535 is -1, 32768 is -32768, 32767 stays."""
    words, negative = unwrap_words(np.array([0.0, 1.0, 32767.0, 32768.0, 65535.0]))
    np.testing.assert_array_equal(words, [0.0, 1.0, 32767.0, -32768.0, -1.0])
    assert negative == 2


def test_the_duty_of_a_dynamixel_is_its_register(tmp_path):
    """Full duty is 885; -885 is written as 64651."""
    found = be.read_log(servo(tmp_path, entry(0.0), entry(0.1, 885), entry(0.2, 64651)))
    np.testing.assert_allclose(found["duty"], [0.0, 1.0, -1.0])
    assert found.meta == {"motor": "xl330", "kp": 800}
    assert "1 of 3 words above 32767 are negative" in found.notes[0]
    np.testing.assert_array_equal(found["enable"], [1.0, 1.0, 1.0])


def test_a_register_without_public_scale_is_not_read(tmp_path):
    found = be.read_log(servo(tmp_path, entry(0.0), entry(0.1, 5), motor="sts3250"))
    assert "duty" not in found and found.unread == ("load",)
    assert found.notes == ("load is not read: the duty of a register of sts3250 is not public",)


def test_a_bad_json_is_one_sentence(tmp_path):
    short = {key: value for key, value in entry(0.1).items() if key != "position"}
    for entries, said in (
        ([entry(0.0), short], r"entries\[1\]: has no 'position'"),
        ([entry(0.0)], "entries has one row"),
        ([], "entries must be a list of rows"),
        ([entry(0.0), entry(0.1, position="x")], "row 1, position = 'x': must be a number"),
        ([entry(0.0), entry(0.1, position=math.nan)], "holds NaN"),
        ([entry(0.2), entry(0.1)], "goes back"),
    ):  # fmt: skip
        with pytest.raises(ParameterError, match=said):
            be.read_log(servo(tmp_path, *entries))
    for text, said in (("[1, 2]", "holds a list"), ("{", "is not JSON"), ('{"a": [1], "b": [1, 2]}', "one length")):
        with pytest.raises(ParameterError, match=said):
            be.read_log(written(tmp_path, text, "log.json"))


# --- real measurements


@needs("xl330_pendulum")
def test_the_pendulum_logs_are_read():
    """Twelve logs of 6 s; the duty follows kp·4096/(2π·256·885) of the error before it, as the firmware's law says."""
    paths = sorted((DATA / "xl330_pendulum").glob("*.json"))
    assert len(paths) == 12
    slopes = []
    for log in map(be.read_log, paths):
        assert log.duration == pytest.approx(6.0, abs=0.01) and log["duty"].min() >= -1.0 and log["duty"].max() <= 1.0
        law = log.meta["kp"] * 4096 / (2 * math.pi * 256 * 885) * (log["command"] - log["position"])
        inside = (np.abs(law) < 0.9) & (np.abs(law) > 0.02) & (log["enable"] > 0)
        slopes.append(np.median(log["duty"][inside] / law[inside]))
    np.testing.assert_allclose(slopes, 1.0, atol=0.05)


@needs("feetech_sts3250")
def test_the_feetech_logs_are_read():
    logs = [be.read_log(path) for path in sorted((DATA / "feetech_sts3250").glob("2*.json"))]
    assert [log.meta["trajectory"] for log in logs] == ["sin_sin", "lift_and_drop", "sin_time_square", "up_and_down"]
    assert all("duty" not in log and log.meta["kp"] == 32 for log in logs)


@needs("go2_in_air")
def test_the_robot_log_is_read():
    log = be.read_log(DATA / "go2_in_air" / "first_half.npz")
    assert len(log.joints) == 12 and set(log.channels) == {"position", "position_command"}
    assert log.duration == pytest.approx(11.74, abs=0.01)


@needs("embir_dyno")
def test_the_dynamometer_log_is_read():
    log = be.read_log(DATA / "embir_dyno" / "stall_and_heat_20Hz.csv")
    assert {"torque", "current", "winding_temperature", "housing_temperature"} <= set(log.channels)


@needs("anymal_sea")
def test_the_walking_log_is_read():
    log = be.read_log(DATA / "anymal_sea" / "walk_first_half.csv", rate=400.0)
    assert len(log["velocity"]) == 1151 and len(log["torque"]) == 1136
    assert log.times("torque")[0] == pytest.approx(15 / 400)


def test_corrected_columns_are_options_of_reading():
    """A channel that moves to another column is not left out; one whose column is not read is."""
    from backemf.identify.headings import reading_options

    corrected = {"alpha": ["position", "deg"], "angle": ["", ""], "i": ["", ""]}
    assert reading_options(corrected, {"angle": "position", "i": "current", "alpha": ""}) == {
        "channels": {"position": "alpha"}, "units": {"alpha": "deg"}, "without": ["current"],
    }  # fmt: skip
