"""Calls in a configuration text: classes that are made, copies of them, a short list of functions, and methods."""

from __future__ import annotations

import ast
from typing import Any

from .script_builtins import BUILTINS, HARDWARE, MATH, PATHS, POSITIONAL, apply
from .script_methods import CHANGING, method
from .script_names import dotted_name, is_class, last_name, one_line
from .script_operations import LIBRARIES, check_size, placeholder
from .script_scopes import Scopes, Unbound
from .script_values import STEPS, Exhausted, Imported, Instance, LocalClass, LocalFunction, Unknown


class Calls(Scopes):
    """Works out calls."""

    def _call(self, node: ast.Call) -> Any:
        self.visited.add(id(node))
        name = last_name(node.func)
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
        if function is None and is_class(self.library(node.func).rpartition(".")[2] or name):
            return self._instance(node, self.library(node.func).rpartition(".")[2] or name)
        values, more, lost = self._arguments(node)
        if function is None:
            return Unknown(f"{one_line(node.func)}(...) is no function that is worked out here", dotted_name(node.func))
        if function == "replace":
            owner = values[0] if len(values) == 1 else None
            return self._replaced(owner, node, more, lost) if isinstance(owner, Instance) else Unknown("it is no copy")
        if function in ("copy", "deepcopy"):
            return self.copy_of(values[0], node.lineno) if len(values) == 1 and not more else Unknown("it is no copy")
        # a path may have parts that are not known, a number may not
        if function in PATHS.values() or function is BUILTINS["Path"] or function is BUILTINS["str"]:
            values = [placeholder(value) if isinstance(value, Unknown) else value for value in values]
        for value in (*values, *more.values(), *([lost] if lost else [])):
            if isinstance(value, Unknown):
                return value
        return self.charge(apply(function, values, more))

    def value(self, node: ast.expr) -> Any:
        """What an expression stands for."""
        raise NotImplementedError

    def run_function(self, function: LocalFunction, node: ast.Call) -> Any:
        """What a function of the text returns."""
        raise NotImplementedError

    def _items(self, nodes: list[ast.expr]) -> list[Any]:
        found: list[Any] = []
        for node in nodes:
            value = self.value(node.value if isinstance(node, ast.Starred) else node)
            if not isinstance(node, ast.Starred):
                found.append(value)
            elif isinstance(value, (list, tuple, dict)):
                found.extend(value)
            else:
                found.append(value if isinstance(value, Unknown) else Unknown(f"{one_line(node)} is no list"))
        return check_size(found)

    def _arguments(self, node: ast.Call) -> tuple[list[Any], dict[str, Any], Unknown | None]:
        values, more = self._items(node.args), {}
        lost: Unknown | None = None
        for keyword in node.keywords:
            value = self.value(keyword.value)
            if keyword.arg is not None:
                more[keyword.arg] = value
            elif isinstance(value, dict) and all(isinstance(key, str) for key in value):
                more.update(value)
            else:
                lost = value if isinstance(value, Unknown) else Unknown(f"**{one_line(keyword.value)} is no dictionary")
        return values, more, lost

    def _function(self, node: ast.expr) -> Any:
        """One of the functions that are worked out, by the module it is from."""
        if isinstance(node, ast.Name):
            value = self.look_up(node.id)
            if value is Unbound:
                return HARDWARE.get(node.id) or BUILTINS.get(node.id) or ("deepcopy" if node.id == "deepcopy" else None)
            if not isinstance(value, Imported):
                return None
            return self._from_module(value.module, value.original)
        if isinstance(node, ast.Attribute) and (module := self.library(node.value)):
            return self._from_module(module, node.attr)
        return None

    @staticmethod
    def _from_module(module: str, name: str) -> Any:
        if module in LIBRARIES:
            return MATH.get(name)
        if module in ("os.path", "posixpath"):
            return PATHS.get(name)
        if module == "dataclasses":
            return name if name == "replace" else None
        if module in ("copy", "pathlib"):
            return name if name in ("copy", "deepcopy") else BUILTINS.get(name) if name == "Path" else None
        if module.split(".")[0] == "mjlab" or module.rpartition(".")[2] in ("actuator", "actuator_utils"):
            return HARDWARE.get(name)
        return None

    def _method(self, owner: Any, name: str, node: ast.Call) -> Any:
        values, more, lost = self._arguments(node)
        if isinstance(owner, Instance) and name == "copy" and not values and not more and not lost:
            return self.copy_of(owner, node.lineno)
        if isinstance(owner, Instance) and name == "replace" and not values:
            return self._replaced(owner, node, more, lost)
        if isinstance(owner, Instance):
            return Unknown(f"{owner.name}.{name}(...) is no method that is worked out here")
        for value in (*values, *more.values(), *([lost] if lost else [])):
            if isinstance(value, Unknown) and name not in ("append", "update", "get"):
                return value
        if lost is not None:
            return lost
        if name in CHANGING and self.changes is not None:
            self.changes.append((owner, None))
        return self.charge(method(owner, name, values, more))

    def _replaced(self, owner: Instance, node: ast.Call, more: dict[str, Any], lost: Unknown | None) -> Any:
        made = self.copy_of(owner, node.lineno)
        lines = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg is not None}
        for name, value in more.items():
            at = lines.get(name, node)
            self.set_field(made, name, value, at.lineno, one_line(at), new=True)
        if lost is not None:
            made.problem = f"line {node.lineno}: {made.name}: write the fields out in place of **"
        return made

    def set_field(self, owner: Instance, name: str, value: Any, line: int, text: str, new: bool = False) -> None:
        """Give a field a value; `new` where the class is being made."""
        if self.changes is not None:
            self.changes.append((owner.fields, name))
        # Isaac Lab's classes hold copies of what they are made of
        owner.fields[name] = self.copy_of(value, 0) if new and self.copies else value
        owner.lines[name] = (self.file, line)
        owner.shown[name] = text

    def _instance(self, node: ast.Call, name: str, local: LocalClass | None = None) -> Instance:
        made = Instance(name, self.file, node.lineno, len(self.instances), called=self.called_at)
        self.instances.append(made)
        try:
            self._fill(made, node, local)
        except (Exhausted, RecursionError):
            made.problem = f"{name}: the file takes more than {STEPS} steps to work out: give it a file of its own"
            raise
        return made

    def _fill(self, made: Instance, node: ast.Call, local: LocalClass | None) -> None:
        """Give a class that is being made its fields."""
        name = made.name
        if local is not None:
            for key, value in local.fields.items():
                self.set_field(made, key, self.copy_of(value, 0), local.lines.get(key, node.lineno), "")
        names = POSITIONAL.get(name, ())
        values = self._items(node.args)
        if len(values) > len(names):
            made.problem = f"{name}: give its fields by name, as in field=value"
        for key, value in zip(names, values, strict=False):
            self.set_field(made, key, value, node.lineno, "", new=True)
        given: set[str] = set()
        for keyword in node.keywords:
            value, line = self.value(keyword.value), keyword.value.lineno
            if keyword.arg is not None:
                rows = {keyword.arg: value}
            elif isinstance(value, dict) and all(isinstance(key, str) for key in value):
                rows = value
            else:
                made.problem = f"{name}: write the fields out in place of **"
                continue
            for key, item in rows.items():
                if key in given:
                    made.problem = f"{name}.{key} is given twice"
                given.add(key)
                self.set_field(made, key, item, line, one_line(keyword.value), new=True)
