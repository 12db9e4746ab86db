"""The network of an actuator in its own file, beside the file of the actuator."""

from __future__ import annotations

import stat
from pathlib import Path

from ..actuator.networks import Gru, Lstm, Mlp, Network
from ..errors import ParameterError


def network_name(path: str | Path) -> str:
    """Name of the file with the network that belongs to a file, knee.network.safetensors to knee.toml."""
    return f"{Path(path).stem}.network.safetensors"


def write_beside(network: Network, path: str | Path) -> None:
    """Write the network that belongs to a file, in double precision."""
    from .safetensors_files import write_safetensors

    write_safetensors(network, Path(path).parent / network_name(path), None, "float64")


def read_beside(name: object, folder: Path | None, at: str) -> Network:
    """The network of a file in a folder; `at` is the place of its name, in messages."""
    if isinstance(name, (Mlp, Lstm, Gru)):
        return name
    where = f"{at} network = {repr(name)[:100]}"
    if folder is None:
        raise ParameterError(f"{where}: a text has no folder; save it there and load the file")
    path, _ = file_beside(folder, name, where)
    from .files import load_network

    return load_network(path)


def file_beside(folder: Path, name: object, where: str) -> tuple[Path, int]:
    """Path and size [bytes] of a regular file in a folder; `where` begins the message if there is none."""
    if not isinstance(name, str) or not name or Path(name).name != name or any(c in name for c in "\\:\x00\n"):
        raise ParameterError(f"{where}: must be the name of a file in the same folder, without a path")
    try:
        found = (folder / name).lstat()
    except OSError:
        raise ParameterError(f"{where}: there is no such file beside it; copy both") from None
    if not stat.S_ISREG(found.st_mode):
        raise ParameterError(f"{where}: is a link or not a file; copy the file itself there")
    return folder / name, found.st_size
