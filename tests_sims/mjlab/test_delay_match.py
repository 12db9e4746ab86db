"""The delay buffer against mjlab's own, draw for draw, and what it does that one would not expect."""

from dataclasses import asdict

import numpy as np
import pytest
import torch
from laws import delay as law
from mjlab.utils.buffers import DelayBuffer as TheirBuffer

import backemf as be
from backemf.sims.mjlab import DelayBuffer, Draws
from backemf.sims.mjlab import delay as numpy_law

CONFIGS = 60
STEPS = 300


def configuration(seed: int) -> DelayBuffer:
    """A random buffer; small periods and lags are common, so that all rules meet."""
    rng = np.random.default_rng(seed)
    low = int(rng.integers(0, 5))
    return DelayBuffer(
        min_lag=low,
        max_lag=low + int(rng.integers(0, 6)),
        hold_prob=float(rng.choice([0.0, 0.3, 0.9, 1.0], p=[0.4, 0.3, 0.2, 0.1])),
        update_period=int(rng.choice([0, 1, 3, 7, 20])),
        per_env=bool(rng.random() < 0.8),
        per_env_phase=bool(rng.random() < 0.7),
    )


class Side:
    """Our buffer beside theirs, both on generators with the same seed."""

    def __init__(self, config: DelayBuffer, envs: int, seed: int):
        self.config, self.envs = config, envs
        self.draw = torch.Generator().manual_seed(seed)
        self.theirs = TheirBuffer(batch_size=envs, generator=torch.Generator().manual_seed(seed), **asdict(config))
        self.state = law.initial_lags(config, law.draw_phase(config, envs, self.draw), torch.zeros(envs, 3))

    def reset(self, mask: torch.Tensor) -> None:
        self.theirs.reset(mask.nonzero().squeeze(-1))
        self.state = law.reset_lags(self.config, self.state, mask, law.draw_phase(self.config, self.envs, self.draw))

    def step(self, command: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """What arrives on our side and on theirs."""
        draws = law.draw_step(self.config, self.envs, self.draw)
        self.state, ours = law.delay_step(self.config, self.state, command, draws)
        self.theirs.append(command)
        return ours, self.theirs.compute()


@pytest.mark.parametrize("seed", range(CONFIGS))
def test_every_command_arrives_when_theirs_does(seed):
    """Random buffers with resets and set lags at random times: lags and commands are equal at each of 300 steps."""
    rng = np.random.default_rng(1000 + seed)
    envs = int(rng.integers(1, 9))
    side = Side(configuration(seed), envs, seed)
    for step in range(STEPS):
        if rng.random() < 0.05:
            side.reset(torch.from_numpy(rng.random(envs) < 0.4))
        if rng.random() < 0.02:
            lags = torch.from_numpy(rng.integers(0, 12, envs))
            side.theirs.set_lags(lags)
            side.state = law.at_lags(side.config, side.state, lags)
        ours, theirs = side.step(torch.from_numpy(rng.normal(size=(envs, 3))))
        assert torch.equal(side.state.lag, side.theirs.current_lags), step
        assert torch.equal(ours, theirs), step


@pytest.mark.parametrize("seed", range(0, CONFIGS, 6))
def test_numpy_gives_the_same_from_the_same_draws(seed):
    """The law in NumPy, fed with mjlab's random numbers, delays as mjlab does."""
    rng = np.random.default_rng(2000 + seed)
    side = Side(configuration(seed), 4, seed)
    draw = torch.Generator().manual_seed(seed)
    config = side.config
    state = numpy_law.initial_lags(config, law.draw_phase(config, 4, draw).numpy(), np.zeros((4, 3)))
    for step in range(STEPS):
        if step % 37 == 20:
            mask = rng.random(4) < 0.5
            side.reset(torch.from_numpy(mask))
            state = numpy_law.reset_lags(config, state, mask, law.draw_phase(config, 4, draw).numpy())
        command = rng.normal(size=(4, 3))
        drawn = law.draw_step(config, 4, draw)
        draws = Draws(lag=drawn.lag.numpy(), hold=None if drawn.hold is None else drawn.hold.numpy())
        state, ours = numpy_law.delay_step(config, state, command, draws)
        _, theirs = side.step(torch.from_numpy(command))
        np.testing.assert_array_equal(ours, theirs.numpy())


@pytest.mark.parametrize("seed", range(0, CONFIGS, 3))
def test_the_delay_of_an_actuator_can_be_theirs(seed):
    """`Delay(schedule="mjlab")`, given mjlab's draws, lets every effort arrive when mjlab does."""
    rng = np.random.default_rng(3000 + seed)
    side, draw = Side(configuration(seed), 5, seed), torch.Generator().manual_seed(seed)
    config = side.config
    delay = be.Delay(
        steps=(config.min_lag, config.max_lag),
        schedule="mjlab",
        period=config.update_period,
        hold_probability=config.hold_prob or None,
        staggered=config.per_env_phase or not config.update_period,
    )
    step = be.Actuator(delay=delay).compile("torch", eager=True, dtype=torch.float64)
    state = step.initial((5, 3))
    phase = law.draw_phase(config, 5, draw)
    for _ in range(STEPS):
        if rng.random() < 0.05:
            mask = torch.from_numpy(rng.random(5) < 0.4)
            side.reset(mask)
            state = step.reset(state, mask[:, None])
            phase = torch.where(mask, law.draw_phase(config, 5, draw), phase)
        drawn = law.draw_step(config, 5, draw)
        hold = None if drawn.hold is None else drawn.hold[:, None]
        draws = be.actuator.Draws(lag=drawn.lag[:, None].double(), hold=hold, phase=phase[:, None])
        command = torch.from_numpy(rng.normal(size=(5, 3)))
        state, out = step(state, command, 0.0 * command, 0.0 * command, 0.002, draws=draws)
        assert torch.equal(out.torque, side.step(command)[1])


def test_the_lag_after_a_reset_is_below_its_minimum():
    """A reset sets the lag to 0, and it stays there until the environment's next turn to draw."""
    config = DelayBuffer(min_lag=4, max_lag=6, update_period=20, per_env_phase=True)
    side = Side(config, 64, 5)
    for count in range(40):
        side.step(torch.full((64, 3), float(count)))
    side.reset(torch.ones(64, dtype=torch.bool))
    ages = []
    for count in range(40):
        _, theirs = side.step(torch.full((64, 3), float(count)))
        ages.append(count - theirs[:, 0])
    early = torch.stack(ages[6:12])
    assert (early == 0).any(dim=0).sum() > 20
    assert (torch.stack(ages[26:]) >= config.min_lag).all()


def test_commands_arrive_out_of_order():
    """A lag drawn at each step may grow by more than one, and then an older command acts after a younger one."""
    side = Side(DelayBuffer(min_lag=0, max_lag=5), 16, 6)
    arrived = []
    for count in range(100):
        _, theirs = side.step(torch.full((16, 3), float(count)))
        arrived.append(theirs[:, 0])
    assert (torch.stack(arrived).diff(dim=0) < 0).float().mean() > 0.2


def test_set_lags_last_until_the_next_draw():
    """With a draw at each step, lags that are set have no effect at all."""
    config = DelayBuffer(min_lag=1, max_lag=8)
    sides = Side(config, 32, 7), Side(config, 32, 7)
    for count in range(30):
        sides[0].theirs.set_lags(torch.full((32,), 8))
        command = torch.full((32, 3), float(count))
        assert torch.equal(sides[0].step(command)[1], sides[1].step(command)[1])
