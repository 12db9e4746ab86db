"""Operators that a configuration text may use on its constants: few, pure and bounded."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from typing import Any

from .script_values import LARGEST, LONGEST, Instance, NoValueError, Partial, Unknown

LIBRARIES = ("math", "np", "numpy", "torch", "jnp", "jax.numpy")
CONSTANTS = {"pi": math.pi, "inf": math.inf, "tau": math.tau, "e": math.e, "nan": math.nan}
"""Constants of these libraries."""


def is_number(value: Any) -> bool:
    """Whether a value is a number, and not a truth value."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_key(value: Any) -> bool:
    """Whether a value may stand before the colon of a dictionary."""
    return isinstance(value, (str, int, float, bool, type(None)))


def is_true(value: Any) -> bool:
    """Whether a value counts as true; raises `NoValueError` where that is not known."""
    if isinstance(value, Instance):
        return True
    if isinstance(value, Partial) or not isinstance(value, (int, float, str, bool, type(None), list, tuple, dict)):
        raise NoValueError("")
    return bool(value)


_NUMBERS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}


def operate(kind: type, left: Any, right: Any) -> Any:
    """An operator on two values that are known; raises `NoValueError` where it has none."""
    if is_number(left) and is_number(right) and kind in _NUMBERS:
        return check_size(_number(kind, left, right))
    if kind is ast.Add and isinstance(left, str) and isinstance(right, str):
        return join_texts(left, right)
    if kind is ast.Div and isinstance(left, Partial) and isinstance(right, str):
        return join_texts(left, "/", right)
    if kind is ast.Add and type(left) is type(right) and isinstance(left, (list, tuple)):
        return check_size(left + right)
    if kind is ast.Mult and isinstance(left, (list, tuple)) and type(right) is int:
        if len(left) * right > LONGEST:
            raise NoValueError("it is too long")
        return left * right
    if kind is ast.BitOr and isinstance(left, dict) and isinstance(right, dict):
        return check_size({**left, **right})
    raise NoValueError("")


def _number(kind: type, left: Any, right: Any) -> Any:
    # a power of whole numbers may have any number of digits, that of floats ends at 1e308
    large = isinstance(left, int) and isinstance(right, int) and left.bit_length() * abs(right) > 1024
    try:
        if kind is ast.Pow and large:
            left, right = float(left), float(right)
        result = _NUMBERS[kind](left, right)
    except ZeroDivisionError:
        raise NoValueError("it divides by zero") from None
    except (ArithmeticError, ValueError):
        raise NoValueError("it is too large") from None
    if isinstance(result, complex):
        raise NoValueError("it is not real")
    return result


def check_size(value: Any) -> Any:
    """A value; raises where it is larger than a configuration has any use for."""
    if isinstance(value, int) and not -LARGEST < value < LARGEST:
        raise NoValueError("it is too large")
    if isinstance(value, (str, list, tuple, dict)) and len(value) > LONGEST:
        raise NoValueError("it is too long")
    return value


def join_texts(*parts: str) -> str:
    """Texts one after the other; where one is a path or has unknown parts, so has the whole."""
    if sum(len(part) for part in parts) > LONGEST:
        raise NoValueError("it is too long")
    text = "".join(parts)
    if not any(isinstance(part, Partial) for part in parts):
        return text
    missing = [name for part in parts if isinstance(part, Partial) for name in part.missing]
    return Partial(text, tuple(missing))


def placeholder(value: Unknown) -> Partial:
    """What stands in a path for something that is not known."""
    name = value.name or "unknown"
    return Partial("{" + name + "}", (name,))


_COMPARISONS: dict[type, Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}


def compare(kind: type, left: Any, right: Any) -> bool:
    """A comparison of plain values, or of one with a list of them; raises `NoValueError` for others."""
    plain = (int, float, str, bool, type(None))
    rows = kind in (ast.In, ast.NotIn) and isinstance(right, (list, tuple, dict, str))
    if isinstance(left, Partial) or isinstance(right, Partial) or not isinstance(left, plain):
        raise NoValueError("")
    if rows and not isinstance(right, str) and not all(isinstance(item, plain) for item in right):
        raise NoValueError("")
    if not rows and not isinstance(right, plain):
        raise NoValueError("")
    try:
        return bool(_COMPARISONS[kind](left, right))
    except (TypeError, KeyError):
        raise NoValueError("") from None
