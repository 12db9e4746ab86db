"""A layer norm in pieces, as ONNX before its version 17 has it: mean, difference, square, mean, root and quotient."""

from __future__ import annotations

from typing import Any

import numpy as np

from .layers import Flow, LayerNorm, Norm, Stumble, computed, same

MEAN, CENTRED, SQUARED, VARIANCE = "the mean", "x less its mean", "the square of x less its mean", "the variance"


def mean(flow: Flow, values: list[Any], options: dict[str, Any]) -> Flow:
    """The mean over the features of x, or of its squared distance from the mean."""
    given = values[1] if len(values) > 1 else options.get("axes")
    axes = np.asarray([] if not isinstance(given, (np.ndarray, list)) else given).reshape(-1)
    last = -1 if flow.value is None else flow.value.ndim - 1
    good = len(axes) == 1 and (flow.value is None or int(axes[0]) in (-1, last))
    if not good or not options.get("keepdims", 1) or flow.partial not in ("", SQUARED):
        raise Stumble("the operation ReduceMean")
    value = computed(lambda x: x.mean(-1, keepdims=True), flow.value)
    return Flow(flow.layers, VARIANCE if flow.partial else MEAN, value)


def centre(a: Flow, b: Flow) -> Flow:
    """x less its mean."""
    if b.partial != MEAN or not same(a, b.layers):
        raise Stumble("a sum of two layers (Sub)")
    return Flow(a.layers, CENTRED, computed(lambda x, y: x - y, a.value, b.value))


def square(flow: Flow, exponent: np.ndarray) -> Flow:
    """The square of x less its mean."""
    if flow.partial != CENTRED or exponent.size != 1 or exponent.item() != 2.0:
        raise Stumble("the operation Pow")
    return Flow(flow.layers, SQUARED, computed(np.square, flow.value))


def with_epsilon(flow: Flow, value: np.ndarray) -> Flow | None:
    """The variance with the number that keeps it from 0; None where there is no variance."""
    if flow.partial != VARIANCE or value.size != 1:
        return None
    epsilon = float(str(np.float32(value.item())))
    return Flow(flow.layers, f"{VARIANCE} + {epsilon!r}", computed(lambda x: x + value, flow.value))


def root(flow: Flow) -> Flow:
    """The standard deviation."""
    if not flow.partial.startswith(f"{VARIANCE} + "):
        raise Stumble("the operation Sqrt")
    return Flow(flow.layers, f"the root of {flow.partial}", computed(np.sqrt, flow.value))


def normalise(a: Flow, b: Flow) -> Flow | None:
    """A layer norm, of which weight and bias come behind it; None where it is something else."""
    start = f"the root of {VARIANCE} + "
    if a.partial != CENTRED or not b.partial.startswith(start) or not same(Flow(a.layers), b.layers):
        return None
    value = computed(lambda x, y: x / y, a.value, b.value)
    # as wide as what is before it; weight and bias have one number until they come
    norm = LayerNorm(weight=np.ones(1), bias=np.zeros(1), epsilon=float(b.partial[len(start) :]))
    return Flow(a.layers).then(Norm(norm), value)
