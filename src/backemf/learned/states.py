"""Networks as arrays by name, as in PyTorch's state dicts: what safetensors and torch.save keep.

A layer's arrays are `0.weight` and `0.bias`, a norm behind it has a weight with one axis, recurrent layers have
`weight_ih_l0` and so on. The activations are not among them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from ..actuator.networks import RECURRENT_FIELDS, Gru, LayerNorm, Lstm, Mlp, Network
from ..errors import ParameterError
from ..values import Foreign, Json
from .layers import GATE_ARRAYS, gate_rows, recurrent_network

Arrays = dict[str, np.ndarray]


def arrays_of(network: Network) -> Arrays:
    """The arrays of a network by name, in the order of its layers."""
    if isinstance(network, Mlp):
        return perceptron_arrays(network, "")
    found = {
        f"gates.{name}_l{layer}": np.asarray(getattr(network, field)[layer])
        for layer in range(network.layers)
        for name, field in zip(GATE_ARRAYS, RECURRENT_FIELDS, strict=True)
    }
    return found | perceptron_arrays(network.head, "head.")


def perceptron_arrays(network: Mlp, prefix: str) -> Arrays:
    """The arrays of an MLP; a norm comes after its layer's weights."""
    pairs: list[tuple[np.ndarray, np.ndarray]] = []
    for weight, bias, norm, _ in network.rows:
        pairs += [(weight, bias)] if norm is None else [(weight, bias), (norm.weight, norm.bias)]
    return {
        f"{prefix}{place}.{leaf}": np.asarray(array)
        for place, pair in enumerate(pairs)
        for leaf, array in zip(("weight", "bias"), pair, strict=True)
    }


def words_of(network: Network) -> dict[str, Json]:
    """What the arrays of a network do not say."""
    head = network if isinstance(network, Mlp) else network.head
    return {
        "activation": head.activation if isinstance(head.activation, str) else list(head.activation),
        "output_activation": head.output_activation,
        "epsilons": [None if norm is None else float(norm.epsilon) for norm in head.norms],
    }


def network_from(arrays: Arrays, words: Mapping[str, Foreign], sort: bool = True) -> Network:
    """The network of arrays by name and of what they do not say; by the numbers in their names, or as they come."""
    groups: dict[str, Arrays] = {}
    for name in sorted(arrays, key=sort_key) if sort else arrays:
        prefix, _, leaf = name.rpartition(".")
        groups.setdefault(prefix, {})[leaf] = arrays[name]
    gates = [prefix for prefix, group in groups.items() if any("weight_ih" in leaf for leaf in group)]
    if len(gates) > 1:
        raise ParameterError(f"has {len(gates)} groups of recurrent layers: must be one")
    recurrent = groups.pop(gates[0]) if gates else None
    if sort and len({re.sub(r"\d+", "#", prefix) for prefix in groups}) > 1:
        raise ParameterError(f"has layers {', '.join(groups)[:200]}: names do not say their order, number them 0, 1, 2")
    head = perceptron([layer_of(prefix, group) for prefix, group in groups.items()], words)
    return head if recurrent is None else recurrent_of(gates[0], recurrent, head)


def sort_key(name: str) -> list[tuple[int, int, str]]:
    """A key that sorts layer 10 behind layer 9."""
    return [(0, int(piece), "") if piece.isdigit() else (1, 0, piece) for piece in re.split(r"(\d+)", name) if piece]


def layer_of(prefix: str, group: Arrays) -> tuple[np.ndarray, np.ndarray]:
    """Weights and biases of a linear layer, or of a norm."""
    others = sorted(set(group) - {"weight", "bias"})
    if others or "weight" not in group:
        name = ".".join(part for part in (prefix, *(others or ["bias"])[:1]) if part)
        raise ParameterError(f"has an array {name[:80]!r}, which neither a linear layer nor LSTM or GRU layers have")
    weight = group["weight"].astype(float)
    if weight.ndim not in (1, 2):
        raise ParameterError(f"has {prefix[:80]}.weight of the shape {weight.shape}: no layer of an MLP has that")
    return weight, group["bias"].astype(float) if "bias" in group else np.zeros(len(weight))


def perceptron(layers: list[tuple[np.ndarray, np.ndarray]], words: Mapping[str, Foreign]) -> Mlp:
    """An MLP of linear layers, each perhaps with a norm behind it."""
    linear = [pair for pair in layers if pair[0].ndim == 2]
    if not linear:
        raise ParameterError("has no linear layer: arrays must be named as in PyTorch's state dicts, 0.weight, 0.bias")
    norms: list[LayerNorm | None] = []
    epsilons = words.get("epsilons")
    epsilons = epsilons if isinstance(epsilons, list) else []
    for weight, bias in layers:
        if weight.ndim == 2:
            norms.append(None)
        elif norms and len(epsilons) >= len(norms) and norms[-1] is None:
            norms[-1] = LayerNorm(weight=weight, bias=bias, epsilon=epsilons[len(norms) - 1])
        else:
            raise ParameterError(
                "has a layer norm, and does not say whether before or behind the activation: save it as TorchScript or "
                "ONNX"
            )
    activation = words.get("activation")
    if activation is None and len(linear) > 1:
        raise ParameterError(
            "holds weights but not what follows each layer: give activation='elu', or whatever it was trained with"
        )
    return Mlp(
        weights=tuple(weight for weight, _ in linear),
        biases=tuple(bias for _, bias in linear),
        activation="identity" if activation is None else activation,
        output_activation=words.get("output_activation", "identity"),
        norms=tuple(norms),
    )


def recurrent_of(prefix: str, group: Arrays, head: Mlp) -> Lstm | Gru:
    """LSTM or GRU layers, distinguished by the number of gates, with a head."""
    wrong = sorted(name for name in group if not re.fullmatch(r"(weight|bias)_(ih|hh)_l\d{1,3}", name))
    if wrong:
        raise ParameterError(f"has {prefix}.{wrong[0][:80]}: recurrent layers must go one way and have no projection")
    rows = gate_rows(group)
    shape = rows[0][1].shape if rows else ()
    kind = {4: Lstm, 3: Gru}.get(shape[0] // shape[1]) if len(shape) == 2 and shape[1] else None
    if kind is None:
        raise ParameterError(f"has recurrent weights of the shape {shape}: neither an LSTM's nor a GRU's")
    return recurrent_network(kind, rows, head)
