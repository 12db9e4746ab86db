"""Networks as plain numbers: the weights of an MLP, an LSTM or a GRU, laid out as PyTorch lays them out.

One network serves every joint of a batch, so its arrays have axes of their own and nothing of the batch's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...checks import require_part
from ...errors import ParameterError
from ...tree import kind_of_numbers

ACTIVATIONS = (
    "relu", "elu", "tanh", "softsign", "sigmoid", "leaky_relu", "gelu", "gelu_tanh", "silu", "identity",
)  # fmt: skip
"""Activations of a layer; elu has alpha 1, leaky_relu the slope 0.01, gelu is the exact one."""


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Mlp:
    """A multi-layer perceptron: x -> act(W·x + b), layer by layer."""

    weights: tuple[np.ndarray, ...]
    """Weights of each layer, (outputs, inputs) [1]."""
    biases: tuple[np.ndarray, ...]
    """Biases of each layer, (outputs,) [1]."""
    activation: str = "softsign"
    """What follows every layer but the last, one of `ACTIVATIONS`."""
    output_activation: str = "identity"
    """What follows the last layer."""

    def __post_init__(self) -> None:
        for name in ("activation", "output_activation"):
            check_word(self, name, ACTIVATIONS)
        check_arrays(self, "weights", 2)
        check_arrays(self, "biases", 1)
        same_length(self, "weights", "biases")
        below = None
        for layer, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            out, into = shape_of(weight) or (None, None)
            fits(self, f"biases[{layer}]", shape_of(bias), (out,))
            fits(self, f"weights[{layer}]", (out, into), (out, below))
            below = out

    @property
    def input_size(self) -> int | None:
        """Numbers that go in; None while the arrays are not known."""
        shape = shape_of(self.weights[0])
        return shape[1] if shape else None

    @property
    def output_size(self) -> int | None:
        """Numbers that come out; None while the arrays are not known."""
        shape = shape_of(self.weights[-1])
        return shape[0] if shape else None

    @property
    def sizes(self) -> tuple[int | None, ...]:
        """Width of the input and of every layer."""
        return (self.input_size, *((shape_of(weight) or (None,))[0] for weight in self.weights))


class _Recurrent:
    """What an LSTM and a GRU have in common."""

    gates: int
    input_weights: tuple[np.ndarray, ...]
    hidden_weights: tuple[np.ndarray, ...]
    head: Mlp

    def _check(self) -> None:
        for name, axes in _FIELDS.items():
            check_arrays(self, name, axes)
            same_length(self, "input_weights", name)
        require_part(self, "head", Mlp)
        size, gates = self.hidden_size, self.gates
        below = self.input_size
        for layer in range(self.layers):
            rows = None if size is None else gates * size
            fits(self, f"input_weights[{layer}]", shape_of(self.input_weights[layer]), (rows, below))
            fits(self, f"hidden_weights[{layer}]", shape_of(self.hidden_weights[layer]), (rows, size))
            for name in ("input_biases", "hidden_biases"):
                fits(self, f"{name}[{layer}]", shape_of(getattr(self, name)[layer]), (rows,))
            below = size
        if isinstance(self.head, Mlp):
            fits(self, "head.weights[0]", shape_of(self.head.weights[0]), (None, size))

    @property
    def layers(self) -> int:
        """Number of layers, each fed by the one below."""
        return len(self.input_weights)

    @property
    def hidden_size(self) -> int | None:
        """Hidden numbers of a layer; None while the arrays are not known."""
        shape = shape_of(self.hidden_weights[0])
        return shape[1] if shape else None

    @property
    def input_size(self) -> int | None:
        """Numbers that go in; None while the arrays are not known."""
        shape = shape_of(self.input_weights[0])
        return shape[1] if shape else None

    @property
    def output_size(self) -> int | None:
        """Numbers that come out; None while the arrays are not known."""
        return self.head.output_size


_FIELDS = {"input_weights": 2, "hidden_weights": 2, "input_biases": 1, "hidden_biases": 1}


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Lstm(_Recurrent):
    """Long short-term memory: layers of gates in PyTorch's order (input, forget, cell, output), then a head."""

    input_weights: tuple[np.ndarray, ...]
    """Weights of each layer on what comes from below, (4·hidden, inputs) [1]."""
    hidden_weights: tuple[np.ndarray, ...]
    """Weights of each layer on its own hidden state, (4·hidden, hidden) [1]."""
    input_biases: tuple[np.ndarray, ...]
    """Biases that go with the input weights, (4·hidden,) [1]."""
    hidden_biases: tuple[np.ndarray, ...]
    """Biases that go with the hidden weights, (4·hidden,) [1]."""
    head: Mlp
    """From the hidden state of the last layer to the output."""

    gates = 4

    def __post_init__(self) -> None:
        self._check()


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Gru(_Recurrent):
    """Gated recurrent unit: layers of gates in PyTorch's order (reset, update, new), then a head."""

    input_weights: tuple[np.ndarray, ...]
    """Weights of each layer on what comes from below, (3·hidden, inputs) [1]."""
    hidden_weights: tuple[np.ndarray, ...]
    """Weights of each layer on its own hidden state, (3·hidden, hidden) [1]."""
    input_biases: tuple[np.ndarray, ...]
    """Biases that go with the input weights, (3·hidden,) [1]."""
    hidden_biases: tuple[np.ndarray, ...]
    """Biases that go with the hidden weights, (3·hidden,) [1]."""
    head: Mlp
    """From the hidden state of the last layer to the output."""

    gates = 3

    def __post_init__(self) -> None:
        self._check()


Network = Mlp | Lstm | Gru
"""Every network a learned actuator can have."""


def check_word(part: Any, name: str, words: tuple[str, ...]) -> None:
    """Raise one sentence if a word is none of those it may be."""
    value = getattr(part, name)
    if value not in words:
        raise ParameterError(f"{type(part).__name__}.{name} = {value!r}: must be one of {', '.join(words)}")


def check_arrays(part: Any, name: str, axes: int) -> None:
    """Raise one sentence if a field is no row of finite arrays with so many axes; lists become arrays.

    An array of another engine, or a mark that JAX puts in its place, is left as it is.
    """
    values, label = getattr(part, name), f"{type(part).__name__}.{name}"
    if not isinstance(values, (tuple, list)) or not values:
        raise ParameterError(f"{label}: must be a tuple of arrays, one per layer")
    known = tuple(as_known(value, f"{label}[{layer}]") for layer, value in enumerate(values))
    object.__setattr__(part, name, known)
    for layer, value in enumerate(known):
        if not isinstance(value, np.ndarray):
            continue
        if value.ndim != axes or 0 in value.shape:
            raise ParameterError(f"{label}[{layer}] has the shape {value.shape}: must have {axes} axes, none empty")
        if not np.isfinite(value).all():
            bad = tuple(int(i) for i in np.argwhere(~np.isfinite(value))[0])
            raise ParameterError(f"{label}[{layer}] holds {value[bad]} at {bad}: every weight must be a finite number")


def as_known(value: Any, label: str) -> Any:
    """A list or NumPy array as an array of floats; anything else as it is."""
    if isinstance(value, (str, bytes, int, float, dict)) or (
        isinstance(value, np.ndarray) and value.dtype.kind not in "biuf"
    ):
        raise ParameterError(f"{label}: must be an array of numbers")
    if not isinstance(value, (list, tuple, np.ndarray)):
        return value
    try:
        array = np.asarray(value)
        # precision is kept where there is one
        return array if array.dtype.kind == "f" else array.astype(float)
    except (TypeError, ValueError):
        raise ParameterError(f"{label}: must be an array of numbers") from None


def same_length(part: Any, one: str, other: str) -> None:
    """Raise one sentence if two rows of arrays differ in length."""
    a, b = len(getattr(part, one)), len(getattr(part, other))
    if a != b:
        raise ParameterError(
            f"{type(part).__name__}: {one} has {a} layers and {other} has {b}; give one of each per layer"
        )


def shape_of(value: Any) -> tuple[int, ...] | None:
    """Shape of an array of any engine; None where there is none yet."""
    shape = getattr(value, "shape", None)
    return None if shape is None else tuple(shape)


def fits(part: Any, label: str, shape: tuple[int | None, ...] | None, wanted: tuple[int | None, ...]) -> None:
    """Raise one sentence if a shape is not the wanted one; None fits anything."""
    if shape is None:
        return
    # inside a transformation there may be batch axes in front
    tail = shape[len(shape) - len(wanted) :]
    if any(a is not None and b is not None and a != b for a, b in zip(tail, wanted, strict=False)):
        words = ", ".join("any" if size is None else str(size) for size in wanted)
        raise ParameterError(
            f"{type(part).__name__}.{label} has the shape {shape}: the layers around it need ({words})"
        )
