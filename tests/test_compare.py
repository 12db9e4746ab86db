"""Logs against drives that were not fitted to them."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from identify_rigs import TRUTH, off_by, pendulum_logs, pendulum_rig
from test_cli import call

import backemf as be
from backemf.errors import ParameterError

OFF = off_by(TRUTH, 0.1)


@cache
def logs() -> tuple[be.Log, ...]:
    """Three logs of two seconds without noise, simulated in steps of 25 µs."""
    return tuple(pendulum_logs(seconds=2.0, noise=0.0))


@cache
def both() -> be.Comparison:
    """The drive that the logs are of, and one that is 10 % off."""
    return be.compare(logs(), {"truth": TRUTH, "off": OFF}, pendulum_rig())


def test_the_drive_itself_is_off_by_the_steps_alone():
    """Logs without noise are predicted to the order of the steps, and a wrong drive is off by far more."""
    assert max(error.rms for error in both().errors["truth"]) < 1e-3
    assert both().error("position", "off") > 20.0 * both().error("position", "truth")


def test_steps_are_halved_until_that_matters_little(monkeypatch: pytest.MonkeyPatch):
    """A stiff controller answers each command within a step of the log: what is left is the steps' error alone."""
    rig = be.Rig(be.Inertia(2e-3), firmware=be.PositionPid(kp=30.0, kd=0.3), supply=be.Supply(voltage=7.4))
    time = np.arange(0.0, 1.0, 5e-3)
    goal = 0.5 * np.sin(2.0 * np.pi * (0.5 + time) * time)
    drive = rig.actuator_for(be.Actuator(TRUTH), logs()[0])
    run = be.simulate(drive, be.Inertia(2e-3), be.commands.Samples(np.repeat(goal, 200)), 1.0, 25e-6)
    # just before each command, where the answer to the last one has settled
    current = np.interp(time[1:] - 1e-4, run.time, run["current"])
    channels = {"position_command": (time, goal), "current": (time[1:] - 1e-4, current)}
    channels["position"] = (
        time,
        np.interp(time, np.concatenate([[0.0], run.time]), np.concatenate([[0.0], run["position"]])),
    )
    log = be.Log.from_arrays(None, channels)
    few = be.compare(log, TRUTH, rig).error("current")
    monkeypatch.setattr("backemf.identify.drives.HALVINGS", 0)
    assert few < 0.3 * be.compare(log, TRUTH, rig).error("current")


def test_errors_are_those_of_the_predicted_logs():
    """Means of |predicted - measured| at the times of measurement, log by log; the mean over logs is theirs."""
    sizes = []
    for log, seen, error in zip(logs(), both().predictions["off"], both().errors["off"], strict=True):
        assert np.array_equal(seen.times("position"), log.times("position"))
        off = seen["position"] - log["position"]
        sizes.append(np.abs(off).mean())
        assert (error.log, error.channel, error.held_out) == (log.name, "position", True)
        assert error.mean_absolute == pytest.approx(sizes[-1], rel=1e-12)
        assert error.rms == pytest.approx(np.sqrt((off**2).mean()), rel=1e-12)
    assert both().error("position", "off") == pytest.approx(np.mean(sizes), rel=1e-12)


def test_a_fit_is_compared_with_all_that_it_found():
    """Errors are those that the fit reports, since its lag and the load that it found come along."""
    rig = replace_mass(pendulum_rig(), "30 %")
    fit = be.identify(list(logs()), OFF, rig=rig, free=("friction.*", "load.mass"))
    assert any(each.name == "load.mass" and abs(each.value / each.prior - 1.0) > 1e-3 for each in fit.parameters)
    found = be.compare(logs(), fit, rig)
    for ours, its in zip(found.errors["fit"], fit.errors, strict=True):
        assert (ours.log, ours.mean_absolute) == (its.log, pytest.approx(its.mean_absolute, rel=1e-9))
    assert np.array_equal(found.predict(logs()[0])["position"], fit.predict(logs()[0])["position"])


def replace_mass(rig: be.Rig, spread: str) -> be.Rig:
    load = replace(rig.load.build(), mass=0.6)
    return be.Rig(load, rig.firmware, rig.supply, rig.sensors, spreads={"load.mass": spread})


def test_gains_that_differ_by_log_are_each_log_s_own():
    """Together they are predicted as one by one."""
    rig = be.Rig.parse(
        'format = "backemf rig 1"\n[load]\nkind = "Pendulum"\nmass = "0.49 kg"\nlength = "0.1 m"\n'
        '[firmware]\nkind = "DutyServo"\nkp = "log.kp 1/rad"\n[supply]\nvoltage = "7.4 V"\n'
    )
    soft, stiff = (log.with_meta(kp=kp) for log, kp in zip(logs(), (0.5, 2.0), strict=False))
    together = be.compare([soft, stiff], TRUTH, rig)
    for log, seen in zip((soft, stiff), together.predictions["drive"], strict=True):
        alone = be.compare(log, TRUTH, rig).predictions["drive"][0]
        assert seen["position"] == pytest.approx(alone["position"], abs=2e-4)
    assert together.errors["drive"][1].mean_absolute < 2e-3 < together.errors["drive"][0].mean_absolute


def test_logs_with_other_channels_stand_in_one_table():
    """A velocity in one log of two is compared there; its row has a mean of one log, so none is printed."""
    first, second = logs()[0], logs()[1]
    time = first.times("position")
    faster = be.Log.from_arrays(time, {"velocity": np.gradient(first["position"], time)})
    more = replace(first, channels={**first.channels, **faster.channels})
    found = be.compare([more, second], TRUTH, pendulum_rig())
    assert [(e.log, e.channel) for e in found.errors["drive"]] == [
        ("log 0", "position"), ("log 0", "velocity"), ("log 1", "position")
    ]  # fmt: skip
    assert [row[0] for row in found.table()[1]] == ["log 0", "log 0", "log 1", "mean of 2"]


def test_every_joint_of_a_log_has_its_errors():
    """Two joints with the same log have the same predictions."""
    one = logs()[0]
    channels = {
        name: (one.times(name), np.stack([one[name], one[name]], axis=1)) for name in ("position_command", "position")
    }
    two = be.Log.from_arrays(None, channels, joints=("left", "right"), name="walk")
    found = be.compare(two, TRUTH, pendulum_rig())
    assert [e.log for e in found.errors["drive"]] == ["walk, left", "walk, right"]
    seen = found.predictions["drive"][0]
    assert seen.joints == ("left", "right")
    assert seen["position"][:, 0] == pytest.approx(both().predictions["truth"][0]["position"], abs=1e-9)
    assert np.array_equal(seen["position"][:, 0], seen["position"][:, 1])


def test_the_curve_of_a_drive_stays_on_the_rig_s_supply():
    """A rig says the volts of its supply; the bridge is the drive's own."""
    curved = be.Actuator(TRUTH, be.Supply(voltage=5.0, curve=be.DutyCurve(saturation=0.8)))
    found = be.compare(logs(), {"straight": TRUTH, "curved": curved}, pendulum_rig())
    assert found.error("position", "curved") > 5.0 * found.error("position", "straight")


def test_the_table_has_a_row_for_each_log_and_the_mean_last():
    """Errors in the unit that people read, the same for all rows of a channel."""
    lines = both().text().splitlines()
    assert lines[0].split() == ["truth", "off"] and lines[1].startswith("log")
    assert [line[:9].strip() for line in lines[2:]] == ["log 0", "log 1", "log 2", "mean of 3"]
    assert all("position [mrad]" in line for line in lines[2:])
    assert f"{1e3 * both().error('position', 'off'):.3g} /" in lines[-1]
    assert repr(both()).startswith("Comparison of 3 logs\n")


def test_pictures_of_every_log(tmp_path):
    """One file for one log, and one for each of several, named after it."""
    assert [path.name for path in both().plot(tmp_path / "c.svg")] == ["c-log 0.svg", "c-log 1.svg", "c-log 2.svg"]
    one = be.compare(logs()[0], TRUTH, pendulum_rig())
    assert one.plot(tmp_path / "one.svg") == [tmp_path / "one.svg"] and (tmp_path / "one.svg").stat().st_size > 5000
    lines = one.draw(one.logs[0]).axes[0].lines
    assert [line.get_label() for line in lines] == ["command", "measured", "drive"]
    assert np.array_equal(lines[2].get_ydata(), one.predictions["drive"][0]["position"])


def test_bad_arguments_are_errors():
    """Each is one sentence with the value and the remedy."""
    delayed = be.Actuator(TRUTH, delay=be.Delay(seconds=0.01))
    bare = be.Log.from_arrays([0.0, 0.1], {"position": [0.0, 0.0]}, name="bare")
    blind = be.Log.from_arrays([0.0, 0.1], {"position_command": [0.0, 0.0]}, name="blind")
    for given, words in (
        ({"logs": []}, "compare: logs = \\[\\]: must be a Log"),
        ({"rig": "rig.toml"}, "compare: rig = 'rig.toml': must be a Rig"),
        ({"actuator": 3.0}, "compare: drive = 3.0: must be a catalogue id"),
        ({"actuator": {}}, "must have a drive by each name"),
        ({"actuator": {"mine": delayed}}, "compare: mine has a Delay"),
        ({"logs": bare}, "bare: has no command for DutyServo; log position_command"),
        ({"logs": blind}, "blind: has nothing to compare a prediction with; log position"),
        ({"channels": ["current"]}, "'current' cannot be compared here; use position"),
    ):
        arguments: dict[str, Any] = {"logs": list(logs()), "actuator": TRUTH, "rig": pendulum_rig()} | given
        with pytest.raises(ParameterError, match=words):
            be.compare(arguments.pop("logs"), arguments.pop("actuator"), arguments.pop("rig"), **arguments)
    with pytest.raises(ParameterError, match="name = None: must be one of truth, off"):
        both().predict(logs()[0])
    with pytest.raises(ParameterError, match="was not compared"):
        both().draw(bare)


# --- the command


@pytest.fixture
def files(tmp_path: Path) -> list[object]:
    """Two logs, two motors and a rig, as words of a command line."""
    paths = [log.save(tmp_path / f"swing{k}.csv") for k, log in enumerate(logs()[:2])]
    for name, motor in (("truth", TRUTH), ("off", OFF)):
        be.save(be.Actuator(motor), tmp_path / f"{name}.toml")
    rig = pendulum_rig().save(tmp_path / "rig.toml")
    return [*paths, "--motor", tmp_path / "truth.toml", "--motor", tmp_path / "off.toml", "--rig", rig]


def test_the_command_prints_one_table(files, tmp_path):
    """A row for each log, the mean last, and the files that were written."""
    result = call("compare", *files, "--plot", tmp_path / "c.png", width=120)
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert lines[0].split() == ["truth", "off"]
    assert [line.split()[0] for line in lines[2:5]] == ["swing0.csv", "swing1.csv", "mean"]
    assert (tmp_path / "c-swing0.png").exists() and "c-swing1.png" in result.output.replace("\n", "")


def test_the_command_for_scripts(files):
    """Errors in SI, by motor, with the hash of each log."""
    result = call("compare", *files, "--json")
    answer = json.loads(result.output)
    assert [each["motor"] for each in answer["motors"]] == ["truth", "off"]
    assert answer["logs"][0]["hash"] == logs()[0].hash
    found = be.compare(list(logs()[:2]), OFF, pendulum_rig())
    assert answer["motors"][1]["mean"][0]["mean_absolute"] == pytest.approx(found.error(), rel=1e-9)


def test_bad_words_end_in_one_sentence(files, tmp_path):
    """Exit code 2."""
    for words, sentence in (
        ([*files, "--motor", tmp_path / "off.toml"], "is given twice"),
        ([*files, "--plot", "c.gif"], "must end in .png or .svg or .pdf"),
        ([*files, "--channel", "position"], "must be two names"),
        ([tmp_path / "none.csv", *files[2:]], "none.csv"),
    ):
        result = call("compare", *words)
        assert result.exit_code == 2 and sentence in result.output, result.output


def test_zeros_that_nobody_measured_are_not_compared():
    """A torque of zeros has no error of its own, and a sentence says so; asked for, it is compared."""
    first = logs()[0]
    time = first.times("position")
    more = replace(first, channels={**first.channels, **be.Log.from_arrays(time, {"torque": 0.0 * time}).channels})
    found = be.compare(more, TRUTH, pendulum_rig())
    assert {error.channel for error in found.errors["drive"]} == {"position"}
    assert len(found.notes) == 1 and "torque is not compared: it is 0 throughout in log 0" in repr(found)
    asked = be.compare(more, TRUTH, pendulum_rig(), channels=["torque"])
    assert asked.error("torque") > 0.0 and asked.notes == ()
