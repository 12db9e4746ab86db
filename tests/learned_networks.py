"""Random networks for the tests of learned actuators, and their twins in PyTorch."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import numpy as np

from backemf.actuator.controllers import learned
from backemf.engines import bind, load
from backemf.learned import Gru, LayerNorm, Lstm, Mlp
from backemf.tree import map_numbers


def perceptron(sizes=(6, 8, 8, 1), seed=0, **words) -> Mlp:
    rng = np.random.default_rng(seed)
    pairs = list(pairwise(sizes))
    return Mlp(
        weights=tuple(rng.normal(size=(out, into)) for into, out in pairs),
        biases=tuple(rng.normal(size=out) for _, out in pairs),
        **words,
    )


def norm(size: int, seed: int = 0) -> LayerNorm:
    rng = np.random.default_rng(seed)
    return LayerNorm(weight=rng.normal(size=size), bias=rng.normal(size=size), epsilon=1e-3)


def recurrent(kind: type[Lstm] | type[Gru], layers=2, size=5, inputs=2, seed=0, head=None) -> Lstm | Gru:
    rng = np.random.default_rng(seed)
    rows = kind.gates * size
    return kind(
        input_weights=tuple(rng.normal(size=(rows, size if layer else inputs)) for layer in range(layers)),
        hidden_weights=tuple(rng.normal(size=(rows, size)) for _ in range(layers)),
        input_biases=tuple(rng.normal(size=rows) for _ in range(layers)),
        hidden_biases=tuple(rng.normal(size=rows) for _ in range(layers)),
        head=perceptron((size, 1), seed) if head is None else head,
    )


def arrays(network) -> list[np.ndarray]:
    """Every array of a network, in order."""
    found: list[np.ndarray] = []
    map_numbers(network, lambda x: found.append(np.asarray(x)))
    return found


def bind_module(engine: str, module=learned):
    """A law module with an engine's operations."""
    return bind(module, engine, load(engine).ops)


def place(part, engine: str):
    """A network or controller with its arrays where an engine wants them."""
    if engine != "torch":
        return part
    import torch

    return map_numbers(part, lambda x: x if isinstance(x, float) else torch.as_tensor(x))


def zeros(engine: str, shapes: dict) -> SimpleNamespace:
    """The states of a controller at the start."""
    place = {}
    if engine == "torch":
        import torch

        place = {"dtype": torch.float64}
    return SimpleNamespace(**{name: load(engine).array(0.0, shape, **place) for name, shape in shapes.items()})
