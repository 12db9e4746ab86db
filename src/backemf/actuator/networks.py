"""Networks as plain numbers: the weights of an MLP, an LSTM or a GRU, in PyTorch's layout.

One network serves every joint of a batch, so its arrays have no batch axes.
"""

from __future__ import annotations

import re

import numpy as np

from ..checks import Number, concrete, no_number, require_part
from ..errors import ParameterError
from ..parts import number, one, part, several, table, word, words
from ..values import Array

ACTIVATIONS = (
    "relu", "elu", "tanh", "softsign", "sigmoid", "leaky_relu", "gelu", "gelu_tanh", "silu", "identity",
)  # fmt: skip
"""Activations of a layer; gelu is the exact one."""
PARAMETERS = {"elu": 1.0, "leaky_relu": 0.01}
"""Activations with a parameter, and its default: elu's alpha and the slope of leaky_relu [1]. Another value
follows the name in brackets: "elu(0.5)", "leaky_relu(0.2)"."""


@part
class LayerNorm:
    """Layer normalisation: mean 0 and variance 1 over the features, then times a weight plus a bias."""

    weight: np.ndarray = table("1")
    """Factor of each feature (features,)."""
    bias: np.ndarray = table("1")
    """Offset of each feature (features,)."""
    epsilon: Number = number("1", default=1e-05, least=0.0)
    """Number added to the variance."""

    def __post_init__(self) -> None:
        for name in ("weight", "bias"):
            label = f"LayerNorm.{name}"
            known = as_known(getattr(self, name), label)
            object.__setattr__(self, name, known)
            check_array(known, label, 1)
        check_shape(self, "bias", shape_of(self.bias), shape_of(self.weight) or (None,))
        if isinstance(self.epsilon, np.ndarray) and self.epsilon.ndim:
            raise ParameterError("LayerNorm.epsilon has several values: one network serves all joints")


@part
class Mlp:
    """A multi-layer perceptron: x -> act(norm(W·x + b)), layer by layer."""

    weights: tuple[np.ndarray, ...] = table("1")
    """Weights of each layer, (outputs, inputs)."""
    biases: tuple[np.ndarray, ...] = table("1")
    """Biases of each layer, (outputs,)."""
    activation: str | tuple[str, ...] = words(default="softsign")
    """Activation of every layer but the last, one of `ACTIVATIONS`, or one for each of them; a parameter follows in
    brackets, as in "elu(0.5)"."""
    output_activation: str = word(default="identity")
    """Activation of the last layer."""
    norms: tuple[LayerNorm | None, ...] = several(LayerNorm, default=(), checked=False)
    """Layer norm between each layer's sums and its activation, None for none; () where no layer has one."""

    def __post_init__(self) -> None:
        check_arrays(self, "weights", 2)
        check_arrays(self, "biases", 1)
        same_length(self, "weights", "biases")
        check_activations(self)
        check_norms(self)
        below = None
        for layer, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            out, into = shape_of(weight) or (None, None)
            check_shape(self, f"biases[{layer}]", shape_of(bias), (out,))
            check_shape(self, f"weights[{layer}]", (out, into), (out, below))
            below = out

    @property
    def activations(self) -> tuple[str, ...]:
        """Activation of each layer, including the last."""
        hidden = len(self.weights) - 1
        between = (self.activation,) * hidden if isinstance(self.activation, str) else self.activation
        return (*between, self.output_activation)

    @property
    def rows(self) -> list[tuple[np.ndarray, np.ndarray, LayerNorm | None, str]]:
        """Weights, biases, norm and activation of each layer."""
        norms = self.norms or (None,) * len(self.weights)
        return list(zip(self.weights, self.biases, norms, self.activations, strict=True))

    @property
    def input_size(self) -> int | None:
        """Number of inputs; None while the arrays are not known."""
        shape = shape_of(self.weights[0])
        return shape[1] if shape else None

    @property
    def output_size(self) -> int | None:
        """Number of outputs; None while the arrays are not known."""
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
        for name, axes in RECURRENT_FIELDS.items():
            check_arrays(self, name, axes)
            same_length(self, "input_weights", name)
        require_part(self, "head", Mlp)
        size, gates = self.hidden_size, self.gates
        below = self.input_size
        for layer in range(self.layers):
            rows = None if size is None else gates * size
            check_shape(self, f"input_weights[{layer}]", shape_of(self.input_weights[layer]), (rows, below))
            check_shape(self, f"hidden_weights[{layer}]", shape_of(self.hidden_weights[layer]), (rows, size))
            for name in ("input_biases", "hidden_biases"):
                check_shape(self, f"{name}[{layer}]", shape_of(getattr(self, name)[layer]), (rows,))
            below = size
        if isinstance(self.head, Mlp):
            check_shape(self, "head.weights[0]", shape_of(self.head.weights[0]), (None, size))

    @property
    def layers(self) -> int:
        """Number of layers, each fed by the one below."""
        return len(self.input_weights)

    @property
    def hidden_size(self) -> int | None:
        """Hidden units of a layer; None while the arrays are not known."""
        shape = shape_of(self.hidden_weights[0])
        return shape[1] if shape else None

    @property
    def input_size(self) -> int | None:
        """Number of inputs; None while the arrays are not known."""
        shape = shape_of(self.input_weights[0])
        return shape[1] if shape else None

    @property
    def output_size(self) -> int | None:
        """Number of outputs; None while the arrays are not known."""
        return self.head.output_size


RECURRENT_FIELDS = {"input_weights": 2, "hidden_weights": 2, "input_biases": 1, "hidden_biases": 1}
"""The arrays of recurrent layers, and how many axes each has."""


@part
class Lstm(_Recurrent):
    """Long short-term memory: layers of gates in PyTorch's order (input, forget, cell, output), then a head."""

    input_weights: tuple[np.ndarray, ...] = table("1")
    """Weights of each layer on its input, (4·hidden, inputs)."""
    hidden_weights: tuple[np.ndarray, ...] = table("1")
    """Weights of each layer on its own hidden state, (4·hidden, hidden)."""
    input_biases: tuple[np.ndarray, ...] = table("1")
    """Biases that go with the input weights, (4·hidden,)."""
    hidden_biases: tuple[np.ndarray, ...] = table("1")
    """Biases that go with the hidden weights, (4·hidden,)."""
    head: Mlp = one(Mlp)
    """From the hidden state of the last layer to the output."""

    gates = 4

    def __post_init__(self) -> None:
        self._check()


@part
class Gru(_Recurrent):
    """Gated recurrent unit: layers of gates in PyTorch's order (reset, update, new), then a head."""

    input_weights: tuple[np.ndarray, ...] = table("1")
    """Weights of each layer on its input, (3·hidden, inputs)."""
    hidden_weights: tuple[np.ndarray, ...] = table("1")
    """Weights of each layer on its own hidden state, (3·hidden, hidden)."""
    input_biases: tuple[np.ndarray, ...] = table("1")
    """Biases that go with the input weights, (3·hidden,)."""
    hidden_biases: tuple[np.ndarray, ...] = table("1")
    """Biases that go with the hidden weights, (3·hidden,)."""
    head: Mlp = one(Mlp)
    """From the hidden state of the last layer to the output."""

    gates = 3

    def __post_init__(self) -> None:
        self._check()


Network = Mlp | Lstm | Gru
"""Every network a learned actuator can have."""


def activation_word(name: str, parameter: float | None = None) -> str:
    """The word for an activation with a parameter; a default parameter is left out."""
    if name not in PARAMETERS or parameter is None or parameter == PARAMETERS[name]:
        return name
    return f"{name}({float(parameter)!r})"


def split_activation(word: str) -> tuple[str, float]:
    """Name and parameter of an activation's word; 0 where it has none."""
    name, _, rest = word.partition("(")
    return name, float(rest[:-1]) if rest else PARAMETERS.get(name, 0.0)


def plain_activation(word: object, label: str) -> str:
    """An activation's word in its plain form; raises a `ParameterError` if it is not an activation."""
    found = re.fullmatch(r"(\w+)(?:\(([^()]*)\))?", word) if isinstance(word, str) else None
    if found is None or found[1] not in ACTIVATIONS or (found[2] is not None and found[1] not in PARAMETERS):
        with_one = " and ".join(f"{name}({usual:g})" for name, usual in PARAMETERS.items())
        raise ParameterError(
            f"{label} = {word!r}: must be one of {', '.join(ACTIVATIONS)}; only {with_one} have a parameter"
        )
    try:
        value = None if found[2] is None else float(found[2])
    except ValueError:
        value = float("nan")
    if value is not None and not np.isfinite(value):
        raise ParameterError(f"{label} = {word!r}: its parameter must be a finite number")
    return activation_word(found[1], value)


def check_activations(net: Mlp) -> None:
    """Bring the activations of an MLP into their plain form; raises a `ParameterError` if one is not an activation."""
    label = f"{type(net).__name__}.activation"
    given, hidden = net.activation, len(net.weights) - 1
    object.__setattr__(
        net, "output_activation", plain_activation(net.output_activation, f"{type(net).__name__}.output_activation")
    )
    if isinstance(given, (tuple, list)):
        if len(given) != hidden:
            raise ParameterError(f"{label} has {len(given)} names: give one, or one for each of {hidden} hidden layers")
        words = tuple(plain_activation(word, f"{label}[{layer}]") for layer, word in enumerate(given))
        plain = words[0] if len(set(words)) == 1 else words or "identity"
    else:
        plain = plain_activation(given, label)
    object.__setattr__(net, "activation", plain)


def check_norms(net: Mlp) -> None:
    """Check that an MLP has one norm or None per layer, as wide as the layer; raises a `ParameterError` if not."""
    label = f"{type(net).__name__}.norms"
    if not isinstance(net.norms, (tuple, list)) or len(net.norms) not in (0, len(net.weights)):
        raise ParameterError(f"{label}: must be a tuple with a LayerNorm or None for each of {len(net.weights)} layers")
    for layer, (norm, weight) in enumerate(zip(net.norms, net.weights, strict=False)):
        if norm is None:
            continue
        if isinstance(norm, LayerNorm):
            check_shape(net, f"norms[{layer}].weight", shape_of(norm.weight), ((shape_of(weight) or (None,))[0],))
        elif isinstance(norm, (str, bytes, int, float, np.ndarray, dict, list, tuple)):
            raise ParameterError(f"{label}[{layer}] = {norm!r}: must be a LayerNorm or None")
    object.__setattr__(net, "norms", tuple(net.norms) if any(norm is not None for norm in net.norms) else ())


def check_arrays(part: object, name: str, axes: int) -> None:
    """Check that a field is a tuple of finite arrays with so many axes; lists become arrays.

    An array of another engine, or a placeholder of JAX, is left unchanged.
    """
    values, label = getattr(part, name), f"{type(part).__name__}.{name}"
    if not isinstance(values, (tuple, list)) or not values:
        raise ParameterError(f"{label}: must be a tuple of arrays, one per layer")
    known = tuple(as_known(value, f"{label}[{layer}]") for layer, value in enumerate(values))
    object.__setattr__(part, name, known)
    for layer, value in enumerate(known):
        check_array(value, f"{label}[{layer}]", axes)


def check_array(given: object, label: str, axes: int) -> None:
    """Check the axes of an array and that every value is finite, as far as it is known; raises a `ParameterError`."""
    value = concrete(given)
    if value is None:
        return
    if value.ndim != axes or 0 in value.shape:
        raise ParameterError(f"{label} has the shape {value.shape}: must have {axes} axes, none empty")
    if not np.isfinite(value).all():
        bad = tuple(int(i) for i in np.argwhere(~np.isfinite(value))[0])
        raise ParameterError(f"{label} holds {value[bad]} at {bad}: every weight must be a finite number")


def as_known(value: object, label: str) -> Array | object:
    """A list or NumPy array as an array of floats; anything else unchanged."""
    row = isinstance(value, (list, tuple))
    if not row and (value is None or no_number(value) or isinstance(value, (int, float))):
        raise ParameterError(f"{label}: must be an array of numbers")
    if not isinstance(value, (list, tuple, np.ndarray)):
        return value
    try:
        array = np.asarray(value)
        # precision is kept where there is one
        return array if array.dtype.kind == "f" else array.astype(float)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(f"{label}: must be an array of numbers") from None


def same_length(part: object, one: str, other: str) -> None:
    """Check that two fields have the same number of layers; raises a `ParameterError` if not."""
    a, b = len(getattr(part, one)), len(getattr(part, other))
    if a != b:
        raise ParameterError(
            f"{type(part).__name__}: {one} has {a} layers and {other} has {b}; give one of each per layer"
        )


def shape_of(value: object) -> tuple[int, ...] | None:
    """Shape of an array of any engine; None where there is none yet."""
    shape = getattr(value, "shape", None)
    return None if shape is None else tuple(shape)


def check_shape(part: object, label: str, shape: tuple[int | None, ...] | None, wanted: tuple[int | None, ...]) -> None:
    """Check that a shape is the wanted one, where None fits anything; raises a `ParameterError` if not."""
    if shape is None:
        return
    # inside a transformation there may be batch axes in front
    tail = shape[len(shape) - len(wanted) :]
    if any(a is not None and b is not None and a != b for a, b in zip(tail, wanted, strict=False)):
        words = ", ".join("any" if size is None else str(size) for size in wanted)
        raise ParameterError(
            f"{type(part).__name__}.{label} has the shape {shape}: the layers around it need ({words})"
        )
