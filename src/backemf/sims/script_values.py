"""What the expressions of a configuration text stand for, and how much of it is worked out at most."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

STEPS = 200_000
"""Parts of expressions that are worked out for one text [1]."""
DEPTH = 80
"""Deepest nesting of an expression, and of the lists in a value [1]."""
LONGEST = 20_000
"""Longest text or list that is worked out [characters, items]."""
LARGEST = 2**1024
"""Whole numbers stay below it, as floats do."""


class Exhausted(Exception):
    """The text asks for more work than any configuration does."""


class NoValueError(Exception):
    """An operation that has no value, and why."""


class Budget:
    """Work that is left for a text."""

    def __init__(self, steps: int = STEPS):
        self.left = steps

    def spend(self, steps: int = 1) -> None:
        """Count some steps; raises `Exhausted` where none are left."""
        self.left -= steps
        if self.left < 0:
            raise Exhausted


class Unknown:
    """A value that only running the program would tell."""

    __slots__ = ("name", "no_value", "why")

    def __init__(self, why: str, name: str = "", no_value: bool = False):
        self.why = why
        """What is not known, in one clause."""
        self.name = name
        """What stands for it in a path."""
        self.no_value = no_value
        """Whether the text is clear and has no value, such as 1 / 0."""


class Imported(Unknown):
    """A name that is imported from a file that is not read."""

    __slots__ = ("module", "original")

    def __init__(self, module: str, original: str, name: str):
        shown = f"{module}.{original}" if original else module
        super().__init__(f"{name} is imported from {module or 'another file'}, which is not read", name)
        self.module = module
        self.original = original or shown


class LocalFunction(Unknown):
    """A function that the text itself defines; what it returns is worked out where it is called."""

    __slots__ = ("calls", "defaults", "file", "node", "scopes")

    def __init__(self, node: Any, scopes: list[dict[str, Any]], file: str, defaults: dict[str, Any]):
        super().__init__(f"{node.name}(...) is a function", node.name)
        self.node, self.scopes, self.file, self.defaults = node, scopes, file, defaults
        self.calls: list[set[str]] = []
        """Arguments that each call has given."""

    def defaulted(self, values: list[Any], more: dict[str, Any]) -> set[str]:
        """Arguments that a call leaves as they are."""
        names = [argument.arg for argument in (*self.node.args.posonlyargs, *self.node.args.args)]
        return {name for name in self.defaults if name not in more and name not in names[: len(values)]}

    @property
    def whole(self) -> bool:
        """Whether its calls tell all it makes: it needs arguments, or has none, or one call gives every one."""
        a = self.node.args
        every = {argument.arg for argument in (*a.posonlyargs, *a.args, *a.kwonlyargs)}
        return bool(self.calls) and (every != set(self.defaults) or any(every <= given for given in self.calls))


class Partial(str):
    """A text with parts that are not known, as in "{ROOT}/net.pt", or a path."""

    __slots__ = ("missing",)
    missing: tuple[str, ...]

    def __new__(cls, text: str, missing: tuple[str, ...] = ()) -> Partial:
        made = super().__new__(cls, text)
        made.missing = missing
        return made


class NamedRow(tuple):
    """A row of numbers with a name for each, as `typing.NamedTuple` has them."""

    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, **values: Any) -> NamedRow:
        """A row by its names."""
        made = cls(values.values())
        made.names = tuple(values)
        return made


@dataclass(eq=False)
class LocalClass:
    """A class that the text itself defines."""

    name: str
    """Its name, or that of the class that it is but for its values."""
    fields: dict[str, Any]
    """Values that its body gives."""
    lines: dict[str, int]
    """Line of each [1]."""


@dataclass(eq=False)
class Instance:
    """A class with its fields, while a text is worked out."""

    name: str
    """Name of the class, without the module."""
    file: str
    """File in which it stands."""
    line: int
    """Line on which it begins [1]."""
    order: int
    """How many were made before it."""
    fields: dict[str, Any] = field(default_factory=dict)
    """Value of each field."""
    lines: dict[str, tuple[str, int]] = field(default_factory=dict)
    """File and line of each field [1]."""
    shown: dict[str, str] = field(default_factory=dict)
    """Each field as it is written."""
    problem: str = ""
    """Why it cannot be read, if so."""
    origin: Instance | None = None
    """What it is a copy of."""
    made: tuple[str, int] = ("", 0)
    """File and line of the statement that copied it."""
    called: int = 0
    """Line on which the function that makes it is called; 0: it is made by none [1]."""

    @property
    def first(self) -> Instance:
        """The one that stands in the text, of which this is a copy."""
        return self if self.origin is None else self.origin


def plural(count: int, what: str) -> str:
    """A count with its noun."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
