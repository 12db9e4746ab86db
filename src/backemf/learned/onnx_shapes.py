"""ONNX's operations on shapes: they leave the layers as they are.

What they do to the order of features is found when the sample values are compared.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import layers as build
from .layers import Flow, Memory, Stumble

FEW, MOST = 64, 1_000_000
"""Most sizes in a row that are reckoned with, and most numbers of a constant state."""
SAME = ("Identity", "Cast", "Dropout")
SHAPES = {
    *SAME, "Squeeze", "Unsqueeze", "Reshape", "Flatten", "Transpose", "Slice", "Gather", "Expand", "Split", "Shape",
    "Size", "ConstantOfShape", "Concat",
}  # fmt: skip
"""Operations on shapes."""


def shaped(kind: str, values: list[Any], options: dict[str, Any], outputs: int) -> Any:
    """What an operation on shapes makes of the flow, a state, or a row of sizes; None where that is not known."""
    x = values[0] if values else None
    if kind in SAME:
        return x
    if kind in ("Shape", "Size"):
        return size_of(kind, x)
    if kind == "ConstantOfShape":
        return constant_state(x, options)
    if kind == "Concat":
        return joined(values, options)
    if kind == "Expand":
        if isinstance(x, Flow):
            raise Stumble("the operation Expand")
        return x
    if isinstance(x, np.ndarray):
        # of constants, weights may be turned and rows of sizes taken apart
        if kind in ("Transpose", "Squeeze", "Unsqueeze", "Reshape") or x.size <= FEW:
            return build.computed(lambda known: changed(kind, known, values, options), x)
        return None
    if not isinstance(x, (Flow, Memory)):
        return None
    if kind == "Split":
        return split(x, options, outputs)
    value = build.computed(lambda known: changed(kind, known, values, options), x.value)
    return Flow(x.layers, x.partial, value) if isinstance(x, Flow) else Memory(x.flow, value)


def changed(kind: str, x: np.ndarray, values: list[Any], options: dict[str, Any]) -> np.ndarray:
    """An array in another shape."""
    if kind == "Transpose":
        return np.transpose(x, options.get("perm"))
    if kind == "Flatten":
        axis = int(options.get("axis", 1)) % (x.ndim + 1)
        return x.reshape(math.prod(x.shape[:axis]), -1)
    if kind == "Gather":
        indices = row(values[1])
        if indices.size > max(x.size, FEW):
            raise Stumble("the operation Gather")
        return np.take(x, indices, axis=int(options.get("axis", 0)))
    if kind == "Slice":
        return sliced(x, values)
    given = values[1] if len(values) > 1 and values[1] is not None else options.get("axes", options.get("shape"))
    if kind == "Squeeze" and given is None:
        return np.squeeze(x)
    sizes = [int(n) for n in row(given).reshape(-1)]
    if kind == "Squeeze":
        return np.squeeze(x, tuple(sizes))
    if kind == "Unsqueeze":
        return np.expand_dims(x, tuple(sizes))
    return x.reshape([x.shape[axis] if n == 0 and axis < x.ndim else n for axis, n in enumerate(sizes)])


def row(value: Any) -> np.ndarray:
    """Whole numbers of the file, or sizes of the sample values."""
    if value is None or isinstance(value, (Flow, Memory)):
        raise Stumble("a shape that is not part of the file")
    return np.asarray(value).astype(np.int64)


def sliced(x: np.ndarray, values: list[Any]) -> np.ndarray:
    starts, ends = row(values[1]).reshape(-1), row(values[2]).reshape(-1)
    axes = row(values[3]).reshape(-1) if len(values) > 3 and values[3] is not None else np.arange(len(starts))
    steps = row(values[4]).reshape(-1) if len(values) > 4 and values[4] is not None else np.ones(len(starts), int)
    cut = [slice(None)] * x.ndim
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        # an end before the first element is no index in Python
        last = None if step < 0 and end < -x.shape[axis] else int(end)
        cut[int(axis)] = slice(int(start), last, int(step))
    return x[tuple(cut)]


def split(x: Flow | Memory, options: dict[str, Any], outputs: int) -> tuple[Any, ...]:
    """States of each layer from those of all."""
    if isinstance(x, Flow):
        raise Stumble("the operation Split")
    if x.value is None:
        return tuple(Memory() for _ in range(outputs))
    axis = int(options.get("axis", 0))
    if x.value.shape[axis] % outputs:
        raise Stumble("the operation Split")
    return tuple(Memory(value=part) for part in np.split(x.value, outputs, axis))


def joined(values: list[Any], options: dict[str, Any]) -> Any:
    """States one behind the other, or a row of sizes."""
    if any(isinstance(value, Flow) for value in values):
        raise Stumble("the operation Concat")
    if all(isinstance(value, np.ndarray) and value.size <= FEW for value in values) and len(values) <= FEW:
        return build.computed(lambda *known: np.concatenate(known, int(options.get("axis", 0))), *values)
    if any(isinstance(value, Memory) for value in values):
        parts = [value.value if isinstance(value, Memory) else value for value in values]
        if any(part is None for part in parts):
            return Memory()
        return Memory(value=build.computed(lambda *known: np.concatenate(known, int(options.get("axis", 0))), *parts))
    return None


def size_of(kind: str, x: Any) -> np.ndarray | None:
    """The shape of the sample values; None while there are none."""
    value = x if isinstance(x, np.ndarray) else getattr(x, "value", None)
    if value is None:
        return None
    return np.array(value.shape if kind == "Shape" else value.size, dtype=np.int64)


def constant_state(x: Any, options: dict[str, Any]) -> Memory:
    """A state that is the same number everywhere."""
    if not isinstance(x, np.ndarray):
        return Memory()
    shape = [int(n) for n in x.reshape(-1)]
    if len(shape) > 8 or any(n < 0 for n in shape) or math.prod(shape) > MOST:
        raise Stumble(f"a constant of the shape {tuple(shape)[:8]}")
    return Memory(value=np.full(shape, float(np.asarray(options.get("value", 0.0)).reshape(-1)[0])))
