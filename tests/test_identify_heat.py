"""Heat from logs: a measured current along a measured motion, and the phase that the sensor sits in."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import backemf as be
from backemf.identify.bench import bench_of
from backemf.identify.heat import follow_current, heat_parameters, scan_pole_pairs, with_pole_pairs, with_thermistor
from backemf.identify.parameters import Space
from backemf.identify.predict import Predictor
from backemf.identify.solve import Problem, Scales, make_blocks
from backemf.identify.trials import make_trials

DATA = Path(os.environ.get("BACKEMF_DATA", Path(__file__).parents[2] / "shared" / "data")) / "embir_dyno"
RIG = be.Rig.parse('format = "backemf rig 1"\n[load]\nkind = "MeasuredMotion"\n')
SCALES = {"torque": 0.02, "winding_temperature": 1.0, "housing_temperature": 0.3}


def drive(ambient: float, **thermal: float) -> be.Actuator:
    """A brushless motor with a sensor in one phase; most of its numbers are guesses."""
    guess = {"winding_resistance": 2.0, "winding_capacitance": 10.0, "housing_resistance": 3.0}
    motor = be.Motor(
        winding=be.Winding(resistance=0.2),
        magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
        thermal=be.TwoNodeThermal(**{**guess, "housing_capacitance": 300.0, **thermal}, ambient=ambient),
    )
    return with_thermistor(follow_current(be.Actuator(motor, meter=False)), pole_pairs=10.0)


def problem_of(log: be.Log, actuator: be.Actuator) -> tuple[Problem, np.ndarray]:
    """A fit of the heat, and which parameters are free: all but the pole pairs."""
    trials, bench = make_trials([log], RIG, actuator), bench_of(actuator, RIG, log)
    space = Space.over(heat_parameters(actuator), bench, 1)
    scales = Scales(np.array([SCALES[reading.channel] for reading in trials.readings]), np.full(3, 0.05))
    problem = Problem(
        Predictor(bench, trials, space.names),
        space,
        make_blocks(trials, max(1, round(trials.steps * trials.dt / 5.0))),
        scales,
    )
    return problem, np.array(["pole_pairs" not in each.name for each in space.parameters])


def interval(solved, active: np.ndarray, place: int) -> float:
    """1.96 standard deviations of a deviation, from how the slopes of blocks differ."""
    free = np.flatnonzero(active)
    slope = solved.local.slope[0][:, free]
    inverse = np.linalg.inv(solved.local.curve[0].sum(axis=0)[np.ix_(free, free)] + 1e-9 * np.eye(len(free)))
    spread = inverse @ (slope.T @ slope) @ inverse
    return 1.96 * float(np.sqrt(spread[np.ix_([list(free).index(place)] * 1, [list(free).index(place)])][0, 0]))


def stalls(actuator: be.Actuator) -> be.Log:
    """What a dynamometer would log of a motor that is held at some angles with some currents, 20 rows per second."""
    time = 0.05 * np.arange(1000)
    steps = (time // 5.0).astype(int)
    current = np.array([0.0, 2.0, 4.0, 6.0, 8.0, 0.5, 3.0, 5.0, 6.0, 8.0])[steps]
    angle = np.array([-1.56, -1.53, -1.5, -1.48, -1.45, 0.0, -0.03, -0.05, -0.07, -0.09])[steps]
    empty = dict.fromkeys(("torque", "winding_temperature", "housing_temperature"), np.full(len(time), 22.0))
    log = be.Log.from_arrays(time, {"position": angle, "current": current, **empty})
    problem, active = problem_of(log, actuator)
    seen = problem.predictor.predict(problem._values(np.zeros((1, len(active))), active))
    names = [reading.channel for reading in problem.predictor.trials.readings]
    rng, made = np.random.default_rng(0), {name: row[0, 0] for name, row in zip(names, seen, strict=True)}
    made = {name: row + 0.1 * SCALES[name] * rng.normal(size=len(row)) for name, row in made.items()}
    return be.Log.from_arrays(time, {"position": angle, "current": current, "current_command": 0.0 * time, **made})


def test_a_current_along_a_motion_needs_no_fine_grid():
    """Rows of 50 ms are steps of 50 ms; the current that flowed drives the motor, not the one asked for."""
    log = stalls(drive(22.0))
    trials = make_trials([log], RIG, drive(22.0))
    assert trials.dt == pytest.approx(0.05)
    assert trials.commands["current"].max() == 8.0


def test_torque_is_that_of_the_current_however_warm_the_winding():
    """Kt·i = 0.1·8 N·m at the end, in a winding that is 20 K and more above ambient."""
    log = stalls(drive(22.0, winding_capacitance=4.0, winding_resistance=6.0))
    assert log["winding_temperature"][-1] > 42.0
    assert np.median(log["torque"][-50:]) == pytest.approx(0.8, abs=2e-3)


def test_it_finds_the_pole_pairs_of_a_synthetic_motor():
    """Kt, heat capacity and pole pairs of the truth, which is off the prior."""
    truth = drive(22.0, winding_capacitance=4.0, winding_resistance=6.0)
    sensor = be.Thermistor(time_constant=1.2, phase_heat=be.PhaseHeat(pole_pairs=7.0, modulation=0.8, phase=-1.0))
    log = stalls(replace(truth, motor=replace(truth.motor, thermistor=sensor)))
    problem, active = problem_of(log, drive(22.0))
    found = scan_pole_pairs(problem, active, (4, 7, 10))
    assert found.pairs[0] == 7
    assert found.loss[1] > found.loss[0] + 2.0
    values = with_pole_pairs(problem, 7).space.settings(found.solved[0].theta[0], active)
    assert values["actuator.motor.magnet.torque_constant"] == pytest.approx(0.1, rel=2e-3)
    assert values["actuator.motor.thermal.winding_capacitance"] == pytest.approx(4.0, rel=0.15)
    assert values["actuator.motor.thermistor.time_constant"] == pytest.approx(1.2, rel=0.15)


def test_pole_pairs_that_are_free_are_not_scanned():
    """The error says what to leave out."""
    problem, active = problem_of(stalls(drive(22.0)), drive(22.0))
    with pytest.raises(be.ParameterError, match="must be a parameter that is not free"):
        scan_pole_pairs(problem, np.ones_like(active), (7,))


# --- a measured motor


@pytest.mark.skipif(not DATA.is_dir(), reason="the dynamometer run of shared/data/embir_dyno is not here")
def test_torque_constant_and_heat_of_a_motor_on_a_dynamometer():
    """Kt 0.106 N·m/A within 0.002 and in its interval; fitted on the first 60 %, the rest is within 2.5 K RMS."""
    log = be.read_log(DATA / "stall_and_heat_20Hz.csv")
    actuator = drive(float(log["housing_temperature"][0]))
    train, _ = log.split(0.6)
    problem, active = problem_of(train, actuator)
    found = scan_pole_pairs(problem, active, (4, 6, 7, 8))
    assert found.pairs[0] == 7
    best = found.solved[0]
    constant = 0.1 * float(np.exp(best.theta[0, 0]))
    width = constant * interval(best, active, 0)
    print(f"Kt {constant:.5f} +- {width:.5f} N·m/A, pole pairs {found.pairs}, loss {found.loss}")
    assert abs(constant - 0.106) < 0.002
    assert constant - width < 0.106 < constant + width
    whole, _ = problem_of(log, actuator)
    error = with_pole_pairs(whole, 7).residuals(best.theta, active)[1][0, 0, len(train.time) :]
    print(f"{np.sqrt(np.mean(error**2)):.2f} K")
    assert np.sqrt(np.mean(error**2)) < 2.5
