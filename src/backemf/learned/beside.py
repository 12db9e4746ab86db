"""The network of an actuator in a file of its own, beside the file of the actuator."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

from ..actuator.networks import Gru, Lstm, Mlp, Network
from ..errors import ParameterError


def network_name(path: str | Path) -> str:
    """Name of the file with the network that belongs to a file, knee.network.safetensors to knee.toml."""
    return f"{Path(path).stem}.network.safetensors"


def write_beside(network: Network, path: str | Path) -> None:
    """Write the network that belongs to a file, every weight as it is."""
    from .safetensors_files import write_safetensors

    write_safetensors(network, Path(path).parent / network_name(path), None, "float64")


def read_beside(name: Any, folder: Path | None, at: str) -> Network:
    """The network of a file in a folder; `at` stands for the place where its name is, in messages."""
    if isinstance(name, (Mlp, Lstm, Gru)):
        return name
    shown = repr(name)[:100]
    if not isinstance(name, str) or not name or Path(name).name != name or any(c in name for c in "\\:\x00\n"):
        raise ParameterError(f"{at} network = {shown}: must be the name of a file in the same folder, without a path")
    if folder is None:
        raise ParameterError(f"{at} network = {shown}: a text has no folder; save it there and load the file")
    path = folder / name
    try:
        regular = stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        raise ParameterError(f"{at} network = {shown}: there is no such file beside it; copy both") from None
    if not regular:
        raise ParameterError(f"{at} network = {shown}: is a link or no file; copy the network itself there")
    from .files import load_network

    return load_network(path)
