"""What intervals are made of: blocks and the model of residuals, steps that do not matter, starts that are found."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from identify_rigs import TRUTH, pendulum_logs, pendulum_rig

import backemf as be
from backemf.identify.bench import Bench, bench_of, load_of, stack
from backemf.identify.extrapolate import Extrapolated, on_grids
from backemf.identify.information import NINETY_FIVE, covariance
from backemf.identify.loss import Information
from backemf.identify.parameters import Parameter
from backemf.identify.predict import Predictor
from backemf.identify.refine import Refined, coarse_steps
from backemf.identify.signals import noise_of
from backemf.identify.starts import WIDE, make_starts
from backemf.identify.trials import Trials, make_trials

# --- blocks and the model of residuals


def straight_fits(blocks: int, uneven: float, alike: int, count: int = 400) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Errors of fits of straight predictions, and the standard deviations that are given for them.

    Three numbers with priors of 1; 30 samples in each block, whose derivatives differ by a factor e^±uneven from block
    to block. Residuals are normal; `alike` neighbours have the same one, and their weight does not know of it.
    """
    generator = np.random.default_rng(0)
    sizes = np.exp(uneven * generator.normal(size=blocks))
    rows = generator.normal(size=(blocks, 30, 3)) * sizes[:, None, None] * [1.0, 0.3, 0.02]
    rows[:, :, 1] += rows[:, :, 0]
    curve = np.einsum("bsp,bsq->bpq", rows, rows)
    prior, spreads = np.eye(3), np.ones(3)
    whole = curve.sum(axis=0) + prior
    places, weights, active = np.tile(np.arange(3), (blocks, 1)), np.ones(blocks), np.ones(3, dtype=bool)
    for _ in range(count):
        truth = generator.normal(size=3)
        noise = np.repeat(generator.normal(size=(blocks, 30 // alike)), alike, axis=1)
        # residuals are predicted less measured, and the fit starts from no deviation
        found = np.linalg.solve(whole, np.einsum("bsp,bs->p", rows, rows @ truth + noise))
        left = rows @ (found - truth) - noise
        told = Information(3, places, np.einsum("bsp,bs->bp", rows, left), curve,
                           np.einsum("bsp,bs,bsq->bpq", rows, left**2, rows))  # fmt: skip
        yield found - truth, np.sqrt(np.diag(covariance(told, weights, spreads, active)))


def share_within(fits: Iterator[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """How many of the intervals of each number hold the truth."""
    return np.mean([np.abs(off) <= NINETY_FIVE * spread for off, spread in fits], axis=0)


@pytest.mark.parametrize(("blocks", "uneven"), [(3, 1.5), (10, 0.0), (10, 1.5), (40, 1.0)])
def test_95_of_100_intervals_hold_the_truth(blocks: int, uneven: float):
    """Whether a few blocks tell nearly all or each as much, and whether data or prior tell a number."""
    within = share_within(straight_fits(blocks, uneven, 1))
    assert np.all(within > 0.92) and np.all(within < 0.995), within


def test_blocks_tell_of_residuals_that_are_more_alike_than_their_weight_says():
    """Of ten samples that are alike one counts: by the model alone, √10 times too narrow, 46 of 100 would hold."""
    within = share_within(straight_fits(40, 0.0, 10))
    assert np.all(within > 0.87), within


def test_what_nothing_tells_has_the_spread_of_its_prior():
    """No slope and no curvature in one direction: its interval is ±1.96 spreads, whatever the blocks are."""
    places, zero = np.tile(np.arange(2), (4, 1)), np.zeros((4, 2, 2))
    zero[:, 0, 0] = 100.0
    slope = np.array([[9.0, 0.0], [-11.0, 0.0], [8.0, 0.0], [-6.0, 0.0]])
    spreads = np.array([1.0, 0.3])
    found = covariance(Information(2, places, slope, zero, zero), np.ones(4), spreads, np.ones(2, dtype=bool))
    assert found[1, 1] == pytest.approx(0.09, rel=1e-4)
    assert found[0, 1] == pytest.approx(0.0, abs=1e-12)
    # C = 400/401² + 1/401², and ν of four equal blocks is about 3
    assert 1.0 < found[0, 0] * 401.0 < 2.5


def test_blocks_with_some_of_the_parameters_are_those_with_zeros_for_the_others():
    """A robot's blocks have only the parameters of their joint."""
    generator = np.random.default_rng(1)
    rows = generator.normal(size=(8, 20, 2))
    curve, slope = np.einsum("bsp,bsq->bpq", rows, rows), generator.normal(size=(8, 2)) * 4.0
    places = np.array([[0, 1]] * 4 + [[0, 2]] * 4)
    wide_curve, wide_slope = np.zeros((8, 3, 3)), np.zeros((8, 3))
    for k, some in enumerate(places):
        wide_curve[np.ix_([k], some, some)], wide_slope[k, some] = curve[k], slope[k]
    every = np.tile(np.arange(3), (8, 1))
    given = np.ones(8), np.array([1.0, 0.5, 2.0]), np.ones(3, dtype=bool)
    lean = covariance(Information(3, places, slope, curve, curve), *given)
    assert lean == pytest.approx(covariance(Information(3, every, wide_slope, wide_curve, wide_curve), *given))


def test_intervals_are_finite_whatever_the_data_tell():
    """Directions of which the data tell twenty decades more than of others, in units that differ by six decades."""
    generator = np.random.default_rng(0)
    spreads = np.array([1e-3, 1.0, 1e-6, 30.0, 1e3, 0.1])
    for size in 10.0 ** np.arange(-4, 17, 2):
        rows = generator.normal(size=(5, 2, 6)) / spreads * size
        curve = np.einsum("bsp,bsq->bpq", rows, rows)
        slope, places = np.einsum("bsp,bs->bp", rows, generator.normal(size=(5, 2))), np.tile(np.arange(6), (5, 1))
        told = Information(6, places, slope, curve, curve)
        found = covariance(told, np.ones(5), spreads, np.ones(6, dtype=bool))
        assert np.isfinite(found).all() and (np.diag(found) > 0.0).all()
        # the two directions of each block leave the others to the prior, or tell more than it
        assert (np.sqrt(np.diag(found)) < 20.0 * spreads).all()


# --- steps


def pendulum_trials(dt: float, log: be.Log) -> Trials:
    rig = pendulum_rig()
    return make_trials([log], rig, rig.actuator_for(be.Actuator(TRUTH), log), dt=dt)


def bench() -> Bench:
    log = pendulum_logs(count=1, seconds=0.2)[0]
    return stack([bench_of(be.Actuator(TRUTH), pendulum_rig(), log)])


def test_two_steps_together_are_better_than_each():
    """The error of a step is proportional to it, so that it cancels: less than a fifth of that of the shorter one."""
    log = pendulum_logs(count=1, seconds=1.5, noise=0.0)[0]
    # commands are set each millisecond
    grids = {dt: pendulum_trials(dt, log) for dt in (1e-3, 5e-4, 5e-5, 2.5e-5)}
    plain = Predictor(bench(), grids[1e-3], ("actuator.motor.winding.resistance",))
    values = np.full((1, 1, 1), 3.4)
    ways = {
        steps: on_grids(plain, [grids[dt] for dt in steps]).predict(values)[0]
        for steps in ((1e-3,), (5e-4,), (1e-3, 5e-4), (5e-5, 2.5e-5))
    }
    off = {steps: float(np.sqrt(((way - ways[5e-5, 2.5e-5]) ** 2).mean())) for steps, way in ways.items()}
    assert off[5e-4,] == pytest.approx(0.5 * off[1e-3,], rel=0.1)
    assert off[1e-3, 5e-4] < 0.2 * off[5e-4,]


def test_derivatives_are_extrapolated_as_predictions_are():
    """2·∂q(dt/2) - ∂q(dt), number by number."""
    log = pendulum_logs(count=1, seconds=0.5, noise=0.0)[0]
    grids = [pendulum_trials(dt, log) for dt in (1e-3, 5e-4)]
    plain = Predictor(bench(), grids[0], ("actuator.motor.winding.resistance", "start.velocity"))
    values = np.array([3.4, 0.0]).reshape(2, 1, 1)
    (far,), (near,), (both,) = (on_grids(plain, some).linearise(values)[1] for some in (grids[:1], grids[1:], grids))
    assert np.array_equal(both, 2.0 * near - far) and both.any(axis=(0, 1, 2)).all()


def test_an_extrapolated_predictor_stays_one_for_other_numbers():
    """With the same numbers it is itself; with others it is as good, and stops where it is told."""
    log = pendulum_logs(count=1, seconds=0.5, noise=0.0)[0]
    grids = [pendulum_trials(dt, log) for dt in (2e-3, 1e-3)]
    names = ("actuator.motor.winding.resistance",)
    both = on_grids(Predictor(bench(), grids[0], names), grids)
    assert isinstance(both, Extrapolated) and both.among(names) is both
    other = both.among(("actuator.motor.rotor.inertia",))
    one, two = both.predict(np.full((1, 1, 1), 3.4))[0], other.predict(np.full((1, 1, 1), 1.8e-3))[0]
    assert np.allclose(one, two, rtol=1e-12)
    stopped = both.predict(np.full((1, 1, 1), 3.4), steps=100)[0][0, 0]
    before = log.times("position") < 0.199
    assert np.array_equal(stopped[before], one[0, 0, before]) and np.ptp(stopped[log.times("position") > 0.2]) < 1e-12


def test_steps_that_still_matter_are_a_finding():
    """The worst is named, with how far it would move; where none moves by half a standard deviation there is none."""
    parameters = [Parameter(name, (name,), 0.1) for name in ("motor.magnet", "motor.friction.coulomb", "command.lag")]
    empty: Any = None
    fine = Refined(np.zeros(3), np.eye(3), empty, [], (4e-4, 2e-4), np.array([0.1, -1.4, 0.6]), empty, 1)
    (found,) = coarse_steps(parameters, fine)
    assert (found.figure, found.severity, found.cause) == ("motor.friction.coulomb", "warning", "coarse-step")
    assert "finer steps than 0.2 ms would still move command.lag, motor.friction.coulomb" in found.explanation
    assert "by 1.4 standard deviations" in found.explanation and "log at a higher rate" in found.explanation
    assert coarse_steps(parameters, replace(fine, shares=np.full(3, 0.4))) == ()


# --- starts


def test_noise_is_what_is_not_straight():
    """White noise on a slow sine; a converter's step s at rest has an error of s/√12; a straight line has none."""
    time = np.arange(0.0, 5.0, 5e-3)
    noisy = np.sin(time) + 1e-3 * np.random.default_rng(0).normal(size=len(time))
    assert noise_of(time, noisy) == pytest.approx(1e-3, rel=0.1)
    assert noise_of(time, 0.01 * np.round(3.0 * time)) == pytest.approx(0.01 / np.sqrt(12.0), rel=1e-6)
    assert noise_of(time, 2.0 * time) < 1e-12
    uneven = np.sort(np.random.default_rng(1).uniform(0.0, 5.0, len(time)))
    noisy = 3.0 * uneven + 1e-3 * np.random.default_rng(0).normal(size=len(time))
    assert noise_of(uneven, noisy) == pytest.approx(1e-3, rel=0.1)


def test_each_lane_that_is_fitted_has_a_start():
    """Position and velocity of a joint that is free, in a range of five times the noise of its first sample."""
    logs, rig = pendulum_logs(count=3, seconds=1.0), pendulum_rig()
    trials = make_trials(logs, rig, rig.actuator_for(be.Actuator(TRUTH), logs[0]))
    found = make_starts(trials, rig, np.array([True, False, True]))
    names = ["start.position.0", "start.velocity.0", "start.position.2", "start.velocity.2"]
    assert [each.name for each in found] == names and [each.lane for each in found] == [0, 0, 2, 2]
    noise = float(np.hypot(1e-3, 2.0 * np.pi / 4096 / np.sqrt(12.0)))
    assert found[0].spread == pytest.approx(WIDE * 1e-3, rel=0.3) and found[0].spread < 1.5 * WIDE * noise


def test_derivatives_by_the_start_are_those_of_moved_starts():
    """Of position, velocity and the winding's temperature, of a motor with gears."""
    motor = replace(
        TRUTH,
        thermal=be.Thermal(resistance=8.0, capacitance=3.0),
        gearbox=be.Gearbox(stages=(be.Stage(ratio=3.0),)),
        rotor=be.Rotor(inertia=2e-4),
    )
    rig = be.Rig(be.Inertia(2e-3), firmware=be.Voltage(), supply=be.Supply(voltage=7.4))
    time = np.arange(0.0, 0.3, 5e-3)
    channels = {"position": 0.1 + 0.0 * time, "velocity": 2.0 + 0.0 * time, "winding_temperature": 40.0 + 0.0 * time}
    log = be.Log.from_arrays(time, {"voltage_command": 3.0 * np.sin(20.0 * time), **channels})
    actuator = rig.actuator_for(be.Actuator(motor), log)
    names = ("start.position", "start.velocity", "start.winding_temperature")
    made = Bench(actuator=actuator, load=load_of(rig, log))
    predictor = Predictor(stack([made]), make_trials([log], rig, actuator), names)
    _, ways = predictor.linearise(np.zeros((3, 1, 1)))
    for k, step in enumerate((1e-4, 1e-4, 1e-2)):
        moved = [np.zeros((3, 1, 1)) for _ in range(2)]
        moved[0][k], moved[1][k] = -step, step
        low, high = (predictor.predict(values) for values in moved)
        for below, above, way in zip(low, high, ways, strict=True):
            slope = (above - below)[0, 0] / (2.0 * step)
            assert way[0, 0, :, k] == pytest.approx(slope, rel=1e-4, abs=1e-6 * max(1.0, np.abs(slope).max()))


def test_a_first_sample_that_is_off_moves_no_number():
    """A wheel keeps where it started: 50 mrad there are 50 mrad to the end, and would be taken for a slower motor."""
    motor = be.Motor(
        winding=be.Winding(resistance=1.2),
        magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.05),
        rotor=be.Rotor(inertia=2e-5),
        friction=be.LoadDependent(coulomb=0.004, viscous=1e-5),
        ratings=be.Ratings(voltage=24.0),
    )
    rig = be.Rig(be.Inertia(2e-5), firmware=be.Voltage(), supply=be.Supply(voltage=24.0))
    time = np.arange(0.0, 1.5, 5e-3)
    volts = 6.0 * np.sign(np.sin(2.0 * np.pi * 1.5 * time))
    blank = be.Log.from_arrays(time, {"position": 0.0 * time})
    drive = rig.actuator_for(be.Actuator(motor), blank)
    run = be.simulate(drive, be.Inertia(2e-5), be.commands.Samples(np.repeat(volts, 100)), 1.5, 5e-5)
    position = np.interp(time, np.concatenate([[0.0], run.time]), np.concatenate([[0.0], run["position"]]))
    position += 0.02 * np.random.default_rng(0).normal(size=len(time))
    fits = []
    for off in (0.0, 0.05):
        seen = position.copy()
        seen[0] = off
        log = be.Log.from_arrays(time, {"voltage_command": volts, "position": seen})
        fits.append(be.identify(log, motor, rig=rig, free=("rotor.inertia", "friction.coulomb")))
    for one, two in zip(fits[0].parameters, fits[1].parameters, strict=True):
        assert abs(np.log(two.value / one.value)) < 0.1 * np.log(one.high / one.low)
