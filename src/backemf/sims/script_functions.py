"""Operators, functions and methods that a configuration text may use: few, pure and bounded.

They are those of Python, math, NumPy and paths, and mjlab's helpers by our laws. All raise `NoValueError` where there
is no value.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import math
import operator
import os.path
from collections.abc import Callable
from typing import Any, TypeVar

from ..design.hardware import reflected_inertia
from ..errors import ParameterError
from .script_values import LARGEST, LONGEST, Instance, NamedRow, NoValueError, Partial, Unknown, require

T = TypeVar("T")
Table = dict[str, Callable[..., Any]]
PLAIN = (int, float, str, bool, type(None))
"""Types of plain values, which may be keys of a dictionary."""
ROWS = (list, tuple, dict)
CONSTANTS = {"pi": math.pi, "inf": math.inf, "tau": math.tau, "e": math.e, "nan": math.nan}
"""Constants of math, NumPy and the like."""


def is_number(value: Any) -> bool:
    """Whether a value is a number, and not a truth value."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_true(value: Any) -> bool:
    """Whether a value counts as true."""
    require(isinstance(value, (*PLAIN, *ROWS, Instance)) and not isinstance(value, Partial))
    return bool(value)


def check_size(value: T) -> T:
    """A value; raise `NoValueError` where it is larger than any in a configuration."""
    require(not isinstance(value, int) or -LARGEST < value < LARGEST, "it is too large")
    require(not isinstance(value, (str, *ROWS)) or len(value) <= LONGEST, "it is too long")
    return value


def join_texts(*parts: str) -> str:
    """Texts one after the other; the result is a path or has unknown parts if one of them does."""
    require(sum(len(part) for part in parts) <= LONGEST, "it is too long")
    text = "".join(parts)
    if not any(isinstance(part, Partial) for part in parts):
        return text
    return Partial(text, tuple(name for part in parts if isinstance(part, Partial) for name in part.missing))


def placeholder(value: Any) -> Any:
    """A value; in place of one that is not known, its name in braces."""
    if not isinstance(value, Unknown):
        return value
    name = value.name or "unknown"
    return Partial("{" + name + "}", (name,))


# --- operators

_ARITHMETIC: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_COMPARISONS: dict[type, Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}


def operate(kind: type, left: Any, right: Any) -> Any:
    """An operator on two known values."""
    if is_number(left) and is_number(right) and kind in _ARITHMETIC:
        return check_size(_calculate(kind, left, right))
    if kind is ast.Add and isinstance(left, str) and isinstance(right, str):
        return join_texts(left, right)
    if kind is ast.Div and isinstance(left, Partial) and isinstance(right, str):
        return join_texts(left, "/", right)
    if kind is ast.Add and type(left) is type(right) and isinstance(left, (list, tuple)):
        return check_size(left + right)
    if kind is ast.Mult and isinstance(left, (list, tuple)) and type(right) is int:
        require(len(left) * right <= LONGEST, "it is too long")
        return left * right
    if kind is ast.BitOr and isinstance(left, dict) and isinstance(right, dict):
        return check_size({**left, **right})
    raise NoValueError


def _calculate(kind: type, left: float, right: float) -> float:
    # a power of integers may have any number of digits, that of floats ends at 1e308
    large = isinstance(left, int) and isinstance(right, int) and left.bit_length() * abs(right) > 1024
    try:
        if kind is ast.Pow and large:
            left, right = float(left), float(right)
        result = _ARITHMETIC[kind](left, right)
    except ZeroDivisionError:
        raise NoValueError("it divides by zero") from None
    except (ArithmeticError, ValueError):
        raise NoValueError("it is too large") from None
    require(not isinstance(result, complex), "it is not real")
    return result


def compare(kind: type, left: Any, right: Any) -> bool:
    """A comparison of plain values, or of one with a list of them."""
    inside = right if kind in (ast.In, ast.NotIn) and isinstance(right, ROWS) else (right,)
    require(all(isinstance(item, PLAIN) for item in (left, *inside)))
    require(not isinstance(left, Partial) and not isinstance(right, Partial))
    try:
        return bool(_COMPARISONS[kind](left, right))
    except (TypeError, KeyError):
        raise NoValueError from None


def entry(table: Any, key: Any) -> Any:
    """An entry of a dictionary, a list or a text, or a slice of the latter two."""
    if isinstance(table, dict):
        require(isinstance(key, PLAIN) and key in table, "there is no such entry")
        return table[key]
    require(isinstance(table, (list, tuple, str)) and not isinstance(table, Partial))
    if isinstance(key, slice):
        require(not isinstance(table, NamedRow))
    else:
        require(type(key) is int)
        require(-len(table) <= key < len(table), "there is no such entry")
    return table[key]


def attribute(value: Any, name: str) -> Any:
    """An attribute of a known value."""
    if isinstance(value, Instance):
        require(name in value.fields, f"{value.name} has no {name} here")
        return value.fields[name]
    if isinstance(value, NamedRow) and name in value.names:
        return value[value.names.index(name)]
    require(isinstance(value, Partial) and name == "parent")
    return _dirname(value)


# --- functions


def _numeric(function: Callable[..., Any]) -> Callable[..., Any]:
    def of_numbers(*values: Any) -> Any:
        require(bool(values) and all(map(is_number, values)))
        return function(*values)

    return of_numbers


def _of_row(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of some numbers, or of one list of them."""

    def of_numbers(*values: Any) -> Any:
        return _numeric(lambda *row: function(row))(*(values[0] if len(values) == 1 and _is_row(values[0]) else values))

    return of_numbers


def _is_row(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _from_text(kind: type) -> Callable[..., Any]:
    """A function that makes a number of another, or of a short text."""

    def convert(value: Any = 0) -> Any:
        require(is_number(value) or (type(value) is str and len(value) < 100))
        return kind(value)

    return convert


def _str(value: Any = "") -> str:
    require(isinstance(value, str) or is_number(value))
    return value if isinstance(value, str) else str(value)


def _row(kind: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes a list, or a tuple, of the items of another."""

    def convert(items: Any = ()) -> Any:
        require(isinstance(items, ROWS))
        return kind(items)

    return convert


def _dict(items: Any = (), **more: Any) -> dict[Any, Any]:
    if not isinstance(items, dict):
        require(_is_row(items) and all(_is_row(pair) and len(pair) == 2 for pair in items))
        require(all(isinstance(key, PLAIN) for key, _ in items))
    return check_size({**dict(items), **more})


def _range(*ends: Any) -> list[int]:
    require(all(type(end) is int for end in ends))
    found = range(*ends)
    require(len(found) <= LONGEST, "it is too long")
    return list(found)


def _zip(*rows: Any, strict: bool = False) -> list[Any]:
    require(all(isinstance(row, ROWS) for row in rows))
    return list(zip(*rows, strict=strict is True))


def _enumerate(row: Any, start: int = 0) -> list[Any]:
    require(isinstance(row, ROWS) and type(start) is int)
    return list(enumerate(row, start))


def _len(row: Any) -> int:
    require(isinstance(row, (*ROWS, str)) and not isinstance(row, Partial))
    return len(row)


def _round(value: Any, digits: Any = None) -> Any:
    require(is_number(value) and (digits is None or (type(digits) is int and abs(digits) < 400)))
    return round(value, digits)


def _path(*parts: Any) -> Partial:
    """Parts of a path, joined."""
    require(bool(parts))
    return Partial(joined := _join("/", parts), getattr(joined, "missing", ()))


def _dirname(path: Any) -> Partial:
    require(isinstance(path, str))
    return Partial(os.path.dirname(path), getattr(path, "missing", ()))


def _reflected_inertia(rotor_inertia: Any, gear_ratio: Any) -> float:
    require(is_number(rotor_inertia) and is_number(gear_ratio))
    return float(reflected_inertia(float(rotor_inertia), float(gear_ratio)))


def _two_stages(rotor_inertia: Any, gear_ratio: Any) -> float:
    require(all(_is_row(row) and len(row) == 3 and all(map(is_number, row)) for row in (rotor_inertia, gear_ratio)))
    require(gear_ratio[0] == 1, "its first ratio must be 1")
    return float(reflected_inertia(tuple(map(float, rotor_inertia)), tuple(map(float, gear_ratio[1:]))))


def _to_linear(
    armature_rotary: Any, velocity_limit_rotary: Any, effort_limit_rotary: Any, transmission_ratio: Any
) -> NamedRow:
    given = (armature_rotary, velocity_limit_rotary, effort_limit_rotary, transmission_ratio)
    require(all(map(is_number, given)) and transmission_ratio != 0)
    return NamedRow.of(
        armature=armature_rotary / transmission_ratio**2,
        velocity_limit=velocity_limit_rotary * transmission_ratio,
        effort_limit=effort_limit_rotary / transmission_ratio,
    )


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
_PATHS: Table = {"join": _path, "dirname": _dirname, "abspath": _path, "realpath": _path, "normpath": _path}
_HARDWARE: Table = {
    "reflected_inertia": _reflected_inertia,
    "reflected_inertia_from_two_stage_planetary": _two_stages,
    "reflect_rotary_to_linear": _to_linear,
    "rpm_to_rad": _numeric(lambda rpm: rpm * 2 * math.pi / 60),
}
LIBRARIES = ("math", "np", "numpy", "torch", "jnp", "jax.numpy")
_MODULES: dict[str, Table] = {
    **dict.fromkeys(LIBRARIES, _MATH),
    **dict.fromkeys(("os.path", "posixpath"), _PATHS),
    "pathlib": {"Path": _path},
    "dataclasses": {"replace": dataclasses.replace},
    "copy": {"copy": copy.deepcopy, "deepcopy": copy.deepcopy},
    # names that nothing in the text defines
    "": {**_BUILTINS, **_HARDWARE, "deepcopy": copy.deepcopy},
}
TEXTUAL = (_path, _dirname, _str)
"""Functions whose arguments may have parts that are not known."""
POSITIONAL = {"ElectricActuator": ("reflected_inertia", "velocity_limit", "effort_limit")}
"""Classes whose fields may be given by position."""


def function_of(module: str, name: str) -> Callable[..., Any] | None:
    """The function by which a name of a module is evaluated; None: it is not."""
    ours = module.split(".")[0] == "mjlab" or module.rpartition(".")[2] in ("actuator", "actuator_utils")
    return (_HARDWARE if ours else _MODULES.get(module, {})).get(name)


def apply(function: Callable[..., Any], values: list[Any], more: dict[str, Any]) -> Any:
    """Result of one of these functions."""
    try:
        return check_size(function(*values, **more))
    except (TypeError, ValueError, ArithmeticError, ParameterError):
        raise NoValueError from None


# --- methods


def _get(table: dict[Any, Any], key: Any, default: Any = None) -> Any:
    require(isinstance(key, PLAIN))
    return table.get(key, default)


def _update(table: dict[Any, Any], items: Any = (), **more: Any) -> None:
    table.update(_dict(items, **more))
    check_size(table)


def _extend(row: list[Any], items: Any) -> None:
    require(isinstance(items, ROWS))
    row.extend(items)
    check_size(row)


def _join(text: str, parts: Any) -> str:
    require(_is_row(parts) and all(isinstance(part, str) for part in parts))
    pieces = [piece for part in parts for piece in (text, part)]
    return join_texts(*pieces[1:])


def _replace(text: str, old: Any, new: Any) -> str:
    require(all(type(each) is str for each in (text, old, new)) and old != "")
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


def method(value: Any, name: str, values: list[Any], more: dict[str, Any]) -> Any:
    """Result of a method of a list, dictionary, text or path."""
    for kind, table in _METHODS.items():
        if isinstance(value, kind) and name in table:
            return apply(table[name], [value, *values], more)
    raise NoValueError
