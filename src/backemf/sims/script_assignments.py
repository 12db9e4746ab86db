"""Assignments of a configuration text: to names, fields of classes and entries of tables; and what calls may change."""

from __future__ import annotations

import ast
from typing import Any

from .script_functions import Functions
from .script_names import last_name, one_line
from .script_operations import operate
from .script_values import Instance, NoValueError, Unknown


class Assignments(Functions):
    """Follows assignments; `own` are the names that the file itself gives a value."""

    own: dict[str, None]

    def _do_expr(self, node: ast.Expr) -> None:
        call = node.value
        if not isinstance(call, ast.Call) or last_name(call.func) != "setattr" or len(call.args) != 3:
            value = self.value(node.value)
            self._spoil(call, value)
            return
        self.visited.add(id(call))
        owner, name, value = (self.value(argument) for argument in call.args)
        if isinstance(owner, Instance) and isinstance(name, str):
            self.set_field(owner, name, value, node.lineno, one_line(call.args[2]))
        elif isinstance(owner, Instance):
            owner.problem = f"{owner.name}: {one_line(call)} sets a field that is not known"

    def _spoil(self, call: ast.expr, value: Any) -> None:
        """After a method that is not worked out, a class or a list may hold anything."""
        if not isinstance(value, Unknown) or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            return
        if self.library(call.func.value):
            return
        owner = self.value(call.func.value)
        if isinstance(owner, Instance):
            owner.problem = f"{owner.name}: line {call.lineno} calls {call.func.attr}(), which may change it"
        elif isinstance(owner, list):
            owner[:] = [Unknown(f"{one_line(call)} is not worked out")]
        elif isinstance(owner, dict):
            for key in owner:
                owner[key] = Unknown(f"{one_line(call)} is not worked out")

    def _do_assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self._assign(target, value, node.value)

    def _do_annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._assign(node.target, self.value(node.value), node.value)

    def _do_augassign(self, node: ast.AugAssign) -> None:
        old, change = self.value(node.target), self.value(node.value)
        value: Any = old if isinstance(old, Unknown) else change
        if not isinstance(value, Unknown):
            try:
                value = self.charge(operate(type(node.op), old, change))
            except NoValueError:
                value = Unknown(f"{one_line(node)} has no value", no_value=True)
        self._assign(node.target, value, node.value)

    def _assign(self, target: ast.expr, value: Any, node: ast.expr) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            simple = all(isinstance(part, (ast.Name, ast.Starred, ast.Tuple, ast.List)) for part in target.elts)
            if simple:
                self._remember(target)
                self.bind(target, value)
                return
            row = value if isinstance(value, (list, tuple)) and len(value) == len(target.elts) else None
            for index, part in enumerate(target.elts):
                self._assign(part, Unknown(f"{one_line(node)} is not known") if row is None else row[index], node)
        elif isinstance(target, ast.Name):
            self._remember(target)
            self.bind(target, value)
        elif isinstance(target, ast.Attribute):
            owner = self.value(target.value)
            if isinstance(owner, Instance):
                self.set_field(owner, target.attr, value, node.lineno, one_line(node))
        elif isinstance(target, ast.Subscript):
            self._assign_entry(self.value(target.value), target, value)

    def _assign_entry(self, owner: Any, target: ast.Subscript, value: Any) -> None:
        table: Any = owner
        slicing = isinstance(target.slice, ast.Slice)
        key: Any = Unknown("a slice is not read") if slicing else self.value(target.slice)
        entry = isinstance(owner, list) and type(key) is int and -len(owner) <= key < len(owner)
        if entry or (isinstance(owner, dict) and isinstance(key, (str, int, float))):
            if self.changes is not None:
                self.changes.append((table, key))
            table[key] = value
        elif isinstance(owner, (list, dict)):
            lost = Unknown(f"{one_line(target)} is not known")
            for index in range(len(owner)) if isinstance(owner, list) else list(owner):
                table[index] = lost

    def _remember(self, target: ast.expr) -> None:
        """Names that the file itself gives a value."""
        if len(self.scopes) == 1:
            self.own.update(dict.fromkeys(part.id for part in ast.walk(target) if isinstance(part, ast.Name)))

    def _do_delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.scopes[-1].pop(target.id, None)
            elif isinstance(target, ast.Subscript):
                table, key = self.value(target.value), self.value(target.slice)
                if isinstance(table, dict) and isinstance(key, (str, int, float)):
                    table.pop(key, None)
