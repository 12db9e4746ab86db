"""Logs as programs write them: dialects of CSV, names of devices and topics, clocks that wrap, counts of converters."""

import math

import numpy as np
import pytest

import backemf as be
from backemf.errors import ParameterError
from backemf.identify.counters import unwrap_counter
from backemf.identify.headings import read_heading, unit_scale

DEGREE = math.pi / 180.0


def written(tmp_path, text, encoding="utf-8", name="log.csv"):
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    return path


# --- dialects of CSV

GERMAN = "time [s];goal_position [°];position [°]\n0;10;5\n0,5;20,5;19,25\n1;-1e1;-9,5\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_german_spreadsheet_is_read(encoding, tmp_path):
    """Semicolons and decimal commas, in the encodings that spreadsheets write."""
    found = be.read_log(written(tmp_path, GERMAN, encoding))
    np.testing.assert_allclose(found.time, [0.0, 0.5, 1.0])
    np.testing.assert_allclose(found["position"], np.array([5.0, 19.25, -9.5]) * DEGREE)
    assert any("not UTF-8" in note for note in found.notes) == (encoding == "cp1252")


def test_decimal_commas_stand_beside_words_with_points(tmp_path):
    """A remark with a point in a column that is not read does not make the commas ambiguous."""
    found = be.read_log(written(tmp_path, "time;position;remark\n0;1,5;a.b\n0,1;;c\n0,2;2,5;d\n"))
    np.testing.assert_allclose(found["position"], [1.5, 2.5])


def test_commas_and_points_in_one_table_are_refused(tmp_path):
    """1.234 may be a thousand where others have decimal commas."""
    with pytest.raises(ParameterError, match=r"decimal commas \(line 2, '0,5'\) and points \(line 3, '1\.234'\)"):
        be.read_log(written(tmp_path, "time;position\n0,5;1\n1.234;2\n"))
    with pytest.raises(ParameterError, match=r"line 2, position = '1,5': must be a number with a decimal point"):
        be.read_log(written(tmp_path, 'time,position\n0,"1,5"\n1,2\n'))


PLAIN = {
    "a line that names the separator": "sep=;\ntime [s];position [deg]\n0;1\n1;2\n",
    "units below the header": "time,position\n(ms),(deg)\n\n0,1\n1000,2\n",
    "delimiters at the end": "time,position [deg],,\n0,1,,\n1,2,,\n",
    "names as a remark": "# kp = 3\n# time,position [deg]\n0,1\n1,2\n",
    "spaces": "time  position_deg\n0   1.0\n1   2.0\n",
    "tabs": "time\tposition [deg]\n0\t1\n1\t2\n",
}


@pytest.mark.parametrize("kind", PLAIN)
def test_what_programs_write_is_read(kind, tmp_path):
    found = be.read_log(written(tmp_path, PLAIN[kind], name="log.txt"))
    np.testing.assert_allclose(found.time, [0.0, 1.0])
    np.testing.assert_allclose(found["position"], [DEGREE, 2.0 * DEGREE])
    assert found.unread == () and found.meta == ({"kp": 3} if "remark" in kind else {})


def test_a_date_is_refused_with_its_remedy(tmp_path):
    for text in ("2026-11-18T10:00:00.5", "10:00:00.5"):
        with pytest.raises(ParameterError, match="not a date or a time of day; write seconds"):
            be.read_log(written(tmp_path, f"time,position\n{text},1\n{text},2\n"))


# --- names

NAMES = [
    ("millis", "time", "ms"),
    ("micros", "time", "us"),
    ("ms_today", "time", "ms"),
    ("__time", "time", ""),
    ("GoalPosition", "position_command", ""),
    ("PresentPosition", "position", ""),
    ("target_pos", "position_command", ""),
    ("command_position", "position_command", ""),
    ("goal_deg", "position_command", "deg"),
    ("actual_torque", "torque", ""),
    ("torque_ref", "effort_command", ""),
    ("current_position", "position", ""),
    ("target_current", "current_command", ""),
    ("p_des", "position_command", ""),
    ("Position_Degrees", "position", "degrees"),
    ("vel_dps", "velocity", "deg/s"),
    ("q_axis_current", "current", ""),
    ("position / deg", "position", "deg"),
    ("axis0.encoder.pos_estimate", "position", "rev"),
    ("vel_estimate", "velocity", "rev/s"),
    ("position_limit", None, ""),
    ("motor_position", None, ""),
]


@pytest.mark.parametrize(("name", "channel", "unit"), NAMES, ids=[row[0] for row in NAMES])
def test_names_of_devices_are_known(name, channel, unit):
    found = read_heading(name)
    assert (found.channel, found.unit) == (channel, unit)


TOPICS = [
    ("/joint_states/position[0]", "position", "0"),
    ("/arm/joint_states/velocity[12]", "velocity", "12"),
    ("/joint_states/elbow/position", "position", "elbow"),
    ("/joint_states/position", "position", ""),
    ("/joint_commands/elbow/position", "position_command", "elbow"),
    ("/arm/controller_state/reference/positions[0]", "position_command", "0"),
    ("/joint_states/header/stamp", None, "header"),
]


@pytest.mark.parametrize(("name", "channel", "joint"), TOPICS, ids=[row[0] for row in TOPICS])
def test_series_of_topics_name_channel_and_joint(name, channel, joint):
    found = read_heading(name)
    assert (found.channel, found.joint) == (channel, joint)


def test_a_topic_without_a_name_can_be_mapped(tmp_path):
    path = written(tmp_path, "__time,/joint_states/position[0],/group/data[0]\n5,1,2\n6,3,4\n")
    found = be.read_log(path, {"position_command": "/group/data[0]"})
    assert found.joints == ("0",) and found["position_command"].tolist() == [[2.0], [4.0]]


def test_a_full_name_comes_before_one_that_describes(tmp_path):
    path = written(tmp_path, "time,position,measured_position\n0,1,7\n1,2,8\n")
    found = be.read_log(path)
    assert found["position"].tolist() == [1.0, 2.0] and found.unread == ("measured_position",)


def test_turns_of_a_device_are_noted(tmp_path):
    found = be.read_log(written(tmp_path, "time,pos_estimate\n0,0\n1,1\n"))
    assert found["position"][1] == pytest.approx(2.0 * math.pi)
    assert found.notes == ("pos_estimate is in rev, as an ODrive logs it",)
    plain = be.read_log(written(tmp_path, "time,pos_estimate\n0,0\n1,1\n"), units={"position": "rad"})
    assert plain["position"][1] == 1.0 and plain.notes == ()


# --- counts

COUNTS = [
    ("rev/4096", "position", 2.0 * math.pi / 4096),
    ("0.087890625 deg", "position", 2.0 * math.pi / 4096),
    ("360/4096 deg", "position", 2.0 * math.pi / 4096),
    ("0.229 rpm", "velocity", 0.229 * math.pi / 30),
    ("1/885", "duty", 1 / 885),
    ("2.69 mA", "current", 2.69e-3),
]


@pytest.mark.parametrize(("unit", "channel", "size"), COUNTS, ids=[row[0] for row in COUNTS])
def test_counts_are_shares_or_multiples_of_a_unit(unit, channel, size):
    assert unit_scale(unit, channel) == (pytest.approx(size, rel=1e-12), 0.0)


def test_a_second_header_is_named(tmp_path):
    with pytest.raises(ParameterError, match="line 4, time = 'time': the header comes again; split the file there"):
        be.read_log(written(tmp_path, "time,position\n0,1\n1,2\ntime,position\n0,1\n"))


@pytest.mark.parametrize("unit", ["Grad", "grad", "counts", "0 deg", "rev/0", "0.0015", "-1 deg"])
def test_a_unit_without_a_size_is_refused(unit, tmp_path):
    path = written(tmp_path, "time,position\n0,1\n1,2\n")
    with pytest.raises(ParameterError, match=r"log\.csv, column 'position': the unit"):
        be.read_log(path, units={"position": unit})


# --- clocks

WRAPS = [(2**16, 1.0), (2**32, 1.0), (2**32, 1e-6)]


@pytest.mark.parametrize(("word", "scale"), WRAPS)
def test_a_counter_that_wraps_goes_on(word, scale):
    """(t + start) mod 2^n, with jitter: what comes back differs from t by the start alone."""
    ticks = np.cumsum(np.tile([20.0, 19.0, 22.0], 40))
    found, said = unwrap_counter((ticks + word - 500.0) % word * scale)
    np.testing.assert_allclose(found - found[0], (ticks - ticks[0]) * scale, rtol=1e-6)
    assert "wraps once" in said


def test_times_that_go_back_otherwise_are_refused(tmp_path):
    assert unwrap_counter(np.array([0.0, 1.0, 2.0, 3.0, 1.5, 2.0, 3.0]))[1] == ""
    with pytest.raises(ParameterError, match="goes back from 60000"):
        be.read_log(written(tmp_path, "millis,position\n59980,1\n59990,2\n60000,3\n0,1\n10,1\n"))


def test_a_log_with_a_wrapped_clock_says_so(tmp_path):
    rows = "".join(f"{(65500 + 10 * k) % 65536},{k}\n" for k in range(10))
    found = be.read_log(written(tmp_path, f"millis,position_deg\n{rows}"))
    assert found.duration == pytest.approx(0.09)
    assert found.notes == ("the clock wraps once at 65536, and was continued there",)


UNITS = {"ms": 1e3, "us": 1e6, "ns": 1e9}


@pytest.mark.parametrize("unit", UNITS)
def test_a_date_in_counts_is_no_second(unit):
    """1.76e9 s since 1970 is in 2025; the same in ms is beyond all dates."""
    time = np.arange(1.76e9, 1.76e9 + 1.0, 0.02)
    channels = {"position": np.sin(time - time[0])}
    assert [f.cause for f in be.Log.from_arrays(time, channels).check() if f.severity == "error"] == []
    found = [f for f in be.Log.from_arrays(time * UNITS[unit], channels).check() if f.severity == "error"]
    assert [f.cause for f in found] == [f"{unit}-as-si"] and f'units={{"time": "{unit}"}}' in found[0].explanation


def test_milliseconds_without_a_unit_are_warned_of():
    time = np.arange(0.0, 4000.0, 20.0)
    log = be.Log.from_arrays(time, {"position": np.sin(0.002 * time)})
    assert [f.cause for f in log.check() if f.severity == "warning"] == ["slow"]


# --- tables and rows of other files


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_dates_in_parquet_are_times(unit, tmp_path):
    """As data frames write them: seconds since the first, whatever one count is."""
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    ticks = {"ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    counts = [1_760_000_000 * ticks, 1_760_000_000 * ticks + ticks // 100, 1_760_000_001 * ticks]
    stamps = arrow.array(counts, arrow.timestamp(unit, tz="UTC"))
    parquet.write_table(arrow.table({"timestamp": stamps, "position": [1.0, 2.0, 3.0]}), tmp_path / "a.parquet")
    np.testing.assert_allclose(be.read_log(tmp_path / "a.parquet").time, [0.0, 0.01, 1.0], rtol=1e-12)
    parquet.write_table(arrow.table({"time": [0.0, 1.0, 2.0], "position": stamps}), tmp_path / "b.parquet")
    with pytest.raises(ParameterError, match="the column 'position' must be numbers, not timestamp"):
        be.read_log(tmp_path / "b.parquet")


def test_lists_in_parquet_are_joints(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = {"timestamp": [0.0, 0.1], "observation.state": [[1.0, 2.0], [3.0, 4.0]]}
    parquet.write_table(arrow.table(table), tmp_path / "a.parquet")
    found = be.read_log(tmp_path / "a.parquet", {"position": "observation.state"}, joints=["hip", "knee"])
    assert found.joint("knee")["position"].tolist() == [2.0, 4.0]
    parquet.write_table(arrow.table(table | {"observation.state": [[1.0], [3.0, 4.0]]}), tmp_path / "b.parquet")
    with pytest.raises(ParameterError, match="must be numbers, or lists of one length"):
        be.read_log(tmp_path / "b.parquet", {"position": "observation.state"})


def test_rows_of_json_may_stand_in_a_list_or_in_lines(tmp_path):
    rows = ['{"t": 0.0, "angle": 1.0}', '{"t": 0.5, "angle": 2.0}']
    for name, text in (("log.json", f"[{', '.join(rows)}]"), ("log.jsonl", "\n".join(rows) + "\n")):
        found = be.read_log(written(tmp_path, text, name=name))
        assert found["position"].tolist() == [1.0, 2.0] and found.time.tolist() == [0.0, 0.5]
    with pytest.raises(ParameterError, match="is not JSON that can be read"):
        be.read_log(written(tmp_path, "{}\nno", name="log.jsonl"))
