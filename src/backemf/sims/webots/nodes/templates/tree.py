"""The parts of a program in a template: one set of them for JavaScript and Lua."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

# --- expressions


@dataclass(frozen=True, slots=True)
class Constant:
    """A number, a text, a truth value or nothing."""

    value: Any


@dataclass(frozen=True, slots=True)
class Name:
    """A variable."""

    name: str


@dataclass(frozen=True, slots=True)
class Array:
    """[a, b, ...c]"""

    items: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """{a: 1, [b]: 2}, or a table of Lua, whose items without a key have None as theirs."""

    pairs: tuple[tuple[Any, Any], ...]


@dataclass(frozen=True, slots=True)
class Spread:
    """...a"""

    value: Any


@dataclass(frozen=True, slots=True)
class Index:
    """a.b or a[b]"""

    target: Any
    key: Any


@dataclass(frozen=True, slots=True)
class Call:
    """a(b), a.b(c), or a:b(c) of Lua, where `method` is the name."""

    target: Any
    arguments: tuple[Any, ...]
    method: str = ""


@dataclass(frozen=True, slots=True)
class FunctionBody:
    """A function: what it takes, each with its default, and what it does."""

    parameters: tuple[tuple[Any, Any], ...]
    rest: str
    body: Any


@dataclass(frozen=True, slots=True)
class Unary:
    """-a, !a, not a, #a, typeof a"""

    sign: str
    value: Any


@dataclass(frozen=True, slots=True)
class Binary:
    """a + b"""

    sign: str
    left: Any
    right: Any


@dataclass(frozen=True, slots=True)
class Logical:
    """a && b, a || b, a ?? b: the right side is evaluated only if needed."""

    sign: str
    left: Any
    right: Any


@dataclass(frozen=True, slots=True)
class Choice:
    """a ? b : c"""

    test: Any
    yes: Any
    no: Any


@dataclass(frozen=True, slots=True)
class Assign:
    """a = b, a += b; `after` gives the value from before, as a++ does."""

    target: Any
    sign: str
    value: Any
    after: bool = False


@dataclass(frozen=True, slots=True)
class Join:
    """Parts of a text, such as `a${b}c`."""

    parts: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Pattern:
    """Regular expression of JavaScript."""

    source: str
    flags: str


@dataclass(frozen=True, slots=True)
class Rest:
    """What a function of Lua was given beyond its parameters: ..."""


# --- statements


@dataclass(frozen=True, slots=True)
class Declare:
    """let [a, b] = c, or local a, b = c, d."""

    targets: tuple[Any, ...]
    values: tuple[Any, ...]
    outer: bool = False
    """Whether the variables belong to the whole function, as with var."""


@dataclass(frozen=True, slots=True)
class AssignMany:
    """a, b = c, d of Lua."""

    targets: tuple[Any, ...]
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Evaluate:
    """An expression for what it does."""

    value: Any


@dataclass(frozen=True, slots=True)
class Block:
    """Statements with variables of their own."""

    statements: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class If:
    """if (a) b else c"""

    test: Any
    yes: Any
    no: Any


@dataclass(frozen=True, slots=True)
class Loop:
    """for (first; test; step) body; `late` tests after the body."""

    first: Any
    test: Any
    step: Any
    body: Any
    late: bool = False
    until: bool = False
    """Whether the loop ends where the test is true."""


@dataclass(frozen=True, slots=True)
class Count:
    """for i = first, last, step do body end"""

    name: str
    first: Any
    last: Any
    step: Any
    body: Any


@dataclass(frozen=True, slots=True)
class Each:
    """for (a of b), for (a in b), or for a, b in c of Lua."""

    targets: tuple[Any, ...]
    items: Any
    body: Any
    keys: bool = False


@dataclass(frozen=True, slots=True)
class Switch:
    """switch (a) { case b: ... default: ... }: tests, None for the default, each with its statements."""

    value: Any
    cases: tuple[tuple[Any, tuple[Any, ...]], ...]


@dataclass(frozen=True, slots=True)
class Leave:
    """break or continue"""

    word: str


@dataclass(frozen=True, slots=True)
class Return:
    """return a, b"""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Print:
    """Text between the statements of a template, or the value of an expression there."""

    value: Any


@dataclass(frozen=True, slots=True)
class At:
    """A statement with its line."""

    line: int
    statement: Any
