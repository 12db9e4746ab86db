"""The operations of a file, one after the other: what the readers of TorchScript and ONNX share.

A reader follows the input through the file's operations. Each adds a layer to a `Flow`, and where the flow has sample
values computes here what the operation makes of them; `assembly` makes a network of the layers and compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..actuator.network_laws import activated, gru, lstm, normalised
from ..actuator.networks import Gru, LayerNorm, Lstm, Mlp, activation_word
from ..physics.ops import erf

WIDEST, DEEPEST = 4096, 200
"""Most features of a layer and most layers that are read; beyond is no actuator, and could fill the memory."""


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
    """An activation by its word."""

    word: str


@dataclass(frozen=True, eq=False)
class Norm:
    """A layer norm."""

    norm: LayerNorm


@dataclass(frozen=True, eq=False)
class Gates:
    """Layers of an LSTM or GRU: (input weights, hidden weights, input biases, hidden biases) of each."""

    kind: type[Lstm] | type[Gru]
    layers: tuple[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray], ...]


Layer = Linear | Factor | Offset | Activation | Norm | Gates


@dataclass(frozen=True, eq=False)
class Flow:
    """The input after some layers."""

    layers: tuple[Layer, ...] = ()
    partial: str = ""
    """The piece of an activation that is written out; empty where the flow is whole."""
    value: np.ndarray | None = None
    """What the file's operations make of sample inputs, computed here; None while only layers are looked for."""

    def then(self, layer: Layer, value: np.ndarray | None) -> Flow:
        """The flow after one more layer."""
        if self.partial:
            raise Stumble(f"the unfinished expression {self.partial}")
        if len(self.layers) >= DEEPEST:
            raise Stumble(f"more than {DEEPEST} layers")
        return Flow((*self.layers, layer), value=value)


@dataclass(frozen=True, eq=False)
class Memory:
    """A hidden or cell state; where it is a layer's new hidden state, the flow it equals."""

    flow: Flow | None = None
    value: np.ndarray | None = None
    """As in `Flow`."""


def whole(value: Any) -> Flow:
    """The flow that a flow, or a memory that equals one, is."""
    if isinstance(value, Memory) and value.flow is not None:
        return Flow(value.flow.layers, value.flow.partial, value.value)
    if not isinstance(value, Flow):
        raise Stumble("an operation on something else than the input")
    return value


def computed(function: Any, *values: Any) -> np.ndarray | None:
    """A function of sample values; None while there are none."""
    if any(value is None for value in values):
        return None
    try:
        with np.errstate(all="ignore"):
            return np.asarray(function(*values))
    except (ValueError, IndexError, TypeError, OverflowError):
        raise Stumble("arrays whose shapes do not fit") from None


# --- operations on flows


def linear(flow: Flow, weight: Any, bias: Any = None) -> Flow:
    """W·x + b."""
    weight = np.asarray(weight, dtype=float)
    if weight.ndim != 2 or max(weight.shape) > WIDEST:
        raise Stumble(f"weights of the shape {weight.shape}")
    bias = np.zeros(len(weight)) if bias is None else np.asarray(bias, dtype=float).reshape(-1)
    if len(bias) not in (1, len(weight)):
        raise Stumble(f"{len(bias)} biases for {len(weight)} outputs")
    bias = np.broadcast_to(bias, (len(weight),))
    return flow.then(Linear(weight, bias), computed(lambda x: x @ weight.T + bias, flow.value))


def activation(flow: Flow, name: str, parameter: float | None = None) -> Flow:
    """An activation, with its parameter where it has one."""
    if name == "identity":
        return flow
    word = activation_word(name, parameter)
    return flow.then(Activation(word), computed(lambda x: activated(x, word), flow.value))


def layer_norm(flow: Flow, weight: Any, bias: Any, epsilon: float, features: int) -> Flow:
    """A layer norm over the last axis."""
    if not 0 < features <= WIDEST:
        raise Stumble(f"a layer norm over {features} features")
    scale = np.ones(features) if weight is None else np.asarray(weight, dtype=float)
    shift = np.zeros(features) if bias is None else np.asarray(bias, dtype=float)
    if scale.shape != (features,) or shift.shape != scale.shape:
        raise Stumble("a layer norm over more than the features")
    norm = LayerNorm(weight=scale, bias=shift, epsilon=float(epsilon))
    return flow.then(Norm(norm), computed(lambda x: normalised(x, norm), flow.value))


def gates(flow: Flow, kind: type[Lstm] | type[Gru], rows: Any, states: list[Any]) -> tuple[Flow, Memory, Memory]:
    """Layers of gates: the output of the last one, and the new hidden and cell states."""
    for row in rows:
        if row[0].ndim != 2 or row[1].ndim != 2 or max(*row[0].shape, *row[1].shape) > WIDEST:
            raise Stumble(f"gates of the shapes {row[0].shape} and {row[1].shape}")
    done = flow.then(Gates(kind, tuple(rows)), None)
    if flow.value is None:
        return done, Memory(done), Memory()
    size = rows[0][1].shape[1]
    columns = [tuple(row[column] for row in rows) for column in range(4)]
    head = Mlp(weights=(np.eye(size),), biases=(np.zeros(size),))
    names = ("input_weights", "hidden_weights", "input_biases", "hidden_biases")
    net = kind(**dict(zip(names, columns, strict=True)), head=head)
    # one motor, one step: whichever axis is the batch, the features are all there is
    start = [state_value(states, index, len(rows) * size) for index in range(2)]

    def step(x: np.ndarray) -> Any:
        x = x.reshape(-1)
        return lstm(x, start[0], start[1], net) if isinstance(net, Lstm) else (*gru(x, start[0], net), start[1])

    answers = computed(lambda x: np.concatenate([np.ravel(y) for y in step(x)]), flow.value)
    assert answers is not None
    out, hidden, cell = np.split(answers, [size, size + len(rows) * size])
    done = Flow(done.layers, value=out.reshape(*flow.value.shape[:-1], size))
    shape = (len(rows), 1, size)
    return done, Memory(done, hidden.reshape(shape)), Memory(value=cell.reshape(shape))


def state_value(states: list[Any], index: int, size: int) -> np.ndarray:
    """The numbers of a given state; zeros where none is given."""
    given = states[index] if index < len(states) else None
    value = given if isinstance(given, np.ndarray) else getattr(given, "value", None)
    if value is None:
        return np.zeros(size)
    if value.size != size:
        raise Stumble("a state of another size than the layers have")
    return value.reshape(-1)


def constant(value: Any) -> np.ndarray:
    """A constant beside a flow: one number, or one per feature along the last axis."""
    value = np.asarray(value, dtype=float)
    if value.ndim > 1 and value.size != value.shape[-1]:
        raise Stumble("a factor or offset that differs from row to row")
    return value


def times(flow: Flow, value: Any) -> Flow:
    """A constant factor."""
    known = constant(value)
    after = computed(lambda x: same_size(x * known, x), flow.value)
    if flow.partial == "x·(1 + erf)" and np.allclose(known, 0.5):
        return Flow(flow.layers).then(Activation("gelu"), after)
    return flow.then(Factor(known.reshape(-1)), after)


def plus(flow: Flow, value: Any) -> Flow:
    """A constant offset."""
    known = constant(value)
    after = computed(lambda x: same_size(x + known, x), flow.value)
    if flow.partial in ("|x|", "erf") and np.allclose(known, 1.0):
        return Flow(flow.layers, f"1 + {flow.partial}", after)
    return flow.then(Offset(known.reshape(-1)), after)


def same_size(result: np.ndarray, x: np.ndarray) -> np.ndarray:
    """A result that a constant has not spread over more axes."""
    if result.size != x.size:
        raise Stumble("a factor or offset that is wider than the layer")
    return result


def magnitude(flow: Flow) -> Flow:
    """|x|, which is a piece of softsign."""
    return piece(flow, "|x|", computed(np.abs, flow.value))


def error_function(flow: Flow) -> Flow:
    """erf(x/√2), which is a piece of gelu."""
    last = flow.layers[-1] if flow.layers else None
    if not (isinstance(last, Factor) and np.allclose(last.value, np.sqrt(0.5))):
        raise Stumble("erf")
    return piece(Flow(flow.layers[:-1], flow.partial), "erf", computed(erf, flow.value))


def piece(flow: Flow, name: str, value: np.ndarray | None) -> Flow:
    if flow.partial:
        raise Stumble(f"{name} of {flow.partial}")
    return Flow(flow.layers, name, value)


def product(a: Flow, b: Flow) -> Flow:
    """x·sigmoid(x), which is silu, or a step of gelu."""
    value = computed(lambda x, y: same_size(x * y, x), a.value, b.value)
    for x, y in ((a, b), (b, a)):
        last = y.layers[-1] if y.layers else None
        if not y.partial and isinstance(last, Activation) and last.word == "sigmoid" and same(x, y.layers[:-1]):
            return x.then(Activation("silu"), value)
        if y.partial == "1 + erf" and same(x, y.layers):
            return Flow(x.layers, "x·(1 + erf)", value)
        half = x.layers[-1] if x.layers else None
        if y.partial == "1 + erf" and isinstance(half, Factor) and np.allclose(half.value, 0.5):
            before = Flow(x.layers[:-1])
            if same(before, y.layers):
                return before.then(Activation("gelu"), value)
    raise Stumble("a product of two layers")


def quotient(a: Flow, b: Flow) -> Flow:
    """x/(1 + |x|), which is softsign."""
    if b.partial == "1 + |x|" and same(a, b.layers):
        return a.then(Activation("softsign"), computed(lambda x, y: same_size(x / y, x), a.value, b.value))
    raise Stumble("a quotient of two layers")


def same(flow: Flow, layers: tuple[Layer, ...]) -> bool:
    """Whether a flow is whole and has passed exactly these layers."""
    return (
        not flow.partial
        and len(flow.layers) == len(layers)
        and all(a is b for a, b in zip(flow.layers, layers, strict=True))
    )
