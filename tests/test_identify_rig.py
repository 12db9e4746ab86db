"""What a fit finds of its rig: the load and the lag of commands, for logs with other notes and on other rigs."""

from functools import cache

import numpy as np
import pytest
from identify_rigs import TRUTH, off_by

import backemf as be
from backemf.identify.found_rig import LAG

MASSES = (0.3, 0.6)
RIG = """
format = "backemf rig 1"
[load]
kind = "Pendulum"
mass = "log.mass kg +- 3 %"
length = "0.1 m"
[firmware]
kind = "DutyServo"
kp = "2 1/rad"
[supply]
voltage = "7.4 V"
"""
LATE, HEAVIER = 0.008, 1.04


def log_of(mass: float, seed: int) -> be.Log:
    """A servo that lifts a weight of a little more than was noted, and gets its commands late."""
    time = np.arange(0.0, 3.0, 5e-3)
    goal = np.sin(2.0 * np.pi * (0.3 + 0.3 * time) * time)
    fine = np.arange(0.0, 3.0, 2.5e-4)
    late = np.sin(2.0 * np.pi * (0.3 + 0.3 * (fine - LATE)) * (fine - LATE))
    bare = be.Log.from_arrays(time, {"position": 0.0 * time})
    drive = be.Rig.parse(RIG).actuator_for(be.Actuator(TRUTH), bare)
    run = be.simulate(drive, be.Pendulum(mass=HEAVIER * mass, length=0.1), be.commands.Samples(late), 3.0, 2.5e-4)
    seen = np.interp(time, np.concatenate([[0.0], run.time]), np.concatenate([[0.0], run["position"]]))
    seen = seen + 1e-3 * np.random.default_rng(seed).normal(size=len(time))
    channels = {"position_command": goal, "position": seen}
    return be.Log.from_arrays(time, channels, meta={"mass": mass}, name=f"{mass} kg", command_between="linear")


@cache
def logs() -> tuple[be.Log, ...]:
    """Two weights."""
    return tuple(log_of(mass, k) for k, mass in enumerate(MASSES))


@cache
def fitted() -> be.Fit:
    """A fit that finds the weights and the lag."""
    free = ["friction.coulomb", "friction.viscous", "rotor.inertia", "load.mass", LAG]
    return be.identify(list(logs()), off_by(TRUTH, 0.0), rig=be.Rig.parse(RIG), free=free)


def test_each_log_is_predicted_with_its_own_load():
    """The mass is a factor on the note of each log: predictions are those that the fit reports, log by log."""
    for log, error in zip(logs(), fitted().errors, strict=True):
        off = float(np.abs(fitted().predict(log)["position"] - log["position"]).mean())
        assert off == pytest.approx(error.mean_absolute, rel=1e-6), log.name
        assert off < 2e-3


def test_the_found_rig_has_factor_and_lag():
    """4 % more than was noted, and 8 ms late, each with the spread that is left."""
    found = fitted().found_rig.known
    assert found["load.mass"].value == pytest.approx(HEAVIER, rel=0.02) and found["load.mass"].note == "mass"
    assert found[LAG].value == pytest.approx(LATE, abs=1e-3)
    assert 0.0 < found["load.mass"].spread < 0.03 and 0.0 < found[LAG].spread < 1e-3
    assert fitted().rig == be.Rig.parse(RIG)


def test_files_of_drive_and_rig_predict_what_the_fit_does(tmp_path):
    """To the error of the steps, which a comparison chooses for itself; the given rig misses weight and lag."""
    drive, bench = fitted().save(tmp_path / "drive.toml"), fitted().found_rig.save(tmp_path / "rig.toml")
    assert be.Rig.read(bench) == fitted().found_rig
    both = be.compare(list(logs()), str(drive), be.Rig.read(bench))
    given = be.compare(list(logs()), str(drive), be.Rig.parse(RIG))
    for log in logs():
        fit = fitted().predict(log)["position"]
        assert np.abs(both.predict(log)["position"] - fit).max() < 2e-3
        assert np.abs(given.predict(log)["position"] - fit).max() > 2e-2


def test_another_rig_keeps_its_own_load():
    """What was found of the weights of one rig says nothing of another's, which has no note."""
    heavy = logs()[1]
    bare = be.Log(heavy.channels, {}, name="heavy", command_between="linear")
    right, wrong = (be.Rig.parse(RIG.replace("log.mass kg +- 3 %", f"{mass} kg")) for mass in (0.62, 0.3))
    assert be.compare(bare, fitted(), right).error("position") < 5e-3
    assert be.compare(bare, fitted(), wrong).error("position") > 5e-2


def test_a_lag_that_the_rig_gives_is_not_looked_for():
    """As it stands, or within its spread; a rig with one reads back as the same."""
    text = RIG + '[command]\nlag = "8 ms"\n'
    rig = be.Rig.parse(text)
    assert be.Rig.parse(rig.text()) == rig and rig.command_for(logs()[0]).lag == LATE
    exact = be.identify(list(logs()), TRUTH, rig=rig, free=["friction.*", "load.*"])
    assert "lag of the command" not in [rung.name for rung in exact.rungs]
    near = be.Rig.parse(text.replace("8 ms", "6 ms +- 3 ms"))
    found = be.identify(list(logs()), TRUTH, rig=near, free=["friction.coulomb", "load.*", "command.*"])
    assert found.found_rig.known[LAG].value == pytest.approx(LATE, abs=1e-3)
    assert "lag of the command" not in [rung.name for rung in found.rungs]
