"""Values of JavaScript: numbers, texts, lists, objects (dicts), undefined (None), null, and the signs between them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

from .arithmetic import ARITHMETIC, ORDER, power
from .bounds import Budget, TemplateError
from .evaluate import Interpreter
from .frames import Dialect, Function, Native
from .js_expressions import NULL
from .patterns import Matcher, bounded_pattern


def number_of(value: Any) -> float:
    """A value as a number; NaN where it is none."""
    if isinstance(value, bool) or value is NULL:
        return float(value is True)
    if isinstance(value, float):
        return value
    if isinstance(value, str):
        try:
            return float(value) if value.strip() else 0.0
        except ValueError:
            return math.nan
    return math.nan


def text_of(value: Any) -> str:
    """A value as a text."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return number_text(value)
    if value is None:
        return "undefined"
    if value is NULL:
        return "null"
    if isinstance(value, list):
        if any(isinstance(each, list) for each in value):
            raise TemplateError("a list within a list is made a text")
        return ",".join("" if each is None or each is NULL else text_of(each) for each in value)
    return "[object Object]" if isinstance(value, dict) else "function"


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


def index_of(value: Any) -> int | None:
    """A key as the index of an item; None: it is none."""
    number = number_of(value) if isinstance(value, (float, str)) else math.nan
    return int(number) if number >= 0.0 and number < 1e9 and number == int(number) else None


def same(left: Any, right: Any) -> bool:
    """==="""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, (float, str)) or isinstance(right, (float, str)):
        return type(left) is type(right) and left == right
    return left is right


def _alike(left: Any, right: Any) -> bool:
    """=="""
    nothing = (None, NULL)
    if any(left is n for n in nothing) or any(right is n for n in nothing):
        return any(left is n for n in nothing) and any(right is n for n in nothing)
    if type(left) is type(right):
        return same(left, right)
    if isinstance(left, (list, dict)) or isinstance(right, (list, dict)):
        return text_of(left) == text_of(right)
    return number_of(left) == number_of(right)


def _int32(value: Any) -> int:
    number = number_of(value)
    whole = int(number) & 0xFFFFFFFF if math.isfinite(number) else 0
    return whole - (1 << 32) if whole >= 1 << 31 else whole


class JavaScript(Dialect):
    """How JavaScript treats values."""

    def __init__(self, names: dict[str, Any], methods: dict[type, dict[str, Native]]):
        self.globals, self.methods = names, methods

    def truth(self, value: Any) -> bool:
        if isinstance(value, float):
            return value != 0.0 and value == value
        return value is not NULL and (isinstance(value, (list, dict)) or bool(value))

    def text(self, value: Any) -> str:
        return text_of(value)

    def unary(self, sign: str, value: Any) -> Any:
        if sign == "-":
            return -number_of(value)
        if sign in ("+", "number"):
            return number_of(value)
        if sign == "!":
            return not self.truth(value)
        if sign == "~":
            return float(~_int32(value))
        if sign == "typeof":
            return _type(value)
        if sign == "list":
            return value if isinstance(value, list) else []
        if sign == "copy":
            return _copied(value)
        if sign == "missing":
            raise TemplateError(f"{value} is not a name that templates know here")
        return None

    def binary(self, sign: str, left: Any, right: Any, budget: Budget) -> Any:
        if sign == "+":
            plain = isinstance(left, (float, bool)) and isinstance(right, (float, bool))
            return number_of(left) + number_of(right) if plain else _added(left, right, budget)
        compare = _EQUAL.get(sign)
        if compare is not None:
            return compare(left, right)
        if sign in ORDER:
            if isinstance(left, str) and isinstance(right, str):
                return ORDER[sign](left, right)
            return ORDER[sign](number_of(left), number_of(right))
        if sign in _ARITHMETIC:
            return _ARITHMETIC[sign](number_of(left), number_of(right))
        if sign in _BITS:
            return float(_BITS[sign](_int32(left), _int32(right)))
        if sign == "in":
            return (index_of(left) or 0) < len(right) if isinstance(right, list) else text_of(left) in right
        raise TemplateError(f"{sign} is not known here")

    def get(self, target: Any, key: Any) -> Any:
        if isinstance(target, dict):
            word = text_of(key)
            return target[word] if word in target else self.methods[dict].get(word)
        if isinstance(target, (list, str)):
            index = index_of(key)
            if index is not None:
                return target[index] if index < len(target) else None
            if key == "length":
                return float(len(target))
            return self.methods[type(target)].get(text_of(key))
        if isinstance(target, (float, Matcher)):
            return self.methods[type(target)].get(text_of(key))
        if target is None or target is NULL:
            raise TemplateError(f"{text_of(key)[:60]!r} is asked of {text_of(target)}")
        return None

    def put(self, target: Any, key: Any, value: Any, budget: Budget) -> None:
        if isinstance(target, dict):
            target[text_of(key)] = value
            return
        index = index_of(key)
        if not isinstance(target, list) or index is None:
            raise TemplateError(f"{text_of(key)[:60]!r} cannot be set of {text_of(target)[:40]}")
        if index >= len(target):
            budget.fits(index)
            budget.spend(index - len(target) + 1)
            target.extend([None] * (index - len(target) + 1))
        target[index] = value

    def items(self, run: Interpreter, value: Any, keys: bool) -> Iterable[Any]:
        if keys:
            names = list(value) if isinstance(value, dict) else [text_of(float(i)) for i in range(len(value or []))]
            return ((name,) for name in names)
        if not isinstance(value, (list, str)):
            raise TemplateError(f"a loop goes through {text_of(value)[:40]}, which is not a list")
        return ((each,) for each in value)

    def array(self, items: list[Any]) -> Any:
        return items

    def record(self, pairs: list[tuple[Any, Any]]) -> Any:
        made: dict[str, Any] = {}
        for key, value in pairs:
            if key is None:
                made |= value if isinstance(value, dict) else {}
            else:
                made[text_of(key)] = value
        return made

    def pattern(self, source: str, flags: str) -> Any:
        return Matcher(bounded_pattern(source, re.IGNORECASE if "i" in flags else 0), "g" in flags)


def _added(left: Any, right: Any, budget: Budget) -> Any:
    if any(isinstance(each, (str, list, dict, Function, Native)) for each in (left, right)):
        return budget.text(text_of(left) + text_of(right))
    return number_of(left) + number_of(right)


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(each) for key, each in value.items()}
    return [_copied(each) for each in value] if isinstance(value, list) else value


def _type(value: Any) -> str:
    kinds = ((bool, "boolean"), (float, "number"), (str, "string"), (type(None), "undefined"))
    callable_kind = "function" if isinstance(value, (Function, Native)) else "object"
    return next((name for kind, name in kinds if isinstance(value, kind)), callable_kind)


def remainder(a: float, b: float) -> float:
    """What is left of a division, with the sign of what is divided."""
    return math.nan if b == 0.0 or math.isinf(a) else math.fmod(a, b)


_EQUAL = {
    "===": same,
    "!==": lambda a, b: not same(a, b),
    "==": _alike,
    "!=": lambda a, b: not _alike(a, b),
}
_ARITHMETIC = {**ARITHMETIC, "%": remainder, "**": power}
_BITS = {
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<<": lambda a, b: _int32(float((a << (b & 31)) & 0xFFFFFFFF)),
    ">>": lambda a, b: a >> (b & 31),
    ">>>": lambda a, b: (a & 0xFFFFFFFF) >> (b & 31),
}
