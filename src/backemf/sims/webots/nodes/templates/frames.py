"""Variables, functions and values that a running template has, and what the two languages do their own way."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .bounds import Budget, TemplateError


class Frame:
    """Variables of a block, and the block around it."""

    __slots__ = ("home", "parent", "values")

    def __init__(self, parent: Frame | None, function: bool = False):
        self.values: dict[str, Any] = {}
        self.parent = parent
        self.home: Frame = self if function or parent is None else parent.home

    def holder(self, name: str) -> Frame | None:
        """The frame that has a variable; None: none has."""
        frame: Frame | None = self
        while frame is not None and name not in frame.values:
            frame = frame.parent
        return frame


class Returned:
    """What a function gives back."""

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = value


class Several(list[Any]):
    """The values that a function of Lua gives back, where there is not just one."""


class Native:
    """A function of the library: its name, and what it does with the interpreter, `this` and the arguments."""

    __slots__ = ("do", "name")

    def __init__(self, name: str, do: Callable[[Any, Any, list[Any]], Any]):
        self.name, self.do = name, do


class Function:
    """A function of the template."""

    __slots__ = ("body", "frame", "parameters", "rest")

    def __init__(self, parameters: Any, rest: str, body: Any, frame: Frame):
        self.parameters, self.rest, self.body, self.frame = parameters, rest, body, frame


class Dialect:
    """What one of the languages does its own way."""

    globals: dict[str, Any]
    """Names that every template knows."""

    def truth(self, value: Any) -> bool:
        """Whether a value counts as true."""
        raise NotImplementedError

    def text(self, value: Any) -> str:
        """A value as a template prints it."""
        raise NotImplementedError

    def unary(self, sign: str, value: Any) -> Any:
        """A sign before a value."""
        raise NotImplementedError

    def binary(self, sign: str, left: Any, right: Any, budget: Budget) -> Any:
        """A sign between two values."""
        raise NotImplementedError

    def get(self, target: Any, key: Any) -> Any:
        """An item or a property; what is not there is nothing."""
        raise NotImplementedError

    def put(self, target: Any, key: Any, value: Any, budget: Budget) -> None:
        """Set an item or a property."""
        raise NotImplementedError

    def items(self, run: Any, value: Any, keys: bool) -> Iterable[Any]:
        """What a loop goes through: rows of as many values as it has names."""
        raise NotImplementedError

    def array(self, items: list[Any]) -> Any:
        """A list with these items."""
        raise NotImplementedError

    def record(self, pairs: list[tuple[Any, Any]]) -> Any:
        """An object or a table; a pair without a key is an item of a list, or all that another object has."""
        raise NotImplementedError

    def pattern(self, source: str, flags: str) -> Any:
        """A regular expression."""
        raise TemplateError("regular expressions are not known here")
