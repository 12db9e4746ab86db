"""Expressions of a configuration text, worked out without running it.

Literals, arithmetic, names that the text gives a value, tables and their entries, a short list of functions. Whatever
else stands there is an `Unknown`, which goes on through every expression that uses it.
"""

from __future__ import annotations

import ast
from typing import Any

from .script_comprehensions import Comprehensions
from .script_methods import attribute
from .script_names import dotted_name, last_name, one_line
from .script_operations import (
    CONSTANTS,
    LIBRARIES,
    check_size,
    compare,
    is_key,
    is_number,
    is_true,
    join_texts,
    operate,
    placeholder,
)
from .script_scopes import Unbound
from .script_values import DEPTH, Imported, NamedRow, NoValueError, Partial, Unknown


class Expressions(Comprehensions):
    """Works out expressions."""

    def value(self, node: ast.expr) -> Any:
        """What an expression stands for."""
        self.budget.spend()
        if self.depth >= DEPTH:
            return Unknown("it is nested too deeply")
        self.depth += 1
        try:
            handler = getattr(self, f"_{type(node).__name__.lower()}", None)
            return Unknown(f"{one_line(node)} is not read", "") if handler is None else handler(node)
        except NoValueError as error:
            why = f"{one_line(node)} has no value" + (f": {error}" if str(error) else "")
            return Unknown(why, dotted_name(node), no_value=True)
        finally:
            self.depth -= 1

    def _constant(self, node: ast.Constant) -> Any:
        if isinstance(node.value, (int, float, str, bool, type(None))):
            return check_size(node.value)
        return Unknown(f"{one_line(node)} is no number or text")

    def _name(self, node: ast.Name) -> Any:
        value = self.look_up(node.id)
        if value is Unbound:
            if node.id == "__file__" and self.file:
                return Partial(self.file)
            return Unknown(f"{node.id} has no value in this file", node.id)
        if isinstance(value, Imported) and value.module in LIBRARIES and value.original in CONSTANTS:
            return CONSTANTS[value.original]
        return value

    def _list(self, node: ast.List) -> list[Any]:
        return self._items(node.elts)

    def _tuple(self, node: ast.Tuple) -> tuple[Any, ...]:
        return tuple(self._items(node.elts))

    def _dict(self, node: ast.Dict) -> Any:
        found: dict[Any, Any] = {}
        for key_node, item_node in zip(node.keys, node.values, strict=True):
            item = self.value(item_node)
            if key_node is None:
                if not isinstance(item, dict):
                    return item if isinstance(item, Unknown) else Unknown(f"{one_line(item_node)} is no dictionary")
                found.update(item)
                continue
            key = self.value(key_node)
            if isinstance(key, Unknown) or not is_key(key):
                return key if isinstance(key, Unknown) else Unknown(f"{one_line(key_node)} is no text")
            found[key] = item
        return check_size(found)

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        value = self.value(node.operand)
        if isinstance(value, Unknown):
            return value
        if isinstance(node.op, ast.Not):
            return not is_true(value)
        if not is_number(value) or isinstance(node.op, ast.Invert):
            raise NoValueError("")
        return -value if isinstance(node.op, ast.USub) else value

    def _binop(self, node: ast.BinOp) -> Any:
        left, right = self.value(node.left), self.value(node.right)
        pieces = isinstance(node.op, (ast.Add, ast.Div))
        if pieces and isinstance(left, Unknown) and isinstance(right, str):
            left = placeholder(left)
        if isinstance(node.op, ast.Add) and isinstance(right, Unknown) and isinstance(left, str):
            right = placeholder(right)
        if isinstance(node.op, ast.Div) and isinstance(right, Unknown) and isinstance(left, Partial):
            right = placeholder(right)
        for side in (left, right):
            if isinstance(side, Unknown):
                return side
        return self.charge(operate(type(node.op), left, right))

    def _boolop(self, node: ast.BoolOp) -> Any:
        stop = isinstance(node.op, ast.Or)
        value: Any = None
        for index, part in enumerate(node.values):
            value = self.value(part)
            if isinstance(value, Unknown):
                for rest in node.values[index + 1 :]:
                    self.value(rest)
                return value
            if is_true(value) is stop:
                self.skip(*node.values[index + 1 :])
                return value
        return value

    def _compare(self, node: ast.Compare) -> Any:
        left = self.value(node.left)
        for operation, part in zip(node.ops, node.comparators, strict=True):
            right = self.value(part)
            for side in (left, right):
                if isinstance(side, Unknown):
                    return side
            if not compare(type(operation), left, right):
                return False
            left = right
        return True

    def decide(self, test: ast.expr) -> bool | None:
        """Whether a condition holds; None where the text alone does not say."""
        value = self.value(test)
        try:
            return None if isinstance(value, Unknown) else is_true(value)
        except NoValueError:
            return None

    def _ifexp(self, node: ast.IfExp) -> Any:
        chosen = self.decide(node.test)
        if chosen is None:
            for branch in (node.body, node.orelse):
                self.value(branch)
            return Unknown(f"it depends on {one_line(node.test)}, which is not known")
        self.skip(node.orelse if chosen else node.body)
        return self.value(node.body if chosen else node.orelse)

    def _namedexpr(self, node: ast.NamedExpr) -> Any:
        value = self.scopes[-1][node.target.id] = self.value(node.value)
        return value

    def _starred(self, node: ast.Starred) -> Any:
        return Unknown(f"{one_line(node)} is not read")

    def _joinedstr(self, node: ast.JoinedStr) -> Any:
        parts: list[str] = []
        for part in node.values:
            if isinstance(part, ast.Constant):
                parts.append(str(part.value))
                continue
            if not isinstance(part, ast.FormattedValue):
                return Unknown(f"{one_line(node)} is not read")
            value = self.value(part.value)
            plain = isinstance(value, (str, int, float)) and part.format_spec is None and part.conversion == -1
            if isinstance(value, str) and plain:
                parts.append(value)
            elif plain:
                parts.append(str(value))
            else:
                parts.append(placeholder(Unknown("", one_line(part.value))))
        return join_texts(*parts)

    def _attribute(self, node: ast.Attribute) -> Any:
        if last_name(node.value) in self.parts and self.library(node.value):
            return node.attr
        if self.library(node.value) in LIBRARIES and node.attr in CONSTANTS:
            return CONSTANTS[node.attr]
        value = self.value(node.value)
        if isinstance(value, Unknown):
            return Unknown(value.why, dotted_name(node))
        return attribute(value, node.attr)

    def _subscript(self, node: ast.Subscript) -> Any:
        table = self.value(node.value)
        if isinstance(node.slice, ast.Slice):
            return self._slice_of(table, node.slice)
        key = self.value(node.slice)
        for side in (table, key):
            if isinstance(side, Unknown):
                return side
        if isinstance(table, dict):
            if not is_key(key) or key not in table:
                raise NoValueError("there is no such entry")
            return table[key]
        if isinstance(table, (list, tuple, str)) and type(key) is int and not isinstance(table, Partial):
            if not -len(table) <= key < len(table):
                raise NoValueError("there is no such entry")
            return table[key]
        raise NoValueError("")

    def _slice_of(self, table: Any, node: ast.Slice) -> Any:
        ends = [None if end is None else self.value(end) for end in (node.lower, node.upper, node.step)]
        for side in (table, *ends):
            if isinstance(side, Unknown):
                return side
        whole = all(end is None or type(end) is int for end in ends) and ends[2] != 0
        if not whole or not isinstance(table, (list, tuple, str)) or isinstance(table, (Partial, NamedRow)):
            raise NoValueError("")
        return table[slice(*ends)]
