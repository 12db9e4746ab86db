"""The elementwise operations the laws are written in. These are NumPy's; `engines.bind` swaps in another engine's."""

from collections.abc import Callable
from typing import Any

import numpy as np

Operation = Callable[..., Any]
"""A function of numbers or arrays, element by element."""

absolute: Operation = np.abs
exp: Operation = np.exp
expm1: Operation = np.expm1
log2: Operation = np.log2
maximum: Operation = np.maximum
minimum: Operation = np.minimum
power: Operation = np.power
sign: Operation = np.sign
sin: Operation = np.sin
cos: Operation = np.cos
sqrt: Operation = np.sqrt
where: Operation = np.where


def total(x: Any) -> Any:
    """Sum over the last axis, which is kept: what motors on one supply share."""
    return np.sum(x, axis=-1, keepdims=True) if np.ndim(x) else x


def detached(x: Any) -> Any:
    """The value without its history: no gradient flows through it."""
    return x


__all__ = [
    "absolute",
    "cos",
    "detached",
    "exp",
    "expm1",
    "log2",
    "maximum",
    "minimum",
    "power",
    "sign",
    "sin",
    "sqrt",
    "total",
    "where",
]
