"""Runs that are drawn no finer than a screen shows."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

import backemf as be
from backemf.plot.interactive_run import CHANNELS, ratings_of, run_rows
from backemf.run_view import POINTS, RunView, coarse_copy, keep_channels

MOTOR = be.load("maxon-re40-148877")


@pytest.fixture
def long_run(tmp_path: Path) -> RunView:
    """Three million samples of a slow wave with one sample that stands out, and one flag that is set once."""
    steps = 3_000_000
    wave = np.sin(np.linspace(0.0, 20.0, steps)).astype(np.float32)
    wave[1_234_567] = 9.0
    flags = np.zeros(steps, np.int32)
    flags[777_777] = 2
    for name, values in (("current", wave), ("limit", flags)):
        values.tofile(tmp_path / f"{name}.values")
        coarse_copy(values, name).tofile(tmp_path / f"{name}.pairs")
    return RunView(str(tmp_path), 1e-4, steps, "voltage", {"current": "A", "limit": "1"})


@pytest.fixture
def short_run(tmp_path: Path) -> tuple[be.Run, RunView]:
    """A hundred steps under 24 V, of which the current exceeds the rating."""
    run = be.simulate(MOTOR, be.Inertia(1e-5), 24.0, 0.01, 1e-4)
    return run, keep_channels(run, CHANNELS, tmp_path / "run")


@pytest.mark.parametrize("end", [300.0, 200.0, 130.0])
def test_no_peak_is_lost(long_run: RunView, end: float):
    """One sample of three million is in the drawing, which has a few thousand points."""
    time, values = long_run.between("current", 0.0, end)
    assert len(values) <= 2 * POINTS + 4
    assert values.max() == 9.0
    assert time[values.argmax()] == pytest.approx(123.4568, abs=1.5 * end / POINTS)
    assert long_run.between("limit", 0.0, end)[1].max() == 2


def test_zoomed_in_are_the_samples_themselves(long_run: RunView):
    """A tenth of a second has a thousand samples, and each is there at its own time."""
    time, values = long_run.between("current", 123.4, 123.5)
    assert np.diff(time) == pytest.approx(1e-4)
    assert time[values.argmax()] == pytest.approx(123.4568, abs=1e-9)


def test_a_short_run_is_kept_as_it_is(short_run: tuple[be.Run, RunView]):
    """All samples at their own times, in the units of the run; a run of limits alone has no current."""
    run, view = short_run
    time, values = view.between("velocity", 0.0, 0.01)
    assert time == pytest.approx(run.time)
    assert values == pytest.approx(run["velocity"], rel=1e-6)
    assert (view.units["velocity"], view.main, view.duration) == ("rad/s", "voltage", pytest.approx(0.01))
    assert set(view.units) == set(CHANNELS)


def test_no_text_is_parsed(long_run: RunView, short_run: tuple[be.Run, RunView], monkeypatch):
    """Two threads that parse Python at once disturb each other in CPython 3.11."""
    monkeypatch.setattr(ast, "parse", lambda *words, **more: pytest.fail("Python was parsed"))
    for view in (long_run, short_run[1]):
        for name in ("current", "limit"):
            assert len(view.between(name, 0.0, view.duration)[1])
    assert keep_channels(short_run[0], CHANNELS, short_run[1].folder).steps == 100


def test_a_stored_run_is_kept_piece_by_piece(short_run: tuple[be.Run, RunView], tmp_path: Path):
    """The same values as of the run in memory."""
    pytest.importorskip("pyarrow")
    view = short_run[1]
    stored = be.simulate(MOTOR, be.Inertia(1e-5), 24.0, 0.01, 1e-4, to=tmp_path / "run.parquet")
    again = keep_channels(stored, CHANNELS, tmp_path / "stored")
    assert again.units == view.units
    assert np.array_equal(again.between("current", 0.0, 0.01)[1], view.between("current", 0.0, 0.01)[1])


def test_a_picture_has_a_row_per_quantity_its_target_and_the_ratings_it_comes_near(short_run: tuple[be.Run, RunView]):
    """24 V at standstill drive far more than the rated current, which is then a line; speeds are in the unit asked."""
    run, view = short_run
    drawn = run_rows(view, ratings_of(MOTOR), view, None, "rad/s")
    names = [line["name"] for line in drawn["data"]]
    assert names.count("before") == 6 and "target" not in names
    (rated,) = [line for line in drawn["data"] if line["name"] == "continuous rating"]
    assert rated["y"] == pytest.approx([float(MOTOR.motor.ratings.current)] * 2, rel=1e-4)
    (speed,) = [line for line in drawn["data"] if line["name"] == "speed"]
    assert speed["y"] == pytest.approx(run["velocity"], rel=1e-4)
    assert drawn["layout"]["yaxis2"]["title"]["text"] == "speed<br>[rad/s]"


def test_limits_that_act_have_lanes(tmp_path: Path):
    """A flag that is set from the third to the fifth step is a band of three steps."""
    flags = np.zeros(10, np.int32)
    flags[2:5] = 2
    flags.tofile(tmp_path / "limit.values")
    drawn = run_rows(RunView(str(tmp_path), 1.0, 10, "voltage", {"limit": "1"}), {}, None, None, "rpm")
    (band,) = drawn["data"]
    assert (band["x"], drawn["layout"]["yaxis"]["ticktext"]) == ([2.0, 5.0, None], ["current limit"])
