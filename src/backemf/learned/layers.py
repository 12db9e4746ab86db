"""A network as a list of layers: every reader of files makes one, and the network is assembled from it here.

Factors and offsets between the layers are folded into the weights beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..actuator.networks import RECURRENT_FIELDS, Gru, LayerNorm, Lstm, Mlp, Network

GATE_ARRAYS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
"""PyTorch's names of a recurrent layer's arrays, in the order of `RECURRENT_FIELDS`."""
GateRow = tuple[np.ndarray, ...]
"""Input weights, hidden weights, input biases and hidden biases of one recurrent layer."""


class UnsupportedLayer(Exception):
    """The file has an operation that no plain MLP, LSTM or GRU has; the text says which."""


@dataclass(frozen=True, eq=False)
class Linear:
    """Weights (outputs, inputs) and biases (outputs,)."""

    weight: np.ndarray
    bias: np.ndarray


@dataclass(frozen=True, eq=False)
class Affine:
    """A factor and an offset, per feature or one for all."""

    factor: np.ndarray
    offset: np.ndarray

    @property
    def neutral(self) -> bool:
        """Whether it changes nothing."""
        return bool(np.all(self.factor == 1.0) and np.all(self.offset == 0.0))


@dataclass(frozen=True, eq=False)
class Activation:
    """An activation as `Mlp` names it."""

    word: str


@dataclass(frozen=True, eq=False)
class Norm:
    """A layer norm."""

    norm: LayerNorm


@dataclass(frozen=True, eq=False)
class Gates:
    """Layers of an LSTM or GRU."""

    kind: type[Lstm] | type[Gru]
    rows: tuple[GateRow, ...]


Layer = Linear | Affine | Activation | Norm | Gates


# --- recurrent layers


def gate_rows(arrays: Mapping[str, np.ndarray | None]) -> list[GateRow]:
    """The recurrent layers among arrays with PyTorch's names; missing biases are 0."""
    rows: list[GateRow] = []
    while True:
        found = [arrays.get(f"{name}_l{len(rows)}") for name in GATE_ARRAYS]
        if found[0] is None or found[1] is None:
            return rows
        none = np.zeros(len(found[0]))
        rows.append(tuple(none if array is None else array.astype(float) for array in found))


def recurrent_network(kind: type[Lstm] | type[Gru], rows: Sequence[GateRow], head: Mlp) -> Lstm | Gru:
    """The LSTM or GRU of these layers."""
    return kind(**dict(zip(RECURRENT_FIELDS, zip(*rows, strict=True), strict=True)), head=head)


# --- factors and offsets


def fold(layers: Sequence[Layer]) -> list[Layer]:
    """The layers with every factor and offset in the weights beside it, and adjacent linear layers as one."""
    done: list[Layer] = []
    for layer in layers:
        merge = MERGE.get((type(done[-1]), type(layer))) if done else None
        done.append(layer if merge is None else merge(done.pop(), layer))
    done = [layer for layer in done if not (isinstance(layer, Affine) and layer.neutral)]
    last = done[-1] if done else None
    if isinstance(last, Affine):
        # behind the last activation: one more layer, which only scales
        size = width(done)
        done[-1] = Linear(np.diag(last.factor + np.zeros(size)), last.offset + np.zeros(size))
    if any(isinstance(layer, Affine) for layer in done):
        raise UnsupportedLayer("a factor or offset without a linear layer beside it")
    return done


def _scale_inputs(a: Affine, weight: np.ndarray, bias: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights and biases for inputs that are not yet multiplied and shifted."""
    return weight * a.factor, bias + weight @ (a.offset + np.zeros(weight.shape[1]))


def _into_gates(a: Affine, gates: Gates) -> Gates:
    first, *rest = gates.rows
    weight, bias = _scale_inputs(a, first[0], first[2])
    return Gates(gates.kind, ((weight, first[1], bias, first[3]), *rest))


def _scale_norm(layer: Norm, a: Affine) -> Norm:
    norm = layer.norm
    return Norm(LayerNorm(weight=norm.weight * a.factor, bias=norm.bias * a.factor + a.offset, epsilon=norm.epsilon))


MERGE: dict[tuple[type, type], Callable[..., Layer]] = {
    (Affine, Affine): lambda a, b: Affine(a.factor * b.factor, a.offset * b.factor + b.offset),
    (Affine, Linear): lambda a, layer: Linear(*_scale_inputs(a, layer.weight, layer.bias)),
    (Affine, Gates): _into_gates,
    (Linear, Affine): lambda layer, a: Linear(layer.weight * a.factor.reshape(-1, 1), layer.bias * a.factor + a.offset),
    (Norm, Affine): _scale_norm,
    (Linear, Linear): lambda a, b: Linear(b.weight @ a.weight, b.weight @ a.bias + b.bias),
}
"""How two adjacent layers become one, by their types."""


def width(layers: Sequence[Layer]) -> int:
    """Features behind the layers."""
    for layer in reversed(layers):
        if isinstance(layer, Linear):
            return len(layer.weight)
        if isinstance(layer, Gates):
            return layer.rows[-1][1].shape[1]
    raise UnsupportedLayer("no layer with weights")


# --- networks


def network_of(layers: list[Layer]) -> Network:
    """The network of layers without factors and offsets between them."""
    gates = [layer for layer in layers if isinstance(layer, Gates)]
    if not gates:
        return perceptron(layers)
    head, kind = layers[len(gates) :], gates[0].kind
    if layers[: len(gates)] != gates:
        raise UnsupportedLayer("a layer below or between the recurrent ones")
    if any(layer.kind is not kind for layer in gates):
        raise UnsupportedLayer("LSTM and GRU layers in one network")
    rows = [row for layer in gates for row in layer.rows]
    if len({row[1].shape for row in rows}) > 1:
        raise UnsupportedLayer("recurrent layers of different widths")
    if not head:
        raise UnsupportedLayer(f"{kind.__name__} without a linear layer behind it")
    return recurrent_network(kind, rows, perceptron(head))


def perceptron(layers: Sequence[Layer]) -> Mlp:
    """An MLP of linear layers, norms and activations in turn; a norm without weights before it gets the identity."""
    linear: list[Linear] = []
    norms: list[LayerNorm | None] = []
    words: list[str | None] = []

    def begin(layer: Linear) -> None:
        linear.append(layer)
        norms.append(None)
        words.append(None)

    for layer in layers:
        if isinstance(layer, Linear):
            begin(layer)
        elif isinstance(layer, Norm):
            norm = layer.norm
            if not words or words[-1] is not None or norms[-1] is not None:
                size = len(linear[-1].weight) if linear else norm.weight.size
                begin(Linear(np.eye(size), np.zeros(size)))
            shape = linear[-1].bias.shape
            weight, bias = (np.broadcast_to(values, shape).copy() for values in (norm.weight, norm.bias))
            norms[-1] = LayerNorm(weight=weight, bias=bias, epsilon=norm.epsilon)
        elif isinstance(layer, Activation):
            if not words or words[-1] is not None:
                raise UnsupportedLayer(f"the activation {layer.word} without a linear layer before it")
            words[-1] = layer.word
    if not linear:
        raise UnsupportedLayer("no layer with weights")
    names = [word or "identity" for word in words]
    return Mlp(
        weights=tuple(layer.weight for layer in linear),
        biases=tuple(np.array(layer.bias) for layer in linear),
        activation=tuple(names[:-1]) if len(names) > 1 else "identity",
        output_activation=names[-1],
        norms=tuple(norms),
    )
