"""Webots' own modules for templates, as far as PROTOs with motors need them; the rest is named when it is asked for.

They take and give back vectors {x, y, z}, rotations {x, y, z, a} and lists of points in either language.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .bounds import TemplateError
from .evaluate import Interpreter
from .frames import Native

_AXES = {"wbvector2": "xy", "wbvector3": "xyz"}


def javascript_module(name: str) -> dict[str, Any]:
    """A module by the name of its file."""
    return module(name.rsplit("/", 1)[-1].removesuffix(".js").removesuffix(".mjs"))


def module(name: str) -> dict[str, Any]:
    """The functions of a module, by their names in JavaScript; those of Lua are the same in lower case."""
    if name in _AXES:
        return _vectors(_AXES[name])
    found = _MODULES.get(name)
    if found is None:
        known = ", ".join(sorted((*_MODULES, *_AXES)))
        raise TemplateError(f"the module {name[:40]!r} is not known here; there are {known}")
    return {name: Native(key, do) for key, do in found.items() for name in (key, key.lower())}


def _numbers(run: Interpreter, value: Any, axes: str) -> list[float]:
    return [run.dialect.unary("number", run.dialect.get(value, axis)) for axis in axes]


def _vector(run: Interpreter, axes: str, numbers: list[float]) -> Any:
    return run.dialect.record(list(zip(axes, numbers, strict=True)))


def _vectors(axes: str) -> dict[str, Any]:
    """The functions of wbvector2 and wbvector3."""

    def of(do: Callable[..., Any]) -> Callable[..., Any]:
        def call(run: Interpreter, this: Any, a: list[Any]) -> Any:
            if not a:
                raise TemplateError("a function of vectors is called without a vector")
            rows = [_numbers(run, each, axes) if not isinstance(each, float) else each for each in a]
            made = do(*rows)
            return _vector(run, axes, made) if isinstance(made, list) else made

        return call

    def cross(a: list[float], b: list[float]) -> Any:
        if len(a) == 2:
            return a[0] * b[1] - a[1] * b[0]
        return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]

    def normalize(a: list[float]) -> list[float]:
        size = math.hypot(*a)
        return [x / size for x in a] if size > 0.0 else a

    functions = {
        "add": lambda a, b: [x + y for x, y in zip(a, b, strict=True)],
        "minus": lambda a, b: [x - y for x, y in zip(a, b, strict=True)],
        "multiply": lambda a, s: [x * s for x in a],
        "dot": lambda a, b: sum(x * y for x, y in zip(a, b, strict=True)),
        "norm": lambda a: math.hypot(*a),
        "distance": lambda a, b: math.dist(a, b),
        "equal": lambda a, b: a == b,
        "atan2": lambda a: math.atan2(a[1], a[0]),
        "angle": lambda a, b: math.atan2(a[1] - b[1], a[0] - b[0]),
        "cross": cross,
        "normalize": normalize,
    }
    return {name: Native(name, of(do)) for name, do in functions.items()}


def _circle(run: Interpreter, this: Any, a: list[Any]) -> Any:
    """Points on a circle, the first once more as the last: radius, how many, centre, angle of the first."""
    if len(a) > 2 and not isinstance(a[2], float):
        # in JavaScript the centre is one vector
        a = [*a[:2], *_numbers(run, a[2], "xy"), *a[3:]]
    radius, count, x, y, shift = [run.dialect.unary("number", each) for each in (*a, 0.0, 0.0, 0.0)[:5]]
    if not count >= 1.0:
        raise TemplateError("wbgeometry.circle needs a number of points above 0")
    run.budget.fits(count)
    run.budget.spend(4 * int(count))
    angles = [shift + 2.0 * math.pi * index / count for index in range(int(count) + 1)]
    return run.dialect.array(
        [_vector(run, "xy", [x + radius * math.cos(angle), y + radius * math.sin(angle)]) for angle in angles]
    )


def _rotation(do: Callable[..., Any], given: str, gives: str = "") -> Callable[..., Any]:
    """A function of rotations, by the letters of what each argument has and of what comes back."""
    kinds = given.split()

    def call(run: Interpreter, this: Any, a: list[Any]) -> Any:
        if len(a) < len(kinds):
            raise TemplateError("a function of wbrotation is called with too little")
        made = do(*[_numbers(run, each, kind) for each, kind in zip(a, kinds, strict=False)])
        return _vector(run, gives, made) if gives else made

    return call


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


def _rotated(r: list[float], v: list[float]) -> list[float]:
    q = _quaternion(r)
    return _product(_product(q, [0.0, *v]), [q[0], -q[1], -q[2], -q[3]])[1:]


def _length(run: Interpreter, this: Any, a: list[Any]) -> float:
    items = run.dialect.unary("list", a[0] if a else None)
    return float(len(items)) if isinstance(items, list) else 0.0


def _copied(run: Interpreter, this: Any, a: list[Any]) -> Any:
    return run.dialect.unary("copy", a[0] if a else None)


def _seed(run: Interpreter, this: Any, a: list[Any]) -> None:
    """Begin the random numbers anew; without this they begin alike every time."""
    run.random = run.dialect.unary("number", a[0] if a else 0.0)


def _next_random(run: Interpreter) -> float:
    """Webots' generator, so that a PROTO with a seed has the same numbers here."""
    run.random = (1140671485.0 * run.random + 12820163.0) % 2.0**24
    return run.random


def _real(run: Interpreter, this: Any, a: list[Any]) -> float:
    ends = [run.dialect.unary("number", each) for each in a]
    low, high = (0.0, 1.0) if not ends else (0.0, ends[0]) if len(ends) == 1 else (ends[0], ends[1])
    return low + _next_random(run) * (high - low) / (2.0**24 - 1.0)


def _integer(run: Interpreter, this: Any, a: list[Any]) -> float:
    ends = [run.dialect.unary("number", each) for each in a]
    low, high = (0.0, 2.0**24 - 1.0) if not ends else (1.0, ends[0]) if len(ends) == 1 else (ends[0], ends[1])
    return low + _next_random(run) % (1.0 + high - low) if high >= low else low


def _says(run: Interpreter, this: Any, a: list[Any]) -> None:
    run.messages.append(" ".join(run.dialect.text(each) for each in a)[:400])


def _asserted(run: Interpreter, this: Any, a: list[Any]) -> None:
    if a and not run.dialect.truth(a[0]):
        _says(run, this, a[1:])


def _silent(run: Interpreter, this: Any, a: list[Any]) -> None:
    """What is said to the console of Webots."""


def _has(axes: str) -> Callable[..., bool]:
    def call(run: Interpreter, this: Any, a: list[Any]) -> bool:
        given = a[0] if a else None
        plain = given is None or isinstance(given, (bool, float, str))
        return not plain and all(run.dialect.get(given, axis) is not None for axis in axes)

    return call


def _number(do: Callable[[float], float]) -> Callable[..., float]:
    return lambda run, this, a: float(do(run.dialect.unary("number", a[0] if a else None)))


_MODULES: dict[str, dict[str, Callable[..., Any]]] = {
    "wbutility": {
        "assert": _asserted,
        "error": _says,
        "info": _silent,
        "deepCopy": _copied,
        "degreesToRadians": _number(math.radians),
        "radiansToDegrees": _number(math.degrees),
        "isScalar": lambda run, this, a: bool(a) and isinstance(a[0], float),
        "isVector2": _has("xy"),
        "isVector3": _has("xyz"),
        "isAxisAngle": _has("xyza"),
        "isQuaternion": _has("wxyz"),
    },
    "wbcore": {"tablelength": _length, "deepcopy": _copied},
    "wbmath": {"round": _number(lambda x: math.floor(x + 0.5))},
    "wbrandom": {"seed": _seed, "real": _real, "integer": _integer},
    "wbgeometry": {"circle": _circle},
    "wbrotation": {
        "toQuaternion": _rotation(_quaternion, "xyza", "wxyz"),
        "fromQuaternion": _rotation(_axis_angle, "wxyz", "xyza"),
        "combine": _rotation(lambda p, q: _axis_angle(_product(_quaternion(p), _quaternion(q))), "xyza xyza", "xyza"),
        "rotateVector3ByRotation": _rotation(_rotated, "xyza xyz", "xyz"),
        "isIdentity": _rotation(lambda r: r[3] == 0.0, "xyza"),
    },
}
