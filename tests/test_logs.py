"""Logs: named channels in SI, at the times of measurement, and parts of them."""

import copy
import dataclasses
import math
import pickle

import numpy as np
import pytest

import backemf as be
from backemf.errors import ParameterError

TIME = np.array([0.0, 0.1, 0.25, 0.3, 0.5, 0.6])
ANGLE = np.array([0.0, 1.0, 4.0, 9.0, 16.0, 25.0])


def log(**more) -> be.Log:
    """Six irregular rows."""
    return be.Log.from_arrays(TIME, {"position": ANGLE, "position_command": ANGLE + 1.0}, meta={"kp": 800}, **more)


def two_rates() -> be.Log:
    """A command that is set twice, positions at six times, a temperature at one."""
    channels = {
        "position": ANGLE,
        "position_command": ([0.0, 0.4], [1.0, 2.0]),
        "housing_temperature": ([0.2], [30.0]),
    }
    return be.Log.from_arrays(TIME, channels)


def robot() -> be.Log:
    """Two joints on one supply."""
    both = np.stack([ANGLE, -ANGLE], axis=1)
    channels = {"position": both, "bus_voltage": np.full(6, 24.0)}
    return be.Log.from_arrays(TIME, channels, joints=("hip", "knee"), name="dog.csv")


# --- what it holds


def test_values_are_in_si_and_times_as_measured():
    """90 deg are π/2, 60 rpm are 2π rad/s, 1500 mA are 1.5 A, 25 °C stay and 300 K are 26.85 °C."""
    values = {
        "position": [90.0, 0.0],
        "velocity": [60.0, 0.0],
        "current": [1500.0, 0.0],
        "winding_temperature": [300.0] * 2,
    }
    units = {"time": "ms", "position": "deg", "velocity": "rpm", "current": "mA", "winding_temperature": "K"}
    found = be.Log.from_arrays([0.0, 7.0], values, units=units)
    assert found["position"][0] == pytest.approx(math.pi / 2)
    assert found["velocity"][0] == pytest.approx(2 * math.pi)
    assert found["current"][0] == pytest.approx(1.5)
    assert found["winding_temperature"][0] == pytest.approx(26.85)
    assert found.time[1] == pytest.approx(7e-3)


def test_each_channel_keeps_its_own_times():
    found = two_rates()
    np.testing.assert_array_equal(found.times("position_command"), [0.0, 0.4])
    np.testing.assert_array_equal(found.time, [0.0, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6])
    np.testing.assert_array_equal(log().time, TIME)


def test_the_only_command_is_the_command():
    assert log().commands == ("position_command",)
    np.testing.assert_array_equal(log()["command"], ANGLE + 1.0)
    two = be.Log.from_arrays(TIME, {"position_command": ANGLE, "effort_command": ANGLE})
    with pytest.raises(ParameterError, match="no channel 'command'"):
        two["command"]


def test_a_log_cannot_be_changed():
    found, given = log(), ANGLE.copy()
    with pytest.raises(ValueError, match="read-only"):
        found["position"][0] = 1.0
    with pytest.raises(TypeError):
        found.meta["kp"] = 100  # type: ignore[index]
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.name = "other"  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        pickle.loads(pickle.dumps(found))["position"][0] = 1.0
    own = be.Log.from_arrays(TIME, {"position": given})
    given[0] = 7.0
    assert own["position"][0] == 0.0


def test_a_log_is_one_line():
    assert repr(robot()) == "Log(dog.csv: 2 joints, 0.6 s, 6 rows, about 8.33 Hz; position, bus_voltage)"


def test_a_notebook_shows_the_channels_and_a_picture():
    """A row per channel with its range, and a picture."""
    shown = robot()._repr_html_()
    assert "bus_voltage" in shown and "24 V" in shown and "data:image/svg" in shown


# --- parts of it


def test_a_slice_keeps_samples_at_their_times():
    part = log().slice(0.1, 0.5)
    np.testing.assert_array_equal(part.time, [0.1, 0.25, 0.3])
    np.testing.assert_array_equal(part["position"], [1.0, 4.0, 9.0])
    assert part.meta["kp"] == 800


def test_a_command_that_still_holds_is_kept():
    """Set at 0 and at 0.4 s: from 0.25 s on the first holds until the second; a line is 5/8 of the way."""
    part = two_rates().slice(0.25)
    np.testing.assert_array_equal(part.times("position_command"), [0.25, 0.4])
    np.testing.assert_array_equal(part["command"], [1.0, 2.0])
    assert "housing_temperature" not in part
    line = dataclasses.replace(two_rates(), command_between="linear").slice(0.25)
    np.testing.assert_allclose(line["command"], [1.625, 2.0])


def test_a_split_shares_the_rows():
    first, rest = log().split(0.5)
    np.testing.assert_array_equal(np.concatenate([first.time, rest.time]), TIME)
    assert len(first.time) == 3
    for fraction in (0.0, 1.0, 0.1, float("nan"), "half"):
        with pytest.raises(ParameterError, match="split"):
            log().split(fraction)


def test_a_joint_has_its_own_column_and_what_all_share():
    knee = robot().joint("knee")
    np.testing.assert_array_equal(knee["position"], -ANGLE)
    np.testing.assert_array_equal(knee["bus_voltage"], np.full(6, 24.0))
    assert knee.joints == () and knee.name == "dog.csv, knee"
    with pytest.raises(ParameterError, match="no joint 'nee': did you mean knee"):
        robot().joint("nee")
    with pytest.raises(ParameterError, match="is of one joint"):
        log().joint("knee")


# --- its content


def test_the_hash_is_of_the_content():
    """Names do not count; every number, time, note and joint does."""
    assert log().hash == log(name="other").hash == copy.deepcopy(log()).hash
    assert log() == log(name="other") and len({log(), log(name="other")}) == 1
    moved = be.Log.from_arrays(TIME + 1e-9, {"position": ANGLE, "position_command": ANGLE + 1.0}, meta={"kp": 800})
    others = [log().with_meta(kp=400), log().slice(0.1), moved, log().only("position"), log(command_between="linear")]
    assert len({log().hash, *(other.hash for other in others)}) == 6


def test_a_run_is_a_log_of_a_perfect_measurement():
    motor = be.Datasheet.load("maxon-re40-148877").motor()
    run = be.simulate(motor, be.Inertia(1e-4), 24.0, 0.01, 1e-3, engine="numpy")
    found = be.Log.from_run(run)
    np.testing.assert_array_equal(found["current"], run["current"])
    np.testing.assert_array_equal(found["voltage_command"], run["command"])
    assert list(be.Log.from_run(run, ["position"]).channels) == ["position"]


def test_a_batch_is_a_log_of_joints():
    motor = be.Datasheet.load("maxon-re40-148877").motor()
    run = be.simulate(motor, be.Inertia(np.array([1e-4, 2e-4])), 24.0, 0.01, 1e-3, engine="numpy")
    found = be.Log.from_run(run)
    assert found.joints == ("0", "1")
    np.testing.assert_array_equal(found.joint("1")["position"], run["position"][:, 1])


# --- what is refused

BAD = [
    ({}, "has no channel"),
    ({"positon": ANGLE}, "'positon' is not a channel: did you mean position"),
    ({"position": ANGLE[:3]}, "one value per time"),
    ({"position": [*ANGLE[:5], math.nan]}, "position, row 5 = nan: must be finite"),
    ({"position": ([0.0, math.inf], [0.0, 1.0])}, "time of row 1 = inf"),
    ({"position": ([0.0, 0.2, 0.1], [0.0, 1.0, 2.0])}, "time of row 2 = 0.1 s: goes back from 0.2 s"),
    ({"position": ([0.0, 0.2, 0.2], [0.0, 1.0, 2.0])}, "is the same as 0.2 s"),
    ({"position": ([0.0], [1.0])}, "has one row"),
    ({"position": ([], [])}, "has no samples"),
    ({"position": "abc"}, "must be numbers"),
    ({"enable": [0.0, 1.0, 2.0, 1.0, 1.0, 1.0]}, "enable, row 2 = 2.0: must be 0 or 1"),
    ({"position": np.zeros((6, 2))}, "values of 2 joints, and joints names 0"),
]


@pytest.mark.parametrize(("channels", "said"), BAD, ids=[said for _, said in BAD])
def test_what_is_no_log_is_one_sentence(channels, said):
    with pytest.raises(ParameterError, match=said) as caught:
        be.Log.from_arrays(TIME, channels)
    assert "\n" not in str(caught.value)


def test_a_channel_that_is_missing_is_named_with_those_there_are():
    with pytest.raises(ParameterError, match=r"no channel 'current'; it has position_command, position: log it"):
        log()["current"]


def test_units_of_channels_that_are_not_there_are_refused():
    with pytest.raises(ParameterError, match="units: there is no channel 'positon'"):
        be.Log.from_arrays(TIME, {"position": ANGLE}, units={"positon": "deg"})
    with pytest.raises(ParameterError, match="the unit 'mA' of position"):
        be.Log.from_arrays(TIME, {"position": ANGLE}, units={"position": "mA"})


@pytest.mark.parametrize("value", [math.nan, [1], None])
def test_notes_are_texts_and_finite_numbers(value):
    with pytest.raises(ParameterError, match="meta kp"):
        log().with_meta(kp=value)
