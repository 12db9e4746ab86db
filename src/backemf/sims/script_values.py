"""Values of the expressions in a configuration text, and the limits on evaluating it."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import dataclass, field
from typing import Any, Self, TypeAlias, TypeVar

STEPS = 200_000
"""Parts of expressions that are evaluated for one text at most [1]."""
DEPTH = 80
"""Deepest nesting of an expression, and of the lists in a value [1]."""
LONGEST = 20_000
"""Longest text or list that is evaluated [characters, items]."""
LARGEST = 2**1024
"""Integers stay below it, as floats do."""

T = TypeVar("T")
Function = ast.FunctionDef | ast.AsyncFunctionDef
Plain = str | int | float | bool | None
"""A value without parts, which may be the key of a dictionary."""
Value: TypeAlias = (
    "Plain | list[Value] | tuple[Value, ...] | dict[Plain, Value] | slice | Unknown | LocalClass | Instance"
)
"""What an expression gives."""
Holder: TypeAlias = "list[Value] | dict[Any, Value]"
"""What can be changed: a list, a dictionary, or the names of a scope."""
Key: TypeAlias = Any
"""Which of its entries: a place, a key or a name."""
Scope = dict[str, "Value"]
"""Names and their values."""


@dataclass(frozen=True)
class Dialect:
    """How a simulator's configurations are told from everything else in a text."""

    known: tuple[str, ...]
    """Classes of actuators that are read."""
    marker: str
    """The field that every actuator has: its patterns of joint names."""
    parts: tuple[str, ...] = ()
    """Classes and enumerations inside them."""
    copies: bool = False
    """Whether a class holds copies of its arguments, as Isaac Lab's do."""
    laws: tuple[str, ...] = ("class_type", "build")
    """What a user's class must not change to count as one of the known ones."""
    older: tuple[str, ...] = ()
    """What earlier versions call the marker."""

    @property
    def markers(self) -> tuple[str, ...]:
        """Every name of the field that an actuator has."""
        return (self.marker, *self.older)


class Exhausted(Exception):
    """The text asks for more work than any configuration does."""


class NoValueError(Exception):
    """An operation that has no value, and why."""


class NotKnownError(Exception):
    """An operation on a value that is not known."""

    def __init__(self, unknown: Unknown):
        super().__init__(unknown.why)
        self.unknown = unknown


def require(condition: bool, why: str = "") -> None:
    """Raise `NoValueError` unless an operation has a value."""
    if not condition:
        raise NoValueError(why)


def expect(value: object, *types: type[T]) -> T:
    """A value; raise `NoValueError` unless it is of one of some types."""
    if not isinstance(value, types):
        raise NoValueError
    return value


def require_known(*values: Value) -> None:
    """Raise `NotKnownError` for the first value that is not known."""
    for value in values:
        if isinstance(value, Unknown):
            raise NotKnownError(value)


class Budget:
    """Work that is left for a text."""

    def __init__(self, steps: int = STEPS):
        self.left = steps

    def spend(self, steps: int = 1) -> None:
        """Count some steps; raise `Exhausted` where none are left."""
        self.left -= steps
        if self.left < 0:
            raise Exhausted


class Unknown:
    """A value that only running the program would give."""

    __slots__ = ("name", "no_value", "why")

    def __init__(self, why: str, name: str = "", no_value: bool = False):
        self.why = why
        """What is not known, in one clause."""
        self.name = name
        """Placeholder for it in a path."""
        self.no_value = no_value
        """Whether the text is clear and has no value, such as 1 / 0."""


class Imported(Unknown):
    """A name that is imported from a file that is not read."""

    __slots__ = ("module", "original")

    def __init__(self, module: str, original: str, name: str):
        super().__init__(f"{name} is imported from {module or 'another file'}, which is not read", name)
        self.module = module
        self.original = original or module


class LocalFunction(Unknown):
    """A function that the text itself defines; its result is evaluated where it is called."""

    __slots__ = ("calls", "defaults", "file", "node", "scopes")

    def __init__(self, node: Function, scopes: list[Scope], file: str, defaults: Scope):
        super().__init__(f"{node.name}(...) is a function", node.name)
        self.node, self.scopes, self.file, self.defaults = node, scopes, file, defaults
        self.calls: list[set[str]] = []
        """Names of the arguments that each call gave."""

    @property
    def signature(self) -> inspect.Signature:
        """Its arguments, with the values of their defaults."""
        args = self.node.args
        kinds = (
            (inspect.Parameter.POSITIONAL_ONLY, args.posonlyargs),
            (inspect.Parameter.POSITIONAL_OR_KEYWORD, args.args),
            (inspect.Parameter.VAR_POSITIONAL, [args.vararg]),
            (inspect.Parameter.KEYWORD_ONLY, args.kwonlyargs),
            (inspect.Parameter.VAR_KEYWORD, [args.kwarg]),
        )
        rows = [(argument, kind) for kind, arguments in kinds for argument in arguments if argument is not None]
        empty = inspect.Parameter.empty
        return inspect.Signature(
            [inspect.Parameter(row.arg, kind, default=self.defaults.get(row.arg, empty)) for row, kind in rows]
        )

    @property
    def whole(self) -> bool:
        """Whether its calls show all it makes: it needs arguments, or has none, or one call gives every one."""
        args = self.node.args
        every = {argument.arg for argument in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
        return bool(self.calls) and (every != set(self.defaults) or any(every <= given for given in self.calls))


class Partial(str):
    """A text with parts that are not known, as in "{ROOT}/net.pt", or a path."""

    __slots__ = ("missing",)
    missing: tuple[str, ...]

    def __new__(cls, text: str, missing: tuple[str, ...] = ()) -> Self:
        made = super().__new__(cls, text)
        made.missing = missing
        return made


class NamedRow(tuple):
    """A row of numbers with a name for each, as `typing.NamedTuple` has them."""

    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, **values: float) -> NamedRow:
        """A row by its names."""
        made = cls(values.values())
        made.names = tuple(values)
        return made


@dataclass(eq=False)
class LocalClass:
    """A class that the text itself defines."""

    name: str
    """Its name, or that of the known class from which it differs only in values."""
    fields: Scope
    """Values that its body gives."""
    lines: dict[str, int]
    """Line of each [1]."""


@dataclass(eq=False)
class Instance:
    """A class with its fields, while a text is evaluated."""

    name: str
    """Name of the class, without the module."""
    file: str
    """File that it is in."""
    line: int
    """Line on which it begins [1]."""
    order: int
    """How many were made before it."""
    fields: Scope = field(default_factory=dict)
    """Value of each field."""
    lines: dict[str, tuple[str, int]] = field(default_factory=dict)
    """File and line of each field [1]."""
    shown: dict[str, str] = field(default_factory=dict)
    """Each field as it is written."""
    problem: str = ""
    """Why it cannot be read, if so."""
    origin: Instance | None = None
    """The instance that it is a copy of."""
    made: tuple[str, int] = ("", 0)
    """File and line of the statement that copied it."""
    called: int = 0
    """Line on which the function that makes it is called; 0: no function makes it [1]."""

    @property
    def first(self) -> Instance:
        """The instance in the text that this is a copy of."""
        return self if self.origin is None else self.origin


def one_line(node: ast.AST) -> str:
    """An expression on one line, shortened for an error message."""
    try:
        text = ast.unparse(node)
    except (RecursionError, ValueError):
        return "an expression"
    return re.sub(r"\s+", " ", text)[:60]


def last_name(node: ast.AST) -> str:
    """Last part of a dotted name, or an empty text."""
    return getattr(node, "id", "") or getattr(node, "attr", "")


def dotted_name(node: ast.AST) -> str:
    """A dotted name, or an empty text."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) < 10:
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""
