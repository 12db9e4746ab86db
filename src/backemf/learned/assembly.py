"""From a file's operations to a network, and the comparison of the two on sample inputs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from ..actuator.network_laws import gru, lstm, mlp
from ..actuator.networks import Lstm, Mlp, Network
from ..errors import BackemfError, ParameterError
from .flow import Flow, state_of
from .layers import UnsupportedLayer, fold, network_of

Follow = Callable[[Flow, list[Flow]], Flow]
"""A reader's way from an input and states to the output."""


def read_layers(follow: Follow, takes_states: bool = True) -> Network:
    """The network that a reader finds, compared with the file's own operations on sample inputs.

    Those of a recurrent file are one step of one motor, from a random state, or from 0 where the file takes none.
    """
    found = follow(Flow(), [state_of(None), state_of(None)])
    if found.partial:
        raise UnsupportedLayer("an output that does not come from the input")
    try:
        network = network_of(fold(found.layers))
    except BackemfError:
        raise
    except ValueError:
        raise UnsupportedLayer("arrays whose shapes do not fit") from None
    rng, features = np.random.default_rng(0), network.input_size or 1
    if isinstance(network, Mlp):
        x = rng.normal(size=(12, features)) * np.repeat([0.3, 1.0, 3.0], 4)[:, None]
        compare(np.asarray(mlp(x, network)), follow(Flow(value=x), []))
        return network
    size = network.layers * (network.hidden_size or 1)
    for scale in (0.3, 1.0, 3.0):
        x, hidden, cell = scale * rng.normal(size=features), *takes_states * rng.uniform(-0.5, 0.5, size=(2, size))
        ours = lstm(x, hidden, cell, network) if isinstance(network, Lstm) else gru(x, hidden, network)
        states = [state_of(state.reshape(network.layers, 1, -1)) for state in (hidden, cell)]
        try:
            theirs = follow(Flow(value=x.reshape(1, 1, features)), states)
        except UnsupportedLayer:
            theirs = follow(Flow(value=x.reshape(1, features)), states)
        compare(np.asarray(ours[0]), theirs)
    return network


def compare(ours: np.ndarray, flow: Flow) -> None:
    """Check that the file's operations and the network agree to the rounding of single precision."""
    if flow.value is not None and flow.value.size == ours.size:
        theirs = np.asarray(flow.value, dtype=float).reshape(-1)
        if np.allclose(ours.reshape(-1), theirs, rtol=1e-3, atol=1e-4 * (1.0 + np.abs(theirs).max())):
            return
    raise UnsupportedLayer("a forward that does more than its layers (the answers differ)")


def brief(words: object) -> str:
    """Words of a file as one short line."""
    text = " ".join(str(words).split())
    return text if len(text) <= 200 else f"{text[:200]}…"


def refusal(path: Path, reason: UnsupportedLayer, remedy: str) -> ParameterError:
    """The error for a file whose network is not supported."""
    return ParameterError(f"{path}: is not a plain MLP, LSTM or GRU; reading stopped at {brief(reason)}; {remedy}")
