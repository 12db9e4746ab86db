"""Fits of many logs: some climb the ladder, and all count at its top."""

import numpy as np
import pytest
from identify_rigs import TRUTH, off_by, pendulum_logs, pendulum_rig

import backemf as be
from backemf.identify import identification, refine
from backemf.identify.trials import make_trials

FREE = ("winding.resistance", "magnet", "rotor.inertia", "friction.coulomb", "friction.viscous")


def fit_of(logs: list[be.Log]) -> be.Fit:
    return be.identify(logs, off_by(TRUTH, 0.1), rig=pendulum_rig(), free=FREE)


@pytest.mark.long
def test_some_logs_climb_and_all_are_fitted(monkeypatch: pytest.MonkeyPatch):
    """Four of eight climb with every fourth sample: the numbers are those of all logs and samples, within intervals."""
    logs = pendulum_logs(count=8, seconds=2.0)
    whole = fit_of(logs)
    monkeypatch.setattr(identification, "ENOUGH", 4)
    monkeypatch.setattr(identification, "SAMPLES", 100)
    monkeypatch.setattr(refine, "SAMPLES", 100)
    seen = []
    climb = identification.climb

    def climbing(problem, *rest, **more):
        seen.append((problem.blocks.lanes, problem.predictor.trials.readings[0].time.shape[1]))
        return climb(problem, *rest, **more)

    monkeypatch.setattr(identification, "climb", climbing)
    some = fit_of(logs)
    assert seen == [(4, 100)]
    for one, other in zip(some.parameters, whole.parameters, strict=True):
        half = 0.5 * np.log(other.high / other.low)
        assert one.low < other.value < one.high, one.name
        # what few steps at the top leave widens the interval
        assert 0.5 * half < 0.5 * np.log(one.high / one.low) < 2.5 * half, one.name
    assert some.error("position", held_out=False) == pytest.approx(whole.error("position", held_out=False), rel=0.01)


def test_groups_climb_alike(monkeypatch: pytest.MonkeyPatch):
    """Of logs with two gains, ten and two, as many of each as there are: both of the few."""
    logs = [log.with_meta(kp=400 if k < 2 else 800) for k, log in enumerate(pendulum_logs(count=12, seconds=0.5))]
    drive = pendulum_rig().actuator_for(be.Actuator(TRUTH), logs[0])
    trials = make_trials(logs, pendulum_rig(), drive)
    groups = [log.meta["kp"] for log in logs]
    assert identification._lanes_of_ladder(trials, np.ones(12, dtype=bool), groups, 0) is None
    monkeypatch.setattr(identification, "ENOUGH", 4)
    few = identification._lanes_of_ladder(trials, np.ones(12, dtype=bool), groups, 0)
    assert few is not None and len(few) == 4 and {0, 1} <= set(few.tolist())


def test_numbers_stay_within_what_they_may_be():
    """A limit of the duty that logs would like above 1 stops there, and says so."""
    logs = pendulum_logs(count=3, seconds=2.0)
    text = (
        'format = "backemf rig 1"\n[load]\nkind = "Pendulum"\nmass = "0.49 kg"\nlength = "0.1 m"\n'
        '[firmware]\nkind = "DutyServo"\nkp = "2 1/rad"\npwm_limit = "0.97 +- 3 %"\n[supply]\nvoltage = "6.2 V"\n'
    )
    fit = be.identify(logs, TRUTH, rig=be.Rig.parse(text), free=("friction.*", "firmware.pwm_limit"))
    (limit,) = (each for each in fit.parameters if each.name == "firmware.pwm_limit")
    assert limit.value <= 1.0 and fit.actuator is not None
    assert limit.at_bound and any(each.cause == "at-bound" for each in fit.findings)
