"""Edges of a fit: one joint with a name, files that are held out, endings, names, and motions that tell nothing."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from identify_rigs import TRUTH, off_by, pendulum_logs, pendulum_rig
from test_cli import call

import backemf as be
from backemf.errors import BackemfWarning, ParameterError
from backemf.identify.hold_out import held_out
from backemf.identify.known import parse_known
from backemf.motorfile import save

FREE = ["friction.coulomb", "friction.viscous"]


@cache
def logs() -> list[be.Log]:
    return pendulum_logs(seconds=1.0)


@cache
def fit() -> be.Fit:
    return be.identify(logs(), off_by(TRUTH, 0.1), rig=pendulum_rig(), free=FREE)


def with_joint(log: be.Log, *names: str) -> be.Log:
    """The same log, of joints with names."""
    channels = {name: (c.time, np.stack([c.values] * len(names), axis=1)) for name, c in log.channels.items()}
    return be.Log.from_arrays(None, channels, joints=names, meta=log.meta, name=log.name)


# --- joints


def test_a_log_of_one_named_joint_is_a_log_of_one_joint():
    """As from a topic with one joint: the drive is an actuator, with the same bits."""
    named = [with_joint(log, "elbow") for log in logs()]
    found = be.identify(named, off_by(TRUTH, 0.1), rig=pendulum_rig(), free=FREE)
    assert isinstance(found.actuator, be.Actuator)
    assert found.actuator.motor.friction == fit().actuator.motor.friction
    np.testing.assert_array_equal(found.predict(named[0])["position"], fit().predict(logs()[0])["position"])


def test_several_joints_are_written_to_a_folder_and_that_is_said_first(tmp_path):
    """Not after a fit of minutes."""
    path = with_joint(logs()[0], "hip", "knee").save(tmp_path / "walk.csv")
    rig = pendulum_rig().save(tmp_path / "rig.toml")
    save(be.Actuator(TRUTH), tmp_path / "motor.toml")
    answer = call("identify", path, "--motor", tmp_path / "motor.toml", "--rig", rig, "-o", tmp_path / "found.toml")
    assert answer.exit_code == 2 and "the logs have 2 joints, and each has its file; give a folder" in answer.output


# --- what is held out


def test_a_log_is_held_out_by_its_file():
    named = [replace(log, name=f"logs/swing{k}.csv") for k, log in enumerate(logs())]
    for expression in ("file==swing1.csv", "file == 'swing1'", "file==logs/swing1.csv"):
        assert held_out(named, expression) == [False, True, False]
    assert held_out(named, "file!=swing1") == [True, False, True]
    with pytest.raises(ParameterError, match=r"their files are swing0\.csv, swing1\.csv"):
        held_out(named, "file==swing7")
    with pytest.raises(ParameterError, match="a file is named with == or !="):
        held_out(named, "file<swing1")
    with pytest.raises(ParameterError, match="leaves no log to fit"):
        held_out(named[:1], "file==swing0")


def test_a_number_in_quotes_is_the_number_of_a_note():
    numbered = [log.with_meta(kp=kp, name=f"0{kp}") for log, kp in zip(logs(), (1, 2, 3), strict=True)]
    assert held_out(numbered, "kp=='2'") == [False, True, False]
    assert held_out(numbered, "name==02") == [False, True, False]


# --- names and endings


def test_bad_arguments_are_one_sentence(tmp_path):
    for call_it, said in (
        (lambda: fit().predict("swing.csv"), "predict: log = 'swing.csv': must be a Log"),
        (lambda: fit().save(tmp_path / "fit.json"), r"a motor file is written as \.toml"),
        (lambda: fit().report(tmp_path / "fit.txt"), r"a page about a fit is written as \.html"),
        (lambda: fit().error("positon"), "error: 'positon' is not a channel: did you mean position"),
        (lambda: be.identify(logs(), TRUTH, rig=pendulum_rig(), free=[]), r"free = \[\]: leaves nothing to find"),
        (lambda: be.excite(TRUTH, pendulum_rig(), 1.0, free=[]), r"excite: free = \[\]: leaves nothing to find"),
    ):
        with pytest.raises(ParameterError, match=said):
            call_it()


def test_a_parameter_may_be_named_without_motor():
    assert fit().profile("friction.coulomb", points=2).name == "motor.friction.coulomb"


def test_a_note_on_the_command_line_is_one_of_all_logs(tmp_path):
    path = replace(logs()[0], meta={}).save(tmp_path / "swing.csv")
    rig = tmp_path / "rig.toml"
    rig.write_text('format = "backemf rig 1"\n[load]\nkind = "Pendulum"\nmass = "log.mass kg"\nlength = "0.1 m"\n')
    assert "has no note 'mass'" in call("log", "check", path, "--rig", rig).output
    assert "has no note" not in call("log", "check", path, "--rig", rig, "--note", "mass=0.49").output


def test_a_unit_behind_value_and_spread_is_that_of_both():
    """As textbooks write it; a share has no unit to give."""
    assert parse_known("0.49 ± 0.02 kg", "kg") == parse_known("0.49 kg +- 20 g", "kg")
    with pytest.raises(be.errors.UnitError, match="has no unit"):
        parse_known("0.49 +- 2 %", "kg")


# --- motions


def test_a_motion_that_tells_nothing_is_refused():
    """Within a tenth of a microradian nothing moves that an encoder would see."""
    with pytest.raises(ParameterError, match="the drive hardly moves, and no motion tells anything"):
        be.excite(TRUTH, pendulum_rig(), 1.0, limits=be.MotionLimits(position=1e-7), free=FREE)


def test_a_pendulum_that_the_motor_cannot_lift_is_refused():
    rig = be.Rig(be.Pendulum(mass=490.0, length=0.1), firmware=be.DutyServo(kp=2.0), supply=be.Supply(voltage=7.4))
    with pytest.raises(ParameterError, match=r"481 N·m when it is level, .* mass or length is in another unit"):
        be.excite(TRUTH, rig, 1.0)


def test_a_limit_in_degrees_is_warned_of():
    with pytest.warns(BackemfWarning, match="60 rad is 9.55 turns: .* if degrees were meant"):
        be.excite(TRUTH, pendulum_rig(), 0.5, limits=be.MotionLimits(position=60.0), free=FREE)


def test_one_channel_may_be_named_without_a_list():
    one = be.identify(logs()[:1], off_by(TRUTH, 0.1), rig=pendulum_rig(), free=FREE[:1], compare="position")
    assert {error.channel for error in one.errors} == {"position"}
    assert set(be.compare(logs()[0], TRUTH, pendulum_rig(), channels="position").predictions["drive"][0].channels) == {
        "position"
    }


def test_the_name_of_a_part_frees_all_its_numbers():
    by_name = be.identify(logs()[:1], TRUTH, rig=pendulum_rig(), free="rotor")
    assert [each.name for each in by_name.parameters] == ["motor.rotor.inertia"]
