"""Webots' own modules for templates, as far as PROTOs with motors need them; what is missing is named when it is used.

They take and return vectors {x, y, z}, rotations {x, y, z, a} and lists of points in either language.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .arithmetic import silent
from .bounds import TemplateError, check_length
from .runtime import Interpreter, Native, Value, natives


def module(name: str) -> dict[str, Value]:
    """The functions of a module, by their names in JavaScript; those of Lua are the same in lower case."""
    found = _MODULES.get(name)
    if found is None:
        raise TemplateError(f"the module {name[:40]!r} is not known here; there are {', '.join(sorted(_MODULES))}")
    return {word: do for key, do in found.items() for word in (key, key.lower())}


def _numbers(run: Interpreter, value: Value, axes: str) -> list[float]:
    return [run.dialect.number(run.dialect.get(value, axis)) for axis in axes]


def _vector(run: Interpreter, axes: str, numbers: list[float]) -> Value:
    return run.dialect.record(list(zip(axes, numbers, strict=True)))


# --- vectors and rotations


def _function(do: Callable[..., Any], takes: str, gives: str = "") -> Native:
    """A function by the letters of what each argument has, 1 for a number, and of what it returns."""
    kinds = takes.split()

    def call(run: Interpreter, this: Value, *a: Value) -> Value:
        if len(a) < len(kinds):
            raise TemplateError("a function of vectors or rotations is called with too few arguments")
        given = [
            run.dialect.number(value) if kind == "1" else _numbers(run, value, kind)
            for value, kind in zip(a, kinds, strict=False)
        ]
        made = do(*given)
        return _vector(run, gives, made) if gives else made

    return Native(call)


def _cross(a: list[float], b: list[float]) -> list[float]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def _normalize(a: list[float]) -> list[float]:
    size = math.hypot(*a)
    return [x / size for x in a] if size > 0.0 else a


def _vectors(axes: str) -> dict[str, Value]:
    """The functions of wbvector2 and wbvector3."""
    one, two = axes, f"{axes} {axes}"
    flat = len(axes) == 2
    return {
        "add": _function(lambda a, b: [x + y for x, y in zip(a, b, strict=True)], two, axes),
        "minus": _function(lambda a, b: [x - y for x, y in zip(a, b, strict=True)], two, axes),
        "multiply": _function(lambda a, s: [x * s for x in a], f"{axes} 1", axes),
        "dot": _function(lambda a, b: sum(x * y for x, y in zip(a, b, strict=True)), two),
        "norm": _function(lambda a: math.hypot(*a), one),
        "distance": _function(math.dist, two),
        "equal": _function(lambda a, b: a == b, two),
        "atan2": _function(lambda a: math.atan2(a[1], a[0]), one),
        "angle": _function(lambda a, b: math.atan2(a[1] - b[1], a[0] - b[0]), two),
        "cross": _function(lambda a, b: a[0] * b[1] - a[1] * b[0], two) if flat else _function(_cross, two, axes),
        "normalize": _function(_normalize, one, axes),
    }


def _quaternion(r: list[float]) -> list[float]:
    """w, x, y and z of a rotation about an axis of any length."""
    size = math.hypot(*r[:3])
    axis = [x / size for x in r[:3]] if size > 0.0 else [0.0, 1.0, 0.0]
    return [math.cos(0.5 * r[3]), *(math.sin(0.5 * r[3]) * x for x in axis)]


def _axis_angle(q: list[float]) -> list[float]:
    size = math.hypot(*q[1:])
    angle = 2.0 * math.atan2(size, q[0])
    return [0.0, 1.0, 0.0, 0.0] if angle < 1e-4 else [*(x / size for x in q[1:]), angle]


def _product(p: list[float], q: list[float]) -> list[float]:
    return [
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    ]


def _rotate(r: list[float], v: list[float]) -> list[float]:
    q = _quaternion(r)
    return _product(_product(q, [0.0, *v]), [q[0], -q[1], -q[2], -q[3]])[1:]


def _circle(run: Interpreter, this: Value, *a: Value) -> Value:
    """Points on a circle, the first once more as the last: radius, how many, centre, angle of the first."""
    if len(a) > 2 and not isinstance(a[2], float):
        # in JavaScript the centre is one vector
        a = (*a[:2], *_numbers(run, a[2], "xy"), *a[3:])
    radius, count, x, y, shift = [run.dialect.number(each) for each in (*a, 0.0, 0.0, 0.0)[:5]]
    if not count >= 1.0:
        raise TemplateError("wbgeometry.circle needs a number of points above 0")
    check_length(count)
    run.budget.spend(4 * int(count))
    angles = [shift + 2.0 * math.pi * index / count for index in range(int(count) + 1)]
    return run.dialect.array(
        [_vector(run, "xy", [x + radius * math.cos(angle), y + radius * math.sin(angle)]) for angle in angles]
    )


# --- the rest


def _length(run: Interpreter, this: Value, value: Value) -> float:
    return float(len(run.dialect.entries(value)))


def _copy(run: Interpreter, this: Value, value: Value) -> Value:
    return run.dialect.copy(value)


def _seed(run: Interpreter, this: Value, seed: Value = 0.0) -> None:
    """Set the random seed, which is otherwise the same every time."""
    run.random = run.dialect.number(seed)


def _next_random(run: Interpreter) -> float:
    """Webots' generator, so that a PROTO with a seed has the same numbers here."""
    run.random = (1140671485.0 * run.random + 12820163.0) % 2.0**24
    return run.random


def _ends(run: Interpreter, a: tuple[Value, ...], low: float, high: float) -> list[float]:
    """The range of a random number: none, one or both of its ends are given."""
    given = [run.dialect.number(each) for each in a[:2]]
    return given if len(given) == 2 else [low, *(given or [high])]


def _real(run: Interpreter, this: Value, *a: Value) -> float:
    low, high = _ends(run, a, 0.0, 1.0)
    return low + _next_random(run) * (high - low) / (2.0**24 - 1.0)


def _integer(run: Interpreter, this: Value, *a: Value) -> float:
    low, high = _ends(run, a, 1.0 if a else 0.0, 2.0**24 - 1.0)
    return low + _next_random(run) % (1.0 + high - low) if high >= low else low


def _say(run: Interpreter, this: Value, *a: Value) -> None:
    run.messages.append(" ".join(run.dialect.text(each) for each in a)[:400])


def _assert(run: Interpreter, this: Value, holds: Value = True, *a: Value) -> None:
    if not run.dialect.truth(holds):
        _say(run, this, *a)


def _has(axes: str) -> Callable[..., bool]:
    def call(run: Interpreter, this: Value, value: Value) -> bool:
        plain = value is None or isinstance(value, (bool, float, str))
        return not plain and all(run.dialect.get(value, axis) is not None for axis in axes)

    return call


def _number(do: Callable[[float], float]) -> Callable[..., float]:
    return lambda run, this, value: float(do(run.dialect.number(value)))


_MODULES: dict[str, dict[str, Value]] = {
    "wbvector2": _vectors("xy"),
    "wbvector3": _vectors("xyz"),
    "wbutility": natives(
        {
            "assert": _assert, "error": _say, "info": silent, "deepCopy": _copy,
            "degreesToRadians": _number(math.radians), "radiansToDegrees": _number(math.degrees),
            "isScalar": lambda run, this, value: isinstance(value, float),
            "isVector2": _has("xy"), "isVector3": _has("xyz"), "isAxisAngle": _has("xyza"),
            "isQuaternion": _has("wxyz"),
        }
    ),
    "wbcore": natives({"tablelength": _length, "deepcopy": _copy}),
    "wbmath": natives({"round": _number(lambda x: math.floor(x + 0.5))}),
    "wbrandom": natives({"seed": _seed, "real": _real, "integer": _integer}),
    "wbgeometry": natives({"circle": _circle}),
    "wbrotation": {
        "toQuaternion": _function(_quaternion, "xyza", "wxyz"),
        "fromQuaternion": _function(_axis_angle, "wxyz", "xyza"),
        "combine": _function(lambda p, q: _axis_angle(_product(_quaternion(p), _quaternion(q))), "xyza xyza", "xyza"),
        "rotateVector3ByRotation": _function(_rotate, "xyza xyz", "xyz"),
        "isIdentity": _function(lambda r: r[3] == 0.0, "xyza"),
    },
}  # fmt: skip
