"""The elementwise operations the laws are written in. These are NumPy's; `engines.bind` swaps in another engine's."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from ..tree import change
from ..values import Array, Bits, Flags, Number

T = TypeVar("T")

Operation = Callable[..., Any]
"""A function of numbers or arrays, element by element; it gives what the library of its arguments makes of them."""

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
tanh: Operation = np.tanh
floor: Operation = np.floor
isfinite: Operation = np.isfinite
where: Operation = np.where
interpolate: Operation = np.interp
matmul: Operation = np.matmul


def total(x: Number) -> Number:
    """Sum over the last axis, which is kept: what motors on one supply share."""
    return np.sum(x, axis=-1, keepdims=True) if np.ndim(x) else x


def detach(x: Number) -> Number:
    """The value without its history: no gradient flows through it."""
    return x


def words(x: Number | Bits) -> Flags:
    """The value as whole numbers from 0 to 2³² - 1, for drawing."""
    return np.asarray(x).astype(np.int64)


def low_word(x: Bits) -> Bits:
    """The lowest 32 bits of a whole number."""
    return x & 0xFFFFFFFF


def fractions(x: Number | Bits, like: Number) -> Array:
    """Whole numbers below 2²⁴ as shares of it in [0, 1), in the precision of `like`."""
    return np.asarray(x, dtype=np.asarray(like).dtype) * 2.0**-24


def store(line: np.ndarray, slot: Number, frame: Number) -> np.ndarray:
    """The line of frames with the one in a slot replaced."""
    line = line.copy()
    line[int(slot)] = frame
    return line


def pick(line: np.ndarray, slots: Number) -> np.ndarray:
    """From the line of frames, for each motor the one in its own slot."""
    slots = np.broadcast_to(slots, line.shape[1:])
    return np.take_along_axis(line, slots[None].astype(np.int64), axis=0)[0]


def alike(x: Number | Bits, like: Number | Bits) -> np.ndarray:
    """The value in the shape and precision of another one."""
    return np.broadcast_to(np.asarray(x, dtype=np.asarray(like).dtype), np.shape(like))


def as_bits(x: Bits) -> Bits:
    """Flags in two bytes each; a plain number stays one."""
    return x.astype(np.int16) if isinstance(x, np.ndarray) else x


def to_integer(x: Number) -> Flags:
    """A whole number that was computed as a float, as an integer."""
    return np.asarray(x).astype(np.int64)


def erf(x: Number) -> Number:
    """The error function."""
    from scipy import special

    return special.erf(x)


def stack_first(items: Sequence[Number | Bits]) -> Array:
    """Values, spread over the shape they share, along a new first axis."""
    return np.stack(np.broadcast_arrays(*items))


def stack_last(items: Sequence[Number | Bits]) -> Array:
    """Values, spread over the shape they share, along a new last axis."""
    return np.stack(np.broadcast_arrays(*items), axis=-1)


def join_last(items: Sequence[Number]) -> Array:
    """Arrays one behind the other along the last axis."""
    return np.concatenate(items, axis=-1)


def repeat(times: int, body: Callable[[T], T], values: T) -> T:
    """What is left of some values after `body` has been applied so many times; a compiled step may hold it once."""
    for _ in range(times):
        values = body(values)
    return values


CLOSE = 1e-6
"""Part of a number by which a step of cubic convergence moves it at most, after which it is exact to 16 digits [1]."""


def refine(found: Number, before: Number, further: Callable[[], Number]) -> Number:
    """What a search of cubic convergence comes to after `further` steps from `found`, to which a step led.

    An engine may leave these steps out where the last one moved the number by no more than `CLOSE` of it.
    """
    return further()


def usually(condition: Bits, value: Number, other: Number) -> Number:
    """where(condition, value, other) for a condition that seldom fails: an engine may read `other` only there."""
    return where(condition, value, other)


def same(a: Number, b: Number) -> bool:
    """Whether two values are known to be the same before they are computed: what follows from them is, too."""
    return a is b


__all__ = [
    "absolute",
    "alike",
    "as_bits",
    "change",
    "cos",
    "detach",
    "erf",
    "exp",
    "expm1",
    "floor",
    "fractions",
    "interpolate",
    "isfinite",
    "join_last",
    "log2",
    "low_word",
    "matmul",
    "maximum",
    "minimum",
    "pick",
    "power",
    "refine",
    "repeat",
    "same",
    "sign",
    "sin",
    "sqrt",
    "stack_first",
    "stack_last",
    "store",
    "tanh",
    "to_integer",
    "total",
    "usually",
    "where",
    "words",
]
