"""One entry for network files: TorchScript, ONNX, safetensors and state dicts, distinguished by their content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ..actuator.controllers.learned import RESETS, LearnedController, LearnedMlp, LearnedRecurrent
from ..actuator.networks import Gru, Lstm, Mlp, Network
from ..errors import ParameterError, errors_at
from ..files import read_bytes
from ..values import Foreign, Json
from .archives import LARGEST, Archive
from .folding import fold_scales, single_scales
from .onnx_files import read_onnx
from .onnx_writing import write_onnx
from .safetensors_files import read_safetensors, write_safetensors
from .states import network_from
from .torchscript import read_tensors, read_torchscript, write_torchscript

_TORCH = (".pt", ".pth", ".ts", ".jit", ".torchscript")
ORDERS = {"position_velocity": "pos_vel", "velocity_position": "vel_pos"}
"""Our names of the order of inputs, and those of mjlab, Isaac Lab and Newton."""
_FIELDS = {
    "pos_scale": "position_scale", "vel_scale": "velocity_scale", "effort_scale": "torque_scale",
    "torque_scale": "torque_scale",
}  # fmt: skip
"""Their names of the scales, and ours; the later of two wins."""


def load_network(path: str | Path, *, trust: bool = False, activation: str | Sequence[str] | None = None) -> Network:
    """The MLP, LSTM or GRU of a TorchScript (.pt), ONNX (.onnx) or safetensors file, or of a state dict (.pt).

    Nothing in the file is run. A TorchScript file that cannot be understood without running it is loaded by PyTorch
    with `trust=True`: use that for files you made yourself. Where the file holds nothing but arrays, `activation` says
    what follows each layer, as in `Mlp`.
    """
    return read(path, trust, activation)[0]


def load_learned(path: str | Path, *, trust: bool = False, **changes: Foreign) -> LearnedController:
    """A learned controller from a file that includes its scales, as `save_network` and Newton write them.

    What the file does not say, or says wrongly, is given by name: position_scale, velocity_scale, torque_scale,
    input_order, and for an MLP history, stride and reset; `activation` and `trust` are as in `load_network`.
    """
    network, found = read(path, trust, changes.pop("activation", None))
    fields = controller_fields(found)
    if not isinstance(network, Mlp):
        fields.pop("reset", None)
        return LearnedRecurrent(network=network, **{**fields, **changes})
    history = {"history": (network.input_size or 2) // 2, **stride_of(found, path)}
    return LearnedMlp(network=network, **{**history, **fields, **changes})


def read(
    path: str | Path, trust: bool = False, activation: str | Sequence[str] | None = None
) -> tuple[Network, dict[str, Json]]:
    """Network and metadata of a file."""
    path = Path(path)
    content = read_bytes(path, LARGEST, what="the network of an actuator")
    if not content:
        raise ParameterError(f"{path}: is empty")
    # a TorchScript file is a zip archive, an ONNX file is not
    if content.startswith(b"PK") or path.suffix.lower() in _TORCH:
        archive = Archive(path, content)
        if not archive.is_torchscript:
            return read_state_dict(path, archive, activation), {}
        network, found = read_torchscript(path, archive, trust)
    elif path.suffix.lower() == ".safetensors" or content[8:10] == b'{"':
        return read_safetensors(path, content, activation)
    else:
        network, found = read_onnx(path, content)
    if activation is not None:
        raise ParameterError(f"{path}: names its activations itself: leave activation out")
    return network, found


def read_state_dict(path: Path, archive: Archive, activation: str | Sequence[str] | None) -> Network:
    """The network of a state dict."""
    arrays = read_tensors(path, archive)
    with errors_at(path):
        return network_from(arrays, {"activation": activation}, sort=False)


def save_network(network: Network | LearnedController, path: str | Path, *, precision: str = "float32") -> Path:
    """Write a network as TorchScript (.pt, for mjlab and Isaac Lab), ONNX (.onnx, for Newton) or safetensors.

    The file of a controller includes its scales, where Newton looks for them. Those of a recurrent controller go into
    the weights of TorchScript and ONNX, since Isaac Lab has no fields for them.
    """
    path = Path(path)
    metadata = None
    suffix = path.suffix.lower()
    if isinstance(network, (LearnedMlp, LearnedRecurrent)):
        if isinstance(network, LearnedRecurrent) and suffix != ".safetensors":
            network = fold_scales(network)
        metadata, network = metadata_of(network), network.network
    if not isinstance(network, (Mlp, Lstm, Gru)):
        raise ParameterError(f"network = {network!r}: must be an Mlp, Lstm, Gru, LearnedMlp or LearnedRecurrent")
    if precision not in ("float32", "float64"):
        raise ParameterError(f"precision = {precision!r}: must be 'float32' or 'float64'")
    writers = {".onnx": write_onnx, ".safetensors": write_safetensors, **dict.fromkeys(_TORCH, write_torchscript)}
    if suffix not in writers:
        raise ParameterError(f"{path}: the name must end in .pt for TorchScript or .onnx for ONNX, or in .safetensors")
    return writers[suffix](network, path, metadata, precision)


def metadata_of(controller: LearnedController) -> dict[str, Json]:
    """What a controller adds to its network, by the simulators' names."""
    found = scale_fields(controller)
    found["effort_scale"] = found["torque_scale"]
    if isinstance(controller, LearnedMlp):
        found["input_idx"] = list(range(0, controller.depth, controller.stride))
        return found | {"history_length": controller.history, "reset": controller.reset}
    return found | {"num_layers": controller.network.layers, "hidden_size": controller.network.hidden_size}


def scale_fields(controller: LearnedController) -> dict[str, Foreign]:
    """Scales and order of inputs, by the simulators' names."""
    return {**single_scales(controller), "input_order": ORDERS[controller.input_order]}


def controller_fields(found: Mapping[str, Json]) -> dict[str, Foreign]:
    """The fields of a controller that a file or a configuration names as the simulators do."""
    fields = {ours: found[theirs] for theirs, ours in _FIELDS.items() if theirs in found}
    if "input_order" in found:
        order = found["input_order"]
        fields["input_order"] = next((ours for ours, theirs in ORDERS.items() if theirs == order), order)
    if found.get("reset") in RESETS:
        fields["reset"] = found["reset"]
    return fields


def stride_of(found: Mapping[str, Foreign], path: str | Path) -> dict[str, int]:
    """History and stride from the steps that a file says it looks back."""
    steps = found.get("input_idx")
    if steps is None:
        return {}
    count = len(steps) if isinstance(steps, list) else 0
    stride = steps[1] - steps[0] if count > 1 and all(isinstance(step, int) for step in steps) else 1
    if not count or stride < 1 or steps != list(range(0, count * stride, stride)):
        raise ParameterError(f"{path}: its input_idx = {steps} must begin at 0 and rise by equal steps")
    return {"history": count, "stride": stride}
