"""safetensors files: arrays by name behind a header of text, and nothing that could run.

The header of a file that is written here says in `__metadata__` what arrays cannot: activations, a controller's scales.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ..actuator.networks import Network
from ..errors import ParameterError, errors_at
from ..files import write_bytes
from ..values import Foreign, Json
from .archives import LARGEST
from .pickles import from_bfloat16
from .states import arrays_of, network_from, words_of

LONGEST_HEADER = 1_000_000
"""Most bytes of a header."""
FORMAT = "backemf network 1"
"""The format that the header of our own files names."""
TYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "|i1",
    "U8": "|u1", "BOOL": "|b1",
}  # fmt: skip
"""The names of types, and NumPy's."""


def read_safetensors(
    path: Path, content: bytes, activation: str | Sequence[str] | None = None
) -> tuple[Network, dict[str, Json]]:
    """The network of a file, and the file's metadata."""
    with errors_at(path):
        arrays, notes = parse(content)
        words, found = read_notes(notes)
        if activation is not None and words:
            raise ParameterError("names its activations itself: leave activation out")
        return network_from(arrays, words or {"activation": activation}), found


def read_notes(notes: dict[str, str]) -> tuple[dict[str, Foreign], dict[str, Foreign]]:
    """What the header of one of our files says of the network and of the controller; nothing for any other."""
    if not str(notes.get("format", "")).startswith(FORMAT[:-2]):
        return {}, {}
    if notes["format"] != FORMAT:
        raise ParameterError(f"format = {notes['format'][:80]!r}: must be {FORMAT!r}")
    try:
        words, found = json.loads(notes["network"]), json.loads(notes.get("controller", "{}"))
        return dict(words), dict(found)
    except (KeyError, ValueError, TypeError, RecursionError):
        raise ParameterError("is damaged: its header does not describe its network") from None


def parse(content: bytes) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """The arrays of a file and the texts of its header; raises a `ParameterError` where they contradict each other."""
    length = int.from_bytes(content[:8], "little")
    if len(content) < 8 or length > min(LONGEST_HEADER, len(content) - 8):
        raise ParameterError("is damaged or not a safetensors file: its header is longer than the file")
    try:
        header = dict(json.loads(content[8 : 8 + length].decode("utf-8"), object_pairs_hook=unique_names))
        notes = header.pop("__metadata__", {})
        offsets = {name: whole_numbers(entry["data_offsets"]) for name, entry in header.items()}
        spans = sorted((first, last, name) for name, (first, last) in offsets.items())
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ParameterError("is damaged or not a safetensors file: its header cannot be read") from None
    data, arrays, end = content[8 + length :], {}, 0
    for first, last, name in spans:
        if first != end:
            raise ParameterError(
                f"is damaged: array {name[:80]!r} begins at byte {first}, the one before ends at {end}"
            )
        arrays[name], end = array_of(header[name], data[first:last], name), last
    if end != len(data):
        raise ParameterError(f"is damaged: its arrays have {end} bytes, the file {len(data)}")
    return {name: arrays[name] for name in header}, notes if isinstance(notes, dict) else {}


def unique_names(pairs: list[tuple[str, Foreign]]) -> dict[str, Foreign]:
    """A dict whose names are all different."""
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a name twice")
    return dict(pairs)


def whole_numbers(values: Foreign) -> list[int]:
    """Sizes or places within the largest file."""
    if len(values) > 8 or not all(type(n) is int and 0 <= n <= LARGEST for n in values):
        raise ValueError("no sizes")
    return list(values)


def array_of(entry: dict[str, Foreign], data: bytes, name: str) -> np.ndarray:
    """An array from its bytes."""
    kind = str(entry.get("dtype"))
    if kind not in TYPES:
        raise ParameterError(f"array {name[:80]!r} has the type {kind[:80]!r}: must be one of {', '.join(TYPES)}")
    try:
        shape = whole_numbers(entry["shape"])
        if math.prod(shape) * np.dtype(TYPES[kind]).itemsize != len(data):
            raise ValueError("other bytes")
    except (ValueError, TypeError, KeyError):
        raise ParameterError(
            f"is damaged: array {name[:80]!r} of the shape {str(entry.get('shape'))[:80]} has {len(data)} bytes"
        ) from None
    values = np.frombuffer(data, TYPES[kind]).reshape(shape)
    return from_bfloat16(values) if kind == "BF16" else values


def write_safetensors(network: Network, path: Path, metadata: Mapping[str, Json] | None, precision: str) -> Path:
    """Write a network, with what a controller adds to it."""
    kind = "F32" if precision == "float32" else "F64"
    notes = {"format": FORMAT, "network": json.dumps(words_of(network)), "controller": json.dumps(metadata or {})}
    header: dict[str, Foreign] = {"__metadata__": notes}
    blocks, end = [], 0
    for name, array in arrays_of(network).items():
        blocks.append(np.ascontiguousarray(array, TYPES[kind]).tobytes())
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [end, end + len(blocks[-1])]}
        end += len(blocks[-1])
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return write_bytes(path, len(text).to_bytes(8, "little") + text + b"".join(blocks))
