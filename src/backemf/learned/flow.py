"""The input on its way through a file's operations: what the readers of TorchScript and ONNX share.

Each operation adds a layer to a `Flow`. Where the flow has sample values, it also computes what the operation makes of
them; `assembly` builds a network of the layers and compares the two.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..actuator.network_laws import activate, gru, lstm, normalise
from ..actuator.networks import Gru, LayerNorm, Lstm, Mlp, activation_word
from ..physics.ops import erf
from .layers import Activation, Affine, GateRow, Gates, Layer, Linear, Norm, UnsupportedLayer, recurrent_network

WIDEST, DEEPEST = 4096, 200
"""Most features of a layer and most layers that are read; a larger network could fill the memory."""
STATE = "a recurrent state"


@dataclass(frozen=True, eq=False)
class Flow:
    """The input after some layers, or a state of recurrent layers."""

    layers: tuple[Layer, ...] = ()
    partial: str = ""
    """How much of an expression of several operations has been seen, as in `EXPRESSIONS`; empty between expressions."""
    value: np.ndarray | None = None
    """What the file's operations make of sample inputs; None while only layers are looked for."""
    state: bool = False
    """Whether it is a hidden or cell state; a layer's new hidden state is also the output after the layer."""
    epsilon: float = 0.0
    """What an expression has added to a variance."""

    def then(self, layer: Layer, value: np.ndarray | None) -> Flow:
        """The flow after one more layer."""
        if self.partial:
            raise UnsupportedLayer(f"the unfinished expression {self.partial}")
        if len(self.layers) >= DEEPEST:
            raise UnsupportedLayer(f"more than {DEEPEST} layers")
        return Flow((*self.layers, layer), value=value)


def state_of(value: np.ndarray | None) -> Flow:
    """A hidden or cell state that is not the output of a layer."""
    return Flow((), STATE, value, state=True)


def whole(value: object) -> Flow:
    """The flow that an operation is applied to."""
    if not isinstance(value, Flow) or value.partial == STATE:
        raise UnsupportedLayer("an operation on something else than the input")
    return value


def array(value: object) -> np.ndarray:
    """An array of the file, in double precision."""
    if not isinstance(value, np.ndarray):
        raise UnsupportedLayer("weights that are not part of the file")
    return value.astype(float)


def maybe_array(value: object) -> np.ndarray | None:
    """An array of the file, or None."""
    return None if value is None else array(value)


def compute(function: Callable[..., object], *values: np.ndarray | None) -> np.ndarray | None:
    """A function of sample values; None while there are none."""
    if any(value is None for value in values):
        return None
    try:
        with np.errstate(all="ignore"):
            return np.asarray(function(*values))
    except (ValueError, IndexError, TypeError, OverflowError):
        raise UnsupportedLayer("arrays whose shapes do not fit") from None


# --- layers


def linear(flow: Flow, weight: np.ndarray, bias: np.ndarray | float | None = None) -> Flow:
    """W·x + b."""
    if weight.ndim != 2 or max(weight.shape) > WIDEST:
        raise UnsupportedLayer(f"weights of the shape {weight.shape}")
    row = np.zeros(len(weight)) if bias is None else np.asarray(bias, dtype=float).reshape(-1)
    if len(row) not in (1, len(weight)):
        raise UnsupportedLayer(f"{len(row)} biases for {len(weight)} outputs")
    row = np.broadcast_to(row, (len(weight),))
    return flow.then(Linear(weight, row), compute(lambda x: x @ weight.T + row, flow.value))


def activation(flow: Flow, name: str, parameter: float | None = None) -> Flow:
    """An activation, with its parameter where it has one."""
    word = activation_word(name, parameter)
    return flow.then(Activation(word), compute(lambda x: activate(x, word), flow.value))


def layer_norm(flow: Flow, weight: np.ndarray | None, bias: np.ndarray | None, epsilon: float, features: int) -> Flow:
    """A layer norm over the last axis."""
    if not 0 < features <= WIDEST:
        raise UnsupportedLayer(f"a layer norm over {features} features")
    scale = np.ones(features) if weight is None else weight
    shift = np.zeros(features) if bias is None else bias
    if scale.shape != (features,) or shift.shape != scale.shape:
        raise UnsupportedLayer("a layer norm over more than the features")
    norm = LayerNorm(weight=scale, bias=shift, epsilon=float(epsilon))
    return flow.then(Norm(norm), compute(lambda x: normalise(x, norm), flow.value))


def gates(
    flow: Flow, kind: type[Lstm] | type[Gru], rows: Sequence[GateRow], states: Sequence[object]
) -> tuple[Flow, Flow, Flow]:
    """Recurrent layers: the output of the last one, and the new hidden and cell states."""
    for row in rows:
        if row[0].ndim != 2 or row[1].ndim != 2 or max(*row[0].shape, *row[1].shape) > WIDEST:
            raise UnsupportedLayer(f"gates of the shapes {row[0].shape} and {row[1].shape}")
    size, total = rows[0][1].shape[1], len(rows) * rows[0][1].shape[1]

    def step(x: np.ndarray) -> np.ndarray:
        # one motor, one step: whichever axis is the batch, the features are all there is
        net = recurrent_network(kind, rows, Mlp(weights=(np.eye(size),), biases=(np.zeros(size),)))
        hidden, cell = (state_value(state, total) for state in (*states, None, None)[:2])
        x = x.reshape(-1)
        answers = lstm(x, hidden, cell, net) if isinstance(net, Lstm) else (*gru(x, hidden, net), cell)
        return np.concatenate(answers)

    done = flow.then(Gates(kind, tuple(rows)), compute(step, flow.value))
    if flow.value is None or done.value is None:
        return done, replace(done, state=True), state_of(None)
    out, *after = np.split(done.value, [size, size + total])
    hidden, cell = (values.reshape(len(rows), 1, size) for values in after)
    done = replace(done, value=out.reshape(*flow.value.shape[:-1], size))
    return done, replace(done, value=hidden, state=True), state_of(cell)


def state_value(given: object, size: int) -> np.ndarray:
    """The numbers of a given state; zeros where none is given."""
    value = given.value if isinstance(given, Flow) else given
    if not isinstance(value, np.ndarray):
        return np.zeros(size)
    if value.size != size:
        raise UnsupportedLayer("a state of another size than the layers have")
    return value.reshape(-1)


# --- arithmetic


def shortest(value: float) -> float:
    """The decimal number that a single-precision one stands for: 0.2 for 0.20000000298."""
    return float(str(np.float32(value)))


def arithmetic(name: str, a: object, b: object, alpha: float = 1.0) -> Flow:
    """a + alpha·b, a - alpha·b, a·b or a/b of the flow and a constant, or of two pieces of an expression."""
    if isinstance(a, Flow) and isinstance(b, Flow):
        found = express(name, whole(a), whole(b)) or (express(name, whole(b), whole(a)) if name == "mul" else None)
        if found is None:
            raise UnsupportedLayer("a sum of two layers" if name in ("add", "sub") else "a product of two layers")
        return found
    first = isinstance(a, Flow)
    flow, value = whole(a if first else b), b if first else a
    if not isinstance(value, (int, float, np.ndarray)):
        raise UnsupportedLayer(f"the operation {name} with numbers that are not part of the file")
    if name == "mul":
        return affine(flow, value, 0.0)
    if name == "div":
        if not first:
            raise UnsupportedLayer("a division by a layer")
        return affine(flow, 1.0 / np.asarray(value), 0.0)
    sign = alpha if name == "add" else -alpha
    return affine(flow, 1.0, value * sign) if first else affine(flow, sign, value)


def affine(flow: Flow, factor: np.ndarray | float, offset: np.ndarray | float) -> Flow:
    """The flow times a factor plus an offset, each one number, or one per feature along the last axis."""
    pair = np.asarray(factor, dtype=float), np.asarray(offset, dtype=float)
    if any(known.ndim > 1 and known.size != known.shape[-1] for known in pair):
        raise UnsupportedLayer("a factor or offset that differs from row to row")
    value = compute(lambda x: same_size(x * pair[0] + pair[1], x), flow.value)
    name, known = ("add", pair[1]) if np.all(pair[0] == 1.0) else ("mul", pair[0])
    if name == "add" and flow.partial == "the variance" and known.size == 1:
        return replace(flow, partial="the variance + ε", value=value, epsilon=shortest(known.item()))
    word = next((word for word, number in CONSTANTS.items() if np.allclose(known, number)), "")
    after = EXPRESSIONS.get((name, flow.partial, word))
    return flow.then(Affine(*map(np.ravel, pair)), value) if after is None else finish(flow, after, value)


def same_size(result: np.ndarray, x: np.ndarray) -> np.ndarray:
    """A result that has not been spread over more axes."""
    if result.size != x.size:
        raise UnsupportedLayer("a factor or offset that is wider than the layer")
    return result


# --- expressions of several operations

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": np.abs, "erf": erf, "sqrt": np.sqrt, "square": np.square, "mean": lambda x: x.mean(-1, keepdims=True),
    **{name: lambda x, y, f=f: same_size(f(x, y), x)
       for name, f in {"sub": operator.sub, "mul": operator.mul, "div": operator.truediv}.items()},
}  # fmt: skip
CONSTANTS = {"1": 1.0, "1/2": 0.5}
EXPRESSIONS: dict[tuple[str, ...], str] = {
    ("abs", ""): "|x|",
    ("add", "|x|", "1"): "1 + |x|",
    ("div", "", "1 + |x|"): "softsign",
    ("mul", "", "sigmoid(x)"): "silu",
    ("erf", "x/√2"): "erf",
    ("add", "erf", "1"): "1 + erf",
    ("mul", "", "1 + erf"): "x·(1 + erf)",
    ("mul", "x·(1 + erf)", "1/2"): "gelu",
    ("mul", "x/2", "1 + erf"): "gelu",
    ("mean", ""): "the mean",
    ("sub", "", "the mean"): "x - mean",
    ("square", "x - mean"): "(x - mean)²",
    ("mean", "(x - mean)²"): "the variance",
    ("sqrt", "the variance + ε"): "the standard deviation",
    ("div", "x - mean", "the standard deviation"): "layer norm",
}
"""What an operation makes of one or two pieces of an expression, or of a piece and a constant: another piece, an
activation or a layer norm."""


def express(name: str, *flows: Flow) -> Flow | None:
    """The flow after one more operation of an expression; None where no expression has it."""
    for pieces in itertools.product(*(readings(flow) for flow in flows)):
        after = EXPRESSIONS.get((name, *(piece.partial for piece in pieces)))
        if after is not None and all(piece.layers == pieces[0].layers for piece in pieces):
            return finish(pieces[-1], after, compute(FUNCTIONS[name], *(flow.value for flow in flows)))
    return None


def readings(flow: Flow) -> list[Flow]:
    """The flow, and the one before its last layer where that may be a piece of an expression."""
    last = flow.layers[-1] if flow.layers and not flow.partial else None
    piece = "sigmoid(x)" if isinstance(last, Activation) and last.word == "sigmoid" else ""
    if isinstance(last, Affine) and not last.offset.any():
        factors = {"x/√2": np.sqrt(0.5), "x/2": 0.5}
        piece = next((word for word, factor in factors.items() if np.allclose(last.factor, factor)), "")
    return [flow, replace(flow, layers=flow.layers[:-1], partial=piece)] if piece else [flow]


def finish(flow: Flow, after: str, value: np.ndarray | None) -> Flow:
    """The flow with the next piece of an expression, or with the layer that the expression is."""
    if after in ("softsign", "silu", "gelu"):
        return Flow(flow.layers).then(Activation(after), value)
    if after == "layer norm":
        # weight and bias come behind it; until then they are one number for all features
        norm = LayerNorm(weight=np.ones(1), bias=np.zeros(1), epsilon=flow.epsilon)
        return Flow(flow.layers).then(Norm(norm), value)
    return replace(flow, partial=after, value=value)


def unary(name: str, x: object) -> Flow:
    """An operation on the flow alone, by its lower-case name."""
    flow = whole(x)
    found = affine(flow, -1.0, 0.0) if name == "neg" else express(name, flow)
    if found is None:
        raise UnsupportedLayer(f"the operation {name}")
    return found
