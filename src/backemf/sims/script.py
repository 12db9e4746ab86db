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
from .place import place
from .script_branches import Branches
from .script_names import last_name
from .script_operations import LIBRARIES
from .script_values import Budget, Exhausted, Imported, LocalClass, LocalFunction, Unknown

FILES = 12
"""Files that are parsed for one text at most [1]."""
TEXT = 4_000_000
"""Longest file that is parsed [characters]."""
OUTSIDE = ("isaaclab", "mjlab", "typing", "dataclasses", "collections", "__future__", "os", "copy", "pathlib", "re")
"""Modules that are never looked for beside a text."""


def parse_python(text: str, file: str) -> ast.Module:
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


class Script(Branches):
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
        self.tree = parse_python(text, file)
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
