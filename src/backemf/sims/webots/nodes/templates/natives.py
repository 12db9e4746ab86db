"""Functions of a language's library: a table of them, and the arguments that they are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .frames import Native


def argument(arguments: list[Any], index: int, default: Any = None) -> Any:
    """An argument of a function; the default where it is missing."""
    return arguments[index] if index < len(arguments) and arguments[index] is not None else default


def natives(functions: dict[str, Callable[..., Any]]) -> dict[str, Native]:
    """Functions of the library by their names."""
    return {name: Native(name, do) for name, do in functions.items()}
