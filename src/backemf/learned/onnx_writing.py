"""Writing ONNX: a network as Gemm, LSTM and GRU nodes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ..actuator.networks import PARAMETERS, Gru, Lstm, Mlp, Network, split_activation
from ..files import write_bytes
from .onnx_files import ACTIVATIONS, require_onnx
from .onnx_weights import GATES

OPSET, IR = 20, 10
"""Versions that are written: the first with Gelu, and one that older runtimes read."""


def write_onnx(network: Network, path: str | Path, metadata: dict[str, Any] | None, precision: str) -> Path:
    """Write a network as ONNX.

    An MLP maps input (n, inputs) to torque (n, outputs); a recurrent network takes input (1, n, inputs), hidden and
    cell (layers, n, hidden) and gives torque, next_hidden and next_cell.
    """
    onnx = require_onnx()
    path = Path(path)
    sheet = Sheet(onnx, np.dtype(precision))
    if isinstance(network, Mlp):
        inputs, outputs = ["input"], ["torque"]
        shapes = {"input": ("n", network.input_size), "torque": ("n", network.output_size)}
        sheet.perceptron(network, "input", "torque")
    else:
        inputs, outputs, shapes = write_recurrent(sheet, network)
    make = onnx.helper
    kind = make.np_dtype_to_tensor_dtype(sheet.dtype)
    graph = make.make_graph(
        sheet.nodes,
        "learned_actuator",
        [make.make_tensor_value_info(name, kind, shapes[name]) for name in inputs],
        [make.make_tensor_value_info(name, kind, shapes[name]) for name in outputs],
        sheet.weights,
    )
    model = make.make_model(graph, opset_imports=[make.make_opsetid("", OPSET)], ir_version=IR, producer_name="backemf")
    roles = recurrent_roles(network) if not isinstance(network, Mlp) else {}
    words = {name: value if isinstance(value, str) else json.dumps(value) for name, value in (metadata or {}).items()}
    make.set_model_props(model, words | roles)
    onnx.checker.check_model(model, full_check=True)
    return write_bytes(path, model.SerializeToString(), folders=True)


def recurrent_roles(network: Lstm | Gru) -> dict[str, str]:
    """What Newton asks a recurrent file for."""
    roles = {"num_layers": str(network.layers), "hidden_size": str(network.hidden_size)}
    roles |= {
        "input_name": "input",
        "hidden_in_name": "hidden",
        "output_name": "torque",
        "hidden_out_name": "next_hidden",
    }
    return roles | ({"cell_in_name": "cell", "cell_out_name": "next_cell"} if isinstance(network, Lstm) else {})


class Sheet:
    """The nodes and weights of a graph as it is written."""

    def __init__(self, onnx: Any, dtype: np.dtype):
        self.onnx, self.dtype = onnx, dtype
        self.nodes: list[Any] = []
        self.weights: list[Any] = []

    def add(self, kind: str, inputs: list[str], outputs: list[str], **options: Any) -> None:
        """One more node."""
        self.nodes.append(self.onnx.helper.make_node(kind, inputs, outputs, **options))

    def weight(self, name: str, values: Any, dtype: Any = None) -> str:
        """One more array of the file; its name."""
        self.weights.append(self.onnx.numpy_helper.from_array(np.ascontiguousarray(values, dtype or self.dtype), name))
        return name

    def perceptron(self, network: Mlp, start: str, end: str) -> None:
        """Gemm and activation, layer by layer."""
        last, here = len(network.weights) - 1, start
        for layer, (weight, bias) in enumerate(zip(network.weights, network.biases, strict=True)):
            word = network.activations[layer]
            norm = network.norms[layer] if network.norms else None
            after = end if layer == last else f"layer{layer}"
            sums = after if word == "identity" else f"sum{layer}"
            raw = sums if norm is None else f"raw{layer}"
            arrays = [self.weight(f"weight{layer}", weight), self.weight(f"bias{layer}", bias)]
            self.add("Gemm", [here, *arrays], [raw], transB=1)
            if norm is not None:
                arrays = [self.weight(f"scale{layer}", norm.weight), self.weight(f"shift{layer}", norm.bias)]
                self.add("LayerNormalization", [raw, *arrays], [sums], axis=-1, epsilon=float(norm.epsilon))
            self.activation(word, sums, after)
            here = after

    def activation(self, word: str, start: str, end: str) -> None:
        """An activation, in one node where ONNX has it."""
        name, parameter = split_activation(word)
        if name == "silu":
            self.add("Sigmoid", [start], [f"{start}_gate"])
            self.add("Mul", [start, f"{start}_gate"], [end])
        elif name == "gelu_tanh":
            self.add("Gelu", [start], [end], approximate="tanh")
        elif name != "identity":
            kinds = {ours: theirs for theirs, ours in ACTIVATIONS.items()}
            options = {"alpha": parameter} if name in PARAMETERS else {}
            self.add(kinds[name], [start], [end], **options)


def write_recurrent(sheet: Sheet, network: Lstm | Gru) -> tuple[list[str], list[str], dict[str, tuple[Any, ...]]]:
    """Write the nodes of a recurrent network; names and shapes of inputs and outputs."""
    kind = "LSTM" if isinstance(network, Lstm) else "GRU"
    states = ["hidden", "cell"] if kind == "LSTM" else ["hidden"]
    layers = range(network.layers)
    for name in states:
        sheet.add("Split", [name], [f"{name}{k}" for k in layers], axis=0, num_outputs=network.layers)
    second = sheet.weight("axis1", np.array([1]), np.int64)
    here = "input"
    for k in layers:
        arrays = gate_arrays(sheet, network, kind, k)
        after = [f"steps{k}", *(f"next_{name}{k}" for name in states)]
        more = {"linear_before_reset": 1} if kind == "GRU" else {}
        begin = [f"{name}{k}" for name in states]
        sheet.add(kind, [here, *arrays, "", *begin], after, hidden_size=network.hidden_size, **more)
        # the axis of directions goes, the one of steps stays
        sheet.add("Squeeze", [f"steps{k}", second], [f"below{k}"])
        here = f"below{k}"
    for name in states:
        sheet.add("Concat", [f"next_{name}{k}" for k in layers], [f"next_{name}"], axis=0)
    sheet.add("Squeeze", [here, sheet.weight("axis0", np.array([0]), np.int64)], ["features"])
    sheet.perceptron(network.head, "features", "torque")
    shapes: dict[str, tuple[Any, ...]] = {"input": (1, "n", network.input_size), "torque": ("n", network.output_size)}
    for name in states:
        shapes[name] = shapes[f"next_{name}"] = (network.layers, "n", network.hidden_size)
    return ["input", *states], ["torque", *(f"next_{name}" for name in states)], shapes


def gate_arrays(sheet: Sheet, network: Lstm | Gru, kind: str, k: int) -> list[str]:
    """The arrays of a layer in ONNX's order of gates; their names."""
    order = np.argsort(GATES[kind][1])
    size = network.hidden_size or 1

    def turned(rows: np.ndarray) -> np.ndarray:
        return np.concatenate([rows[gate * size : (gate + 1) * size] for gate in order])

    bias = np.concatenate([turned(network.input_biases[k]), turned(network.hidden_biases[k])])
    return [
        sheet.weight(f"W{k}", turned(network.input_weights[k])[None]),
        sheet.weight(f"R{k}", turned(network.hidden_weights[k])[None]),
        sheet.weight(f"B{k}", bias[None]),
    ]
