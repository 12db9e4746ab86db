"""PyTorch's operations by name: what each makes of the flow."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from ..actuator.networks import Gru, Lstm
from ..values import Foreign
from . import flow as build
from .flow import Flow, arithmetic, array, maybe_array, unary, whole
from .layers import GATE_ARRAYS, UnsupportedLayer, gate_rows

RECURRENT = {"LSTM": Lstm, "GRU": Gru}
SAME = {
    "contiguous", "detach", "clone", "to", "float", "double", "dropout", "feature_dropout", "type_as", "alias",
    "alpha_dropout",
}  # fmt: skip
"""Operations that change nothing when a network runs, precision aside."""
FACTS = {"size", "dim", "len", "dtype", "device", "layout", "is_cuda", "ScalarImplicit", "Int", "NumToTensor"}
"""Operations that ask for a shape, type or place."""
PLAIN = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "gt": operator.gt, "le": operator.le, "ge": operator.ge,
    "__not__": operator.not_, "__is__": operator.is_, "__isnot__": operator.is_not,
    "__and__": lambda a, b: a and b, "__or__": lambda a, b: a or b, "neg": operator.neg,
}  # fmt: skip
"""Operations on words and numbers that are part of the file."""


class _Unknown:
    """A value that is known only while the network runs, such as a size."""


UNKNOWN = _Unknown()


class Size(int):
    """A size of the sample inputs: good for a reshape, unknown to a branch."""


def operation(name: str, inputs: list[Foreign]) -> Foreign:
    """What an operation makes of its inputs, one of which is the flow or a state."""
    name = name.rstrip("_") if not name.startswith("__") else name
    if name in SAME:
        return inputs[0]
    kind = sample_fact if name in FACTS else reshape if name in SHAPES else LAYERS.get(name)
    if kind is None:
        raise UnsupportedLayer(f"the operation {name}")
    try:
        return kind(name, *inputs)
    except (TypeError, IndexError):
        raise UnsupportedLayer(f"the operation {name} with {len(inputs)} arguments") from None


# --- layers


def activation(name: str, x: object, parameter: object = None, *scales: object) -> Flow:
    """An activation with its parameter, where it has one."""
    if name == "elu" and any(value != 1 and not isinstance(value, bool) for value in scales[:2]):
        raise UnsupportedLayer("elu with its own scale")
    known = float(parameter) if isinstance(parameter, (int, float)) and not isinstance(parameter, bool) else None
    return build.activation(whole(x), "gelu_tanh" if name == "gelu" and parameter == "tanh" else name, known)


def layer_norm(
    _: str, x: object, shape: object, weight: object = None, bias: object = None, epsilon: object = 1e-5, *__: object
) -> Flow:
    """A layer norm over the last axis."""
    if not isinstance(shape, (list, tuple)) or len(shape) != 1 or not isinstance(shape[0], int):
        raise UnsupportedLayer("a layer norm over more than the features")
    if not isinstance(epsilon, (int, float)):
        raise UnsupportedLayer("a layer norm whose epsilon is not part of the file")
    return build.layer_norm(whole(x), maybe_array(weight), maybe_array(bias), epsilon, shape[0])


def combine(name: str, a: object, b: object, alpha: object = 1, *_: object) -> Flow:
    """A sum, difference, product or quotient."""
    if isinstance(a, Size) or isinstance(b, Size):
        raise UnsupportedLayer("weights that are not part of the file")
    return arithmetic(name, a, b, alpha if isinstance(alpha, (int, float)) else 1)


def recurrent(
    name: str, x: object, states: object, weights: object, biased: object, layers: object, *rest: object
) -> tuple[Flow, ...]:
    """torch.lstm(x, (hidden, cell), weights, …) or torch.gru(x, hidden, weights, …): output and states."""
    kind = name.upper()
    if not isinstance(weights, (list, tuple)) or not isinstance(layers, int) or layers < 1:
        raise UnsupportedLayer(f"the layer {kind} (packed sequences)")
    if len(rest) > 2 and rest[2]:
        raise UnsupportedLayer(f"the layer {kind} (bidirectional)")
    each = 4 if biased else 2
    if len(weights) != layers * each:
        raise UnsupportedLayer(f"the layer {kind} (with projections)")
    names = [f"{word}_l{layer}" for layer in range(layers) for word in GATE_ARRAYS[:each]]
    return recurrent_layers(kind, dict(zip(names, weights, strict=True)), x, states)


def recurrent_layers(kind: str, arrays: Mapping[str, object], x: object = None, *states: object) -> tuple[Flow, ...]:
    """Output, hidden state and, of an LSTM, cell state of recurrent layers with PyTorch's names."""
    if any(name.endswith("_reverse") for name in arrays):
        raise UnsupportedLayer(f"the layer {kind} (bidirectional)")
    if any("weight_hr" in name for name in arrays):
        raise UnsupportedLayer(f"the layer {kind} (with projections)")
    rows = gate_rows({name: maybe_array(value) for name, value in arrays.items() if name.startswith(GATE_ARRAYS)})
    if not rows:
        raise UnsupportedLayer(f"the layer {kind} (without weights)")
    given = list(states[0]) if states and isinstance(states[0], (list, tuple)) else states
    return build.gates(whole(x), RECURRENT[kind], rows, given)[: 3 if kind == "LSTM" else 2]


LAYERS: dict[str, Callable[..., Foreign]] = {
    "linear": lambda _, x, weight, bias=None: build.linear(whole(x), array(weight), maybe_array(bias)),
    "addmm": lambda _, bias, x, weight, *__: build.linear(whole(x), array(weight).T, array(bias)),
    "layer_norm": layer_norm,
    **dict.fromkeys(("matmul", "mm"), lambda _, x, weight: build.linear(whole(x), array(weight).T)),
    **dict.fromkeys(("lstm", "gru"), recurrent),
    **dict.fromkeys(("relu", "elu", "tanh", "softsign", "sigmoid", "leaky_relu", "gelu", "silu"), activation),
    **dict.fromkeys(("add", "sub", "mul", "div"), combine),
    **dict.fromkeys(("abs", "erf", "neg"), unary),
}
"""Operations that add a layer, as functions of their name and their arguments."""


# --- shapes


def sample_fact(name: str, x: object, axis: object = None) -> Foreign:
    """A size of the sample inputs; unknown while there are none."""
    value = x.value if isinstance(x, Flow) else None
    if value is None or name not in ("size", "dim"):
        return UNKNOWN
    if name == "dim":
        return Size(value.ndim)
    if axis is None:
        return [Size(n) for n in value.shape]
    return Size(value.shape[axis]) if isinstance(axis, int) and -value.ndim <= axis < value.ndim else UNKNOWN


def whole_number(value: object) -> int:
    """A size, axis or index."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise UnsupportedLayer("a shape that is not part of the file")
    return int(value)


def whole_numbers(*values: object) -> list[int]:
    """Sizes or axes, given as a list or one after the other."""
    given = values[0] if len(values) == 1 and isinstance(values[0], (list, tuple)) else values
    return [whole_number(value) for value in given]


def flatten(x: np.ndarray, start: object = 0, end: object = -1) -> np.ndarray:
    """The axes from `start` to `end` as one."""
    first, last = whole_number(start) % x.ndim, whole_number(end) % x.ndim
    return x.reshape(*x.shape[:first], -1, *x.shape[last + 1 :])


def take_slice(
    x: np.ndarray, axis: object = 0, start: object = None, end: object = None, step: object = 1
) -> np.ndarray:
    """The elements from `start` to `end` along an axis."""
    first, last = (None if bound is None else whole_number(bound) for bound in (start, end))
    return x[(slice(None),) * (whole_number(axis) % x.ndim) + (slice(first, last, whole_number(step)),)]


def squeeze(x: np.ndarray, *axes: object) -> np.ndarray:
    """Without axes of length 1."""
    places = [axis % x.ndim for axis in whole_numbers(*axes)] if axes else range(x.ndim)
    return np.squeeze(x, tuple(axis for axis in places if x.shape[axis] == 1))


def expand(x: np.ndarray, sizes: object, *_: object) -> np.ndarray:
    """The same array, where expanding repeats nothing."""
    if sum(n > 1 for n in whole_numbers(sizes)) > sum(n > 1 for n in x.shape):
        raise UnsupportedLayer("the operation expand")
    return x


SHAPES: dict[str, Callable[..., np.ndarray]] = {
    "squeeze": squeeze,
    "unsqueeze": lambda x, axis: np.expand_dims(x, whole_number(axis)),
    "reshape": lambda x, *sizes: x.reshape(whole_numbers(*sizes)),
    "view": lambda x, *sizes: x.reshape(whole_numbers(*sizes)),
    "flatten": flatten,
    "select": lambda x, axis, index: np.take(x, whole_number(index), axis=whole_number(axis)),
    "slice": take_slice,
    "expand": expand,
    "transpose": lambda x, a, b: np.swapaxes(x, whole_number(a), whole_number(b)),
    "permute": lambda x, *axes: np.transpose(x, whole_numbers(*axes)),
    "t": lambda x: x.T,
}
"""Operations on shapes; they leave the layers as they are. What they do to the order of features shows when the sample
values are compared."""


def reshape(name: str, x: object, *rest: object) -> Flow:
    """The flow or state in another shape."""
    if not isinstance(x, Flow):
        raise UnsupportedLayer(f"the operation {name} on something else than the input")
    return replace(x, value=build.compute(lambda known: SHAPES[name](known, *rest), x.value))
