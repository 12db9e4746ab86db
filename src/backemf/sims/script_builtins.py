"""Functions that a configuration text may use: of Python, math, NumPy and paths, and mjlab's helpers by our laws."""

from __future__ import annotations

import ast
import math
import os.path
from collections.abc import Callable
from typing import Any

from ..design.hardware import reflected_inertia
from ..errors import ParameterError
from .script_operations import check_size, is_key, is_number, join_texts, operate
from .script_values import LONGEST, NamedRow, NoValueError, Partial


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
    return check_size(int(value))


def _as_text(value: Any = "") -> str:
    if isinstance(value, str):
        return value
    if not is_number(value):
        raise NoValueError("")
    return str(value)


def as_row(kind: type) -> Callable[..., Any]:
    """A function that makes a list, or a tuple, of the items of another."""

    def of_items(items: Any = ()) -> Any:
        if not isinstance(items, (list, tuple, dict)):
            raise NoValueError("")
        return check_size(kind(items))

    return of_items


def as_dict(items: Any = None, **more: Any) -> dict[Any, Any]:
    """A dictionary of another, or of pairs."""
    if items is None:
        return dict(more)
    if isinstance(items, dict):
        return check_size({**items, **more})
    pairs = isinstance(items, (list, tuple)) and all(isinstance(pair, (list, tuple)) for pair in items)
    if not pairs or not all(len(pair) == 2 and is_key(pair[0]) for pair in items):
        raise NoValueError("")
    return check_size({**dict(items), **more})


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


def path_of(*parts: Any) -> Partial:
    """Parts of a path, joined."""
    if not parts or not all(isinstance(part, str) for part in parts):
        raise NoValueError("")
    text = join_texts(*(piece for part in parts for piece in ("/", part)))[1:]
    return Partial(text, tuple(name for part in parts if isinstance(part, Partial) for name in part.missing))


def folder_of(path: Any) -> Partial:
    """The folder that a path is in."""
    if not isinstance(path, str):
        raise NoValueError("")
    return Partial(os.path.dirname(path), getattr(path, "missing", ()))


def same_path(path: Any) -> Partial:
    """A path as it is."""
    if not isinstance(path, str):
        raise NoValueError("")
    return path if isinstance(path, Partial) else Partial(path)


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
    "list": as_row(list),
    "tuple": as_row(tuple),
    "sorted": lambda row: sorted(as_row(list)(row)),
    "reversed": lambda row: as_row(list)(row)[::-1],
    "dict": as_dict,
    "range": _range,
    "zip": _zip,
    "enumerate": _enumerate,
    "Path": path_of,
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
    "array": lambda row: as_row(list)(row),
    "float32": _as_float,
    "float64": _as_float,
}
PATHS: dict[str, Callable[..., Any]] = {
    "join": path_of,
    "dirname": folder_of,
    "abspath": same_path,
    "realpath": same_path,
    "normpath": same_path,
}
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
        return check_size(function(*values, **more))
    except (TypeError, ValueError, ArithmeticError, ParameterError):
        raise NoValueError("") from None
