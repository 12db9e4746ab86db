"""Our networks as PyTorch modules, to be scripted; imported only where PyTorch is."""

from typing import Tuple  # noqa: UP035  older versions of TorchScript know no other

import numpy as np
import torch
from torch import Tensor, nn

from ..actuator.networks import PARAMETERS, RECURRENT_FIELDS, Lstm, Mlp, Network, split_activation
from .layers import GATE_ARRAYS

_ACTIVATIONS = {
    "relu": nn.ReLU, "elu": nn.ELU, "tanh": nn.Tanh, "softsign": nn.Softsign, "sigmoid": nn.Sigmoid,
    "leaky_relu": nn.LeakyReLU, "gelu": nn.GELU, "gelu_tanh": lambda: nn.GELU(approximate="tanh"), "silu": nn.SiLU,
}  # fmt: skip


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
    for name, field in zip(GATE_ARRAYS, RECURRENT_FIELDS, strict=True):
        load(cells, **{f"{name}_l{layer}": array for layer, array in enumerate(getattr(network, field))})
    head = sequential(network.head)
    return LstmModule(cells, head) if isinstance(cells, nn.LSTM) else GruModule(cells, head)


def sequential(network: Mlp) -> nn.Sequential:
    """An MLP as linear layers, norms and activations in a row."""
    parts: list[nn.Module] = []
    for weight, bias, norm, word in network.rows:
        parts.append(load(nn.Linear(*weight.shape[::-1], dtype=torch.float64), weight=weight, bias=bias))
        if norm is not None:
            plain = nn.LayerNorm(len(norm.weight), eps=float(norm.epsilon), dtype=torch.float64)
            parts.append(load(plain, weight=norm.weight, bias=norm.bias))
        if word != "identity":
            name, parameter = split_activation(word)
            parts.append(_ACTIVATIONS[name](parameter) if name in PARAMETERS else _ACTIVATIONS[name]())
    return nn.Sequential(*parts)


def load(module: nn.Module, **arrays: np.ndarray) -> nn.Module:
    """A layer with its weights and biases."""
    module.load_state_dict({name: torch.as_tensor(array) for name, array in arrays.items()}, strict=False)
    return module
