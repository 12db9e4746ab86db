"""Runs that go to a file alone: the same numbers as in memory, in a memory that does not grow with the run."""

import importlib
import json
import os
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest
from test_cli import call

import backemf as be
from backemf.physics.state import LIMITS
from backemf.recording_writing import RecordingWriter
from backemf.run_summary import sum_in_order

simulate = importlib.import_module("backemf.simulate")
MOTOR = be.Motor(
    winding=be.Winding(resistance=1.0),
    magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
    rotor=be.Rotor(inertia=1e-4),
)
LOAD = be.Inertia(inertia=1e-4)
SINE = be.commands.Sine(amplitude=12.0, frequency=3.0)


def run(steps: int = 1000, **options):
    """A motor under an alternating voltage."""
    return be.simulate(options.pop("motor", MOTOR), LOAD, options.pop("command", SINE), steps * 1e-3, 1e-3, **options)


@pytest.mark.parametrize("engine", ["native", "jax", "numpy"])
def test_a_run_in_a_file_is_the_run_in_memory(tmp_path, monkeypatch, engine):
    """Bit by bit, through pieces of any length, and what is gathered on the way too."""
    whole = run(engine=engine, every=2)
    monkeypatch.setattr(simulate, "CHUNK", 128)
    stored = run(engine=engine, every=2, to=tmp_path / "run.parquet")
    assert stored.rows == 500 and stored.channels == tuple(whole.channels) and os.listdir(tmp_path) == ["run.parquet"]
    loaded = stored.load()
    assert np.array_equal(loaded.time, whole.time) and stored.end == pytest.approx(1.0)
    for name in whole.channels:
        assert np.array_equal(loaded[name], whole[name]) and np.array_equal(stored[name], whole[name])
        assert stored.summary.last[name] == whole[name][-1] and stored.unit(name) == whole.unit(name)
        assert stored.summary.size(name) == np.abs(whole[name]).max()


@pytest.mark.parametrize("chunk", [128, 4096])
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_file_is_the_same_whoever_writes_it(tmp_path, monkeypatch, ending, chunk):
    """A run that goes to a file in pieces, and one in memory that is written at its end."""
    monkeypatch.setattr(simulate, "CHUNK", chunk)
    stored = run(to=tmp_path / f"stored.{ending}")
    written = getattr(run(), f"to_{ending}")(tmp_path / f"written.{ending}")
    assert stored.path.read_bytes() == written.read_bytes()


def test_energy_and_limits_are_those_of_the_whole_run(tmp_path, monkeypatch):
    """Summed step after step, so that not even rounding differs."""
    monkeypatch.setattr(simulate, "CHUNK", 64)
    actuator = be.Actuator(MOTOR, be.Supply(voltage=6.0))
    stored = run(motor=actuator, to=tmp_path / "run.parquet", channels=("current",))
    whole = run(motor=actuator)
    for name, joules in whole.energy().items():
        assert stored.summary.energy()[name] == joules[-1]
    acted = {name: 1e-3 * int((whole["limit"].astype(int) & bit > 0).sum()) for name, bit in LIMITS.items()}
    assert stored.summary.limit_times() == {name: time for name, time in acted.items() if time}
    assert stored.summary.limit_times()


def test_a_batch_comes_back_in_its_shape(tmp_path, monkeypatch):
    """A column per motor in the file, the batch's axes behind time in memory; and in pieces."""
    monkeypatch.setattr(simulate, "CHUNK", 100)
    command = be.commands.Constant(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    stored = run(350, command=command, to=tmp_path / "run.parquet", channels=("position", "current"))
    whole = run(350, command=command)
    assert np.array_equal(stored["current"], whole["current"]) and stored["current"].shape == (350, 2, 3)
    pieces = list(stored.pieces(("position",), rows=120))
    assert [len(piece["time"]) for piece in pieces] == [120, 120, 110]
    assert np.array_equal(np.concatenate([piece["position"] for piece in pieces]), whole["position"])
    assert pyarrow.parquet.ParquetFile(stored.path).metadata.num_columns == 13


def test_memory_does_not_grow_with_the_run(tmp_path, monkeypatch):
    """Ten times the steps take as much; of what they take when they are kept, not a tenth."""
    monkeypatch.setattr(simulate, "CHUNK", 1000)
    monkeypatch.setattr("backemf.recording_writing.GROUP_BYTES", 0)

    def peak(steps: int, **options) -> int:
        tracemalloc.start()
        try:
            run(steps, **options)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    run(500, to=tmp_path / "run.parquet")
    few, many = (peak(steps, to=tmp_path / "run.parquet") for steps in (10_000, 100_000))
    assert many - few < 0.1 * (peak(100_000) - peak(10_000))


def test_the_peak_is_foreseen(monkeypatch):
    """What is compared with the machine's memory is what a run takes, and no multiple of it."""
    batch, told = 200, []
    monkeypatch.setattr(simulate, "CHUNK", 500)
    monkeypatch.setattr(simulate, "require_room", lambda what, wanted, *_: told.append((what, wanted)))
    command = be.commands.Constant(np.linspace(1.0, 2.0, batch))
    run(500, command=command)
    told.clear()
    tracemalloc.start()
    run(4000, command=command)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    wanted = max(size for what, size in told if what == "the run")
    assert 0.8 * wanted < peak < 1.1 * wanted


@pytest.mark.parametrize("engine", ["native", "numpy", pytest.param("jax", marks=pytest.mark.long)])
@pytest.mark.parametrize("load", [LOAD, be.PrescribedMotion(time=np.array([0.0, 1.0]), position=np.array([0.0, 3.0]))])
def test_a_record_of_many_steps_is_computed_in_several_calls(monkeypatch, engine, load):
    """1000 steps a record, in calls of at most 16: the same records as of every step, commands included."""
    command = be.commands.Sine(amplitude=np.linspace(6.0, 12.0, 3), frequency=3.0)

    def records(every: int) -> be.Run:
        return be.simulate(MOTOR, load, command, 3.0, 1e-3, every=every, engine=engine)

    whole = records(1)
    lengths = []
    name = f"roll_{engine}"
    roll = getattr(simulate, name)
    monkeypatch.setattr(simulate, name, lambda *given: lengths.append(len(given[3]["command"])) or roll(*given))
    monkeypatch.setattr(simulate, "CHUNK", 16)
    seldom = records(1000)
    assert sum(lengths) == 3000 and max(lengths) <= 16 and len(set(lengths)) <= 2
    for name in whole.channels:
        assert np.abs(seldom[name] - whole[name][999::1000]).max() <= 1e-12 * np.abs(whole[name]).max(), name


@pytest.mark.parametrize("command", [be.commands.Constant, lambda x: be.commands.Sine(amplitude=x, frequency=1.0)])
def test_commands_of_many_motors_are_part_of_the_peak(monkeypatch, command):
    """A command for each motor and each of the 1000 steps between two records: 16 MB, which nothing holds at once."""
    motors, told = 2000, []
    monkeypatch.setattr(simulate, "PIECE_BYTES", 100_000)
    monkeypatch.setattr(simulate, "require_room", lambda what, wanted, *_: told.append((what, wanted)))
    given = {"command": command(np.linspace(1.0, 2.0, motors)), "every": 1000}
    run(1000, **given)
    told.clear()
    tracemalloc.start()
    run(1000, **given)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    wanted = max(size for what, size in told if what == "the run")
    assert peak < 1.1 * wanted < 8e6


def test_a_run_of_one_record_listens_to_ctrl_c(monkeypatch):
    """However many steps are between two records, no call is longer than the longest piece."""
    longest = []
    roll = simulate.roll_native
    monkeypatch.setattr(
        simulate, "roll_native", lambda *given: longest.append(len(given[3]["command"])) or roll(*given)
    )
    run(200_000, every=200_000)
    assert max(longest) <= simulate.CHUNK and sum(longest) == 200_000


@pytest.mark.parametrize(("motors", "rows", "part"), [(100, 20_000, 5_000), (1, 400_000, 16_384), (2000, 500, 100)])
def test_what_assembling_a_file_takes_is_foreseen(tmp_path, motors, rows, part):
    """One group of rows at a time, and each of its numbers once; the pool of pyarrow tells the peak."""
    from backemf.recording_writing import assembling_memory

    columns = {f"current[{k}]": np.linspace(0.0, 1.0 + k, part) for k in range(motors)}
    writer = RecordingWriter(tmp_path / "run.parquet", {})
    for _ in range(rows // part):
        writer.write(columns)
    before = pyarrow.default_memory_pool()
    pool = pyarrow.proxy_memory_pool(before)
    pyarrow.set_memory_pool(pool)
    try:
        writer.close()
    finally:
        pyarrow.set_memory_pool(before)
    wanted = assembling_memory(rows // part * part, part, motors)
    group = 8 * motors * min(rows // part * part, -(-8192 // part) * part if motors > 1 else rows)
    assert group <= pool.max_memory() <= wanted < 3 * group


def test_a_file_of_any_length_takes_the_root_of_its_rows():
    """Ten thousand times the rows: a hundred times the memory of groups and of what is kept of each, no more."""
    from backemf.recording_writing import assembling_memory

    few, many = (assembling_memory(rows, 16_384, 41) for rows in (10**6, 10**10))
    assert many < 100 * few and many < 1.2e9


def test_the_peak_of_a_file_is_compared_with_the_memory(tmp_path, monkeypatch):
    """A run that goes to a file takes what its parts take, and what the file takes that they become."""
    told = []
    monkeypatch.setattr(simulate, "require_room", lambda what, wanted, *_: told.append((what, wanted)))
    monkeypatch.setattr(simulate, "PIECE_BYTES", 1_000_000)
    command = be.commands.Constant(np.ones(200))
    run(2_000, command=command, to=tmp_path / "run.parquet", channels=("position", "current"))
    # 200 motors with two channels, 8 bytes each, of 2000 rows are 6.4 MB, which one group of rows holds
    (wanted,) = (size for what, size in told if what == "the run")
    # and the piece before, a page, and 6 kB for each of the 401 columns no more than as much again
    assert 6.4e6 < wanted < 2 * 6.4e6


def test_what_does_not_fit_is_said_before_the_run(tmp_path, monkeypatch):
    """Memory with the remedy of a file; a disk with the remedy of fewer channels; and a batch that no piece holds."""
    monkeypatch.setattr("backemf.checks.free_memory", lambda: 10_000_000)
    monkeypatch.setattr(simulate, "PIECE_BYTES", 1_000_000)
    with pytest.raises(
        be.ParameterError, match=r"^the run would take .* GiB, and there are .*write it to a file with to="
    ):
        run(100_000)
    run(2_000, to=tmp_path / "fits.parquet", channels=("current",))
    with pytest.raises(
        be.ParameterError,
        match=r"the run would take .*: raise every, name fewer channels, or run fewer motors at once$",
    ):
        run(10, command=be.commands.Constant(np.ones(100_000)), to=tmp_path / "run.parquet")
    monkeypatch.setattr(simulate, "room_on_disk", lambda path: 50_000)
    with pytest.raises(
        be.ParameterError, match=r"run\.parquet would take .*name fewer channels, or write to another disk"
    ):
        run(2_000, to=tmp_path / "run.parquet")
    assert os.listdir(tmp_path) == ["fits.parquet"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"to": "run.txt"}, r"to = 'run\.txt': the name must end in \.parquet or \.csv"),
        ({"to": "run\0.csv"}, "cannot be written: embedded null byte; give the path of a file"),
        ({"to": "run.csv", "output": "run.csv"}, "output and to are both given"),
        ({"channels": ("current",)}, r"channels = .*leave it out, or give one"),
        ({"to": "run.csv", "channels": ("amperes",)}, "channels: no channel 'amperes'; there are position, velocity"),
        ({"to": "run.csv", "channels": ()}, "channels is empty"),
        ({"to": "absent/run.csv"}, r"absent/run\.csv\.part: cannot be written: No such file.*make the folder first"),
        ({"to": "folder.csv"}, r"folder\.csv: cannot be written: it is a folder"),
    ],
)
def test_bad_targets_are_one_sentence(tmp_path, monkeypatch, options, words):
    """Said before anything is computed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.csv").mkdir()
    monkeypatch.setattr(simulate, "roll_native", None)
    with pytest.raises(be.ParameterError, match=words) as caught:
        run(**options)
    assert "\n" not in str(caught.value) and os.listdir(tmp_path) == ["folder.csv"]


def test_an_existing_file_stays_until_the_new_one_is_whole(tmp_path, monkeypatch):
    """A run that fails leaves the old file and its own parts; one that ends takes its place."""
    monkeypatch.setattr(simulate, "CHUNK", 10)
    target = tmp_path / "run.parquet"
    run(20, to=target)
    before = target.read_bytes()
    command = np.full(40, 1.0)
    command[25] = 1e300
    with pytest.raises(be.SimulationError, match=r"is in .*run\.parquet\.part"):
        run(40, command=command, to=target, engine="numpy")
    assert target.read_bytes() == before
    with pytest.warns(be.BackemfWarning, match="after 20 steps"):
        assert be.read_recording(tmp_path / "run.parquet.part", ["time"])["time"][-1] == pytest.approx(0.02)
    run(30, to=target)
    assert be.read_recording(target).rows == 30


def test_a_disk_that_fills_up_keeps_the_finished_parts(tmp_path, monkeypatch):
    """One sentence with the remedy and where the parts are."""
    monkeypatch.setattr(simulate, "CHUNK", 10)
    write, written = RecordingWriter._write_batch, []

    def full(self, columns):
        written.append(1)
        if len(written) > 3:
            raise OSError(28, "No space left on device")
        write(self, columns)

    monkeypatch.setattr(RecordingWriter, "_write_batch", full)
    with pytest.raises(be.ParameterError, match=r"No space left on device; free some space.*is in .*\.part") as caught:
        run(100, to=tmp_path / "run.parquet")
    assert "\n" not in str(caught.value)
    with pytest.warns(be.BackemfWarning, match=r"ends at t = 0\.03 s after 30 steps"):
        be.read_recording(tmp_path / "run.parquet")


def test_a_damaged_file_is_one_sentence(tmp_path):
    """Of the whole file, of a channel of it, and of a piece."""
    stored = run(200, to=tmp_path / "run.parquet", channels=("current",))
    content = bytearray(stored.path.read_bytes())
    content[4 : len(content) // 2] = b"\xff" * (len(content) // 2 - 4)
    stored.path.write_bytes(bytes(content))
    for read in (lambda: stored["current"], lambda: list(stored.pieces()), lambda: be.read_recording(stored.path)):
        with pytest.raises(be.ParameterError, match=r"run\.parquet: is no parquet file that can be read") as caught:
            read()
        assert "\n" not in str(caught.value)
    with pytest.raises(be.ParameterError, match=r"run\['velocity'\]: was not written; there are time, current"):
        stored["velocity"]


def test_a_damaged_part_is_left_out_with_all_behind_it(tmp_path):
    """What stands before it is read, with the warning that the recording ends there."""
    writer = RecordingWriter(tmp_path / "run.parquet", {"time": "s"})
    sizes = []
    for k in range(3):
        writer.write({"time": 10.0 * k + np.arange(10.0)})
        sizes.append(writer.part.stat().st_size)
    writer.abandon()
    content = bytearray(writer.part.read_bytes())
    content[sizes[1] : sizes[1] + 64] = b"\xff" * 64
    writer.part.write_bytes(bytes(content))
    with pytest.warns(be.BackemfWarning, match="after 20 steps"):
        assert be.read_recording(tmp_path / "run.parquet")["time"][-1] == 19.0


def test_the_command_line_writes_long_runs_to_the_file_alone(tmp_path, monkeypatch):
    """The table has the same ends, peaks and energies; what was not checked is said."""
    words = ["simulate", "maxon-re40-148877", "--command", "24 V", "--duration", "0.1 s"]
    short = call(*words, "-o", tmp_path / "short.parquet", "--json")
    monkeypatch.setattr("backemf.cli.simulate.MOST_KEPT", 10)
    long = call(*words, "-o", tmp_path / "long.parquet", "--json")
    known, found = (json.loads(done.stdout) for done in (short, long))
    for key in ("time", "end", "peak", "limits", "energy"):
        assert found[key] == pytest.approx(known[key]), key
    assert "not checked against the maker's ratings" in found["notes"][0]
    shown = call(*words, "-o", tmp_path / "long.parquet")
    assert shown.exit_code == 0 and "Where the energy went" in shown.stdout and "wrote" in shown.stdout
    tables = [pyarrow.parquet.read_table(tmp_path / f"{name}.parquet") for name in ("short", "long")]
    assert tables[0].equals(tables[1])


def test_a_csv_file_can_be_loaded_too(tmp_path):
    """Nine digits, as in any CSV file of ours."""
    stored = run(100, to=str(tmp_path / "run.csv"), channels="current")
    assert isinstance(stored.path, Path) and np.allclose(stored["current"], run(100)["current"], rtol=1e-8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sum(len(piece["time"]) for piece in stored.pieces(rows=30)) == 100


@pytest.mark.parametrize("shape", [(), (1,), (7,), (8,), (300,), (3, 5)])
def test_sums_are_taken_in_order(shape):
    """Step after step, as a cumulative sum is, to the last bit and however the numbers are laid out."""
    values = np.random.default_rng(0).normal(size=(9000, *shape))
    for layout in (values, np.asfortranarray(values)):
        assert np.array_equal(sum_in_order(layout), np.cumsum(values, axis=0)[-1])
