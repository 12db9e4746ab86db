"""One entry for network files: TorchScript, ONNX, safetensors and state dicts, told apart by what is in them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

from ..actuator.controllers.learned import LearnedController, LearnedMlp, LearnedRecurrent
from ..actuator.networks import Gru, Lstm, Mlp, Network
from ..errors import ParameterError
from ..files import read_bytes
from .archives import LARGEST, Archive
from .folding import folded, one_for_all
from .onnx_files import read_onnx
from .onnx_writing import write_onnx
from .safetensors_files import read_safetensors, write_safetensors
from .states import network_of
from .torchscript import read_tensors, read_torchscript, write_torchscript

_TORCH = (".pt", ".pth", ".ts", ".jit", ".torchscript")
_ORDERS = {"position_velocity": "pos_vel", "velocity_position": "vel_pos"}
"""Our words for the order of inputs, and those of mjlab, Isaac Lab and Newton."""


def load_network(path: str | Path, *, trust: bool = False, activation: Any = None) -> Network:
    """The MLP, LSTM or GRU of a TorchScript (.pt), ONNX (.onnx) or safetensors file, or of a state dict (.pt).

    Nothing in the file is run. A TorchScript file that cannot be understood without running it is loaded by PyTorch
    with `trust=True`: give that for files you made yourself. `activation` says what follows each layer, as in `Mlp`,
    where the file holds nothing but arrays.
    """
    return read(path, trust, activation)[0]


def load_learned(path: str | Path, *, trust: bool = False, **changes: Any) -> LearnedController:
    """A learned controller from a file that carries its scales, as `save_network` and Newton write them.

    What the file does not say, or says wrongly, is given by name: position_scale, velocity_scale, torque_scale,
    input_order, and for an MLP history, stride and reset; `activation` and `trust` are as in `load_network`.
    """
    network, found = read(path, trust, changes.pop("activation", None))
    if isinstance(network, Mlp):
        size = network.input_size or 2
        given = {"history": size // 2, **described(found), **stride_of(found, path), **changes}
        return LearnedMlp(network=network, **given)
    found.pop("reset", None)
    return LearnedRecurrent(network=network, **{**described(found), **changes})


def read(path: str | Path, trust: bool = False, activation: Any = None) -> tuple[Network, dict[str, Any]]:
    """Network and metadata of a file."""
    path = Path(path)
    content = read_bytes(path, LARGEST, what="the network of an actuator")
    if not content:
        raise ParameterError(f"{path}: is empty")
    # a TorchScript file is a zip archive, an ONNX file is not
    if content.startswith(b"PK") or path.suffix.lower() in _TORCH:
        archive = Archive(path, content)
        if not archive.is_torchscript:
            return from_state(path, archive, activation), {}
        network, found = read_torchscript(path, archive, trust)
    elif path.suffix.lower() == ".safetensors" or content[8:10] == b'{"':
        return read_safetensors(path, content, activation)
    else:
        network, found = read_onnx(path, content)
    if activation is not None:
        raise ParameterError(f"{path}: says its activations itself: leave activation out")
    return network, found


def from_state(path: Path, archive: Archive, activation: Any) -> Network:
    """The network of a state dict."""
    arrays = read_tensors(path, archive)
    try:
        return network_of(arrays, {"activation": activation}, sort=False)
    except ParameterError as error:
        raise ParameterError(f"{path}: {error}") from None


def save_network(network: Network | LearnedController, path: str | Path, *, precision: str = "float32") -> Path:
    """Write a network as TorchScript (.pt, for mjlab and Isaac Lab), ONNX (.onnx, for Newton) or safetensors.

    The file of a controller carries its scales along, where Newton looks for them. Those of a recurrent controller go
    into the weights of TorchScript and ONNX, since Isaac Lab has no fields for them.
    """
    path = Path(path)
    metadata = None
    suffix = path.suffix.lower()
    if isinstance(network, (LearnedMlp, LearnedRecurrent)):
        if isinstance(network, LearnedRecurrent) and suffix != ".safetensors":
            network = folded(network)
        metadata, network = description(network), network.network
    if not isinstance(network, (Mlp, Lstm, Gru)):
        raise ParameterError(f"network = {network!r}: must be an Mlp, Lstm, Gru, LearnedMlp or LearnedRecurrent")
    if precision not in ("float32", "float64"):
        raise ParameterError(f"precision = {precision!r}: must be 'float32' or 'float64'")
    if suffix == ".onnx":
        return write_onnx(network, path, metadata, precision)
    if suffix == ".safetensors":
        return write_safetensors(network, path, metadata, precision)
    if suffix in _TORCH:
        return write_torchscript(network, path, metadata, precision)
    raise ParameterError(f"{path}: the name must end in .pt for TorchScript or .onnx for ONNX, or in .safetensors")


def description(controller: LearnedController) -> dict[str, Any]:
    """What a controller adds to its network, in the words of the simulators."""
    scales = one_for_all(controller)
    words: dict[str, Any] = {
        "input_order": _ORDERS[controller.input_order],
        "pos_scale": scales["position_scale"],
        "vel_scale": scales["velocity_scale"],
        "torque_scale": scales["torque_scale"],
    }
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
