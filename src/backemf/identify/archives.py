"""Logs in NumPy archives: arrays by name, read without pickles and within bounds."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ParameterError
from ..files import open_plain
from .assembly import Wanted, find_columns, log_of_columns
from .log import Log

LARGEST = 1_000_000_000
"""Largest archive, packed or unpacked [bytes]."""


def read_archive(path: Path, wanted: Wanted) -> Log:
    """A log from a .npz file: one array per channel, (rows) or (rows, joints); single values are notes."""
    arrays = _arrays(path)
    meta = {name: array.item() for name, array in arrays.items() if array.size == 1 and array.dtype.kind in "iufbU"}
    table = {name: array for name, array in arrays.items() if array.dtype.kind in "iufb" and array.ndim in (1, 2)}
    table = {name: array.astype(float) for name, array in table.items() if array.size > 1}
    columns = find_columns(str(path), list(table), {}, wanted)
    read = [column.text for column in columns if column.heading.channel is not None]
    lengths = {name: len(table[name]) for name in read}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name} {rows}" for name, rows in lengths.items())
        raise ParameterError(f"{path}: its arrays have different numbers of rows: {shown}; give one value per time")
    for name in read:
        for place in np.argwhere(~np.isfinite(table[name]))[:1]:
            raise ParameterError(
                f"{path}, {name}{place.tolist()} = {table[name][tuple(place)]}: must be finite; leave the row out"
            )
    # arrays of other lengths are no columns of the log
    kept = {name: table[name] for name in read}
    kept |= {name: array for name, array in table.items() if name not in kept}
    return log_of_columns(str(path), kept, {}, wanted, meta)


def archive_columns(path: Path) -> list[str]:
    """Names of the arrays of a .npz file that may be columns of a log."""
    return [
        name
        for name, array in _arrays(path).items()
        if array.size > 1 and array.ndim in (1, 2) and array.dtype.kind in "iufb"
    ]


def _arrays(path: Path) -> dict[str, np.ndarray]:
    with open_plain(path, LARGEST, what="a NumPy archive") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                size = sum(entry.file_size for entry in archive.infolist())
                if size > LARGEST:
                    raise ParameterError(f"{path}: would unpack to {size} bytes; the most are {LARGEST}: split it")
                names = [entry.filename for entry in archive.infolist()]
                return {name.removesuffix(".npy"): _array(path, name, archive.read(name)) for name in names}
        except ParameterError:
            raise
        except Exception:  # zipfile and NumPy raise many kinds for a damaged archive
            raise ParameterError(f"{path}: is damaged or no NumPy archive; save it again with numpy.savez") from None


def _array(path: Path, name: str, content: bytes) -> np.ndarray:
    """An array of numbers or texts; checks that it is no larger than its bytes."""
    stream = io.BytesIO(content)
    version = np.lib.format.read_magic(stream)
    read: Any = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, kind = read(stream)
    if kind.hasobject:
        raise ParameterError(f"{path}: {name} holds Python objects, which could run code; save arrays of numbers")
    if int(np.prod([int(n) for n in shape], dtype=object)) * kind.itemsize > len(content):
        raise ParameterError(f"{path}: {name} has fewer bytes than its shape {shape}; save it again")
    stream.seek(0)
    return np.lib.format.read_array(stream, allow_pickle=False)
