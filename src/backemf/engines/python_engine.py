"""Plain Python floats: one motor, some 20 µs a step with all telemetry, for device loops and controller scripts."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import TypeVar

import numpy as np

from ..errors import ParameterError
from ..motor import Gearbox, Motor
from ..physics import ops as numpy_ops
from .packing import Composed, Options, Run, Step

T = TypeVar("T")


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


def _refine(found: float, before: float, further: Callable[[], float]) -> float:
    """The end of a search, without steps that move nothing."""
    return further() if abs(found - before) > numpy_ops.CLOSE * abs(found) else found


def _change(part: T, **changes: object) -> T:
    """A copy with some fields changed, without the call per field of a frozen dataclass."""
    copy = object.__new__(type(part))
    copy.__dict__.update(part.__dict__, **changes)
    return copy


_MATH = ("log2", "sin", "cos", "sqrt", "tanh", "floor", "isfinite", "erf")
"""Operations that are functions of `math` by the same name."""
ops = SimpleNamespace(
    **{name: getattr(math, name) for name in _MATH},
    absolute=abs,
    exp=_exp,
    expm1=_expm1,
    maximum=lambda a, b: a if a > b else b,
    minimum=lambda a, b: a if a < b else b,
    power=math.pow,
    sign=_sign,
    where=lambda condition, a, b: a if condition else b,
    interpolate=_interpolate,
    words=int,
    low_word=lambda x: x & 0xFFFFFFFF,
    as_bits=lambda x: x,
    fractions=lambda x, like: x * 2.0**-24,
    store=lambda line, slot, frame: (*line[:slot], frame, *line[slot + 1 :]),
    pick=lambda line, slot: line[slot],
    alike=lambda x, like: x,
    to_integer=int,
    total=lambda x: x,
    detach=lambda x: x,
    matmul=numpy_ops.matmul,
    stack_first=tuple,
    stack_last=np.array,
    join_last=numpy_ops.join_last,
    change=_change,
    refine=_refine,
    repeat=numpy_ops.repeat,
    same=operator.eq,
    usually=lambda condition, a, b: a if condition else b,
    # the layers of a network are vectors even for one motor
    vectors=numpy_ops,
)


def array(value: float, shape: tuple[int, ...] | None = None) -> float | tuple[float, ...]:
    """The value as a float; this engine runs one motor. A shape of one axis is that of a line of frames."""
    if shape is None or len(shape) == 0:
        return float(value)
    if len(shape) == 1:
        return (float(value),) * shape[0]
    raise ParameterError(f"shape = {shape[1:]}: the python engine runs one motor; take numpy, jax or torch for a batch")


def integers(value: float, shape: tuple[int, ...] = ()) -> int:
    """An integer."""
    return int(value)


def select(mask: bool, chosen: T, other: T) -> T:
    """The first value if a mask is true, else the second."""
    return chosen if mask else other


def compile_step(function: Step, actuator: object, options: Options) -> Run:
    """The function with its first argument, the actuator, filled in."""
    return partial(function, _with_constants(actuator))


def _with_constants(part: Composed) -> Composed:
    """An actuator, or a tuple of them, whose motors know what follows from their numbers, such as the gear ratio."""
    if isinstance(part, tuple):
        return tuple(map(_with_constants, part))
    motor = getattr(part, "motor", None)
    if not isinstance(motor, Motor):
        return part
    if motor.gearbox is not None:
        motor = _change(motor, gearbox=_with_values(motor.gearbox, Gearbox))
    return _change(part, motor=_with_values(motor, Motor))


def _with_values(part: Composed, kind: type) -> Composed:
    """The part with numbers in place of the properties that laws ask for in every step."""
    asked = [name for name in _ASKED if isinstance(getattr(kind, name, None), property)]
    copy = object.__new__(type(kind.__name__, (kind,), {name: getattr(part, name) for name in asked}))
    copy.__dict__.update(part.__dict__)
    return copy


_ASKED = ("ratio", "efficiency", "back_efficiency", "lossless", "inertia")
"""Properties of motors and gearboxes that laws ask for in every step."""
