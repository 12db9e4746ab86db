"""Operators on the values of a configuration text: few, pure and bounded.

All raise `NoValueError` where there is no value.
"""

from __future__ import annotations

import ast
import math
import operator
import os.path
from collections.abc import Callable
from typing import TypeGuard, TypeVar

from .script_values import LARGEST, LONGEST, Instance, NamedRow, NoValueError, Partial, Unknown, Value, expect, require

T = TypeVar("T")
PLAIN = (int, float, str, bool, type(None))
"""Types of plain values, which may be keys of a dictionary."""
ROWS = (list, tuple, dict)
CONSTANTS = {"pi": math.pi, "inf": math.inf, "tau": math.tau, "e": math.e, "nan": math.nan}
"""Constants of math, NumPy and the like."""
LIBRARIES = ("math", "np", "numpy", "torch", "jnp", "jax.numpy")


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a value is a number, and not a truth value."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_true(value: Value) -> bool:
    """Whether a value counts as true."""
    require(isinstance(value, (*PLAIN, *ROWS, Instance)) and not isinstance(value, Partial))
    return bool(value)


def check_size(value: T) -> T:
    """A value; raise `NoValueError` where it is larger than any in a configuration."""
    require(not isinstance(value, int) or -LARGEST < value < LARGEST, "it is too large")
    require(not isinstance(value, (str, *ROWS)) or len(value) <= LONGEST, "it is too long")
    return value


def join_texts(*parts: str) -> str:
    """Texts one after the other; the result is a path or has unknown parts if one of them does."""
    require(sum(len(part) for part in parts) <= LONGEST, "it is too long")
    text = "".join(parts)
    if not any(isinstance(part, Partial) for part in parts):
        return text
    return Partial(text, tuple(name for part in parts if isinstance(part, Partial) for name in part.missing))


def placeholder(value: Value) -> Value:
    """A value; in place of one that is not known, its name in braces."""
    if not isinstance(value, Unknown):
        return value
    name = value.name or "unknown"
    return Partial("{" + name + "}", (name,))


# --- operators

_ARITHMETIC: dict[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_COMPARISONS: dict[type, Callable[..., bool]] = {
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


def operate(kind: type, left: Value, right: Value) -> Value:
    """An operator on two known values."""
    if is_number(left) and is_number(right) and kind in _ARITHMETIC:
        return check_size(_calculate(kind, left, right))
    if kind is ast.Add and isinstance(left, str) and isinstance(right, str):
        return join_texts(left, right)
    if kind is ast.Div and isinstance(left, Partial) and isinstance(right, str):
        return join_texts(left, "/", right)
    if kind is ast.Add and type(left) is type(right) and isinstance(left, (list, tuple)):
        row = [*left, *expect(right, list, tuple)]
        return check_size(row if isinstance(left, list) else tuple(row))
    if kind is ast.Mult and isinstance(left, (list, tuple)) and type(right) is int:
        require(len(left) * right <= LONGEST, "it is too long")
        return left * right
    if kind is ast.BitOr and isinstance(left, dict) and isinstance(right, dict):
        return check_size({**left, **right})
    raise NoValueError


def _calculate(kind: type, left: float, right: float) -> float:
    # a power of integers may have any number of digits, that of floats ends at 1e308
    large = isinstance(left, int) and isinstance(right, int) and left.bit_length() * abs(right) > 1024
    try:
        if kind is ast.Pow and large:
            left, right = float(left), float(right)
        result = _ARITHMETIC[kind](left, right)
    except ZeroDivisionError:
        raise NoValueError("it divides by zero") from None
    except (ArithmeticError, ValueError):
        raise NoValueError("it is too large") from None
    require(not isinstance(result, complex), "it is not real")
    return result


def compare(kind: type, left: Value, right: Value) -> bool:
    """A comparison of plain values, or of one with a list of them."""
    inside = right if kind in (ast.In, ast.NotIn) and isinstance(right, ROWS) else (right,)
    require(all(isinstance(item, PLAIN) for item in (left, *inside)))
    require(not isinstance(left, Partial) and not isinstance(right, Partial))
    try:
        return bool(_COMPARISONS[kind](left, right))
    except (TypeError, KeyError):
        raise NoValueError from None


def entry(table: Value, key: Value) -> Value:
    """An entry of a dictionary, a list or a text, or a slice of the latter two."""
    if isinstance(table, dict):
        if isinstance(key, PLAIN) and key in table:
            return table[key]
        raise NoValueError("there is no such entry")
    row = expect(table, list, tuple, str)
    if isinstance(row, Partial) or (type(key) is not int and not isinstance(key, slice)):
        raise NoValueError
    require(not isinstance(key, slice) or not isinstance(row, NamedRow))
    require(isinstance(key, slice) or -len(row) <= key < len(row), "there is no such entry")
    return row[key]


def attribute(value: Value, name: str) -> Value:
    """An attribute of a known value."""
    if isinstance(value, Instance):
        require(name in value.fields, f"{value.name} has no {name} here")
        return value.fields[name]
    if isinstance(value, NamedRow) and name in value.names:
        return value[value.names.index(name)]
    require(isinstance(value, Partial) and name == "parent")
    return dirname(value)


def dirname(path: Value) -> Partial:
    """The folder of a path."""
    return Partial(os.path.dirname(expect(path, str)), getattr(path, "missing", ()))
