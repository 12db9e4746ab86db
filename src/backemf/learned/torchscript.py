"""TorchScript files: the networks that mjlab and Isaac Lab load.

A file is read without PyTorch: its weights as plain numbers, its code as text that is parsed and never run
(`torch_code`). Only a file that is trusted is loaded by PyTorch, which runs what is in it.
"""

from __future__ import annotations

import io
import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import numpy as np

from ..actuator.networks import Network
from ..errors import MissingExtraError, ParameterError
from ..files import write_bytes
from ..values import Json, Module
from .archives import METADATA, Archive
from .assembly import Follow, brief, read_layers, refusal
from .flow import Flow
from .layers import UnsupportedLayer
from .pickles import Record, Unreadable
from .torch_code import code_reader, first_of

REMEDY = (
    "save its network as ONNX or safetensors, or give trust=True if you made the file yourself, which runs its code"
)
"""What to do with a file that is not understood."""


def require_torch() -> ModuleType:
    """PyTorch; raises `MissingExtraError` where it is not installed."""
    try:
        import torch
    except ModuleNotFoundError:
        raise MissingExtraError("torch", "torch", "Running or writing TorchScript") from None
    return torch


def read_torchscript(path: Path, archive: Archive, trust: bool = False) -> tuple[Network, dict[str, Json]]:
    """The network of a TorchScript file, and the file's metadata.

    With `trust`, PyTorch loads the file and runs its code, whatever that does.
    """
    try:
        network = read_trusted(path) if trust else read_layers(code_reader(archive))
    except UnsupportedLayer as reason:
        raise refusal(path, reason, "train one of these" if trust else REMEDY) from None
    except Unreadable as found:
        raise ParameterError(f"{path}: is damaged, or more than a network: it holds {brief(found)}; {REMEDY}") from None
    except ParameterError as error:
        raise ParameterError(f"{path}: {error}") from None
    return network, archive.metadata


def read_tensors(path: Path, archive: Archive) -> dict[str, np.ndarray]:
    """The arrays of a state dict that torch.save wrote, by name."""
    try:
        content = archive.content("data")
    except Unreadable as found:
        raise ParameterError(
            f"{path}: is damaged, or more than a state dict: it holds {brief(found)}; save the network as ONNX or "
            "safetensors, or with torch.save(model.state_dict(), path)"
        ) from None
    for word in ("state_dict", "model_state_dict", "model"):
        if isinstance(content, dict) and isinstance(content.get(word), dict):
            content = content[word]
    if isinstance(content, Record):
        raise ParameterError(
            f"{path}: holds a pickled model, not TorchScript; save it with torch.jit.script(model).save(path)"
        )
    if not isinstance(content, dict) or not all(isinstance(value, np.ndarray) for value in content.values()):
        raise ParameterError(
            f"{path}: holds something else than arrays by name; save it with torch.save(model.state_dict(), path)"
        )
    return {str(name): value for name, value in content.items()}


def read_trusted(path: Path) -> Network:
    """The network of a file that PyTorch loads and runs: as it is, or with its weights frozen into its code."""
    torch = require_torch()
    try:
        with ignore_deprecation():
            module = torch.jit.load(str(path), map_location="cpu").eval()
    except (RuntimeError, OSError, ValueError, KeyError, UnicodeDecodeError):
        raise ParameterError("is damaged; PyTorch cannot load it as TorchScript") from None
    try:
        return read_layers(module_reader(torch, path, module, module))
    except (UnsupportedLayer, Unreadable):
        with ignore_deprecation():
            frozen = torch.jit.freeze(module)
        return read_layers(module_reader(torch, path, module, frozen))


def module_reader(torch: Module, path: Path, module: Module, written: Module) -> Follow:
    """The layers of a module as it is written, and its outputs for sample inputs as PyTorch runs it."""
    dtype = next((x.dtype for x in module.parameters()), torch.float32)
    read_code = code_reader(Archive(path, script_bytes(torch, written, {})))

    def follow(flow: Flow, states: list[Flow]) -> Flow:
        if flow.value is None:
            return read_code(flow, states)
        x, *given = (torch.as_tensor(sample.value, dtype=dtype) for sample in (flow, *states))
        # a GRU takes the hidden state alone
        for arguments in ((x, tuple(given)), (x, *given), (x, *given[:1]), (x, tuple(given[:1]))):
            try:
                with torch.no_grad(), ignore_deprecation():
                    return Flow(value=first_of(module(*arguments)).double().numpy())
            except Exception:  # a scripted module raises many kinds for arguments that do not fit
                continue
        raise UnsupportedLayer("a forward with other arguments than (input) or (input, state)")

    return follow


def ignore_deprecation() -> warnings.catch_warnings:
    """PyTorch calls TorchScript deprecated; the simulators read nothing else."""
    return warnings.catch_warnings(action="ignore", category=DeprecationWarning)


def script_bytes(torch: Module, module: Module, extra: dict[str, str]) -> bytes:
    """The file of a scripted module."""
    content = io.BytesIO()
    with ignore_deprecation():
        torch.jit.save(module, content, _extra_files=extra)
    return content.getvalue()


def write_torchscript(network: Network, path: Path, metadata: Mapping[str, Json] | None, precision: str) -> Path:
    """Write a network as TorchScript, as mjlab and Isaac Lab load it."""
    torch = require_torch()
    from .torch_modules import module_of

    with ignore_deprecation():
        module = torch.jit.script(module_of(network).to(getattr(torch, precision)).eval())
    extra = {METADATA: json.dumps(metadata)} if metadata else {}
    return write_bytes(path, script_bytes(torch, module, extra), folders=True)
