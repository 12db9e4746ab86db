"""Sweeps: every case of a space once, the same rows whoever computes them, and none is lost when a sweep is stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from long import some_now

import backemf as be
from backemf.errors import ParameterError
from backemf.random import LogUniform, Scale, Uniform
from backemf.sweep import sweeping
from backemf.sweep.cases import Cases
from backemf.sweep.manifest import Progress
from backemf.sweep.part import Job, run_part
from backemf.sweep.swept import OwnFunction
from backemf.sweep.workers import ThisProcess

MOTOR = "maxon-re40-148877"
RUN = {"motor": MOTOR, "load": be.Inertia(1e-4), "command": 24.0, "duration": 0.01}


def area(case: be.Case) -> dict[str, object]:
    """A function of one's own, with a number that is drawn for each case."""
    luck = np.random.default_rng(case.seed).random()
    return {"area": case["a"] * case["b"], "luck": float(luck), "large": case["a"] > 2.5, "name": f"case {case.index}"}


AREAS = be.Space({"a": [1.0, 2.0, 3.0], "b": Uniform(0.0, 1.0)}, draws=7)


def parts_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "parts").iterdir()}


# --- rows


def test_every_case_is_a_row_with_its_values_and_answers(tmp_path):
    """Three values times seven draws, the last axis fastest; area = a·b in each."""
    found = be.sweep(area, AREAS, tmp_path / "out", workers=1)
    assert (found.cases, found.rows, found.failed, found.complete) == (21, 21, 0, True)
    assert found["case"].tolist() == list(range(21))
    assert found["a"].tolist() == [1.0] * 7 + [2.0] * 7 + [3.0] * 7
    assert (found["area"] == found["a"] * found["b"]).all()
    assert len(set(found["b"])) == len(set(found["luck"])) == 21
    assert found["large"].tolist() == [False] * 14 + [True] * 7
    assert found["name"][20] == "case 20"
    assert found["error"].tolist() == [None] * 21


@pytest.mark.parametrize("part", [1, 4, 21])
def test_rows_do_not_depend_on_the_parts(tmp_path, part):
    """Values and random seeds belong to the number of a case."""
    one = be.sweep(area, AREAS, tmp_path / "one", workers=1, part=21, seed=3)
    two = be.sweep(area, AREAS, tmp_path / "two", workers=1, part=part, seed=3)
    assert all((one[name] == two[name]).all() for name in ("case", "a", "b", "area", "luck", "name"))
    other = be.sweep(area, AREAS, tmp_path / "other", workers=1, seed=4)
    assert not (one["b"] == other["b"]).any() and not (one["luck"] == other["luck"]).any()


def test_processes_write_the_bytes_that_this_process_writes(tmp_path):
    """Whole parts of simulations, by the same code."""
    space = be.Space({"load.inertia": [1e-5, 1e-4], "winding.resistance": Scale(0.9, 1.1)}, draws=40)
    be.sweep("simulate", space, tmp_path / "one", workers=1, part=20, **RUN)
    be.sweep("simulate", space, tmp_path / "two", workers=2, part=20, **RUN)
    assert len(parts_of(tmp_path / "one")) == 4
    assert parts_of(tmp_path / "one") == parts_of(tmp_path / "two")


def test_a_case_that_fails_is_a_row_with_its_sentence(tmp_path):
    """A user's own exception, an answer that no column holds, and one of another kind than before."""

    def moody(case: be.Case) -> dict[str, object]:
        answers: dict[float, object] = {1.0: 5, 2.0: [1, 2], 3.0: "text", 4.0: float("nan")}
        return {"y": 1 / (case["x"] and 1), "z": answers.get(case["x"], 0.5)} if case["x"] < 9 else {"x": 1.0}

    found = be.sweep(moody, be.Space({"x": [0.0, 1.0, 2.0, 3.0, 4.0, 9.0]}), tmp_path / "out", workers=1, part=6)
    said = dict(found.failures())
    assert found.failed == 4 and sorted(said) == [0, 2, 3, 5]
    assert said[0] == "ZeroDivisionError: float division by zero"
    assert "'z' has the shape (2,)" in said[2] and "something else in another case" in said[3] and "'x'" in said[5]
    assert found["z"][1] == 5.0 and np.isnan(found["z"][[0, 2, 3, 4, 5]]).all()
    # nothing of the answer of a case that failed is kept, and a NaN that was answered is one
    assert np.isnan(found["y"][2]) and found["y"][4] == 1.0
    assert found["error"][4] is None


def test_a_part_without_answers_has_no_columns_of_them(tmp_path):
    """Yet the table has all columns, with nothing in these rows."""

    def late(case: be.Case) -> dict[str, object]:
        return {"y": np.float32(2.0), "s": None if case["x"] < 3 else "there"} if case["x"] > 1 else {}

    found = be.sweep(late, be.Space({"x": [0.0, 1.0, 2.0, 3.0]}), tmp_path / "out", workers=1, part=2)
    assert np.isnan(found["y"][:2]).all() and found["y"][2:].tolist() == [2.0, 2.0]
    assert found["s"][3] == "there"
    with pytest.raises(ParameterError, match="no column 'q'; there are case, x, error, s, y"):
        _ = found["q"]


# --- simulations


def test_answers_of_a_simulation_are_those_of_the_run(tmp_path):
    """Each case by itself, as `simulate` runs it."""
    space = be.Space({"load.inertia": [1e-5, 1e-4], "supply.voltage": [12.0, 24.0], "command": [6.0, 20.0]})
    found = be.sweep("simulate", space, tmp_path / "out", workers=1, supply=be.Supply(voltage=48.0), **RUN)
    assert found.rows == 8 and not found.failed
    for k in (0, 3, 7):
        actuator = be.Actuator(be.load(MOTOR).motor, supply=be.Supply(voltage=found["supply.voltage"][k]))
        run = be.simulate(actuator, be.Inertia(found["load.inertia"][k]), found["command"][k], 0.01)
        assert found["end.velocity"][k] == pytest.approx(run["velocity"][-1], rel=1e-9)
        assert found["peak.current"][k] == pytest.approx(abs(run["current"]).max(), rel=1e-9)
        assert found["energy.copper"][k] == pytest.approx(run.energy()["copper"][-1], rel=1e-9)
    # 20 V do not come out of 12 V
    assert found["limits.voltage"][1] > 0.0 and found["limits.voltage"][3] == 0.0
    assert found.units["load.inertia"] == "kg·m²" and found.units["end.velocity"] == "rad/s"
    assert found.units["energy.copper"] == "J" and found.units["limits.voltage"] == "s"


def test_any_field_varies(tmp_path):
    """Of the motor, the actuator, the load, a signal and the start; a tuple of names shares its draws."""
    space = be.Space(
        {
            ("magnet.torque_constant", "magnet.back_emf_constant"): Scale(0.9, 1.1),
            "motor.rotor.inertia": LogUniform(1e-6, 1e-5),
            "actuator.voltage_limit": [20.0, 30.0],
            "load.mass": [0.1],
            "command.amplitude": [5.0, 10.0],
            "position": [0.1],
            "initial.winding_rise": [0.0, 50.0],
        },
        draws=2,
        how="latin-hypercube",
    )
    actuator = be.Actuator(be.load(MOTOR).motor, voltage_limit=24.0)
    settings = RUN | {
        "motor": actuator,
        "load": be.Pendulum(mass=1.0, length=0.1),
        "command": be.commands.Sine(amplitude=1.0, frequency=50.0),
    }
    found = be.sweep("simulate", space, tmp_path / "out", workers=1, **settings)
    assert found.rows == 16 and not found.failed, found.failures()
    magnet = actuator.motor.magnet
    assert found["magnet.torque_constant"] / magnet.torque_constant == pytest.approx(
        found["magnet.back_emf_constant"] / magnet.back_emf_constant
    )
    warm = found["initial.winding_rise"] == 50.0
    assert (found["end.winding_temperature"][warm] > found["end.winding_temperature"][~warm].max() + 40.0).all()
    assert found.units["command.amplitude"] == "V"


def test_motors_of_a_list_each_have_their_own_numbers(tmp_path):
    """A factor is of the motor of its case; a field that one of the motors lacks fails in its cases alone."""
    motors = [MOTOR, "maxon-re40-gp52c"]
    space = be.Space(
        {"motor": motors, "winding.resistance": Scale(2.0, 2.0), "gearbox.stages.0.efficiency": [0.5]}, draws=2
    )
    found = be.sweep("simulate", space, tmp_path / "out", workers=1, **{k: v for k, v in RUN.items() if k != "motor"})
    ohms = [be.load(motor).motor.winding.resistance for motor in motors]
    assert found["winding.resistance"].tolist() == pytest.approx(np.repeat(2.0 * np.array(ohms), 2).tolist())
    assert [case for case, _ in found.failures()] == [0, 1]
    assert found.failures()[0][1] == (
        'sweep: "gearbox.stages.0.efficiency": this Actuator has no motor.gearbox, it is None; '
        "give it one before varying it"
    )


def test_one_bad_motor_of_a_batch_fails_alone(tmp_path):
    """A batch is halved until the case is found; the sentence knows nothing of the batch."""
    space = be.Space({"winding.resistance": [1.0, 2.0, -1.0, 3.0, 4.0, 5.0, 0.0]})
    found = be.sweep("simulate", space, tmp_path / "out", workers=1, **RUN)
    assert found.failures() == [
        (2, "Winding.resistance = -1: must be a finite number greater than 0"),
        (6, "Winding.resistance = 0: must be a finite number greater than 0"),
    ]
    assert np.isfinite(found["end.velocity"][[0, 1, 3, 4, 5]]).all()


# --- a sweep that is stopped


class Killed(BaseException):
    """As if the process were gone."""


def stop_after(monkeypatch: pytest.MonkeyPatch, parts: int) -> list[int]:
    """Let only so many parts be computed; the list holds those that were."""
    finished, done = ThisProcess.finished, []

    def counted(self: ThisProcess) -> list:
        if len(done) >= parts:
            raise Killed
        found = finished(self)
        done.extend(each.part for each in found)
        return found

    monkeypatch.setattr(ThisProcess, "finished", counted)
    return done


def test_a_stopped_sweep_goes_on_where_it_was(tmp_path, monkeypatch):
    """Only what is missing is computed, and the end is that of a sweep that nobody stopped."""
    be.sweep(area, AREAS, tmp_path / "whole", workers=1, part=4)
    with monkeypatch.context() as patch, pytest.raises(Killed):
        first = stop_after(patch, 2)
        be.sweep(area, AREAS, tmp_path / "out", workers=1, part=4)
    half = be.read_sweep(tmp_path / "out")
    assert (half.rows, half.complete, len(half.parts)) == (8, False, 2)
    second = stop_after(monkeypatch, 99)
    be.sweep(area, AREAS, tmp_path / "out", workers=1)
    assert (first, second) == ([0, 1], [2, 3, 4, 5])
    assert parts_of(tmp_path / "out") == parts_of(tmp_path / "whole")
    third = stop_after(monkeypatch, 0)
    assert be.sweep(area, AREAS, tmp_path / "out", workers=1).complete and not third


PROGRAM = """
import os, sys, time
from pathlib import Path
import backemf as be

def slow(case):
    (Path(sys.argv[2]) / f"{case.index}-{os.getpid()}").touch()
    if case.index >= 4:
        time.sleep(600)
    return {"y": case["x"]}

if __name__ == "__main__":
    be.sweep(slow, be.Space({"x": [float(k) for k in range(8)]}), sys.argv[1], workers=2, part=1)
"""


@pytest.mark.parametrize("number", some_now([signal.SIGKILL, signal.SIGINT], lambda number: number == signal.SIGKILL))
def test_workers_end_with_the_process_that_sweeps(tmp_path, number):
    """Killed or stopped, what was done is there, and no process is left that computes for nobody."""
    program, notes, out = tmp_path / "program.py", tmp_path / "notes", tmp_path / "out"
    program.write_text(PROGRAM)
    notes.mkdir()
    with (tmp_path / "errors").open("w") as errors:
        sweeping_process = subprocess.Popen([sys.executable, program, out, notes], stderr=errors)
    waiting = lambda: sum(int(path.name.split("-")[0]) >= 4 for path in notes.iterdir())  # noqa: E731
    stored = lambda: len(list((out / "parts").glob("part-*"))) if out.exists() else 0  # noqa: E731
    while sweeping_process.poll() is None and (waiting() < 2 or stored() < 4):
        pass_time()
    sweeping_process.send_signal(number)
    sweeping_process.wait()
    workers = {int(path.name.split("-")[1]) for path in notes.iterdir()}
    for _ in range(2000):
        if not any(map(alive, workers)):
            break
        pass_time()
    left = [pid for pid in workers if alive(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert len(workers) == 2 and not left
    found = be.read_sweep(out)
    assert found["case"].tolist() == [0, 1, 2, 3] and found.cases == 8
    text = (tmp_path / "errors").read_text()
    if number == signal.SIGINT:
        assert f"KeyboardInterrupt: stopped; 4 of 8 parts are in {out}, and the same sweep goes on" in text


def pass_time() -> None:
    """Let other processes go on."""
    threading.Event().wait(0.02)


def alive(pid: int) -> bool:
    """Whether a process runs."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text() if Path("/proc").exists() else False
    except FileNotFoundError:
        return False


@pytest.mark.long
def test_a_worker_that_crashes_ends_the_sweep_with_a_sentence(tmp_path):
    """What was done is kept, and the sentence says what to try."""
    with pytest.raises(ParameterError, match=r"a worker has ended: .* parts are in .*, and the same sweep goes on"):
        be.sweep(partial(crash, at=3.0), be.Space({"x": [1.0, 2.0, 3.0]}), tmp_path / "out", workers=2, part=1)


def crash(case: be.Case, at: float) -> dict[str, object]:
    """End the process at one value."""
    if case["x"] == at:
        os._exit(1)
    return {}


# --- what is bounded


def test_a_thousand_million_cases_are_no_list(tmp_path):
    """Any part of 1e9 cases is made from its number; what says which are done is a byte for each part."""
    axes = {"a": range(1000), "b": Uniform(0.0, 1.0), "c": LogUniform(1.0, 2.0)}
    space = be.Space(axes, draws=1_000_000, how="latin-hypercube")
    assert space.cases == 10**9
    job = Job(OwnFunction(area), space, 0, sweeping.part_size(space.cases, 1, 1000), "hash")
    assert (job.parts, job.size) == (10**6, 1000)
    done = run_part(job, 999_999)
    assert (done.part, done.rows, done.failed) == (999_999, 1000, 0)
    progress = Progress(bytearray(job.parts))
    for part in (0, 1, 2, 7, 999_999):
        progress.add(part, 1000, 1)
    assert progress.ranges() == [[0, 2], [7, 7], [999_999, 999_999]]
    left = progress.open_parts()
    assert [next(left) for _ in range(5)] == [3, 4, 5, 6, 8]


def test_no_more_parts_are_under_way_than_the_workers_ask_for(tmp_path, monkeypatch):
    """So that the memory does not grow with the sweep."""
    most, now = [0], [0]
    submit, finished = ThisProcess.submit, ThisProcess.finished

    def counted(self: ThisProcess, part: int) -> None:
        now[0] += 1
        most[0] = max(most[0], now[0])
        submit(self, part)

    def ended(self: ThisProcess) -> list:
        found = finished(self)
        now[0] -= len(found)
        return found

    monkeypatch.setattr(ThisProcess, "submit", counted)
    monkeypatch.setattr(ThisProcess, "finished", ended)
    monkeypatch.setattr(ThisProcess, "width", lambda self: 3)
    assert be.sweep(area, AREAS, tmp_path / "out", workers=1, part=1).complete
    assert most == [3] and now == [0]


def test_workers_have_one_thread_each(tmp_path):
    """Libraries and our own batches; the process that sweeps stays as it was."""
    before = dict(os.environ)
    found = be.sweep(threads, be.Space({"x": [1.0, 2.0]}), tmp_path / "out", workers=2, part=1)
    assert found["blas"].tolist() == ["1", "1"] and found["ours"].tolist() == [1.0, 1.0]
    assert ["multi_thread_eigen=false" in flags for flags in found["xla"]] == [True, True]
    assert dict(os.environ) == before


def threads(case: be.Case) -> dict[str, object]:
    """Threads that a worker may use."""
    from backemf.engines.machine_code import processors

    return {
        "blas": os.environ["OPENBLAS_NUM_THREADS"], "ours": len(processors()), "xla": os.environ["XLA_FLAGS"],
    }  # fmt: skip


def test_the_manifest_says_what_the_sweep_is(tmp_path):
    """Space, seed, version, hash and the parts that are done, for people and for other programs."""
    be.sweep(area, AREAS, tmp_path / "out", workers=1, part=4, seed=7)
    known = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert known["space"] == {
        "axes": {"a": [1.0, 2.0, 3.0], "b": "Uniform(per=None, low=0.0, high=1.0)"}, "draws": 7, "how": "random",
    }  # fmt: skip
    assert (known["seed"], known["cases"], known["part"], known["parts"]) == (7, 21, 4, 6)
    assert (known["backemf"], known["function"], known["done"]) == (be.__version__, "area", [[0, 5]])
    assert known["complete"] and known["rows"] == 21 and known["failed"] == 0 and len(known["hash"]) == 64


def test_a_case_knows_what_varies():
    """It is a mapping, with a seed of its own."""
    cases = Cases(5, 0, {"x": np.array([1.0, 2.0]), "motor": np.array(["a", "b"], dtype=object)})
    assert dict(cases[1]) == {"x": 2.0, "motor": "b"} and cases[1].index == 6
    assert cases[0].seed != cases[1].seed == Cases(6, 0, {"x": np.array([0.0])})[0].seed
    with pytest.raises(KeyError, match=r"case\['y'\]: the sweep does not vary it; it varies x, motor"):
        _ = cases[0]["y"]


def test_the_bar_counts_cases_and_is_the_only_one(tmp_path, monkeypatch):
    """What a function does with bars of its own is not shown in the middle of it."""
    from backemf import progress

    labels: list[tuple[str, int]] = []
    bar = SimpleNamespace(update=lambda *_, **__: None, stop=lambda: None)
    monkeypatch.setattr(progress, "_start", lambda label, total, done: labels.append((label, total)) or bar)
    monkeypatch.setattr(progress, "monotonic", iter(range(0, 10**6, 10)).__next__)

    def busy(case: be.Case) -> dict[str, object]:
        with progress.progress_bar("inner", 3) as advance:
            advance(1)
            advance(1)
        return {}

    with monkeypatch.context() as patch, pytest.raises(Killed):
        stop_after(patch, 2)
        be.sweep(busy, be.Space({"x": [1.0, 2.0, 3.0, 4.0, 5.0]}), tmp_path / "out", workers=1, part=1)
    be.sweep(busy, be.Space({"x": [1.0, 2.0, 3.0, 4.0, 5.0]}), tmp_path / "out", workers=1)
    assert labels == [("sweep", 5), ("sweep, 2 of 5 cases were done", 3)]
    with progress.progress_bar("outside", 3) as advance:
        advance(1)
    assert labels[-1] == ("outside", 3)
