"""Runs of the page Try, and texts from an address that must not open files."""

from __future__ import annotations

import pytest

from backemf.answers import trial
from backemf.answers.motors import choose
from backemf.errors import BackemfError, ParameterError
from backemf.run_view import RunView

STATE = {"m": "maxon-re40-148877", "load": "inertia inertia=1e-5kg*m^2", "ctrl": "voltage", "cmd": "24 V",
         "dur": "10 ms", "dt": "0.1 ms"}  # fmt: skip


def test_a_run_is_that_of_the_command_line(tmp_path):
    """The same numbers as simulate gives."""
    import backemf as be

    found = trial.run_trial({"state": STATE, "folder": str(tmp_path / "run")})
    motor = be.Datasheet.load(STATE["m"]).motor()
    own = be.simulate(motor, be.Inertia(1e-5), 24.0, 0.01, 1e-4)
    assert RunView(**found["view"]).between("velocity", 0.0, 0.01)[1] == pytest.approx(own["velocity"], rel=1e-6)


@pytest.mark.parametrize(
    "change", [{"cmd": "/etc/passwd.csv"}, {"load": "motion /etc/passwd"}, {"load": " Motion x.csv"}]
)
def test_no_path_of_an_address_is_opened(change):
    """A command and a load may be files on the command line, and never here."""
    with pytest.raises(ParameterError, match="is read on the command line"):
        trial.parts_of(STATE | change)


@pytest.mark.parametrize(("name", "title"), [("dur", "duration"), ("dt", "step")])
def test_an_empty_time_is_a_sentence(name, title):
    """A field that was cleared is not in the state."""
    state = {key: text for key, text in STATE.items() if key != name}
    with pytest.raises(BackemfError, match=f'{title}: "" is not a quantity'):
        trial.steps_of(state)


@pytest.mark.parametrize("ref", ["../secret", "/etc/passwd", "motor.toml", "here"])
def test_a_motor_is_an_id_and_no_file(ref, tmp_path, monkeypatch):
    """Also where a file of that name lies in the folder of the program."""
    monkeypatch.chdir(tmp_path)
    for name in ("motor.toml", "here"):
        (tmp_path / name).write_text('name = "secret"\n')
    with pytest.raises(ParameterError, match="is not in the catalogue"):
        choose(ref)
