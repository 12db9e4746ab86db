"""`be.Delay(schedule="mjlab")` inside an actuator against mjlab's own buffer, fed with the numbers that it drew."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
import torch
from mjlab.utils.buffers import DelayBuffer

import backemf as be

STEPS = 200
JOINTS = 3
CONFIGS = [
    {"min_lag": 0, "max_lag": 3},
    {"min_lag": 2, "max_lag": 2},
    {"min_lag": 1, "max_lag": 6, "hold_prob": 0.4},
    {"min_lag": 0, "max_lag": 4, "update_period": 5},
    {"min_lag": 3, "max_lag": 8, "update_period": 7, "hold_prob": 0.3},
    {"min_lag": 2, "max_lag": 5, "update_period": 4, "per_env_phase": False},
    {"min_lag": 1, "max_lag": 3, "update_period": 1, "hold_prob": 1.0},
    {"min_lag": 0, "max_lag": 5, "per_env": False},
]


class Recorder:
    """Keeps what mjlab draws while it is at work."""

    def __init__(self):
        self.integers, self.shares = [], []
        self._randint, self._rand = torch.randint, torch.rand

    def listening(self):
        return mock.patch.multiple(torch, randint=self.randint, rand=self.rand)

    def randint(self, *arguments, **options):
        self.integers.append(self._randint(*arguments, **options))
        return self.integers[-1]

    def rand(self, *arguments, **options):
        self.shares.append(self._rand(*arguments, **options))
        return self.shares[-1]


class Both:
    """mjlab's buffer and our actuator, whose torque is the effort that arrives."""

    def __init__(self, config, envs, engine, seed):
        self.engine, self.envs = engine, envs
        self.recorder = Recorder()
        with self.recorder.listening():
            generator = torch.Generator().manual_seed(seed)
            self.theirs = DelayBuffer(batch_size=envs, generator=generator, **config)
        self.staggered = config.get("update_period", 0) > 0 and config.get("per_env_phase", True)
        self.phase = self.recorder.integers.pop() if self.staggered else torch.zeros(envs, dtype=torch.long)
        delay = be.Delay(
            steps=(config["min_lag"], config["max_lag"]),
            schedule="mjlab",
            period=config.get("update_period", 0),
            hold_probability=config.get("hold_prob"),
            staggered=config.get("per_env_phase", True) or not config.get("update_period", 0),
        )
        options = {"eager": True, "dtype": torch.float64} if engine == "torch" else {}
        self.step = be.Actuator(controller=be.Torque(), delay=delay).compile(engine, **options)
        self.state = self.step.initial((envs, JOINTS))

    def ours(self, tensor):
        return tensor if self.engine == "torch" else tensor.numpy()

    def send(self, command: torch.Tensor):
        """What arrives on our side and on theirs, and both lags."""
        self.recorder.integers.clear()
        self.recorder.shares.clear()
        with self.recorder.listening():
            self.theirs.append(command)
            theirs = self.theirs.compute()
        (lag,) = self.recorder.integers
        hold = self.recorder.shares[0] if self.recorder.shares else torch.zeros(self.envs)
        columns = {"lag": lag.expand(self.envs), "hold": hold, "phase": self.phase}
        draws = be.actuator.Draws(**{name: self.ours(column[:, None]) for name, column in columns.items()})
        rest = self.ours(torch.zeros_like(command))
        self.state, out = self.step(self.state, self.ours(command), rest, rest, 0.005, draws=draws)
        lags = np.asarray(self.state.lag)[:, 0], self.theirs.current_lags.numpy()
        return np.asarray(out.torque), theirs.numpy(), lags

    def reset(self, mask: torch.Tensor) -> None:
        self.recorder.integers.clear()
        with self.recorder.listening():
            self.theirs.reset(mask.nonzero().squeeze(-1))
        if self.staggered:
            self.phase = torch.where(mask, self.recorder.integers[0], self.phase)
        self.state = self.step.reset(self.state, self.ours(mask[:, None]))


@pytest.mark.parametrize("engine", ["numpy", "torch"])
@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: " ".join(f"{k}={v}" for k, v in config.items()))
def test_commands_arrive_as_in_mjlab(config, engine):
    """Over 200 steps with resets of some environments: the same lag and the same command at each, to the bit."""
    rng = np.random.default_rng(17)
    both, resets = Both(config, 6, engine, seed=17), 0
    for step in range(STEPS):
        ours, theirs, lags = both.send(torch.from_numpy(rng.normal(size=(6, JOINTS))))
        np.testing.assert_array_equal(lags[0], lags[1], err_msg=f"step {step}")
        np.testing.assert_array_equal(ours, theirs, err_msg=f"step {step}")
        mask = torch.from_numpy(rng.random(6) < 0.03)
        if mask.any():
            both.reset(mask)
            resets += 1
    assert resets > 10
