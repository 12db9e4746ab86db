"""From the operations of a file to a network: what the readers of TorchScript and ONNX share.

A reader follows the input through the file's operations. Each adds a layer to a `Flow`; at the end the layers are put
together to an MLP, an LSTM or a GRU. Factors and offsets are folded into the weights beside them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import ParameterError
from .networks import Gru, Lstm, Mlp, Network


class Stumble(Exception):
    """A reader met an operation that no plain MLP, LSTM or GRU has; says which."""


@dataclass(frozen=True, eq=False)
class Linear:
    """A layer of weights (outputs, inputs) and biases (outputs,)."""

    weight: np.ndarray
    bias: np.ndarray


@dataclass(frozen=True, eq=False)
class Factor:
    """A number per feature, or one for all, that multiplies."""

    value: np.ndarray


@dataclass(frozen=True, eq=False)
class Offset:
    """A number per feature, or one for all, that is added."""

    value: np.ndarray


@dataclass(frozen=True, eq=False)
class Activation:
    """An activation by name."""

    name: str


@dataclass(frozen=True, eq=False)
class Gates:
    """Layers of an LSTM or GRU: (input weights, hidden weights, input biases, hidden biases) of each."""

    kind: type[Lstm] | type[Gru]
    layers: tuple[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray], ...]


Layer = Linear | Factor | Offset | Activation | Gates


@dataclass(frozen=True, eq=False)
class Flow:
    """The input after some layers; `partial` names a piece of an activation that is written out."""

    layers: tuple[Layer, ...] = ()
    partial: str = ""

    def then(self, layer: Layer) -> Flow:
        """The flow after one more layer."""
        if self.partial:
            raise Stumble(f"the unfinished expression {self.partial}")
        return Flow((*self.layers, layer))


@dataclass(frozen=True, eq=False)
class Memory:
    """A hidden or cell state; where it is a layer's new hidden state, the flow it equals."""

    flow: Flow | None = None


# --- operations on flows


def linear(flow: Flow, weight: Any, bias: Any = None) -> Flow:
    """W·x + b."""
    weight = np.asarray(weight, dtype=float)
    if weight.ndim != 2:
        raise Stumble(f"weights of the shape {weight.shape}")
    bias = np.zeros(len(weight)) if bias is None else np.asarray(bias, dtype=float).reshape(-1)
    return flow.then(Linear(weight, np.broadcast_to(bias, (len(weight),))))


def activation(flow: Flow, name: str, parameter: float | None = None) -> Flow:
    """An activation; a parameter other than the usual one is not known here."""
    usual = {"elu": 1.0, "leaky_relu": 0.01}.get(name)
    if usual is not None and parameter is not None and abs(parameter - usual) > 1e-6:
        raise Stumble(f"{name} with the parameter {parameter:g} (only {usual:g} is known)")
    return flow if name == "identity" else flow.then(Activation(name))


def times(flow: Flow, value: Any) -> Flow:
    """A constant factor."""
    value = np.asarray(value, dtype=float).reshape(-1)
    if flow.partial == "x·(1 + erf)" and np.allclose(value, 0.5):
        return Flow(flow.layers).then(Activation("gelu"))
    return flow.then(Factor(value))


def plus(flow: Flow, value: Any) -> Flow:
    """A constant offset."""
    value = np.asarray(value, dtype=float).reshape(-1)
    if flow.partial in ("|x|", "erf") and np.allclose(value, 1.0):
        return Flow(flow.layers, f"1 + {flow.partial}")
    return flow.then(Offset(value))


def magnitude(flow: Flow) -> Flow:
    """|x|, which is a piece of softsign."""
    return piece(flow, "|x|")


def error_function(flow: Flow) -> Flow:
    """erf(x/√2), which is a piece of gelu."""
    last = flow.layers[-1] if flow.layers else None
    if not (isinstance(last, Factor) and np.allclose(last.value, np.sqrt(0.5))):
        raise Stumble("erf")
    return piece(Flow(flow.layers[:-1]), "erf")


def piece(flow: Flow, name: str) -> Flow:
    if flow.partial:
        raise Stumble(f"{name} of {flow.partial}")
    return Flow(flow.layers, name)


def product(a: Flow, b: Flow) -> Flow:
    """x·sigmoid(x), which is silu, or a step of gelu."""
    for x, y in ((a, b), (b, a)):
        last = y.layers[-1] if y.layers else None
        if not y.partial and isinstance(last, Activation) and last.name == "sigmoid" and same(x, y.layers[:-1]):
            return x.then(Activation("silu"))
        if y.partial == "1 + erf" and same(x, y.layers):
            return Flow(x.layers, "x·(1 + erf)")
        half = x.layers[-1] if x.layers else None
        if y.partial == "1 + erf" and isinstance(half, Factor) and np.allclose(half.value, 0.5):
            whole = Flow(x.layers[:-1])
            if same(whole, y.layers):
                return whole.then(Activation("gelu"))
    raise Stumble("a product of two layers")


def quotient(a: Flow, b: Flow) -> Flow:
    """x/(1 + |x|), which is softsign."""
    if b.partial == "1 + |x|" and same(a, b.layers):
        return a.then(Activation("softsign"))
    raise Stumble("a quotient of two layers")


def same(flow: Flow, layers: tuple[Layer, ...]) -> bool:
    """Whether a flow is whole and has passed exactly these layers."""
    return (
        not flow.partial
        and len(flow.layers) == len(layers)
        and all(a is b for a, b in zip(flow.layers, layers, strict=True))
    )


# --- putting the layers together


def assemble(flow: Any) -> Network:
    """The network whose layers a flow has passed."""
    if not isinstance(flow, Flow) or flow.partial:
        raise Stumble("an output that does not come from the input")
    folded = fold(flow.layers)
    gates = [layer for layer in folded if isinstance(layer, Gates)]
    if not gates:
        return perceptron(folded)
    if any(isinstance(layer, Gates) for layer in folded[len(gates) :]):
        raise Stumble("a layer below or between the recurrent ones")
    if any(layer.kind is not gates[0].kind for layer in gates):
        raise Stumble("LSTM and GRU layers in one network")
    rows = [row for layer in gates for row in layer.layers]
    if len({row[1].shape for row in rows}) > 1:
        raise Stumble("recurrent layers of different widths")
    columns = tuple(tuple(row[column] for row in rows) for column in range(4))
    head = folded[len(gates) :]
    if not head:
        raise Stumble(f"{gates[0].kind.__name__} without a linear layer behind it")
    return gates[0].kind(
        input_weights=columns[0],
        hidden_weights=columns[1],
        input_biases=columns[2],
        hidden_biases=columns[3],
        head=perceptron(head),
    )


def fold(layers: tuple[Layer, ...]) -> list[Linear | Activation | Gates]:
    """The layers with every factor and offset in the weights beside it."""
    done: list[Linear | Activation | Gates] = []
    factor, offset = np.ones(1), np.zeros(1)
    for layer in layers:
        if isinstance(layer, (Factor, Offset)):
            scale = layer.value if isinstance(layer, Factor) else np.ones(1)
            shift = layer.value if isinstance(layer, Offset) else np.zeros(1)
            if done and isinstance(done[-1], Linear):
                last = done[-1]
                done[-1] = Linear(last.weight * scale.reshape(-1, 1), last.bias * scale + shift)
            else:
                factor, offset = factor * scale, offset * scale + shift
            continue
        waiting = not (np.all(factor == 1.0) and np.all(offset == 0.0))
        if waiting and isinstance(layer, Activation):
            raise Stumble("a factor or offset without a linear layer beside it")
        if waiting and isinstance(layer, Linear):
            layer = Linear(
                layer.weight * factor, layer.bias + layer.weight @ (offset + np.zeros(layer.weight.shape[1]))
            )
        if waiting and isinstance(layer, Gates):
            first = layer.layers[0]
            bias = first[2] + first[0] @ (offset + np.zeros(first[0].shape[1]))
            layer = Gates(layer.kind, ((first[0] * factor, first[1], bias, first[3]), *layer.layers[1:]))
        factor, offset = np.ones(1), np.zeros(1)
        if isinstance(layer, Linear) and done and isinstance(done[-1], Linear):
            below = done.pop()
            assert isinstance(below, Linear)
            layer = Linear(layer.weight @ below.weight, layer.weight @ below.bias + layer.bias)
        done.append(layer)
    if not (np.all(factor == 1.0) and np.all(offset == 0.0)):
        # behind the last activation: one more layer that only scales
        size = width(done)
        done.append(Linear(np.diag(factor + np.zeros(size)), offset + np.zeros(size)))
    return done


def width(layers: list[Linear | Activation | Gates]) -> int:
    """Features behind the layers."""
    for layer in reversed(layers):
        if isinstance(layer, Linear):
            return len(layer.weight)
        if isinstance(layer, Gates):
            return layer.layers[-1][1].shape[1]
    raise Stumble("no layer with weights")


def perceptron(layers: list[Linear | Activation | Gates]) -> Mlp:
    """An MLP of layers and activations by turns."""
    weights: list[np.ndarray] = []
    biases: list[np.ndarray] = []
    names: list[str] = []
    for layer in layers:
        if isinstance(layer, Linear):
            if len(names) < len(weights):
                names.append("identity")
            weights.append(layer.weight)
            biases.append(np.array(layer.bias))
        elif isinstance(layer, Activation):
            if not weights or len(names) == len(weights):
                raise Stumble(f"the activation {layer.name} without a linear layer before it")
            names.append(layer.name)
    if not weights:
        raise Stumble("no layer with weights")
    names += ["identity"] * (len(weights) - len(names))
    if len(set(names[:-1])) > 1:
        raise Stumble(f"hidden layers with different activations ({', '.join(names[:-1])})")
    return Mlp(
        weights=tuple(weights),
        biases=tuple(biases),
        activation=names[0] if len(names) > 1 else "identity",
        output_activation=names[-1],
    )


def agree(ours: np.ndarray, theirs: np.ndarray) -> bool:
    """Whether two evaluations are the same but for rounding in single precision."""
    ours, theirs = np.asarray(ours, dtype=float).reshape(-1), np.asarray(theirs, dtype=float).reshape(-1)
    return ours.shape == theirs.shape and bool(
        np.allclose(ours, theirs, rtol=1e-3, atol=1e-4 * (1.0 + np.abs(theirs).max()))
    )


def refused(path: Any, stumble: Stumble) -> ParameterError:
    """The sentence for a file whose network is none that we know."""
    return ParameterError(f"{path}: is no plain MLP, LSTM or GRU; reading stopped at {stumble}")
