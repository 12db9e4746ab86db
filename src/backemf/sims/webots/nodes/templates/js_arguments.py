"""What the functions of JavaScript's library take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .evaluate import Interpreter
from .frames import Native
from .js_values import number_of


def argument(arguments: list[Any], index: int, default: Any = None) -> Any:
    """An argument of a function; the default where it is missing."""
    return arguments[index] if index < len(arguments) and arguments[index] is not None else default


def clipped(value: Any, size: int, default: int) -> int:
    """An index from either end of a list."""
    if value is None:
        return default
    number = number_of(value)
    whole = 0 if number != number else int(max(-size, min(size, number)))
    return max(0, size + whole) if whole < 0 else whole


def natives(functions: dict[str, Callable[..., Any]]) -> dict[str, Native]:
    """Functions of the library by their names."""
    return {name: Native(name, do) for name, do in functions.items()}


def sliced(run: Interpreter, this: Any, a: list[Any]) -> Any:
    """A part of a text or of a list."""
    size = len(this)
    found = this[clipped(argument(a, 0), size, 0) : clipped(argument(a, 1), size, size)]
    run.budget.spend(len(found))
    return found
