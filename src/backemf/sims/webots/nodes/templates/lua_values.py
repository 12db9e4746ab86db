"""Values of Lua: numbers, texts, tables and nil (None), and the operators on them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from .arithmetic import ARITHMETIC, ORDER, power, quotient
from .bounds import Budget, TemplateError
from .runtime import Function, Interpreter, Native, Several, Value, first


class Table:
    """A table: items by their keys, those of 1, 2, … being its list."""

    __slots__ = ("values",)

    def __init__(self, values: dict[Value, Value] | None = None):
        self.values: dict[Value, Value] = {} if values is None else values

    def border(self) -> int:
        """How many items its list has: found by halving, since the last is where the next is missing."""
        low, high = 0, 1
        while float(high) in self.values:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if float(middle) in self.values else (low, middle)
        return low

    def items(self) -> list[Value]:
        """The items of its list."""
        return [self.values[float(index)] for index in range(1, self.border() + 1)]


class Rows(list[Iterable[Value]]):
    """What pairs, ipairs and gmatch give a loop to go through."""


def table_of(items: list[Value]) -> Table:
    """A table with a list."""
    return Table({float(index): item for index, item in enumerate(items, 1) if item is not None})


def number_of(value: Value) -> float:
    """A number, or a text that is one."""
    if isinstance(value, float):
        return value
    found = parse_number(value)
    if found is None:
        raise TemplateError(f"{kind_of(value)} is used as a number")
    return found


def parse_number(value: Value) -> float | None:
    """A number or a text as a number; None: it is not a number."""
    if isinstance(value, float):
        return value
    if not isinstance(value, str):
        return None
    word = value.strip()
    try:
        return float(int(word, 16)) if word[:2] in ("0x", "0X") else float(word)
    except (ValueError, OverflowError):
        return None


def text_of(value: Value) -> str:
    """A value as a text."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        whole = math.isfinite(value) and value == int(value) and abs(value) < 1e15
        return str(int(value)) if whole else f"{value:.14g}"
    return kind_of(value)


def kind_of(value: Value) -> str:
    """What `type` says."""
    kinds = ((type(None), "nil"), (bool, "boolean"), (float, "number"), (str, "string"), ((Table, dict), "table"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "function")


def copy(value: Value) -> Value:
    """A value with copies of all that is in it."""
    return Table({key: copy(each) for key, each in value.values.items()}) if isinstance(value, Table) else value


# --- operators


def truth(value: Value) -> bool:
    """Whether a value counts as true."""
    return value is not None and value is not False


def _length(value: Value) -> float:
    if isinstance(value, (str, Table)):
        return float(len(value) if isinstance(value, str) else value.border())
    raise TemplateError(f"{kind_of(value)} has no length")


def _join(left: Value, right: Value) -> str:
    for each in (left, right):
        if not isinstance(each, (str, float)):
            raise TemplateError(f"{kind_of(each)} is joined to a text")
    return text_of(left) + text_of(right)


def same(left: Value, right: Value) -> bool:
    """=="""
    return type(left) is type(right) and (left == right if isinstance(left, (str, float)) else left is right)


def _comparison(do: Callable[..., bool]) -> Callable[[Value, Value], bool]:
    def compare(left: Value, right: Value) -> bool:
        if type(left) is not type(right) or not isinstance(left, (str, float)):
            raise TemplateError(f"{kind_of(left)} and {kind_of(right)} are compared")
        return do(left, right)

    return compare


def _numeric(do: Callable[[float, float], float]) -> Callable[[Value, Value], Value]:
    return lambda a, b: do(number_of(a), number_of(b))


def _floor_quotient(a: float, b: float) -> float:
    made = quotient(a, b)
    return float(math.floor(made)) if math.isfinite(made) else made


def _modulo(a: float, b: float) -> float:
    return math.nan if b == 0.0 or math.isinf(a) else a % b


UNARY: dict[str, Callable[[Value], Value]] = {
    "not": lambda value: not truth(value), "-": lambda value: -number_of(value), "#": _length,
}  # fmt: skip
BINARY: dict[str, Callable[[Value, Value], Value]] = {
    **{sign: _numeric(do) for sign, do in {**ARITHMETIC, "//": _floor_quotient, "%": _modulo, "^": power}.items()},
    **{sign: _comparison(do) for sign, do in ORDER.items()},
    "..": _join, "==": same, "~=": lambda a, b: not same(a, b),
}  # fmt: skip
LOGICAL = {"and": truth, "or": lambda value: not truth(value)}

# --- tables


def put(target: Value, key: Value, value: Value, budget: Budget) -> None:
    """Set an item of a table."""
    if not isinstance(target, Table) or key is None or key != key:
        raise TemplateError(f"{text_of(key)[:60]!r} cannot be set of {kind_of(target)}")
    if value is None:
        target.values.pop(key, None)
    else:
        target.values[key] = value


def items(run: Interpreter, value: Value, keys: bool) -> Iterable[Iterable[Value]]:
    """What a loop goes through: rows of pairs and the like, or what a function returns until it is nil."""
    rows = first(value)
    if isinstance(rows, Rows):
        yield from rows
        return
    given = value if isinstance(value, Several) else [value]
    step, state, control = (*given, None, None, None)[:3]
    if not isinstance(step, (Function, Native)):
        raise TemplateError(f"a loop goes through {kind_of(step)}: it should be pairs(...) or ipairs(...)")
    while True:
        row = run.call(step, None, [state, control])
        control = first(row)
        if control is None:
            return
        yield row if isinstance(row, Several) else [row]


def record(pairs: list[tuple[Value, Value]]) -> Value:
    """A table; pairs without a key are its list."""
    made, count = Table(), 0
    for key, value in pairs:
        if key is not None:
            put_value = first(value)
            if put_value is not None:
                made.values[key] = put_value
            continue
        for each in value if isinstance(value, Several) else [value]:
            count += 1
            if each is not None:
                made.values[float(count)] = each
    return made
