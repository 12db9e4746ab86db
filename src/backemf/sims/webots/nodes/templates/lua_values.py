"""Values of Lua: numbers, texts, tables and nil (None), and the signs between them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from .arithmetic import ARITHMETIC, ORDER, power, quotient
from .bounds import Budget, TemplateError
from .evaluate import Interpreter
from .frames import Dialect, Function, Native, Several


class Table:
    """A table: items by their keys, those of 1, 2, … being its list."""

    __slots__ = ("values",)

    def __init__(self, values: dict[Any, Any] | None = None):
        self.values: dict[Any, Any] = {} if values is None else values

    def border(self) -> int:
        """How many items its list has: found by halving, since the last is where the next is missing."""
        low, high = 0, 1
        while float(high) in self.values:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if float(middle) in self.values else (low, middle)
        return low

    def items(self) -> list[Any]:
        """The items of its list."""
        return [self.values[float(index)] for index in range(1, self.border() + 1)]


def table_of(items: list[Any]) -> Table:
    """A table with a list."""
    return Table({float(index): item for index, item in enumerate(items, 1) if item is not None})


def number_of(value: Any) -> float:
    """A number, or a text that is one."""
    if isinstance(value, float):
        return value
    found = parsed_number(value)
    if found is None:
        raise TemplateError(f"{kind_of(value)} is used as a number")
    return found


def parsed_number(value: Any) -> float | None:
    """A number or a text as a number; None: it is none."""
    if isinstance(value, float):
        return value
    if not isinstance(value, str):
        return None
    word = value.strip()
    try:
        return float(int(word, 16)) if word[:2] in ("0x", "0X") else float(word)
    except (ValueError, OverflowError):
        return None


def text_of(value: Any) -> str:
    """A value as a text."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return (
            str(int(value)) if math.isfinite(value) and value == int(value) and abs(value) < 1e15 else f"{value:.14g}"
        )
    return "nil" if value is None else kind_of(value)


def kind_of(value: Any) -> str:
    """What `type` says."""
    kinds = ((bool, "boolean"), (float, "number"), (str, "string"), (Table, "table"), (dict, "table"))
    if value is None:
        return "nil"
    return next((name for kind, name in kinds if isinstance(value, kind)), "function")


class Lua(Dialect):
    """How Lua treats values."""

    def __init__(self, names: dict[str, Any], methods: dict[str, Native]):
        self.globals, self.methods = names, methods

    def truth(self, value: Any) -> bool:
        return value is not None and value is not False

    def text(self, value: Any) -> str:
        return text_of(value)

    def unary(self, sign: str, value: Any) -> Any:
        if sign == "not":
            return not self.truth(value)
        if sign == "-":
            return -number_of(value)
        if sign == "number":
            return number_of(value)
        if sign == "list":
            return value.items() if isinstance(value, Table) else []
        if sign == "copy":
            return _copied(value)
        if sign == "missing":
            return None
        if isinstance(value, (str, Table)):
            return float(len(value) if isinstance(value, str) else value.border())
        raise TemplateError(f"{kind_of(value)} has no length")

    def binary(self, sign: str, left: Any, right: Any, budget: Budget) -> Any:
        if sign == "..":
            for each in (left, right):
                if not isinstance(each, (str, float)) or isinstance(each, bool):
                    raise TemplateError(f"{kind_of(each)} is joined to a text")
            return budget.text(text_of(left) + text_of(right))
        if sign in ("==", "~="):
            same = type(left) is type(right) and (left == right if isinstance(left, (str, float)) else left is right)
            return same == (sign == "==")
        if sign in ORDER:
            if type(left) is not type(right) or not isinstance(left, (str, float)):
                raise TemplateError(f"{kind_of(left)} and {kind_of(right)} are compared")
            return ORDER[sign](left, right)
        return _ARITHMETIC[sign](number_of(left), number_of(right))

    def get(self, target: Any, key: Any) -> Any:
        if isinstance(target, Table):
            return target.values.get(key)
        if isinstance(target, dict):
            return target.get(key)
        if isinstance(target, str):
            return self.methods.get(key)
        raise TemplateError(f"{text_of(key)[:60]!r} is asked of {kind_of(target)}")

    def put(self, target: Any, key: Any, value: Any, budget: Budget) -> None:
        if not isinstance(target, Table) or key is None or key != key:
            raise TemplateError(f"{text_of(key)[:60]!r} cannot be set of {kind_of(target)}")
        if value is None:
            target.values.pop(key, None)
        else:
            target.values[key] = value

    def items(self, run: Interpreter, value: Any, keys: bool) -> Iterable[Any]:
        if isinstance(value, Several) and value and isinstance(value[0], _Rows):
            value = value[0]
        if isinstance(value, _Rows):
            yield from value.rows
            return
        given = value if isinstance(value, Several) else Several([value])
        step, state, control = (*given, None, None, None)[:3]
        if not isinstance(step, (Function, Native)):
            raise TemplateError(f"a loop goes through {kind_of(step)}: it should be pairs(...) or ipairs(...)")
        while True:
            row = run.call(step, None, [state, control])
            row = row if isinstance(row, Several) else [row]
            control = row[0] if row else None
            if control is None:
                return
            yield row

    def array(self, items: list[Any]) -> Any:
        return table_of(items)

    def record(self, pairs: list[tuple[Any, Any]]) -> Any:
        made, count = Table(), 0
        for key, value in pairs:
            if key is not None:
                single = (
                    value[0] if isinstance(value, Several) and value else None if isinstance(value, Several) else value
                )
                if single is not None:
                    made.values[key] = single
                continue
            for each in value if isinstance(value, Several) else [value]:
                count += 1
                if each is not None:
                    made.values[float(count)] = each
        return made


class _Rows:
    """What pairs, ipairs and gmatch give a loop to go through."""

    __slots__ = ("rows",)

    def __init__(self, rows: Iterable[Any]):
        self.rows = rows


def rows_of(rows: Iterable[Any]) -> _Rows:
    """Rows for a loop."""
    return _Rows(rows)


def _copied(value: Any) -> Any:
    if not isinstance(value, Table):
        return value
    return Table({key: _copied(each) for key, each in value.values.items()})


def _modulo(a: float, b: float) -> float:
    return math.nan if b == 0.0 or math.isinf(a) else a % b


_ARITHMETIC = {
    **ARITHMETIC,
    "//": lambda a, b: math.floor(quotient(a, b)) * 1.0 if b != 0.0 else quotient(a, b),
    "%": _modulo,
    "^": power,
}
