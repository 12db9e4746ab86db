"""Networks as arrays by name, laid out as PyTorch's state dicts are: what safetensors and torch.save keep.

A layer's arrays are `0.weight` and `0.bias`, a norm behind it has a weight with one axis, recurrent layers have
`weight_ih_l0` and so on. The activations are not among them.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..actuator.networks import Gru, LayerNorm, Lstm, Mlp, Network
from ..errors import ParameterError

GATES = {
    "weight_ih": "input_weights", "weight_hh": "hidden_weights", "bias_ih": "input_biases", "bias_hh": "hidden_biases"
}  # fmt: skip
"""PyTorch's names of the arrays of gates, and ours."""
Layer = tuple[np.ndarray, np.ndarray | None]
"""Weights and biases."""


def arrays_of(network: Network) -> dict[str, np.ndarray]:
    """The arrays of a network by name, in the order of its layers."""
    if isinstance(network, Mlp):
        return perceptron_arrays(network, "")
    found = {
        f"gates.{theirs}_l{layer}": np.asarray(getattr(network, ours)[layer])
        for layer in range(network.layers)
        for theirs, ours in GATES.items()
    }
    return found | perceptron_arrays(network.head, "head.")


def perceptron_arrays(network: Mlp, prefix: str) -> dict[str, np.ndarray]:
    """The arrays of an MLP; a norm stands behind its layer's weights."""
    found: dict[str, np.ndarray] = {}
    for layer, (weight, bias) in enumerate(zip(network.weights, network.biases, strict=True)):
        norm = network.norms[layer] if network.norms else None
        for weights, biases in ((weight, bias), *(() if norm is None else ((norm.weight, norm.bias),))):
            place = len(found) // 2
            found[f"{prefix}{place}.weight"] = np.asarray(weights)
            found[f"{prefix}{place}.bias"] = np.asarray(biases)
    return found


def words_of(network: Network) -> dict[str, Any]:
    """What the arrays of a network do not say."""
    head = network if isinstance(network, Mlp) else network.head
    return {
        "activation": head.activation if isinstance(head.activation, str) else list(head.activation),
        "output_activation": head.output_activation,
        "epsilons": [None if norm is None else float(norm.epsilon) for norm in head.norms],
    }


def network_of(arrays: dict[str, np.ndarray], words: dict[str, Any], sort: bool = True) -> Network:
    """The network of arrays by name and of what they do not say; by the numbers in their names, or as they come."""
    groups: dict[str, dict[str, np.ndarray]] = {}
    for name in sorted(arrays, key=in_order) if sort else arrays:
        prefix, _, leaf = name.rpartition(".")
        groups.setdefault(prefix, {})[leaf] = arrays[name]
    gates = [prefix for prefix, group in groups.items() if any("weight_ih" in leaf for leaf in group)]
    if len(gates) > 1:
        raise ParameterError(f"has {len(gates)} groups of recurrent layers: must be one")
    recurrent = groups.pop(gates[0]) if gates else None
    if sort and len({re.sub(r"\d+", "#", prefix) for prefix in groups}) > 1:
        raise ParameterError(f"has layers {', '.join(groups)[:200]}: names do not say their order, number them 0, 1, 2")
    layers = [layer_of(prefix, group) for prefix, group in groups.items()]
    if not any(weight.ndim == 2 for weight, _ in layers):
        raise ParameterError("has no linear layer: arrays must be named as in PyTorch's state dicts, 0.weight, 0.bias")
    head = perceptron(layers, words)
    return head if recurrent is None else recurrent_network(gates[0], recurrent, head)


def in_order(name: str) -> list[Any]:
    """A key that sorts layer 10 behind layer 9."""
    return [(0, int(piece), "") if piece.isdigit() else (1, 0, piece) for piece in re.split(r"(\d+)", name) if piece]


def layer_of(prefix: str, group: dict[str, np.ndarray]) -> Layer:
    """Weights and biases of a linear layer, or of a norm."""
    others = sorted(set(group) - {"weight", "bias"})
    if others or "weight" not in group:
        name = ".".join(part for part in (prefix, *(others or ["bias"])[:1]) if part)
        raise ParameterError(f"has an array {name[:80]!r}, which neither a linear layer nor LSTM or GRU layers have")
    if group["weight"].ndim not in (1, 2):
        raise ParameterError(
            f"has {prefix[:80]}.weight of the shape {group['weight'].shape}: no layer of an MLP has that"
        )
    return group["weight"].astype(float), group["bias"].astype(float) if "bias" in group else None


def perceptron(layers: list[Layer], words: dict[str, Any]) -> Mlp:
    """An MLP of linear layers, each perhaps with a norm behind it."""
    weights, biases, norms = [], [], []
    epsilons = words.get("epsilons")
    for weight, bias in layers:
        if weight.ndim == 2:
            weights.append(weight)
            biases.append(np.zeros(len(weight)) if bias is None else bias)
            norms.append(None)
            continue
        if not epsilons or not norms or len(epsilons) < len(norms) or norms[-1] is not None:
            raise ParameterError(
                "has a layer norm, and does not say whether before or behind the activation: save it as TorchScript or "
                "ONNX"
            )
        norms[-1] = LayerNorm(
            weight=weight, bias=np.zeros(len(weight)) if bias is None else bias, epsilon=epsilons[len(norms) - 1]
        )
    activation = words.get("activation")
    if activation is None:
        if len(weights) > 1:
            raise ParameterError(
                "holds weights and no word about what follows each layer: give activation='elu', or whatever it was "
                "trained with"
            )
        activation = "identity"
    return Mlp(
        weights=tuple(weights),
        biases=tuple(biases),
        activation=tuple(activation) if isinstance(activation, list) else activation,
        output_activation=words.get("output_activation", "identity"),
        norms=tuple(norms),
    )


def recurrent_network(prefix: str, group: dict[str, np.ndarray], head: Mlp) -> Lstm | Gru:
    """LSTM or GRU layers, told apart by how many gates a hidden number has, with a head."""
    wrong = sorted(name for name in group if not re.fullmatch(r"(weight|bias)_(ih|hh)_l\d{1,3}", name))
    if wrong:
        raise ParameterError(f"has {prefix}.{wrong[0][:80]}: recurrent layers must go one way and have no projection")
    columns: dict[str, list[np.ndarray]] = {ours: [] for ours in GATES.values()}
    layers = 0
    while f"weight_ih_l{layers}" in group and f"weight_hh_l{layers}" in group:
        none = np.zeros(len(group[f"weight_hh_l{layers}"]))
        for theirs, ours in GATES.items():
            columns[ours].append(group.get(f"{theirs}_l{layers}", none).astype(float))
        layers += 1
    shape = columns["hidden_weights"][0].shape if layers else ()
    kind = {4: Lstm, 3: Gru}.get(shape[0] // shape[1]) if len(shape) == 2 and shape[1] else None
    if kind is None:
        raise ParameterError(f"has recurrent weights of the shape {shape}: neither an LSTM's nor a GRU's")
    return kind(**{name: tuple(values) for name, values in columns.items()}, head=head)
