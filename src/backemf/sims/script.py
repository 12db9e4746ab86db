"""Configuration texts in Python, followed statement by statement without running them.

Assignments, loops over tables and conditions on constants are followed, and so are the text's own functions where it
calls them; other functions are followed once, with arguments that are not known. Files beside the text are parsed where
it imports names from them. What depends on anything else is `Unknown` from there on. Every list, number and text is
bounded, and so is the work.
"""

from __future__ import annotations

import ast
from pathlib import Path

from ..errors import ParameterError
from ..files import read_text
from .place import place
from .script_calls import Calls
from .script_operators import LIBRARIES
from .script_scopes import lose
from .script_values import (
    Budget,
    Dialect,
    Exhausted,
    Function,
    Imported,
    Instance,
    LocalClass,
    LocalFunction,
    NotKnownError,
    Scope,
    Unknown,
    Value,
    last_name,
    one_line,
)

FILES = 12
"""Files that are parsed for one text at most [1]."""
TEXT = 4_000_000
"""Longest file that is parsed [characters]."""
CALLS = 40
"""Functions inside functions at most [1]."""
OUTSIDE = ("isaaclab", "mjlab", "typing", "dataclasses", "collections", "__future__", "os", "copy", "pathlib", "re")
"""Modules that are never looked for beside a text."""
_NOT_FOLLOWED = (ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal)


def parse_python(text: str, file: str) -> ast.Module:
    """The syntax tree of a text; raise ParameterError where it is not Python."""
    if not isinstance(text, str):
        raise ParameterError(f"text = {type(text).__name__}(...): must be a text in Python")
    if len(text) > TEXT:
        raise ParameterError(f"{file or 'text'}: is longer than {TEXT} characters: give the actuators their own file")
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise ParameterError(f"{place(file, error.lineno or 1)}: this is not Python: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise ParameterError(f"{file or 'text'}: this is not Python that can be read: {error}") from None


class Returned(Exception):
    """A function returns."""

    def __init__(self, value: Value):
        super().__init__()
        self.value = value


class Raised(Exception):
    """A function ends in an error."""


class Script(Calls):
    """A text that is followed to its end; `scopes[0]` then holds the names of the file."""

    def __init__(self, text: str, dialect: Dialect, file: str = "", *, reader: Script | None = None):
        if reader is None:
            super().__init__(dialect, file, Budget(), [])
        else:
            super().__init__(dialect, file, reader.budget, reader.instances)
        own = {Path(file).resolve(): None} if file else {}
        self.files: dict[Path, Script | None] = dict(own) if reader is None else reader.files
        self.tree = parse_python(text, file)
        self.own: dict[str, None] = {}
        """Names that the file itself gives a value."""
        self.functions: list[LocalFunction] = []
        self.roots: Scope = {}
        self.exhausted = False
        self.frame: list[Unknown] | None = None
        """Why the call that is being followed may have returned before its end; None: the file itself."""
        self.inside = 0
        """Calls that are being followed."""
        self.scopes[0]["__name__"] = "__main__" if reader is None else Path(file).stem
        self._follow(reader is None)

    def _follow(self, whole: bool) -> None:
        try:
            self._run(self.tree.body)
            # a file that is only imported from is not followed further
            for function in self.functions if whole else ():
                if not function.whole:
                    self._look_into(function)
        except (Exhausted, RecursionError):
            self.exhausted = True
        for name in self.own:
            if name in self.scopes[0]:
                self.roots.setdefault(name, self.scopes[0][name])

    def _run(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.budget.spend()
            self.visit(statement)

    # --- functions, classes and imports

    def _define(self, name: str, value: Value) -> None:
        self.bind(ast.Name(id=name), value)

    def visit_FunctionDef(self, node: Function) -> None:
        """Define a function, with the defaults that its arguments have here."""
        args = node.args
        positional = [*args.posonlyargs, *args.args]
        names = [*positional[len(positional) - len(args.defaults) :], *args.kwonlyargs]
        pairs = zip(names, [*args.defaults, *args.kw_defaults], strict=True)
        defaults = {argument.arg: self.value(default) for argument, default in pairs if default is not None}
        function = LocalFunction(node, list(self.scopes), self.file, defaults)
        self._define(node.name, function)
        if self.frame is None:
            self.functions.append(function)

    visit_AsyncFunctionDef = visit_FunctionDef

    def _look_into(self, function: LocalFunction) -> None:
        """Follow a function once, with copies of what it takes from the file."""
        outer, name = self.scopes[:1], function.name
        names = [part.arg for part in ast.walk(function.node.args) if isinstance(part, ast.arg)]
        inner = {each: Unknown(f"{each} is an argument of {name}()", each) for each in names}
        self.scopes, self.borrowed = [*outer, inner], True
        try:
            self._run(function.node.body)
        finally:
            self.scopes, self.borrowed = outer, False
        self.roots[name] = [value for key, value in inner.items() if key not in outer[0]]

    def run_function(self, function: LocalFunction, node: ast.Call) -> Value:
        """Result of a function of the text, followed with the arguments of a call."""
        inner = self._arguments_by_name(function, node)
        if inner is None:
            return Unknown(f"{one_line(node.func)}(...) is not a function that is evaluated here", function.name)
        before = self.scopes, self.file, self.frame, self.called_at
        early: list[Unknown] = []
        self.scopes, self.file, self.frame = [*function.scopes, inner], function.file, early
        self.called_at = self.called_at or node.lineno
        self.inside += 1
        value = None
        try:
            self._run(function.node.body)
        except Returned as end:
            value = end.value
        except Raised:
            value = Unknown(f"{one_line(node)} ends in an error")
        finally:
            self.inside -= 1
            self.scopes, self.file, self.frame, self.called_at = before
            self.skip(*function.node.body)
        return early[-1] if early else value

    def _arguments_by_name(self, function: LocalFunction, call: ast.Call) -> Scope | None:
        """The arguments of a call; None where they do not fit, or the function is not one that is followed."""
        node, given = function.node, self.arguments_of(call)
        if isinstance(node, ast.AsyncFunctionDef) or node.decorator_list or given.lost or self.inside >= CALLS:
            return None
        if any(isinstance(part, _NOT_FOLLOWED) for part in ast.walk(node)):
            return None
        try:
            bound = function.signature.bind(*given.values, **given.named)
        except (TypeError, ValueError):
            return None
        function.calls.append(set(bound.arguments))
        bound.apply_defaults()
        for name, default in function.defaults.items():
            if name not in function.calls[-1] and isinstance(default, (list, dict)):
                bound.arguments[name] = self.copy_of(default)
        return bound.arguments

    def visit_Return(self, node: ast.Return) -> None:
        """Leave a function that is called; where it is only looked into, keep what it returns."""
        value = None if node.value is None else self.value(node.value)
        if self.frame is not None:
            raise Returned(value)
        if node.value is not None:
            self.scopes[-1]["return"] = value

    def visit_Raise(self, node: ast.Raise) -> None:
        """Leave a function that is called."""
        if self.frame is not None:
            raise Raised

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Define a class; one that only gives other values is the known class that it is derived from."""
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
        # a class with methods, or another law, is another class
        methods = any(isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)) for part in node.body)
        for base in node.bases:
            parent, own = self.value(base) if isinstance(base, ast.Name) else None, last_name(base)
            if isinstance(parent, LocalClass):
                fields, lines, own = {**parent.fields, **fields}, {**parent.lines, **lines}, parent.name
            if own in self.dialect.known and not methods and not {"class_type", "build"} & set(inner):
                name = own
        self._assign(ast.Name(node.name, ast.Store()), LocalClass(name, fields, lines))

    def visit_Import(self, node: ast.Import) -> None:
        """Define the names of modules."""
        for alias in node.names:
            name = alias.asname or alias.name.split(".")[0]
            self._define(name, Imported(alias.name if alias.asname else name, "", name))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Define names of another file, with their values if it is beside the text."""
        module = node.module or ""
        other = self._beside(module, node.level)
        names: Scope = {} if other is None else other.scopes[0]
        for alias in node.names:
            name = alias.asname or alias.name
            if alias.name == "*":
                self.scopes[-1].update({key: value for key, value in names.items() if not key.startswith("_")})
            else:
                self._define(name, names.get(alias.name, Imported("." * node.level + module, alias.name, name)))

    def _beside(self, module: str, level: int) -> Script | None:
        """The file of a module, if it is beside the text."""
        first = module.split(".")[0]
        if not self.file or first in LIBRARIES or (level == 0 and first in OUTSIDE):
            return None
        folders = list(Path(self.file).resolve().parents)
        for root in folders[level - 1 : level] if level else folders[:4]:
            base = root.joinpath(*module.split(".")) if module else root
            for path in (base.with_suffix(".py"), base / "__init__.py"):
                if path.is_file():
                    return self._other(path.resolve())
        return None

    def _other(self, path: Path) -> Script | None:
        if path not in self.files and len(self.files) < FILES:
            # a file that imports this one in turn finds nothing yet
            self.files[path] = None
            try:
                self.files[path] = Script(read_text(path, TEXT), self.dialect, str(path), reader=self)
            except ParameterError:
                return None
        return self.files.get(path)

    # --- assignments

    def visit_Expr(self, node: ast.Expr) -> None:
        """Evaluate a call for what it changes."""
        call = node.value
        if not isinstance(call, ast.Call) or last_name(call.func) != "setattr" or len(call.args) != 3:
            self._spoil(call, self.value(call))
            return
        self.visited.add(id(call))
        owner, name, value = (self.value(argument) for argument in call.args)
        if isinstance(owner, Instance) and isinstance(name, str):
            self.set_field(owner, name, value, node.lineno, one_line(call.args[2]))
        elif isinstance(owner, Instance):
            owner.problem = f"{owner.name}: {one_line(call)} sets a field that is not known"

    def _spoil(self, call: ast.expr, value: Value) -> None:
        """After a method that is not evaluated, a class or a list may hold anything."""
        if not isinstance(value, Unknown) or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            return
        if self.library(call.func.value):
            return
        owner = self.value(call.func.value)
        if isinstance(owner, Instance):
            owner.problem = f"{owner.name}: line {call.lineno} calls {call.func.attr}(), which may change it"
        else:
            lose(owner, Unknown(f"{one_line(call)} is not evaluated"))

    def visit_Assign(self, node: ast.Assign) -> None:
        """Give every target the value."""
        value = self.value(node.value)
        for target in node.targets:
            self._assign(target, value, node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Give the target the value, if there is one."""
        if node.value is not None:
            self._assign(node.target, self.value(node.value), node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """Change the target by an operator."""
        self._assign(node.target, self.value(ast.BinOp(node.target, node.op, node.value)), node.value)

    def _assign(self, target: ast.expr, value: Value, node: ast.expr | None = None) -> None:
        if len(self.scopes) == 1:
            names = [part for part in ast.walk(target) if isinstance(part, ast.Name)]
            self.own.update(dict.fromkeys(name.id for name in names if isinstance(name.ctx, ast.Store)))
        self.bind(target, value, node)

    def visit_Delete(self, node: ast.Delete) -> None:
        """Forget names and entries of dictionaries."""
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.scopes[-1].pop(target.id, None)
            elif isinstance(target, ast.Subscript):
                table, key = self.value(target.value), self.value(target.slice)
                if isinstance(table, dict) and isinstance(key, (str, int, float)):
                    table.pop(key, None)

    # --- branches and loops

    def visit_If(self, node: ast.If) -> None:
        """Follow the branch that is taken, or both where that is not known."""
        taken = self.decide(node.test)
        if taken is None:
            for body in (node.body, node.orelse):
                self._perhaps(body, node.test)
            return
        self.skip(*(node.orelse if taken else node.body))
        self._run(node.body if taken else node.orelse)

    def _perhaps(self, body: list[ast.stmt], test: ast.AST, why: str = "it depends on") -> None:
        """Follow statements that may or may not be run; afterwards what they change is not known."""
        before, self.changes = self.changes, []
        lost = Unknown(f"{why} {one_line(test)}, which is not known")
        try:
            self._run(body)
        except Returned:
            # the rest of the function is followed too
            assert self.frame is not None
            self.frame.append(lost)
        except Raised:
            # a program that goes on has not come here
            pass
        finally:
            changed, self.changes = self.changes, before
            for owner, key in changed:
                if key is None:
                    lose(owner, lost)
                else:
                    owner[key] = lost
            if self.changes is not None:
                self.changes.extend(changed)

    def visit_For(self, node: ast.For) -> None:
        """Follow a loop for each item; once where the items are not known or it may end early."""
        try:
            items = self.items_of(node.iter)
            if any(isinstance(part, (ast.Break, ast.Continue)) for part in ast.walk(node)):
                raise NotKnownError(Unknown(f"{one_line(node.target)} is not known"))
        except NotKnownError as error:
            self.bind(node.target, error.unknown)
            self._perhaps(node.body, node.iter, "it depends on a loop over")
            return
        for item in items:
            self.bind(node.target, item)
            self._run(node.body)
        self._run(node.orelse)

    def visit_While(self, node: ast.While) -> None:
        """Follow the body once."""
        self._perhaps(node.body, node.test)

    def visit_With(self, node: ast.With) -> None:
        """Follow the body with its names."""
        for item in node.items:
            value = self.value(item.context_expr)
            if item.optional_vars is not None:
                self._assign(item.optional_vars, value, item.context_expr)
        self._run(node.body)

    def visit_Try(self, node: ast.Try) -> None:
        """Follow the body, and each handler as one that may be run."""
        self._run(node.body)
        for handler in node.handlers:
            self._perhaps(handler.body, handler.type or node)
        self._run(node.orelse)
        self._run(node.finalbody)

    def visit_Match(self, node: ast.Match) -> None:
        """Follow each case as one that may be run."""
        for case in node.cases:
            self._perhaps(case.body, node.subject)
