"""Learned controllers: the networks equal PyTorch's, histories and states go on as in the simulators."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from learned_networks import bind_module, perceptron, place, recurrent, zeros
from long import some_now

import backemf as be
from backemf.actuator import network_laws as laws
from backemf.actuator.networks import ACTIVATIONS
from backemf.learned import Gru, LearnedMlp, LearnedRecurrent, Lstm, Mlp, learned_torque, memory_of
from backemf.tree import map_numbers

jax = pytest.importorskip("jax")
torch = pytest.importorskip("torch")

ENGINES = ("numpy", "jax", "torch")
TORCH_LAYERS = {
    "relu": torch.nn.ReLU,
    "elu": torch.nn.ELU,
    "tanh": torch.nn.Tanh,
    "softsign": torch.nn.Softsign,
    "sigmoid": torch.nn.Sigmoid,
    "leaky_relu": torch.nn.LeakyReLU,
    "gelu": torch.nn.GELU,
    "gelu_tanh": lambda: torch.nn.GELU(approximate="tanh"),
    "silu": torch.nn.SiLU,
    "identity": torch.nn.Identity,
}


@pytest.fixture(autouse=True)
def double():
    """JAX computes in double precision here."""
    with jax.enable_x64(True):
        yield


def values(rng, *shape) -> np.ndarray:
    return rng.normal(size=shape)


def as_numpy(x) -> np.ndarray:
    return x.detach().numpy() if isinstance(x, torch.Tensor) else np.asarray(x)


def on(engine: str, x: np.ndarray):
    return torch.as_tensor(x) if engine == "torch" else jax.numpy.asarray(x) if engine == "jax" else x


# --- the networks against PyTorch's


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_mlp_is_torchs(activation, engine):
    """Linear layers and activations in a row, over two axes in front, to 1e-12 of torch.nn.Sequential."""
    net = perceptron((6, 9, 7, 2), activation=activation, output_activation=activation)
    twin = torch.nn.Sequential()
    for weight, bias in zip(net.weights, net.biases, strict=True):
        linear = torch.nn.Linear(weight.shape[1], weight.shape[0], dtype=torch.float64)
        linear.load_state_dict({"weight": torch.as_tensor(weight), "bias": torch.as_tensor(bias)})
        twin.extend([linear, TORCH_LAYERS[activation]()])
    x = 3.0 * values(np.random.default_rng(1), 4, 5, 6)
    ours = bind_module(engine, laws).mlp(on(engine, x), place(net, engine))
    np.testing.assert_allclose(as_numpy(ours), as_numpy(twin(torch.as_tensor(x))), rtol=1e-12, atol=1e-12)


def torch_cells(net):
    kind = torch.nn.LSTM if isinstance(net, Lstm) else torch.nn.GRU
    cells = kind(net.input_size, net.hidden_size, num_layers=net.layers, dtype=torch.float64)
    names = {"weight_ih": "input_weights", "weight_hh": "hidden_weights", "bias_ih": "input_biases"}
    names["bias_hh"] = "hidden_biases"
    cells.load_state_dict(
        {f"{t}_l{k}": torch.as_tensor(getattr(net, o)[k]) for t, o in names.items() for k in range(net.layers)}
    )
    return cells


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("layers", (1, 3))
@pytest.mark.parametrize("kind", (Lstm, Gru))
def test_recurrent_steps_are_torchs(kind, layers, engine):
    """Ten steps of an LSTM or GRU from a random state, to 1e-12 of torch.nn's, outputs and states alike."""
    net, rng = recurrent(kind, layers=layers), np.random.default_rng(2)
    cells, n = torch_cells(net), net.hidden_size
    head = torch.as_tensor(net.head.weights[0]), torch.as_tensor(net.head.biases[0])
    x, start = values(rng, 10, 7, 2), values(rng, 2, layers, 7, n)
    state = tuple(torch.as_tensor(s) for s in start) if kind is Lstm else torch.as_tensor(start[0])
    y, state = cells(torch.as_tensor(x), state)
    expected = y @ head[0].T + head[1]
    memory = [on(engine, np.moveaxis(s, 0, 1).reshape(7, -1)) for s in (start if kind is Lstm else start[:1])]
    law, placed_net = bind_module(engine, laws), place(net, engine)
    for step in range(10):
        out, *memory = (law.lstm if kind is Lstm else law.gru)(on(engine, x[step]), *memory, placed_net)
        np.testing.assert_allclose(as_numpy(out), as_numpy(expected[step]), rtol=1e-12, atol=1e-12)
    for ours, theirs in zip(memory, state if kind is Lstm else (state,), strict=True):
        theirs = np.moveaxis(as_numpy(theirs), 0, 1).reshape(7, -1)
        np.testing.assert_allclose(as_numpy(ours), theirs, rtol=1e-12, atol=1e-12)


# --- what the network sees


def run(controller, errors, velocities, fresh, engine="numpy"):
    """Torques over time for arrays (steps, *batch)."""
    law, held = bind_module(engine), place(controller, engine)
    state = zeros(engine, memory_of(controller, errors.shape[1:]))
    torques = []
    for error, velocity, first in zip(errors, velocities, fresh, strict=True):
        changes, torque = law.learned_torque(
            held, state, on(engine, error), on(engine, velocity), on(engine, np.asarray(first))
        )
        state = SimpleNamespace(**changes)
        torques.append(as_numpy(torque))
    return np.stack(torques)


@pytest.mark.parametrize("reset", ("backfill", "zero"))
@pytest.mark.parametrize("order", ("position_velocity", "velocity_position"))
@pytest.mark.parametrize("stride", (1, 2))
@pytest.mark.parametrize("engine", ENGINES)
def test_history_is_newest_first_and_filled_after_a_reset(engine, stride, order, reset):
    """The input is [e(t), e(t-s), …] and [v(t), v(t-s), …], scaled; before a reset stands the first sample, or zero."""
    rng = np.random.default_rng(3)
    c = LearnedMlp(
        network=perceptron(), stride=stride, input_order=order, reset=reset, position_scale=-1.5, velocity_scale=0.3,
        torque_scale=4.0,
    )  # fmt: skip
    errors, velocities = values(rng, 2, 12, 3)
    fresh = np.zeros((12, 3), dtype=bool)
    fresh[0], fresh[7, 1] = True, True
    torques = run(c, errors, velocities, fresh, engine)

    def before(samples, step, motor, age):
        begin = 7 if motor == 1 and step >= 7 else 0
        if step - age >= begin:
            return samples[step - age, motor]
        return samples[begin, motor] if reset == "backfill" else 0.0

    for step in range(12):
        for motor in range(3):
            e = [-1.5 * before(errors, step, motor, age * stride) for age in range(3)]
            v = [0.3 * before(velocities, step, motor, age * stride) for age in range(3)]
            x = np.array(e + v if order == "position_velocity" else v + e)
            assert torques[step, motor] == pytest.approx(4.0 * laws.mlp(x, c.network)[0], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("kind", (Lstm, Gru))
def test_a_reset_motor_starts_from_a_zero_state(kind):
    """After a reset a motor repeats its first steps, even where its state was no number; the others go on."""
    c = LearnedRecurrent(network=recurrent(kind), torque_scale=2.0)
    inputs = values(np.random.default_rng(4), 2, 5, 1)
    errors, velocities = (np.concatenate([x, x]) * np.ones((10, 2)) for x in inputs)
    fresh = np.zeros((10, 2), dtype=bool)
    fresh[0], fresh[5, 0] = True, True
    torques = run(c, errors, velocities, fresh)
    np.testing.assert_array_equal(torques[5:, 0], torques[:5, 0])
    assert (np.abs(torques[5:, 1] - torques[:5, 1]) > 1e-6).all()
    lost = SimpleNamespace(**{name: np.full(shape, np.nan) for name, shape in memory_of(c, (2,)).items()})
    _, torque = learned_torque(c, lost, errors[0], velocities[0], np.array([True, False]))
    assert torque[0] == torques[0, 0] and np.isnan(torque[1])


@pytest.mark.parametrize(
    "controller",
    (
        LearnedMlp(network=perceptron()),
        LearnedRecurrent(network=recurrent(Lstm)),
        LearnedRecurrent(network=recurrent(Gru)),
    ),
    ids=("mlp", "lstm", "gru"),
)
def test_one_motor_on_plain_floats_is_the_same(controller):
    """The python engine gives NumPy's torques."""
    errors, velocities = values(np.random.default_rng(5), 2, 8)
    fresh = [step in (0, 4) for step in range(8)]
    expected = run(controller, errors, velocities, fresh)
    law, state = bind_module("python"), zeros("python", memory_of(controller, ()))
    for step in range(8):
        changes, torque = law.learned_torque(
            controller, state, float(errors[step]), float(velocities[step]), fresh[step]
        )
        state = SimpleNamespace(**changes)
        assert float(torque) == pytest.approx(expected[step], rel=1e-13)


def test_scales_may_differ_by_joint():
    """A scale with one value per joint acts on its joint."""
    net = perceptron()
    each = [LearnedMlp(network=net, position_scale=s, torque_scale=10 * s) for s in (0.5, 2.0)]
    both = LearnedMlp(network=net, position_scale=np.array([0.5, 2.0]), torque_scale=np.array([5.0, 20.0]))
    errors, velocities = values(np.random.default_rng(6), 2, 4, 3, 2)
    fresh = [True, False, False, False]
    together = run(both, errors, velocities, fresh)
    for joint, one in enumerate(each):
        alone = run(one, errors[:, :, joint], velocities[:, :, joint], fresh)
        np.testing.assert_allclose(together[:, :, joint], alone, rtol=1e-12)


# --- gradients


@pytest.mark.parametrize(
    "controller",
    some_now(
        (
            LearnedMlp(network=perceptron(activation="elu")),
            LearnedMlp(network=perceptron(activation="tanh"), reset="zero"),
            LearnedRecurrent(network=recurrent(Lstm)),
            LearnedRecurrent(network=recurrent(Gru)),
        ),
        lambda controller: isinstance(controller, LearnedMlp),
    ),
    ids=("mlp", "mlp zero", "lstm", "gru"),
)
def test_gradients_through_the_past_are_finite_differences(controller):
    """d(sum of torques)/d(error at each step), through histories and states, in JAX and PyTorch."""
    rng = np.random.default_rng(7)
    errors, velocities = values(rng, 2, 6, 2)
    fresh = np.zeros((6, 2), dtype=bool)
    fresh[0], fresh[3, 1] = True, True
    weights = values(rng, 6, 2)

    def cost(e, engine):
        law, held = bind_module(engine), place(controller, engine)
        state, total = zeros(engine, memory_of(controller, (2,))), 0.0
        for step in range(6):
            first = on(engine, fresh[step])
            changes, torque = law.learned_torque(held, state, e[step], on(engine, velocities[step]), first)
            state, total = SimpleNamespace(**changes), total + (on(engine, weights[step]) * torque).sum()
        return total

    numeric = np.zeros_like(errors)
    for index in np.ndindex(errors.shape):
        step = np.zeros_like(errors)
        step[index] = 1e-6
        numeric[index] = (cost(errors + step, "numpy") - cost(errors - step, "numpy")) / 2e-6
    assert np.abs(numeric).min() > 1e-4
    in_jax = jax.grad(lambda e: cost(e, "jax"))(jax.numpy.asarray(errors))
    np.testing.assert_allclose(in_jax, numeric, rtol=1e-6, atol=1e-7)
    leaf = torch.as_tensor(errors).requires_grad_()
    cost(leaf, "torch").backward()
    np.testing.assert_allclose(leaf.grad.numpy(), numeric, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_gradients_are_finite_far_out(activation):
    """Sums of ±1000 overflow no exponential, neither in the answer nor in its gradient."""
    slopes = jax.vmap(jax.grad(lambda x: bind_module("jax", laws).activate(x, activation)))
    assert np.isfinite(slopes(jax.numpy.array([-1e3, -1.0, 0.0, 1.0, 1e3]))).all()


def test_weights_have_gradients_under_jit():
    """A controller is a tree to JAX: its weights are leaves, its words and counts are structure."""
    c = LearnedMlp(network=perceptron())
    leaves = jax.tree.leaves(c)
    assert len(leaves) == 6 + 3
    state = zeros("jax", memory_of(c, (4,)))
    ones = jax.numpy.ones(4)
    slope = jax.jit(jax.grad(lambda held: bind_module("jax").learned_torque(held, state, ones, ones, True)[1].sum()))(c)
    assert isinstance(slope, LearnedMlp) and slope.network.weights[0].shape == (8, 6)
    assert np.abs(slope.network.weights[0]).max() > 0


def test_torch_compiles_one_graph():
    """torch.compile takes the law without a break."""
    c = place(LearnedMlp(network=perceptron()), "torch")
    law = bind_module("torch")
    shape = memory_of(c, (3,))

    def step(errors, velocities, error, velocity, fresh):
        state = be.State(error_history=errors, velocity_history=velocities)
        changes, torque = law.learned_torque(c, state, error, velocity, fresh)
        return changes["error_history"], torque

    arguments = [torch.zeros(shape["error_history"], dtype=torch.float64)] * 2
    arguments += [torch.ones(3, dtype=torch.float64)] * 2 + [torch.tensor([True, False, True])]
    compiled = torch.compile(step, fullgraph=True, backend="eager")
    for ours, theirs in zip(compiled(*arguments), step(*arguments), strict=True):
        torch.testing.assert_close(ours, theirs)


# --- what cannot be


@pytest.mark.parametrize(
    ("make", "words"),
    (
        (lambda: LearnedMlp(network=perceptron(), history=4), "takes 6 inputs, history=4 gives 8: give history=3"),
        (lambda: LearnedMlp(network=perceptron((5, 4, 1))), "takes 5 inputs, history=3 gives 6: it must take an even"),
        (lambda: LearnedMlp(network=perceptron((6, 4, 2))), "has 2 outputs: it must have one"),
        (lambda: LearnedMlp(network=perceptron(), history=0), "LearnedMlp.history = 0: must be a whole number"),
        (lambda: LearnedMlp(network=perceptron(), stride=1.5), "LearnedMlp.stride = 1.5: must be a whole number"),
        (lambda: LearnedMlp(network=perceptron(), reset="none"), "reset = 'none': must be one of backfill, zero"),
        (lambda: LearnedMlp(network=perceptron(), input_order="pos"), "input_order = 'pos': must be one of"),
        (lambda: LearnedMlp(network=perceptron(), torque_scale=np.nan), "torque_scale = nan: must be a finite"),
        (lambda: LearnedMlp(network=recurrent(Lstm)), r"LearnedMlp.network = Lstm\(...\): must be Mlp"),
        (lambda: LearnedMlp(network="net.pt"), "LearnedMlp.network = 'net.pt': must be Mlp"),
        (lambda: LearnedRecurrent(network=perceptron()), r"network = Mlp\(...\): must be Lstm or Gru"),
        (lambda: LearnedRecurrent(network=recurrent(Gru, inputs=3)), "takes 3 inputs: it must take 2"),
        (lambda: perceptron(activation="swish"), "Mlp.activation = 'swish': must be one of relu"),
        (lambda: Mlp(weights=(np.ones((2, 3)),), biases=()), "biases: must be a tuple of arrays"),
        (lambda: Mlp(weights=(np.ones((2, 3)),) * 2, biases=(np.ones(2),) * 2), r"weights\[1\] has the shape \(2, 3\)"),
        (lambda: Mlp(weights=(np.ones((2, 3)),), biases=(np.ones(3),)), r"biases\[0\] has the shape \(3,\)"),
        (lambda: Mlp(weights=(np.ones(3),), biases=(np.ones(3),)), r"weights\[0\] has the shape \(3,\): must have 2"),
        (lambda: Mlp(weights=([["a"]],), biases=(np.ones(1),)), r"weights\[0\]: must be an array of numbers"),
        (lambda: Mlp(weights=([[np.inf]],), biases=(np.ones(1),)), r"weights\[0\] holds inf at \(0, 0\)"),
        (lambda: Mlp(weights=3.0, biases=(np.ones(1),)), "weights: must be a tuple of arrays, one per layer"),
        (lambda: recurrent(Lstm, head=perceptron((4, 1))), r"head.weights\[0\] has the shape \(1, 4\)"),
        (lambda: recurrent(Gru, head=1.0), "Gru.head = 1.0: must be Mlp"),
    ),
)  # fmt: skip
def test_what_cannot_be_is_said_in_one_sentence(make, words):
    """Shapes that do not fit, words that do not exist and numbers that are none are refused by name."""
    with pytest.raises(be.ParameterError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_a_recurrent_network_checks_every_layer():
    """A layer whose arrays have another width is named."""
    net = recurrent(Lstm)
    wrong = (net.hidden_weights[0], np.ones((20, 4)))
    with pytest.raises(be.ParameterError, match=r"hidden_weights\[1\] has the shape \(20, 4\)"):
        Lstm(
            input_weights=net.input_weights, hidden_weights=wrong, input_biases=net.input_biases,
            hidden_biases=net.hidden_biases, head=net.head,
        )  # fmt: skip


def test_weights_are_tables_to_the_batch():
    """A network's arrays do not count as one number per motor, and every one of them is mapped."""
    from backemf.tree import numbers

    c = LearnedMlp(network=perceptron())
    assert [name for name, _ in numbers(c)] == ["position_scale", "velocity_scale", "torque_scale"]
    doubled = map_numbers(c, lambda x: 2 * x)
    assert doubled.history == 3
    np.testing.assert_array_equal(doubled.network.weights[1], 2 * c.network.weights[1])
