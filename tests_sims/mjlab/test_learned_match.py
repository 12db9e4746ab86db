"""The learned actuator against mjlab's own, on the same network."""

from dataclasses import replace

import numpy as np
import pytest
import rig
import torch
from laws import learned as law
from mjlab.actuator import LearnedMlpActuatorCfg
from mjlab.actuator.actuator import ActuatorCmd

import backemf as be
from backemf.sims.mjlab import LearnedMlp
from backemf.sims.mjlab import learned as numpy_law

ENVS = 5


def network(inputs: int, seed: int) -> torch.nn.Module:
    torch.manual_seed(seed)
    return torch.nn.Sequential(
        torch.nn.Linear(inputs, 16),
        torch.nn.Softsign(),
        torch.nn.Linear(16, 16),
        torch.nn.ELU(),
        torch.nn.Linear(16, 1),
    )


def their_actuator(folder, order: str, length: int, seed: int = 0):
    """mjlab's actuator on all joints, and ours from the same file."""
    file = str(folder / "network.pt")
    torch.jit.script(network(2 * length, seed)).save(file)
    values = {
        "pos_scale": 0.7,
        "vel_scale": 0.05,
        "torque_scale": 90.0,
        "effort_limit": 9.0,
        "saturation_effort": 14.0,
        "velocity_limit": 8.0,
        "input_order": order,
        "history_length": length,
    }
    built = rig.build(LearnedMlpActuatorCfg(target_names_expr=(".*",), network_file=file, **values), envs=ENVS)
    return built.robot.actuators[0], LearnedMlp.load(file, **values)


def command(draw: torch.Generator) -> ActuatorCmd:
    return ActuatorCmd(*(scale * torch.randn(ENVS, 12, generator=draw) for scale in (1.0, 1.0, 5.0, 1.0, 6.0)))


class Watched:
    """A network that keeps what it was last shown."""

    def __init__(self, network):
        self.network, self.seen = network, None

    def __call__(self, rows):
        self.seen = rows
        with torch.inference_mode():
            return self.network(rows)


@pytest.mark.parametrize("order", ["pos_vel", "vel_pos"])
@pytest.mark.parametrize("length", [1, 3, 6])
def test_the_torque_is_theirs_before_and_after_resets(tmp_path, order, length):
    """Over 200 steps with partial resets the network is shown the same bits, and the torques differ by its rounding."""
    actuator, ours = their_actuator(tmp_path, order, length)
    actuator.network = theirs = Watched(actuator.network)
    ours = replace(ours, network=Watched(ours.network))
    draw = torch.Generator().manual_seed(length)
    history = law.no_history(ours, torch.zeros(ENVS, 12))
    clipped = 0
    for step in range(200):
        if step % 13 == 7:
            mask = torch.rand(ENVS, generator=draw) < 0.4
            actuator.reset(mask.nonzero().squeeze(-1))
            history = law.reset_history(history, mask)
        now = command(draw)
        history, torque = law.learned_step(ours, history, now.position_target, now.pos, now.vel)
        expected = actuator.compute(now)
        assert torch.equal(ours.network.seen, theirs.seen), step
        # the same bits in another place of the memory give matrix products that differ in the last ones
        torch.testing.assert_close(torque, expected, rtol=1e-6, atol=2e-5)
        clipped += int((expected.abs() >= 9.0).sum())
    # some torques are clipped and some are not
    assert 0 < clipped < 0.9 * 200 * ENVS * 12


def test_the_first_values_after_a_reset_fill_the_history(tmp_path):
    """After a reset the network sees the present error as if it had always been there, not zeros."""
    actuator, ours = their_actuator(tmp_path, "pos_vel", 3)
    actuator.network = theirs = Watched(actuator.network)
    draw = torch.Generator().manual_seed(9)
    for _ in range(5):
        actuator.compute(command(draw))
    actuator.reset(torch.arange(ENVS))
    now = command(draw)
    actuator.compute(now)
    blocks = [ours.pos_scale * (now.position_target - now.pos)] * 3 + [ours.vel_scale * now.vel] * 3
    assert torch.equal(theirs.seen, torch.stack(blocks, dim=-1).reshape(-1, 6))


def test_numpy_takes_any_network(tmp_path):
    """The law in NumPy with the network as a plain function gives mjlab's torque to float32 rounding."""
    actuator, ours = their_actuator(tmp_path, "vel_pos", 3)
    values = {name: getattr(ours, name) for name in ours.__dataclass_fields__}

    def plain(rows: np.ndarray) -> np.ndarray:
        with torch.inference_mode():
            return ours.network(torch.from_numpy(rows)).numpy()

    law_in_numpy = LearnedMlp(**{**values, "network": plain})
    draw = torch.Generator().manual_seed(11)
    history = numpy_law.no_history(law_in_numpy, np.zeros((ENVS, 12), np.float32))
    for _ in range(20):
        now = command(draw)
        history, torque = numpy_law.learned_step(
            law_in_numpy, history, now.position_target.numpy(), now.pos.numpy(), now.vel.numpy()
        )
        np.testing.assert_allclose(torque, actuator.compute(now).numpy(), rtol=1e-6, atol=2e-5)


def test_gradients_pass_through_our_history(tmp_path):
    """mjlab computes without gradients; ours reach the errors of earlier steps."""
    ours = replace(their_actuator(tmp_path, "pos_vel", 3)[1], torque_scale=5.0)
    draw = torch.Generator().manual_seed(12)
    history = law.no_history(ours, torch.zeros(ENVS, 12))
    first = (0.1 * torch.randn(ENVS, 12, generator=draw)).requires_grad_()
    still = torch.zeros(ENVS, 12)
    history, _ = law.learned_step(ours, history, first, still, still)
    _, torque = law.learned_step(ours, history, still, still, still)
    (gradient,) = torch.autograd.grad(torque.sum(), first)
    assert torch.isfinite(gradient).all() and (gradient != 0.0).any()


@pytest.mark.parametrize("order", ["pos_vel", "vel_pos"])
def test_an_actuator_with_the_same_file_gives_their_torque(tmp_path, order, monkeypatch):
    """`be.learned.LearnedMlp` in our chain, read from the file that mjlab loads, with partial resets and the clip."""
    plain = torch.nn.Sequential(
        torch.nn.Linear(6, 16), torch.nn.ELU(), torch.nn.Linear(16, 16), torch.nn.ELU(), torch.nn.Linear(16, 1)
    )
    monkeypatch.setitem(globals(), "network", lambda inputs, seed: plain)
    theirs, _ = their_actuator(tmp_path, order, 3)
    controller = be.learned.LearnedMlp(
        network=be.learned.load_network(tmp_path / "network.pt"),
        history=3,
        position_scale=0.7,
        velocity_scale=0.05,
        torque_scale=90.0,
        input_order="position_velocity" if order == "pos_vel" else "velocity_position",
        reset="backfill",
    )
    clip = be.DcClip(saturation_effort=14.0, velocity_limit=8.0, effort_limit=9.0)
    step = be.Actuator(controller=controller, limits=clip).compile("torch", eager=True)
    state = step.initial((ENVS, 12))
    draw = torch.Generator().manual_seed(3)
    clipped = 0
    for k in range(120):
        if k % 17 == 11:
            ids = torch.randperm(ENVS, generator=draw)[:2]
            theirs.reset(ids)
            mask = torch.zeros(ENVS, 1, dtype=torch.bool)
            mask[ids] = True
            state = step.reset(state, mask)
        told = command(draw)
        state, out = step(state, told.position_target, told.pos, told.vel, 0.002)
        torch.testing.assert_close(out.torque, theirs.compute(told), rtol=1e-5, atol=2e-5)
        clipped += int((out.limit > 0).sum())
    assert 0 < clipped < 120 * ENVS * 12
