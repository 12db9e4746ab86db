"""Parts of texts and lists, as JavaScript's library cuts them out."""

from __future__ import annotations

from typing import Any

from .evaluate import Interpreter
from .js_values import number_of
from .natives import argument


def clipped(value: Any, size: int, default: int) -> int:
    """An index from either end of a list."""
    if value is None:
        return default
    number = number_of(value)
    whole = 0 if number != number else int(max(-size, min(size, number)))
    return max(0, size + whole) if whole < 0 else whole


def sliced(run: Interpreter, this: Any, a: list[Any]) -> Any:
    """A part of a text or of a list."""
    size = len(this)
    found = this[clipped(argument(a, 0), size, 0) : clipped(argument(a, 1), size, size)]
    run.budget.spend(len(found))
    return found
