"""PyTorch's operations by name: what each makes of the flow."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..actuator.networks import Gru, Lstm
from . import layers as build
from .layers import Flow, Memory, Stumble

ACTIVATIONS = {"relu", "elu", "tanh", "softsign", "sigmoid", "leaky_relu", "gelu", "silu"}
SAME = {
    "contiguous", "detach", "clone", "to", "float", "double", "dropout", "feature_dropout", "type_as", "alias",
    "alpha_dropout",
}  # fmt: skip
"""Operations that change nothing when a network runs; precision aside."""
FACTS = {"size", "dim", "len", "dtype", "device", "layout", "is_cuda", "ScalarImplicit", "Int", "NumToTensor"}
"""Operations that ask for a shape or place."""
PLAIN = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "gt": operator.gt, "le": operator.le, "ge": operator.ge,
    "__not__": operator.not_, "__is__": lambda a, b: a is b, "__isnot__": lambda a, b: a is not b,
    "__and__": lambda a, b: a and b, "__or__": lambda a, b: a or b, "neg": operator.neg,
}  # fmt: skip
"""Operations on words and numbers that are part of the file."""


class _Unknown:
    """A value that is known only while the network runs, such as a size."""


UNKNOWN = _Unknown()


class Size(int):
    """A size of the sample inputs: good for a reshape, unknown to a branch."""


def operation(name: str, inputs: list[Any]) -> Any:
    """What an operation makes of its inputs, one of which is the flow or a state."""
    name = name.rstrip("_") if not name.startswith("__") else name
    if name in FACTS:
        return fact(name, inputs)
    if name in SAME:
        return inputs[0]
    if name in SHAPES:
        return shaped(name, inputs)
    x = inputs[0]
    if name in ACTIVATIONS:
        return activated(name, inputs)
    if name == "linear":
        return build.linear(build.whole(x), numbers(inputs[1]), numbers(inputs[2]) if len(inputs) > 2 else None)
    if name == "addmm":
        return build.linear(build.whole(inputs[1]), numbers(inputs[2]).T, numbers(x))
    if name in ("matmul", "mm"):
        return build.linear(build.whole(x), numbers(inputs[1]).T)
    if name == "layer_norm":
        return layer_norm(inputs)
    if name in ("lstm", "gru"):
        return gates(name, inputs)
    if name == "abs":
        return build.magnitude(build.whole(x))
    if name == "erf":
        return build.error_function(build.whole(x))
    if name == "neg":
        return build.times(build.whole(x), -1.0)
    if name in ("add", "sub", "mul", "div"):
        return arithmetic(name, inputs)
    raise Stumble(f"the operation {name}")


def numbers(value: Any) -> Any:
    """A tensor of the file as an array; None stays None."""
    if value is None or (isinstance(value, (int, float)) and not isinstance(value, Size)):
        return value
    detach = getattr(value, "detach", None)
    known = value if detach is None else detach().double().numpy()
    if not isinstance(known, np.ndarray):
        raise Stumble("weights that are not part of the file")
    return known.astype(float)


def activated(name: str, inputs: list[Any]) -> Flow:
    """An activation with its parameter, where it has one."""
    given = inputs[1] if len(inputs) > 1 else None
    if name == "gelu" and given == "tanh":
        name = "gelu_tanh"
    if name == "elu" and any(value != 1 and not isinstance(value, bool) for value in inputs[2:4]):
        raise Stumble("elu with a scale of its own")
    parameter = float(given) if isinstance(given, (int, float)) and not isinstance(given, bool) else None
    return build.activation(build.whole(inputs[0]), name, parameter)


def layer_norm(inputs: list[Any]) -> Flow:
    """layer_norm(x, shape, weight, bias, eps)."""
    x, shape, weight, bias, epsilon = (*inputs[:5], *(None,) * (5 - len(inputs)))
    if not isinstance(shape, (list, tuple)) or len(shape) != 1 or not isinstance(shape[0], int):
        raise Stumble("a layer norm over more than the features")
    epsilon = 1e-5 if epsilon is None else epsilon
    if not isinstance(epsilon, (int, float)):
        raise Stumble("a layer norm whose epsilon is not part of the file")
    return build.layer_norm(build.whole(x), numbers(weight), numbers(bias), epsilon, int(shape[0]))


def arithmetic(name: str, inputs: list[Any]) -> Flow:
    """A sum, difference, product or quotient of the flow and a constant, or of two pieces of an activation."""
    a, b = inputs[:2]
    alpha = inputs[2] if len(inputs) > 2 and isinstance(inputs[2], (int, float)) else 1
    if isinstance(a, (Flow, Memory)) and isinstance(b, (Flow, Memory)):
        if name == "mul":
            return build.product(build.whole(a), build.whole(b))
        if name == "div":
            return build.quotient(build.whole(a), build.whole(b))
        raise Stumble(f"a sum of two layers (aten::{name})")
    first = isinstance(a, (Flow, Memory))
    flow, value = build.whole(a if first else b), numbers(b if first else a)
    if value is None:
        raise Stumble(f"aten::{name} with something that is not part of the file")
    if name == "mul":
        return build.times(flow, value)
    if name == "add":
        return build.plus(flow, value * alpha if first else value)
    if name == "sub":
        return build.plus(flow, -value * alpha) if first else build.plus(build.times(flow, -alpha), value)
    if not first:
        raise Stumble("a division by a layer (aten::div)")
    return build.times(flow, 1.0 / np.asarray(value))


# --- recurrent layers


def gates(name: str, inputs: list[Any]) -> tuple[Any, ...]:
    """lstm(x, (hidden, cell), weights, …) or gru(x, hidden, weights, …): output and states."""
    x, states, weights, biased, layers = inputs[:5]
    kind = name.upper()
    if not isinstance(weights, (list, tuple)) or not isinstance(layers, int) or layers < 1:
        raise Stumble(f"the layer {kind} (packed sequences)")
    if len(inputs) > 7 and inputs[7]:
        raise Stumble(f"the layer {kind} (bidirectional)")
    each = 4 if biased else 2
    if len(weights) != layers * each:
        raise Stumble(f"the layer {kind} (with projections)")
    rows = [gate_row([numbers(w) for w in weights[k * each : (k + 1) * each]]) for k in range(layers)]
    given = list(states) if isinstance(states, (list, tuple)) else [states]
    out, hidden, cell = build.gates(build.whole(x), Lstm if kind == "LSTM" else Gru, rows, given)
    return (out, hidden, cell) if kind == "LSTM" else (out, hidden)


def gate_row(arrays: list[np.ndarray]) -> tuple[Any, ...]:
    """Input weights, hidden weights and both biases, which are 0 where there are none."""
    none = np.zeros(len(arrays[0]))
    return (arrays[0], arrays[1], *(arrays[2:] or (none, none)))


def recurrent_module(kind: str, state: dict[str, Any], arguments: list[Any]) -> tuple[Flow, Any]:
    """Output and states of torch.nn.LSTM or torch.nn.GRU with these weights by name."""
    if any(name.endswith("_reverse") for name in state):
        raise Stumble(f"the layer {kind} (bidirectional)")
    if any("weight_hr" in name for name in state):
        raise Stumble(f"the layer {kind} (with projections)")
    rows = []
    while f"weight_ih_l{len(rows)}" in state:
        names = [f"{word}_l{len(rows)}" for word in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
        rows.append(gate_row([numbers(state[name]) for name in names if state.get(name) is not None]))
    if not rows:
        raise Stumble(f"the layer {kind} (without weights)")
    given = arguments[1] if len(arguments) > 1 else None
    states = list(given) if isinstance(given, (list, tuple)) else [given, *arguments[2:]]
    flow, hidden, cell = build.gates(build.whole(arguments[0]), Lstm if kind == "LSTM" else Gru, rows, states)
    return flow, (hidden, cell) if kind == "LSTM" else hidden


# --- shapes


def fact(name: str, inputs: list[Any]) -> Any:
    """A size of the sample inputs; unknown while there are none."""
    value = getattr(inputs[0], "value", None)
    if value is None or name not in ("size", "dim"):
        return UNKNOWN
    if name == "dim":
        return Size(value.ndim)
    if len(inputs) == 1:
        return [Size(n) for n in value.shape]
    axis = inputs[1]
    return Size(value.shape[axis]) if isinstance(axis, int) and -value.ndim <= axis < value.ndim else UNKNOWN


def whole_number(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise Stumble("a shape that is not part of the file")
    return int(value)


def whole_numbers(values: list[Any]) -> list[int]:
    """Sizes or axes that are given as a list, or one after the other."""
    given = values[0] if len(values) == 1 and isinstance(values[0], (list, tuple)) else values
    return [whole_number(value) for value in given]


def flattened(x: np.ndarray, rest: list[Any]) -> np.ndarray:
    start, end = (*rest, *(0, -1)[len(rest) :])[:2]
    start, end = whole_number(start) % x.ndim, whole_number(end) % x.ndim
    return x.reshape(*x.shape[:start], -1, *x.shape[end + 1 :])


def sliced(x: np.ndarray, rest: list[Any]) -> np.ndarray:
    axis, start, end, step = (*rest, *(0, None, None, 1)[len(rest) :])[:4]
    first, last = (None if bound is None else whole_number(bound) for bound in (start, end))
    return x[(slice(None),) * (whole_number(axis) % x.ndim) + (slice(first, last, whole_number(step)),)]


def squeezed(x: np.ndarray, rest: list[Any]) -> np.ndarray:
    if not rest:
        return np.squeeze(x)
    axes = [axis % x.ndim for axis in whole_numbers(rest)]
    return np.squeeze(x, tuple(axis for axis in axes if x.shape[axis] == 1))


def expanded(x: np.ndarray, rest: list[Any]) -> np.ndarray:
    if sum(n > 1 for n in whole_numbers(rest[:1])) > sum(n > 1 for n in x.shape):
        raise Stumble("the operation expand")
    return x


SHAPES = {
    "squeeze": squeezed,
    "unsqueeze": lambda x, rest: np.expand_dims(x, whole_number(rest[0])),
    "reshape": lambda x, rest: x.reshape(whole_numbers(rest)),
    "view": lambda x, rest: x.reshape(whole_numbers(rest)),
    "flatten": flattened,
    "select": lambda x, rest: np.take(x, whole_number(rest[1]), axis=whole_number(rest[0])),
    "slice": sliced,
    "expand": expanded,
    "transpose": lambda x, rest: np.swapaxes(x, *whole_numbers(rest[:2])),
    "permute": lambda x, rest: np.transpose(x, whole_numbers(rest)),
    "t": lambda x, rest: x.T,
}
"""Operations on shapes alone; they leave the layers as they are, and what they do to the order of features is found
when the sample values are compared."""


def shaped(name: str, inputs: list[Any]) -> Any:
    """The flow or state in another shape."""
    x = inputs[0]
    if not isinstance(x, (Flow, Memory)):
        raise Stumble(f"the operation {name} on something else than the input")
    value = build.computed(lambda known: SHAPES[name](known, inputs[1:]), x.value)
    if isinstance(x, Flow):
        return Flow(x.layers, x.partial, value)
    return Memory(x.flow, value)
