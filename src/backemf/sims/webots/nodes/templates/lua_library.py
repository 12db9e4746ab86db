"""The library of Lua that templates use: math, string, table, pairs and Webots' modules, and no files or processes."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable
from typing import Any

from .bounds import TemplateError
from .evaluate import Interpreter
from .frames import Native, Several
from .lua_values import Lua, Table, kind_of, number_of, parsed_number, rows_of, table_of, text_of
from .modules import module
from .natives import argument, natives
from .patterns import lua_pattern, short_enough


def _table(a: list[Any], index: int = 0) -> Table:
    found = argument(a, index)
    if not isinstance(found, Table):
        raise TemplateError(f"{kind_of(found)} is used as a table")
    return found


def _text(a: list[Any], index: int = 0) -> str:
    found = argument(a, index)
    if not isinstance(found, (str, float)) or isinstance(found, bool):
        raise TemplateError(f"{kind_of(found)} is used as a text")
    return text_of(found)


# --- math


def _math(do: Callable[..., float]) -> Native:
    def call(run: Interpreter, this: Any, a: list[Any]) -> float:
        try:
            return float(do(*map(number_of, a)))
        except (ValueError, OverflowError, ZeroDivisionError):
            return math.nan
        except TypeError:
            raise TemplateError("a function of math is called with too few or too many numbers") from None

    return Native(getattr(do, "__name__", "function"), call)


def _random(run: Interpreter, this: Any, a: list[Any]) -> float:
    return run.call(module("wbrandom")["integer" if a else "real"], None, a)


_MATH: dict[str, Any] = {
    **{name: _math(getattr(math, name)) for name in (
        "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "sqrt", "log", "log10", "sinh", "cosh", "tanh",
        "fmod", "pow",
    )},
    "abs": _math(math.fabs), "floor": _math(math.floor), "ceil": _math(math.ceil), "deg": _math(math.degrees),
    "rad": _math(math.radians), "min": _math(lambda *x: min(x)), "max": _math(lambda *x: max(x)),
    "random": Native("random", _random), "randomseed": module("wbrandom")["seed"], "pi": math.pi, "huge": math.inf,
}  # fmt: skip

# --- texts


def _sub(run: Interpreter, this: Any, a: list[Any]) -> str:
    text = _text(a)
    size = float(len(text))
    first, last = number_of(argument(a, 1, 1.0)), number_of(argument(a, 2, -1.0))
    first = max(size + first + 1.0, 1.0) if first < 0.0 else max(first, 1.0)
    last = size + last + 1.0 if last < 0.0 else min(last, size)
    return text[int(min(first, size + 1.0)) - 1 : int(max(last, 0.0))]


def _groups(found: re.Match[str]) -> Several:
    return Several(found.groups() or (found.group(),))


def _find(run: Interpreter, this: Any, a: list[Any]) -> Any:
    text, word = _text(a), _text(a, 1)
    start = max(int(number_of(argument(a, 2, 1.0))) - 1, 0)
    if run.dialect.truth(argument(a, 3)):
        at = text.find(word, start)
        return None if at < 0 else Several([float(at + 1), float(at + len(word))])
    found = lua_pattern(word).search(short_enough(text), start)
    return None if found is None else Several([float(found.start() + 1), float(found.end()), *found.groups()])


def _match(run: Interpreter, this: Any, a: list[Any]) -> Any:
    found = lua_pattern(_text(a, 1)).search(short_enough(_text(a)))
    return None if found is None else _groups(found)


def _gmatch(run: Interpreter, this: Any, a: list[Any]) -> Any:
    found = [_groups(each) for each in lua_pattern(_text(a, 1)).finditer(short_enough(_text(a)))]
    run.budget.spend(len(found))
    return rows_of(found)


def _gsub(run: Interpreter, this: Any, a: list[Any]) -> Any:
    by = argument(a, 2, "")

    def new(found: re.Match[str]) -> str:
        if isinstance(by, str):
            return re.sub(r"%(\d)|%(.)", lambda m: (found.group(int(m[1])) if m[1] else m[2]) or "", by)
        key = _groups(found)[0]
        made = by.values.get(key) if isinstance(by, Table) else run.call(by, None, list(_groups(found)))
        made = made[0] if isinstance(made, Several) and made else made
        return text_of(made) if run.dialect.truth(made) else found.group()

    try:
        text, count = lua_pattern(_text(a, 1)).subn(new, short_enough(_text(a)))
    except IndexError:
        raise TemplateError("gsub asks for a group that its pattern does not have") from None
    return Several([run.budget.text(text), float(count)])


def _format(run: Interpreter, this: Any, a: list[Any]) -> str:
    rest = iter(a[1:])

    def one(found: re.Match[str]) -> str:
        if found.group() == "%%":
            return "%"
        width, kind = found.group(1), found.group(2)
        if any(int(digits) > 99 for digits in re.findall(r"\d+", width)):
            raise TemplateError(f"{found.group()} makes a text that is too wide")
        value = next(rest, None)
        if kind in "di":
            return f"%{width}d" % int(number_of(value))
        if kind in "xXoc":
            return f"%{width}{kind}" % int(number_of(value))
        if kind in "eEfgG":
            return f"%{width}{kind}" % number_of(value)
        return f"%{width}s" % text_of(value)

    try:
        return run.budget.text(re.sub(r"%%|%([-+ #0]*\d*(?:\.\d+)?)([diouxXeEfgGcsq])", one, _text(a)))
    except (ValueError, OverflowError):
        raise TemplateError("string.format is given a value that it cannot write") from None


def _repeated(run: Interpreter, this: Any, a: list[Any]) -> str:
    text, times = _text(a), number_of(argument(a, 1, 0.0))
    run.budget.fits(times * max(len(text), 1))
    return run.budget.text(text * int(max(times, 0.0)))


_STRING = natives(
    {
        "sub": _sub, "find": _find, "match": _match, "gmatch": _gmatch, "gsub": _gsub, "format": _format,
        "rep": _repeated,
        "len": lambda run, this, a: float(len(_text(a))), "upper": lambda run, this, a: _text(a).upper(),
        "lower": lambda run, this, a: _text(a).lower(), "reverse": lambda run, this, a: _text(a)[::-1],
        "byte": lambda run, this, a: float(ord(_sub(run, this, [a[0], argument(a, 1, 1.0)]) or "\0")),
        "char": lambda run, this, a: "".join(chr(int(number_of(x)) & 0x7F) for x in a),
    }
)  # fmt: skip

# --- tables


def _insert(run: Interpreter, this: Any, a: list[Any]) -> None:
    table, size = _table(a), _table(a).border()
    if len(a) < 3:
        table.values[float(size + 1)] = argument(a, 1, False)
        return
    at = int(number_of(a[1]))
    run.budget.spend(size)
    for index in range(size, at - 1, -1):
        table.values[float(index + 1)] = table.values[float(index)]
    table.values[float(at)] = a[2]


def _remove(run: Interpreter, this: Any, a: list[Any]) -> Any:
    table, size = _table(a), _table(a).border()
    at = int(number_of(argument(a, 1, float(size))))
    run.budget.spend(size)
    taken = table.values.get(float(at))
    for index in range(at, size):
        table.values[float(index)] = table.values[float(index + 1)]
    table.values.pop(float(size), None)
    return taken


def _concat(run: Interpreter, this: Any, a: list[Any]) -> str:
    items = _table(a).items()
    run.budget.spend(len(items))
    return run.budget.text(text_of(argument(a, 1, "")).join(map(text_of, items)))


def _sort(run: Interpreter, this: Any, a: list[Any]) -> None:
    table, before = _table(a), argument(a, 1)
    items = table.items()
    run.budget.spend(4 * len(items))

    def less(x: Any, y: Any) -> bool:
        if before is None:
            return run.dialect.binary("<", x, y, run.budget)
        return run.dialect.truth(run.call(before, None, [x, y]))

    items.sort(key=functools.cmp_to_key(lambda x, y: -1 if less(x, y) else 1 if less(y, x) else 0))
    table.values.update(table_of(items).values)


def _pairs(run: Interpreter, this: Any, a: list[Any]) -> Any:
    given = argument(a, 0)
    found = list((given if isinstance(given, dict) else _table(a).values).items())
    run.budget.spend(len(found))
    return rows_of(found)


def _ipairs(run: Interpreter, this: Any, a: list[Any]) -> Any:
    found = list(enumerate(_table(a).items(), 1))
    run.budget.spend(len(found))
    return rows_of([(float(index), item) for index, item in found])


# --- the rest


def _say(run: Interpreter, this: Any, a: list[Any]) -> None:
    """io.stderr:write: the parts of a sentence may come one by one."""
    run.messages.append(run.budget.text("".join(map(text_of, a[1:]))))


def _silent(run: Interpreter, this: Any, a: list[Any]) -> None:
    """What a template prints to the console is of no matter here."""


def _required(run: Interpreter, this: Any, a: list[Any]) -> Any:
    name = _text(a)
    own = {"io": _IO, "os": _OS, "math": _MATH, "string": _STRING, "table": _TABLE}
    return own[name] if name in own else module(name)


_IO: dict[str, Any] = {"stderr": natives({"write": _say}), "stdout": natives({"write": _silent})}
_OS = natives({"time": lambda run, this, a: 0.0, "clock": lambda run, this, a: 0.0})
_TABLE = natives(
    {
        "insert": _insert, "remove": _remove, "concat": _concat, "sort": _sort,
        "getn": lambda run, this, a: float(_table(a).border()),
        "maxn": lambda run, this, a: max((k for k in _table(a).values if isinstance(k, float)), default=0.0),
        "unpack": lambda run, this, a: Several(_table(a).items()),
    }
)  # fmt: skip
_GLOBALS: dict[str, Any] = {
    "math": _MATH, "string": _STRING, "table": _TABLE, "io": _IO, "os": _OS,
    **natives(
        {
            "pairs": _pairs, "ipairs": _ipairs, "require": _required, "print": _silent,
            "tostring": lambda run, this, a: text_of(argument(a, 0)),
            "tonumber": lambda run, this, a: parsed_number(argument(a, 0)),
            "type": lambda run, this, a: kind_of(argument(a, 0)),
            "unpack": lambda run, this, a: Several(_table(a).items()),
        }
    ),
}  # fmt: skip


def lua() -> Lua:
    """Lua with its library."""
    return Lua(dict(_GLOBALS), _STRING)
