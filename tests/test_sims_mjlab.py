"""mjlab's laws where mjlab is not installed; `make test-sims` runs them beside the real program."""

import subprocess
import sys

import numpy as np
import pytest

import backemf as be
from backemf.sims import mjlab

PD = mjlab.IdealPd(stiffness=20.0, damping=2.0, effort_limit=15.0)
DC = mjlab.DcMotor(stiffness=20.0, damping=2.0, effort_limit=15.0, saturation_effort=25.0, velocity_limit=10.0)


def test_the_laws_need_neither_mjlab_nor_torch():
    """Importing the room loads NumPy and nothing heavier."""
    program = "import sys, backemf.sims.mjlab; print([m for m in ('mjlab', 'torch', 'jax') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ["MotorActuatorCfg", "MotorActuator", "mdp"])
def test_a_motor_inside_mjlab_needs_mjlab(name, monkeypatch):
    """Without mjlab the plug-in is one sentence that names the extra."""
    for module in ("plugin", "mdp"):
        monkeypatch.delitem(sys.modules, f"backemf.sims.mjlab.{module}", raising=False)
    monkeypatch.setitem(sys.modules, "mjlab", None)
    with pytest.raises(be.MissingExtraError, match=r"needs mjlab.*pip install 'backemf\[mjlab\]'"):
        getattr(mjlab, name)


def test_wrapping_needs_mjlab(monkeypatch):
    """So does making configs of actuators: one sentence, and no row that says that they cannot be wrapped."""
    monkeypatch.delitem(sys.modules, "backemf.sims.mjlab.plugin", raising=False)
    monkeypatch.setitem(sys.modules, "mjlab", None)
    robot = be.ActuatorSet(["hip"], {"hip": be.Actuator(controller=be.IdealPd(stiffness=1.0))})
    with pytest.raises(be.MissingExtraError, match=r"needs mjlab.*pip install 'backemf\[mjlab\]'"):
        mjlab.wrap(robot)


def test_pd_torque_is_clipped():
    """20·(1 - 0.5) + 2·(0 - 1) + 3 = 11 N·m passes; with 2 rad of error 41 N·m is cut to 15."""
    assert mjlab.ideal_pd_torque(PD, 1.0, 0.0, 3.0, 0.5, 1.0) == pytest.approx(11.0)
    assert mjlab.ideal_pd_torque(PD, 2.5, 0.0, 3.0, 0.5, 1.0) == 15.0


def test_dc_motor_torque_falls_with_speed():
    """At 6 of 10 rad/s a stall torque of 25 N·m has 10 left, and backwards the flat 15 holds."""
    assert mjlab.dc_motor_torque(DC, 9.0, 0.0, 0.0, 0.0, 6.0) == pytest.approx(25.0 * (1 - 0.6))
    assert mjlab.dc_motor_torque(DC, -9.0, 0.0, 0.0, 0.0, 6.0) == -15.0


def test_a_raised_limit_stops_at_the_built_one():
    """mjlab's motor keeps the range it was built with."""
    assert mjlab.motor_force(12.0, 5.0) == 5.0
    assert mjlab.motor_force(-3.0, 5.0) == -3.0


def test_a_constant_lag_delays_by_its_steps():
    """With a lag of 2 the first command fills the history, then each arrives two steps late."""
    delay = mjlab.DelayBuffer(min_lag=2, max_lag=2)
    state = mjlab.initial_lags(delay, np.zeros(1, dtype=int), np.zeros((1, 1)))
    arrived = []
    for count in range(5):
        draws = mjlab.Draws(lag=np.array([2]))
        state, command = mjlab.delay_step(delay, state, np.full((1, 1), float(count)), draws)
        arrived.append(float(command[0, 0]))
    assert arrived == [0.0, 0.0, 0.0, 1.0, 2.0]


def test_a_reset_empties_its_environment_only():
    """The first command after a reset fills that environment's history; the other keeps its own."""
    delay = mjlab.DelayBuffer(min_lag=2, max_lag=2)
    state = mjlab.initial_lags(delay, np.zeros(2, dtype=int), np.zeros((2, 1)))
    draws = mjlab.Draws(lag=np.array([2, 2]))
    for count in range(4):
        state, _ = mjlab.delay_step(delay, state, np.full((2, 1), float(count)), draws)
    state = mjlab.reset_lags(delay, state, np.array([False, True]), np.zeros(2, dtype=int))
    assert state.lag.tolist() == [2, 0]
    _, command = mjlab.delay_step(delay, state, np.full((2, 1), 9.0), draws)
    assert command[:, 0].tolist() == [2.0, 9.0]


def test_draws_follow_from_the_seed():
    """The same generator gives the same lags, within the range; a fixed share of them is held."""
    torch = pytest.importorskip("torch")
    delay = mjlab.DelayBuffer(min_lag=1, max_lag=4, hold_prob=0.5, update_period=10)
    first, second = (torch.Generator().manual_seed(3) for _ in range(2))
    assert torch.equal(mjlab.draw_phase(delay, 100, first), mjlab.draw_phase(delay, 100, second))
    one, other = mjlab.draw_step(delay, 100, first), mjlab.draw_step(delay, 100, second)
    assert torch.equal(one.lag, other.lag) and torch.equal(one.hold, other.hold)
    assert one.lag.min() == 1 and one.lag.max() == 4


def test_the_learned_law_sees_the_first_step_all_along():
    """Errors, then velocities, newest first and scaled; before there is a history, the present value three times."""
    seen = []

    def network(rows):
        seen.append(rows.copy())
        return rows[:, :1]

    law = mjlab.LearnedMlp(
        network=network,
        pos_scale=2.0,
        vel_scale=0.5,
        torque_scale=3.0,
        effort_limit=100.0,
        saturation_effort=100.0,
        velocity_limit=50.0,
    )
    history = mjlab.no_history(law, np.zeros((1, 1)))
    for target, speed in ((1.0, 4.0), (3.0, 6.0)):
        history, torque = mjlab.learned_step(
            law, history, np.full((1, 1), target), np.zeros((1, 1)), np.full((1, 1), speed)
        )
    assert seen[0].tolist() == [[2.0, 2.0, 2.0, 2.0, 2.0, 2.0]]
    assert seen[1].tolist() == [[6.0, 2.0, 2.0, 3.0, 2.0, 2.0]]
    assert torque.tolist() == [[18.0]]


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: mjlab.IdealPd(stiffness=-1.0, damping=0.0), "IdealPd.stiffness = -1: must be"),
        (
            lambda: mjlab.DcMotor(
                stiffness=1.0, damping=0.0, effort_limit=1.0, saturation_effort=float("inf"), velocity_limit=1.0
            ),
            "DcMotor.saturation_effort = inf: must be a finite number",
        ),
        (lambda: mjlab.DelayBuffer(min_lag=4, max_lag=3), "min_lag = 4: must not be above max_lag = 3"),
        (lambda: mjlab.DelayBuffer(hold_prob=1.5), "hold_prob = 1.5: must be a finite number at most 1"),
        (lambda: mjlab.DelayBuffer(update_period=-1), "update_period = -1: must be a whole number of steps, 0 or more"),
    ],
)
def test_what_cannot_be_is_said(make, sentence):
    """Each refusal names the field and the value."""
    with pytest.raises(be.ParameterError, match=sentence):
        make()
