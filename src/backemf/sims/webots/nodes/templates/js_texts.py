"""Numbers and texts of JavaScript: Math, and what texts and numbers can do."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .arithmetic import power
from .bounds import TemplateError
from .evaluate import Interpreter
from .frames import Native
from .js_expressions import NULL
from .js_slices import clipped, sliced
from .js_values import index_of, number_of, number_text, text_of
from .natives import argument, natives
from .patterns import Matcher

# --- numbers


def _fixed(run: Interpreter, this: float, a: list[Any]) -> str:
    return f"{this:.{int(min(max(number_of(argument(a, 0, 0.0)), 0.0), 100.0))}f}"


def _number_text(run: Interpreter, this: float, a: list[Any]) -> str:
    base = int(number_of(argument(a, 0, 10.0)))
    if base == 10:
        return number_text(this)
    if base not in (2, 8, 16) or this != int(this):
        raise TemplateError(f"toString({base}) is not known here")
    return ("-" if this < 0 else "") + format(abs(int(this)), {2: "b", 8: "o", 16: "x"}[base])


def _precision(run: Interpreter, this: float, a: list[Any]) -> str:
    return f"{this:.{int(min(max(number_of(argument(a, 0, 6.0)), 1.0), 100.0))}g}"


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


MATH: dict[str, Any] = {
    **{name: _math(getattr(math, name)) for name in (
        "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "sqrt", "log10", "log2", "sinh", "cosh", "tanh",
        "hypot", "fabs",
    )},
    "abs": _math(math.fabs), "floor": _math(math.floor), "ceil": _math(math.ceil), 
    "trunc": _math(lambda x: float(int(x))),
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
    by = argument(a, 0)
    if by is None:
        return [this]
    if isinstance(by, Matcher):
        return by.pattern.split(by.within(this))
    parts = list(this) if by == "" else this.split(text_of(by))
    run.budget.spend(len(parts))
    return parts


def _replace(run: Interpreter, this: str, a: list[Any], everywhere: bool = False) -> str:
    what, by = argument(a, 0, ""), argument(a, 1, "")

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
    size, filler = number_of(argument(a, 0, 0.0)), text_of(argument(a, 1, " "))
    run.budget.fits(size)
    missing = max(0, int(size) - len(this))
    more = (filler * (missing // max(len(filler), 1) + 1))[:missing] if filler else ""
    return run.budget.text(more + this if front else this + more)


def _repeated(run: Interpreter, this: str, a: list[Any]) -> str:
    times = number_of(argument(a, 0, 0.0))
    run.budget.fits(times * max(len(this), 1))
    return run.budget.text(this * int(max(times, 0.0)))


def _match(run: Interpreter, this: str, a: list[Any]) -> Any:
    by = argument(a, 0)
    if not isinstance(by, Matcher):
        raise TemplateError("match takes a pattern in /")
    if by.everywhere:
        return [found.group() for found in by.pattern.finditer(by.within(this))] or NULL
    found = by.pattern.search(by.within(this))
    return NULL if found is None else [found.group(), *found.groups()]


def _substring(run: Interpreter, this: str, a: list[Any]) -> str:
    ends = [
        max(0, min(len(this), int(number_of(x)) if x == x else 0))
        for x in (argument(a, 0, 0.0), argument(a, 1, float(len(this))))
    ]
    return this[min(ends) : max(ends)]


def _substr(run: Interpreter, this: str, a: list[Any]) -> str:
    start = clipped(argument(a, 0), len(this), 0)
    size = number_of(argument(a, 1, float(len(this))))
    return this[start : start + int(max(0.0, min(size, float(len(this)))))]


STRING = natives(
    {
        "split": _split, "replace": _replace, "repeat": _repeated, "match": _match, "slice": sliced,
        "replaceAll": lambda run, this, a: _replace(run, this, a, everywhere=True),
        "padStart": lambda run, this, a: _padded(run, this, a, True),
        "padEnd": lambda run, this, a: _padded(run, this, a, False),
        "substring": _substring, "substr": _substr,
        "startsWith": lambda run, this, a: this.startswith(text_of(argument(a, 0))),
        "endsWith": lambda run, this, a: this.endswith(text_of(argument(a, 0))),
        "includes": lambda run, this, a: text_of(argument(a, 0)) in this,
        "indexOf": lambda run, this, a: float(this.find(text_of(argument(a, 0)))),
        "lastIndexOf": lambda run, this, a: float(this.rfind(text_of(argument(a, 0)))),
        "charAt": lambda run, this, a: this[i : i + 1] if (i := index_of(argument(a, 0, 0.0))) is not None else "",
        "charCodeAt": lambda run, this, a: float(ord(this[index_of(argument(a, 0, 0.0)) or 0])) if this else math.nan,
        "concat": lambda run, this, a: run.budget.text(this + "".join(map(text_of, a))),
        "toLowerCase": lambda run, this, a: this.lower(), "toUpperCase": lambda run, this, a: this.upper(),
        "trim": lambda run, this, a: this.strip(), "toString": lambda run, this, a: this,
    }
)  # fmt: skip
NUMBER = natives({"toFixed": _fixed, "toString": _number_text, "toPrecision": _precision})
