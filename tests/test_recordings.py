"""Recordings that outlive their run: what was written before a kill is read, and what is missing is said."""

import importlib
import os
import resource
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest
from test_cli import call

import backemf as be
from backemf.recording import check_size
from backemf.recording_writing import RecordingWriter

UNITS = {"time": "s", "current": "A"}
MOTOR = be.Motor(
    winding=be.Winding(resistance=1.0),
    magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
    rotor=be.Rotor(inertia=1e-4),
)
SCRIPT = """
from controller import Robot
robot = Robot()
while robot.step(32) != -1:
    pass
"""
ROBOT = """
name = "leg"
basic_time_step = "32 ms"
[[joint]]
inertia = "0.01 kg*m^2"
motor = { name = "hip", max_torque = "10 N*m" }
"""


def rows(first: int, count: int) -> dict[str, np.ndarray]:
    """Steps of 1 ms, of which each has its own current."""
    steps = np.arange(first, first + count)
    return {"time": 1e-3 * (steps + 1), "current": np.sqrt(1.0 + steps)}


def parts(path: Path, count: int = 3) -> RecordingWriter:
    """A writer that has written some parts of ten rows."""
    writer = RecordingWriter(path, UNITS)
    for part in range(count):
        writer.write(rows(10 * part, 10))
    return writer


def run_and_kill(arguments: list[object], part: Path, least: int) -> None:
    """Run the command line until its recording has some bytes, and kill it."""
    words = [sys.executable, "-m", "backemf", *map(str, arguments)]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(20_000):
            if part.exists() and part.stat().st_size >= least:
                break
            assert process.poll() is None, "it ended before it could be killed"
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
    finally:
        process.kill()


# --- kills


def test_a_webots_run_that_is_killed_keeps_what_it_recorded(tmp_path) -> None:
    """Several parts are on the disk when SIGKILL comes: the run is read up to the last of them."""
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "robot.toml").write_text(ROBOT)
    target = tmp_path / "run.parquet"
    command = ["webots", "run", tmp_path / "script.py", "--robot", tmp_path / "robot.toml", "-o", target]
    run_and_kill([*command, "--duration", "1000000 s"], tmp_path / "run.parquet.part", 2_000_000)
    assert not target.exists()
    with pytest.warns(be.BackemfWarning, match=r"run\.parquet\.part: the run goes on or was ended.*ends at t = "):
        found = be.read_recording(target)
    assert not found.complete and found.units["position[hip]"] == "rad" and found.units["torque[hip]"] == "N*m"
    assert found.rows * len(found.columns) * 8 > 1_500_000
    assert np.allclose(found["time"], 0.032 * np.arange(1, found.rows + 1)) and found.end == found["time"][-1]


def test_a_simulation_that_is_killed_keeps_what_it_recorded(tmp_path) -> None:
    """Every step of the parts is there: under a constant voltage the speed rises to its steady value."""
    target = tmp_path / "run.csv"
    command = ["simulate", "maxon-re40-148877", "--command", "24 V", "--dt", "10 us", "-o", target]
    run_and_kill([*command, "--duration", "60 s"], tmp_path / "run.csv.part", 10_000_000)
    with pytest.warns(be.BackemfWarning, match="was ended before its end; the recording ends at t = "):
        found = be.read_recording(target)
    assert not found.complete and found.rows >= 16384 and not target.exists()
    assert np.allclose(found["time"], 1e-5 * np.arange(1, found.rows + 1), rtol=1e-8)
    assert found["velocity"][0] < 100.0 < found["velocity"][16383] and (np.diff(found["velocity"][:500]) > 0.0).all()
    assert found.units["velocity"] == "rad/s" and found.units["winding_temperature"] == "degC"


def test_a_recorder_writes_when_the_time_has_come(tmp_path, monkeypatch) -> None:
    """A slow run is written step by step, and not after thousands of them."""
    from backemf.sims import webots

    monkeypatch.setattr("backemf.sims.webots.records.recording.SECONDS", 0.0)
    recorder = webots.Recorder(tmp_path / "run.parquet", keep=False)
    robot = webots.robot_from_toml(ROBOT)
    with webots.simulate(robot, duration=0.32, recorder=recorder, hints=False) as simulation:
        for step in range(1, 6):
            simulation.step(32)
            with pytest.warns(be.BackemfWarning):
                assert be.read_recording(tmp_path / "run.parquet").rows == step
    assert be.read_recording(tmp_path / "run.parquet").rows == 5


# --- what is read


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_recording_can_be_cut_anywhere(tmp_path, ending) -> None:
    """Of a file that breaks off at any byte, the parts before are read and never a wrong number."""
    writer = parts(tmp_path / f"run.{ending}")
    writer.abandon()
    content = writer.part.read_bytes()
    counts = []
    for length in range(0, len(content) + 1, 7):
        writer.part.write_bytes(content[:length])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = be.read_recording(writer.part)
        counts.append(found.rows)
        for name, values in rows(0, found.rows).items():
            if found.rows:
                assert np.allclose(found[name], values, rtol=1e-8)
    assert counts == sorted(counts) and counts[0] == 0 and counts[-1] >= 20
    assert set(counts) <= ({0, 10, 20, 30} if ending == "parquet" else set(range(31)))


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_recording_that_is_closed_is_whole(tmp_path, ending) -> None:
    """One file with every part, its units and no warning; the parts are gone."""
    target = parts(tmp_path / f"run.{ending}").close()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = be.read_recording(target)
    assert found.complete and found.rows == 30 and found.units == UNITS and os.listdir(tmp_path) == [target.name]
    assert np.allclose(found["current"], rows(0, 30)["current"], rtol=1e-8)


def test_small_parts_become_large_groups(tmp_path) -> None:
    """A run in real time writes few rows at once, and its parquet file has few groups all the same."""
    target = parts(tmp_path / "run.parquet", 50).close()
    assert pyarrow.parquet.ParquetFile(target).metadata.num_row_groups == 1


def test_a_run_without_steps_is_a_table_without_rows(tmp_path) -> None:
    found = be.read_recording(parts(tmp_path / "run.parquet", 0).close())
    assert found.rows == 0 and list(found.columns) == ["time", "current"] and np.isnan(found.end)


def test_an_older_recording_says_that_a_later_run_was_ended(tmp_path) -> None:
    """run.parquet is whole, and yet not the run that was made last."""
    parts(tmp_path / "run.parquet", 1).close()
    parts(tmp_path / "run.parquet", 2).abandon()
    with pytest.warns(be.BackemfWarning, match=r"is the recording of an earlier run.*run\.parquet\.part"):
        assert be.read_recording(tmp_path / "run.parquet").rows == 10
    with pytest.warns(be.BackemfWarning, match=r"ends at t = 0\.02 s after 20 steps"):
        found = be.read_recording(tmp_path / "run.parquet.part")
    found.save(tmp_path / "kept.csv")
    assert be.read_recording(tmp_path / "kept.csv").units == UNITS


def test_the_next_run_takes_the_place_of_the_parts(tmp_path) -> None:
    """Even where a link to another file has been put there: the link goes, the file stays."""
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "run.parquet.part").symlink_to(tmp_path / "precious")
    parts(tmp_path / "run.parquet").close()
    assert (tmp_path / "precious").read_text() == "mine"
    assert be.read_recording(tmp_path / "run.parquet").rows == 30


def test_show_says_how_far_a_recording_goes(tmp_path) -> None:
    """The table on the output, that the run was ended on the error stream; --save makes a whole file of it."""
    parts(tmp_path / "run.parquet").abandon()
    done = call("show", tmp_path / "run.parquet", "--save", tmp_path / "kept.parquet")
    assert done.exit_code == 0 and "run.parquet: 30 steps, to t = 0.03 s" in done.stdout
    assert "current  A" in done.stdout and "5.477" in done.stdout and "kept.parquet" in done.stdout
    assert "was ended before its end; the recording ends at t = 0.03 s" in done.stderr
    assert be.read_recording(tmp_path / "kept.parquet").rows == 30
    done = call("show", tmp_path / "run.parquet.part", "--json")
    assert '"complete": false' in done.stdout and '"rows": 30' in done.stdout
    done = call("show", "maxon-re40-148877", "--save", tmp_path / "kept.parquet")
    assert done.exit_code == 2 and "--save" in done.output and "is for recordings" in done.output


def test_logs_to_train_on_may_be_of_a_run_that_was_ended(tmp_path) -> None:
    """The columns that are there, with the same warning."""
    from backemf.learned.logs import read_table

    parts(tmp_path / "run.parquet").abandon()
    with pytest.warns(be.BackemfWarning, match="ends at t = "):
        assert len(read_table(tmp_path / "run.parquet")["current"]) == 30


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("run.parquet", b"PAR1 and no more", "is no parquet file that can be read"),
        ("run.csv", b"time [s]\n0\nzero\n", "cannot be read as CSV of numbers"),
        ("run.csv", b"time,current\n0\n", "cannot be read as CSV of numbers"),
        ("run.csv", b"\xff\xfe\n0\n", "cannot be read as CSV of numbers"),
        ("run.txt", b"", "must end in .parquet, .csv"),
        ("run.txt.part", b"", "must end in .parquet, .csv"),
    ],
)
def test_what_is_no_recording_is_refused(tmp_path, name, content, words) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(be.ParameterError, match=words) as caught:
        be.read_recording(tmp_path / name)
    assert "\n" not in str(caught.value)
    with pytest.raises(be.ParameterError, match="no such file; give a recording"):
        be.read_recording(tmp_path / "other.parquet")


def test_a_table_that_unpacks_without_end_is_refused() -> None:
    """A parquet file of a few kilobytes may say that it has any number of rows."""
    with pytest.raises(be.ParameterError, match="split it"):
        check_size(Path("run.parquet"), 10**10, 4)


# --- runs that do not end well


def test_a_simulation_that_fails_leaves_its_parts(tmp_path, monkeypatch) -> None:
    """The sentence says where they are."""
    monkeypatch.setattr(importlib.import_module("backemf.simulate"), "CHUNK", 10)
    command = np.full(40, 1.0)
    command[25] = 1e300
    with pytest.raises(be.SimulationError, match=r"what was recorded until then is in .*run\.csv\.part"):
        be.simulate(MOTOR, be.Inertia(inertia=1e-4), command, 0.04, 1e-3, engine="numpy", output=tmp_path / "run.csv")
    with pytest.warns(be.BackemfWarning, match=r"ends at t = 0\.02 s"):
        assert be.read_recording(tmp_path / "run.csv").rows == 20


def test_a_simulation_with_an_output_writes_what_its_run_writes(tmp_path, monkeypatch) -> None:
    """Part by part or at once, and a batch too, the table is the same."""
    monkeypatch.setattr(importlib.import_module("backemf.simulate"), "CHUNK", 8)
    run = be.simulate(
        MOTOR, be.Inertia(inertia=1e-4), be.commands.Constant(np.array([1.0, 2.0])), 0.02, 1e-3, engine="numpy",
        output=tmp_path / "parts.parquet",
    )  # fmt: skip
    run.to_parquet(tmp_path / "once.parquet")
    first, second = (pyarrow.parquet.read_table(tmp_path / f"{name}.parquet") for name in ("parts", "once"))
    assert first.equals(second, check_metadata=True)
    with pytest.raises(be.ParameterError, match=r"output = 'run\.txt': the name must end in"):
        be.simulate(MOTOR, be.Inertia(inertia=1e-4), 1.0, 0.02, 1e-3, engine="numpy", output="run.txt")


def test_a_simulation_that_is_interrupted_says_where_its_parts_are(tmp_path, monkeypatch) -> None:
    """Ctrl-C after some parts, on the command line."""
    module, checked = importlib.import_module("backemf.simulate"), []
    check_finite = module.check_finite

    def interrupt(*arguments):
        checked.append(1)
        if len(checked) > 2:
            raise KeyboardInterrupt
        check_finite(*arguments)

    monkeypatch.setattr(module, "CHUNK", 100)
    monkeypatch.setattr(module, "check_finite", interrupt)
    done = call("simulate", "maxon-re40-148877", "--command", "24 V", "-o", tmp_path / "run.csv")
    assert done.exit_code != 0 and f"what was recorded until then is in {tmp_path / 'run.csv.part'}" in done.stderr
    with pytest.warns(be.BackemfWarning, match=r"ends at t = 0\.02 s after 200 steps"):
        be.read_recording(tmp_path / "run.csv")


# --- disks that are full


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_disk_that_fills_up_leaves_the_parts_before(tmp_path, ending) -> None:
    """The operating system refuses to write on: the sentence says so and where the parts are, and they are read."""
    writer = parts(tmp_path / f"run.{ending}", 3)
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (writer.part.stat().st_size + 100, before[1]))
    try:
        with pytest.raises(be.ParameterError, match=r"cannot be written: File too large.*is in .*\.part") as caught:
            writer.write(rows(30, 10_000))
        writer.abandon()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert "\n" not in str(caught.value)
    with pytest.warns(be.BackemfWarning):
        assert 30 <= be.read_recording(writer.part).rows < 40


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_parts_that_cannot_be_put_together_stay(tmp_path, ending, monkeypatch) -> None:
    """There is room for the parts and none for the file: the old file is as it was, and nothing is lost."""
    parts(tmp_path / f"run.{ending}", 1).close()
    writer = parts(tmp_path / f"run.{ending}", 3)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(be.ParameterError, match=r"No space left on device; free some space.*is in .*\.part"):
        writer.close()
    assert sorted(os.listdir(tmp_path)) == [f"run.{ending}", f"run.{ending}.part"]
    with pytest.warns(be.BackemfWarning):
        assert be.read_recording(tmp_path / f"run.{ending}").rows == 10
        assert be.read_recording(tmp_path / f"run.{ending}.part").rows == 30


def test_a_webots_run_on_a_full_disk_says_so_once(tmp_path, monkeypatch) -> None:
    """The script ends with the sentence; what was written before it is named and can be read."""
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "robot.toml").write_text(ROBOT)
    monkeypatch.setattr("backemf.sims.webots.records.recording.ROWS", 10)
    write, written = RecordingWriter._write_batch, []

    def full(self, columns):
        written.append(1)
        if len(written) > 2:
            raise OSError(28, "No space left on device")
        write(self, columns)

    monkeypatch.setattr(RecordingWriter, "_write_batch", full)
    target = tmp_path / "run.parquet"
    done = call("webots", "run", tmp_path / "script.py", "--robot", tmp_path / "robot.toml", "-o", target)
    assert done.exit_code == 1 and done.stderr.count("No space left on device; free some space") == 1
    assert f"wrote {target}.part" in done.stdout.replace("\n", "") and not target.exists()
    assert done.stderr.splitlines()[-1].endswith(f"what was recorded until then is in {target}.part.")
    with pytest.warns(be.BackemfWarning, match=r"ends at t = 0\.64 s"):
        be.read_recording(target)


def test_two_runs_with_one_file_do_not_mix(tmp_path) -> None:
    """The second takes the name; the first says so in the end instead of taking the second's parts for its own."""
    first = parts(tmp_path / "run.parquet", 3)
    second = parts(tmp_path / "run.parquet", 1)
    with pytest.raises(be.ParameterError, match=r"another run has begun.*its own file$"):
        first.close()
    second.close()
    assert be.read_recording(tmp_path / "run.parquet").rows == 10


@pytest.mark.parametrize("name", ["run.parquet", "run.csv"])
@pytest.mark.parametrize("written", [0, 3])
def test_a_run_that_has_lost_its_file_leaves_the_other_its_own(name, written, tmp_path) -> None:
    """However often it is ended, and whether or not it had written anything."""
    first = parts(tmp_path / name, written)
    second = parts(tmp_path / name, 1)
    with pytest.raises(be.ParameterError, match=r"another run has begun"):
        first.close()
    first.close()
    first.abandon()
    second.close()
    assert be.read_recording(tmp_path / name).rows == 10
