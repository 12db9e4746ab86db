"""NumPy: the reference, in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..physics import ops
from .packing import Options, Run, Step

__all__ = ["array", "broadcast", "compile_step", "integers", "ops", "select"]


def array(value: ArrayLike, shape: tuple[int, ...] | None = None) -> np.ndarray:
    """The value as an array of this engine, broadcast to `shape` where one is given."""
    x = np.asarray(value, dtype=np.float64)
    return x if shape is None else np.broadcast_to(x, shape).copy()


def integers(value: ArrayLike, shape: tuple[int, ...] = ()) -> np.ndarray:
    """Integers as an array of this engine."""
    return np.broadcast_to(np.asarray(value, dtype=np.int64), shape).copy()


def select(mask: ArrayLike, chosen: ArrayLike, other: ArrayLike) -> np.ndarray:
    """The first value where a mask is true, else the second."""
    return np.where(mask, chosen, other)


def broadcast(value: ArrayLike, shape: tuple[int, ...], like: ArrayLike) -> np.ndarray:
    """A value over a shape; a plain number in the precision of another value."""
    return np.broadcast_to(value, shape)


def compile_step(function: Step, actuator: object, options: Options) -> Run:
    """The function with its first argument, the actuator, filled in."""

    def run(*arguments: object) -> tuple[Any, Any]:
        # a step so long that exponentials vanish is no reason to warn
        with np.errstate(under="ignore", over="ignore"):
            return function(actuator, *arguments)

    return run
