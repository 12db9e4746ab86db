"""Runs that are drawn no finer than a screen shows, and texts from an address that must not open files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from backemf.errors import ParameterError
from backemf.studio import trial
from backemf.studio.motors import choose

STATE = {"m": "maxon-re40-148877", "load": "inertia inertia=1e-5kg*m^2", "ctrl": "voltage", "cmd": "24 V",
         "dur": "10 ms", "dt": "0.1 ms"}  # fmt: skip


@pytest.fixture
def long_run(tmp_path: Path) -> dict[str, object]:
    """Three million samples of a slow wave with one sample that stands out, and one flag that is set once."""
    steps = 3_000_000
    wave = np.sin(np.linspace(0.0, 20.0, steps)).astype(np.float32)
    wave[1_234_567] = 9.0
    flags = np.zeros(steps, np.int32)
    flags[777_777] = 2
    for name, values in (("current", wave), ("limit", flags)):
        np.save(tmp_path / f"{name}.npy", values)
        np.save(tmp_path / f"{name}.low.npy", trial._blocks(values, trial.BLOCK, name))
    return {"folder": str(tmp_path), "dt": 1e-4, "steps": steps}


@pytest.mark.parametrize("end", [300.0, 200.0, 130.0])
def test_no_peak_is_lost(long_run, end):
    """One sample of three million is in the drawing, which has a few thousand points."""
    time, values = trial.view(long_run, "current", 0.0, end)
    assert len(values) <= 2 * trial.POINTS + 4
    assert values.max() == 9.0
    assert time[values.argmax()] == pytest.approx(123.4568, abs=1.5 * end / trial.POINTS)
    assert trial.view(long_run, "limit", 0.0, end)[1].max() == 2


def test_zoomed_in_are_the_samples_themselves(long_run):
    """A tenth of a second has a thousand samples, and each is there at its own time."""
    time, values = trial.view(long_run, "current", 123.4, 123.5)
    assert np.diff(time) == pytest.approx(1e-4)
    assert time[values.argmax()] == pytest.approx(123.4568, abs=1e-9)


def test_a_run_is_that_of_the_command_line(tmp_path):
    """The same numbers as simulate gives."""
    import backemf as be

    found = trial.run_trial({"state": STATE, "folder": str(tmp_path / "run")})
    motor = be.Datasheet.load(STATE["m"]).motor()
    own = be.simulate(motor, be.Inertia(1e-5), 24.0, 0.01, 1e-4)
    assert trial.view(found, "velocity", 0.0, 0.01)[1] == pytest.approx(own["velocity"], rel=1e-6)


@pytest.mark.parametrize(
    "change", [{"cmd": "/etc/passwd.csv"}, {"load": "motion /etc/passwd"}, {"load": " Motion x.csv"}]
)
def test_no_path_of_an_address_is_opened(change):
    """A command and a load may be files on the command line, and never here."""
    with pytest.raises(ParameterError, match="is read on the command line"):
        trial.parts_of(STATE | change)


@pytest.mark.parametrize("ref", ["../secret", "/etc/passwd", "motor.toml", "here"])
def test_a_motor_is_an_id_and_no_file(ref, tmp_path, monkeypatch):
    """Also where a file of that name lies in the folder of the program."""
    monkeypatch.chdir(tmp_path)
    for name in ("motor.toml", "here"):
        (tmp_path / name).write_text('name = "secret"\n')
    with pytest.raises(ParameterError, match="is not in the catalogue"):
        choose(ref)
