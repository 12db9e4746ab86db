"""The library of JavaScript that templates use."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from .bounds import TemplateError
from .evaluate import Interpreter
from .frames import Native
from .js_expressions import NULL
from .js_lists import ARRAY, array_from, made_array
from .js_texts import MATH, NUMBER, STRING
from .js_values import JavaScript, number_of, number_text, text_of
from .modules import javascript_module
from .natives import argument, natives
from .patterns import Matcher


def _members(do: Callable[[dict[str, Any]], list[Any]]) -> Callable[..., list[Any]]:
    def call(run: Interpreter, this: Any, a: list[Any]) -> list[Any]:
        given = argument(a, 0)
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
    return argument(a, 0)


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

    return run.budget.text(json.dumps(plain(argument(a, 0)), ensure_ascii=False, separators=(",", ":")))


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
        return back(json.loads(text_of(argument(a, 0))))
    except (ValueError, RecursionError):
        raise TemplateError("JSON.parse is given a text that is no JSON") from None


def _parse_number(run: Interpreter, this: Any, a: list[Any], whole: bool = False) -> float:
    word = text_of(argument(a, 0)).strip()[:400]
    base = int(number_of(argument(a, 1, 10.0)))
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
    return javascript_module(text_of(argument(a, 0)))


_PATTERN_METHODS = natives(
    {"test": lambda run, this, a: this.pattern.search(this.within(text_of(argument(a, 0)))) is not None}
)
_OBJECT_METHODS = natives(
    {
        "hasOwnProperty": lambda run, this, a: text_of(argument(a, 0)) in this,
        "toString": lambda run, this, a: "[object Object]",
    }
)
_GLOBALS: dict[str, Any] = {
    "Math": MATH,
    "console": natives({"error": _say, "warn": _say, "log": _silent, "info": _silent}),
    "JSON": natives({"stringify": _stringified, "parse": _parsed}),
    "Object": natives(
        {
            "keys": _members(list), "values": _members(lambda given: list(given.values())),
            "entries": _members(lambda given: [[key, value] for key, value in given.items()]), "assign": _assigned,
        }
    ),
    "Array": natives(
        {"from": array_from, "isArray": lambda run, this, a: isinstance(argument(a, 0), list), "()": made_array}
    ),
    "new Array": Native("Array", made_array),
    "new Object": Native("Object", lambda run, this, a: {}),
    "Number": {
        **natives(
            {
                "isInteger": lambda run, this, a: isinstance(argument(a, 0), float) and a[0] == a[0] // 1,
                "parseFloat": _parse_number, "parseInt": lambda run, this, a: _parse_number(run, this, a, True),
                "isFinite": lambda run, this, a: isinstance(argument(a, 0), float) and math.isfinite(a[0]),
                "isNaN": lambda run, this, a: isinstance(argument(a, 0), float) and a[0] != a[0],
                "()": lambda run, this, a: number_of(argument(a, 0, 0.0)),
            }
        ),
        "EPSILON": 2.0**-52, "MAX_VALUE": 1.7976931348623157e308, "MAX_SAFE_INTEGER": 2.0**53 - 1.0,
    },
    "String": Native("String", lambda run, this, a: run.budget.text(text_of(argument(a, 0, "")))),
    "Boolean": Native("Boolean", lambda run, this, a: run.dialect.truth(argument(a, 0))),
    "parseFloat": Native("parseFloat", _parse_number),
    "parseInt": Native("parseInt", lambda run, this, a: _parse_number(run, this, a, True)),
    "isNaN": Native("isNaN", lambda run, this, a: number_of(argument(a, 0)) != number_of(argument(a, 0))),
    "isFinite": Native("isFinite", lambda run, this, a: math.isfinite(number_of(argument(a, 0)))),
    "NaN": math.nan, "Infinity": math.inf, "import": Native("import", _imported),
}  # fmt: skip


def javascript() -> JavaScript:
    """JavaScript with its library; the tables are made anew, since a template may change them."""
    names = {name: dict(value) if isinstance(value, dict) else value for name, value in _GLOBALS.items()}
    methods = {
        dict: _OBJECT_METHODS, list: ARRAY, str: STRING, float: NUMBER, Matcher: _PATTERN_METHODS,
    }  # fmt: skip
    return JavaScript(names, methods)
