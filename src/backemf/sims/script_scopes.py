"""Names of a configuration text, the values that they have, and copies of those values."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager

from .script_operators import ROWS
from .script_values import (
    DEPTH,
    Budget,
    Dialect,
    Holder,
    Imported,
    Instance,
    Key,
    NamedRow,
    Scope,
    Unknown,
    Value,
    dotted_name,
)

UNBOUND = Unknown("it has no value")
"""Stands for the value of a name that has none."""


class Scopes(ast.NodeVisitor):
    """The names that have a value, the innermost `scopes` last."""

    def __init__(self, dialect: Dialect, file: str, budget: Budget, instances: list[Instance]):
        self.dialect, self.file, self.budget = dialect, file, budget
        self.scopes: list[Scope] = [{}]
        self.borrowed = False
        """Whether names of the file are copied before they are used."""
        self.depth = 0
        self.instances = instances
        self.visited: set[int] = set()
        """Calls that were evaluated."""
        self.changes: list[tuple[Holder, Key]] | None = None
        """Tables and their changed keys, in a branch that may not be run; None outside of one."""
        self.called_at = 0
        """Line of the call of the outermost function that is being followed; 0: none [1]."""

    def charge(self, value: Value) -> Value:
        """A value; a long one counts as more work."""
        self.budget.spend(1 + len(value) // 4 if isinstance(value, (*ROWS, str)) else 1)
        return value

    def skip(self, *nodes: ast.AST) -> None:
        """Count the classes in a branch that is not taken as seen."""
        self.visited.update(id(part) for node in nodes for part in ast.walk(node) if isinstance(part, ast.Call))

    def look_up(self, name: str) -> Value:
        """The value of a name, or `UNBOUND`."""
        for index in range(len(self.scopes) - 1, -1, -1):
            if name not in self.scopes[index]:
                continue
            value = self.scopes[index][name]
            if self.borrowed and index == 0 and len(self.scopes) > 1:
                # what a function does to the values of its file may never be done: it gets copies
                value = self.scopes[1][name] = self.copy_of(value)
            return value
        return UNBOUND

    def library(self, node: ast.expr) -> str:
        """The module that a dotted name refers to, if it is one that is not read."""
        name = dotted_name(node)
        first, _, rest = name.partition(".")
        value = self.look_up(first) if first else None
        if value is UNBOUND:
            return name
        if isinstance(value, Imported):
            return f"{value.original}.{rest}" if rest else value.original
        return ""

    def change(self, table: Holder, key: Key, value: Value) -> None:
        """Set an entry of a scope, list or dictionary."""
        if self.changes is not None:
            self.changes.append((table, key))
        table[key] = value

    @contextmanager
    def scope(self) -> Iterator[Scope]:
        """New names, as a comprehension, a function or a class has them."""
        inner: Scope = {}
        self.scopes.append(inner)
        try:
            yield inner
        finally:
            self.scopes.pop()

    def copy_of(self, value: Value, line: int = 0, memo: dict[int, Value] | None = None, depth: int = 0) -> Value:
        """A deep copy; copies of classes know what they are copies of, and the line that made them."""
        if not isinstance(value, (*ROWS, Instance)) or isinstance(value, NamedRow):
            return value
        memo = {} if memo is None else memo
        if id(value) in memo:
            return memo[id(value)]
        self.charge(value)
        if depth > DEPTH:
            return Unknown("it is nested too deeply")
        if isinstance(value, Instance):
            return self.copy_instance(value, line, memo, depth)
        if isinstance(value, dict):
            memo[id(value)] = table = {}
            table.update({key: self.copy_of(item, line, memo, depth + 1) for key, item in value.items()})
            return table
        row: list[Value] = []
        if isinstance(value, list):
            memo[id(value)] = row
        row.extend(self.copy_of(item, line, memo, depth + 1) for item in value)
        return row if isinstance(value, list) else tuple(row)

    def copy_instance(self, value: Instance, line: int, memo: dict[int, Value], depth: int = 0) -> Instance:
        """A deep copy of a class."""
        memo[id(value)] = made = dataclasses.replace(
            value,
            origin=value.first,
            order=len(self.instances),
            fields={},
            lines=dict(value.lines),
            shown=dict(value.shown),
            called=self.called_at or value.called,
            made=(self.file, line) if line else value.made,
        )
        self.instances.append(made)
        made.fields.update({key: self.copy_of(item, line, memo, depth + 1) for key, item in value.fields.items()})
        return made


def unpack(target: ast.Tuple | ast.List, value: Value) -> list[tuple[ast.expr, Value]]:
    """Each of several targets with its part of a value."""
    names = target.elts
    stars = [index for index, name in enumerate(names) if isinstance(name, ast.Starred)]
    row = list(value) if isinstance(value, (list, tuple)) else []
    if isinstance(value, Unknown) or not (len(row) >= len(names) - 1 if stars else len(row) == len(names)):
        lost = value if isinstance(value, Unknown) else Unknown(f"there are not {len(names)} values to unpack")
        row = [lost] * len(names)
    elif stars:
        after = len(row) - (len(names) - stars[0] - 1)
        row = [*row[: stars[0]], row[stars[0] : after], *row[after:]]
    plain = [name.value if isinstance(name, ast.Starred) else name for name in names]
    return list(zip(plain, row, strict=True))


def lose(owner: Value, lost: Unknown) -> None:
    """Forget what a list or dictionary holds."""
    if isinstance(owner, list):
        owner[:] = [lost] * max(len(owner), 1)
    elif isinstance(owner, dict):
        owner.update(dict.fromkeys(owner, lost))
