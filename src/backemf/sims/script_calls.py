"""Calls in a configuration text: of its own functions, of classes, copies of them, and of functions that are known."""

from __future__ import annotations

import ast
import copy
import dataclasses
from dataclasses import dataclass

from .script_expressions import Expressions
from .script_functions import CHANGING, POSITIONAL, TEXTUAL, Function, apply, function_of, method
from .script_operators import placeholder
from .script_scopes import UNBOUND
from .script_values import (
    Exhausted,
    Imported,
    Instance,
    LocalClass,
    LocalFunction,
    Unknown,
    Value,
    dotted_name,
    last_name,
    one_line,
    require_known,
)


@dataclass
class Arguments:
    """Arguments of a call."""

    values: list[Value]
    """By position."""
    named: dict[str, Value]
    """By name."""
    nodes: dict[str, ast.expr]
    """Expression that each named one comes from."""
    twice: str = ""
    """A name that is given twice."""
    lost: Unknown | None = None
    """What follows ** and is not a known dictionary."""


class Calls(Expressions):
    """Evaluates calls."""

    def run_function(self, function: LocalFunction, node: ast.Call) -> Value:
        """Result of a function of the text."""
        raise NotImplementedError

    def arguments_of(self, node: ast.Call) -> Arguments:
        """The arguments of a call."""
        given = Arguments(self._items(node.args), {}, {})
        for keyword in node.keywords:
            value = self.value(keyword.value)
            rows = value if keyword.arg is None else {keyword.arg: value}
            named = {key: item for key, item in rows.items() if isinstance(key, str)} if isinstance(rows, dict) else {}
            if not isinstance(rows, dict) or len(named) < len(rows):
                given.lost = Unknown(f"**{one_line(keyword.value)} is not a known dictionary")
                continue
            given.twice = next((key for key in named if key in given.named), given.twice)
            given.named.update(named)
            given.nodes.update(dict.fromkeys(named, keyword.value))
        return given

    def visit_Call(self, node: ast.Call) -> Value:
        self.visited.add(id(node))
        if isinstance(node.func, ast.Attribute) and not self.library(node.func.value):
            owner = self.value(node.func.value)
            if not isinstance(owner, Unknown):
                return self._method(owner, node.func.attr, node)
        local = self.value(node.func) if isinstance(node.func, ast.Name) else None
        if isinstance(local, LocalClass):
            return self._instance(node, local.name, local)
        if isinstance(local, LocalFunction):
            return self.run_function(local, node)
        function = self._function(node.func)
        name = self.library(node.func).rpartition(".")[2] or last_name(node.func)
        # a class as Python writes them: KneeCfg, not KNEE
        if function is None and name.lstrip("_")[:1].isupper() and not name.isupper():
            return self._instance(node, name)
        given = self.arguments_of(node)
        if function is None:
            why = f"{one_line(node.func)}(...) is not a function that is evaluated here"
            return Unknown(why, dotted_name(node.func))
        if function in (dataclasses.replace, copy.deepcopy):
            owner = given.values[0] if len(given.values) == 1 else Unknown("it is not a copy")
            if function is dataclasses.replace and isinstance(owner, Instance):
                return self._replace(owner, node, given)
            return self.copy_of(owner, node.lineno) if function is copy.deepcopy else Unknown("it is not a copy")
        values = list(map(placeholder, given.values)) if function in TEXTUAL else given.values
        require_known(*values, *given.named.values(), given.lost)
        return self.charge(apply(function, values, given.named))

    def _function(self, node: ast.expr) -> Function | None:
        if isinstance(node, ast.Attribute):
            module = self.library(node.value)
            return function_of(module, node.attr) if module else None
        value = self.look_up(node.id) if isinstance(node, ast.Name) else None
        if value is UNBOUND:
            return function_of("", last_name(node))
        return function_of(value.module, value.original) if isinstance(value, Imported) else None

    def _method(self, owner: Value, name: str, node: ast.Call) -> Value:
        given = self.arguments_of(node)
        if isinstance(owner, Instance):
            if name == "copy" and not (given.values or given.named or given.lost):
                return self.copy_of(owner, node.lineno)
            if name == "replace" and not given.values:
                return self._replace(owner, node, given)
            return Unknown(f"{owner.name}.{name}(...) is not a method that is evaluated here")
        if name not in ("append", "update", "get"):
            require_known(*given.values, *given.named.values())
        require_known(given.lost)
        if name in CHANGING and self.changes is not None and isinstance(owner, (list, dict)):
            self.changes.append((owner, None))
        return self.charge(method(owner, name, given.values, given.named))

    def _set_named(self, made: Instance, given: Arguments, node: ast.expr) -> None:
        for name, value in given.named.items():
            # Isaac Lab's classes hold copies of their arguments
            held, at = self.copy_of(value) if self.dialect.copies else value, given.nodes.get(name, node)
            self.set_field(made, name, held, at.lineno, one_line(at))

    def _replace(self, owner: Instance, node: ast.Call, given: Arguments) -> Instance:
        made = self.copy_instance(owner, node.lineno, {})
        self._set_named(made, given, node)
        if given.lost is not None:
            made.problem = f"line {node.lineno}: {made.name}: write the fields out in place of **"
        return made

    def _instance(self, node: ast.Call, name: str, local: LocalClass | None = None) -> Instance:
        made = Instance(name, self.file, node.lineno, len(self.instances), called=self.called_at)
        self.instances.append(made)
        try:
            if local is not None:
                for key, value in local.fields.items():
                    self.set_field(made, key, self.copy_of(value), local.lines.get(key, node.lineno), "")
            given, names = self.arguments_of(node), POSITIONAL.get(name, ())
            given.named = {**dict(zip(names, given.values, strict=False)), **given.named}
            self._set_named(made, given, node)
        except (Exhausted, RecursionError):
            # it is one of those that were not reached
            self.visited.discard(id(node))
            self.instances.remove(made)
            raise
        if len(given.values) > len(names):
            made.problem = f"{name}: give its fields by name, as in field=value"
        if given.lost is not None:
            made.problem = f"{name}: write the fields out in place of **"
        if given.twice:
            made.problem = f"{name}.{given.twice} is given twice"
        return made
