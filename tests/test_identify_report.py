"""The report of a fit: the held-out number beside simpler models, what residuals follow, and intervals the long way."""

import re
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from identify_rigs import TRUTH, off_by, pendulum_logs, pendulum_rig

import backemf as be
from backemf.errors import ParameterError
from backemf.identify import baselines as simpler
from backemf.identify.drives import predict_drive
from backemf.identify.evidence import Evidence
from backemf.identify.fit import Fit, check_fit, list_parameters
from backemf.identify.identification import identify
from backemf.identify.information import Blind
from backemf.identify.measure_next import measure_next
from backemf.identify.missing_torque import _Motion, _surplus, surplus_torque
from backemf.identify.parameters import Parameter
from backemf.identify.residual_findings import residual_curves
from backemf.identify.signals import slope_over
from backemf.identify.trials import Trials, make_trials

FREE = ("winding.resistance", "magnet", "rotor.inertia", "friction.coulomb", "friction.viscous")
HOSTILE = """<script>alert(1)<img src=x onerror=alert(2)>"'&$x_{$"""
HEADINGS = (
    "How far it is off", "Held-out logs", "The ladder of laws", "Parameters", "Correlations", "Residuals",
    "What to measure next", "What it was made from",
)  # fmt: skip


@cache
def logs() -> tuple[be.Log, ...]:
    """Logs of the true motor, with names that would break a page."""
    return tuple(
        replace(log, name=f"{HOSTILE} {k}").with_meta(remark=f"<b>{k}") for k, log in enumerate(pendulum_logs())
    )


@cache
def fitted() -> Fit:
    """A fit of three logs, of which one is held out."""
    rig = replace(pendulum_rig(), name=HOSTILE)
    return identify(list(logs()), off_by(TRUTH, 0.1), rig=rig, free=FREE, hold_out="number==1")


@cache
def page() -> str:
    """The text of its report."""
    from backemf.identify.report import report_html

    return report_html(fitted())


@cache
def with_cogging() -> Fit:
    """A fit to a motor that has a law which the fit has not: five periods of cogging per turn."""
    harmonic = be.Harmonic(amplitude=0.03, periodicity=5.0)
    given = pendulum_logs(replace(TRUTH, cogging=be.Cogging(harmonics=(harmonic,))))
    return identify(given, off_by(TRUTH, 0.1), rig=pendulum_rig(), free=FREE, hold_out="number==1")


# --- the page


def test_the_report_begins_with_the_held_out_number(tmp_path):
    """The number is the mean of |predicted - measured| on the log that was held out."""
    log = logs()[1]
    error = np.abs(fitted().predict(log)["position"] - log["position"]).mean()
    text = fitted().report(tmp_path / "new" / "fit.html").read_text(encoding="utf-8")
    assert text == page()
    first = text[text.index("<main>") :]
    begin = first[first.index("</h2>") : first.index("<table>")]
    assert f"<strong>{1e3 * error:.3g} mrad</strong>" in begin
    assert f"({np.degrees(error):.3g}°)" in begin and "1 log that the fit has not seen" in begin


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (9.999e-4, "1 mrad (0.0573°)"),
        (1.7e-3, "1.7 mrad (0.0974°)"),
        (0.9998, "1 rad (57.3°)"),
        (30.0, "30 rad (1720°)"),
    ],
)
def test_errors_are_printed_without_exponents(value: float, text: str):
    """What rounds to a thousand of a unit is one of the next."""
    from backemf.identify.report import error_text

    assert error_text(value, "position") == text


def test_what_is_too_small_to_matter_is_not_called_nothing():
    """Residuals that stand out from chance and are a thousandth of the torque follow, and need no law."""
    from backemf.identify.report import _verdict

    curve = next(each for each in with_cogging().residual_curves if each.quantity == "angle")
    assert _verdict(curve).startswith("it follows. What would explain it: cogging")
    assert _verdict(replace(curve, size=1e-3)) == "it follows, by 0.1 % of its size"
    assert _verdict(replace(curve, size=1e-3, limit=1.0)) == "nothing to see"


def test_the_report_has_every_part():
    """Sections in their order, every simpler model beside the fit, and one picture for the held-out log."""
    assert tuple(re.findall(r"<h2>(.*?)</h2>", page())) == HEADINGS
    table = page()[page().index("<table>") : page().index("</table>")]
    for name in ("this fit", "ideal PD", "prior alone", "Coulomb and viscous friction only", "linear filter"):
        assert name in table
    pictures = page()[page().index("Held-out logs") : page().index("The ladder of laws")]
    assert pictures.count("<figure>") == 1
    for each in fitted().parameters:
        assert each.name.replace(".", ".<wbr>") in page()
    assert fitted().hashes[0] in page()


def test_nothing_of_a_log_runs_or_is_fetched():
    """Names, notes and the rig's name are text; the page needs nothing from elsewhere."""
    assert "&lt;img src=x onerror=alert(2)&gt;" in page()
    tags = re.findall(r"<[a-zA-Z/][^>]*>", page())
    assert not [
        tag for tag in tags if re.match(r"</?(script|b\b|iframe|link|object)", tag) and tag not in ("<b>", "</b>")
    ]
    assert not [tag for tag in tags if "onerror" in tag.split("alt=")[0]]
    assert all('src="data:image/svg+xml;base64,' in tag for tag in tags if tag.startswith("<img"))
    assert "http:" not in page() and "https:" not in page()


@pytest.mark.long
def test_a_report_without_held_out_logs_says_so():
    """The number is then that of the training logs."""
    from backemf.identify.report import report_html

    fit = identify(pendulum_logs(seconds=2.0), off_by(TRUTH, 0.1), rig=pendulum_rig(), free=("friction.coulomb",))
    text = report_html(fit)
    begin = text[: text.index("<table>")]
    assert "nothing was held out" in begin
    size = 1e3 * fit.error("position", held_out=False)
    assert f"<strong>{size:.3g} mrad</strong>" in begin
    assert "Logs of the fit" in text and "One parameter was fitted" in text


def test_points_of_a_table_are_one_picture():
    """They would fill the table of parameters: they have one of their own, closed at first."""
    from backemf.identify.report import _parameters

    fit = fitted()
    names = [f"motor.table.shares.{k}" for k in range(3)] + ["motor.friction.coulomb", "motor.friction.viscous"]
    renamed = [replace(each, name=name) for each, name in zip(fit.parameters, names, strict=True)]
    body = _parameters(replace(fit, parameters=tuple(renamed))).body
    plain, points = body.split("<details>")
    assert "motor.<wbr>friction.<wbr>coulomb" in plain and "shares.<wbr>0" not in plain
    assert "motor.table.shares" in plain and plain.count("<figure>") == 2
    assert all(f"shares.<wbr>{k}" in points for k in range(3)) and "coulomb" not in points


# --- simpler models


def evidence_of(trials: Trials, train: tuple[bool, ...]) -> Evidence:
    """Logs without a model."""
    problem: Any = SimpleNamespace(predictor=SimpleNamespace(trials=trials))
    return Evidence(problem, np.ones(len(train)), train, 1.0, np.zeros(1))


def test_simpler_models_predict_what_they_say():
    """The ideal PD is where the command is; the prior alone is the prior's prediction; one rung is the fit itself."""
    pd, prior, first, linear = simpler.baselines(fitted())
    log = logs()[1]
    held = np.searchsorted(log.times("position_command"), log.times("position"), side="right") - 1
    command = log["position_command"][held]
    assert pd.error("position", True) == pytest.approx(np.abs(command - log["position"]).mean(), rel=1e-9)
    seen = predict_drive(replace(fitted()._drive, settings={}), fitted().rig, [log])[0]
    assert prior.error("position", True) == pytest.approx(np.abs(seen["position"] - log["position"]).mean(), rel=1e-6)
    assert first.error("position", True) == pytest.approx(fitted().error("position"), rel=1e-9)
    assert fitted().error("position") < linear.error("position", True) < pd.error("position", True)
    assert np.isnan(pd.error("torque", True))


def test_a_linear_filter_finds_a_linear_lag():
    """y' = 0.9·y + 0.1·u is one: what was held out is predicted from rest and the command."""
    generator = np.random.default_rng(3)
    given = []
    for k in range(3):
        command = np.repeat(np.concatenate([np.zeros(2), generator.normal(size=40)]), 10)
        position = np.zeros(len(command))
        for step in range(1, len(command)):
            position[step] = 0.9 * position[step - 1] + 0.1 * command[step - 1]
        time = 0.005 * np.arange(len(command))
        given.append(be.Log.from_arrays(time, {"position_command": command, "position": position}, name=str(k)))
    trials = make_trials(given, pendulum_rig(), pendulum_rig().actuator_for(be.Actuator(TRUTH), given[0]))
    evidence = evidence_of(trials, (True, True, False))
    held = [e for e in evidence.errors(simpler._linear_filter(evidence)) if e.held_out]
    assert [e.log for e in held] == ["2"]
    assert held[0].mean_absolute < 1e-5


def test_a_linear_filter_has_a_ridge_where_that_predicts_better(monkeypatch: pytest.MonkeyPatch):
    """Sixteen samples of a slow sine are nearly the same, so that weights without a ridge fit one sine, not another."""
    time = np.arange(0.0, 4.0, 5e-3)
    given = []
    for k in range(3):
        command = np.sin((1.5 + k) * time)
        position = 0.9 * np.sin((1.5 + k) * (time - 0.03)) ** 3
        given.append(be.Log.from_arrays(time, {"position_command": command, "position": position}, name=str(k)))
    trials = make_trials(given, pendulum_rig(), pendulum_rig().actuator_for(be.Actuator(TRUTH), given[0]))
    evidence = evidence_of(trials, (True, True, False))

    def held_out_error() -> float:
        (held,) = (e for e in evidence.errors(simpler._linear_filter(evidence)) if e.held_out)
        return held.mean_absolute

    chosen = held_out_error()
    monkeypatch.setattr(simpler, "RIDGES", (0.0,))
    assert chosen < 0.9 * held_out_error()


def test_the_ideal_pd_of_a_torque_has_the_gains_of_the_training_logs():
    """torque = 4·error - 0.3·velocity, and another drive in the log that is held out, which moves no gain."""
    time = np.arange(0.0, 4.0, 2e-3)
    given = []
    for k in range(3):
        position = 0.6 * np.sin(2.0 * np.pi * (0.4 + 0.2 * k) * time)
        velocity, error = np.gradient(position, time), 0.1 * np.sin(7.0 * time)
        torque = 4.0 * error - 0.3 * velocity + 0.5 * (k == 2)
        channels = {"position_command": position + error, "position": position, "velocity": velocity, "torque": torque}
        given.append(be.Log.from_arrays(time, channels, name=str(k)))
    actuator = be.Actuator(TRUTH, controller=be.IdealPd(stiffness=1.0))
    trials = make_trials(given, be.Rig(be.MeasuredMotion()), actuator)
    evidence = evidence_of(trials, (True, True, False))
    assert [each.channel for each in trials.readings] == ["torque"]
    for made, close in ((simpler._ideal_pd, 1e-9), (simpler._linear_filter, 0.02)):
        seen, also, held = (each.mean_absolute for each in evidence.errors(made(evidence)))
        assert seen < close and also < close and held == pytest.approx(0.5, abs=2.0 * close)


@pytest.mark.long
def test_the_first_rung_is_worse_than_the_ladder_where_a_law_is_missing():
    """Friction that is higher near standstill: Coulomb and viscous friction alone are farther off."""
    stribeck = be.Stribeck(velocity=1.0, coulomb=0.04)
    motor = replace(TRUTH, friction=be.LoadDependent(coulomb=0.03, viscous=0.01, stribeck=stribeck))
    free = (*FREE, "friction.stribeck.coulomb", "friction.stribeck.velocity")
    given = pendulum_logs(motor)
    fit = identify(given, off_by(TRUTH, 0.1), rig=pendulum_rig(), free=free, hold_out="number==1")
    first = simpler.baselines(fit)[2]
    assert first.error("position", True) > 3.0 * fit.error("position")
    alone = identify(given, off_by(TRUTH, 0.1), rig=pendulum_rig(), free=FREE, hold_out="number==1")
    # it starts where the whole ladder has found that logs start, and the fit alone where it finds itself
    assert first.error("position", True) == pytest.approx(alone.error("position"), rel=0.1)
    (cause,) = {each.cause for each in alone.findings if each.cause.startswith("residual-")}
    assert cause == "residual-follows-speed"


# --- residuals


def test_residuals_follow_the_angle_where_cogging_is_missing():
    """It comes first, with what would explain it, and the report names it."""
    found = [each for each in with_cogging().findings if each.cause.startswith("residual-")]
    assert found[0].cause == "residual-follows-angle"
    assert found[0].severity == "info" and "cogging" in found[0].explanation
    assert "residual-follows-speed" not in {each.cause for each in found}


def test_residuals_of_the_true_law_follow_nothing():
    """What is left is noise."""
    assert not [each for each in fitted().findings if each.cause.startswith("residual-")]
    assert {curve.quantity for curve in fitted().residual_curves} >= {"angle", "speed", "load", "duty", "time"}


def test_the_missing_torque_is_the_cogging_s():
    """A sine of 0.03 N·m over the angle, less the little that the fit has made up for, where the joint is slow.

    At 3 rad/s, averages over 40 ms on either side see 0.6 rad of a wave on either side: (1 - 0.6²/14) of it is left.
    """
    fit = with_cogging()
    found = surplus_torque(fit._evidence, fit._theta, fit._active)
    assert found is not None
    reading, surplus = found
    logs = fit._evidence.trials.logs
    speeds = [np.abs(slope_over(log.times("position"), log["position"])) for log in logs]
    slow = [reading.there[k] & (speed < 3.0) for k, speed in enumerate(speeds)]
    angle = np.concatenate([log["position"][slow[k]] for k, log in enumerate(logs)])
    torque = np.concatenate([surplus[k, slow[k]] for k in range(len(logs))])
    waves = np.stack([np.sin(5.0 * angle), np.cos(5.0 * angle)], axis=1)
    amplitude = np.hypot(*np.linalg.lstsq(waves, torque, rcond=None)[0])
    assert amplitude == pytest.approx(0.03, rel=0.25)


def test_there_is_no_missing_torque_along_a_simulated_motion():
    """Without noise, nothing is missing to a hundredth of what the motion needs, at samples that are far from even."""
    fit = identify(pendulum_logs(noise=0.0), off_by(TRUTH, 0.1), rig=pendulum_rig(), free=FREE)
    found = surplus_torque(fit._evidence, fit._theta, fit._active)
    assert found is not None
    reading, surplus = found
    assert reading.there.mean() > 0.9
    needed = reading.values[reading.there].std()
    assert surplus[reading.there].std() < 0.002 * needed
    # and it is little already before that of the simulated motion is taken off
    space, trials = fit._space, fit._evidence.trials
    known = dict(zip(space.names, space.values(fit._theta, fit._active), strict=True))
    motions = [_Motion(log.times("position") - log.time[0], log["position"]) for log in trials.logs]
    rows = _surplus(fit._evidence, motions, known)[1]
    assert np.concatenate([row[reading.there[k, : len(row)]] for k, row in enumerate(rows)]).std() < 0.02 * needed


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_a_residual_that_is_given_is_found_and_noise_is_not(share: float):
    """Residuals of a torque: noise, of which a share is a sine of the angle."""
    generator = np.random.default_rng(1)
    time = np.arange(0.0, 8.0, 5e-3)
    given = []
    for _ in range(3):
        # a random walk, smooth enough that its speed has a sign
        walk = np.cumsum(generator.normal(size=len(time) + 39)) * 0.1
        position = np.convolve(walk, np.full(40, 1.0 / 40.0), mode="valid")
        torque = 0.35 - 0.03 * np.sign(np.gradient(position))
        given.append(be.Log.from_arrays(time, {"position": position, "current": 0.0 * time + 1.0, "torque": torque}))
    rig = be.Rig(be.MeasuredMotion())
    actuator = be.Actuator(TRUTH, controller=be.Torque())
    trials = make_trials(given, rig, actuator)
    fit = identify(given, actuator, rig=rig, free=("friction.coulomb",))
    evidence = fit._evidence
    noise = generator.normal(size=(3, len(time)))
    angle = np.stack([log["position"] for log in given])
    residual = np.sqrt(1.0 - share) * noise + np.sqrt(2.0 * share) * np.sin(3.0 * angle)
    curves = residual_curves(evidence, fit._theta, fit._active, [residual])
    assert trials.lanes == 3
    follow = {curve.quantity: curve for curve in curves if curve.channel == "torque" and curve.follows}
    assert set(follow) == ({"angle"} if share else set())


# --- intervals


def test_profile_and_bootstrap_agree_with_the_intervals():
    """All three measure the same, each in its own way: within a factor of 1.5."""
    drawn = fitted().bootstrap(60, seed=2)
    for each in fitted().parameters:
        width = np.log(each.high / each.low)
        low, high = drawn.interval(each.name)
        assert 1.0 / 1.5 < np.log(high / low) / width < 1.5, each.name
        assert low < each.value < high
    for name in ("motor.winding.resistance", "motor.friction.coulomb"):
        each = {p.name: p for p in fitted().parameters}[name]
        found = fitted().profile(name, points=8)
        assert 1.0 / 1.5 < np.log(found.high / found.low) / np.log(each.high / each.low) < 1.5, name
        assert found.value == pytest.approx(each.value, rel=1e-6)
        assert np.all(np.diff(found.values) > 0.0) and found.rise.min() == 0.0
        assert found.rise[0] > 1.92 and found.rise[-1] > 1.92


def test_the_same_seed_draws_the_same_blocks():
    """And another one others."""
    one, same, other = (fitted().bootstrap(20, seed=seed).draws for seed in (1, 1, 2))
    assert np.array_equal(one, same) and not np.array_equal(one, other)


def test_a_profile_of_the_only_parameter_is_the_loss_itself():
    """Nothing else can make up for it."""
    fit = identify(pendulum_logs(seconds=2.0), TRUTH, rig=pendulum_rig(), free=("friction.coulomb",))
    found = fit.profile("motor.friction.coulomb", points=4)
    assert found.low < 0.03 < found.high


def test_bad_arguments_of_intervals_are_errors():
    """Each is one sentence with the value and the remedy."""
    with pytest.raises(ParameterError, match=r"'motor.winding.resistence' was not fitted: .*motor.winding.resistance"):
        fitted().profile("motor.winding.resistence")
    with pytest.raises(ParameterError, match="points = 1"):
        fitted().profile("motor.magnet", points=1)
    with pytest.raises(ParameterError, match="n = 3"):
        fitted().bootstrap(3)
    with pytest.raises(ParameterError, match="was not fitted; there are"):
        fitted().bootstrap(20).interval("motor.rotor")


def test_a_parameter_at_its_bound_is_a_finding():
    """A logarithm that has gone as far as it may."""
    space = fitted()._space
    theta = fitted()._theta.copy()
    theta[space.index("motor.friction.viscous")] = -7.0
    found = check_fit(list_parameters(space, theta, fitted()._active, fitted()._covariance), ())
    assert [each.figure for each in found if each.cause == "at-bound"] == ["motor.friction.viscous"]
    assert not [each for each in fitted().findings if each.cause == "at-bound"]


def test_what_to_measure_next_is_said_once():
    """Two directions with one remedy are one line; a wide interval is one, and a narrow one is none."""
    names = ("motor.winding.resistance", "motor.magnet", "motor.friction.viscous", "motor.rotor.inertia")
    parameters = [Parameter(name, (name,), 0.1) for name in names]
    blind = [Blind(0.0, ((names[0], 0.7), (names[1], 0.7))), Blind(0.0, ((names[1], 0.7), (names[0], -0.7)))]
    found = measure_next(parameters, [(1.0, 9.0), (1.0, 9.0), (1.0, 4.0), (1.0, 1.1)], blind)
    assert [str(each) for each in found] == [
        "Log the current, or give the resistance: tells motor.magnet and motor.winding.resistance apart",
        "Log fast motion: narrows motor.friction.viscous, known within a factor of 4",
    ]
