"""The library of JavaScript that templates use: Math, texts, lists, objects and a console."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable
from typing import Any

from .bounds import TemplateError
from .evaluate import Interpreter, Native
from .javascript import NULL
from .js_values import JavaScript, index_of, number_of, number_text, power, same, text_of
from .modules import javascript_module
from .patterns import Matcher


def _at(arguments: list[Any], index: int, default: Any = None) -> Any:
    return arguments[index] if index < len(arguments) and arguments[index] is not None else default


def _clipped(value: Any, size: int, default: int) -> int:
    """An index from either end of a list."""
    if value is None:
        return default
    number = number_of(value)
    whole = 0 if number != number else int(max(-size, min(size, number)))
    return max(0, size + whole) if whole < 0 else whole


def _natives(functions: dict[str, Callable[..., Any]]) -> dict[str, Native]:
    return {name: Native(name, do) for name, do in functions.items()}


# --- numbers


def _fixed(run: Interpreter, this: float, a: list[Any]) -> str:
    return f"{this:.{int(min(max(number_of(_at(a, 0, 0.0)), 0.0), 100.0))}f}"


def _number_text(run: Interpreter, this: float, a: list[Any]) -> str:
    base = int(number_of(_at(a, 0, 10.0)))
    if base == 10:
        return number_text(this)
    if base not in (2, 8, 16) or this != int(this):
        raise TemplateError(f"toString({base}) is not known here")
    return ("-" if this < 0 else "") + format(abs(int(this)), {2: "b", 8: "o", 16: "x"}[base])


def _precision(run: Interpreter, this: float, a: list[Any]) -> str:
    return f"{this:.{int(min(max(number_of(_at(a, 0, 6.0)), 1.0), 100.0))}g}"


def _math(do: Callable[..., float]) -> Native:
    def call(run: Interpreter, this: Any, a: list[Any]) -> float:
        numbers = [number_of(each) for each in a]
        try:
            return float(do(*numbers))
        except (ValueError, OverflowError, ZeroDivisionError, TypeError):
            return math.nan

    return Native(getattr(do, "__name__", "function"), call)


def _random(run: Interpreter, this: Any, a: list[Any]) -> float:
    """Numbers that come alike every time."""
    run.random = (1103515245.0 * run.random + 12345.0) % 2147483648.0
    return run.random / 2147483648.0


_MATH: dict[str, Any] = {
    **{name: _math(getattr(math, name)) for name in (
        "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "sqrt", "log10", "log2", "sinh", "cosh", "tanh",
        "hypot", "fabs",
    )},
    "abs": _math(abs), "floor": _math(math.floor), "ceil": _math(math.ceil), "trunc": _math(math.trunc),
    "log": _math(lambda x: -math.inf if x == 0.0 else math.log(x)), "pow": _math(power),
    "round": _math(lambda x: math.floor(x + 0.5)), "sign": _math(lambda x: (x > 0.0) - (x < 0.0)),
    "cbrt": _math(lambda x: math.copysign(abs(x) ** (1.0 / 3.0), x)),
    "min": _math(lambda *x: min(x, default=math.inf)), "max": _math(lambda *x: max(x, default=-math.inf)),
    "random": Native("random", _random),
    "PI": math.pi, "E": math.e, "SQRT2": math.sqrt(2.0), "SQRT1_2": math.sqrt(0.5), "LN2": math.log(2.0),
    "LN10": math.log(10.0),
}  # fmt: skip

# --- texts


def _split(run: Interpreter, this: str, a: list[Any]) -> list[str]:
    by = _at(a, 0)
    if by is None:
        return [this]
    if isinstance(by, Matcher):
        return by.pattern.split(by.within(this))
    parts = list(this) if by == "" else this.split(text_of(by))
    run.budget.spend(len(parts))
    return parts


def _replace(run: Interpreter, this: str, a: list[Any], everywhere: bool = False) -> str:
    what, by = _at(a, 0, ""), _at(a, 1, "")

    def new(found: str) -> str:
        return by if isinstance(by, str) else text_of(run.call(by, None, [found]))

    if isinstance(what, Matcher):
        return run.budget.text(
            what.pattern.sub(lambda m: new(m.group()), what.within(this), count=0 if what.everywhere else 1)
        )
    word = text_of(what)
    if word not in this:
        return this
    run.budget.fits(len(this) + this.count(word) * len(new(word)))
    return run.budget.text(this.replace(word, new(word), -1 if everywhere else 1))


def _padded(run: Interpreter, this: str, a: list[Any], front: bool) -> str:
    size, filler = number_of(_at(a, 0, 0.0)), text_of(_at(a, 1, " "))
    run.budget.fits(size)
    missing = max(0, int(size) - len(this))
    more = (filler * (missing // max(len(filler), 1) + 1))[:missing] if filler else ""
    return run.budget.text(more + this if front else this + more)


def _repeated(run: Interpreter, this: str, a: list[Any]) -> str:
    times = number_of(_at(a, 0, 0.0))
    run.budget.fits(times * max(len(this), 1))
    return run.budget.text(this * int(max(times, 0.0)))


def _match(run: Interpreter, this: str, a: list[Any]) -> Any:
    by = _at(a, 0)
    if not isinstance(by, Matcher):
        raise TemplateError("match takes a pattern in /")
    if by.everywhere:
        return [found.group() for found in by.pattern.finditer(by.within(this))] or NULL
    found = by.pattern.search(by.within(this))
    return NULL if found is None else [found.group(), *found.groups()]


def _slice(run: Interpreter, this: Any, a: list[Any]) -> Any:
    size = len(this)
    found = this[_clipped(_at(a, 0), size, 0) : _clipped(_at(a, 1), size, size)]
    run.budget.spend(len(found))
    return found


def _substring(run: Interpreter, this: str, a: list[Any]) -> str:
    ends = [max(0, min(len(this), int(number_of(x)) if x == x else 0)) for x in (_at(a, 0, 0.0), _at(a, 1, float(len(this))))]
    return this[min(ends) : max(ends)]


def _substr(run: Interpreter, this: str, a: list[Any]) -> str:
    start = _clipped(_at(a, 0), len(this), 0)
    size = number_of(_at(a, 1, float(len(this))))
    return this[start : start + int(max(0.0, min(size, float(len(this)))))]


_STRING = _natives(
    {
        "split": _split, "replace": _replace, "repeat": _repeated, "match": _match, "slice": _slice,
        "replaceAll": lambda run, this, a: _replace(run, this, a, everywhere=True),
        "padStart": lambda run, this, a: _padded(run, this, a, True),
        "padEnd": lambda run, this, a: _padded(run, this, a, False),
        "substring": _substring, "substr": _substr,
        "startsWith": lambda run, this, a: this.startswith(text_of(_at(a, 0))),
        "endsWith": lambda run, this, a: this.endswith(text_of(_at(a, 0))),
        "includes": lambda run, this, a: text_of(_at(a, 0)) in this,
        "indexOf": lambda run, this, a: float(this.find(text_of(_at(a, 0)))),
        "lastIndexOf": lambda run, this, a: float(this.rfind(text_of(_at(a, 0)))),
        "charAt": lambda run, this, a: this[int(number_of(_at(a, 0, 0.0)))] if 0 <= number_of(_at(a, 0, 0.0)) < len(this) else "",
        "charCodeAt": lambda run, this, a: float(ord(this[index_of(_at(a, 0, 0.0)) or 0])) if this else math.nan,
        "concat": lambda run, this, a: run.budget.text(this + "".join(map(text_of, a))),
        "toLowerCase": lambda run, this, a: this.lower(), "toUpperCase": lambda run, this, a: this.upper(),
        "trim": lambda run, this, a: this.strip(), "toString": lambda run, this, a: this,
    }
)  # fmt: skip

# --- lists


def _each(run: Interpreter, this: list[Any], a: list[Any]) -> list[tuple[Any, Any]]:
    """Every item with what a function makes of it."""
    do = _at(a, 0)
    return [(item, run.call(do, None, [item, float(index), this])) for index, item in enumerate(list(this))]


def _true(run: Interpreter, this: list[Any], a: list[Any]) -> list[Any]:
    return [item for item, kept in _each(run, this, a) if run.dialect.truth(kept)]


def _position(run: Interpreter, this: list[Any], a: list[Any]) -> float:
    found = [index for index, (_, kept) in enumerate(_each(run, this, a)) if run.dialect.truth(kept)]
    return float(found[0]) if found else -1.0


def _push(run: Interpreter, this: list[Any], a: list[Any]) -> float:
    this.extend(a)
    return float(len(this))


def _unshift(run: Interpreter, this: list[Any], a: list[Any]) -> float:
    run.budget.spend(len(this))
    this[0:0] = a
    return float(len(this))


def _splice(run: Interpreter, this: list[Any], a: list[Any]) -> list[Any]:
    run.budget.spend(len(this))
    start = _clipped(_at(a, 0), len(this), 0)
    count = int(max(0.0, min(float(len(this) - start), number_of(_at(a, 1, float(len(this)))))))
    taken = this[start : start + count]
    this[start : start + count] = a[2:]
    return taken


def _join(run: Interpreter, this: list[Any], a: list[Any]) -> str:
    run.budget.spend(len(this))
    return run.budget.text(text_of(_at(a, 0, ",")).join("" if x is None or x is NULL else text_of(x) for x in this))


def _reduce(run: Interpreter, this: list[Any], a: list[Any]) -> Any:
    items = list(this)
    if len(a) < 2 and not items:
        raise TemplateError("reduce of an empty list needs a first value")
    made = a[1] if len(a) > 1 else items.pop(0)
    for index, item in enumerate(items):
        made = run.call(a[0], None, [made, item, float(index), this])
    return made


def _sorted(run: Interpreter, this: list[Any], a: list[Any]) -> list[Any]:
    run.budget.spend(4 * len(this))
    if not a:
        this.sort(key=text_of)
    else:
        this.sort(key=functools.cmp_to_key(lambda x, y: _sign(number_of(run.call(a[0], None, [x, y])))))
    return this


def _sign(number: float) -> int:
    return (number > 0.0) - (number < 0.0)


def _concat(run: Interpreter, this: list[Any], a: list[Any]) -> list[Any]:
    made = list(this)
    for each in a:
        made += each if isinstance(each, list) else [each]
    run.budget.spend(len(made))
    return made


def _index(run: Interpreter, this: list[Any], a: list[Any]) -> float:
    run.budget.spend(len(this))
    return float(next((index for index, item in enumerate(this) if same(item, _at(a, 0))), -1))


def _filled(run: Interpreter, this: list[Any], a: list[Any]) -> list[Any]:
    run.budget.spend(len(this))
    this[:] = [_at(a, 0)] * len(this)
    return this


def _reverse(run: Interpreter, this: list[Any], a: list[Any]) -> list[Any]:
    run.budget.spend(len(this))
    this.reverse()
    return this


_ARRAY = _natives(
    {
        "push": _push, "unshift": _unshift, "splice": _splice, "join": _join, "reduce": _reduce, "sort": _sorted,
        "concat": _concat, "slice": _slice, "indexOf": _index, "fill": _filled, "filter": _true, "reverse": _reverse,
        "pop": lambda run, this, a: this.pop() if this else None,
        "shift": lambda run, this, a: this.pop(0) if this else None,
        "includes": lambda run, this, a: _index(run, this, a) >= 0.0,
        "map": lambda run, this, a: [made for _, made in _each(run, this, a)],
        "forEach": lambda run, this, a: _each(run, this, a) and None,
        "find": lambda run, this, a: next(iter(_true(run, this, a)), None), "findIndex": _position,
        "some": lambda run, this, a: bool(_true(run, this, a)),
        "every": lambda run, this, a: len(_true(run, this, a)) == len(this),
        "toString": lambda run, this, a: run.budget.text(text_of(this)),
    }
)  # fmt: skip


def _made_array(run: Interpreter, this: Any, a: list[Any]) -> list[Any]:
    if len(a) == 1 and isinstance(a[0], float):
        run.budget.fits(a[0])
        run.budget.spend(int(a[0]))
        return [None] * int(a[0])
    return list(a)


def _from(run: Interpreter, this: Any, a: list[Any]) -> list[Any]:
    given = _at(a, 0)
    if isinstance(given, dict):
        items = _made_array(run, None, [number_of(given.get("length", 0.0))])
    else:
        items = [row[0] for row in run.dialect.items(run, given, False)]
    run.budget.spend(len(items))
    return items if len(a) < 2 else [run.call(a[1], None, [x, float(i)]) for i, x in enumerate(items)]


# --- objects, and the rest


def _members(do: Callable[[dict[str, Any]], list[Any]]) -> Callable[..., list[Any]]:
    def call(run: Interpreter, this: Any, a: list[Any]) -> list[Any]:
        given = _at(a, 0)
        if isinstance(given, list):
            given = {number_text(float(index)): item for index, item in enumerate(given)}
        found = do(given if isinstance(given, dict) else {})
        run.budget.spend(len(found))
        return found

    return call


def _assigned(run: Interpreter, this: Any, a: list[Any]) -> Any:
    for each in a[1:]:
        if isinstance(each, dict) and isinstance(a[0], dict):
            run.budget.spend(len(each))
            a[0].update(each)
    return _at(a, 0)


def _stringified(run: Interpreter, this: Any, a: list[Any]) -> str:
    def plain(value: Any) -> Any:
        run.budget.spend()
        if isinstance(value, dict):
            return {key: plain(each) for key, each in value.items()}
        if isinstance(value, list):
            return [plain(each) for each in value]
        if isinstance(value, float) and math.isfinite(value) and value == int(value):
            return int(value)
        return value if isinstance(value, (str, bool, float)) else None

    return run.budget.text(json.dumps(plain(_at(a, 0)), ensure_ascii=False, separators=(",", ":")))


def _parsed(run: Interpreter, this: Any, a: list[Any]) -> Any:
    def back(value: Any) -> Any:
        run.budget.spend()
        if isinstance(value, dict):
            return {key: back(each) for key, each in value.items()}
        if isinstance(value, list):
            return [back(each) for each in value]
        if isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        return NULL if value is None else value

    try:
        return back(json.loads(text_of(_at(a, 0))))
    except (ValueError, RecursionError):
        raise TemplateError("JSON.parse is given a text that is no JSON") from None


def _parse_number(run: Interpreter, this: Any, a: list[Any], whole: bool = False) -> float:
    word = text_of(_at(a, 0)).strip()[:400]
    base = int(number_of(_at(a, 1, 10.0)))
    if whole and base == 16:
        word = str(int("0" + "".join(c for c in word.removeprefix("0x") if c in "0123456789abcdefABCDEF"), 16))
    for size in range(len(word), 0, -1):
        try:
            number = float(word[:size])
        except ValueError:
            continue
        return float(math.trunc(number)) if whole and math.isfinite(number) else number
    return math.nan


def _say(run: Interpreter, this: Any, a: list[Any]) -> None:
    run.messages.append(run.budget.text(" ".join(map(text_of, a))))


def _silent(run: Interpreter, this: Any, a: list[Any]) -> None:
    """What a template logs is of no matter here."""


def _imported(run: Interpreter, this: Any, a: list[Any]) -> Any:
    return javascript_module(text_of(_at(a, 0)))


_NUMBER_METHODS = _natives({"toFixed": _fixed, "toString": _number_text, "toPrecision": _precision})
_PATTERN_METHODS = _natives(
    {"test": lambda run, this, a: this.pattern.search(this.within(text_of(_at(a, 0)))) is not None}
)
_OBJECT_METHODS = _natives(
    {
        "hasOwnProperty": lambda run, this, a: text_of(_at(a, 0)) in this,
        "toString": lambda run, this, a: "[object Object]",
    }
)
_GLOBALS: dict[str, Any] = {
    "Math": _MATH,
    "console": _natives({"error": _say, "warn": _say, "log": _silent, "info": _silent}),
    "JSON": _natives({"stringify": _stringified, "parse": _parsed}),
    "Object": _natives(
        {
            "keys": _members(list), "values": _members(lambda given: list(given.values())),
            "entries": _members(lambda given: [[key, value] for key, value in given.items()]), "assign": _assigned,
        }
    ),
    "Array": _natives(
        {"from": _from, "isArray": lambda run, this, a: isinstance(_at(a, 0), list), "()": _made_array}
    ),
    "new Array": Native("Array", _made_array),
    "new Object": Native("Object", lambda run, this, a: {}),
    "Number": {
        **_natives(
            {
                "isInteger": lambda run, this, a: isinstance(_at(a, 0), float) and a[0] == a[0] // 1,
                "parseFloat": _parse_number, "parseInt": lambda run, this, a: _parse_number(run, this, a, True),
                "isFinite": lambda run, this, a: isinstance(_at(a, 0), float) and math.isfinite(a[0]),
                "isNaN": lambda run, this, a: isinstance(_at(a, 0), float) and a[0] != a[0],
                "()": lambda run, this, a: number_of(_at(a, 0, 0.0)),
            }
        ),
        "EPSILON": 2.0**-52, "MAX_VALUE": 1.7976931348623157e308, "MAX_SAFE_INTEGER": 2.0**53 - 1.0,
    },
    "String": Native("String", lambda run, this, a: run.budget.text(text_of(_at(a, 0, "")))),
    "Boolean": Native("Boolean", lambda run, this, a: run.dialect.truth(_at(a, 0))),
    "parseFloat": Native("parseFloat", _parse_number),
    "parseInt": Native("parseInt", lambda run, this, a: _parse_number(run, this, a, True)),
    "isNaN": Native("isNaN", lambda run, this, a: number_of(_at(a, 0)) != number_of(_at(a, 0))),
    "isFinite": Native("isFinite", lambda run, this, a: math.isfinite(number_of(_at(a, 0)))),
    "NaN": math.nan, "Infinity": math.inf, "import": Native("import", _imported),
}  # fmt: skip


def javascript() -> JavaScript:
    """JavaScript with its library; the tables are made anew, since a template may change them."""
    names = {name: dict(value) if isinstance(value, dict) else value for name, value in _GLOBALS.items()}
    methods = {
        dict: _OBJECT_METHODS, list: _ARRAY, str: _STRING, float: _NUMBER_METHODS, Matcher: _PATTERN_METHODS,
    }  # fmt: skip
    return JavaScript(names, methods)
