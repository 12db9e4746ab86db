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
    return {key: Native(key, do) for key, do in found.items()}


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
        "angle": lambda a, b: math.atan2(b[1] - a[1], b[0] - a[0]),
        "cross": cross,
        "normalize": normalize,
    }
    return {name: Native(name, of(do)) for name, do in functions.items()}


def _circle(run: Interpreter, this: Any, a: list[Any]) -> Any:
    """Points on a circle, the first once more as the last: radius, how many, centre, angle of the first."""
    radius, count, x, y, shift = [run.dialect.unary("number", each) for each in (*a, 0.0, 0.0, 0.0)[:5]]
    if not count >= 1.0:
        raise TemplateError("wbgeometry.circle needs a number of points above 0")
    run.budget.fits(count)
    run.budget.spend(4 * int(count))
    angles = [shift + 2.0 * math.pi * index / count for index in range(int(count) + 1)]
    return run.dialect.array(
        [_vector(run, "xy", [x + radius * math.cos(angle), y + radius * math.sin(angle)]) for angle in angles]
    )


def _length(run: Interpreter, this: Any, a: list[Any]) -> float:
    items = run.dialect.unary("list", a[0] if a else None)
    return float(len(items)) if isinstance(items, list) else 0.0


def _copied(run: Interpreter, this: Any, a: list[Any]) -> Any:
    return run.dialect.unary("copy", a[0] if a else None)


def _seed(run: Interpreter, this: Any, a: list[Any]) -> None:
    """The random numbers of Webots begin at a seed; here they begin alike every time."""
    run.random = run.dialect.unary("number", a[0] if a else 0.0) % 2147483648.0


def _real(run: Interpreter, this: Any, a: list[Any]) -> float:
    run.random = (1103515245.0 * run.random + 12345.0) % 2147483648.0
    share = run.random / 2147483648.0
    ends = [run.dialect.unary("number", each) for each in a]
    low, high = (0.0, 1.0) if not ends else (0.0, ends[0]) if len(ends) == 1 else (ends[0], ends[1])
    return low + share * (high - low)


def _integer(run: Interpreter, this: Any, a: list[Any]) -> float:
    ends = [run.dialect.unary("number", each) for each in a]
    low, high = (0.0, 2.0**24 - 1.0) if not ends else (1.0, ends[0]) if len(ends) == 1 else (ends[0], ends[1])
    return float(math.floor(_real(run, None, [low, high + 1.0]))) if high >= low else low


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
}
