"""Writing ONNX: a network as Gemm, LSTM and GRU nodes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ..actuator.networks import PARAMETERS, RECURRENT_FIELDS, Gru, Lstm, Mlp, Network, split_activation
from ..files import write_bytes
from ..values import Json, Module
from .onnx_files import ACTIVATIONS, require_onnx
from .onnx_weights import GATES

OPSET, IR = 20, 10
"""Versions that are written: the first with Gelu, and one that older runtimes read."""


def write_onnx(network: Network, path: Path, metadata: Mapping[str, Json] | None, precision: str) -> Path:
    """Write a network as ONNX.

    An MLP maps input (n, inputs) to torque (n, outputs); a recurrent network takes input (1, n, inputs), hidden and
    cell (layers, n, hidden) and gives torque, next_hidden and next_cell.
    """
    onnx = require_onnx()
    sheet = Sheet(onnx, np.dtype(precision))
    words = {name: value if isinstance(value, str) else json.dumps(value) for name, value in (metadata or {}).items()}
    if isinstance(network, Mlp):
        inputs: dict[str, Module] = {"input": ("n", network.input_size)}
        states: dict[str, Module] = {}
        sheet.perceptron(network, "input", "torque")
    else:
        inputs = {"input": (1, "n", network.input_size)}
        states = dict.fromkeys(write_recurrent(sheet, network), (network.layers, "n", network.hidden_size))
        words |= recurrent_roles(network, list(states))
    outputs = {"torque": ("n", network.output_size)} | {f"next_{name}": shape for name, shape in states.items()}
    make = onnx.helper
    kind = make.np_dtype_to_tensor_dtype(sheet.dtype)
    graph = make.make_graph(
        sheet.nodes,
        "learned_actuator",
        [make.make_tensor_value_info(name, kind, shape) for name, shape in (inputs | states).items()],
        [make.make_tensor_value_info(name, kind, shape) for name, shape in outputs.items()],
        sheet.weights,
    )
    model = make.make_model(graph, opset_imports=[make.make_opsetid("", OPSET)], ir_version=IR, producer_name="backemf")
    make.set_model_props(model, words)
    onnx.checker.check_model(model, full_check=True)
    return write_bytes(path, model.SerializeToString(), folders=True)


def recurrent_roles(network: Lstm | Gru, states: list[str]) -> dict[str, str]:
    """What Newton asks a recurrent file for."""
    roles = {"num_layers": str(network.layers), "hidden_size": str(network.hidden_size)}
    roles |= {"input_name": "input", "output_name": "torque"}
    for name in states:
        roles |= {f"{name}_in_name": name, f"{name}_out_name": f"next_{name}"}
    return roles


class Sheet:
    """The nodes and weights of a graph as it is written."""

    def __init__(self, onnx: Module, dtype: np.dtype):
        self.onnx, self.dtype = onnx, dtype
        self.nodes: list[Module] = []
        self.weights: list[Module] = []

    def add(self, kind: str, inputs: list[str], outputs: list[str], **options: object) -> None:
        """One more node."""
        self.nodes.append(self.onnx.helper.make_node(kind, inputs, outputs, **options))

    def weight(self, name: str, values: np.ndarray, dtype: type | None = None) -> str:
        """One more array of the file; its name."""
        self.weights.append(self.onnx.numpy_helper.from_array(np.ascontiguousarray(values, dtype or self.dtype), name))
        return name

    def perceptron(self, network: Mlp, start: str, end: str) -> None:
        """Gemm, norm and activation, layer by layer."""
        here = start
        for layer, (weight, bias, norm, word) in enumerate(network.rows):
            after = end if layer == len(network.weights) - 1 else f"layer{layer}"
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
            self.add(kinds[name], [start], [end], **({"alpha": parameter} if name in PARAMETERS else {}))


def write_recurrent(sheet: Sheet, network: Lstm | Gru) -> list[str]:
    """Write the nodes of a recurrent network; the names of its states."""
    kind = "LSTM" if isinstance(network, Lstm) else "GRU"
    states = ["hidden", "cell"] if kind == "LSTM" else ["hidden"]
    more = {"linear_before_reset": 1} if kind == "GRU" else {}
    layers = range(network.layers)
    for name in states:
        sheet.add("Split", [name], [f"{name}{k}" for k in layers], axis=0, num_outputs=network.layers)
    second = sheet.weight("axis1", np.array([1]), np.int64)
    here = "input"
    for k in layers:
        inputs = [here, *gate_arrays(sheet, network, kind, k), "", *(f"{name}{k}" for name in states)]
        outputs = [f"steps{k}", *(f"next_{name}{k}" for name in states)]
        sheet.add(kind, inputs, outputs, hidden_size=network.hidden_size, **more)
        # the axis of directions goes, the one of steps stays
        sheet.add("Squeeze", [f"steps{k}", second], [f"below{k}"])
        here = f"below{k}"
    for name in states:
        sheet.add("Concat", [f"next_{name}{k}" for k in layers], [f"next_{name}"], axis=0)
    sheet.add("Squeeze", [here, sheet.weight("axis0", np.array([0]), np.int64)], ["features"])
    sheet.perceptron(network.head, "features", "torque")
    return states


def gate_arrays(sheet: Sheet, network: Lstm | Gru, kind: str, k: int) -> list[str]:
    """The arrays of a layer in ONNX's order of gates; their names."""
    order = np.argsort(GATES[kind][1])
    weight, hidden, *biases = (
        np.concatenate([np.split(getattr(network, field)[k], len(order))[gate] for gate in order])
        for field in RECURRENT_FIELDS
    )
    arrays = {"W": weight, "R": hidden, "B": np.concatenate(biases)}
    return [sheet.weight(f"{name}{k}", array[None]) for name, array in arrays.items()]
