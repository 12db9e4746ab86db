"""The networks' laws, over any leading axes: the last axis holds the features.

The last axis of a recurrent network's state holds the hidden units of all its layers, the lowest layer first.
"""

from __future__ import annotations

from ..physics.ops import absolute, erf, expm1, join_last, matmul, minimum, sqrt, stack_last, tanh, total, where
from ..values import Array, Bits
from .networks import Gru, LayerNorm, Lstm, Mlp, split_activation

VECTORS = True
"""The layers are vectors even for one motor, so an engine of plain numbers has NumPy compute them."""


def sigmoid(x: Array) -> Array:
    """1/(1 + exp(-x)), written so that no exponential overflows."""
    return 0.5 + 0.5 * tanh(0.5 * x)


def activate(x: Array, word: str) -> Array:
    """An activation of a layer's sums; its parameter follows its name, as in "elu(0.5)"."""
    name, parameter = split_activation(word)
    if name == "relu":
        return where(x > 0.0, x, 0.0)
    if name == "elu":
        # the branch that is not taken must not overflow, or its gradient is NaN
        return where(x > 0.0, x, parameter * expm1(minimum(x, 0.0)))
    if name == "tanh":
        return tanh(x)
    if name == "softsign":
        return x / (1.0 + absolute(x))
    if name == "sigmoid":
        return sigmoid(x)
    if name == "leaky_relu":
        return where(x > 0.0, x, parameter * x)
    if name == "gelu":
        return 0.5 * x * (1.0 + erf(x * 0.7071067811865476))
    if name == "gelu_tanh":
        return 0.5 * x * (1.0 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))
    if name == "silu":
        return x * sigmoid(x)
    return x


def normalise(x: Array, norm: LayerNorm) -> Array:
    """(x - mean)/√(variance + epsilon)·weight + bias, mean and variance over the features."""
    share = 1.0 / norm.weight.shape[-1]
    centred = x - share * total(x)
    return centred / sqrt(share * total(centred * centred) + norm.epsilon) * norm.weight + norm.bias


def mlp(x: Array, net: Mlp) -> Array:
    """Output of a perceptron (..., outputs) for inputs (..., inputs)."""
    for weight, bias, norm, word in net.rows:
        x = matmul(x, weight.T) + bias
        x = activate(x if norm is None else normalise(x, norm), word)
    return x


def reset_state(features: Array, fresh: Bits) -> Array:
    """The state of a recurrent network, zero where a motor was just reset; a mask applies to all its features."""
    return where(stack_last([fresh]), 0.0, features)


def lstm(x: Array, hidden: Array, cell: Array, net: Lstm) -> tuple[Array, Array, Array]:
    """Output (..., outputs), new hidden and new cell state (..., layers·hidden) of one step of an LSTM.

    c' = σ(f)·c + σ(i)·tanh(g);  h' = σ(o)·tanh(c')
    """
    n = net.hidden_weights[0].shape[-1]
    hiddens, cells = [], []
    for k in range(len(net.hidden_weights)):
        h, c = hidden[..., k * n : (k + 1) * n], cell[..., k * n : (k + 1) * n]
        sums = matmul(x, net.input_weights[k].T) + net.input_biases[k]
        sums = sums + matmul(h, net.hidden_weights[k].T) + net.hidden_biases[k]
        keep, let_in = sigmoid(sums[..., n : 2 * n]), sigmoid(sums[..., :n])
        c = keep * c + let_in * tanh(sums[..., 2 * n : 3 * n])
        x = sigmoid(sums[..., 3 * n :]) * tanh(c)
        hiddens.append(x)
        cells.append(c)
    return mlp(x, net.head), join_last(hiddens), join_last(cells)


def gru(x: Array, hidden: Array, net: Gru) -> tuple[Array, Array]:
    """Output (..., outputs) and new hidden state (..., layers·hidden) of one step of a GRU.

    n = tanh(W·x + b + r·(U·h + d));  h' = (1 - z)·n + z·h
    """
    n = net.hidden_weights[0].shape[-1]
    hiddens = []
    for k in range(len(net.hidden_weights)):
        h = hidden[..., k * n : (k + 1) * n]
        below = matmul(x, net.input_weights[k].T) + net.input_biases[k]
        own = matmul(h, net.hidden_weights[k].T) + net.hidden_biases[k]
        again = sigmoid(below[..., :n] + own[..., :n])
        keep = sigmoid(below[..., n : 2 * n] + own[..., n : 2 * n])
        new = tanh(below[..., 2 * n :] + again * own[..., 2 * n :])
        x = new + keep * (h - new)
        hiddens.append(x)
    return mlp(x, net.head), join_last(hiddens)
