"""TorchScript files: the networks that mjlab and Isaac Lab load.

A file is read without PyTorch: its weights as plain numbers, its code as text that is parsed and never run
(`torch_code`). Only a file that is trusted is loaded by PyTorch, which runs what is in it.
"""

from __future__ import annotations

import io
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from ..actuator.network_laws import gru, lstm, mlp
from ..actuator.networks import Gru, Lstm, Mlp, Network
from ..errors import MissingExtraError, ParameterError
from ..files import write_bytes
from . import assembly as build
from .archives import METADATA, Archive
from .layers import Stumble
from .pickles import Record, Unreadable
from .torch_code import read_code

REMEDY = (
    "save its network as ONNX or safetensors, or give trust=True if you made the file yourself, which runs its code"
)
"""What to do with a file that is not understood."""


def require_torch() -> Any:
    """PyTorch, or a sentence that says how to get it."""
    try:
        import torch
    except ModuleNotFoundError:
        raise MissingExtraError("torch", "torch", "Running or writing TorchScript") from None
    return torch


def read_torchscript(path: Path, archive: Archive, trust: bool = False) -> tuple[Network, dict[str, Any]]:
    """The network of a TorchScript file, and what the file says about its scales.

    With `trust`, PyTorch loads the file and runs its code, whatever that does.
    """
    try:
        network = trusted(path) if trust else read_code(archive)
    except Stumble as stumble:
        raise build.refused(path, stumble, "train one of these" if trust else REMEDY) from None
    except Unreadable as found:
        raise ParameterError(f"{path}: is damaged, or more than a network: it holds {brief(found)}; {REMEDY}") from None
    except ParameterError as error:
        raise ParameterError(f"{path}: {error}") from None
    return network, archive.metadata


def read_tensors(path: Path, archive: Archive) -> dict[str, Any]:
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


def brief(words: Any) -> str:
    """Words of a file in one short line."""
    text = " ".join(str(words).split())
    return text if len(text) <= 200 else f"{text[:200]}…"


def trusted(path: Path) -> Network:
    """The network of a file that PyTorch loads and runs."""
    torch = require_torch()
    from .torch_graph import Walk

    try:
        with quiet():
            module = torch.jit.load(str(path), map_location="cpu")
    except (RuntimeError, OSError, ValueError, KeyError, UnicodeDecodeError):
        raise ParameterError("is damaged; PyTorch cannot load it as TorchScript") from None
    module.eval()
    network = build.assemble(Walk(torch).forward(module))
    compare(torch, module, network)
    return network


def quiet() -> warnings.catch_warnings:
    """PyTorch calls TorchScript deprecated; the simulators read nothing else."""
    return warnings.catch_warnings(action="ignore", category=DeprecationWarning)


def compare(torch: Any, module: Any, network: Network) -> None:
    """Raise if the file's network and ours do not give the same answers."""
    size = network.input_size or 1
    dtype = next((x.dtype for x in module.parameters()), torch.float32)
    rng = np.random.default_rng(0)
    with torch.no_grad(), quiet():
        for scale in (0.3, 1.0, 3.0):
            if isinstance(network, Mlp):
                x = scale * rng.normal(size=(4, size))
                theirs = attempt(module, [(torch.as_tensor(x, dtype=dtype),)])
                ours = mlp(x, network)
            else:
                ours, theirs = recurrent_answers(torch, module, network, scale * rng.normal(size=size), dtype, rng)
            if not build.agree(ours, np.asarray(theirs.double())):
                raise Stumble("a forward that does more than its layers (the answers differ)")


def recurrent_answers(torch: Any, module: Any, network: Lstm | Gru, x: np.ndarray, dtype: Any, rng: Any) -> Any:
    """Ours and theirs for one step from a random state; with one motor, batch first or last is the same."""
    n = network.layers * (network.hidden_size or 1)
    hidden, cell = rng.uniform(-0.5, 0.5, size=(2, n))
    h, c = (torch.as_tensor(s, dtype=dtype).reshape(network.layers, 1, -1) for s in (hidden, cell))
    deep, flat = torch.as_tensor(x, dtype=dtype).reshape(1, 1, -1), torch.as_tensor(x, dtype=dtype).reshape(1, -1)
    if isinstance(network, Lstm):
        ways = [(deep, (h, c)), (deep, h, c), (flat, (h, c)), (flat, h, c)]
        return lstm(x, hidden, cell, network)[0], attempt(module, ways)
    return gru(x, hidden, network)[0], attempt(module, [(deep, h), (flat, h), (deep, (h,))])


def attempt(module: Any, ways: list[tuple[Any, ...]]) -> Any:
    """The first output of a module, called in the first way that it accepts."""
    for arguments in ways:
        try:
            answer = module(*arguments)
        except Exception:  # a scripted module raises many kinds for arguments that do not fit
            continue
        while isinstance(answer, (tuple, list)):
            answer = answer[0]
        return answer
    raise Stumble("a forward with other arguments than (input) or (input, state)")


def write_torchscript(network: Network, path: str | Path, metadata: dict[str, Any] | None, precision: str) -> Path:
    """Write a network as TorchScript, as mjlab and Isaac Lab load it."""
    torch = require_torch()
    from .torch_modules import module_of

    path = Path(path)
    extra = {METADATA: json.dumps(metadata)} if metadata else {}
    with quiet():
        module = torch.jit.script(module_of(network).to(getattr(torch, precision)).eval())
        content = io.BytesIO()
        torch.jit.save(module, content, _extra_files=extra)
    return write_bytes(path, content.getvalue(), folders=True)
