"""The library of Lua that templates use, with no files or processes, and Lua as a dialect."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable

from . import lua_values
from .arithmetic import FUNCTIONS, repeat, silent
from .bounds import TemplateError, join
from .lua_values import Rows, Table, kind_of, number_of, parse_number, table_of, text_of, truth
from .modules import module
from .patterns import lua_pattern, short_enough
from .runtime import Dialect, Interpreter, Native, Several, Value, first, natives


def _table(value: Value) -> Table:
    if not isinstance(value, Table):
        raise TemplateError(f"{kind_of(value)} is used as a table")
    return value


def _text(value: Value) -> str:
    if not isinstance(value, (str, float)):
        raise TemplateError(f"{kind_of(value)} is used as a text")
    return text_of(value)


# --- math


def _math(do: Callable[..., float]) -> Native:
    def call(run: Interpreter, this: Value, *a: Value) -> float:
        try:
            return float(do(*map(number_of, a)))
        except (ValueError, OverflowError, ZeroDivisionError):
            return math.nan
        except TypeError:
            raise TemplateError("a function of math is called with too few or too many numbers") from None

    return Native(call)


def _random(run: Interpreter, this: Value, *a: Value) -> Value:
    return run.call(module("wbrandom")["integer" if a else "real"], None, list(a))


_FUNCTIONS: dict[str, Callable[..., float]] = {
    **FUNCTIONS, "fmod": math.fmod, "deg": math.degrees, "rad": math.radians,
    "min": lambda *x: min(x), "max": lambda *x: max(x),
}  # fmt: skip
_MATH: dict[str, Value] = {
    **{name: _math(do) for name, do in _FUNCTIONS.items()},
    "random": Native(_random), "randomseed": module("wbrandom")["seed"], "pi": math.pi, "huge": math.inf,
}  # fmt: skip

# --- texts


def _sub(run: Interpreter, this: Value, value: Value, start: Value = 1.0, end: Value = -1.0) -> str:
    text, begin, last = _text(value), number_of(start), number_of(end)
    size = float(len(text))
    begin = max(size + begin + 1.0, 1.0) if begin < 0.0 else max(begin, 1.0)
    last = size + last + 1.0 if last < 0.0 else min(last, size)
    return text[int(min(begin, size + 1.0)) - 1 : int(max(last, 0.0))]


def _groups(found: re.Match[str]) -> Several:
    return Several(found.groups() or (found.group(),))


def _find(run: Interpreter, this: Value, value: Value, wanted: Value, start: Value = 1.0, plain: Value = None) -> Value:
    text, word = _text(value), _text(wanted)
    begin = max(int(number_of(start)) - 1, 0)
    if truth(plain):
        at = text.find(word, begin)
        return None if at < 0 else Several([float(at + 1), float(at + len(word))])
    found = lua_pattern(word).search(short_enough(text), begin)
    return None if found is None else Several([float(found.start() + 1), float(found.end()), *found.groups()])


def _match(run: Interpreter, this: Value, text: Value, pattern: Value) -> Value:
    found = lua_pattern(_text(pattern)).search(short_enough(_text(text)))
    return None if found is None else _groups(found)


def _gmatch(run: Interpreter, this: Value, text: Value, pattern: Value) -> Rows:
    found = Rows(_groups(each) for each in lua_pattern(_text(pattern)).finditer(short_enough(_text(text))))
    run.budget.spend(len(found))
    return found


def _gsub(run: Interpreter, this: Value, text: Value, pattern: Value, by: Value = "") -> Several:
    def new(found: re.Match[str]) -> str:
        if isinstance(by, str):
            return re.sub(r"%(\d)|%(.)", lambda m: (found.group(int(m[1])) if m[1] else m[2]) or "", by)
        groups = _groups(found)
        made = by.values.get(groups[0]) if isinstance(by, Table) else first(run.call(by, None, list(groups)))
        return text_of(made) if truth(made) else found.group()

    try:
        made, count = lua_pattern(_text(pattern)).subn(new, short_enough(_text(text)))
    except IndexError:
        raise TemplateError("gsub asks for a group that its pattern does not have") from None
    return Several([run.budget.text(made), float(count)])


def _format(run: Interpreter, this: Value, text: Value, *a: Value) -> str:
    rest = iter(a)

    def one(found: re.Match[str]) -> str:
        if found.group() == "%%":
            return "%"
        width, kind = found.group(1), found.group(2)
        if any(int(digits) > 99 for digits in re.findall(r"\d+", width)):
            raise TemplateError(f"{found.group()} makes a text that is too wide")
        value = next(rest, None)
        if kind in "dixXoc":
            return f"%{width}{'d' if kind == 'i' else kind}" % int(number_of(value))
        if kind in "eEfgG":
            return f"%{width}{kind}" % number_of(value)
        return f"%{width}s" % text_of(value)

    try:
        return run.budget.text(re.sub(r"%%|%([-+ #0]*\d*(?:\.\d+)?)([diouxXeEfgGcsq])", one, _text(text)))
    except (ValueError, OverflowError):
        raise TemplateError("string.format is given a value that it cannot write") from None


_STRING = natives(
    {
        "sub": _sub, "find": _find, "match": _match, "gmatch": _gmatch, "gsub": _gsub, "format": _format,
        "rep": lambda run, this, text, times=0.0: repeat(run, _text(text), number_of(times)),
        "len": lambda run, this, text: float(len(_text(text))), "upper": lambda run, this, text: _text(text).upper(),
        "lower": lambda run, this, text: _text(text).lower(), "reverse": lambda run, this, text: _text(text)[::-1],
        "byte": lambda run, this, text, at=1.0: float(ord((_sub(run, this, text, at) or "\0")[0])),
        "char": lambda run, this, *a: "".join(chr(int(number_of(x)) & 0x7F) for x in a),
    }
)  # fmt: skip

# --- tables


def _insert(run: Interpreter, this: Value, value: Value, *a: Value) -> None:
    table = _table(value)
    size = table.border()
    if len(a) < 2:
        table.values[float(size + 1)] = False if not a or a[0] is None else a[0]
        return
    at = int(number_of(a[0]))
    run.budget.spend(size)
    for index in range(size, at - 1, -1):
        table.values[float(index + 1)] = table.values[float(index)]
    table.values[float(at)] = a[1]


def _remove(run: Interpreter, this: Value, value: Value, position: Value) -> Value:
    table = _table(value)
    size = table.border()
    at = size if position is None else int(number_of(position))
    run.budget.spend(size)
    removed = table.values.get(float(at))
    for index in range(at, size):
        table.values[float(index)] = table.values[float(index + 1)]
    table.values.pop(float(size), None)
    return removed


def _concat(run: Interpreter, this: Value, table: Value, by: Value = "") -> str:
    items = _table(table).items()
    run.budget.spend(len(items))
    return run.budget.text(join(map(text_of, items), text_of(by)))


def _sort(run: Interpreter, this: Value, value: Value, before: Value) -> None:
    table = _table(value)
    items = table.items()
    run.budget.spend(4 * len(items))

    def less(x: Value, y: Value) -> Value:
        return lua_values.BINARY["<"](x, y) if before is None else truth(run.call(before, None, [x, y]))

    items.sort(key=functools.cmp_to_key(lambda x, y: -1 if less(x, y) else 1 if less(y, x) else 0))
    table.values.update(table_of(items).values)


def _pairs(run: Interpreter, this: Value, given: Value) -> Rows:
    found = Rows((given if isinstance(given, dict) else _table(given).values).items())
    run.budget.spend(len(found))
    return found


def _ipairs(run: Interpreter, this: Value, table: Value) -> Rows:
    found = Rows((float(index), item) for index, item in enumerate(_table(table).items(), 1))
    run.budget.spend(len(found))
    return found


def _unpack(run: Interpreter, this: Value, table: Value) -> Several:
    return Several(_table(table).items())


def _largest_key(run: Interpreter, this: Value, table: Value) -> float:
    return max((key for key in _table(table).values if isinstance(key, float)), default=0.0)


# --- the rest


def _say(run: Interpreter, this: Value, file: Value, *a: Value) -> None:
    """io.stderr:write: the parts of a sentence may come one by one."""
    run.messages.append(run.budget.text(join(map(text_of, a))))


def _require(run: Interpreter, this: Value, name: Value) -> Value:
    return _OWN[_text(name)] if name in _OWN else module(_text(name))


_OWN: dict[Value, dict[str, Value]] = {
    "math": _MATH,
    "string": _STRING,
    "table": natives(
        {
            "insert": _insert, "remove": _remove, "concat": _concat, "sort": _sort, "unpack": _unpack,
            "getn": lambda run, this, table: float(_table(table).border()), "maxn": _largest_key,
        }
    ),
    "io": {"stderr": natives({"write": _say}), "stdout": natives({"write": silent})},
    "os": natives({"time": lambda run, this: 0.0, "clock": lambda run, this: 0.0}),
}  # fmt: skip
_GLOBALS: dict[str, Value] = {
    **{str(name): value for name, value in _OWN.items()},
    **natives(
        {
            "pairs": _pairs, "ipairs": _ipairs, "require": _require, "print": silent, "unpack": _unpack,
            "tostring": lambda run, this, value: text_of(value), "type": lambda run, this, value: kind_of(value),
            "tonumber": lambda run, this, value: parse_number(value),
        }
    ),
}  # fmt: skip


def _get(target: Value, key: Value) -> Value:
    if isinstance(target, Table):
        return target.values.get(key)
    if isinstance(target, dict):
        return target.get(key)
    if isinstance(target, str):
        return _STRING.get(text_of(key))
    raise TemplateError(f"{text_of(key)[:60]!r} is asked of {kind_of(target)}")


LUA = Dialect(
    globals=lambda: dict(_GLOBALS),
    missing=lambda name: None,
    truth=truth,
    text=text_of,
    number=number_of,
    copy=lua_values.copy,
    unary=lua_values.UNARY,
    binary=lua_values.BINARY,
    logical=lua_values.LOGICAL,
    same=lua_values.same,
    get=_get,
    put=lua_values.put,
    items=lua_values.items,
    array=table_of,
    entries=lambda value: value.items() if isinstance(value, Table) else [],
    record=lua_values.record,
)
