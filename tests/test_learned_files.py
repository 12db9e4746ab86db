"""Network files: TorchScript and ONNX are read, written, and refused with a reason."""

from __future__ import annotations

import io
import pickle
import sys
import zipfile
from typing import Tuple  # noqa: UP035  TorchScript reads annotations as they are

import numpy as np
import pytest
from learned_networks import arrays, norm, perceptron, recurrent

import backemf as be
from backemf.actuator import network_laws as laws
from backemf.actuator.networks import ACTIVATIONS
from backemf.learned import (
    Gru,
    LearnedMlp,
    LearnedRecurrent,
    Lstm,
    Mlp,
    load_learned,
    load_network,
    save_network,
)

torch = pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")
nn, F = torch.nn, torch.nn.functional
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

NETWORKS = {
    **{name: perceptron(activation=name) for name in ACTIVATIONS if name != "identity"},
    "mixed": perceptron(activation=("elu(0.5)", "leaky_relu(0.2)")),
    "layer norms": perceptron((6, 8, 7, 1), activation=("elu", "tanh"), norms=(norm(8), norm(7, 2), None)),
    "layer norm at the end": perceptron((6, 3), activation="identity", norms=(norm(3),)),
    "layer norm on the input": perceptron((6, 6, 4, 1), activation=("identity", "silu"), norms=(norm(6), None, None)),
    "one layer": perceptron((6, 1), activation="identity"),
    "tanh at the end": perceptron((6, 8, 1), activation="relu", output_activation="tanh"),
    "lstm": recurrent(Lstm, layers=1),
    "lstm, two layers, deep head": recurrent(Lstm, head=perceptron((5, 4, 1), activation="elu")),
    "gru": recurrent(Gru, layers=1),
    "gru, three layers": recurrent(Gru, layers=3),
    "gru, head with a norm": recurrent(Gru, head=perceptron((5, 4, 1), activation="elu(2.0)", norms=(norm(4), None))),
}


def words(network) -> tuple:
    head = getattr(network, "head", network)
    return type(network), head.activation, head.output_activation


# --- round trips


@pytest.mark.parametrize("suffix", (".pt", ".onnx", ".safetensors"))
@pytest.mark.parametrize("network", NETWORKS.values(), ids=NETWORKS.keys())
def test_a_written_network_is_read_back(network, suffix, tmp_path):
    """In double precision every weight comes back as it was, gates in their places."""
    read = load_network(save_network(network, tmp_path / f"net{suffix}", precision="float64"))
    assert type(read) is type(network)
    for ours, theirs in zip(arrays(network), arrays(read), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    if len(getattr(network, "head", network).weights) > 1:
        assert words(read) == words(network)


def test_single_precision_is_the_rule(tmp_path):
    """mjlab and Isaac Lab feed float32, so that is what is written; weights lose no more than its rounding."""
    network = perceptron()
    read = load_network(save_network(network, tmp_path / "net.pt"))
    for ours, theirs in zip(arrays(network), arrays(read), strict=True):
        np.testing.assert_array_equal(ours.astype(np.float32), theirs.astype(np.float32))
        assert np.abs(ours - theirs).max() > 0


def test_a_written_mlp_runs_as_mjlab_runs_it(tmp_path):
    """torch.jit.load, eval and a call with (n, inputs) give (n, 1)."""
    network = perceptron()
    module = torch.jit.load(str(save_network(network, tmp_path / "net.pt")), map_location="cpu")
    x = np.random.default_rng(0).normal(size=(5, 6))
    with torch.inference_mode():
        out = module.eval()(torch.as_tensor(x, dtype=torch.float32))
    np.testing.assert_allclose(out.numpy(), laws.mlp(x, network), rtol=1e-4, atol=1e-4)


def test_a_written_lstm_runs_as_isaac_lab_runs_it(tmp_path):
    """Its `lstm` tells layers and width by its state dict; a call with (input, (hidden, cell)) steps it."""
    network = recurrent(Lstm, layers=2, size=5)
    module = torch.jit.load(str(save_network(network, tmp_path / "net.pt")))
    state = module.lstm.state_dict()
    assert len(state) // 4 == 2 and state["weight_hh_l0"].shape[1] == 5
    rng = np.random.default_rng(0)
    x, hidden, cell = rng.normal(size=(3, 2)), rng.normal(size=(2, 3, 5)), rng.normal(size=(2, 3, 5))
    tensors = [torch.as_tensor(v, dtype=torch.float32) for v in (x[:, None, :], hidden, cell)]
    torque, (h, c) = module(tensors[0], (tensors[1], tensors[2]))
    flat = [np.moveaxis(v, 0, 1).reshape(3, -1) for v in (hidden, cell)]
    for ours, theirs in zip(laws.lstm(x, *flat, network), (torque, h, c), strict=True):
        theirs = theirs.detach().numpy()
        theirs = np.moveaxis(theirs, 0, 1).reshape(3, -1) if theirs.ndim == 3 else theirs
        np.testing.assert_allclose(theirs, ours, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", (Lstm, Gru))
def test_a_written_recurrent_onnx_gives_torque_and_states(kind, tmp_path):
    """(input (1, n, 2), hidden, cell) -> torque (n, 1), next_hidden, next_cell, run by the onnx package."""
    network = recurrent(kind, layers=2, size=5)
    path = save_network(network, tmp_path / "net.onnx", precision="float64")
    import onnx.reference

    session = onnx.reference.ReferenceEvaluator(str(path))
    rng = np.random.default_rng(0)
    x, states = rng.normal(size=(3, 2)), rng.normal(size=(2, 2, 3, 5))
    feeds = {"input": x[None], "hidden": states[0], "cell": states[1]}
    answers = session.run(None, {name: feeds[name] for name in session.input_names})
    flat = [np.moveaxis(v, 0, 1).reshape(3, -1) for v in states]
    ours = laws.lstm(x, *flat, network) if kind is Lstm else laws.gru(x, flat[0], network)
    assert answers[0].shape == (3, 1)
    for mine, theirs in zip(ours, answers, strict=True):
        theirs = np.moveaxis(theirs, 0, 1).reshape(3, -1) if theirs.ndim == 3 else theirs
        np.testing.assert_allclose(theirs, mine, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    ("controller", "suffix"),
    (
        *((
            LearnedMlp(
                network=perceptron(), stride=2, position_scale=-1.5, velocity_scale=0.2, torque_scale=30.0,
                input_order="velocity_position", reset="zero",
            ), suffix) for suffix in (".pt", ".onnx", ".safetensors")),
        (LearnedRecurrent(network=recurrent(Gru), position_scale=2.0, torque_scale=7.0), ".safetensors"),
    ),
    ids=("mlp .pt", "mlp .onnx", "mlp .safetensors", "gru .safetensors"),
)  # fmt: skip
def test_a_controller_comes_back_with_its_scales(controller, suffix, tmp_path):
    """What the network alone does not say travels in the file's metadata; a name given by hand goes before it."""
    path = save_network(controller, tmp_path / f"net{suffix}")
    read = load_learned(path)
    for name in ("position_scale", "velocity_scale", "torque_scale", "input_order", "history", "stride", "reset"):
        assert getattr(read, name, None) == getattr(controller, name, None)
    assert load_learned(path, torque_scale=1.0).torque_scale == 1.0


def test_metadata_is_in_newtons_words(tmp_path):
    """pos_scale, vel_scale, effort_scale, input_order and input_idx, where Newton looks for them."""
    c = LearnedMlp(network=perceptron(), stride=2, position_scale=-1.5, torque_scale=30.0)
    model = onnx.load(str(save_network(c, tmp_path / "net.onnx")))
    found = {entry.key: entry.value for entry in model.metadata_props}
    assert float(found["pos_scale"]) == -1.5 and float(found["effort_scale"]) == 30.0
    assert found["input_order"] == "pos_vel" and found["input_idx"] == "[0, 2, 4]"


# --- TorchScript that others write


class Functional(nn.Module):
    """Activations as functions, and one that a word of the file chooses."""

    def __init__(self, name: str):
        super().__init__()
        self.first, self.second, self.last = nn.Linear(6, 8), nn.Linear(8, 8), nn.Linear(8, 1)
        self.name = name

    def forward(self, x):
        x = F.softsign(self.first(x))
        y = self.second(x)
        if self.name == "relu":  # noqa: SIM108  TorchScript keeps the branch
            y = F.relu(y)
        else:
            y = F.softsign(y)
        return self.last(y)


class Scaled(nn.Module):
    """An LSTM between fixed scales, as in the ANYdrive network."""

    def __init__(self):
        super().__init__()
        self.register_buffer("in_scale", torch.tensor([[[2.0, 0.1]]]))
        self.register_buffer("out_scale", torch.tensor([30.0]))
        self.lstm, self.linear = nn.LSTM(2, 8, 2, batch_first=True), nn.Linear(8, 1)

    def forward(self, x, hc0: Tuple[torch.Tensor, torch.Tensor]):  # noqa: UP006
        y, hcn = self.lstm(x * self.in_scale, hc0)
        return self.out_scale * self.linear(y).squeeze(), hcn


class Bounded(nn.Module):
    """A GRU whose torque is bounded by tanh and scaled."""

    def __init__(self):
        super().__init__()
        self.gru, self.linear = nn.GRU(2, 6), nn.Linear(6, 1)

    def forward(self, x, h):
        _, h = self.gru(x, h)
        return 5.0 * torch.tanh(self.linear(h[-1])), h


def save_script(module: nn.Module, path, *example) -> str:
    """A module saved as TorchScript, traced where there is an example."""
    compiled = torch.jit.trace(module.eval(), example) if example else torch.jit.script(module.eval())
    compiled.save(str(path))
    return str(path)


@pytest.mark.parametrize("traced", (False, True))
def test_activations_as_functions_are_found(traced, tmp_path):
    """softsign written out, and a branch that a word of the file decides."""
    module = Functional("softsign")
    example = (torch.randn(3, 6),) if traced else ()
    network = load_network(save_script(module, tmp_path / "net.pt", *example))
    assert isinstance(network, Mlp) and network.activation == "softsign"
    x = torch.randn(4, 6)
    np.testing.assert_allclose(laws.mlp(x.double().numpy(), network), module(x).detach(), rtol=1e-4, atol=1e-5)


def test_scales_in_the_network_are_folded_into_its_weights(tmp_path):
    """Ten steps of the ANYdrive kind of LSTM."""
    module = Scaled()
    network = load_network(save_script(module, tmp_path / "net.pt"))
    assert isinstance(network, Lstm) and network.layers == 2
    hidden = cell = np.zeros((1, 16))
    state = (torch.zeros(2, 1, 8), torch.zeros(2, 1, 8))
    for _ in range(10):
        x = torch.randn(1, 1, 2)
        torque, state = module(x, state)
        ours, hidden, cell = laws.lstm(x[0].double().numpy(), hidden, cell, network)
        np.testing.assert_allclose(ours.item(), torque.item(), rtol=1e-4, atol=1e-4)


def test_a_bounded_gru_is_read(tmp_path):
    """tanh and a factor behind the head become a layer of it; the head may read the hidden state."""
    module = Bounded()
    network = load_network(save_script(module, tmp_path / "net.pt"))
    assert isinstance(network, Gru)
    x = torch.randn(1, 7, 2)
    ours, _ = laws.gru(x[0].double().numpy(), np.zeros((7, 6)), network)
    np.testing.assert_allclose(ours, module(x, torch.zeros(1, 7, 6))[0].detach(), rtol=1e-4, atol=1e-5)


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(6, 6), nn.Linear(6, 1)

    def forward(self, x):
        return self.b(x + torch.tanh(self.a(x)))


class Branching(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(6, 1)

    def forward(self, x):
        return self.a(x) if x.size(0) > 1 else x[:, :1]


class Mirrored(nn.Module):
    """Reads its inputs backwards, which no layer shows."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(6, 1)

    def forward(self, x):
        return self.a(x.flatten().reshape(6, -1).transpose(0, 1))


class Both(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.linear = nn.LSTM(2, 4, bidirectional=True), nn.Linear(8, 1)

    def forward(self, x, hc: Tuple[torch.Tensor, torch.Tensor]):  # noqa: UP006
        y, hc = self.lstm(x, hc)
        return self.linear(y), hc


@pytest.mark.parametrize(
    ("module", "named"),
    (
        (nn.Sequential(nn.Linear(6, 6), nn.BatchNorm1d(6), nn.Linear(6, 1)), "the layer BatchNorm1d"),
        (nn.Sequential(nn.Unflatten(1, (1, 6)), nn.Conv1d(1, 1, 6)), "the layer Unflatten|the layer Conv1d"),
        (nn.Sequential(nn.Linear(6, 4), nn.Mish(), nn.Linear(4, 1)), "the layer Mish"),
        (nn.Sequential(nn.Unflatten(1, (2, 3)), nn.LayerNorm((2, 3)), nn.Linear(3, 1)), "Unflatten|LayerNorm"),
        (Residual(), "a sum of two layers"),
        (Branching(), "a branch that depends on the input"),
        (Mirrored(), "the answers differ"),
        (Both(), r"the layer LSTM \(bidirectional\)"),
        (nn.RNN(2, 4), "the layer RNN"),
    ),
    ids=("norm", "conv", "mish", "layer norm over more", "residual", "branch", "mirrored", "both ways", "rnn"),
)
def test_other_networks_are_refused_by_the_layer(module, named, tmp_path):
    """One sentence names the file and what reading stumbled over."""
    path = save_script(module, tmp_path / "net.pt")
    with pytest.raises(be.ParameterError, match=named) as caught:
        load_network(path)
    assert str(caught.value).startswith(f"{path}: is not a plain MLP, LSTM or GRU") and "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ("silu", "layer norms", "lstm, two layers, deep head", "gru, three layers"))
def test_a_trusted_file_gives_the_same_network(name, tmp_path):
    """PyTorch runs the file in place of our reading of its code; the weights are the same."""
    path = save_network(NETWORKS[name], tmp_path / "net.pt", precision="float64")
    for ours, theirs in zip(arrays(NETWORKS[name]), arrays(load_network(path, trust=True)), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("module", (Scaled(), Bounded(), Functional("softsign")), ids=("lstm", "gru", "mlp"))
def test_trust_makes_no_difference_to_a_file_that_is_understood(module, tmp_path):
    """Scales, a bounded head and functions are found either way."""
    path = save_script(module, tmp_path / "net.pt")
    for ours, theirs in zip(arrays(load_network(path)), arrays(load_network(path, trust=True)), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(("module", "named"), ((Mirrored(), "the answers differ"), (Residual(), "a sum of two layers")))
def test_a_trusted_file_is_still_compared(module, named, tmp_path):
    """What PyTorch computes has to be what the layers say."""
    with pytest.raises(be.ParameterError, match=named):
        load_network(save_script(module, tmp_path / "net.pt"), trust=True)


# --- ONNX that others write


def graph(nodes, weights, path, inputs=6) -> str:
    """An ONNX file of nodes (kind, inputs, outputs, options) from x to y."""
    make, real = onnx.helper, onnx.TensorProto.FLOAT
    built = make.make_graph(
        [make.make_node(kind, given, made, **options) for kind, given, made, options in nodes],
        "net",
        [make.make_tensor_value_info("x", real, ("n", inputs))],
        [make.make_tensor_value_info("y", real, ("m", "outputs"))],
        [onnx.numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()],
    )
    onnx.save(make.make_model(built, opset_imports=[make.make_opsetid("", 20)], ir_version=10), str(path))
    return str(path)


def layer(rng, into, out):
    return rng.normal(size=(into, out)).astype(np.float32), rng.normal(size=out).astype(np.float32)


WRITTEN_OUT = {
    "softsign": [("Abs", ["s"], ["a"], {}), ("Add", ["a", "one"], ["b"], {}), ("Div", ["s", "b"], ["h"], {})],
    "silu": [("Sigmoid", ["s"], ["a"], {}), ("Mul", ["s", "a"], ["h"], {})],
    "gelu": [
        ("Div", ["s", "root"], ["a"], {}), ("Erf", ["a"], ["b"], {}), ("Add", ["b", "one"], ["c"], {}),
        ("Mul", ["s", "c"], ["d"], {}), ("Mul", ["d", "half"], ["h"], {}),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", WRITTEN_OUT)
def test_matmul_add_and_activations_written_out_are_found(name, tmp_path):
    """MatMul and Add are a layer; a few elementwise nodes are softsign, silu or gelu; Gemm may have alpha and beta."""
    rng = np.random.default_rng(0)
    (w0, b0), (w1, b1) = layer(rng, 6, 4), layer(rng, 4, 1)
    weights = {"w0": w0, "b0": b0, "w1": w1, "b1": b1}
    weights |= {"one": np.float32([1.0]), "half": np.float32(0.5), "root": np.float32(np.sqrt(2.0))}
    nodes = [("MatMul", ["x", "w0"], ["m"], {}), ("Add", ["b0", "m"], ["s"], {}), *WRITTEN_OUT[name]]
    nodes.append(("Gemm", ["h", "w1", "b1"], ["y"], {"alpha": 0.5, "beta": 2.0}))
    network = load_network(graph(nodes, weights, tmp_path / "net.onnx"))
    assert isinstance(network, Mlp) and network.activation == name
    np.testing.assert_allclose(network.weights[0], w0.T)
    np.testing.assert_allclose(network.weights[1], 0.5 * w1.T)
    np.testing.assert_allclose(network.biases[1], 2.0 * b1)


def test_normalised_inputs_are_folded(tmp_path):
    """(x - mean)/spread in front of the first layer goes into its weights."""
    rng = np.random.default_rng(0)
    w, b = layer(rng, 6, 1)
    mean, spread = rng.normal(size=6).astype(np.float32), rng.uniform(0.5, 2.0, size=6).astype(np.float32)
    nodes = [
        ("Sub", ["x", "mean"], ["c"], {}),
        ("Div", ["c", "spread"], ["z"], {}),
        ("Gemm", ["z", "w", "b"], ["y"], {}),
    ]
    path = graph(nodes, {"w": w, "b": b, "mean": mean, "spread": spread}, tmp_path / "net.onnx")
    x = rng.normal(size=(3, 6))
    np.testing.assert_allclose(laws.mlp(x, load_network(path)), (x - mean) / spread @ w + b, rtol=1e-5, atol=1e-5)


BACKWARDS = {"from": -1, "to": -7, "axis": 1, "step": -1}
"""A slice that turns the inputs round."""


@pytest.mark.parametrize(
    ("nodes", "named"),
    (
        ([("Softmax", ["x"], ["h"], {}), ("MatMul", ["h", "w"], ["y"], {})], "the operation Softmax"),
        ([("MatMul", ["x", "w"], ["h"], {}), ("Celu", ["h"], ["y"], {"alpha": 0.3})], "the operation Celu"),
        ([("MatMul", ["x", "w"], ["h"], {}), ("Add", ["h", "h"], ["y"], {})], "a sum of two layers"),
        ([("Slice", ["x", *BACKWARDS], ["h"], {}), ("MatMul", ["h", "w"], ["y"], {})], "answers differ"),
        ([("Identity", ["w"], ["y"], {})], "does not come from the input"),
        ([("Identity", ["x"], ["y"], {})], "no layer with weights"),
    ),
    ids=("softmax", "celu", "sum", "backwards", "constant", "empty"),
)  # fmt: skip
def test_other_graphs_are_refused_by_the_operation(nodes, named, tmp_path):
    """What no MLP has is named, and so is a graph that shuffles its inputs."""
    ends = {name: np.array([value]) for name, value in BACKWARDS.items()}
    weights = {"w": np.random.default_rng(0).normal(size=(6, 1)).astype(np.float32), **ends}
    path = graph(nodes, weights, tmp_path / "net.onnx")
    with pytest.raises(be.ParameterError, match=named) as caught:
        load_network(path)
    assert "\n" not in str(caught.value)


# --- files that are none


def test_a_missing_file_is_said(tmp_path):
    """A path that leads nowhere, and one to a folder."""
    with pytest.raises(be.ParameterError, match=r"no\.pt: no such file"):
        load_network(tmp_path / "no.pt")
    with pytest.raises(be.ParameterError, match="cannot be read"):
        load_network(tmp_path)


@pytest.mark.parametrize("name", ("net.pt", "net.onnx", "net"))
@pytest.mark.parametrize(
    "content", (b"", b"\x00", np.random.default_rng(0).bytes(5000), b"PK\x03\x04" + bytes(500)), ids=range(4)
)
def test_bytes_that_are_no_network_are_said(name, content, tmp_path):
    """Empty, random and half-zip files end in one sentence, whatever they are called."""
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(be.ParameterError, match=r"is empty|is damaged|not an ONNX") as caught:
        load_network(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("suffix", (".pt", ".onnx"))
@pytest.mark.parametrize("share", (0.3, 0.9, 0.99))
def test_a_truncated_file_is_said(share, suffix, tmp_path):
    """A copy that broke off."""
    path = save_network(perceptron(), tmp_path / f"net{suffix}")
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(be.ParameterError) as caught:
        load_network(path)
    assert str(caught.value).startswith(str(path)) and "\n" not in str(caught.value)


def test_a_damaged_archive_is_said(tmp_path):
    """A zip whose entries are not those of TorchScript."""
    path = save_network(perceptron(), tmp_path / "net.pt")
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content if "code" not in name else b"def forward(:")
    with pytest.raises(be.ParameterError, match="is damaged"):
        load_network(path)


def test_a_pickled_model_is_never_loaded(tmp_path):
    """torch.save of a module or a state dict runs nothing here; the sentence says how to save it."""
    path = tmp_path / "net.pt"
    torch.save(nn.Linear(6, 1), path)
    with pytest.raises(be.ParameterError, match=r"not TorchScript; save it with torch\.jit\.script"):
        load_network(path)
    touched = tmp_path / "touched"

    class Hostile:
        def __reduce__(self):
            return (open, (str(touched), "w"))

    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("net/data.pkl", pickle.dumps(Hostile()))
        archive.writestr("net/constants.pkl", pickle.dumps(Hostile()))
        archive.writestr("net/version", "3")
    path.write_bytes(stream.getvalue())
    with pytest.raises(be.ParameterError, match="is damaged"):
        load_network(path)
    assert not touched.exists()


def test_weights_that_are_no_numbers_are_said(tmp_path):
    """A network whose training blew up is refused, with the file's name."""
    module = nn.Sequential(nn.Linear(6, 1))
    with torch.no_grad():
        module[0].weight[0, 2] = float("nan")
    path = save_script(module, tmp_path / "net.pt")
    with pytest.raises(be.ParameterError, match=r"net\.pt: Mlp\.weights\[0\] holds nan at \(0, 2\)"):
        load_network(path)


@pytest.mark.parametrize(("package", "suffix", "extra"), (("torch", ".pt", "torch"), ("onnx", ".onnx", "learned")))
def test_an_absent_package_is_said(package, suffix, extra, tmp_path, monkeypatch):
    """Running TorchScript, reading ONNX and writing either name the extra to install."""
    path = save_network(perceptron(), tmp_path / f"net{suffix}")
    monkeypatch.setitem(sys.modules, package, None)
    for attempt in (lambda: load_network(path, trust=True), lambda: save_network(perceptron(), path)):
        with pytest.raises(be.MissingExtraError, match=rf"needs {package}.*backemf\[{extra}\]"):
            attempt()


@pytest.mark.parametrize(
    ("attempt", "words"),
    (
        (lambda folder: save_network(perceptron(), folder / "net.h5"), "must end in .pt for TorchScript or .onnx"),
        (lambda folder: save_network(3.0, folder / "net.pt"), "network = 3.0: must be an Mlp"),
        (lambda folder: save_network(perceptron(), folder / "net.pt", precision="half"), "precision = 'half'"),
        (
            lambda folder: save_network(
                LearnedMlp(network=perceptron(), torque_scale=np.ones(2)), folder / "net.pt"
            ),
            "LearnedMlp.torque_scale has one value per joint",
        ),
        (lambda folder: save_network(perceptron(), folder / "file" / "net.onnx"), "cannot be written"),
        (lambda folder: save_network(perceptron(), folder / "file" / "net.pt"), "cannot be written"),
    ),
)  # fmt: skip
def test_what_cannot_be_written_is_said(attempt, words, tmp_path):
    """A name, a thing or a place that does not do."""
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(be.ParameterError, match=words):
        attempt(tmp_path)


@pytest.mark.parametrize("steps", ([1, 2, 3], [0, 1, 3], "x", [0, 2, 1]))
def test_steps_back_that_are_not_even_are_said(steps, tmp_path):
    """A file whose input_idx has no equal steps cannot be a stride."""
    from backemf.learned.onnx_writing import write_onnx

    path = write_onnx(perceptron(), tmp_path / "net.onnx", {"input_idx": steps}, "float32")
    with pytest.raises(be.ParameterError, match="must begin at 0 and rise by equal steps"):
        load_learned(path)
