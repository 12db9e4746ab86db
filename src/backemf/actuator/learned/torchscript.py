"""TorchScript files: the networks that mjlab and Isaac Lab load.

A file is read by following the input through its graph. Nothing of it is unpickled as Python; the network itself runs
only once all its layers are known, to compare its answers with ours.
"""

from __future__ import annotations

import json
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import MissingExtraError, ParameterError
from . import layers as build
from .laws import gru, lstm, mlp
from .layers import Stumble
from .networks import Gru, Lstm, Mlp, Network
from .torch_graph import Walk

METADATA = "metadata.json"
"""Name of the entry with the scales of a controller, the same as Newton's."""


def require_torch() -> Any:
    """PyTorch, or a sentence that says how to get it."""
    try:
        import torch
    except ModuleNotFoundError:
        raise MissingExtraError("torch", "torch", "Reading or writing TorchScript") from None
    return torch


def read_torchscript(path: str | Path) -> tuple[Network, dict[str, Any]]:
    """The network of a TorchScript file, and what the file says about its scales."""
    path = Path(path)
    check_archive(path)
    torch = require_torch()
    extra = {METADATA: ""}
    try:
        with quiet():
            module = torch.jit.load(str(path), map_location="cpu", _extra_files=extra)
    except (RuntimeError, OSError, ValueError, KeyError, UnicodeDecodeError):
        raise ParameterError(f"{path}: is damaged; PyTorch cannot load it as TorchScript") from None
    module.eval()
    try:
        network = build.assemble(Walk(torch).forward(module))
        compare(torch, module, network)
    except Stumble as stumble:
        raise build.refused(path, stumble) from None
    except ParameterError as error:
        raise ParameterError(f"{path}: {error}") from None
    return network, read_metadata(path, extra[METADATA])


def check_archive(path: Path) -> None:
    """Raise one sentence if the file is no TorchScript archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, EOFError):
        raise ParameterError(f"{path}: is damaged or no TorchScript file; save it again with torch.jit.save") from None
    if not any("/code/" in name or name.endswith("constants.pkl") for name in names):
        raise ParameterError(
            f"{path}: holds a pickled model or state dict, not TorchScript; "
            "save it with torch.jit.script(model).save(path)"
        )


def read_metadata(path: Path, text: str | bytes) -> dict[str, Any]:
    """The scales that a file carries; an empty dict where it carries none."""
    if not text:
        return {}
    try:
        found = json.loads(text)
    except ValueError:
        raise ParameterError(f"{path}: its {METADATA} is no JSON") from None
    return found if isinstance(found, dict) else {}


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
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            torch.jit.save(module, str(path), _extra_files=extra)
        except (OSError, RuntimeError) as error:
            raise ParameterError(f"{path}: cannot be written ({str(error).splitlines()[0]})") from None
    return path
