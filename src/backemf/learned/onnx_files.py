"""ONNX files: networks for Newton and for any other program that reads ONNX.

A file is parsed by the onnx package and followed here, node by node; no node is run by anything else, and no file
beside it is read but one in the same folder.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ..actuator.networks import Network
from ..errors import MissingExtraError, ParameterError
from . import layers as build
from . import written_out
from .assembly import read_layers, refused
from .layers import Flow, Memory, Stumble
from .onnx_shapes import SHAPES, shaped
from .onnx_weights import GATES, array_of, with_external_data

ACTIVATIONS = {
    "Relu": "relu", "Elu": "elu", "Tanh": "tanh", "Softsign": "softsign", "Sigmoid": "sigmoid",
    "LeakyRelu": "leaky_relu", "Gelu": "gelu", "Swish": "silu",
}  # fmt: skip
REMEDY = "export a plain MLP, LSTM or GRU"


def require_onnx() -> Any:
    """The onnx package, or a sentence that says how to get it."""
    try:
        import onnx
        import onnx.helper
        import onnx.numpy_helper
    except ModuleNotFoundError:
        raise MissingExtraError("onnx", "learned", "Reading or writing ONNX") from None
    return onnx


def read_onnx(path: Path, content: bytes) -> tuple[Network, dict[str, Any]]:
    """The network of an ONNX file, and what the file says about its scales."""
    onnx = require_onnx()
    try:
        model = onnx.load_model_from_string(content)
    except Exception:  # protobuf raises kinds of its own, with no common base
        raise ParameterError(f"{path}: is damaged or no ONNX file; export it again") from None
    try:
        with_external_data(onnx, model, path)
        onnx.checker.check_model(model)
    except ParameterError:
        raise
    except Exception as error:  # as above
        reason = (str(error).strip() or type(error).__name__).splitlines()[0][:200]
        raise ParameterError(f"{path}: is damaged or no ONNX file ({reason}); export it again") from None
    try:
        network = read_graph(onnx, model.graph)
    except Stumble as stumble:
        raise refused(path, stumble, REMEDY) from None
    except ParameterError as error:
        raise ParameterError(f"{path}: {error}") from None
    return network, {entry.key: parsed(entry.value) for entry in model.metadata_props}


def parsed(text: str) -> Any:
    """A piece of metadata as JSON where it is, as text where not."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def read_graph(onnx: Any, graph: Any) -> Network:
    """The network of a graph."""
    constants = {item.name: array_of(onnx, item) for item in graph.initializer}
    inputs = [entry for entry in graph.input if entry.name not in constants]
    return read_layers(lambda flow, states: walk(onnx, graph, constants, flow, states), len(inputs) > 1)


def walk(onnx: Any, graph: Any, constants: dict[str, Any], flow: Flow, states: list[Memory]) -> Flow:
    """The flow that comes out of a graph."""
    known: dict[str, Any] = dict(constants)
    inputs = [entry for entry in graph.input if entry.name not in known]
    if not inputs:
        raise Stumble("a network without an input")
    known[inputs[0].name] = flow
    known.update(given_states(inputs[1:], states))
    for node in graph.node:
        options = {entry.name: attribute(onnx, entry) for entry in node.attribute}
        values = [known.get(name) if name else None for name in node.input]
        answers = operation(node.op_type, values, options, len(node.output))
        answers = answers if isinstance(answers, tuple) else (answers,) * len(node.output)
        known.update(zip(node.output, answers, strict=False))
    answer = known.get(graph.output[0].name)
    if isinstance(answer, (Flow, Memory)):
        return build.whole(answer)
    return Flow((), "an output that does not come from the input")


def given_states(inputs: list[Any], states: list[Memory]) -> dict[str, Memory]:
    """The states of a file: hidden and cell of all layers, or one of each for every layer."""
    if len(inputs) <= 2 or any(state.value is None for state in states) or len(inputs) % 2:
        return {entry.name: states[index] if index < len(states) else Memory() for index, entry in enumerate(inputs)}
    layers = len(inputs) // 2
    rows = [np.split(state.value, layers) if len(state.value) % layers == 0 else [] for state in states]  # type: ignore[arg-type]
    values = [value for row in rows for value in row]
    if len(values) != len(inputs):
        raise Stumble("other states than hidden and cell of each layer")
    return {entry.name: Memory(value=value) for entry, value in zip(inputs, values, strict=True)}


def attribute(onnx: Any, entry: Any) -> Any:
    """An option of a node; a tensor as an array."""
    if entry.type == onnx.AttributeProto.TENSOR:
        return array_of(onnx, entry.t)
    if entry.type in (onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS):
        raise Stumble("a graph within the graph")
    return onnx.helper.get_attribute_value(entry)


def operation(kind: str, values: list[Any], options: dict[str, Any], outputs: int) -> Any:
    """What one node makes of its inputs; None where that is not known."""
    if kind == "Constant":
        return constant(options)
    if kind in SHAPES:
        return shaped(kind, values, options, outputs)
    if not any(isinstance(value, (Flow, Memory)) for value in values):
        return None
    if kind in GATES:
        return recurrent(kind, values, options)
    flow = build.whole(values[0] if isinstance(values[0], (Flow, Memory)) else values[1])
    if kind in ACTIVATIONS:
        return activated(flow, kind, options)
    if kind == "Gemm":
        return gemm(flow, values, options)
    if kind == "MatMul" and isinstance(values[0], (Flow, Memory)):
        return build.linear(flow, array(values[1]).T)
    if kind == "LayerNormalization":
        return layer_norm(flow, values, options)
    if kind in ("Abs", "Erf", "Neg"):
        return {"Abs": build.magnitude, "Erf": build.error_function, "Neg": lambda f: build.times(f, -1.0)}[kind](flow)
    if kind == "ReduceMean":
        return written_out.mean(flow, values, options)
    if kind == "Pow":
        return written_out.square(flow, array(values[1]))
    if kind == "Sqrt":
        return written_out.root(flow)
    if kind in ("Add", "Sub", "Mul", "Div"):
        return arithmetic(kind, values)
    raise Stumble(f"the operation {kind}")


def constant(options: dict[str, Any]) -> np.ndarray | None:
    """The value of a Constant node."""
    for name in ("value", "value_float", "value_floats", "value_int", "value_ints"):
        if name in options:
            return np.asarray(options[name])
    return None


def array(value: Any) -> np.ndarray:
    """Weights of the file."""
    if not isinstance(value, np.ndarray):
        raise Stumble("weights that are not part of the file")
    return value.astype(float)


def shortest(value: float) -> float:
    """The number that was meant by a single-precision one: 0.2 for 0.20000000298."""
    return float(str(np.float32(value)))


def activated(flow: Flow, kind: str, options: dict[str, Any]) -> Flow:
    """An activation with its parameter, where it has one."""
    name = ACTIVATIONS[kind]
    if kind == "Gelu" and options.get("approximate", b"none") == b"tanh":
        name = "gelu_tanh"
    usual = {"Elu": 1.0, "LeakyRelu": 0.01}.get(kind)
    if kind == "Swish" and abs(options.get("alpha", 1.0) - 1.0) > 1e-6:
        raise Stumble("Swish with another alpha than 1")
    return build.activation(flow, name, None if usual is None else shortest(options.get("alpha", usual)))


def layer_norm(flow: Flow, values: list[Any], options: dict[str, Any]) -> Flow:
    """A layer norm over the last axis."""
    axis = options.get("axis", -1)
    # which axis is the last is known once there are sample values
    if axis != -1 and flow.value is not None and axis != flow.value.ndim - 1:
        raise Stumble("a layer norm over more than the features")
    scale = array(values[1])
    shift = array(values[2]) if len(values) > 2 and values[2] is not None else None
    return build.layer_norm(flow, scale, shift, shortest(options.get("epsilon", 1e-5)), scale.size)


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
            return build.product(build.whole(a), build.whole(b))
        if kind == "Div":
            a, b = build.whole(a), build.whole(b)
            return written_out.normalise(a, b) or build.quotient(a, b)
        if kind == "Sub":
            return written_out.centre(build.whole(a), build.whole(b))
        raise Stumble(f"a sum of two layers ({kind})")
    first = isinstance(a, (Flow, Memory))
    flow, value = build.whole(a if first else b), array(b if first else a)
    if kind == "Mul":
        return build.times(flow, value)
    if kind == "Add":
        return written_out.with_epsilon(flow, value) or build.plus(flow, value)
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
    weight, hidden = array(values[1]), array(values[2])
    if weight.ndim != 3 or hidden.ndim != 3 or len(weight) != 1 or len(hidden) != 1:
        raise Stumble(f"the layer {kind} (weights of the shapes {weight.shape} and {hidden.shape})")
    weight, hidden = weight[0], hidden[0]
    size = hidden.shape[1]
    bias = (
        array(values[3]).reshape(-1) if len(values) > 3 and values[3] is not None else np.zeros(2 * len(order) * size)
    )
    if len(values) > 7 and values[7] is not None:
        raise Stumble(f"the layer {kind} (with peepholes)")

    def sorted_gates(rows: np.ndarray) -> np.ndarray:
        return np.concatenate([rows[gate * size : (gate + 1) * size] for gate in order])

    half = len(bias) // 2
    row = (sorted_gates(weight), sorted_gates(hidden), sorted_gates(bias[:half]), sorted_gates(bias[half:]))
    states = [*values[5:7], None, None]
    return steps_of(*build.gates(build.whole(values[0]), network, [row], states))


def steps_of(flow: Flow, hidden: Memory, cell: Memory) -> tuple[Flow, Memory, Memory]:
    """Outputs with ONNX's axis of directions behind that of steps."""
    if flow.value is None or hidden.flow is None:
        return flow, hidden, cell
    steps = Flow(flow.layers, value=flow.value.reshape(1, 1, 1, -1))
    return steps, Memory(flow, hidden.value), cell
