"""Identification: a drive whose numbers are known is found from its logs, and what they cannot tell is said."""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from identify_rigs import TRUTH, off_by, pendulum_logs, pendulum_rig

import backemf as be
from backemf.errors import ParameterError
from backemf.identify.fit import Fit
from backemf.identify.hold_out import held_out
from backemf.identify.identification import identify
from backemf.identify.information import Blind, blind_directions
from backemf.identify.loss import correlation_length
from backemf.identify.parameters import Parameter

FREE = ("winding.resistance", "magnet", "rotor.inertia", "friction.coulomb", "friction.viscous")


@cache
def fitted() -> Fit:
    """A fit of three logs, of which one is held out, from a prior that is 10 % off."""
    return identify(pendulum_logs(), off_by(TRUTH, 0.1), rig=pendulum_rig(), free=FREE, hold_out="number==1")


def test_what_was_held_out_is_predicted_to_the_noise():
    """1 mrad of noise has a mean absolute value of 0.8 mrad; the prior is off by tens of mrad."""
    assert fitted().error("position", held_out=True) < 1.5e-3


def test_friction_and_inertia_come_out():
    """The motion tells them; each is in its interval, widened by half for the step of the grid."""
    found = {each.name: each for each in fitted().parameters}
    for name, truth in (("motor.friction.coulomb", 0.03), ("motor.rotor.inertia", 1.8e-3)):
        each = found[name]
        assert each.value == pytest.approx(truth, rel=0.1), name
        assert each.low < truth * 1.05 and each.high > truth * 0.95, name


def test_the_same_seed_gives_the_same_bits():
    """Starts are drawn from the seed, and nothing depends on the order of threads."""
    again = identify(pendulum_logs(), off_by(TRUTH, 0.1), rig=pendulum_rig(), free=FREE, hold_out="number==1")
    assert [each.value for each in again.parameters] == [each.value for each in fitted().parameters]


def test_what_the_logs_cannot_tell_is_named():
    """Without a current, 1/R and Kt²/R with the viscous friction are seen, not R and Kt: they move together."""
    (found,) = fitted().blind
    assert {name for name, _ in found.parts} == {"motor.magnet", "motor.winding.resistance"}
    assert "log the current" in fitted().findings[-1].explanation


def test_the_fitted_drive_is_a_motor_file(tmp_path):
    """What is saved is loaded as the same drive, and says where each number is from."""
    path = fitted().save(tmp_path / "fitted.toml")
    assert be.load(path) == fitted().actuator
    text = path.read_text()
    assert "95 % between" in text and fitted().hashes[0] in text


def test_a_prediction_is_a_log_at_the_log_s_own_times():
    """The error of the prediction is the one that the fit reports."""
    log = pendulum_logs()[1]
    seen = fitted().predict(log)
    assert np.array_equal(seen.times("position"), log.times("position"))
    error = np.abs(seen["position"] - log["position"]).mean()
    reported = [e.mean_absolute for e in fitted().errors if e.held_out]
    assert error == pytest.approx(reported[0], rel=1e-6)


def test_samples_have_the_shape_of_a_batch():
    """(environments, 1) goes into a robot, whose joints are the last axis; one axis does not, and says so."""
    fit = fitted()
    drives = fit.samples((8, 1), seed=3)
    flat = fit.samples(8, seed=3)
    assert np.array_equal(drives.motor.winding.resistance[:, 0], flat.motor.winding.resistance)
    robot = be.ActuatorSet(["left", "right"], {".*": drives})
    step = robot.compile("numpy")
    _, out = step(step.initial(8), 0.5, 0.0, 0.0, 1e-3)
    assert np.shape(out.torque) == (8, 2) and np.ptp(out.torque[:, 0]) > 0.0
    assert np.array_equal(out.torque[:, 0], out.torque[:, 1])
    with pytest.raises(ParameterError, match=r"has the shape \(8,\), and the last axis is that of the joints"):
        be.ActuatorSet(["left", "right"], {".*": flat})


def test_samples_are_randomised_further():
    """What was not measured varies beside what was; a factor goes on top of the draws."""
    drives = fitted().samples((16, 2))
    entries = {"supply.voltage": be.random.Uniform(7.0, 7.8), "winding.resistance": be.random.Scale(1.1, 1.1)}
    varied = be.randomize(drives, entries, (16, 2))
    assert np.shape(varied.supply.voltage) == (16, 2)
    assert np.allclose(varied.motor.winding.resistance, 1.1 * drives.motor.winding.resistance)
    assert np.array_equal(varied.motor.friction.coulomb, drives.motor.friction.coulomb)


@pytest.mark.parametrize(
    ("given", "words"), [((0,), "shape = 0"), ((2.5,), "shape = 2.5"), ((4, -1), "seed = -1"), ((4, 0.5), "seed = 0.5")]
)
def test_bad_samples_are_errors(given: tuple[object, ...], words: str):
    """One sentence with the value."""
    with pytest.raises(ParameterError, match=f"samples: {words}"):
        fitted().samples(*given)


def test_samples_scatter_as_the_intervals_say():
    """A quarter of an interval's width is one standard deviation."""
    draws = fitted().samples(2000)
    assert draws.motor is not None
    found = {each.name: each for each in fitted().parameters}["motor.friction.coulomb"]
    logarithms = np.log(np.asarray(draws.motor.friction.coulomb))
    assert logarithms.std() == pytest.approx(np.log(found.high / found.low) / (2 * 1.96), rel=0.1)


def test_a_direction_without_information_is_named_with_what_would_tell():
    """Only the sum of two deviations is seen."""
    parameters = [Parameter("motor.winding.resistance", ("r",), 0.1), Parameter("motor.magnet", ("k",), 0.1)]
    both = np.array([[1.0, 1.0], [1.0, 1.0]]) * 1e4
    (found,) = blind_directions(parameters, both, np.array([True, True]))
    assert {name for name, _ in found.parts} == {"motor.winding.resistance", "motor.magnet"}
    assert "log the current" in str(found)
    assert str(Blind(0.0, (("command.lag", 1.0),))).startswith("command.lag cannot be told")


def test_correlation_length_of_noise_and_of_waves():
    """White noise forgets at once; a sine keeps its sign for a sixth of its period: cos(2π·n/100) < 1/e at n = 19."""
    there = np.ones((1, 2000), dtype=bool)
    assert correlation_length(np.random.default_rng(0).normal(size=(1, 2000)), there) == 0.0
    assert correlation_length(np.sin(2.0 * np.pi * np.arange(2000) / 100)[None], there) == pytest.approx(18, abs=1)


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("number=1", "write a note of the logs"),
        ("kp==800", "no log has a note 'kp'"),
        ("number==7", "matches no log"),
        ("number>=0", "matches every log"),
    ],
)
def test_a_hold_out_that_means_nothing_is_an_error(expression: str, words: str):
    """One sentence, with the values that there are."""
    with pytest.raises(ParameterError, match=words):
        held_out(pendulum_logs(seconds=0.2), expression)


def test_bad_arguments_are_errors():
    """Each is one sentence with the value and the remedy."""
    logs, rig = pendulum_logs(seconds=0.5), pendulum_rig()
    for given, words in (
        ({"logs": []}, "must be a Log"),
        ({"prior": 3.0}, "prior = 3.0"),
        ({"free": "fricton.*"}, "matches nothing"),
        ({"hold_out": 1.5}, "hold_out = 1.5"),
        ({"compare": ["current"]}, "cannot be compared"),
    ):
        arguments = {"logs": logs, "prior": TRUTH, "rig": rig} | given
        with pytest.raises(ParameterError, match=words):
            identify(arguments.pop("logs"), arguments.pop("prior"), **arguments)


def test_logs_in_other_units_are_refused_by_fit_and_comparison():
    """Degrees read as radians, in all channels or in one, rpm, percent, and a rig whose joint is held still."""
    rig, (log, *_) = pendulum_rig(), pendulum_logs(seconds=2.0, noise=0.0)
    position, command = (
        (log.times("position"), log["position"]),
        (log.times("position_command"), log["position_command"]),
    )
    speed = (position[0][1:-1], np.gradient(*position[::-1])[1:-1])
    turned = {
        "position": (position[0], np.degrees(position[1])),
        "position_command": (command[0], np.degrees(command[1])),
    }
    plain = {"position": position, "position_command": command}

    def read(channels: dict) -> be.Log:
        return be.Log.from_arrays(None, channels, meta={"number": 0}, name="swing.csv")

    held = replace(rig, load=be.Rig(be.LockedRotor()).load)
    for channels, bench, words in (
        (turned, rig, 'in degrees and read as rad; give units={"position": "deg", "position_command": "deg"}'),
        (plain | {"position_command": turned["position_command"]}, rig, 'units={"position_command": "deg"}'),
        (plain | {"position": turned["position"]}, rig, 'units={"position": "deg"}'),
        (plain | {"velocity": (speed[0], speed[1] * 30.0 / np.pi)}, rig, 'units={"velocity": "rpm"}'),
        (plain, held, "the rig holds the joint still"),
    ):
        for call in (
            lambda log, bench=bench: identify(log, TRUTH, rig=bench),
            lambda log, bench=bench: be.compare(log, TRUTH, bench),
        ):
            with pytest.raises(ParameterError, match=re.escape(words)) as caught:
                call(read(channels))
            assert "swing.csv" in str(caught.value) and "\n" not in str(caught.value)


def test_noise_of_a_position_is_no_other_unit():
    """A joint at rest whose encoder scatters faster than the motor turns."""
    time = np.arange(0.0, 2.0, 1e-4)
    noise = 0.3 * np.random.default_rng(0).normal(size=len(time))
    findings = be.Log.from_arrays(time, {"position": noise}).check(be.Actuator(TRUTH, supply=be.Supply(voltage=7.4)))
    assert not [found for found in findings if found.severity == "error"]
