"""What JavaScript and Lua have in common: operators and functions of double precision that raise nothing, and texts."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

from .bounds import check_length
from .runtime import Interpreter, Value


def quotient(a: float, b: float) -> float:
    """a / b, infinite or NaN where b is 0."""
    if b == 0.0:
        return math.nan if a == 0.0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)
    return a / b


def power(a: float, b: float) -> float:
    """a to the power of b; NaN where that is not a real number."""
    try:
        made = a**b
    except (OverflowError, ZeroDivisionError):
        return math.inf
    return math.nan if isinstance(made, complex) else float(made)


ORDER = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge}
"""Operators that compare two numbers, or two texts."""
ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": quotient}
"""Operators between two numbers."""
_NAMES = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "sqrt", "log", "log10", "sinh", "cosh", "tanh")
FUNCTIONS: dict[str, Callable[..., float]] = {
    **{name: getattr(math, name) for name in _NAMES},
    "abs": math.fabs, "floor": math.floor, "ceil": math.ceil, "pow": power,
}  # fmt: skip
"""Functions of numbers."""


def repeat(run: Interpreter, text: str, times: float) -> str:
    """A text so many times."""
    check_length(times * max(len(text), 1))
    return run.budget.text(text * int(max(times, 0.0)))


def silent(run: Interpreter, this: Value) -> None:
    """What a template prints to the console does not matter here."""
