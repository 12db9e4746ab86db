"""The bent filter: a learned drive for what no law explains."""

import os
from pathlib import Path

import numpy as np
import pytest

import backemf as be
from backemf.actuator.controllers.learned import LearnedMlp
from backemf.identify.filter_rung import NAME
from backemf.identify.residual import (
    ResidualFilter,
    bend,
    fit_residual,
    fit_residual_log,
    fit_residual_logs,
    left_out_errors,
    rows_of_logs,
    samples_of,
)
from backemf.learned.linear import LinearFilter, nearest_filter

DATA = Path(os.environ.get("BACKEMF_DATA", Path(__file__).parents[2] / "shared" / "data")) / "anymal_sea"
DT = 2.5e-3
BENT = ResidualFilter(
    LinearFilter(np.array([0.5, 0.3, -0.2, 0.1]), 0.05),
    ((0, 0.4, 1.5), (2, 0.9, -0.7)),
    2,
    (0.2, 3.0, 8.0),
    DT,
    0.0,
    0.0,
)


def motion(seed: int = 0, samples: int = 1500, noise: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Position errors [rad] and velocities [rad/s] of a joint that swings in several tones."""
    rng, time = np.random.default_rng(seed), DT * np.arange(samples)
    tones = rng.uniform(3.0, 60.0, size=8)
    error = sum(0.05 * np.sin(w * time + p) for w, p in zip(tones, rng.uniform(0.0, 6.0, 8), strict=True))
    velocity = sum(1.0 * np.sin(w * time + p) for w, p in zip(tones, rng.uniform(0.0, 6.0, 8), strict=True))
    return error + 1e-3 * noise * rng.normal(size=samples), velocity + 0.02 * noise * rng.normal(size=samples)


def test_bend_is_what_is_beyond_the_knot():
    """3 - 2 and -3 + 2, and nothing between the knots."""
    assert bend(np.array([3.0, -3.0, 1.0]), 2.0).tolist() == [1.0, -1.0, 0.0]


def test_torque_by_hand():
    """Second sample: taps on e = 0.2, 0.1 and v = 3, 6 over 0.2 and 3, the bends beyond 0.4 and 0.9, times 8."""
    torque = BENT.predict(np.array([0.1, 0.2]), np.array([6.0, 3.0]))
    straight = 0.5 * 1.0 + 0.3 * 0.5 - 0.2 * 1.0 + 0.1 * 2.0 + 0.05
    assert torque[1] == pytest.approx(8.0 * (straight + 1.5 * 0.6 - 0.7 * 0.1), rel=1e-14)


def test_the_actuator_gives_the_same_torque():
    """The network of the actuator, step by step, from rest."""
    error, velocity = motion(samples=60)
    step = BENT.actuator().compile("numpy")
    state, seen = step.initial(), []
    for e, v in zip(error.tolist(), velocity.tolist(), strict=True):
        state, out = step(state, e, 0.0, v, DT)
        seen.append(float(out.torque))
    np.testing.assert_allclose(seen, BENT.predict(error, velocity), rtol=1e-12, atol=1e-12)


def test_without_bends_it_is_one_layer():
    """A network of one layer, whose weights are the taps."""
    plain = ResidualFilter(BENT.straight, (), 2, (1.0, 1.0, 1.0), DT, 0.0, 0.0)
    assert plain.controller().network.sizes == (4, 1)
    np.testing.assert_array_equal(plain.controller().network.weights[0][0], BENT.straight.weights)


def test_it_finds_a_bent_filter_in_spite_of_a_spike():
    """Truth plus noise of 0.05 N·m and 20 rows that are off by 50 N·m: the error on another run is below the noise."""
    error, velocity = motion()
    torque = BENT.predict(error, velocity) + 0.05 * np.random.default_rng(1).normal(size=len(error))
    torque[700:720] += 50.0
    found = fit_residual(error, velocity, torque, DT, histories=(2, 4), ridges=(1e-6, 1e-3))
    error, velocity = motion(seed=5)
    truth = BENT.predict(error, velocity)
    missed = np.sqrt(np.mean((found.predict(error, velocity) - truth)[10:] ** 2))
    assert missed < 0.2
    straight = nearest_filter(*_rows(*motion(), torque))
    assert np.sqrt(np.mean((straight(_rows(error, velocity, truth)[0]) - truth[1:]) ** 2)) > 3.0 * missed


def _rows(error, velocity, torque):
    """Two taps of each input, and the torque, from the second sample on."""
    return np.stack([error[1:], error[:-1], velocity[1:], velocity[:-1]], axis=1), torque[1:]


def test_rows_without_torque_are_left_out():
    """A log whose torque starts late gives nan before it; a command is held until the next."""
    time = DT * np.arange(6)
    log = be.Log.from_arrays(
        time,
        {"position_command": (time[::3], [1.0, 2.0]), "position": np.full(6, 0.5), "velocity": np.zeros(6),
         "torque": (time[2:], np.arange(4.0))},
    )  # fmt: skip
    _, error, _, torque = samples_of(log, DT)
    assert error.tolist() == [0.5, 0.5, 0.5, 1.5, 1.5, 1.5]
    assert np.isnan(torque[:2]).all()
    assert torque[2:].tolist() == pytest.approx([0.0, 1.0, 2.0, 3.0])


def test_too_few_samples():
    """The error says how many it takes."""
    with pytest.raises(be.ParameterError, match=r"100 samples are too few for a filter; give 340 or more"):
        fit_residual(*motion(samples=100), np.ones(100), DT)
    with pytest.raises(be.ParameterError, match=r"position error: is 0 throughout; log another run"):
        fit_residual(np.zeros(1500), motion()[1], np.ones(1500), DT)


# --- by one call


MOTION = be.Rig(be.MeasuredMotion())
PD = be.Actuator(controller=be.IdealPd(stiffness=20.0, damping=1.0))


def log_of(torque, seed: int = 0, noise: float = 1.0) -> be.Log:
    """A joint's errors and velocities with a torque that follows from them, and 0.05 N·m of noise on it."""
    error, velocity = motion(seed, noise=noise)
    off = 0.05 * np.random.default_rng(seed + 1).normal(size=len(error))
    channels = {"position_error": error, "velocity": velocity, "torque": torque(error, velocity) + off}
    return be.Log.from_arrays(DT * np.arange(len(error)), channels)


def test_a_filter_takes_the_place_of_laws_that_explain_less():
    """Torque of a bent filter: on the rest it is off by little more than the noise, and the laws by far more."""
    log = log_of(BENT.predict)
    fit = be.identify(log, PD, rig=MOTION, hold_out=0.3)
    assert [rung.kept for rung in fit.rungs if rung.name == NAME] == [True]
    assert isinstance(fit.actuator.controller, LearnedMlp)
    (rms,) = (error.rms for error in fit.errors if error.held_out)
    laws = be.identify(log, PD, rig=MOTION, hold_out=0.3, free="controller.*")
    (worse,) = (error.rms for error in laws.errors if error.held_out)
    assert rms < 0.3 < 0.5 * worse
    assert laws.actuator.controller.stiffness > 0.0
    # what the fit predicts is what its actuator does
    seen = fit.predict(log)["torque"]
    off = np.sqrt(np.mean((seen - log["torque"])[log.time >= 0.7 * log.duration] ** 2))
    assert off == pytest.approx(rms, rel=0.02)


def test_laws_that_explain_all_stay():
    """A plain PD: its gains come back, and no filter is better than it."""
    log = log_of(lambda error, velocity: 30.0 * error - 0.7 * velocity, noise=0.0)
    fit = be.identify(log, PD, rig=MOTION)
    assert [rung.kept for rung in fit.rungs if rung.name == NAME] == [False]
    assert fit.actuator.controller.stiffness == pytest.approx(30.0, rel=0.01)
    assert fit.actuator.controller.damping == pytest.approx(0.7, rel=0.04)


def test_a_filter_is_written_beside_its_file(tmp_path):
    """The file is loaded with its network; there are no intervals to draw from."""
    fit = be.identify(log_of(BENT.predict), PD, rig=MOTION, hold_out=0.3)
    made = be.load(fit.save(tmp_path / "drive.toml"))
    weights = made.controller.network.weights[0]
    np.testing.assert_allclose(weights, fit.actuator.controller.network.weights[0], rtol=1e-6, atol=1e-9)
    with pytest.raises(be.ParameterError, match="a filter has no intervals"):
        fit.samples(3)


def test_histories_do_not_reach_into_another_log():
    """Two logs in a row: the first 16 samples of the second are left out, and those of the first are not."""
    logs = [log_of(BENT.predict), log_of(BENT.predict, seed=5)]
    _, _, torque, dt = rows_of_logs(logs)
    assert dt == pytest.approx(DT)
    assert np.flatnonzero(np.isnan(torque)).tolist() == list(range(1500, 1516))
    both = fit_residual_logs(logs)
    alone = left_out_errors(both, logs)
    assert np.sqrt(np.nanmean(alone**2)) < 0.2


# --- a measured drive


@pytest.mark.long
@pytest.mark.skipif(not DATA.is_dir(), reason="the walk of shared/data/anymal_sea is not here: set BACKEMF_DATA")
def test_torque_of_a_walking_drive():
    """Fitted on the first 70 % of the rows with torque, the rest is predicted 25 % better than by 16 taps of each."""
    log = be.read_log(DATA / "walk_first_half.csv", rate=400.0)
    time, error, velocity, torque = samples_of(log, DT)
    rows = np.flatnonzero(np.isfinite(torque))
    cut = rows[round(0.7 * len(rows))]
    ages = np.arange(len(time))[:, None] - np.arange(16)
    x = np.concatenate([error[ages], velocity[ages]], axis=1)
    train, test = rows[rows < cut], rows[rows >= cut]
    straight = nearest_filter(x[train], torque[train])
    taps = np.sqrt(np.mean((straight(x[test]) - torque[test]) ** 2))
    found = fit_residual_log(log.slice(t1=float(time[cut]) - 0.1 * DT))
    at, predicted = found.predict_log(log)
    np.testing.assert_allclose(at, time)
    missed = np.sqrt(np.mean((predicted[test] - torque[test]) ** 2))
    assert missed < 0.75 * taps
    assert missed < 0.456


@pytest.mark.skipif(not DATA.is_dir(), reason="the walk of shared/data/anymal_sea is not here: set BACKEMF_DATA")
def test_a_walking_drive_by_one_call():
    """Fitted on the first 70 %, the rest is predicted 25 % better than by 16 taps of each (0.391 N·m are seen)."""
    log = be.read_log(DATA / "walk_first_half.csv", rate=400.0)
    prior = be.Actuator(controller=be.IdealPd(stiffness=50.0, damping=0.1))
    fit = be.identify(log, prior, rig=MOTION, hold_out=0.3)
    (missed,) = (error.rms for error in fit.errors if error.held_out)
    time, error, velocity, torque = samples_of(log, DT)
    rows, ages = np.flatnonzero(np.isfinite(torque)), np.arange(len(time))[:, None] - np.arange(16)
    x, late = np.concatenate([error[ages], velocity[ages]], axis=1), time[rows] >= 0.7 * log.duration
    straight = nearest_filter(x[rows[~late]], torque[rows[~late]])
    taps = np.sqrt(np.mean((straight(x[rows[late]]) - torque[rows[late]]) ** 2))
    assert missed < 0.75 * taps
    assert missed < 0.456
