"""Functions and methods that a configuration text may use: few, pure and bounded.

They are those of Python, math, NumPy and paths, and mjlab's helpers by our laws. All raise `NoValueError` where there
is no value.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import math
from collections.abc import Callable
from typing import Any, TypeAlias

from ..design.hardware import reflected_inertia
from ..errors import ParameterError
from .script_operators import LIBRARIES, PLAIN, ROWS, check_size, dirname, is_number, join_texts, operate
from .script_values import LONGEST, NamedRow, NoValueError, Partial, Plain, Value, expect, require

Function: TypeAlias = Callable[..., Any]
"""A function that a text may call, with any arguments: those that do not fit have no value."""
Table = dict[str, Function]


def _numeric(function: Function) -> Callable[..., Value]:
    def of_numbers(*values: Value) -> Value:
        require(bool(values) and all(map(is_number, values)))
        return function(*values)

    return of_numbers


def _of_row(function: Callable[..., Value]) -> Callable[..., Value]:
    """A function of some numbers, or of one list of them."""

    def of_numbers(*values: Value) -> Value:
        row = values[0] if len(values) == 1 else None
        return _numeric(lambda *numbers: function(numbers))(*(row if isinstance(row, (list, tuple)) else values))

    return of_numbers


def _from_text(kind: Function) -> Callable[..., Value]:
    """A function that makes a number of another, or of a short text."""

    def convert(value: Value = 0) -> Value:
        require(is_number(value) or (type(value) is str and len(value) < 100))
        return kind(value)

    return convert


def _str(value: Value = "") -> str:
    require(isinstance(value, str) or is_number(value))
    return value if isinstance(value, str) else str(value)


def _row(kind: Function) -> Callable[..., Value]:
    """A function that makes a list, or a tuple, of the items of another."""

    def convert(items: Value = ()) -> Value:
        return kind(expect(items, *ROWS))

    return convert


def _dict(items: Value = (), **more: Value) -> dict[Plain, Value]:
    if not isinstance(items, dict):
        rows = [expect(pair, list, tuple) for pair in expect(items, list, tuple)]
        require(all(len(row) == 2 for row in rows))
        items = {expect(key, *PLAIN): item for key, item in rows}
    return check_size({**items, **more})


def _range(*ends: Value) -> list[int]:
    numbers = [end for end in ends if type(end) is int]
    require(len(numbers) == len(ends))
    found = range(*numbers)
    require(len(found) <= LONGEST, "it is too long")
    return list(found)


def _zip(*rows: Value, strict: bool = False) -> list[Value]:
    return list(zip(*(expect(row, *ROWS) for row in rows), strict=strict is True))


def _enumerate(row: Value, start: int = 0) -> list[Value]:
    require(type(start) is int)
    return list(enumerate(expect(row, *ROWS), start))


def _len(row: Value) -> int:
    require(not isinstance(row, Partial))
    return len(expect(row, *ROWS, str))


def _round(value: Value, digits: Value = None) -> float:
    if not is_number(value) or not (digits is None or (type(digits) is int and abs(digits) < 400)):
        raise NoValueError
    return round(value, digits)


def _path(*parts: Value) -> Partial:
    """Parts of a path, joined."""
    require(bool(parts))
    return Partial(joined := _join("/", parts), getattr(joined, "missing", ()))


def _numbers(row: Value, count: int) -> list[float]:
    """A row of so many numbers."""
    found = [float(item) for item in expect(row, list, tuple) if is_number(item)]
    require(len(found) == len(expect(row, list, tuple)) == count)
    return found


def _reflected_inertia(rotor_inertia: Value, gear_ratio: Value) -> float:
    return float(reflected_inertia(*_numbers((rotor_inertia, gear_ratio), 2)))


def _two_stages(rotor_inertia: Value, gear_ratio: Value) -> float:
    inertias, ratios = _numbers(rotor_inertia, 3), _numbers(gear_ratio, 3)
    require(ratios[0] == 1, "its first ratio must be 1")
    return float(reflected_inertia(tuple(inertias), tuple(ratios[1:])))


def _to_linear(
    armature_rotary: Value, velocity_limit_rotary: Value, effort_limit_rotary: Value, transmission_ratio: Value
) -> NamedRow:
    given = (armature_rotary, velocity_limit_rotary, effort_limit_rotary, transmission_ratio)
    armature, velocity, effort, ratio = _numbers(given, 4)
    require(ratio != 0)
    return NamedRow.of(armature=armature / ratio**2, velocity_limit=velocity * ratio, effort_limit=effort / ratio)


_POWER = _numeric(lambda a, b: operate(ast.Pow, a, b))
_BUILTINS: Table = {
    "float": _from_text(float),
    "int": _from_text(int),
    "str": _str,
    "abs": _numeric(abs),
    "min": _of_row(min),
    "max": _of_row(max),
    "sum": _of_row(sum),
    "pow": _POWER,
    "round": _round,
    "len": _len,
    "list": _row(list),
    "tuple": _row(tuple),
    "sorted": _row(sorted),
    "reversed": _row(lambda items: list(items)[::-1]),
    "dict": _dict,
    "range": _range,
    "zip": _zip,
    "enumerate": _enumerate,
    "Path": _path,
}
_MATH: Table = {
    **{name: _numeric(getattr(math, name)) for name in ("sqrt", "radians", "degrees", "exp", "log", "log10", "hypot")},
    **{name: _numeric(getattr(math, name)) for name in ("sin", "cos", "tan", "asin", "acos", "atan", "fabs")},
    "deg2rad": _numeric(math.radians),
    "rad2deg": _numeric(math.degrees),
    "pow": _numeric(lambda a, b: operate(ast.Pow, float(a), float(b))),
    "power": _POWER,
    "square": _numeric(lambda a: operate(ast.Mult, a, a)),
    "abs": _numeric(abs),
    "minimum": _numeric(min),
    "maximum": _numeric(max),
    "prod": _of_row(math.prod),
    "array": _row(list),
    "float32": _from_text(float),
    "float64": _from_text(float),
}
_PATHS: Table = {"join": _path, "dirname": dirname, "abspath": _path, "realpath": _path, "normpath": _path}
_HARDWARE: Table = {
    "reflected_inertia": _reflected_inertia,
    "reflected_inertia_from_two_stage_planetary": _two_stages,
    "reflect_rotary_to_linear": _to_linear,
    "rpm_to_rad": _numeric(lambda rpm: rpm * 2 * math.pi / 60),
}
_MODULES: dict[str, Table] = {
    **dict.fromkeys(LIBRARIES, _MATH),
    **dict.fromkeys(("os.path", "posixpath"), _PATHS),
    "pathlib": {"Path": _path},
    "dataclasses": {"replace": dataclasses.replace},
    "copy": {"copy": copy.deepcopy, "deepcopy": copy.deepcopy},
    # names that nothing in the text defines
    "": {**_BUILTINS, **_HARDWARE, "deepcopy": copy.deepcopy},
}
TEXTUAL = (_path, dirname, _str)
"""Functions whose arguments may have parts that are not known."""
POSITIONAL = {"ElectricActuator": ("reflected_inertia", "velocity_limit", "effort_limit")}
"""Classes whose fields may be given by position."""


def function_of(module: str, name: str) -> Function | None:
    """The function by which a name of a module is evaluated; None: it is not."""
    ours = module.split(".")[0] == "mjlab" or module.rpartition(".")[2] in ("actuator", "actuator_utils")
    return (_HARDWARE if ours else _MODULES.get(module, {})).get(name)


def apply(function: Function, values: list[Value], more: dict[str, Value]) -> Value:
    """Result of one of these functions."""
    try:
        return check_size(function(*values, **more))
    except (TypeError, ValueError, ArithmeticError, ParameterError):
        raise NoValueError from None


# --- methods


def _get(table: dict[Plain, Value], key: Value, default: Value = None) -> Value:
    return table.get(expect(key, *PLAIN), default)


def _update(table: dict[Plain, Value], items: Value = (), **more: Value) -> None:
    table.update(_dict(items, **more))
    check_size(table)


def _extend(row: list[Value], items: Value) -> None:
    row.extend(expect(items, *ROWS))
    check_size(row)


def _join(text: str, parts: Value) -> str:
    pieces = [piece for part in expect(parts, list, tuple) for piece in (text, expect(part, str))]
    return join_texts(*pieces[1:])


def _replace(text: str, old: Value, new: Value) -> str:
    if type(text) is not str or type(old) is not str or type(new) is not str or old == "":
        raise NoValueError
    require(len(text) + text.count(old) * len(new) <= LONGEST, "it is too long")
    return text.replace(old, new)


CHANGING = ("append", "extend", "update")
"""Methods that change their list or dictionary."""
_METHODS: dict[type, Table] = {
    dict: {
        "items": lambda table: list(table.items()),
        "keys": list,
        "values": lambda table: list(table.values()),
        "copy": dict,
        "get": _get,
        "update": _update,
    },
    list: {"copy": list, "append": lambda row, item: _extend(row, [item]), "extend": _extend},
    Partial: {"resolve": _path, "absolute": _path, "joinpath": _path, "as_posix": _path},
    str: {"join": _join, "replace": _replace, "lower": str.lower, "upper": str.upper},
}


def method(value: Value, name: str, values: list[Value], more: dict[str, Value]) -> Value:
    """Result of a method of a list, dictionary, text or path."""
    for kind, table in _METHODS.items():
        if isinstance(value, kind) and name in table:
            return apply(table[name], [value, *values], more)
    raise NoValueError
