"""Values of JavaScript: numbers, texts, lists, objects (dicts), undefined (None), null, and the operators on them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable

from .arithmetic import ARITHMETIC, ORDER, power
from .bounds import Budget, TemplateError, check_length, join
from .patterns import Matcher, bounded_pattern
from .runtime import Function, Interpreter, Native, Value


class Null:
    """null, which is not undefined."""


NULL = Null()


def is_nothing(value: Value) -> bool:
    """Whether a value is undefined or null."""
    return value is None or value is NULL


def number_of(value: Value) -> float:
    """A value as a number; NaN if it is not one."""
    if isinstance(value, float):
        return value
    if isinstance(value, bool) or value is NULL:
        return float(value is True)
    if isinstance(value, str):
        try:
            return float(value) if value.strip() else 0.0
        except ValueError:
            return math.nan
    return math.nan


def text_of(value: Value) -> str:
    """A value as a text."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return number_text(value)
    if is_nothing(value):
        return "undefined" if value is None else "null"
    if isinstance(value, list):
        if any(isinstance(each, list) for each in value):
            raise TemplateError("a list within a list is made a text")
        return join_items(value)
    return "[object Object]" if isinstance(value, dict) else "function"


def join_items(items: list[Value], separator: str = ",") -> str:
    """The items of a list as one text."""
    return join(("" if is_nothing(each) else text_of(each) for each in items), separator)


def number_text(value: float) -> str:
    """A number with the fewest digits that tell it from every other."""
    if value != value or math.isinf(value):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    if value == int(value) and abs(value) < 1e21:
        return str(int(value))
    digits = repr(value)
    if "e" in digits:
        mantissa, exponent = digits.split("e")
        power = int(exponent)
        if -7 < power < 0:
            return f"{value:.{-power + len(mantissa.replace('.', '').lstrip('-')) - 1}f}"
        return f"{mantissa.removesuffix('.0')}e{power:+d}"
    return digits


def index_of(value: Value) -> int | None:
    """A key as the index of an item; None: it is not an index."""
    number = number_of(value) if isinstance(value, (float, str)) else math.nan
    return int(number) if number >= 0.0 and number < 1e9 and number == int(number) else None


def matcher(source: str, flags: str) -> Matcher:
    """A regular expression."""
    return Matcher(bounded_pattern(source, re.IGNORECASE if "i" in flags else 0), "g" in flags)


# --- operators


def truth(value: Value) -> bool:
    """Whether a value counts as true."""
    if isinstance(value, float):
        return value != 0.0 and value == value
    return value is not NULL and (isinstance(value, (list, dict)) or bool(value))


def same(left: Value, right: Value) -> bool:
    """==="""
    if isinstance(left, (float, str)):
        return type(left) is type(right) and left == right
    return left is right


def _alike(left: Value, right: Value) -> bool:
    """=="""
    if is_nothing(left) or is_nothing(right):
        return is_nothing(left) and is_nothing(right)
    if type(left) is type(right):
        return same(left, right)
    if isinstance(left, (list, dict)) or isinstance(right, (list, dict)):
        return text_of(left) == text_of(right)
    return number_of(left) == number_of(right)


def _add(left: Value, right: Value) -> Value:
    if isinstance(left, float) and isinstance(right, float):
        return left + right
    kinds = (str, list, dict, Function, Native)
    if isinstance(left, kinds) or isinstance(right, kinds):
        return text_of(left) + text_of(right)
    return number_of(left) + number_of(right)


def _has(key: Value, holder: Value) -> bool:
    """key in holder"""
    if isinstance(holder, list):
        return (index_of(key) or 0) < len(holder)
    if not isinstance(holder, dict):
        raise TemplateError(f"in looks for {text_of(key)[:40]} in {text_of(holder)[:40]}, which is not an object")
    return text_of(key) in holder


def _type(value: Value) -> str:
    kinds = ((bool, "boolean"), (float, "number"), (str, "string"), (type(None), "undefined"))
    callable_kind = "function" if isinstance(value, (Function, Native)) else "object"
    return next((name for kind, name in kinds if isinstance(value, kind)), callable_kind)


def _remainder(a: float, b: float) -> float:
    """What is left of a division, with the sign of what is divided."""
    return math.nan if b == 0.0 or math.isinf(a) else math.fmod(a, b)


def _int32(value: Value) -> int:
    number = number_of(value)
    whole = int(number) & 0xFFFFFFFF if math.isfinite(number) else 0
    return whole - (1 << 32) if whole >= 1 << 31 else whole


def _numeric(do: Callable[[float, float], float]) -> Callable[[Value, Value], Value]:
    return lambda a, b: do(number_of(a), number_of(b))


def _bitwise(do: Callable[[int, int], int]) -> Callable[[Value, Value], Value]:
    return lambda a, b: float(do(_int32(a), _int32(b)))


def _comparison(do: Callable[..., bool]) -> Callable[[Value, Value], Value]:
    def compare(a: Value, b: Value) -> bool:
        both = isinstance(a, str) and isinstance(b, str)
        return do(a, b) if both else do(number_of(a), number_of(b))

    return compare


UNARY: dict[str, Callable[[Value], Value]] = {
    "-": lambda value: -number_of(value), "+": number_of, "!": lambda value: not truth(value),
    "~": lambda value: float(~_int32(value)), "typeof": _type, "void": lambda value: None, "delete": lambda value: None,
}  # fmt: skip
BINARY: dict[str, Callable[[Value, Value], Value]] = {
    **{sign: _numeric(do) for sign, do in {**ARITHMETIC, "%": _remainder, "**": power}.items()},
    **{sign: _comparison(do) for sign, do in ORDER.items()},
    "+": _add, "in": _has,
    "===": same, "!==": lambda a, b: not same(a, b), "==": _alike, "!=": lambda a, b: not _alike(a, b),
    "&": _bitwise(lambda a, b: a & b), "|": _bitwise(lambda a, b: a | b), "^": _bitwise(lambda a, b: a ^ b),
    "<<": _bitwise(lambda a, b: _int32(float((a << (b & 31)) & 0xFFFFFFFF))),
    ">>": _bitwise(lambda a, b: a >> (b & 31)), ">>>": _bitwise(lambda a, b: (a & 0xFFFFFFFF) >> (b & 31)),
}  # fmt: skip
LOGICAL = {"&&": truth, "||": lambda value: not truth(value), "??": is_nothing}

# --- lists and objects


def put(target: Value, key: Value, value: Value, budget: Budget) -> None:
    """Set an item or a property."""
    if isinstance(target, dict):
        target[text_of(key)] = value
        return
    index = index_of(key)
    if not isinstance(target, list) or index is None:
        raise TemplateError(f"{text_of(key)[:60]!r} cannot be set of {text_of(target)[:40]}")
    if index >= len(target):
        check_length(index)
        budget.spend(index - len(target) + 1)
        target.extend([None] * (index - len(target) + 1))
    target[index] = value


def items(run: Interpreter, value: Value, keys: bool) -> Iterable[Iterable[Value]]:
    """What a loop goes through."""
    if keys:
        size = len(value) if isinstance(value, (list, str)) else 0
        return (
            (name,) for name in (list(value) if isinstance(value, dict) else map(number_text, map(float, range(size))))
        )
    if not isinstance(value, (list, str)):
        raise TemplateError(f"a loop goes through {text_of(value)[:40]}, which is not a list")
    return ((each,) for each in value)


def record(pairs: list[tuple[Value, Value]]) -> Value:
    """An object; a pair without a key is all that another object has."""
    made: dict[str, Value] = {}
    for key, value in pairs:
        if key is None:
            made |= value if isinstance(value, dict) else {}
        else:
            made[text_of(key)] = value
    return made


def copy(value: Value) -> Value:
    """A value with copies of all that is in it."""
    if isinstance(value, dict):
        return {key: copy(each) for key, each in value.items()}
    return [copy(each) for each in value] if isinstance(value, list) else value
