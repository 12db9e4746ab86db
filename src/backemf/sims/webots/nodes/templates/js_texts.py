"""Numbers and texts of JavaScript: Math, and what texts and numbers can do."""

from __future__ import annotations

import math
from collections.abc import Callable

from .arithmetic import FUNCTIONS, repeat
from .bounds import TemplateError, check_length, join
from .js_values import NULL, index_of, number_of, number_text, text_of
from .patterns import Matcher, short_enough
from .runtime import Interpreter, Native, Value, natives


def clip_index(value: Value, size: int, default: int) -> int:
    """An index from either end of a list."""
    if value is None:
        return default
    number = number_of(value)
    whole = 0 if number != number else int(max(-size, min(size, number)))
    return max(0, size + whole) if whole < 0 else whole


def cut(run: Interpreter, this: str | list[Value], start: Value, end: Value) -> Value:
    """A part of a text or of a list."""
    size = len(this)
    found = this[clip_index(start, size, 0) : clip_index(end, size, size)]
    run.budget.spend(len(found))
    return found


# --- numbers


def _digits(value: Value, least: float) -> int:
    return int(min(max(number_of(value), least), 100.0))


def _number_text(run: Interpreter, this: float, base: Value = 10.0) -> str:
    number = int(number_of(base))
    if number == 10:
        return number_text(this)
    if number not in (2, 8, 16) or this != int(this):
        raise TemplateError(f"toString({number}) is not known here")
    return ("-" if this < 0 else "") + format(abs(int(this)), {2: "b", 8: "o", 16: "x"}[number])


def _math(do: Callable[..., float]) -> Native:
    def call(run: Interpreter, this: Value, *a: Value) -> float:
        try:
            return float(do(*map(number_of, a)))
        except (ValueError, OverflowError, ZeroDivisionError, TypeError):
            return math.nan

    return Native(call)


def _random(run: Interpreter, this: Value) -> float:
    """The same random numbers every time."""
    run.random = (1103515245.0 * run.random + 12345.0) % 2147483648.0
    return run.random / 2147483648.0


_FUNCTIONS: dict[str, Callable[..., float]] = {
    **FUNCTIONS, "log2": math.log2, "hypot": math.hypot, "fabs": math.fabs, "trunc": lambda x: float(int(x)),
    "log": lambda x: -math.inf if x == 0.0 else math.log(x), "round": lambda x: math.floor(x + 0.5),
    "sign": lambda x: (x > 0.0) - (x < 0.0), "cbrt": lambda x: math.copysign(abs(x) ** (1.0 / 3.0), x),
    "min": lambda *x: min(x, default=math.inf), "max": lambda *x: max(x, default=-math.inf),
}  # fmt: skip
MATH: dict[str, Value] = {
    **{name: _math(do) for name, do in _FUNCTIONS.items()}, "random": Native(_random),
    "PI": math.pi, "E": math.e, "SQRT2": math.sqrt(2.0), "SQRT1_2": math.sqrt(0.5), "LN2": math.log(2.0),
    "LN10": math.log(10.0),
}  # fmt: skip

# --- texts


def _split(run: Interpreter, this: str, by: Value) -> list[str]:
    if by is None:
        return [this]
    if isinstance(by, Matcher):
        return by.pattern.split(short_enough(this))
    parts = list(this) if by == "" else this.split(text_of(by))
    run.budget.spend(len(parts))
    return parts


def _replace(run: Interpreter, this: str, what: Value, by: Value, everywhere: bool = False) -> str:
    def new(found: str) -> str:
        return by if isinstance(by, str) else text_of(run.call(by, None, [found]))

    if isinstance(what, Matcher):
        return run.budget.text(
            what.pattern.sub(lambda m: new(m.group()), short_enough(this), count=0 if what.everywhere else 1)
        )
    word = text_of(what)
    if word not in this:
        return this
    check_length(len(this) + this.count(word) * len(new(word)))
    return run.budget.text(this.replace(word, new(word), -1 if everywhere else 1))


def _pad(run: Interpreter, this: str, size: Value, filler: Value) -> str:
    """What is missing of a text of some length."""
    number, letters = number_of(size), text_of(filler)
    check_length(number)
    missing = max(0, int(number) - len(this))
    return run.budget.text((letters * (missing // len(letters) + 1))[:missing] if letters else "")


def _match(run: Interpreter, this: str, by: Value) -> Value:
    if not isinstance(by, Matcher):
        raise TemplateError("match takes a pattern in /")
    if by.everywhere:
        return [found.group() for found in by.pattern.finditer(short_enough(this))] or NULL
    found = by.pattern.search(short_enough(this))
    return NULL if found is None else [found.group(), *found.groups()]


def _substring(run: Interpreter, this: str, start: Value = 0.0, end: Value = math.inf) -> str:
    ends = [0 if number != number else int(max(0.0, min(len(this), number))) for number in map(number_of, (start, end))]
    return this[min(ends) : max(ends)]


def _substr(run: Interpreter, this: str, start: Value, size: Value = math.inf) -> str:
    begin = clip_index(start, len(this), 0)
    return this[begin : begin + int(max(0.0, min(number_of(size), float(len(this)))))]


def _letter(this: str, at: Value) -> str:
    index = index_of(at)
    return "" if index is None else this[index : index + 1]


STRING = natives(
    {
        "split": _split, "replace": lambda run, this, what="", by="": _replace(run, this, what, by),
        "replaceAll": lambda run, this, what="", by="": _replace(run, this, what, by, everywhere=True),
        "repeat": lambda run, this, times=0.0: repeat(run, this, number_of(times)), "match": _match, "slice": cut,
        "padStart": lambda run, this, size=0.0, filler=" ": _pad(run, this, size, filler) + this,
        "padEnd": lambda run, this, size=0.0, filler=" ": this + _pad(run, this, size, filler),
        "substring": _substring, "substr": _substr,
        "startsWith": lambda run, this, word: this.startswith(text_of(word)),
        "endsWith": lambda run, this, word: this.endswith(text_of(word)),
        "includes": lambda run, this, word: text_of(word) in this,
        "indexOf": lambda run, this, word: float(this.find(text_of(word))),
        "lastIndexOf": lambda run, this, word: float(this.rfind(text_of(word))),
        "charAt": lambda run, this, at=0.0: _letter(this, at),
        "charCodeAt": lambda run, this, at=0.0: float(ord(letter)) if (letter := _letter(this, at)) else math.nan,
        "concat": lambda run, this, *a: run.budget.text(join([this, *map(text_of, a)])),
        "toLowerCase": lambda run, this: this.lower(), "toUpperCase": lambda run, this: this.upper(),
        "trim": lambda run, this: this.strip(), "toString": lambda run, this: this,
    }
)  # fmt: skip
NUMBER = natives(
    {
        "toFixed": lambda run, this, digits=0.0: f"{this:.{_digits(digits, 0.0)}f}",
        "toPrecision": lambda run, this, digits=6.0: f"{this:.{_digits(digits, 1.0)}g}", "toString": _number_text,
    }
)  # fmt: skip
