"""ONNX files: networks for Newton and for any other program that reads ONNX."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import MissingExtraError, ParameterError
from . import layers as build
from .laws import gru, lstm, mlp
from .layers import Flow, Gates, Memory, Stumble
from .networks import Gru, Lstm, Mlp, Network

ACTIVATIONS = {
    "Relu": "relu", "Elu": "elu", "Tanh": "tanh", "Softsign": "softsign", "Sigmoid": "sigmoid",
    "LeakyRelu": "leaky_relu", "Gelu": "gelu", "Swish": "silu",
}  # fmt: skip
_SHAPES = {
    "Squeeze", "Unsqueeze", "Reshape", "Flatten", "Transpose", "Identity", "Cast", "Dropout", "Slice", "Gather",
    "Expand", "Split",
}  # fmt: skip
"""Operations that leave the features as they are; what else they may do is found when the answers are compared."""
GATES = {"LSTM": (Lstm, (0, 2, 3, 1)), "GRU": (Gru, (1, 0, 2))}
"""Kinds of gates, and where each of PyTorch's gates stands in ONNX's order (iofc, zrh)."""


def require_onnx() -> Any:
    """The onnx package, or a sentence that says how to get it."""
    try:
        import onnx
        import onnx.helper
        import onnx.numpy_helper
        import onnx.reference
    except ModuleNotFoundError:
        raise MissingExtraError("onnx", "learned", "Reading or writing ONNX") from None
    return onnx


def read_onnx(path: str | Path) -> tuple[Network, dict[str, Any]]:
    """The network of an ONNX file, and what the file says about its scales."""
    path = Path(path)
    onnx = require_onnx()
    try:
        model = onnx.load(str(path))
    except Exception:  # protobuf raises kinds of its own, with no common base
        raise ParameterError(f"{path}: is damaged or no ONNX file; export it again") from None
    try:
        onnx.checker.check_model(model)
    except Exception as error:  # as above
        reason = str(error).strip().splitlines()[0]
        raise ParameterError(f"{path}: is damaged or no ONNX file ({reason}); export it again") from None
    try:
        network = build.assemble(walk(onnx, model.graph))
        compare(onnx, model, network)
    except Stumble as stumble:
        raise build.refused(path, stumble) from None
    except ParameterError as error:
        raise ParameterError(f"{path}: {error}") from None
    return network, {entry.key: parsed(entry.value) for entry in model.metadata_props}


def parsed(text: str) -> Any:
    """A piece of metadata as JSON where it is, as text where not."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def walk(onnx: Any, graph: Any) -> Flow:
    """The flow that comes out of a graph."""
    known: dict[str, Any] = {item.name: onnx.numpy_helper.to_array(item) for item in graph.initializer}
    inputs = [entry.name for entry in graph.input if entry.name not in known]
    if not inputs:
        raise Stumble("a network without an input")
    known[inputs[0]] = Flow()
    known.update((name, Memory()) for name in inputs[1:])
    for node in graph.node:
        options = {entry.name: onnx.helper.get_attribute_value(entry) for entry in node.attribute}
        values = [known.get(name) if name else None for name in node.input]
        answers = operation(onnx, node.op_type, values, options)
        answers = answers if isinstance(answers, tuple) else (answers,) * len(node.output)
        known.update(zip(node.output, answers, strict=False))
    answer = known.get(graph.output[0].name)
    if isinstance(answer, Memory) and answer.flow is not None:
        return answer.flow
    return answer if isinstance(answer, Flow) else Flow((), "an output that does not come from the input")


def operation(onnx: Any, kind: str, values: list[Any], options: dict[str, Any]) -> Any:
    """What one node makes of its inputs; None where it has nothing to do with the flow."""
    if kind == "Constant":
        return constant(onnx, options)
    if not any(isinstance(value, (Flow, Memory)) for value in values):
        return np.asarray(values[0]) if kind in ("Identity", "Cast", "Squeeze", "Unsqueeze") and values else None
    if kind in ("Shape", "Size", "ConstantOfShape"):
        return None
    if kind in _SHAPES:
        return values[0]
    if kind == "Concat":
        if any(isinstance(value, Flow) for value in values):
            raise Stumble("the operation Concat")
        return Memory()
    if kind in GATES:
        return recurrent(kind, values, options)
    flow = as_flow(values[0] if isinstance(values[0], (Flow, Memory)) else values[1])
    if kind in ACTIVATIONS:
        return activated(flow, kind, options)
    if kind == "Gemm":
        return gemm(flow, values, options)
    if kind == "MatMul" and isinstance(values[0], (Flow, Memory)):
        return build.linear(flow, array(values[1]).T)
    if kind in ("Abs", "Erf", "Neg"):
        return {"Abs": build.magnitude, "Erf": build.error_function, "Neg": lambda f: build.times(f, -1.0)}[kind](flow)
    if kind in ("Add", "Sub", "Mul", "Div"):
        return arithmetic(kind, values)
    raise Stumble(f"the operation {kind}")


def constant(onnx: Any, options: dict[str, Any]) -> np.ndarray | None:
    """The value of a Constant node."""
    if "value" in options:
        return onnx.numpy_helper.to_array(options["value"])
    for name in ("value_float", "value_floats", "value_int", "value_ints"):
        if name in options:
            return np.asarray(options[name])
    return None


def as_flow(value: Any) -> Flow:
    """The flow that a value is."""
    if isinstance(value, Memory) and value.flow is not None:
        return value.flow
    if not isinstance(value, Flow):
        raise Stumble("an operation on a state alone")
    return value


def array(value: Any) -> np.ndarray:
    """Weights of the file."""
    if not isinstance(value, np.ndarray):
        raise Stumble("weights that are not part of the file")
    return value.astype(float)


def activated(flow: Flow, kind: str, options: dict[str, Any]) -> Flow:
    """An activation with its parameter, where it has one."""
    name = ACTIVATIONS[kind]
    if kind == "Gelu" and options.get("approximate", b"none") == b"tanh":
        name = "gelu_tanh"
    usual = {"Elu": 1.0, "LeakyRelu": 0.01}.get(kind)
    if kind == "Swish" and abs(options.get("alpha", 1.0) - 1.0) > 1e-6:
        raise Stumble("Swish with another alpha than 1")
    return build.activation(flow, name, None if usual is None else options.get("alpha", usual))


def gemm(flow: Flow, values: list[Any], options: dict[str, Any]) -> Flow:
    """alpha·x·W + beta·b."""
    if options.get("transA", 0) or not isinstance(values[0], (Flow, Memory)):
        raise Stumble("a Gemm whose first factor is not the input")
    weight = array(values[1]) if options.get("transB", 0) else array(values[1]).T
    bias = array(values[2]) * options.get("beta", 1.0) if len(values) > 2 and values[2] is not None else None
    return build.linear(flow, weight * options.get("alpha", 1.0), bias)


def arithmetic(kind: str, values: list[Any]) -> Flow:
    """A sum, difference, product or quotient of the flow and a constant, or of two pieces of an activation."""
    a, b = values[:2]
    if isinstance(a, (Flow, Memory)) and isinstance(b, (Flow, Memory)):
        if kind == "Mul":
            return build.product(as_flow(a), as_flow(b))
        if kind == "Div":
            return build.quotient(as_flow(a), as_flow(b))
        raise Stumble(f"a sum of two layers ({kind})")
    first = isinstance(a, (Flow, Memory))
    flow, value = as_flow(a if first else b), array(b if first else a)
    if kind == "Mul":
        return build.times(flow, value)
    if kind == "Add":
        return build.plus(flow, value)
    if kind == "Sub":
        return build.plus(flow, -value) if first else build.plus(build.times(flow, -1.0), value)
    if not first:
        raise Stumble("a division by a layer (Div)")
    return build.times(flow, 1.0 / value)


def recurrent(kind: str, values: list[Any], options: dict[str, Any]) -> tuple[Any, ...]:
    """Outputs of an LSTM or GRU node: all steps, hidden state, cell state."""
    network, order = GATES[kind]
    if options.get("direction", b"forward") != b"forward":
        raise Stumble(f"the layer {kind} (not forward)")
    if kind == "GRU" and not options.get("linear_before_reset", 0):
        raise Stumble("the layer GRU (linear_before_reset is 0)")
    if options.get("activations") or options.get("clip") or options.get("input_forget"):
        raise Stumble(f"the layer {kind} (with activations, clip or input_forget of its own)")
    weight, hidden = array(values[1])[0], array(values[2])[0]
    size = hidden.shape[1]
    bias = array(values[3])[0] if len(values) > 3 and values[3] is not None else np.zeros(2 * len(order) * size)
    if len(values) > 7 and values[7] is not None:
        raise Stumble(f"the layer {kind} (with peepholes)")

    def sorted_gates(rows: np.ndarray) -> np.ndarray:
        return np.concatenate([rows[gate * size : (gate + 1) * size] for gate in order])

    half = len(bias) // 2
    row = (sorted_gates(weight), sorted_gates(hidden), sorted_gates(bias[:half]), sorted_gates(bias[half:]))
    flow = as_flow(values[0]).then(Gates(network, (row,)))
    return flow, Memory(flow), Memory()


def compare(onnx: Any, model: Any, network: Network) -> None:
    """Raise if the file's network and ours do not give the same answers."""
    initial = {item.name for item in model.graph.initializer}
    rng = np.random.default_rng(0)
    try:
        session = onnx.reference.ReferenceEvaluator(model)
    except Exception:  # the evaluator raises kinds of its own for nodes it cannot run
        raise Stumble("a file that the onnx package cannot run") from None
    for scale in (0.3, 1.0, 3.0):
        feeds = {}
        for entry in model.graph.input:
            if entry.name not in initial:
                feeds[entry.name] = sample(onnx, entry, scale, rng, len(feeds), network)
        try:
            theirs = session.run(None, feeds)[0]
        except Exception:  # as above
            raise Stumble("a file that the onnx package cannot run") from None
        given = [np.asarray(value, dtype=float).reshape(-1) for value in feeds.values()]
        if not build.agree(answer_of(network, given), theirs):
            raise Stumble("a graph that does more than its layers (the answers differ)")


def sample(onnx: Any, entry: Any, scale: float, rng: Any, index: int, network: Network) -> np.ndarray:
    """Random numbers for an input of one motor: the features for the first input, states for the others."""
    tensor = entry.type.tensor_type
    shape = [max(int(size.dim_value), 1) if size.HasField("dim_value") else 1 for size in tensor.shape.dim]
    if index == 0 and shape:
        shape = [1] * (len(shape) - 1) + [network.input_size or 1]
    elif isinstance(network, (Lstm, Gru)) and len(shape) == 3:
        shape = [shape[0], 1, network.hidden_size or 1]
    kind = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
    return (scale * rng.uniform(-1.0, 1.0, size=shape)).astype(kind)


def answer_of(network: Network, given: list[np.ndarray]) -> np.ndarray:
    """Our network's answer to the inputs of a file; states that it does not take begin at zero."""
    if isinstance(network, Mlp):
        return mlp(given[0], network)
    n = network.layers * (network.hidden_size or 1)
    states = [*given[1:], np.zeros(n), np.zeros(n)]
    if any(len(state) != n for state in states[:2]):
        # one state per layer
        states = [
            np.concatenate(given[1 : 1 + network.layers]),
            np.concatenate(given[1 + network.layers :] or [np.zeros(n)]),
        ]
    if isinstance(network, Lstm):
        return lstm(given[0], states[0], states[1], network)[0]
    return gru(given[0], states[0], network)[0]
