"""Our networks as PyTorch modules, to be scripted; imported only where PyTorch is."""

from typing import Any, Tuple  # noqa: UP035  TorchScript of older versions knows no other

import torch
from torch import Tensor, nn

from ..actuator.networks import PARAMETERS, Lstm, Mlp, Network, split_activation

_ACTIVATIONS = {
    "relu": nn.ReLU,
    "elu": nn.ELU,
    "tanh": nn.Tanh,
    "softsign": nn.Softsign,
    "sigmoid": nn.Sigmoid,
    "leaky_relu": nn.LeakyReLU,
    "gelu": nn.GELU,
    "gelu_tanh": lambda: nn.GELU(approximate="tanh"),
    "silu": nn.SiLU,
}


class LstmModule(nn.Module):
    """An LSTM as Isaac Lab calls it: (input (n, 1, 2), (hidden, cell)) -> torque (n, 1), (hidden, cell)."""

    def __init__(self, lstm: nn.LSTM, head: nn.Module):
        super().__init__()
        self.lstm = lstm
        self.head = head

    def forward(self, x: Tensor, state: Tuple[Tensor, Tensor]) -> Tuple[Tensor, Tuple[Tensor, Tensor]]:  # noqa: UP006
        y, state = self.lstm(x, state)
        return self.head(y[:, -1]), state


class GruModule(nn.Module):
    """A GRU in the same manner: (input (n, 1, 2), hidden) -> torque (n, 1), hidden."""

    def __init__(self, gru: nn.GRU, head: nn.Module):
        super().__init__()
        self.gru = gru
        self.head = head

    def forward(self, x: Tensor, state: Tensor) -> Tuple[Tensor, Tensor]:  # noqa: UP006
        y, state = self.gru(x, state)
        return self.head(y[:, -1]), state


def module_of(network: Network) -> nn.Module:
    """The PyTorch module with a network's weights, in double precision."""
    if isinstance(network, Mlp):
        return sequential(network)
    kind = nn.LSTM if isinstance(network, Lstm) else nn.GRU
    size_in, size = network.input_size or 1, network.hidden_size or 1
    cells = kind(size_in, size, num_layers=network.layers, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        for layer in range(network.layers):
            for name, rows in (
                ("weight_ih", network.input_weights),
                ("weight_hh", network.hidden_weights),
                ("bias_ih", network.input_biases),
                ("bias_hh", network.hidden_biases),
            ):
                getattr(cells, f"{name}_l{layer}").copy_(torch.as_tensor(rows[layer]))
    head = sequential(network.head)
    return LstmModule(cells, head) if isinstance(cells, nn.LSTM) else GruModule(cells, head)


def sequential(network: Mlp) -> nn.Sequential:
    """An MLP as linear layers and activations in a row."""
    parts: list[nn.Module] = []
    words = network.activations
    for layer, (weight, bias) in enumerate(zip(network.weights, network.biases, strict=True)):
        linear = nn.Linear(weight.shape[1], weight.shape[0], dtype=torch.float64)
        parts.append(filled(linear, weight, bias))
        norm = network.norms[layer] if network.norms else None
        if norm is not None:
            plain = nn.LayerNorm(len(norm.weight), eps=float(norm.epsilon), dtype=torch.float64)
            parts.append(filled(plain, norm.weight, norm.bias))
        if words[layer] != "identity":
            name, parameter = split_activation(words[layer])
            parts.append(_ACTIVATIONS[name](parameter) if name in PARAMETERS else _ACTIVATIONS[name]())
    return nn.Sequential(*parts)


def filled(module: Any, weight: Any, bias: Any) -> nn.Module:
    """A layer with its weights and biases."""
    with torch.no_grad():
        module.weight.copy_(torch.as_tensor(weight))
        module.bias.copy_(torch.as_tensor(bias))
    return module
