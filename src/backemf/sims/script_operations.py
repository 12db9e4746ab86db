"""Operations and functions that a configuration text may use on its constants: few, pure and bounded."""

from __future__ import annotations

import ast
import math
import operator
import os.path
from collections.abc import Callable
from typing import Any

from ..actuator.hardware import reflected_inertia
from ..errors import ParameterError
from .script_values import LARGEST, LONGEST, Instance, NamedRow, NoValueError, Partial, Unknown

LIBRARIES = ("math", "np", "numpy", "torch", "jnp", "jax.numpy")
CONSTANTS = {"pi": math.pi, "inf": math.inf, "tau": math.tau, "e": math.e, "nan": math.nan}
"""Constants of these libraries."""


def is_number(value: Any) -> bool:
    """Whether a value is a number, and not a truth value."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


# --- operators


def operate(kind: type, left: Any, right: Any) -> Any:
    """An operator on two values that are known; raises `NoValueError` where it has none."""
    if is_number(left) and is_number(right) and kind in _NUMBERS:
        return bounded(_number(kind, left, right))
    if kind is ast.Add and isinstance(left, str) and isinstance(right, str):
        return joined(left, right)
    if kind is ast.Div and isinstance(left, Partial) and isinstance(right, str):
        return joined(left, "/", right)
    if kind is ast.Add and type(left) is type(right) and isinstance(left, (list, tuple)):
        return bounded(left + right)
    if kind is ast.Mult and isinstance(left, (list, tuple)) and type(right) is int:
        if len(left) * right > LONGEST:
            raise NoValueError("it is too long")
        return left * right
    if kind is ast.BitOr and isinstance(left, dict) and isinstance(right, dict):
        return bounded({**left, **right})
    raise NoValueError("")


_NUMBERS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}


def _number(kind: type, left: Any, right: Any) -> Any:
    # a power of whole numbers may have any number of digits, that of floats ends at 1e308
    large = isinstance(left, int) and isinstance(right, int) and left.bit_length() * abs(right) > 1024
    try:
        if kind is ast.Pow and large:
            left, right = float(left), float(right)
        result = _NUMBERS[kind](left, right)
    except ZeroDivisionError:
        raise NoValueError("it divides by zero") from None
    except (ArithmeticError, ValueError):
        raise NoValueError("it is too large") from None
    if isinstance(result, complex):
        raise NoValueError("it is not real")
    return result


def bounded(value: Any) -> Any:
    """A value; raises where it is larger than a configuration has any use for."""
    if isinstance(value, int) and not -LARGEST < value < LARGEST:
        raise NoValueError("it is too large")
    if isinstance(value, (str, list, tuple, dict)) and len(value) > LONGEST:
        raise NoValueError("it is too long")
    return value


def joined(*parts: str) -> str:
    """Texts one after the other; where one is a path or has unknown parts, so has the whole."""
    if sum(len(part) for part in parts) > LONGEST:
        raise NoValueError("it is too long")
    text = "".join(parts)
    if not any(isinstance(part, Partial) for part in parts):
        return text
    missing = [name for part in parts if isinstance(part, Partial) for name in part.missing]
    return Partial(text, tuple(missing))


def placeholder(value: Unknown) -> Partial:
    """What stands in a path for something that is not known."""
    name = value.name or "unknown"
    return Partial("{" + name + "}", (name,))


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


def compare(kind: type, left: Any, right: Any) -> bool:
    """A comparison of plain values, or of one with a list of them; raises `NoValueError` for others."""
    plain = (int, float, str, bool, type(None))
    rows = kind in (ast.In, ast.NotIn) and isinstance(right, (list, tuple, dict, str))
    if isinstance(left, Partial) or isinstance(right, Partial) or not isinstance(left, plain):
        raise NoValueError("")
    if rows and not isinstance(right, str) and not all(isinstance(item, plain) for item in right):
        raise NoValueError("")
    if not rows and not isinstance(right, plain):
        raise NoValueError("")
    try:
        return bool(_COMPARISONS[kind](left, right))
    except (TypeError, KeyError):
        raise NoValueError("") from None


# --- functions


def _numeric(function: Callable[..., Any]) -> Callable[..., Any]:
    def of_numbers(*values: Any, **more: Any) -> Any:
        if more or not values or not all(is_number(value) for value in values):
            raise NoValueError("")
        return function(*values)

    return of_numbers


def _extreme(function: Callable[..., Any]) -> Callable[..., Any]:
    def of_numbers(*values: Any) -> Any:
        row = values[0] if len(values) == 1 and isinstance(values[0], (list, tuple)) else values
        if not row or not all(is_number(value) for value in row):
            raise NoValueError("")
        return function(row)

    return of_numbers


def _as_float(value: Any = 0.0) -> float:
    if not (is_number(value) or (type(value) is str and len(value) < 100)):
        raise NoValueError("")
    return float(value)


def _as_int(value: Any = 0) -> int:
    if not (is_number(value) or (type(value) is str and len(value) < 100)):
        raise NoValueError("")
    return bounded(int(value))


def _as_text(value: Any = "") -> str:
    if isinstance(value, str):
        return value
    if not is_number(value):
        raise NoValueError("")
    return str(value)


def _as_row(kind: type) -> Callable[..., Any]:
    def of_items(items: Any = ()) -> Any:
        if not isinstance(items, (list, tuple, dict)):
            raise NoValueError("")
        return bounded(kind(items))

    return of_items


def _as_dict(items: Any = None, **more: Any) -> dict[Any, Any]:
    if items is None:
        return dict(more)
    if isinstance(items, dict):
        return bounded({**items, **more})
    pairs = isinstance(items, (list, tuple)) and all(isinstance(pair, (list, tuple)) for pair in items)
    if not pairs or not all(len(pair) == 2 and is_key(pair[0]) for pair in items):
        raise NoValueError("")
    return bounded({**dict(items), **more})


def is_key(value: Any) -> bool:
    """Whether a value may stand before the colon of a dictionary."""
    return isinstance(value, (str, int, float, bool, type(None)))


def _range(*ends: Any) -> list[int]:
    if not 1 <= len(ends) <= 3 or not all(type(end) is int for end in ends) or (len(ends) == 3 and ends[2] == 0):
        raise NoValueError("")
    found = range(*ends)
    if len(found) > LONGEST:
        raise NoValueError("it is too long")
    return list(found)


def _zip(*rows: Any, strict: bool = False) -> list[Any]:
    if not all(isinstance(row, (list, tuple, dict)) for row in rows):
        raise NoValueError("")
    return list(zip(*rows, strict=strict is True))


def _enumerate(row: Any, start: int = 0) -> list[Any]:
    if not isinstance(row, (list, tuple, dict)) or type(start) is not int:
        raise NoValueError("")
    return list(enumerate(row, start))


def _length(row: Any) -> int:
    if not isinstance(row, (list, tuple, dict, str)) or isinstance(row, Partial):
        raise NoValueError("")
    return len(row)


def _round(value: Any, digits: Any = None) -> Any:
    if not is_number(value) or not (digits is None or (type(digits) is int and abs(digits) < 400)):
        raise NoValueError("")
    return round(value, digits)


def _path(*parts: Any) -> Partial:
    if not parts or not all(isinstance(part, str) for part in parts):
        raise NoValueError("")
    text = joined(*(piece for part in parts for piece in ("/", part)))[1:]
    return Partial(text, tuple(name for part in parts if isinstance(part, Partial) for name in part.missing))


def _folder(path: Any) -> Partial:
    if not isinstance(path, str):
        raise NoValueError("")
    return Partial(os.path.dirname(path), getattr(path, "missing", ()))


def _same_path(path: Any) -> Partial:
    if not isinstance(path, str):
        raise NoValueError("")
    return path if isinstance(path, Partial) else Partial(path)


BUILTINS: dict[str, Callable[..., Any]] = {
    "float": _as_float,
    "int": _as_int,
    "str": _as_text,
    "abs": _numeric(abs),
    "min": _extreme(min),
    "max": _extreme(max),
    "sum": _extreme(sum),
    "pow": _numeric(lambda a, b: operate(ast.Pow, a, b)),
    "round": _round,
    "len": _length,
    "list": _as_row(list),
    "tuple": _as_row(tuple),
    "sorted": lambda row: sorted(_as_row(list)(row)),
    "reversed": lambda row: _as_row(list)(row)[::-1],
    "dict": _as_dict,
    "range": _range,
    "zip": _zip,
    "enumerate": _enumerate,
    "Path": _path,
}
MATH: dict[str, Callable[..., Any]] = {
    **{name: _numeric(getattr(math, name)) for name in ("sqrt", "radians", "degrees", "sin", "cos", "tan", "exp")},
    **{name: _numeric(getattr(math, name)) for name in ("atan", "asin", "acos", "log", "log10", "hypot")},
    "deg2rad": _numeric(math.radians),
    "rad2deg": _numeric(math.degrees),
    "pow": _numeric(lambda a, b: operate(ast.Pow, float(a), float(b))),
    "power": _numeric(lambda a, b: operate(ast.Pow, a, b)),
    "square": _numeric(lambda a: operate(ast.Mult, a, a)),
    "abs": _numeric(abs),
    "fabs": _numeric(math.fabs),
    "minimum": _numeric(min),
    "maximum": _numeric(max),
    "prod": _extreme(math.prod),
    "array": lambda row: _as_row(list)(row),
    "float32": _as_float,
    "float64": _as_float,
}
PATHS: dict[str, Callable[..., Any]] = {
    "join": _path,
    "dirname": _folder,
    "abspath": _same_path,
    "realpath": _same_path,
    "normpath": _same_path,
}


# --- mjlab's helpers, by our own laws


def _reflected(rotor_inertia: Any, gear_ratio: Any) -> Any:
    if not (is_number(rotor_inertia) and is_number(gear_ratio)):
        raise NoValueError("")
    return float(reflected_inertia(float(rotor_inertia), float(gear_ratio)))


def _two_stages(rotor_inertia: Any, gear_ratio: Any) -> Any:
    rows = (rotor_inertia, gear_ratio)
    if not all(isinstance(row, (list, tuple)) and len(row) == 3 and all(map(is_number, row)) for row in rows):
        raise NoValueError("")
    if gear_ratio[0] != 1:
        raise NoValueError("its first ratio must be 1")
    return float(reflected_inertia(tuple(map(float, rotor_inertia)), tuple(map(float, gear_ratio[1:]))))


def _to_linear(
    armature_rotary: Any, velocity_limit_rotary: Any, effort_limit_rotary: Any, transmission_ratio: Any
) -> NamedRow:
    given = (armature_rotary, velocity_limit_rotary, effort_limit_rotary, transmission_ratio)
    if not all(map(is_number, given)) or transmission_ratio == 0:
        raise NoValueError("")
    return NamedRow.of(
        armature=armature_rotary / transmission_ratio**2,
        velocity_limit=velocity_limit_rotary * transmission_ratio,
        effort_limit=effort_limit_rotary / transmission_ratio,
    )


HARDWARE: dict[str, Callable[..., Any]] = {
    "reflected_inertia": _reflected,
    "reflected_inertia_from_two_stage_planetary": _two_stages,
    "reflect_rotary_to_linear": _to_linear,
    "rpm_to_rad": _numeric(lambda rpm: rpm * 2 * math.pi / 60),
}
POSITIONAL = {"ElectricActuator": ("reflected_inertia", "velocity_limit", "effort_limit")}
"""Classes whose fields may be given by their order."""


def apply(function: Callable[..., Any], values: list[Any], more: dict[str, Any]) -> Any:
    """What one of these functions gives; raises `NoValueError` where it has no value."""
    try:
        return bounded(function(*values, **more))
    except (TypeError, ValueError, ArithmeticError, ParameterError):
        raise NoValueError("") from None


# --- methods


def method(value: Any, name: str, values: list[Any], more: dict[str, Any]) -> Any:
    """What a method of a list, dictionary, text or path gives; raises `NoValueError` for others."""
    for kind, table in _METHODS.items():
        if isinstance(value, kind) and name in table:
            return apply(table[name], [value, *values], more)
    raise NoValueError("")


def _get(table: dict[Any, Any], key: Any, default: Any = None) -> Any:
    if not is_key(key):
        raise NoValueError("")
    return table.get(key, default)


def _update(table: dict[Any, Any], items: Any = None, **more: Any) -> None:
    table.update(_as_dict(items, **more))
    bounded(table)


def _append(row: list[Any], item: Any) -> None:
    row.append(item)
    bounded(row)


def _extend(row: list[Any], items: Any) -> None:
    row.extend(_as_row(list)(items))
    bounded(row)


def _text_join(text: str, parts: Any) -> str:
    if not isinstance(parts, (list, tuple)) or not all(isinstance(part, str) for part in parts):
        raise NoValueError("")
    return joined(*(piece for part in parts for piece in (text, part)))[len(text) :] if parts else ""


def _text_replace(text: str, old: Any, new: Any) -> str:
    if type(text) is not str or type(old) is not str or type(new) is not str or not old:
        raise NoValueError("")
    if len(text) + text.count(old) * len(new) > LONGEST:
        raise NoValueError("it is too long")
    return text.replace(old, new)


CHANGING = ("append", "extend", "update")
"""Methods that change their list or dictionary."""
_METHODS: dict[type, dict[str, Callable[..., Any]]] = {
    dict: {
        "items": lambda table: [tuple(pair) for pair in table.items()],
        "keys": lambda table: list(table),
        "values": lambda table: list(table.values()),
        "copy": dict,
        "get": _get,
        "update": _update,
    },
    list: {"copy": list, "append": _append, "extend": _extend},
    Partial: {"resolve": _same_path, "absolute": _same_path, "joinpath": _path, "as_posix": _same_path},
    str: {"join": _text_join, "replace": _text_replace, "lower": str.lower, "upper": str.upper},
}


def attribute(value: Any, name: str) -> Any:
    """An attribute of a value that is known; raises `NoValueError` where the text does not say."""
    if isinstance(value, Instance):
        if name in value.fields:
            return value.fields[name]
        raise NoValueError(f"{value.name} has no {name} here")
    if isinstance(value, NamedRow) and name in value.names:
        return value[value.names.index(name)]
    if isinstance(value, Partial) and name == "parent":
        return _folder(value)
    raise NoValueError("")
