"""Names that a configuration text gives a value, copies of these values, and the work that is left for it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from .script_names import dotted_name, one_line
from .script_values import DEPTH, Budget, Imported, Instance, NamedRow, Unknown


class Unbound:
    """What a name without a value has."""


class Scopes:
    """`scopes` are the names that have a value, the innermost last."""

    def __init__(self, parts: tuple[str, ...], copies: bool, budget: Budget):
        self.parts, self.copies, self.budget = parts, copies, budget
        self.file = ""
        self.scopes: list[dict[str, Any]] = [{}]
        self.borrowed = False
        self.depth = 0
        self.instances: list[Instance] = []
        self.visited: set[int] = set()
        self.changes: list[tuple[Any, Any]] | None = None
        self.called_at = 0

    def look_up(self, name: str) -> Any:
        """The value of a name, or None where the text gives it none."""
        for index in range(len(self.scopes) - 1, -1, -1):
            if name not in self.scopes[index]:
                continue
            value = self.scopes[index][name]
            if self.borrowed and index == 0 and len(self.scopes) > 1:
                # what a function does to the values of its file may never be done: it gets copies
                value = self.scopes[1][name] = self.copy_of(value, 0)
            return value
        return Unbound

    def library(self, node: ast.expr) -> str:
        """The module that a dotted name stands for, if it is one that is not read."""
        name = dotted_name(node)
        first, _, rest = name.partition(".")
        value = self.look_up(first) if first else None
        if value is Unbound:
            return name
        if isinstance(value, Imported):
            return f"{value.original}.{rest}" if rest else value.original
        return ""

    def items_of(self, value: Any, node: ast.expr) -> Any:
        """The items of a list or dictionary, or an `Unknown`."""
        if isinstance(value, (list, tuple, dict)):
            return list(value)
        return value if isinstance(value, Unknown) else Unknown(f"{one_line(node)} is no list")

    def bind(self, target: ast.expr, value: Any) -> None:
        """Give a value to a name or to each of several."""
        if isinstance(target, ast.Name):
            if self.changes is not None:
                self.changes.append((self.scopes[-1], target.id))
            self.scopes[-1][target.id] = value
            return
        if not isinstance(target, (ast.Tuple, ast.List)):
            return
        row, names = value if isinstance(value, (list, tuple)) else None, target.elts
        stars = [index for index, name in enumerate(names) if isinstance(name, ast.Starred)]
        fits = row is not None and (len(row) >= len(names) - 1 if stars else len(row) == len(names))
        if row is None or not fits:
            lost = value if isinstance(value, Unknown) else Unknown(f"there are not {len(names)} values to unpack")
            row, stars = [lost] * len(names), []
        if stars:
            after = len(names) - stars[0] - 1
            middle = list(row[stars[0] : len(row) - after])
            row = [*row[: stars[0]], middle, *row[len(row) - after :]]
        for name, item in zip(names, row, strict=True):
            self.bind(name.value if isinstance(name, ast.Starred) else name, item)

    @contextmanager
    def scope(self) -> Iterator[dict[str, Any]]:
        """Names of their own, as a comprehension, a function or a class has them."""
        inner: dict[str, Any] = {}
        self.scopes.append(inner)
        try:
            yield inner
        finally:
            self.scopes.pop()

    def copy_of(self, value: Any, line: int) -> Any:
        """A value of its own, all the way down; copies of classes know what they are copies of."""
        return self._copy(value, line, {}, 0)

    def _copy(self, value: Any, line: int, memo: dict[int, Any], depth: int) -> Any:
        if not isinstance(value, (list, dict, tuple, Instance)):
            return value
        if id(value) in memo:
            return memo[id(value)]
        self.charge(value)
        if depth > DEPTH:
            return Unknown("it is nested too deeply")

        def inner(item: Any) -> Any:
            return self._copy(item, line, memo, depth + 1)

        if isinstance(value, Instance):
            order = len(self.instances)
            made = replace(value, origin=value.first, order=order, fields={}, lines=dict(value.lines))
            made.called = self.called_at or value.called
            made.shown = dict(value.shown)
            if line:
                made.made = (self.file, line)
            self.instances.append(made)
            memo[id(value)] = made
            made.fields.update({name: inner(item) for name, item in value.fields.items()})
            return made
        if isinstance(value, NamedRow):
            return value
        if isinstance(value, tuple):
            return tuple(inner(item) for item in value)
        copy: Any = [] if isinstance(value, list) else {}
        memo[id(value)] = copy
        if isinstance(value, list):
            copy.extend(inner(item) for item in value)
        else:
            copy.update({key: inner(item) for key, item in value.items()})
        return copy

    def charge(self, value: Any) -> Any:
        """A value; a long one counts as more work."""
        self.budget.spend(1 + len(value) // 4 if isinstance(value, (list, tuple, dict, str)) else 1)
        return value

    def skip(self, *nodes: ast.AST) -> None:
        """Count the classes in a branch that is not taken as seen."""
        for node in nodes:
            for part in ast.walk(node):
                if isinstance(part, ast.Call):
                    self.visited.add(id(part))
