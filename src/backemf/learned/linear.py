"""The linear filter over a history: what a network has to beat, and what it may carry beside its layers.

Activations of the form x·h(x) with h(x) + h(-x) = c carry a number unchanged through a layer, in two units:
f(s) - f(-s) = c·s. So a filter beside an MLP is an MLP, which every simulator loads.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..actuator.networks import Mlp, split_activation

CARRIERS = ("relu", "leaky_relu", "gelu", "gelu_tanh", "silu", "identity")
"""Activations that carry a number in two units."""


@dataclass(frozen=True, eq=False)
class LinearFilter:
    """A weighted sum of inputs, and an offset."""

    weights: np.ndarray
    """Output per input (inputs,) [1]."""
    offset: float
    """Constant part [1]."""

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Outputs (...,) for inputs (..., inputs)."""
        return x @ self.weights + self.offset


def nearest_filter(x: np.ndarray, y: np.ndarray) -> LinearFilter:
    """The filter with the least squared error on rows (n, inputs) and (n,)."""
    columns = np.concatenate([x, np.ones((len(x), 1))], axis=1)
    found = np.linalg.lstsq(columns, y, rcond=None)[0]
    return LinearFilter(found[:-1], float(found[-1]))


def carries(word: str) -> bool:
    """Whether an activation can carry a filter through its layer."""
    return split_activation(word)[0] in CARRIERS


def with_filter(net: Mlp, straight: LinearFilter) -> Mlp:
    """The MLP whose output is that of another plus that of a filter; each hidden layer has two more units."""
    weights, biases = [], []
    up = straight.weights[None]
    down, offset = -up, straight.offset
    last = len(net.weights) - 1
    for layer, (weight, bias) in enumerate(zip(net.weights, net.biases, strict=True)):
        if layer:
            # behind the two units of the layer below
            weight = np.concatenate([weight, np.zeros((len(weight), 2))], axis=1)
        if layer == last:
            weights.append(weight + up)
            biases.append(np.asarray(bias) + offset)
            break
        weights.append(np.concatenate([weight, up, down]))
        biases.append(np.concatenate([bias, [offset, -offset]]))
        name, slope = split_activation(net.activations[layer])
        share = 1.0 / {"leaky_relu": 1.0 + slope, "identity": 2.0}.get(name, 1.0)
        up = np.concatenate([np.zeros(len(bias)), [share, -share]])[None]
        down, offset = -up, 0.0
    return replace(net, weights=tuple(weights), biases=tuple(biases))
