"""Laws that only some logs allow: backlash, inductance and torque that saturates, each found only where it is."""

from dataclasses import replace

import numpy as np
import pytest

import backemf as be
from backemf.identify.bench import stack
from backemf.identify.drives import Drive, bench_for, predict_drive
from backemf.identify.prior import make_prior
from backemf.identify.rungs import make_rungs
from backemf.identify.trials import make_trials

GEARED = be.Motor(
    winding=be.Winding(resistance=3.4),
    magnet=be.Magnet(torque_constant=0.007, back_emf_constant=0.007),
    rotor=be.Rotor(inertia=7e-7),
    friction=be.LoadDependent(coulomb=6e-4, viscous=4e-6),
    gearbox=be.Gearbox(stages=(be.Stage(ratio=50.0),)),
    ratings=be.Ratings(voltage=7.4),
)
ARM = be.Rig(be.Pendulum(mass=0.3, length=0.1), firmware=be.DutyServo(kp=2.0), supply=be.Supply(voltage=7.4))
SLOW = be.Motor(
    winding=be.Winding(resistance=1.0, inductance=5e-3),
    magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.05),
    rotor=be.Rotor(inertia=1e-4),
    friction=be.LoadDependent(coulomb=2e-3, viscous=1e-5),
    ratings=be.Ratings(voltage=12.0),
)
WHEEL = be.Rig(be.Inertia(inertia=1e-4))


def swings(motor: be.Motor, seconds: float = 5.0) -> list[be.Log]:
    """A chirp and steps of a pendulum, on the grid of a fit, with half a milliradian of noise."""
    grid, generator = np.arange(0.0, seconds, 5e-3), np.random.default_rng(0)
    chirp, steps = np.sin(2.0 * np.pi * (0.3 + 0.3 * grid) * grid), 0.8 * np.sign(np.sin(2.0 * np.pi * 0.8 * grid))
    blank = [be.Log.from_arrays(grid, {"position_command": x, "position": 0.0 * x}) for x in (chirp, steps)]
    seen = predict_drive(Drive("truth", be.Actuator(motor)), ARM, blank)
    noise = 5e-4 * generator.normal(size=(2, len(grid)))
    return [with_position(log, each["position"] + off) for log, each, off in zip(blank, seen, noise, strict=True)]


def pulses(motor: be.Motor, rate: float = 1000.0) -> be.Log:
    """Steps of voltage on a wheel, with current and velocity."""
    grid = np.arange(0.0, 1.0, 2.5e-4)
    volts = 6.0 * np.sign(np.sin(2.0 * np.pi * 7.0 * grid)) + 3.0 * np.sign(np.sin(2.0 * np.pi * 3.0 * grid))
    run = be.simulate(be.Actuator(motor), WHEEL.load.build(), be.commands.Samples(volts), 1.0, 2.5e-4)
    time, generator = np.arange(2.5e-4, 1.0 - 2.5e-4, 1.0 / rate), np.random.default_rng(0)
    noise = {"velocity": 0.05, "current": 0.01}
    seen = {n: (time, np.interp(time, run.time, run[n]) + s * generator.normal(size=len(time)))
            for n, s in noise.items()}  # fmt: skip
    return be.Log.from_arrays(None, {"voltage_command": (grid, volts), **seen})


def names_of_rungs(logs: list[be.Log], motor: be.Motor, rig: be.Rig) -> set[str]:
    trials = make_trials(logs, rig, rig.actuator_for(be.Actuator(motor), logs[0]))
    whole = make_prior(motor, rig, logs, trials.dt).whole
    bench = stack([bench_for(whole, rig, log) for log in logs])
    return {rung.name for rung in make_rungs(bench, trials, rig, logs)}


def test_backlash_comes_back():
    """30 mrad between the flanks, from a prior without any."""
    truth = replace(GEARED, gearbox=be.Gearbox(stages=(be.Stage(ratio=50.0),), backlash=0.03))
    free = ("friction.coulomb", "friction.viscous", "gearbox.backlash")
    fit = be.identify(swings(truth), GEARED, rig=ARM, free=free)
    assert fit.actuator.motor.gearbox.backlash == pytest.approx(0.03, rel=0.05)
    assert fit.error("position", held_out=False) < 1.5e-3
    # with play, the law's own states are there only while it is free
    without = be.identify(swings(truth), GEARED, rig=ARM, free=free[:2])
    assert without.error("position", held_out=False) > 3.0 * fit.error("position", held_out=False)


@pytest.mark.long
def test_gears_without_play_keep_none():
    """The law is tried, saves nothing and leaves."""
    free = ("friction.coulomb", "friction.viscous", "gearbox.backlash")
    fit = be.identify(swings(GEARED), GEARED, rig=ARM, free=free)
    assert [rung.kept for rung in fit.rungs if rung.name == "backlash"] == [False]
    assert fit.actuator.motor.gearbox.backlash == 0.0


def test_backlash_needs_gears_that_turn_back_and_a_fine_encoder():
    """No gearbox, a coarse encoder, or a motion in one direction: the law is not tried."""
    logs = swings(GEARED, seconds=2.0)
    assert "backlash" in names_of_rungs(logs, GEARED, ARM)
    assert "backlash" not in names_of_rungs(logs, replace(GEARED, gearbox=None), ARM)
    step = 2.0 * np.pi / 4096
    coarse = [with_position(log, np.round(log["position"] / step) * step) for log in logs]
    assert "backlash" not in names_of_rungs(coarse, GEARED, ARM)
    rising = [with_position(log, np.linspace(0.0, 1.0, len(log["position"]))) for log in logs]
    assert "backlash" not in names_of_rungs(rising, GEARED, ARM)


def with_position(log: be.Log, position: np.ndarray) -> be.Log:
    command = log.times("position_command"), log["position_command"]
    return be.Log.from_arrays(None, {"position_command": command, "position": (log.times("position"), position)})


def test_inductance_comes_back_from_a_fast_current():
    """L/R of 5 ms under a current that is logged each millisecond, from a prior that is off by a half."""
    prior = replace(SLOW, winding=be.Winding(resistance=1.0, inductance=7.5e-3))
    fit = be.identify(pulses(SLOW), prior, rig=WHEEL, free=("winding.*", "magnet", "friction.coulomb"))
    assert fit.actuator.motor.winding.inductance == pytest.approx(5e-3, rel=0.05)
    assert fit.actuator.motor.winding.resistance == pytest.approx(1.0, rel=0.02)


def test_inductance_needs_a_current_that_is_logged_faster_than_it_flows():
    """Each 10 ms is slower than L/R, and without a current there is nothing to see."""
    assert "inductance" in names_of_rungs([pulses(SLOW)], SLOW, WHEEL)
    assert "inductance" not in names_of_rungs([pulses(SLOW, rate=100.0)], SLOW, WHEEL)
    blind = pulses(SLOW).only("voltage_command", "velocity")
    assert "inductance" not in names_of_rungs([blind], SLOW, WHEEL)


def test_torque_saturates_only_where_a_current_is_logged_and_no_duty_bends():
    """A servo's curve from duty to voltage comes first: both at once would be one law told twice."""
    assert "torque saturation" in names_of_rungs([pulses(SLOW)], SLOW, WHEEL)
    assert "torque saturation" not in names_of_rungs([pulses(SLOW).only("voltage_command", "velocity")], SLOW, WHEEL)
    assert "torque saturation" not in names_of_rungs(swings(GEARED, seconds=2.0), GEARED, ARM)


@pytest.mark.long
def test_what_a_sheet_lost_in_the_gears_is_told_apart_by_the_current():
    """A sheet's stall torque gives 70 % of the torque constant; with the current logged it is found, and Ke stays."""
    truth = replace(GEARED, gearbox=be.Gearbox(stages=(be.Stage(ratio=50.0, efficiency=0.75),)))
    constant = float(np.asarray(truth.magnet.back_emf_constant))
    logs = []
    for log in swings(truth):
        channels = {
            "position_command": log["position_command"],
            "position": log["position"],
            "current": 0.0 * log["position"],
        }
        blank = be.Log.from_arrays(log.times("position"), channels)
        (seen,) = predict_drive(Drive("truth", be.Actuator(truth)), ARM, [blank])
        noise = 5e-3 * np.random.default_rng(1).normal(size=len(seen["current"]))
        logs.append(be.Log.from_arrays(log.times("position"), channels | {"current": seen["current"] + noise}))
    prior = replace(truth, gearbox=GEARED.gearbox, magnet=replace(truth.magnet, torque_constant=0.7 * constant))
    fit = be.identify(logs, prior, rig=ARM, free=("winding.*", "magnet*", "friction.*"))
    found = {each.name: each.value for each in fit.parameters}
    assert found["motor.magnet.torque_constant"] == pytest.approx(constant, rel=0.05)
    assert found["motor.magnet.back_emf_constant"] == pytest.approx(constant, rel=0.02)
    without = be.identify(swings(truth), prior, rig=ARM, free=("winding.*", "magnet*", "friction.coulomb"))
    assert "motor.magnet" in {each.name for each in without.parameters}
