"""The last rung of a free joint: a small network on what the laws leave."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from identify_rigs import TRUTH, off_by, pendulum_rig
from strange_drive import nothing, sticky_spots, strange_logs

import backemf as be
from backemf.identify import identification
from backemf.identify.network_rung import NAME, UNITS, allows_network, is_anything_left, patterns_of_laws
from backemf.motorfile import load

LAWS = ("winding.*", "magnet*", "rotor.*", "friction*", "supply.*", "command.*", "spring.*")
"""Everything that the ladder may move besides a network."""


@cache
def logs_of(torque) -> tuple[be.Log, ...]:
    return tuple(strange_logs(torque) if torque is sticky_spots else strange_logs(torque, count=4, seconds=3.0))


@cache
def fit_of(torque, laws_alone=False) -> be.Fit:
    free = LAWS if laws_alone else None
    out = "number>=6" if torque is sticky_spots else "number>=3"
    return be.identify(list(logs_of(torque)), off_by(TRUTH, 0.1), rig=pendulum_rig(), hold_out=out, free=free)


def rung_of(fit: be.Fit):
    return next(rung for rung in fit.rungs if rung.name == NAME)


@pytest.mark.long
def test_a_torque_that_no_law_explains_is_learned():
    """The rung stays, and logs that the fit has not seen are predicted better by a factor of two and more."""
    fit, laws = fit_of(sticky_spots), fit_of(sticky_spots, laws_alone=True)
    rung = rung_of(fit)
    assert rung is fit.rungs[-1] and rung.kept and rung.gain > rung.error > 0.0
    assert not any(each.name == NAME for each in laws.rungs)
    assert fit.error() < 0.5 * laws.error()


@pytest.mark.long
def test_laws_alone_leave_nothing_to_a_network():
    """A drive of our laws: the rung is not kept, and every number is that of a fit without it, bit for bit."""
    fit, laws = fit_of(nothing), fit_of(nothing, laws_alone=True)
    assert not rung_of(fit).kept
    assert fit.parameters == laws.parameters
    assert fit.errors == laws.errors and fit.actuator == laws.actuator
    assert fit.actuator.motor.network is None


@pytest.mark.long
def test_what_a_fit_says_of_it(tmp_path: Path):
    """Size and range in a sentence, no weight in the report's tables, and no finding about a weight."""
    fit = fit_of(sticky_spots)
    (note,) = [note for note in fit.notes if "network" in note]
    assert note.startswith(f"a network of {UNITS} units gives 0.0") and "rad/s" in note and "saturates" in note
    assert sum(each.name.startswith("motor.network.") for each in fit.parameters) == 5 * UNITS
    assert not any("network" in finding.figure for finding in fit.findings)
    page = fit.report(tmp_path / "fit.html").read_text()
    shown, motor_file = page.split("The drive as a motor file")
    assert (
        "a network of" in shown and "per_velocity" not in shown and f"motor.<wbr>network ({5 * UNITS} weights)" in shown
    )
    assert "per_velocity" in motor_file


@pytest.mark.long
def test_it_is_saved_drawn_and_predicts(tmp_path: Path):
    """A file comes back with the network and predicts what the fit does; draws vary its weights."""
    fit = fit_of(sticky_spots)
    path = fit.save(tmp_path / "fitted.toml")
    again = load(path)
    assert again.motor.network == fit.actuator.motor.network and len(again.motor.network.units) == UNITS
    log = logs_of(sticky_spots)[7]
    own = fit.predict(log)["position"]
    assert np.abs(own - log["position"]).mean() < 2.0 * fit.error()
    drawn = fit.samples(3)
    assert drawn.motor.network.units[0].weight.shape == (3,)


@pytest.mark.long
def test_a_fit_that_was_stopped_goes_on(tmp_path: Path, monkeypatch):
    """What the network's rung has found is kept: the second try does not look for it again, and ends the same."""
    file, whole = tmp_path / "kept.json", fit_of(sticky_spots)

    def stop(*_):
        raise KeyboardInterrupt

    given = dict(rig=pendulum_rig(), hold_out="number>=6", keep=file)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(identification, "with_network", stop)
        be.identify(list(logs_of(sticky_spots)), off_by(TRUTH, 0.1), **given)
    with monkeypatch.context() as patch:
        patch.setattr("backemf.identify.network_rung._find", stop)
        again = be.identify(list(logs_of(sticky_spots)), off_by(TRUTH, 0.1), **given)
    assert again.parameters == whole.parameters and not file.exists()


def test_names_that_may_move():
    """A pattern that fits a weight lets the network be tried; one of laws alone does not."""
    assert allows_network(None) and allows_network("*") and allows_network(["friction.*", "network.*"])
    assert not allows_network(LAWS)
    assert patterns_of_laws(["friction.*", "motor.network.*"]) == ["friction.*"]
    with pytest.raises(be.ParameterError, match="a network stands on laws; name a law beside it"):
        patterns_of_laws("network.*")


@pytest.mark.long
def test_residuals_at_the_noise_are_left_alone():
    """1 mrad of noise and residuals of 1 mrad: nothing is left; at twice that, something is."""
    fit = fit_of(nothing)
    problem, weights = fit._evidence.problem, fit._evidence.weights
    assert not is_anything_left(problem, weights, pendulum_rig())
    before = problem.scales
    try:
        problem.scales = type(before)(2.0 * before.sigma, before.weight)
        assert is_anything_left(problem, weights, pendulum_rig())
    finally:
        problem.scales = before


@pytest.mark.long
def test_bootstrap_has_the_weights():
    """Every number, the weights among them, has a draw of each."""
    fit = fit_of(sticky_spots)
    found = fit.bootstrap(20)
    assert found.draws.shape == (20, len(fit.parameters)) and np.isfinite(found.draws).all()
