"""One entry for network files: TorchScript and ONNX, told apart by what is in them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import ParameterError
from .learned import LearnedController, LearnedMlp, LearnedRecurrent
from .networks import Gru, Lstm, Mlp, Network
from .onnx_files import read_onnx
from .onnx_writing import write_onnx
from .torchscript import read_torchscript, write_torchscript

_TORCH = (".pt", ".pth", ".ts", ".jit", ".torchscript")
_ORDERS = {"position_velocity": "pos_vel", "velocity_position": "vel_pos"}
"""Our words for the order of inputs, and those of mjlab, Isaac Lab and Newton."""


def load_network(path: str | Path) -> Network:
    """The MLP, LSTM or GRU of a TorchScript (.pt) or ONNX (.onnx) file."""
    return read(path)[0]


def load_learned(path: str | Path, **changes: Any) -> LearnedController:
    """A learned controller from a file that carries its scales, as `save_network` and Newton write them.

    What the file does not say, or says wrongly, is given by name: position_scale, velocity_scale, torque_scale,
    input_order, and for an MLP history, stride and reset.
    """
    network, found = read(path)
    if isinstance(network, Mlp):
        size = network.input_size or 2
        given = {"history": size // 2, **described(found), **stride_of(found, path), **changes}
        return LearnedMlp(network=network, **given)
    return LearnedRecurrent(network=network, **{**described(found), **changes})


def read(path: str | Path) -> tuple[Network, dict[str, Any]]:
    """Network and metadata of a file."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            start = file.read(4)
    except FileNotFoundError:
        raise ParameterError(f"{path}: no such file") from None
    except OSError as error:
        raise ParameterError(f"{path}: cannot be read ({error.strerror or error})") from None
    if not start:
        raise ParameterError(f"{path}: is empty")
    # a TorchScript file is a zip archive, an ONNX file is not
    if start.startswith(b"PK") or path.suffix.lower() in _TORCH:
        return read_torchscript(path)
    return read_onnx(path)


def save_network(network: Network | LearnedController, path: str | Path, *, precision: str = "float32") -> Path:
    """Write a network as TorchScript (.pt, for mjlab and Isaac Lab) or ONNX (.onnx).

    The file of a controller carries its scales along, where Newton looks for them.
    """
    path = Path(path)
    metadata = None
    if isinstance(network, (LearnedMlp, LearnedRecurrent)):
        metadata, network = description(network), network.network
    if not isinstance(network, (Mlp, Lstm, Gru)):
        raise ParameterError(f"network = {network!r}: must be an Mlp, Lstm, Gru, LearnedMlp or LearnedRecurrent")
    if precision not in ("float32", "float64"):
        raise ParameterError(f"precision = {precision!r}: must be 'float32' or 'float64'")
    if path.suffix.lower() == ".onnx":
        return write_onnx(network, path, metadata, precision)
    if path.suffix.lower() in _TORCH:
        return write_torchscript(network, path, metadata, precision)
    raise ParameterError(f"{path}: the name must end in .pt for TorchScript or .onnx for ONNX")


def description(controller: LearnedController) -> dict[str, Any]:
    """What a controller adds to its network, in the words of the simulators."""
    words: dict[str, Any] = {"input_order": _ORDERS[controller.input_order]}
    for ours, theirs in (
        ("position_scale", "pos_scale"),
        ("velocity_scale", "vel_scale"),
        ("torque_scale", "torque_scale"),
    ):
        value = getattr(controller, ours)
        if np.ndim(value):
            raise ParameterError(
                f"{type(controller).__name__}.{ours} has one value per joint: a file holds one for all"
            )
        words[theirs] = float(value)
    words["effort_scale"] = words["torque_scale"]
    if isinstance(controller, LearnedMlp):
        words["input_idx"] = list(range(0, controller.depth, controller.stride))
        words["history_length"] = controller.history
        words["reset"] = controller.reset
    else:
        words["num_layers"], words["hidden_size"] = controller.network.layers, controller.network.hidden_size
    return words


def described(found: dict[str, Any]) -> dict[str, Any]:
    """The fields of a controller that a file names."""
    fields: dict[str, Any] = {}
    if "input_order" in found:
        fields["input_order"] = {theirs: ours for ours, theirs in _ORDERS.items()}.get(
            found["input_order"], found["input_order"]
        )
    for ours, theirs in (
        ("position_scale", ("pos_scale",)),
        ("velocity_scale", ("vel_scale",)),
        ("torque_scale", ("torque_scale", "effort_scale")),
    ):
        for name in theirs:
            if name in found:
                fields[ours] = found[name]
                break
    if found.get("reset") in ("backfill", "zero"):
        fields["reset"] = found["reset"]
    return fields


def stride_of(found: dict[str, Any], path: str | Path) -> dict[str, int]:
    """History and stride from the steps that a file says it looks back."""
    steps = found.get("input_idx")
    if steps is None:
        return {}
    whole = isinstance(steps, list) and all(isinstance(step, int) for step in steps) and steps
    gaps = {b - a for a, b in pairwise(steps)} if whole else set()
    if not whole or steps[0] != 0 or len(gaps) > 1 or (gaps and min(gaps) < 1):
        raise ParameterError(f"{path}: its input_idx = {steps} must begin at 0 and rise by equal steps")
    return {"history": len(steps), "stride": gaps.pop() if gaps else 1}
