"""Isaac Lab's actuator models: each restated here from its description, step by step, and compared."""

from __future__ import annotations

import importlib
import itertools
import math
import sys

import numpy as np
import pytest

import backemf as be
from backemf import ParameterError
from backemf.engines.bind import bind, load
from backemf.sims import isaaclab
from backemf.sims.isaaclab import law as laws
from backemf.sims.isaaclab import learned as learned_laws

SHAPE = (7, 3)
LIMIT = be.DcClip(saturation_effort=23.5, velocity_limit=30.0, effort_limit=20.0)
MASK = np.array([True, False, False, True, False, True, False])


def inputs(seed: int, speed: float = 30.0):
    """A command, a joint position and a joint velocity for one step."""
    draw = np.random.default_rng(seed)
    p, v, effort, q, w = (scale * draw.standard_normal(SHAPE) for scale in (1.5, 5.0, 4.0, 1.0, speed))
    return be.Command(position=p, velocity=v, effort=effort), q, w


def restated_pd(command: be.Command, q, w, kp: float = 20.0, kd: float = 1.5):
    return kp * (command.position - q) + kd * (command.velocity - w) + command.effort


def restated_clip(effort, speed, sat, top, no_load, corner):
    """The clip as Isaac Lab describes it: the line is followed as far as the corner speed, then held."""
    speed = np.clip(speed, -corner, corner)
    high = np.minimum(sat * (1.0 - speed / no_load), top)
    low = np.maximum(sat * (-1.0 - speed / no_load), -top)
    return np.minimum(np.maximum(effort, low), high)


# --- PD and DC motor


def test_ideal_pd_is_a_pd_within_a_flat_limit():
    """effort = kp·(p - q) + kd·(v - q') + ff, cut at ±effort_limit."""
    law = isaaclab.IdealPD(stiffness=20.0, damping=1.5, effort_limit=15.0)
    command, q, w = inputs(0)
    effort = isaaclab.ideal_pd_effort(law, command, q, w)
    expected = restated_pd(command, q, w)
    assert np.abs(expected).max() > 15.0 > np.abs(expected).min()
    np.testing.assert_array_equal(effort.computed, expected)
    np.testing.assert_array_equal(effort.applied, np.clip(expected, -15.0, 15.0))


def test_targets_that_are_not_given_are_zero():
    """Isaac Lab's target buffers start at zero, so without a position target the joint is pulled to 0."""
    law = isaaclab.IdealPD(stiffness=20.0, damping=1.5)
    assert isaaclab.ideal_pd_effort(law, be.Command(), 0.5, 2.0).applied == -20.0 * 0.5 - 1.5 * 2.0
    assert isaaclab.ideal_pd_effort(law, 0.75, 0.5, 0.0).applied == 20.0 * 0.25


@pytest.mark.parametrize("seed", range(5))
def test_dc_motor_follows_its_line_to_the_corner(seed: int):
    """The line meets the flat limit at v_lim·(1 + lim/sat); beyond it the bounds are held."""
    law = isaaclab.DCMotor(stiffness=20.0, damping=1.5, limit=LIMIT)
    command, q, w = inputs(seed)
    expected = restated_clip(restated_pd(command, q, w), w, 23.5, 20.0, 30.0, 30.0 * (1.0 + 20.0 / 23.5))
    np.testing.assert_array_equal(isaaclab.dc_motor_effort(law, command, q, w).applied, expected)


@pytest.mark.parametrize("changed", [5.0, 40.0])
def test_dc_motor_keeps_the_corner_of_the_first_limit(changed: float):
    """The corner is that of the 20 N·m with which the actuator was made, whatever the limit is now."""
    limit = be.DcClip(saturation_effort=23.5, velocity_limit=30.0, effort_limit=changed)
    law = isaaclab.DCMotor(stiffness=20.0, damping=1.5, limit=limit, corner_effort=20.0)
    for seed in range(5):
        command, q, w = inputs(seed, speed=60.0)
        expected = restated_clip(restated_pd(command, q, w), w, 23.5, changed, 30.0, 30.0 * (1.0 + 20.0 / 23.5))
        np.testing.assert_allclose(isaaclab.dc_motor_effort(law, command, q, w).applied, expected, rtol=1e-14)


def test_lowered_limit_is_exceeded_in_one_direction():
    """At the kept corner the line is at -20 N·m forwards and +20 N·m backwards. Where the bounds cross, the upper one
    wins, so that forwards a limit of 5 N·m is exceeded four times and backwards not at all."""
    limit = be.DcClip(saturation_effort=23.5, velocity_limit=30.0, effort_limit=5.0)
    law = isaaclab.DCMotor(stiffness=0.0, damping=0.0, limit=limit, corner_effort=20.0)
    forwards, backwards = (isaaclab.dc_motor_effort(law, 0.0, 0.0, speed).applied for speed in (100.0, -100.0))
    assert forwards == pytest.approx(-4 * 5.0, rel=1e-12)
    assert backwards == 5.0


def test_without_the_kept_corner_no_limit_is_exceeded():
    """The corner of the present limit bounds the effort at any speed."""
    limit = be.DcClip(saturation_effort=23.5, velocity_limit=30.0, effort_limit=5.0)
    law = isaaclab.DCMotor(stiffness=0.0, damping=0.0, limit=limit)
    applied = isaaclab.dc_motor_effort(law, 0.0, 0.0, np.linspace(-200.0, 200.0, 801)).applied
    assert np.abs(applied).max() == pytest.approx(5.0, rel=1e-12)


def test_before_four_quadrants_a_fast_joint_is_let_go():
    """Before Isaac Lab 2.2 neither bound crosses zero: above the no-load speed nothing brakes."""
    old = isaaclab.DCMotor(stiffness=0.0, damping=0.0, limit=LIMIT, four_quadrants=False)
    new = isaaclab.DCMotor(stiffness=0.0, damping=0.0, limit=LIMIT)
    for speed in (45.0, -45.0):
        assert isaaclab.dc_motor_effort(old, 0.0, 0.0, speed).applied == 0.0
    assert isaaclab.dc_motor_effort(new, 0.0, 0.0, 45.0).applied == pytest.approx(23.5 * (1 - 45.0 / 30.0))
    command = be.Command(effort=-100.0)
    assert isaaclab.dc_motor_effort(old, command, 0.0, 45.0).applied == -20.0


# --- delay


class RestatedBuffer:
    """A circular buffer per environment: a reset empties it, the first frame then fills it, a lag looks back."""

    def __init__(self, length: int, environments: int):
        self.slots = [None] * length
        self.newest = -1
        self.pushes = [0] * environments

    def reset(self, mask):
        self.pushes = [0 if emptied else count for emptied, count in zip(mask, self.pushes, strict=True)]

    def push(self, frame, lag):
        length = len(self.slots)
        if self.slots[0] is None:
            self.slots = [np.zeros_like(frame) for _ in range(length)]
        self.newest = (self.newest + 1) % length
        self.slots[self.newest] = frame.copy()
        out = np.empty_like(frame)
        for environment, count in enumerate(self.pushes):
            if count == 0:
                for slot in self.slots:
                    slot[environment] = frame[environment]
            back = min(lag[environment], count)
            out[environment] = self.slots[(self.newest - back) % length][environment]
            self.pushes[environment] = count + 1
        return out


def delayed_run(law, step):
    """Efforts of a delayed model and of the restated buffer and PD, over resets of some environments."""
    state, draw = isaaclab.initial_lags(law, np.zeros(SHAPE)), np.random.default_rng(3)
    buffers = {name: RestatedBuffer(law.max_delay + 1, SHAPE[0]) for name in ("position", "velocity", "effort")}
    lag = np.zeros(SHAPE[0], dtype=int)
    for k in range(60):
        if k % 17 == 0:
            mask = np.ones(SHAPE[0], dtype=bool) if k == 0 else MASK
            drawn = draw.integers(law.min_delay, law.max_delay + 1, SHAPE[0])
            lag = np.where(mask, drawn, lag)
            state = isaaclab.reset_lags(state, mask, drawn)
            for buffer in buffers.values():
                buffer.reset(mask)
        command, q, w = inputs(k)
        arrived = be.Command(**{name: buffers[name].push(getattr(command, name), lag) for name in buffers})
        state, effort = step(law, state, command, q, w)
        yield effort, restated_pd(arrived, q, w), q


def test_delayed_pd_is_a_pd_behind_a_buffer():
    """One lag per environment for all targets; the first targets after a reset fill the buffer."""
    law = isaaclab.DelayedPD(stiffness=20.0, damping=1.5, effort_limit=40.0, min_delay=1, max_delay=5)
    for effort, expected, _ in delayed_run(law, isaaclab.delayed_pd_step):
        np.testing.assert_array_equal(effort.computed, expected)
        np.testing.assert_array_equal(effort.applied, np.clip(expected, -40.0, 40.0))


def test_command_comes_after_its_lag():
    """With a lag of 2 the third step sees the first command, and until then the first acts."""
    law = isaaclab.DelayedPD(stiffness=1.0, damping=0.0, max_delay=3)
    state = isaaclab.reset_lags(isaaclab.initial_lags(law, np.zeros((1, 1))), np.array([True]), np.array([2]))
    seen = []
    for target in (1.0, 2.0, 3.0, 4.0):
        state, effort = isaaclab.delayed_pd_step(law, state, np.full((1, 1), target), 0.0, 0.0)
        seen.append(effort.applied.item())
    assert seen == [1.0, 1.0, 1.0, 2.0]


def test_before_the_first_reset_nothing_is_late():
    """Isaac Lab's lags are zero until a reset draws them, even where the shortest delay is 2."""
    law = isaaclab.DelayedPD(stiffness=1.0, damping=0.0, min_delay=2, max_delay=3)
    state = isaaclab.initial_lags(law, np.zeros((1, 1)))
    for target in (1.0, 2.0):
        state, effort = isaaclab.delayed_pd_step(law, state, np.full((1, 1), target), 0.0, 0.0)
        assert effort.applied.item() == target


def test_draws_are_those_of_torch():
    """One whole number per environment from PyTorch's generator, both ends included, so that a seed repeats them."""
    torch = pytest.importorskip("torch")
    law = isaaclab.DelayedPD(stiffness=1.0, damping=0.0, min_delay=2, max_delay=6)
    torch.manual_seed(11)
    first, second = isaaclab.draw_lags(law, 40), isaaclab.draw_lags(law, 3)
    torch.manual_seed(11)
    expected = torch.randint(2, 7, (40,), dtype=torch.int), torch.randint(2, 7, (3,), dtype=torch.int)
    assert torch.equal(first, expected[0]) and torch.equal(second, expected[1])
    assert set(first.tolist()) == {2, 3, 4, 5, 6}


# --- remotized


ROWS = np.array([[-2.0, -0.1, 5.0], [-0.5, 0.3, 20.0], [0.4, 0.5, 12.0], [1.8, 1.0, 3.0]])


def restated_interpolation(x: float) -> float:
    """Largest torque at an angle: a line between two rows, the end rows beyond them."""
    if x <= ROWS[0, 0]:
        return ROWS[0, 2]
    for left, right in itertools.pairwise(ROWS):
        if x <= right[0]:
            return left[2] + (x - left[0]) / (right[0] - left[0]) * (right[2] - left[2])
    return ROWS[-1, 2]


def test_remotized_pd_is_limited_by_the_angle():
    """The limit is the same in both directions and there is no other."""
    table = be.AngleTable(angle=ROWS[:, 0], effort=ROWS[:, 2])
    law = isaaclab.RemotizedPD(
        stiffness=20.0, damping=1.5, table=table, transmission_ratio=ROWS[:, 1], min_delay=0, max_delay=4
    )
    beyond = 0
    for effort, expected, q in delayed_run(law, isaaclab.remotized_pd_step):
        limit = np.vectorize(restated_interpolation)(q)
        np.testing.assert_allclose(effort.applied, np.clip(expected, -limit, limit), rtol=1e-13)
        beyond += np.count_nonzero((q < -2.0) | (q > 1.8))
    assert beyond > 10


# --- networks


def rows_network(rows):
    """Any function of rows: here one that tells its inputs apart."""
    weights = np.arange(1.0, rows.shape[-1] + 1.0)
    return np.tanh(rows @ weights)[:, None] * 30.0


@pytest.mark.parametrize("order", ["pos_vel", "vel_pos"])
def test_mlp_sees_its_history(order: str):
    """Entries of the given ages, newest 0, each block scaled; after a reset all entries are zero."""
    law = isaaclab.ActuatorNetMLP(
        network=rows_network,
        limit=LIMIT,
        input_idx=(0, 2, 4),
        pos_scale=-0.3,
        vel_scale=0.02,
        torque_scale=1.5,
        input_order=order,
    )
    history = isaaclab.no_history(law, np.zeros(SHAPE))
    errors, speeds = (np.zeros((50, *SHAPE)) for _ in range(2))
    for k in range(50):
        if k % 13 == 12:
            history = isaaclab.reset_history(history, MASK)
            errors[:k, MASK], speeds[:k, MASK] = 0.0, 0.0
        command, q, w = inputs(k)
        errors[k], speeds[k] = command.position - q, w
        blocks = [
            [np.zeros(SHAPE) if age > k else line[k - age] * scale for age in (0, 2, 4)]
            for line, scale in ((errors, -0.3), (speeds, 0.02))
        ]
        columns = blocks[0] + blocks[1] if order == "pos_vel" else blocks[1] + blocks[0]
        computed = rows_network(np.stack(columns, -1).reshape(-1, 6)).reshape(SHAPE) * 1.5
        history, effort = isaaclab.mlp_step(law, history, command, q, w)
        np.testing.assert_allclose(effort.computed, computed, rtol=1e-13)
        expected = restated_clip(computed, w, 23.5, 20.0, 30.0, 30.0 * (1.0 + 20.0 / 23.5))
        np.testing.assert_allclose(effort.applied, expected, rtol=1e-13)


def leaky_network(rows, memory):
    """A network with two layers of three features: hidden states that forget, and a cell that counts."""
    hidden, cell = memory
    hidden = 0.5 * hidden + rows[None, :, 0, :1] + np.arange(3.0)
    cell = cell + rows[None, :, 0, 1:]
    return 10.0 * np.tanh(hidden.sum((0, 2)) + 0.01 * cell.sum((0, 2)))[:, None], (hidden, cell)


@pytest.mark.parametrize("at_rest", [True, False])
def test_lstm_carries_its_memory_and_clips_at_rest(at_rest: bool):
    """The memory goes from step to step and is zeroed by a reset; at rest the clip is ±min(sat, lim)."""
    limit = be.DcClip(saturation_effort=9.0, velocity_limit=30.0, effort_limit=8.0)
    law = isaaclab.ActuatorNetLSTM(network=leaky_network, limit=limit, clip_at_rest=at_rest)
    memory = isaaclab.no_memory(np.zeros((2, *SHAPE, 3)))
    hidden, cell = np.zeros((2, *SHAPE, 3)), np.zeros((2, *SHAPE, 3))
    for k in range(20):
        if k == 9:
            memory = isaaclab.reset_memory(memory, MASK)
            hidden[:, MASK], cell[:, MASK] = 0.0, 0.0
        command, q, w = inputs(k)
        hidden = 0.5 * hidden + (command.position - q)[None, ..., None] + np.arange(3.0)
        cell = cell + w[None, ..., None]
        computed = 10.0 * np.tanh(hidden.sum((0, 3)) + 0.01 * cell.sum((0, 3)))
        memory, effort = isaaclab.lstm_step(law, memory, command, q, w)
        np.testing.assert_allclose(effort.computed, computed, rtol=1e-12)
        expected = restated_clip(computed, 0.0 if at_rest else w, 9.0, 8.0, 30.0, 30.0 * (1.0 + 8.0 / 9.0))
        np.testing.assert_allclose(effort.applied, expected, rtol=1e-12)


# --- engines


@pytest.mark.parametrize("engine", ["jax", "torch"])
def test_engines_agree(engine: str):
    """The laws bound to another engine give the same efforts, to the rounding of float32."""
    pytest.importorskip(engine)
    module = load(engine)
    bound, learned = (bind(sys.modules[part.__name__], engine, module.ops) for part in (laws, learned_laws))
    law = isaaclab.DCMotor(stiffness=20.0, damping=1.5, limit=LIMIT, corner_effort=25.0)
    late = isaaclab.DelayedPD(stiffness=20.0, damping=1.5, max_delay=3)
    net = isaaclab.ActuatorNetMLP(
        network=lambda rows: rows.sum(-1), limit=LIMIT, input_idx=[0, 1], pos_scale=5.0, vel_scale=0.1, torque_scale=2.0
    )
    lag = np.arange(SHAPE[0]) % 4
    ours = isaaclab.reset_lags(isaaclab.initial_lags(late, np.zeros(SHAPE)), np.ones(SHAPE[0], bool), lag)
    history = isaaclab.no_history(net, np.zeros(SHAPE))
    make = module.array
    truth = importlib.import_module("torch").tensor if engine == "torch" else importlib.import_module("jax.numpy").array
    theirs = bound.reset_lags(bound.initial_lags(late, make(0.0, SHAPE)), truth([True] * SHAPE[0]), truth(lag))
    their_history = learned.no_history(net, make(0.0, SHAPE))
    for k in range(6):
        command, q, w = inputs(k)
        there = be.Command(**{name: make(getattr(command, name)) for name in ("position", "velocity", "effort")})
        near = {"rtol": 2e-5, "atol": 2e-4}
        expected = isaaclab.dc_motor_effort(law, command, q, w).applied
        np.testing.assert_allclose(bound.dc_motor_effort(law, there, make(q), make(w)).applied, expected, **near)
        ours, effort = isaaclab.delayed_pd_step(late, ours, command, q, w)
        theirs, other = bound.delayed_pd_step(late, theirs, there, make(q), make(w))
        np.testing.assert_allclose(other.applied, effort.applied, **near)
        history, effort = isaaclab.mlp_step(net, history, command, q, w)
        their_history, other = learned.mlp_step(net, their_history, there, make(q), make(w))
        np.testing.assert_allclose(other.applied, effort.applied, **near)


def test_gradients_flow_through_the_delay():
    """The effort now depends on the command some steps ago, with the slope of the stiffness."""
    torch = pytest.importorskip("torch")
    bound = bind(sys.modules[laws.__name__], "torch", load("torch").ops)
    law = isaaclab.DelayedPD(stiffness=20.0, damping=0.0, max_delay=2)
    state = bound.reset_lags(bound.initial_lags(law, torch.zeros(1, 1)), torch.tensor([True]), torch.tensor([2]))
    first = torch.full((1, 1), 0.5, requires_grad=True)
    for target in (first, torch.zeros(1, 1), torch.zeros(1, 1)):
        state, effort = bound.delayed_pd_step(law, state, target, torch.zeros(1, 1), torch.zeros(1, 1))
    effort.applied.sum().backward()
    assert first.grad is not None and first.grad.item() == 20.0


# --- bad input


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: isaaclab.IdealPD(stiffness=-1.0, damping=0.0), r"IdealPD.stiffness = -1: .* at least 0"),
        (
            lambda: isaaclab.DelayedPD(stiffness=1.0, damping=0.0, min_delay=3, max_delay=2),
            "min_delay = 3: must not be above max_delay = 2",
        ),
        (lambda: isaaclab.DelayedPD(stiffness=1.0, damping=0.0, max_delay=2.5), "max_delay = 2.5: must be a whole"),
        (lambda: isaaclab.DCMotor(stiffness=1.0, damping=0.0, limit=20.0), r"DCMotor.limit = 20.0: must be DcClip"),
        (
            lambda: isaaclab.DCMotor(stiffness=1.0, damping=0.0, limit=LIMIT, corner_effort=9.0, four_quadrants=False),
            "corner_effort has an effect only with four_quadrants=True",
        ),
        (
            lambda: isaaclab.ActuatorNetMLP(
                network=rows_network, limit=LIMIT, input_idx=[0, -1], pos_scale=1.0, vel_scale=1.0, torque_scale=1.0
            ),
            r"input_idx = \[0, -1\]: must be whole numbers",
        ),
        (
            lambda: isaaclab.ActuatorNetMLP(
                network=rows_network,
                limit=LIMIT,
                input_idx=[0],
                pos_scale=math.inf,
                vel_scale=1.0,
                torque_scale=1.0,
            ),
            "pos_scale = inf: must be a finite number",
        ),
    ],
)
def test_wrong_models_get_one_sentence(make, sentence: str):
    """What cannot be is refused with its field, its value and the remedy."""
    with pytest.raises(ParameterError, match=sentence):
        make()
