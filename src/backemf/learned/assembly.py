"""A network from the layers that a file's input passes. Factors and offsets are folded into the weights beside them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..actuator.network_laws import gru, lstm, mlp
from ..actuator.networks import LayerNorm, Lstm, Mlp, Network
from ..errors import BackemfError, ParameterError
from .layers import Activation, Factor, Flow, Gates, Layer, Linear, Memory, Norm, Offset, Stumble

Folded = Linear | Activation | Norm | Gates
"""What is left when factors and offsets are in the weights."""
Follow = Callable[[Flow, list[Memory]], Any]
"""A reader's way from an input and states to the flow that comes out."""


def read_layers(follow: Follow, takes_states: bool = True) -> Network:
    """The network that a reader finds, compared with the file's own operations on sample inputs.

    Those of a recurrent file are one step of one motor, from a random state, or from 0 where the file takes none.
    """
    network = assemble(follow(Flow(), [Memory(), Memory()]))
    rng = np.random.default_rng(0)
    if isinstance(network, Mlp):
        x = rng.normal(size=(12, network.input_size or 1)) * np.repeat([0.3, 1.0, 3.0], 4)[:, None]
        check(mlp(x, network), follow(Flow(value=x), []))
        return network
    size, features = network.layers * (network.hidden_size or 1), network.input_size or 1
    for scale in (0.3, 1.0, 3.0):
        x, hidden, cell = scale * rng.normal(size=features), *takes_states * rng.uniform(-0.5, 0.5, size=(2, size))
        net = network
        ours = lstm(x, hidden, cell, net)[0] if isinstance(net, Lstm) else gru(x, hidden, net)[0]
        states = [Memory(value=state.reshape(network.layers, 1, -1)) for state in (hidden, cell)]
        check(ours, first_that_fits(follow, x, ((1, 1, features), (1, features)), states))
    return network


def first_that_fits(follow: Follow, x: np.ndarray, shapes: Any, states: list[Memory]) -> Any:
    """The flow for the first shape of the input that the operations take."""
    last = Stumble("an input of another shape than a row per motor")
    for shape in shapes:
        try:
            return follow(Flow(value=x.reshape(shape)), states)
        except Stumble as stumble:
            last = stumble
    raise last


def check(ours: np.ndarray, flow: Any) -> None:
    """Raise if the file's operations and the network do not give the same numbers."""
    if not isinstance(flow, Flow) or flow.value is None or not agree(ours, flow.value):
        raise Stumble("a forward that does more than its layers (the answers differ)")


def assemble(flow: Any) -> Network:
    """The network whose layers a flow has passed."""
    if not isinstance(flow, Flow) or flow.partial:
        raise Stumble("an output that does not come from the input")
    try:
        return network_of(fold(flow.layers))
    except BackemfError:
        raise
    except ValueError:
        raise Stumble("arrays whose shapes do not fit") from None


def network_of(folded: list[Folded]) -> Network:
    """The network of folded layers."""
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


def fold(layers: tuple[Layer, ...]) -> list[Folded]:
    """The layers with every factor and offset in the weights beside it."""
    done: list[Folded] = []
    factor, offset = np.ones(1), np.zeros(1)
    for layer in layers:
        if isinstance(layer, (Factor, Offset)):
            scale = layer.value if isinstance(layer, Factor) else np.ones(1)
            shift = layer.value if isinstance(layer, Offset) else np.zeros(1)
            if done and isinstance(done[-1], (Linear, Norm)):
                done[-1] = scaled(done[-1], scale, shift)
            else:
                factor, offset = factor * scale, offset * scale + shift
            continue
        waiting = not (np.all(factor == 1.0) and np.all(offset == 0.0))
        if waiting and isinstance(layer, (Activation, Norm)):
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


def scaled(layer: Linear | Norm, scale: np.ndarray, shift: np.ndarray) -> Linear | Norm:
    """A layer whose outputs are multiplied and shifted."""
    if isinstance(layer, Linear):
        return Linear(layer.weight * scale.reshape(-1, 1), layer.bias * scale + shift)
    norm = layer.norm
    return Norm(LayerNorm(weight=norm.weight * scale, bias=norm.bias * scale + shift, epsilon=norm.epsilon))


def width(layers: list[Folded]) -> int:
    """Features behind the layers."""
    for layer in reversed(layers):
        if isinstance(layer, Linear):
            return len(layer.weight)
        if isinstance(layer, Gates):
            return layer.layers[-1][1].shape[1]
    raise Stumble("no layer with weights")


def perceptron(layers: list[Folded]) -> Mlp:
    """An MLP of weights, norms and activations by turns; a norm without weights before it gets the identity."""
    weights: list[np.ndarray] = []
    biases: list[np.ndarray] = []
    norms: list[LayerNorm | None] = []
    words: list[str | None] = []

    def begin(weight: np.ndarray, bias: np.ndarray) -> None:
        weights.append(weight)
        biases.append(np.array(bias))
        norms.append(None)
        words.append(None)

    for layer in layers:
        if isinstance(layer, Linear):
            begin(layer.weight, layer.bias)
        elif isinstance(layer, Norm):
            if not words or words[-1] is not None or norms[-1] is not None:
                size = len(weights[-1]) if weights else layer.norm.weight.size
                begin(np.eye(size), np.zeros(size))
            norms[-1] = as_wide(layer.norm, len(weights[-1]))
        elif isinstance(layer, Activation):
            if not words or words[-1] is not None:
                raise Stumble(f"the activation {layer.word} without a linear layer before it")
            words[-1] = layer.word
    if not weights:
        raise Stumble("no layer with weights")
    names = [word or "identity" for word in words]
    return Mlp(
        weights=tuple(weights),
        biases=tuple(biases),
        activation=tuple(names[:-1]) if len(names) > 1 else "identity",
        output_activation=names[-1],
        norms=tuple(norms),
    )


def as_wide(norm: LayerNorm, size: int) -> LayerNorm:
    """A norm with a weight and a bias for every feature."""
    if norm.weight.size == size == norm.bias.size:
        return norm
    weight, bias = (np.broadcast_to(values, (size,)).copy() for values in (norm.weight, norm.bias))
    return LayerNorm(weight=weight, bias=bias, epsilon=norm.epsilon)


def agree(ours: np.ndarray, theirs: np.ndarray) -> bool:
    """Whether two evaluations are the same but for rounding in single precision."""
    ours, theirs = np.asarray(ours, dtype=float).reshape(-1), np.asarray(theirs, dtype=float).reshape(-1)
    return ours.shape == theirs.shape and bool(
        np.allclose(ours, theirs, rtol=1e-3, atol=1e-4 * (1.0 + np.abs(theirs).max()))
    )


def refused(path: Any, stumble: Stumble, remedy: str) -> ParameterError:
    """The sentence for a file whose network is none that we know."""
    where = " ".join(str(stumble).split())
    where = where if len(where) <= 200 else f"{where[:200]}…"
    return ParameterError(f"{path}: is no plain MLP, LSTM or GRU; reading stopped at {where}; {remedy}")
