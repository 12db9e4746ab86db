"""What a running template has: variables, functions, the interpreter, and what the two languages do differently."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple, TypeAlias

from .bounds import Budget, TemplateError

Value: TypeAlias = object
"""A value of either language: None, bool, float, str, a list, an object, a table or a function."""

DEEPEST = 60
"""How deep calls of functions may be nested [1]."""


class Frame:
    """Variables of a block, and the block around it."""

    __slots__ = ("home", "parent", "run", "values")

    def __init__(self, run: Interpreter, parent: Frame | None = None, function: bool = False):
        self.values: dict[str, Value] = {}
        self.run, self.parent = run, parent
        self.home: Frame = self if function or parent is None else parent.home

    def holder(self, name: str) -> Frame | None:
        """The frame that has a variable; None: none has."""
        frame: Frame | None = self
        while frame is not None and name not in frame.values:
            frame = frame.parent
        return frame


Get: TypeAlias = Callable[[Frame], Value]
Put: TypeAlias = Callable[[Frame, Value], None]
Statement: TypeAlias = Callable[[Frame], object]
"""Gives None, BREAK, CONTINUE or what a function returns."""
BREAK, CONTINUE = object(), object()


class Returned:
    """What a function returns."""

    __slots__ = ("value",)

    def __init__(self, value: Value):
        self.value = value


class Several(list[Value]):
    """The values that a function of Lua returns, where there is not just one."""


def first(value: Value) -> Value:
    """One value, the first where there are several."""
    if isinstance(value, Several):
        return value[0] if value else None
    return value


class Native:
    """A function of the library: it takes the interpreter, `this` and its arguments.

    An argument that is missing or undefined has its default, or None.
    """

    __slots__ = ("count", "defaults", "do", "rest")

    def __init__(self, do: Callable[..., Value]):
        code = do.__code__
        self.do, self.count = do, code.co_argcount - 2
        given = do.__defaults__ or ()
        self.defaults = (None,) * (self.count - len(given)) + given
        self.rest = bool(code.co_flags & inspect.CO_VARARGS)

    def call(self, run: Interpreter, this: Value, arguments: list[Value]) -> Value:
        """What the function returns."""
        count = self.count
        if len(arguments) == count and None not in arguments:
            return self.do(run, this, *arguments)
        found = [d if a is None else a for a, d in zip_longest(arguments[:count], self.defaults)] if count else []
        return self.do(run, this, *found, *arguments[count:]) if self.rest else self.do(run, this, *found)


def natives(functions: Mapping[str, Callable[..., Value]]) -> dict[str, Value]:
    """Functions of the library by their names."""
    return {name: Native(do) for name, do in functions.items()}


class Parameter(NamedTuple):
    """A parameter of a function."""

    declare: Put
    default: Get | None = None
    rest: bool = False
    """Whether it takes all arguments that are left."""


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function of the template."""

    parameters: list[Parameter]
    body: Statement
    frame: Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What one of the languages does its own way."""

    globals: Callable[[], dict[str, Value]]
    """Names that every template knows, made anew since a template may change them."""
    missing: Callable[[str], Value]
    """What a name that is not known stands for."""
    truth: Callable[[Value], bool]
    """Whether a value counts as true."""
    text: Callable[[Value], str]
    """A value as a template prints it."""
    number: Callable[[Value], float]
    """A value as a number."""
    copy: Callable[[Value], Value]
    """A value with copies of all that is in it."""
    unary: Mapping[str, Callable[[Value], Value]]
    """Operators before a value."""
    binary: Mapping[str, Callable[[Value, Value], Value]]
    """Operators between two values."""
    logical: Mapping[str, Callable[[Value], bool]]
    """Operators between two values, and when the left one leaves the answer to the right one."""
    same: Callable[[Value, Value], bool]
    """Whether a case of a switch applies."""
    get: Callable[[Value, Value], Value]
    """An item or a property; None where it is missing."""
    put: Callable[[Value, Value, Value, Budget], None]
    """Set an item or a property."""
    items: Callable[[Interpreter, Value, bool], Iterable[Iterable[Value]]]
    """What a loop goes through, its keys or its values: rows of as many values as it has names."""
    array: Callable[[list[Value]], Value]
    """A list with these items."""
    entries: Callable[[Value], list[Value]]
    """The items of a list; none where it is no list."""
    record: Callable[[list[tuple[Value, Value]]], Value]
    """An object or a table; a pair without a key is an item of a list, or all that another object has."""


class Interpreter:
    """A template that runs: its output, and its messages."""

    def __init__(self, dialect: Dialect, budget: Budget):
        self.dialect, self.budget = dialect, budget
        self.line = 0
        """Line of the statement that runs [1]."""
        self.output: list[tuple[str, int]] = []
        """What was printed, each with its line."""
        self.messages: list[str] = []
        """What the template tells its user."""
        self.random = 0.0
        """State of the random numbers, with the same seed every time."""
        self.depth = 0
        """How deep the call that runs is nested [1]."""
        self.top = Frame(self)
        """Variables of the whole program."""

    def run(self, program: Statement, names: dict[str, Value]) -> None:
        """Run a program with these variables."""
        self.top.values.update(self.dialect.globals())
        self.top.values.update(names)
        program(self.top)

    def call(self, function: Value, this: Value, arguments: list[Value]) -> Value:
        """Call a function of the library or of the template."""
        self.budget.spend(1 + len(arguments))
        if isinstance(function, dict):
            # such as Number, which has functions and is one
            function = function.get("()")
        if isinstance(function, Native):
            return function.call(self, this, arguments)
        if not isinstance(function, Function):
            raise TemplateError(f"{self.dialect.text(function)[:40]} is called and is not a function")
        if self.depth >= DEEPEST:
            raise TemplateError(f"functions call each other more than {DEEPEST} deep")
        self.depth += 1
        frame = Frame(self, function.frame, function=True)
        for index, (declare, default, rest) in enumerate(function.parameters):
            if rest:
                declare(frame, self.dialect.array(arguments[index:]))
                continue
            value = arguments[index] if index < len(arguments) else None
            declare(frame, default(frame) if value is None and default is not None else value)
        frame.values.setdefault("this", this)
        ended = function.body(frame)
        self.depth -= 1
        return ended.value if isinstance(ended, Returned) else None
