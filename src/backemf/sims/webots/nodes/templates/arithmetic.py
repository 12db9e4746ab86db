"""Signs between numbers that JavaScript and Lua have in common; they compute in double precision and raise nothing."""

from __future__ import annotations

import math
import operator


def quotient(a: float, b: float) -> float:
    """a / b, infinite or NaN where b is 0."""
    if b == 0.0:
        return math.nan if a == 0.0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)
    return a / b


def power(a: float, b: float) -> float:
    """a to the power of b; NaN where that is no real number."""
    try:
        made = a**b
    except (OverflowError, ZeroDivisionError):
        return math.inf
    return math.nan if isinstance(made, complex) else float(made)


ORDER = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge}
"""Signs that compare two numbers, or two texts."""
ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": quotient}
"""Signs between two numbers."""
