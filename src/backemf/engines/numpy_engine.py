"""NumPy: the reference, in float64."""

from __future__ import annotations

import numpy as np

from ..physics import ops

__all__ = ["array", "compiled", "joined", "ops", "select", "spread", "whole"]


def array(value, shape=None):
    """The value as an array of this engine, spread over `shape` where one is given."""
    x = np.asarray(value, dtype=np.float64)
    return x if shape is None else np.broadcast_to(x, shape).copy()


def whole(value, shape=()):
    """Whole numbers as an array of this engine."""
    return np.broadcast_to(np.asarray(value, dtype=np.int64), shape).copy()


def select(mask, chosen, other):
    return np.where(mask, chosen, other)


def spread(value, shape, like):
    """A value over a shape; a plain number in the precision of another value."""
    return np.broadcast_to(value, shape)


def joined(parts):
    """Arrays side by side along the last axis."""
    return np.concatenate(parts, axis=-1)


def compiled(function, actuator, options):
    """The function with its first argument, the actuator, filled in."""

    def run(*arguments):
        # a step so long that exponentials vanish is no reason to warn
        with np.errstate(under="ignore", over="ignore"):
            return function(actuator, *arguments)

    return run
