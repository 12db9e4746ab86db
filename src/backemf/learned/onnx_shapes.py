"""ONNX's operations on shapes: they leave the layers as they are.

What they do to the order of features shows when the sample values are compared.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ..values import Foreign, Module
from .flow import Flow, state_of
from .layers import UnsupportedLayer

FEW, MOST = 64, 1_000_000
"""Most sizes in a row that are computed with, and most numbers of an array that such an operation makes larger."""
SAME = ("Identity", "Cast", "Dropout")
KEEP_SIZE = ("Squeeze", "Unsqueeze", "Reshape", "Transpose")
SHAPES = {
    *SAME, *KEEP_SIZE, "Flatten", "Slice", "Gather", "Expand", "Split", "Shape", "Size", "ConstantOfShape", "Concat",
}  # fmt: skip
"""Operations on shapes."""


def change_shape(node: Module, inputs: list[Foreign], opsets: dict[str, int]) -> Foreign:
    """What an operation on shapes makes of the flow, a state, or an array of the file; None where that is not known."""
    kind, x = node.op_type, inputs[0] if inputs else None
    if any(isinstance(value, Flow) and not value.state for value in inputs) and kind in ("Expand", "Split", "Concat"):
        raise UnsupportedLayer(f"the operation {kind}")
    if kind in SAME or kind == "Expand":
        # a state is the same for every motor
        return x
    arrays = [value.value if isinstance(value, Flow) else value for value in inputs]
    states = kind == "ConstantOfShape" or (kind in ("Split", "Concat") and any(isinstance(v, Flow) for v in inputs))
    if not isinstance(x, Flow) and not states:
        # of large constants only weights are transposed
        few = kind in KEEP_SIZE or all(array is not None and array.size <= FEW for array in arrays)
        if not few or any(array is None for array in arrays):
            return None
    answers = evaluate(node, arrays, opsets)
    if states:
        return tuple(state_of(answer) for answer in answers)
    if isinstance(x, Flow) and kind not in ("Shape", "Size"):
        return replace(x, value=answers[0])
    return answers[0]


def evaluate(node: Module, arrays: list[np.ndarray | None], opsets: dict[str, int]) -> list[Foreign]:
    """The outputs of a node for arrays, by the onnx package; None each while the first array is not known."""
    known = [array for array in arrays if array is not None]
    if not known or arrays[0] is None:
        return [None] * len(node.output)
    if len(known) < len(arrays):
        if node.op_type == "Concat":
            return [None]
        raise UnsupportedLayer("a shape that is not part of the file")
    if result_size(node.op_type, known) > MOST:
        raise UnsupportedLayer(f"the operation {node.op_type} with more than {MOST} numbers")
    # slow to import, and a plain MLP does not need it
    from onnx.reference import ReferenceEvaluator

    try:
        names = [name for name in node.input if name]
        return list(ReferenceEvaluator(node, opsets=opsets).run(None, dict(zip(names, known, strict=True))))
    except Exception:  # the package raises many kinds for arrays that do not fit
        raise UnsupportedLayer("arrays whose shapes do not fit") from None


def result_size(kind: str, arrays: list[np.ndarray]) -> int:
    """Most numbers that an operation may give; 0 where it gives no more than it takes."""
    if kind == "Concat":
        return sum(array.size for array in arrays)
    if kind == "ConstantOfShape":
        return math.prod(int(n) for n in arrays[0].reshape(-1)[:8]) if arrays[0].size <= 8 else MOST + 1
    return math.prod(array.size for array in arrays) if kind == "Gather" else 0
