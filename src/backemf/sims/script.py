"""Configuration texts in Python, followed statement by statement without running them.

Assignments, loops over tables and conditions on constants are followed, and so are the text's own functions where it
calls them; others are looked into once, with arguments that are not known. Files beside the text are parsed where it
imports names from them. What depends on anything else is `Unknown` from there on. Every list, number and text is
bounded, and so is the work.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from ..errors import ParameterError
from ..files import read_text
from .script_expressions import last_name, shown
from .script_functions import Functions, Raised, Returned
from .script_operations import LIBRARIES, operate
from .script_values import (
    Budget,
    Exhausted,
    Imported,
    Instance,
    LocalClass,
    LocalFunction,
    NoValueError,
    Unknown,
)

FILES = 12
"""Files that are parsed for one text at most [1]."""
TEXT = 4_000_000
"""Longest file that is parsed [characters]."""
OUTSIDE = ("isaaclab", "mjlab", "typing", "dataclasses", "collections", "__future__", "os", "copy", "pathlib", "re")
"""Modules that are never looked for beside a text."""


def place(file: str, line: int) -> str:
    """A file and a line, as a sentence begins."""
    return f"{file}, line {line}" if file else f"line {line}"


def parsed(text: str, file: str) -> ast.Module:
    """The syntax of a text; raises one sentence where it is no Python."""
    if not isinstance(text, str):
        raise ParameterError(f"text = {type(text).__name__}(...): must be a text in Python")
    if len(text) > TEXT:
        raise ParameterError(
            f"{file or 'text'}: is longer than {TEXT} characters: give the actuators a file of their own"
        )
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise ParameterError(f"{place(file, error.lineno or 1)}: this is no Python: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise ParameterError(f"{file or 'text'}: this is no Python that can be read: {error}") from None


class Script(Functions):
    """A text that is followed to its end; `scopes[0]` then holds the names of the file."""

    def __init__(
        self,
        text: str,
        file: str = "",
        *,
        known: tuple[str, ...] = (),
        parts: tuple[str, ...] = (),
        copies: bool = False,
        reader: Script | None = None,
    ):
        super().__init__(parts, copies, Budget() if reader is None else reader.budget)
        self.file, self.known = file, known
        own = {Path(file).resolve(): None} if file else {}
        self.files: dict[Path, Script | None] = dict(own) if reader is None else reader.files
        self.instances = [] if reader is None else reader.instances
        self.tree = parsed(text, file)
        self.own: dict[str, None] = {}
        self.functions: list[tuple[LocalFunction, list[dict[str, Any]]]] = []
        self.roots: dict[str, Any] = {}
        self.exhausted = False
        self.scopes[0]["__name__"] = "__main__" if reader is None else Path(file).stem
        self._follow(reader is None)

    def _follow(self, whole: bool) -> None:
        try:
            self._run(self.tree.body)
            # a file that is only imported from is not looked into further
            for function, scopes in self.functions if whole else ():
                if not function.whole:
                    self._look_into(function.name, function.node, scopes)
        except (Exhausted, RecursionError):
            self.exhausted = True
        for name in self.own:
            if name in self.scopes[0]:
                self.roots.setdefault(name, self.scopes[0][name])

    # --- statements

    def _run(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.budget.spend()
            handler = getattr(self, f"_do_{type(statement).__name__.lower()}", None)
            if handler is not None:
                handler(statement)

    def _do_expr(self, node: ast.Expr) -> None:
        call = node.value
        if not isinstance(call, ast.Call) or last_name(call.func) != "setattr" or len(call.args) != 3:
            value = self.value(node.value)
            self._spoil(call, value)
            return
        self.visited.add(id(call))
        owner, name, value = (self.value(argument) for argument in call.args)
        if isinstance(owner, Instance) and isinstance(name, str):
            self.set_field(owner, name, value, node.lineno, shown(call.args[2]))
        elif isinstance(owner, Instance):
            owner.problem = f"{owner.name}: {shown(call)} sets a field that is not known"

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
            owner[:] = [Unknown(f"{shown(call)} is not worked out")]
        elif isinstance(owner, dict):
            for key in owner:
                owner[key] = Unknown(f"{shown(call)} is not worked out")

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
                value = self.charged(operate(type(node.op), old, change))
            except NoValueError:
                value = Unknown(f"{shown(node)} has no value", no_value=True)
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
                self._assign(part, Unknown(f"{shown(node)} is not known") if row is None else row[index], node)
        elif isinstance(target, ast.Name):
            self._remember(target)
            self.bind(target, value)
        elif isinstance(target, ast.Attribute):
            owner = self.value(target.value)
            if isinstance(owner, Instance):
                self.set_field(owner, target.attr, value, node.lineno, shown(node))
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
            lost = Unknown(f"{shown(target)} is not known")
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

    def _do_if(self, node: ast.If) -> None:
        taken = self.decided(node.test)
        if taken is None:
            for body in (node.body, node.orelse):
                self._perhaps(body, node.test, "it depends on")
            return
        self.skip(*(node.orelse if taken else node.body))
        self._run(node.body if taken else node.orelse)

    def _perhaps(self, body: list[ast.stmt], test: ast.AST, why: str) -> None:
        """Follow statements that may or may not be run; afterwards what they change is not known."""
        before, self.changes = self.changes, []
        lost = Unknown(f"{why} {shown(test)}, which is not known")
        try:
            self._run(body)
        except Returned:
            # the rest of the function is followed too
            assert self.frame is not None
            self.frame.perhaps = lost
        except Raised:
            # a program that goes on has not come here
            pass
        finally:
            changed, self.changes = self.changes, before
            for owner, key in changed:
                if key is not None:
                    owner[key] = lost
                elif isinstance(owner, list):
                    owner[:] = [lost]
                elif isinstance(owner, dict):
                    owner.update(dict.fromkeys(owner, lost))
            if self.changes is not None:
                self.changes.extend(changed)

    def _do_for(self, node: ast.For) -> None:
        items = self.items_of(self.value(node.iter), node.iter)
        ends = any(isinstance(part, (ast.Break, ast.Continue)) for part in ast.walk(node))
        if isinstance(items, Unknown) or ends:
            self.bind(
                node.target, items if isinstance(items, Unknown) else Unknown(f"{shown(node.target)} is not known")
            )
            self._perhaps(node.body, node.iter, "it depends on a loop over")
            return
        for item in items:
            self.bind(node.target, item)
            self._run(node.body)
        self._run(node.orelse)

    def _do_while(self, node: ast.While) -> None:
        self._perhaps(node.body, node.test, "it depends on")

    def _do_with(self, node: ast.With) -> None:
        for item in node.items:
            value = self.value(item.context_expr)
            if item.optional_vars is not None:
                self._assign(item.optional_vars, value, item.context_expr)
        self._run(node.body)

    def _do_try(self, node: ast.Try) -> None:
        self._run(node.body)
        for handler in node.handlers:
            self._perhaps(handler.body, handler.type or node, "it depends on")
        self._run(node.orelse)
        self._run(node.finalbody)

    def _do_match(self, node: ast.Match) -> None:
        for case in node.cases:
            self._perhaps(case.body, node.subject, "it depends on")

    # --- functions and classes

    def _do_functiondef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        function = LocalFunction(node, list(self.scopes), self.file, self.defaults_of(node))
        self.bind(ast.Name(id=node.name), function)
        if self.frame is None:
            self.functions.append((function, list(self.scopes[:1])))

    _do_asyncfunctiondef = _do_functiondef

    def _look_into(self, name: str, node: Any, scopes: list[dict[str, Any]]) -> None:
        """Follow a function once, with copies of what it takes from the file."""
        self.scopes, self.borrowed = [*scopes, {}], True
        inner = self.scopes[-1]
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        for argument in every:
            if argument is not None:
                inner[argument.arg] = Unknown(f"{argument.arg} is an argument of {name}()", argument.arg)
        try:
            self._run(node.body)
        finally:
            self.scopes, self.borrowed = scopes, False
        held = {key: value for key, value in inner.items() if key not in scopes[0]}
        self.roots[name] = list(held.values())

    def _do_classdef(self, node: ast.ClassDef) -> None:
        with self.scope() as inner:
            self._run(node.body)
        lines = {
            target.id: part.lineno
            for part in node.body
            if isinstance(part, (ast.Assign, ast.AnnAssign))
            for target in (part.targets if isinstance(part, ast.Assign) else [part.target])
            if isinstance(target, ast.Name)
        }
        fields = {name: value for name, value in inner.items() if name in lines}
        name = node.name
        for base in node.bases:
            parent = self.value(base) if isinstance(base, ast.Name) else None
            if isinstance(parent, LocalClass):
                fields, lines = {**parent.fields, **fields}, {**parent.lines, **lines}
            own = parent.name if isinstance(parent, LocalClass) else last_name(base)
            # a class with methods of its own, or another law, is another class
            plain = not any(isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)) for part in node.body)
            if own in self.known and plain and not {"class_type", "build"} & set(inner):
                name = own
        self._remember(ast.Name(id=node.name))
        self.bind(ast.Name(id=node.name), LocalClass(name, fields, lines))

    # --- files beside it

    def _do_import(self, node: ast.Import) -> None:
        for alias in node.names:
            name = alias.asname or alias.name.split(".")[0]
            self.bind(ast.Name(id=name), Imported(alias.name if alias.asname else name, "", name))

    def _do_importfrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        found = self._beside(module, node.level)
        for alias in node.names:
            name = alias.asname or alias.name
            if alias.name == "*":
                for other, value in found.scopes[0].items() if found is not None else ():
                    if not other.startswith("_"):
                        self.scopes[-1][other] = value
            elif found is not None and alias.name in found.scopes[0]:
                self.bind(ast.Name(id=name), found.scopes[0][alias.name])
            else:
                shown_module = "." * node.level + module
                self.bind(ast.Name(id=name), Imported(shown_module, alias.name, name))

    def _beside(self, module: str, level: int) -> Script | None:
        """The file that a module is, if it stands beside the text."""
        first = module.split(".")[0]
        if not self.file or first in LIBRARIES or (level == 0 and first in OUTSIDE):
            return None
        folder = Path(self.file).resolve().parent
        for _ in range(max(level - 1, 0)):
            folder = folder.parent
        roots = [folder] if level else [folder, *list(folder.parents)[:3]]
        for root in roots:
            base = root.joinpath(*module.split(".")) if module else root
            for path in (base.with_suffix(".py"), base / "__init__.py"):
                if path.is_file():
                    return self._other(path)
        return None

    def _other(self, path: Path) -> Script | None:
        path = path.resolve()
        if path in self.files:
            return self.files.get(path)
        if len(self.files) >= FILES:
            return None
        # a file that imports this one in turn finds nothing yet
        self.files[path] = None
        try:
            text = read_text(path, TEXT)
            self.files[path] = Script(
                text, str(path), known=self.known, parts=self.parts, copies=self.copies, reader=self
            )
        except ParameterError:
            return None
        return self.files[path]
