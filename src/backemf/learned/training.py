"""Training: networks in JAX, fitted to windows or sequences by Adam."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from ..actuator import network_laws as laws
from ..actuator.networks import Gru, Lstm, Mlp, Network
from ..engines import bind, load

Tree: TypeAlias = Any
"""What JAX maps over: arrays in dicts, tuples and parts, or a function of them."""

Data = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Inputs, outputs and weights: of windows (n, inputs), (n,) and (n,); of sequences with an axis of steps behind n."""
BATCH = 64
"""Windows per training step of an MLP."""
MEMORY = {"windows": 0.99, "sequences": 0.9}
"""Decay of the running mean of the weights per training step [1]; with sequences there are fewer steps."""
SEQUENCES = 8
"""Sequences per training step of a recurrent network."""


def new_network(
    kind: str, sizes: tuple[int, ...], inputs: int, activation: str, rng: np.random.Generator, silent: bool = False
) -> Network:
    """A network with random weights of PyTorch's usual size; a silent MLP's output starts at 0."""
    if kind == "mlp":
        return perceptron((inputs, *sizes, 1), activation, rng, silent)
    gates, network = (4, Lstm) if kind == "lstm" else (3, Gru)
    size = sizes[0]
    rows = gates * size
    bound = 1.0 / np.sqrt(size)

    def draw(*shape: int) -> np.ndarray:
        return rng.uniform(-bound, bound, size=shape)

    return network(
        input_weights=tuple(draw(rows, inputs if layer == 0 else size) for layer in range(len(sizes))),
        hidden_weights=tuple(draw(rows, size) for _ in sizes),
        input_biases=tuple(draw(rows) for _ in sizes),
        hidden_biases=tuple(draw(rows) for _ in sizes),
        head=perceptron((size, 1), "identity", rng),
    )


def perceptron(widths: tuple[int, ...], activation: str, rng: np.random.Generator, silent: bool = False) -> Mlp:
    """An MLP with weights that keep the variance of what passes through; silent: its output starts at 0."""
    pairs = list(pairwise(widths))
    weights = [rng.normal(size=(out, into)) / np.sqrt(into) for into, out in pairs]
    if silent:
        weights[-1] = 0.0 * weights[-1]
    return Mlp(weights=tuple(weights), biases=tuple(np.zeros(out) for _, out in pairs), activation=activation)


def train(
    network: Network,
    given: Data,
    checked: Data,
    *,
    epochs: int,
    rate: float,
    patience: int,
    rng: np.random.Generator,
    advance: Callable[[int], None],
    bend: float = 1.0,
) -> tuple[Network, list[tuple[float, float]]]:
    """The network with the least loss on the `checked` rows, and both losses after each epoch.

    The loss is Huber's: quadratic up to an error of `bend`, linear above.
    """
    engine = load("jax")
    import jax
    import jax.numpy as jnp

    size = min(BATCH if given[0].ndim == 2 else SEQUENCES, len(given[0]))
    rounds = len(given[0]) // size
    epoch, loss = programs()
    plan = {"total": rounds * epochs, "rate": rate, "bend": bend}
    leaves, tree = jax.tree.flatten(network)
    with engine.doubles(False):
        data = tuple(jnp.asarray(part, jnp.float32) for part in given)
        held = tuple(jnp.asarray(part, jnp.float32) for part in checked)
        weights = jax.tree.unflatten(tree, [jnp.asarray(leaf, jnp.float32) for leaf in leaves])
        zeros = jax.tree.map(jnp.zeros_like, weights)
        state = (weights, zeros, zeros, jnp.zeros((), jnp.int32), weights)
        best, least, since, history = weights, float(loss(weights, held, bend)), 0, []
        for done in range(epochs):
            order = rng.permutation(len(given[0]))[: rounds * size].reshape(rounds, size)
            state, training = epoch(state, data, jnp.asarray(order), plan)
            error = float(loss(state[-1], held, bend))
            history.append((float(training), error))
            advance(1)
            since += 1
            if error < least:
                # a negligible gain is no reason to go on
                since = 0 if error < 0.999 * least else since
                best, least = state[-1], error
            if since >= patience:
                advance(epochs - done - 1)
                break
        best = jax.tree.unflatten(tree, [np.asarray(leaf, dtype=float) for leaf in jax.tree.leaves(best)])
    return best, history


@cache
def programs() -> tuple[Tree, Tree]:
    """Two functions that JAX compiles once per kind and size of network and data: an epoch of training, and the loss.

    The plan of an epoch is the `total` of training steps, the learning `rate` and the `bend` of the loss.
    """
    import jax
    import jax.numpy as jnp

    bound = bind(laws, "jax", load("jax").ops)

    def loss(net: Tree, data: Tree, bend: Tree) -> Tree:
        x, y, weight = data
        miss = jnp.abs(outputs(bound, net, x) - y)
        # Huber's loss: a few wrong torques have little weight
        near = jnp.minimum(miss, bend)
        return jnp.sum(weight * near * (2.0 * miss - near)) / jnp.maximum(jnp.sum(weight), 1.0)

    slope = jax.value_and_grad(loss)

    def step(state: Tree, rows: Tree, data: Tree, plan: Tree) -> Tree:
        net, mean, square, count, steady = state
        memory = MEMORY["windows" if isinstance(net, Mlp) else "sequences"]
        value, grads = slope(net, tuple(part[rows] for part in data), plan["bend"])
        # Adam, its rate falling along a cosine to a fiftieth
        count = count + 1
        share = jnp.minimum(count / plan["total"], 1.0)
        now = plan["rate"] * (0.02 + 0.98 * 0.5 * (1.0 + jnp.cos(jnp.pi * share)))
        mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, grads)
        square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g * g, square, grads)
        fix = now * jnp.sqrt(1.0 - 0.999**count) / (1.0 - 0.9**count)
        net = jax.tree.map(lambda w, m, s: w - fix * m / (jnp.sqrt(s) + 1e-8), net, mean, square)
        steady = jax.tree.map(lambda a, w: memory * a + (1.0 - memory) * w, steady, net)
        return (net, mean, square, count, steady), value

    def epoch(state: Tree, data: Tree, order: Tree, plan: Tree) -> Tree:
        state, values = jax.lax.scan(lambda carry, rows: step(carry, rows, data, plan), state, order)
        return state, values.mean()

    return jax.jit(epoch), jax.jit(loss)


def outputs(bound: Tree, net: Network, x: Tree) -> Tree:
    """Outputs of a network for windows (n, inputs), or at each step of sequences (n, steps, inputs)."""
    if isinstance(net, Mlp):
        return bound.mlp(x, net)[..., 0]
    import jax
    import jax.numpy as jnp

    zero = jnp.zeros((len(x), net.layers * net.hidden_weights[0].shape[-1]), x.dtype)

    def step(memory: Tree, here: Tree) -> Tree:
        if isinstance(net, Lstm):
            out, hidden, cell = bound.lstm(here, *memory, net)
            return (hidden, cell), out[..., 0]
        out, hidden = bound.gru(here, *memory, net)
        return (hidden,), out[..., 0]

    start = (zero, zero) if isinstance(net, Lstm) else (zero,)
    return jnp.swapaxes(jax.lax.scan(step, start, jnp.swapaxes(x, 0, 1))[1], 0, 1)


def evaluate(network: Network, x: np.ndarray) -> np.ndarray:
    """The same in double precision, for the figures that are reported."""
    if isinstance(network, Mlp):
        return laws.mlp(x, network)[..., 0]
    with load("jax").doubles(True):
        return np.asarray(compiled_outputs()(network, x))


@cache
def compiled_outputs() -> Tree:
    """`outputs` as JAX compiles it."""
    import jax

    return jax.jit(partial(outputs, bind(laws, "jax", load("jax").ops)))
