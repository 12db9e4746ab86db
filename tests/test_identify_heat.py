"""Heat from logs: a measured current along a measured motion, and the phase that the sensor sits in."""

import os
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import backemf as be
from backemf.identify.bench import bench_of
from backemf.identify.heat import follow_current, heat_parameters, scan_pole_pairs, with_pole_pairs, with_thermistor
from backemf.identify.heat_prior import follows_measured_current, with_measured_current
from backemf.identify.loss import Problem, Scales, make_blocks
from backemf.identify.parameters import Space
from backemf.identify.predict import Predictor
from backemf.identify.rungs import make_rungs
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


# --- all of it by one call


MOTION = be.Rig(be.MeasuredMotion())
BARE = be.Motor(winding=be.Winding(resistance=0.2), magnet=be.Magnet(torque_constant=0.09, back_emf_constant=0.09))
"""What is printed of the synthetic motor: its torque constant is off by a tenth, and nothing is said of heat."""


@cache
def warm_log() -> be.Log:
    """Stalls of a motor with 7 pole pairs, whose sensor lags by 1.2 s."""
    truth = drive(22.0, winding_capacitance=4.0, winding_resistance=6.0)
    sensor = be.Thermistor(time_constant=1.2, phase_heat=be.PhaseHeat(pole_pairs=7.0, modulation=0.8, phase=-1.0))
    return stalls(replace(truth, motor=replace(truth.motor, thermistor=sensor)))


def check_truth(fit: be.Fit) -> None:
    """Kt, winding and lag of the synthetic motor, and 1 K on a rest that 8 A warm by 20 K and more."""
    motor = fit.actuator.motor
    assert motor.magnet.torque_constant == pytest.approx(0.1, rel=3e-3)
    assert motor.thermal.winding_capacitance == pytest.approx(4.0, rel=0.15)
    assert motor.thermal.winding_resistance == pytest.approx(6.0, rel=0.25)
    assert motor.thermistor.time_constant == pytest.approx(1.2, rel=0.15)
    assert fit.error("winding_temperature") < 1.0
    found = {each.name: each for each in fit.parameters}
    for name, truth in (("winding_capacitance", 4.0), ("winding_resistance", 6.0)):
        assert found[f"motor.thermal.{name}"].low < truth < found[f"motor.thermal.{name}"].high


@cache
def warm_fit() -> be.Fit:
    sensor = be.Thermistor(phase_heat=be.PhaseHeat(pole_pairs=7.0, modulation=0.9))
    guess = be.Thermal(resistance=10.0, capacitance=2.0)
    return be.identify(warm_log(), replace(BARE, thermal=guess, thermistor=sensor), rig=MOTION, hold_out=0.2)


def test_heat_and_torque_constant_are_found_by_one_call():
    """From one node that is off by two, and pole pairs that are known."""
    check_truth(warm_fit())
    assert not any("pole pairs" in note for note in warm_fit().notes)


@pytest.mark.long
def test_heat_and_pole_pairs_are_found_by_one_call():
    """From a motor of which nothing is said of heat."""
    fit = be.identify(warm_log(), BARE, rig=MOTION, hold_out=0.2)
    check_truth(fit)
    assert fit.actuator.motor.thermistor.phase_heat.pole_pairs == 7.0
    assert fit.notes[0].startswith("7 pole pairs fit best of 2 to 24")


def test_what_nothing_needs_is_left_out_of_the_drive():
    """The controller is the prior's own; there is no saturation, no friction, and no zero of the torque sensor."""
    found = warm_fit()
    assert found.actuator.controller == be.Actuator(BARE).controller
    assert found.actuator.motor.magnet.saturation is None and found.actuator.motor.friction is None
    assert {rung.name for rung in found.rungs if rung.kept} == {
        "torque constant and heat", "lag of the thermistor", "heat of one phase",
    }  # fmt: skip


def test_a_prediction_of_temperatures_starts_where_the_log_does():
    """The whole log from the fit, at its own times."""
    seen = warm_fit().predict(warm_log())
    assert seen.times("winding_temperature") == pytest.approx(warm_log().times("winding_temperature"))
    off = seen["winding_temperature"] - warm_log()["winding_temperature"]
    assert abs(off[0]) < 0.5 and np.sqrt(np.mean(off**2)) < 0.6


def test_a_housing_that_nobody_measured_is_a_law_that_may_stay():
    """With the winding's temperature alone, the second node is one of the laws that are tried."""
    log = warm_log().only("position", "current", "torque", "winding_temperature")
    actuator = with_measured_current(be.Actuator(BARE), [log])
    trials, bench = make_trials([log], MOTION, actuator), bench_of(actuator, MOTION, log)
    rungs = {rung.name: rung for rung in make_rungs(bench, trials, MOTION, [log])}
    assert "a housing that warms up" in rungs
    both = make_trials([warm_log()], MOTION, actuator)
    names = [each.name for each in make_rungs(bench, both, MOTION, [warm_log()])[0].parameters]
    assert "motor.thermal.housing_capacitance" in names
    # nothing turns: friction is not told from a current at standstill
    assert "Coulomb and viscous friction" not in rungs


def test_iron_that_saturates_is_found():
    """Torque beyond a knee of 4 A that grows half as fast: Kt below it, and the knee, come back."""
    time = 0.05 * np.arange(1000)
    current = np.round(8.0 * np.sin(0.5 * time), 0)
    knee = be.Saturation(knee_current=4.0, scale=0.25, torque=0.5 * 0.1 * 4.0 * np.log(2.0))
    beyond = np.maximum(np.abs(current) - 4.0, 0.0)
    torque = np.sign(current) * (0.1 * np.minimum(np.abs(current), 4.0) + knee.torque * np.log2(1.0 + 0.25 * beyond))
    torque = torque + 2e-3 * np.random.default_rng(0).normal(size=len(time))
    log = be.Log.from_arrays(time, {"current": current, "torque": torque})
    motor = be.identify(log, BARE, rig=be.Rig(be.LockedRotor())).actuator.motor
    assert motor.magnet.torque_constant == pytest.approx(0.1, rel=0.02)
    assert motor.magnet.saturation.knee_current == pytest.approx(4.0, rel=0.15)


@pytest.mark.parametrize(
    ("controller", "channels", "follows"),
    [
        (be.Torque(), ("current", "torque"), True),
        (None, ("current", "torque"), True),
        (be.IdealPd(stiffness=1.0, damping=0.0), ("current", "torque", "position_command"), False),
        (be.Torque(), ("torque", "effort_command"), False),
    ],
)
def test_the_measured_current_drives_a_motor_that_nothing_else_does(controller, channels, follows):
    """A position that was asked for would make the current, which is compared then."""
    time = 0.1 * np.arange(20)
    log = be.Log.from_arrays(time, {name: np.zeros(20) for name in channels})
    actuator = be.Actuator(BARE, controller=controller)
    assert follows_measured_current(actuator, MOTION, [log]) is follows
    assert not follows_measured_current(actuator, be.Rig(be.Inertia(1.0)), [log])


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


@pytest.mark.long
@pytest.mark.skipif(not DATA.is_dir(), reason="the dynamometer run of shared/data/embir_dyno is not here")
def test_a_motor_on_a_dynamometer_by_one_call():
    """Kt 0.106 N·m/A within 0.002 and in its interval; fitted on the first 60 %, the rest is within 2.5 K RMS."""
    log = be.read_log(DATA / "stall_and_heat_20Hz.csv")
    prior = replace(BARE, magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1))
    fit = be.identify(log, prior, rig=MOTION, hold_out=0.4)
    found = {each.name: each for each in fit.parameters}["motor.magnet"]
    assert abs(found.value - 0.106) < 0.002 and found.low < 0.106 < found.high
    (error,) = (each.rms for each in fit.errors if each.channel == "winding_temperature" and each.held_out)
    # 2.1 K are seen
    assert error < 2.5
    assert fit.actuator.motor.thermistor.phase_heat.pole_pairs == 7.0
