"""Activations of each layer, their parameters, and layer norms: read from every format, run by every engine."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from learned_networks import bind_module, norm, perceptron, place

import backemf as be
from backemf.actuator import network_laws as laws
from backemf.learned import LayerNorm, LearnedMlp, load_network, save_network

jax = pytest.importorskip("jax")
torch = pytest.importorskip("torch")
pytest.importorskip("onnx")
nn = torch.nn
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

MODULES = {
    "mixed": lambda: nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 4), nn.ReLU(), nn.Linear(4, 1)),
    "elu(0.5)": lambda: nn.Sequential(nn.Linear(6, 5), nn.ELU(0.5), nn.Linear(5, 1)),
    "two elus": lambda: nn.Sequential(nn.Linear(6, 5), nn.ELU(0.7), nn.Linear(5, 5), nn.ELU(1.3), nn.Linear(5, 1)),
    "leaky_relu(0.2)": lambda: nn.Sequential(nn.Linear(6, 5), nn.LeakyReLU(0.2), nn.Linear(5, 1)),
    "norm before": lambda: nn.Sequential(nn.Linear(6, 5), nn.LayerNorm(5), nn.SiLU(), nn.Linear(5, 1)),
    "norm behind": lambda: nn.Sequential(nn.Linear(6, 5), nn.ELU(0.5), nn.LayerNorm(5), nn.Linear(5, 1)),
    "norm on the input": lambda: nn.Sequential(nn.LayerNorm(6), nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 1)),
    "norm without weights": lambda: nn.Sequential(
        nn.Linear(6, 5), nn.LayerNorm(5, elementwise_affine=False), nn.Tanh(), nn.Linear(5, 1)
    ),
    "norm without bias": lambda: nn.Sequential(
        nn.Linear(6, 5), nn.LayerNorm(5, bias=False), nn.Tanh(), nn.Linear(5, 1)
    ),
    "norms everywhere, epsilon 0.1": lambda: nn.Sequential(
        nn.Linear(6, 5), nn.LayerNorm(5, eps=0.1), nn.GELU(), nn.LayerNorm(5, eps=0.1), nn.Linear(5, 4),
        nn.LayerNorm(4, eps=0.2), nn.Softsign(), nn.Linear(4, 1), nn.Tanh(),
    ),
}  # fmt: skip


def make_module(name: str, seed: int = 0) -> nn.Module:
    """A module with weights and biases that are all different."""
    torch.manual_seed(seed)
    module = MODULES[name]()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn_like(parameter))
    return module.eval()


def export_onnx(opset: int):
    def write(module, path):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(module, (torch.randn(3, 6),), str(path), dynamo=False, opset_version=opset)

    return write


FORMATS = {
    "scripted.pt": lambda module, path: torch.jit.script(module).save(str(path)),
    "traced.pt": lambda module, path: torch.jit.trace(module, torch.randn(3, 6)).save(str(path)),
    "frozen.pt": lambda module, path: torch.jit.freeze(torch.jit.script(module)).save(str(path)),
    "opset13.onnx": export_onnx(13),
    "opset17.onnx": export_onnx(17),
}


@pytest.mark.parametrize("file", FORMATS)
@pytest.mark.parametrize("name", MODULES)
def test_every_format_gives_the_modules_answers(name, file, tmp_path):
    """What is read without PyTorch gives PyTorch's answers to single precision."""
    module = make_module(name)
    FORMATS[file](module, tmp_path / file)
    network = load_network(tmp_path / file)
    x = 2.0 * torch.randn(50, 6)
    theirs = module(x).detach().numpy()
    np.testing.assert_allclose(laws.mlp(x.double().numpy(), network), theirs, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("suffix", (".pt", ".onnx", ".safetensors"))
@pytest.mark.parametrize("name", MODULES)
def test_our_own_files_keep_them(name, suffix, tmp_path):
    """Words, weights and epsilons come back as they were."""
    torch.jit.script(make_module(name)).save(str(tmp_path / "theirs.pt"))
    network = load_network(tmp_path / "theirs.pt")
    again = load_network(save_network(network, tmp_path / f"ours{suffix}", precision="float64"))
    assert again.activations == network.activations
    for a, b in zip(network.norms, again.norms, strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            np.testing.assert_array_equal(a.weight, b.weight)
            assert b.epsilon == pytest.approx(a.epsilon, rel=1e-6)
    x = np.random.default_rng(0).normal(size=(20, 6))
    np.testing.assert_allclose(laws.mlp(x, again), laws.mlp(x, network), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("engine", ("numpy", "jax", "torch"))
@pytest.mark.parametrize("name", MODULES)
def test_every_engine_gives_pytorchs_numbers(name, engine, tmp_path):
    """In double precision the law is torch.nn's to 1e-12 on every engine that runs networks."""
    module = make_module(name).double()
    torch.jit.script(module).save(str(tmp_path / "net.pt"))
    network = load_network(tmp_path / "net.pt")
    x = 3.0 * np.random.default_rng(1).normal(size=(4, 5, 6))
    with jax.enable_x64(True):
        given = {"numpy": np.asarray, "jax": jax.numpy.asarray, "torch": torch.as_tensor}[engine](x)
        ours = np.asarray(bind_module(engine, laws).mlp(given, place(network, engine)))
    np.testing.assert_allclose(ours, module(torch.as_tensor(x)).detach().numpy(), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("engine", ("numpy", "python", "jax", "torch"))
def test_a_compiled_actuator_runs_them(engine, tmp_path):
    """Compiled into an actuator, a network with norms and mixed activations gives the torque of torch.nn."""
    module = make_module("norms everywhere, epsilon 0.1").double()
    torch.jit.script(module).save(str(tmp_path / "net.pt"))
    controller = LearnedMlp(network=load_network(tmp_path / "net.pt"), torque_scale=3.0)
    step = be.Actuator(controller=controller).compile(engine)
    batch = () if engine == "python" else (2,)
    shape = np.zeros(batch)
    like = {"numpy": np.asarray, "python": float, "jax": jax.numpy.asarray, "torch": torch.as_tensor}[engine]
    state = step.initial(batch)
    _, out = step(state, like(shape + 0.4), like(shape + 0.1), like(shape - 0.7), 1e-3)
    seen = torch.tensor([[0.3] * 3 + [-0.7] * 3], dtype=torch.float64)
    expected = 3.0 * module(seen).item()
    np.testing.assert_allclose(np.asarray(out.torque, dtype=float), expected, rtol=1e-5)


def test_torch_compiles_one_graph_of_them():
    """torch.compile takes norms and parameters without a break."""
    net = place(perceptron(activation=("elu(0.5)", "leaky_relu(0.2)"), norms=(norm(8), None, None)), "torch")
    law = bind_module("torch", laws)
    x = torch.randn(3, 6, dtype=torch.float64)
    compiled = torch.compile(lambda rows: law.mlp(rows, net), fullgraph=True, backend="eager")
    torch.testing.assert_close(compiled(x), law.mlp(x, net))


def test_norms_and_activations_have_gradients():
    """JAX's slopes are differences of the answers, through norms and every parameter's activation."""
    net = perceptron(activation=("elu(0.5)", "leaky_relu(0.2)"), norms=(norm(8), norm(8, 1), None))
    with jax.enable_x64(True):
        law, x = bind_module("jax", laws), np.random.default_rng(0).normal(size=6)
        slope = jax.grad(lambda row: law.mlp(row, net)[0])(jax.numpy.asarray(x))
        for index in range(6):
            step = np.zeros(6)
            step[index] = 1e-6
            difference = (laws.mlp(x + step, net) - laws.mlp(x - step, net))[0] / 2e-6
            assert slope[index] == pytest.approx(difference, rel=1e-5, abs=1e-7)
        leaves = jax.tree.leaves(net)
    assert len(leaves) == 6 + 2 * 3


def test_the_same_activation_everywhere_is_one_word():
    """A tuple of equal words is the word itself, and the usual parameter is left out."""
    assert perceptron(activation=("elu", "elu(1)")).activation == "elu"
    assert perceptron(activation=("elu(0.50)", "elu(5e-1)")).activation == "elu(0.5)"
    assert perceptron(activation=["tanh", "leaky_relu(0.01)"]).activations == ("tanh", "leaky_relu", "identity")


@pytest.mark.parametrize(
    ("make", "words"),
    (
        (lambda: perceptron(activation=("elu",)), r"Mlp.activation has 1 names: give one, or one for each of 2 hidden"),
        (lambda: perceptron(activation=("elu", "swish")), r"Mlp.activation\[1\] = 'swish': must be one of relu"),
        (lambda: perceptron(activation="tanh(2)"), r"Mlp.activation = 'tanh\(2\)': must be one of"),
        (lambda: perceptron(activation="elu(x)"), r"'elu\(x\)': its parameter must be a finite number"),
        (lambda: perceptron(activation="elu(inf)"), r"'elu\(inf\)': its parameter must be a finite number"),
        (lambda: perceptron(activation=3.0), "Mlp.activation = 3.0: must be one of"),
        (lambda: perceptron(norms=(None,)), "Mlp.norms: must be a tuple with a LayerNorm or None for each of 3"),
        (lambda: perceptron(norms=(1.0, None, None)), r"Mlp.norms\[0\] = 1.0: must be a LayerNorm or None"),
        (lambda: perceptron(norms=(norm(7), None, None)), r"norms\[0\].weight has the shape \(7,\)"),
        (lambda: LayerNorm(weight=np.ones((2, 2)), bias=np.ones(2)), r"LayerNorm.weight has the shape \(2, 2\)"),
        (lambda: LayerNorm(weight=np.ones(2), bias=np.ones(3)), r"LayerNorm.bias has the shape \(3,\)"),
        (lambda: LayerNorm(weight=[np.nan], bias=[1.0]), r"LayerNorm.weight holds nan at \(0,\)"),
        (lambda: LayerNorm(weight=[1.0], bias=[1.0], epsilon=-1.0), "LayerNorm.epsilon = -1"),
        (lambda: LayerNorm(weight=[1.0], bias=[1.0], epsilon=np.ones(2)), "LayerNorm.epsilon has several values"),
    ),
)
def test_layers_that_cannot_be_are_said(make, words):
    """Names, counts and shapes."""
    with pytest.raises(be.ParameterError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)


# --- state dicts


def write_arrays(state, path):
    """A safetensors file of arrays sorted by name, as its package writes it."""
    header, blocks, end = {"__metadata__": {"format": "pt"}}, [], 0
    for name in sorted(state):
        values = state[name].numpy()
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": [end, end + values.nbytes]}
        blocks.append(values.tobytes())
        end += values.nbytes
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(blocks))


def read_arrays(path):
    """The arrays of a safetensors file, read as its specification says."""
    content = path.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    assert (start - 8) % 8 == 0 and all(isinstance(text, str) for text in header.pop("__metadata__").values())
    kinds = {"F32": np.float32, "F64": np.float64}
    return {
        name: np.frombuffer(content[start + e["data_offsets"][0] : start + e["data_offsets"][1]], kinds[e["dtype"]])
        .reshape(e["shape"]) for name, e in header.items()
    }  # fmt: skip


@pytest.mark.parametrize("suffix", (".pt", ".safetensors"))
def test_a_state_dict_is_read_with_its_activation_given(suffix, tmp_path):
    """Arrays by name say all but what follows each layer; more than nine layers stay in order."""
    torch.manual_seed(0)
    layers = [part for k in range(11) for part in (nn.Linear(6 if k == 0 else 5, 5), nn.ELU(0.5))]
    module = nn.Sequential(*layers, nn.Linear(5, 1))
    path = tmp_path / f"net{suffix}"
    state = module.state_dict()
    if suffix == ".pt":
        torch.save(state, path)
    else:
        write_arrays(state, path)
    with pytest.raises(be.ParameterError, match="not what follows each layer: give activation="):
        load_network(path)
    network = load_network(path, activation="elu(0.5)")
    x = torch.randn(7, 6)
    theirs = module(x).detach().numpy()
    np.testing.assert_allclose(laws.mlp(x.double().numpy(), network), theirs, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("kind", (nn.LSTM, nn.GRU))
def test_a_recurrent_state_dict_is_read(kind, tmp_path):
    """Gates are told apart by their number."""

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.rnn, self.out = kind(2, 5, 2), nn.Linear(5, 1)

    module = Net()
    torch.save({"model_state_dict": module.state_dict(), "epoch": 3}, tmp_path / "net.pt")
    network = load_network(tmp_path / "net.pt")
    assert type(network).__name__.upper() == kind.__name__ and network.layers == 2
    np.testing.assert_array_equal(network.input_weights[1], module.rnn.weight_ih_l1.detach().numpy())


@pytest.mark.parametrize(
    ("state", "words"),
    (
        ({"fc.weight": (1, 6), "fc.bias": (1,), "std": (1,)}, "has an array 'std'"),
        ({"a.weight": (4, 6), "b.weight": (1, 5)}, r"has the shape \(1, 5\)"),
        ({"0.weight": (4, 6), "1.weight": (4,), "2.weight": (1, 4)}, "does not say whether before or behind"),
        ({"0.weight": (4, 3, 3)}, r"of the shape \(4, 3, 3\): no layer of an MLP"),
        ({"l.weight_ih_l0": (7, 2), "l.weight_hh_l0": (7, 5), "h.weight": (1, 5)}, "neither an LSTM's nor a GRU's"),
        ({"l.weight_ih_l0_reverse": (20, 2), "h.weight": (1, 5)}, "must go one way"),
        ({"bias": (1,)}, "has an array 'bias'"),
        ({}, "has no linear layer"),
    ),
)
def test_state_dicts_that_are_no_network_are_said(state, words, tmp_path):
    """One sentence names the array."""
    torch.save({name: torch.ones(shape) for name, shape in state.items()}, tmp_path / "net.pt")
    with pytest.raises(be.ParameterError, match=words) as caught:
        load_network(tmp_path / "net.pt", activation="elu")
    assert str(tmp_path) in str(caught.value) and "\n" not in str(caught.value)


def test_layers_whose_names_have_no_order_are_said(tmp_path):
    """safetensors files are sorted by name, which is no order of layers."""
    write_arrays({"out.weight": torch.ones(1, 4), "in.weight": torch.ones(4, 6)}, tmp_path / "net.safetensors")
    with pytest.raises(be.ParameterError, match="names do not say their order, number them"):
        load_network(tmp_path / "net.safetensors", activation="elu")


def test_an_activation_that_the_file_says_itself_is_not_given(tmp_path):
    """Two words for one thing could contradict each other."""
    for suffix in (".pt", ".onnx", ".safetensors"):
        path = save_network(perceptron(), tmp_path / f"net{suffix}")
        with pytest.raises(be.ParameterError, match="names its activations itself: leave activation out"):
            load_network(path, activation="elu")


def test_our_safetensors_files_have_pytorchs_names(tmp_path):
    """Any reader finds the arrays as in a state dict, a norm behind its layer."""
    network = perceptron(norms=(norm(8), None, None))
    found = read_arrays(save_network(network, tmp_path / "net.safetensors", precision="float64"))
    assert set(found) == {f"{layer}.{leaf}" for layer in range(4) for leaf in ("bias", "weight")}
    np.testing.assert_array_equal(found["1.weight"], network.norms[0].weight)
    np.testing.assert_array_equal(found["3.weight"], network.weights[2])
