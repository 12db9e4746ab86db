"""Fits that would tell nothing are refused in one sentence: no command, nothing to tell, a prior of another motor."""

from dataclasses import replace

import numpy as np
import pytest
from identify_rigs import TRUTH, off_by, pendulum_logs, pendulum_rig

import backemf as be
from backemf.errors import ParameterError
from backemf.identify.hold_out import held_out

FREE = ("winding.resistance", "magnet", "friction.coulomb")


def still(noise: float = 0.0) -> be.Log:
    """A servo that holds its target, and nothing happens."""
    time = np.arange(0.0, 2.0, 5e-3)
    seen = noise * np.random.default_rng(0).normal(size=len(time))
    return be.Log.from_arrays(time, {"position_command": 0.0 * time, "position": seen})


@pytest.mark.parametrize("noise", [0.0, 1e-4])
def test_a_log_without_motion_tells_nothing(noise: float):
    """The prior would come back as if it had been found."""
    with pytest.raises(
        ParameterError, match="nothing moves in these logs, and they tell nothing of the 3 numbers that are free: log"
    ):
        be.identify(still(noise), TRUTH, rig=pendulum_rig(), free=FREE)


def test_a_log_of_two_rows_tells_nothing_of_one_number():
    """The sentence counts."""
    log = be.Log.from_arrays([0.0, 5e-3], {"position_command": [0.0, 0.0], "position": [0.0, 0.0]})
    with pytest.raises(ParameterError, match="tell nothing of the number that is free"):
        be.identify(log, TRUTH, rig=pendulum_rig(), free="friction.coulomb")


@pytest.mark.parametrize(
    ("kt", "said"),
    [
        (0.0035, r"load\.mass: its weight needs .* times the motor's stall torque"),
        (0.05, r"no numbers near this prior explain the logs: position is predicted .* off"),
    ],
)
def test_a_prior_of_a_far_weaker_motor_is_excluded(kt, said):
    """A motor of a hundredth of the torque cannot hold the weight, and one of a seventh lets it hang."""
    weak = replace(
        TRUTH,
        magnet=be.Magnet(torque_constant=kt, back_emf_constant=0.35),
        friction=be.LoadDependent(coulomb=1e-4, viscous=1e-4),
    )
    with pytest.raises(ParameterError, match=said):
        be.identify(pendulum_logs(seconds=1.0), weak, rig=pendulum_rig(), free=("winding.resistance", "rotor.inertia"))


def test_a_rig_that_is_another_is_the_first_finding():
    """At a seventh of the gain the servo does not lift the pendulum, and more than half of the variance is left."""
    fit = be.identify(pendulum_logs()[:1], TRUTH, rig=pendulum_rig(kp=0.3), free=("rotor.inertia", "friction.coulomb"))
    first = fit.findings[0]
    assert (first.cause, first.severity, first.figure) == ("explained-little", "warning", "position")


def test_a_good_fit_has_no_such_finding():
    """What is left of a good fit is its noise."""
    fit = be.identify(pendulum_logs(seconds=1.0), off_by(TRUTH, 0.1), rig=pendulum_rig(), free=FREE)
    assert "explained-little" not in {finding.cause for finding in fit.findings}


def test_a_free_joint_without_a_command_is_refused():
    """A current alone moves no position controller; a controller that asks for torque may follow it."""
    time = np.arange(0.0, 1.0, 5e-3)
    log = be.Log.from_arrays(time, {"position": np.sin(time), "current": np.cos(time)})
    for controller, words in (
        (be.PositionPid(kp=5.0), "has no command for PositionPid; log position_command$"),
        (be.DutyServo(kp=2.0), "has no command for DutyServo; log position_command$"),
    ):
        rig = replace(pendulum_rig(), firmware=controller)
        with pytest.raises(ParameterError, match=words):
            be.identify(log, TRUTH, rig=rig, free=FREE)
    told = be.Log.from_arrays(time, {"position": np.sin(time), "position_command": np.sin(time)})
    rig = be.Rig(be.Inertia(1e-3))
    with pytest.raises(ParameterError, match=r"or give the rig the firmware that took its position_command$"):
        be.identify(told, TRUTH, rig=rig, free=FREE)
    empty = be.Log.from_arrays(time, {"position": np.sin(time)})
    rig = be.Rig(be.Inertia(1e-3), firmware=be.Torque())
    with pytest.raises(ParameterError, match="log effort_command, or the current"):
        be.identify(empty, TRUTH, rig=rig, free=FREE)


def test_a_log_counts_once():
    """The same measurement twice would make intervals narrower than they are; the name does not matter."""
    log = pendulum_logs(seconds=0.5)[0]
    copy = be.Log.from_arrays(
        None, {name: (log.times(name), log[name]) for name in log.channels}, meta=dict(log.meta), name="copy"
    )
    with pytest.raises(ParameterError, match="log 0 and copy are the same log; give it once"):
        be.identify([log, copy], TRUTH, rig=pendulum_rig(), free=FREE)


@pytest.mark.parametrize("seed", [-1, 1.5, True, "a"])
def test_a_seed_is_a_whole_number(seed: object):
    """NumPy would take some of them and not others."""
    logs = pendulum_logs(seconds=0.5)
    with pytest.raises(ParameterError, match=r"identify: seed = .*: must be a whole number of at least 0"):
        be.identify(logs, TRUTH, rig=pendulum_rig(), free=FREE, seed=seed)


@pytest.mark.parametrize(
    "expression",
    ["number==1 or number==2", "number==1|number==2", "number==0,1", "number>0 and number<2", "0<number<2"],
)
def test_a_hold_out_is_one_comparison(expression: str):
    """A typo in the second of two would leave its logs in the fit, and nobody would notice."""
    with pytest.raises(ParameterError, match=r"hold_out = .*(more than one comparison|write a note of the logs)"):
        held_out(pendulum_logs(seconds=0.2), expression)


def test_a_share_that_leaves_nothing_names_the_hold_out():
    """The user has not heard of a split."""
    with pytest.raises(ParameterError, match=r"identify: hold_out = 0.9999: .* less than two"):
        be.identify(pendulum_logs(seconds=0.5), TRUTH, rig=pendulum_rig(), free=FREE, hold_out=0.9999)


def test_a_name_that_is_nearly_one_is_suggested():
    """The list is long, and points of a table stand in it once."""
    with pytest.raises(ParameterError, match=r"did you mean friction.coulomb\?") as caught:
        be.identify(pendulum_logs(seconds=0.5), TRUTH, rig=pendulum_rig(), free="friction.colomb")
    assert str(caught.value).count("friction_over_angle.shares") == 1


def test_notes_of_a_csv_may_be_words(tmp_path):
    """A text without quotes is a note; a remark is none; a word where the rig needs a number is said."""
    path = tmp_path / "log.csv"
    rows = "time [s],goal_position [rad],position [rad]\n0,0,0\n0.01,0,0\n0.02,0,0\n"
    path.write_text("# kp = high\n# servo = left arm\n# weight=0.5\n# made by hand, x == y\n" + rows)
    log = be.read_log(path)
    assert dict(log.meta) == {"kp": "high", "servo": "left arm", "weight": 0.5}
    rig = be.Rig.parse(
        'format = "backemf rig 1"\n[load]\nkind = "Inertia"\ninertia = "1 kg*m^2"\n'
        '[firmware]\nkind = "DutyServo"\nkp = "log.kp 1/rad"\n'
    )
    with pytest.raises(ParameterError, match="note kp = 'high': must be a number"):
        be.identify(log, TRUTH, rig=rig)
    path.write_text(rows)
    with pytest.raises(ParameterError, match=r"has no note 'kp'.*# kp = \.\.\. above the header"):
        be.identify(be.read_log(path), TRUTH, rig=rig)
