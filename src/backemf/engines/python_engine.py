"""Plain Python floats: one motor, some 20 µs a step with all telemetry, for device loops and controller scripts."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np

from ..errors import ParameterError
from ..physics import ops as numpy_ops


def _exp(x: float) -> float:
    return math.exp(x) if x < 709.0 else math.inf


def _expm1(x: float) -> float:
    return math.expm1(x) if x < 709.0 else math.inf


def _sign(x: float) -> float:
    # NumPy's booleans, which numbers of a table bring along, have no difference
    return 1.0 if x > 0.0 else -1.0 if x < 0.0 else 0.0


def _interpolate(x, xs, ys):
    """Linear between the points of a table, held at its ends."""
    if x <= xs[0]:
        return float(ys[0])
    for i in range(1, len(xs)):
        if x <= xs[i]:
            return float(ys[i - 1] + (ys[i] - ys[i - 1]) * (x - xs[i - 1]) / (xs[i] - xs[i - 1]))
    return float(ys[-1])


ops = SimpleNamespace(
    absolute=abs,
    exp=_exp,
    expm1=_expm1,
    log2=math.log2,
    maximum=lambda a, b: a if a > b else b,
    minimum=lambda a, b: a if a < b else b,
    power=math.pow,
    sign=_sign,
    sin=math.sin,
    cos=math.cos,
    sqrt=math.sqrt,
    tanh=math.tanh,
    floor=math.floor,
    isfinite=math.isfinite,
    where=lambda condition, a, b: a if condition else b,
    interpolate=_interpolate,
    words=int,
    low_word=lambda x: x & 0xFFFFFFFF,
    as_bits=lambda x: x,
    fractions=lambda x, like: x * 2.0**-24,
    stored=lambda line, slot, frame: (*line[:slot], frame, *line[slot + 1 :]),
    picked=lambda line, slot: line[slot],
    alike=lambda x, like: x,
    counted=int,
    total=lambda x: x,
    detached=lambda x: x,
    matmul=numpy_ops.matmul,
    erf=math.erf,
    stack_first=tuple,
    stack_last=np.array,
    join_last=numpy_ops.join_last,
    # the layers of a network are vectors even for one motor
    vectors=numpy_ops,
)


def array(value, shape=None):
    """The value as a float; this engine runs one motor. A shape of one axis is that of a line of frames."""
    if shape is None or len(shape) == 0:
        return float(value)
    if len(shape) == 1:
        return (float(value),) * shape[0]
    raise ParameterError(f"shape = {shape[1:]}: the python engine runs one motor; take numpy, jax or torch for a batch")


def whole(value, shape=()):
    """A whole number."""
    return int(value)


def select(mask, chosen, other):
    return chosen if mask else other


def compiled(function, actuator, options):
    """The function with its first argument, the actuator, filled in."""

    def run(*arguments):
        return function(actuator, *arguments)

    return run
