"""The arrays of an ONNX file, within bounds: those in it, and those in a file beside it."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from ..actuator.networks import Gru, Lstm
from ..errors import ParameterError
from ..files import open_plain
from ..values import Module
from .archives import LARGEST
from .beside import file_beside
from .layers import UnsupportedLayer

GATES: dict[str, tuple[type[Lstm] | type[Gru], tuple[int, ...]]] = {
    "LSTM": (Lstm, (0, 2, 3, 1)),
    "GRU": (Gru, (1, 0, 2)),
}
"""Kinds of gates, and where each of PyTorch's gates is in ONNX's order (iofc, zrh)."""
KINDS = ("FLOAT", "DOUBLE", "FLOAT16", "BFLOAT16", "INT64", "INT32", "BOOL")
"""Types of arrays that are read."""


def array_of(onnx: Module, tensor: Module) -> np.ndarray:
    """The array of a tensor; its shape must be that of its data."""
    count = math.prod(int(n) for n in tensor.dims)
    allowed = {getattr(onnx.TensorProto, kind) for kind in KINDS}
    if tensor.data_type not in allowed or any(n < 0 for n in tensor.dims) or count > LARGEST or len(tensor.dims) > 8:
        raise UnsupportedLayer(f"an array of the shape {tuple(tensor.dims)[:8]} and type {tensor.data_type}")
    try:
        values = onnx.numpy_helper.to_array(tensor)
    except Exception:  # the package raises many kinds for arrays whose data does not fit
        raise UnsupportedLayer(f"an array of the shape {tuple(tensor.dims)} with other data") from None
    return values if values.dtype.kind in "iub" else values.astype(float)


def with_external_data(onnx: Module, model: Module, path: Path) -> None:
    """Put arrays that are in a file beside this one into the model; raises for a file anywhere else."""
    options = [entry for node in model.graph.node for entry in node.attribute]
    inside = [entry.t for entry in options if entry.HasField("t")] + [t for entry in options for t in entry.tensors]
    for tensor in [*model.graph.initializer, *inside]:
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            tensor.raw_data = external_bytes(path, {entry.key: entry.value for entry in tensor.external_data})
            del tensor.external_data[:]
            tensor.data_location = onnx.TensorProto.DEFAULT


def external_bytes(path: Path, found: dict[str, str]) -> bytes:
    """The bytes of an array in a file of the same folder."""
    where = f"{path}: weights in {' '.join(found.get('location', '').split())[:80]!r}"
    beside, size = file_beside(path.parent, found.get("location", ""), where)
    try:
        offset, length = int(found.get("offset", 0)), int(found.get("length", size))
    except ValueError:
        raise ParameterError(f"{where}: is damaged: their offset or length is not a number") from None
    if offset < 0 or not 0 <= length <= LARGEST or offset + length > size:
        raise ParameterError(f"{where}: {length} bytes at {offset} are wanted, the file has {size}")
    with open_plain(beside, size) as file:
        file.seek(offset)
        return file.read(length)
