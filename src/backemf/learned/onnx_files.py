"""ONNX files: networks for Newton and for any other program that reads ONNX.

A file is parsed by the onnx package and followed here, node by node. Only nodes that change shapes are evaluated by the
package's reference implementation (`onnx_shapes`). Of other files, only one in the same folder is read.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..actuator.networks import Network
from ..errors import MissingExtraError, ParameterError
from ..values import Foreign, Json, Module
from . import flow as build
from .assembly import brief, read_layers, refusal
from .flow import STATE, Flow, arithmetic, array, maybe_array, shortest, state_of, unary, whole
from .layers import GATE_ARRAYS, UnsupportedLayer, gate_rows
from .onnx_shapes import SHAPES, change_shape
from .onnx_weights import GATES, array_of, with_external_data

ACTIVATIONS = {
    "Relu": "relu", "Elu": "elu", "Tanh": "tanh", "Softsign": "softsign", "Sigmoid": "sigmoid",
    "LeakyRelu": "leaky_relu", "Gelu": "gelu", "Swish": "silu",
}  # fmt: skip
REMEDY = "export a plain MLP, LSTM or GRU"


def require_onnx() -> Module:
    """The onnx package; raises `MissingExtraError` where it is not installed."""
    try:
        import onnx
        import onnx.helper
        import onnx.numpy_helper
    except ModuleNotFoundError:
        raise MissingExtraError("onnx", "learned", "Reading or writing ONNX") from None
    return onnx


def read_onnx(path: Path, content: bytes) -> tuple[Network, dict[str, Json]]:
    """The network of an ONNX file, and the file's metadata."""
    onnx = require_onnx()
    try:
        model = onnx.load_model_from_string(content)
        with_external_data(onnx, model, path)
        onnx.checker.check_model(model)
    except ParameterError:
        raise
    except Exception as error:  # protobuf and the checker raise kinds with no common base
        reason = brief((str(error).strip() or type(error).__name__).splitlines()[0])
        raise ParameterError(f"{path}: is damaged or not an ONNX file ({reason}); export it again") from None
    try:
        network = read_model(onnx, model)
    except UnsupportedLayer as reason:
        raise refusal(path, reason, REMEDY) from None
    except ParameterError as error:
        raise ParameterError(f"{path}: {error}") from None
    return network, {entry.key: json_or_text(entry.value) for entry in model.metadata_props}


def json_or_text(text: str) -> Json:
    """A piece of metadata as JSON where it is, as text where not."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def read_model(onnx: Module, model: Module) -> Network:
    """The network of a model's graph."""
    graph = model.graph
    constants = {item.name: array_of(onnx, item) for item in graph.initializer}
    inputs = [entry.name for entry in graph.input if entry.name not in constants]
    opsets = {entry.domain.replace("ai.onnx", ""): entry.version for entry in model.opset_import}
    if not inputs:
        raise UnsupportedLayer("a network without an input")

    def follow(flow: Flow, states: list[Flow]) -> Flow:
        known: dict[str, Foreign] = {**constants, inputs[0]: flow, **given_states(inputs[1:], states)}
        for node in graph.node:
            answers = operate(onnx, node, known, opsets)
            answers = answers if isinstance(answers, tuple) else (answers,) * len(node.output)
            known.update(zip(node.output, answers, strict=False))
        answer = known.get(graph.output[0].name)
        return answer if isinstance(answer, Flow) else Flow(partial=STATE)

    return read_layers(follow, len(inputs) > 1)


def given_states(names: list[str], states: list[Flow]) -> dict[str, Flow]:
    """The states of a file: hidden and cell of all layers, or one of each for every layer."""
    values = [state.value for state in states if state.value is not None]
    if len(names) > 2 and len(values) == 2 and len(names) % 2 == 0:
        layers = len(names) // 2
        values = [part for value in values if len(value) % layers == 0 for part in np.split(value, layers)]
        if len(values) != len(names):
            raise UnsupportedLayer("other states than hidden and cell of each layer")
    return {name: state_of(values[index] if index < len(values) else None) for index, name in enumerate(names)}


def operate(onnx: Module, node: Module, known: dict[str, Foreign], opsets: dict[str, int]) -> Foreign:
    """What one node makes of its inputs; None where that is not known."""
    kind = node.op_type
    if any(entry.type in (onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS) for entry in node.attribute):
        raise UnsupportedLayer("a graph within the graph")
    if kind in SHAPES:
        return change_shape(node, [known.get(name) for name in node.input if name], opsets)
    options = {
        entry.name: array_of(onnx, entry.t)
        if entry.type == onnx.AttributeProto.TENSOR
        else onnx.helper.get_attribute_value(entry)
        for entry in node.attribute
    }
    if kind == "Constant":
        numbers = [np.asarray(value) for name, value in options.items() if name.startswith(("value_f", "value_i"))]
        return options.get("value", numbers[0] if numbers else None)
    values = [known.get(name) if name else None for name in node.input]
    if not any(isinstance(value, Flow) for value in values):
        return None
    if kind not in LAYERS:
        raise UnsupportedLayer(f"the operation {kind}")
    return LAYERS[kind](kind, [*values, *(None,) * 8], options)


# --- layers, each a function of the node's kind, its inputs and its options


def activation(kind: str, values: list[Foreign], options: dict[str, Foreign]) -> Flow:
    """An activation with its parameter, where it has one."""
    tanh = kind == "Gelu" and options.get("approximate", b"none") == b"tanh"
    usual = {"Elu": 1.0, "LeakyRelu": 0.01}.get(kind)
    if kind == "Swish" and abs(options.get("alpha", 1.0) - 1.0) > 1e-6:
        raise UnsupportedLayer("Swish with another alpha than 1")
    parameter = None if usual is None else shortest(options.get("alpha", usual))
    return build.activation(whole(values[0]), "gelu_tanh" if tanh else ACTIVATIONS[kind], parameter)


def layer_norm(kind: str, values: list[Foreign], options: dict[str, Foreign]) -> Flow:
    """A layer norm over the last axis."""
    flow, axis, scale = whole(values[0]), options.get("axis", -1), array(values[1])
    # which axis is the last is known once there are sample values
    if axis != -1 and flow.value is not None and axis != flow.value.ndim - 1:
        raise UnsupportedLayer("a layer norm over more than the features")
    return build.layer_norm(flow, scale, maybe_array(values[2]), shortest(options.get("epsilon", 1e-5)), scale.size)


def mean(kind: str, values: list[Foreign], options: dict[str, Foreign]) -> Flow:
    """The mean over the features, a piece of a layer norm."""
    flow = whole(values[0])
    axes = np.asarray(options.get("axes", []) if values[1] is None else array(values[1])).reshape(-1)
    last = -1 if flow.value is None else flow.value.ndim - 1
    if len(axes) != 1 or not options.get("keepdims", 1) or (flow.value is not None and axes[0] not in (-1, last)):
        raise UnsupportedLayer("the operation ReduceMean")
    return unary("mean", flow)


def power(kind: str, values: list[Foreign], options: dict[str, Foreign]) -> Flow:
    """A square, a piece of a layer norm."""
    exponent = array(values[1])
    if exponent.size != 1 or exponent.item() != 2.0:
        raise UnsupportedLayer("the operation Pow")
    return unary("square", values[0])


def gemm(kind: str, values: list[Foreign], options: dict[str, Foreign]) -> Flow:
    """alpha·x·W + beta·b; MatMul is the same without the options."""
    if options.get("transA", 0) or not isinstance(values[0], Flow):
        raise UnsupportedLayer(f"a {kind} whose first factor is not the input")
    weight = array(values[1]) if options.get("transB", 0) else array(values[1]).T
    bias = None if values[2] is None else array(values[2]) * options.get("beta", 1.0)
    return build.linear(whole(values[0]), weight * options.get("alpha", 1.0), bias)


def recurrent(kind: str, values: list[Foreign], options: dict[str, Foreign]) -> tuple[Flow, Flow, Flow]:
    """Outputs of an LSTM or GRU node: all steps, hidden state, cell state."""
    network, order = GATES[kind]
    if options.get("direction", b"forward") != b"forward":
        raise UnsupportedLayer(f"the layer {kind} (not forward)")
    if kind == "GRU" and not options.get("linear_before_reset", 0):
        raise UnsupportedLayer("the layer GRU (linear_before_reset is 0)")
    if options.get("activations") or options.get("clip") or options.get("input_forget"):
        raise UnsupportedLayer(f"the layer {kind} (with its own activations, clip or input_forget)")
    if values[7] is not None:
        raise UnsupportedLayer(f"the layer {kind} (with peepholes)")
    weight, hidden = array(values[1]), array(values[2])
    try:
        biases = np.zeros((2, hidden.shape[1])) if values[3] is None else array(values[3]).reshape(2, -1)
        (only_weight,), (only_hidden,) = weight, hidden
        arrays = [
            np.concatenate([np.split(rows, len(order))[gate] for gate in order])
            for rows in (only_weight, only_hidden, *biases)
        ]
    except (ValueError, IndexError):
        raise UnsupportedLayer(f"the layer {kind} (weights of the shapes {weight.shape} and {hidden.shape})") from None
    rows = gate_rows({f"{name}_l0": rows for name, rows in zip(GATE_ARRAYS, arrays, strict=True)})
    flow, new_hidden, cell = build.gates(whole(values[0]), network, rows, values[5:7])
    if flow.value is None:
        return flow, new_hidden, cell
    # ONNX has an axis of directions behind that of steps
    return replace(flow, value=flow.value.reshape(1, 1, 1, -1)), new_hidden, cell


LAYERS: dict[str, Callable[[str, list[Foreign], dict[str, Foreign]], Foreign]] = {
    "LayerNormalization": layer_norm,
    "ReduceMean": mean,
    "Pow": power,
    **dict.fromkeys(("Gemm", "MatMul"), gemm),
    **dict.fromkeys(GATES, recurrent),
    **dict.fromkeys(ACTIVATIONS, activation),
    **dict.fromkeys(("Abs", "Erf", "Neg", "Sqrt"), lambda kind, values, _: unary(kind.lower(), values[0])),
    **dict.fromkeys(("Add", "Sub", "Mul", "Div"), lambda kind, values, _: arithmetic(kind.lower(), *values[:2])),
}
"""Operations that add a layer."""
