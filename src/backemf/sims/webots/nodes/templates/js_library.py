"""The library of JavaScript that templates use, and JavaScript as a dialect."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

from . import js_values
from .arithmetic import silent
from .bounds import TemplateError, join
from .js_lists import ARRAY, array_from, new_array
from .js_texts import MATH, NUMBER, STRING
from .js_values import NULL, index_of, is_nothing, number_of, number_text, text_of, truth
from .modules import module
from .patterns import Matcher, short_enough
from .runtime import Dialect, Interpreter, Value, natives


def _members(do: Callable[[dict[str, Value]], list[Value]]) -> Callable[..., list[Value]]:
    def call(run: Interpreter, this: Value, given: Value) -> list[Value]:
        if isinstance(given, list):
            given = {number_text(float(index)): item for index, item in enumerate(given)}
        found = do(given if isinstance(given, dict) else {})
        run.budget.spend(len(found))
        return found

    return call


def _assign(run: Interpreter, this: Value, target: Value, *a: Value) -> Value:
    for each in a:
        if isinstance(each, dict) and isinstance(target, dict):
            run.budget.spend(len(each))
            target.update(each)
    return target


def _convert(run: Interpreter, value: Value, leaf: Callable[[Value], Value]) -> Value:
    """A value of which each number, text or nothing is another."""
    run.budget.spend()
    if isinstance(value, dict):
        return {key: _convert(run, each, leaf) for key, each in value.items()}
    if isinstance(value, list):
        return [_convert(run, each, leaf) for each in value]
    return leaf(value)


def _stringify(run: Interpreter, this: Value, value: Value) -> str:
    def plain(leaf: Value) -> Value:
        if isinstance(leaf, float) and math.isfinite(leaf) and leaf == int(leaf):
            return int(leaf)
        if isinstance(leaf, str):
            return run.budget.text(leaf)
        return leaf if isinstance(leaf, (bool, float)) else None

    return run.budget.text(json.dumps(_convert(run, value, plain), ensure_ascii=False, separators=(",", ":")))


def _parse(run: Interpreter, this: Value, text: Value) -> Value:
    try:
        found = json.loads(text_of(text), parse_int=float)
        return _convert(run, found, lambda leaf: NULL if leaf is None else leaf)
    except (ValueError, RecursionError):
        raise TemplateError("JSON.parse is given a text that is not JSON") from None


def _parse_float(run: Interpreter, this: Value, text: Value) -> float:
    word = text_of(text).strip()[:400]
    for size in range(len(word), 0, -1):
        try:
            return float(word[:size])
        except ValueError:
            continue
    return math.nan


def _parse_int(run: Interpreter, this: Value, text: Value, base: Value = 10.0) -> float:
    if number_of(base) == 16.0:
        word = text_of(text).strip()[:400].removeprefix("0x")
        return float(int("0" + "".join(letter for letter in word if letter in "0123456789abcdefABCDEF"), 16))
    number = _parse_float(run, this, text)
    return float(math.trunc(number)) if math.isfinite(number) else number


def _say(run: Interpreter, this: Value, *a: Value) -> None:
    run.messages.append(run.budget.text(join(map(text_of, a), " ")))


def _import(run: Interpreter, this: Value, name: Value) -> Value:
    return module(text_of(name).rsplit("/", 1)[-1].removesuffix(".js").removesuffix(".mjs"))


_METHODS: dict[type, dict[str, Value]] = {
    dict: natives(
        {
            "hasOwnProperty": lambda run, this, key: text_of(key) in this,
            "toString": lambda run, this: "[object Object]",
        }
    ),
    list: ARRAY, str: STRING, float: NUMBER,
    Matcher: natives({"test": lambda run, this, text: this.pattern.search(short_enough(text_of(text))) is not None}),
}  # fmt: skip
_GLOBALS: dict[str, Value] = {
    "Math": MATH,
    "console": natives({"error": _say, "warn": _say, "log": silent, "info": silent}),
    "JSON": natives({"stringify": _stringify, "parse": _parse}),
    "Object": natives(
        {
            "keys": _members(lambda given: list(given)), "values": _members(lambda given: list(given.values())),
            "entries": _members(lambda given: [[key, value] for key, value in given.items()]), "assign": _assign,
        }
    ),
    "Array": natives({"from": array_from, "isArray": lambda run, this, a: isinstance(a, list), "()": new_array}),
    "Number": {
        **natives(
            {
                "isInteger": lambda run, this, a: isinstance(a, float) and a == a // 1,
                "parseFloat": _parse_float, "parseInt": _parse_int,
                "isFinite": lambda run, this, a: isinstance(a, float) and math.isfinite(a),
                "isNaN": lambda run, this, a: isinstance(a, float) and a != a,
                "()": lambda run, this, a=0.0: number_of(a),
            }
        ),
        "EPSILON": 2.0**-52, "MAX_VALUE": 1.7976931348623157e308, "MAX_SAFE_INTEGER": 2.0**53 - 1.0,
    },
    **natives(
        {
            "new Array": new_array, "new Object": lambda run, this: {},
            "String": lambda run, this, a="": run.budget.text(text_of(a)), "Boolean": lambda run, this, a: truth(a),
            "parseFloat": _parse_float, "parseInt": _parse_int, "import": _import,
            "isNaN": lambda run, this, a: number_of(a) != number_of(a),
            "isFinite": lambda run, this, a: math.isfinite(number_of(a)),
        }
    ),
    "NaN": math.nan, "Infinity": math.inf,
}  # fmt: skip


def _get(target: Value, key: Value) -> Value:
    if isinstance(target, dict):
        word = text_of(key)
        return target[word] if word in target else _METHODS[dict].get(word)
    if isinstance(target, (list, str)):
        index = index_of(key)
        if index is not None:
            return target[index] if index < len(target) else None
        if key == "length":
            return float(len(target))
        return _METHODS[type(target)].get(text_of(key))
    if isinstance(target, (float, Matcher)):
        return _METHODS[type(target)].get(text_of(key))
    if is_nothing(target):
        raise TemplateError(f"{text_of(key)[:60]!r} is asked of {text_of(target)}")
    return None


def _missing(name: str) -> Value:
    raise TemplateError(f"{name} is not a name that templates know here")


JAVASCRIPT = Dialect(
    globals=lambda: {name: dict(value) if isinstance(value, dict) else value for name, value in _GLOBALS.items()},
    missing=_missing,
    truth=truth,
    text=text_of,
    number=number_of,
    copy=js_values.copy,
    unary=js_values.UNARY,
    binary=js_values.BINARY,
    logical=js_values.LOGICAL,
    same=js_values.same,
    get=_get,
    put=js_values.put,
    items=js_values.items,
    array=lambda items: items,
    entries=lambda value: value if isinstance(value, list) else [],
    record=js_values.record,
)
