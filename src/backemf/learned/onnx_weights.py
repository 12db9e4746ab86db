"""The arrays of an ONNX file, within bounds: those in it, and those in a file beside it."""

from __future__ import annotations

import math
import stat
from pathlib import Path
from typing import Any

import numpy as np

from ..actuator.networks import Gru, Lstm
from ..errors import ParameterError
from ..files import opened
from .layers import Stumble

GATES = {"LSTM": (Lstm, (0, 2, 3, 1)), "GRU": (Gru, (1, 0, 2))}
"""Kinds of gates, and where each of PyTorch's gates stands in ONNX's order (iofc, zrh)."""
LARGEST = 64_000_000
"""Most bytes of an array, and of a file with arrays."""
KINDS = ("FLOAT", "DOUBLE", "FLOAT16", "BFLOAT16", "INT64", "INT32", "BOOL")
"""Types of arrays that are read."""


def array_of(onnx: Any, tensor: Any) -> np.ndarray:
    """The array of a tensor; its shape must be that of the data that is there."""
    count = math.prod(int(n) for n in tensor.dims)
    allowed = {getattr(onnx.TensorProto, kind) for kind in KINDS}
    if tensor.data_type not in allowed or any(n < 0 for n in tensor.dims) or count > LARGEST or len(tensor.dims) > 8:
        raise Stumble(f"an array of the shape {tuple(tensor.dims)[:8]} and type {tensor.data_type}")
    try:
        values = onnx.numpy_helper.to_array(tensor)
    except Exception:  # the package raises many kinds for arrays whose data does not fit
        raise Stumble(f"an array of the shape {tuple(tensor.dims)} with other data") from None
    return values if values.dtype.kind in "iub" else values.astype(float)


def with_external_data(onnx: Any, model: Any, path: Path) -> None:
    """Put arrays that stand in a file beside this one into the model; raises for a file anywhere else."""
    for tensor in tensors_of(model.graph):
        if tensor.data_location != onnx.TensorProto.EXTERNAL:
            continue
        found = {entry.key: entry.value for entry in tensor.external_data}
        tensor.raw_data = external_bytes(path, found)
        del tensor.external_data[:]
        tensor.data_location = onnx.TensorProto.DEFAULT


def tensors_of(graph: Any) -> list[Any]:
    """Every tensor of a graph."""
    options = [entry for node in graph.node for entry in node.attribute]
    inside = [entry.t for entry in options if entry.HasField("t")] + [t for entry in options for t in entry.tensors]
    return [*graph.initializer, *inside]


def external_bytes(path: Path, found: dict[str, str]) -> bytes:
    """The bytes of an array in a file of the same folder."""
    name = found.get("location", "")
    shown = " ".join(name.split())[:80]
    if not name or Path(name).name != name or "\\" in name or ":" in name or "\x00" in name:
        raise ParameterError(
            f"{path}: keeps weights in {shown!r}: only a file of the same folder is read; move it there"
        )
    beside = path.parent / name
    try:
        mode = beside.lstat()
        if not stat.S_ISREG(mode.st_mode):
            raise ParameterError(
                f"{path}: keeps weights in {shown!r}, which is a link or no file; copy the file itself"
            )
        offset, length = int(found.get("offset", 0)), int(found.get("length", mode.st_size))
        if offset < 0 or not 0 <= length <= LARGEST or offset + length > mode.st_size:
            raise ParameterError(f"{path}: looks for {length} bytes at {offset} in {shown!r}, which has {mode.st_size}")
        with opened(beside, mode.st_size) as file:
            file.seek(offset)
            return file.read(length)
    except OSError as error:
        raise ParameterError(f"{path}: keeps weights in {shown!r}, which cannot be read ({error.strerror})") from None
    except ValueError as error:
        if isinstance(error, ParameterError):
            raise
        raise ParameterError(f"{path}: is damaged: where its weights are in {shown!r} is no number") from None
