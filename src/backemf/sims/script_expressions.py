"""Expressions of a configuration text, worked out without running it.

Literals, arithmetic, names that the text gives a value, tables and their entries, a short list of functions. Whatever
else stands there is an `Unknown`, which goes on through every expression that uses it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from .script_operations import (
    BUILTINS,
    CHANGING,
    CONSTANTS,
    HARDWARE,
    LIBRARIES,
    MATH,
    PATHS,
    POSITIONAL,
    apply,
    attribute,
    bounded,
    compare,
    is_key,
    is_number,
    joined,
    method,
    operate,
    placeholder,
)
from .script_values import (
    DEPTH,
    STEPS,
    Budget,
    Exhausted,
    Imported,
    Instance,
    LocalClass,
    LocalFunction,
    NamedRow,
    NoValueError,
    Partial,
    Unknown,
)


def shown(node: ast.AST) -> str:
    """An expression on one line, as far as a sentence has room for it."""
    try:
        text = ast.unparse(node)
    except (RecursionError, ValueError):
        return "an expression"
    return re.sub(r"\s+", " ", text)[:60]


def last_name(node: ast.AST) -> str:
    """Last part of a dotted name."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def dotted(node: ast.AST) -> str:
    """A dotted name, or an empty text."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) < 10:
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def is_class(name: str) -> bool:
    """Whether a name is that of a class, as Python writes them."""
    return name.lstrip("_")[:1].isupper() and not name.isupper()


class Expressions:
    """Works out expressions; `scopes` are the names that have a value, the innermost last."""

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

    # --- names

    def look_up(self, name: str) -> Any:
        """The value of a name, or None where the text gives it none."""
        for index in range(len(self.scopes) - 1, -1, -1):
            if name not in self.scopes[index]:
                continue
            value = self.scopes[index][name]
            if self.borrowed and index == 0 and len(self.scopes) > 1:
                # what a function does to the values of its file may never be done: it gets copies
                value = self.scopes[1][name] = self.copied(value, 0)
            return value
        return _Unbound

    def library(self, node: ast.expr) -> str:
        """The module that a dotted name stands for, if it is one that is not read."""
        name = dotted(node)
        first, _, rest = name.partition(".")
        value = self.look_up(first) if first else None
        if value is _Unbound:
            return name
        if isinstance(value, Imported):
            return f"{value.original}.{rest}" if rest else value.original
        return ""

    def _name(self, node: ast.Name) -> Any:
        value = self.look_up(node.id)
        if value is _Unbound:
            if node.id == "__file__" and self.file:
                return Partial(self.file)
            return Unknown(f"{node.id} has no value in this file", node.id)
        if isinstance(value, Imported) and value.module in LIBRARIES and value.original in CONSTANTS:
            return CONSTANTS[value.original]
        return value

    # --- expressions

    def value(self, node: ast.expr) -> Any:
        """What an expression stands for."""
        self.budget.spend()
        if self.depth >= DEPTH:
            return Unknown("it is nested too deeply")
        self.depth += 1
        try:
            handler = getattr(self, f"_{type(node).__name__.lower()}", None)
            return Unknown(f"{shown(node)} is not read", "") if handler is None else handler(node)
        except NoValueError as error:
            why = f"{shown(node)} has no value" + (f": {error}" if str(error) else "")
            return Unknown(why, dotted(node), no_value=True)
        finally:
            self.depth -= 1

    def _constant(self, node: ast.Constant) -> Any:
        if isinstance(node.value, (int, float, str, bool, type(None))):
            return bounded(node.value)
        return Unknown(f"{shown(node)} is no number or text")

    def _items(self, nodes: list[ast.expr]) -> list[Any]:
        found: list[Any] = []
        for node in nodes:
            value = self.value(node.value if isinstance(node, ast.Starred) else node)
            if not isinstance(node, ast.Starred):
                found.append(value)
            elif isinstance(value, (list, tuple, dict)):
                found.extend(value)
            else:
                found.append(value if isinstance(value, Unknown) else Unknown(f"{shown(node)} is no list"))
        return bounded(found)

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
                    return item if isinstance(item, Unknown) else Unknown(f"{shown(item_node)} is no dictionary")
                found.update(item)
                continue
            key = self.value(key_node)
            if isinstance(key, Unknown) or not is_key(key):
                return key if isinstance(key, Unknown) else Unknown(f"{shown(key_node)} is no text")
            found[key] = item
        return bounded(found)

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        value = self.value(node.operand)
        if isinstance(value, Unknown):
            return value
        if isinstance(node.op, ast.Not):
            return not self.truth(value)
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
        return self.charged(operate(type(node.op), left, right))

    def _boolop(self, node: ast.BoolOp) -> Any:
        stop = isinstance(node.op, ast.Or)
        value: Any = None
        for index, part in enumerate(node.values):
            value = self.value(part)
            if isinstance(value, Unknown):
                for rest in node.values[index + 1 :]:
                    self.value(rest)
                return value
            if self.truth(value) is stop:
                self.skip(*node.values[index + 1 :])
                return value
        return value

    def truth(self, value: Any) -> bool:
        """Whether a value counts as true; raises where that is not known."""
        if isinstance(value, Instance):
            return True
        if isinstance(value, Partial) or not isinstance(value, (int, float, str, bool, type(None), list, tuple, dict)):
            raise NoValueError("")
        return bool(value)

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

    def decided(self, test: ast.expr) -> bool | None:
        """Whether a condition holds; None where the text alone does not say."""
        value = self.value(test)
        try:
            return None if isinstance(value, Unknown) else self.truth(value)
        except NoValueError:
            return None

    def _ifexp(self, node: ast.IfExp) -> Any:
        chosen = self.decided(node.test)
        if chosen is None:
            for branch in (node.body, node.orelse):
                self.value(branch)
            return Unknown(f"it depends on {shown(node.test)}, which is not known")
        self.skip(node.orelse if chosen else node.body)
        return self.value(node.body if chosen else node.orelse)

    def _namedexpr(self, node: ast.NamedExpr) -> Any:
        value = self.scopes[-1][node.target.id] = self.value(node.value)
        return value

    def _starred(self, node: ast.Starred) -> Any:
        return Unknown(f"{shown(node)} is not read")

    def _joinedstr(self, node: ast.JoinedStr) -> Any:
        parts: list[str] = []
        for part in node.values:
            if isinstance(part, ast.Constant):
                parts.append(str(part.value))
                continue
            if not isinstance(part, ast.FormattedValue):
                return Unknown(f"{shown(node)} is not read")
            value = self.value(part.value)
            plain = isinstance(value, (str, int, float)) and part.format_spec is None and part.conversion == -1
            if isinstance(value, str) and plain:
                parts.append(value)
            elif plain:
                parts.append(str(value))
            else:
                parts.append(placeholder(Unknown("", shown(part.value))))
        return joined(*parts)

    def _attribute(self, node: ast.Attribute) -> Any:
        if last_name(node.value) in self.parts and self.library(node.value):
            return node.attr
        if self.library(node.value) in LIBRARIES and node.attr in CONSTANTS:
            return CONSTANTS[node.attr]
        value = self.value(node.value)
        if isinstance(value, Unknown):
            return Unknown(value.why, dotted(node))
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

    # --- comprehensions

    def _listcomp(self, node: ast.ListComp) -> Any:
        return self._comprehension(node.generators, lambda: self.value(node.elt))

    def _generatorexp(self, node: ast.GeneratorExp) -> Any:
        return self._comprehension(node.generators, lambda: self.value(node.elt))

    def _dictcomp(self, node: ast.DictComp) -> Any:
        pairs = self._comprehension(node.generators, lambda: (self.value(node.key), self.value(node.value)))
        if isinstance(pairs, Unknown):
            return pairs
        for key, _ in pairs:
            if isinstance(key, Unknown) or not is_key(key):
                return key if isinstance(key, Unknown) else Unknown(f"{shown(node.key)} is no text")
        return dict(pairs)

    def _comprehension(self, generators: list[ast.comprehension], make: Any) -> Any:
        found: list[Any] = []
        with self.scope():
            unknown = self._loop(generators, lambda: found.append(make()) or bounded(found))
        return found if unknown is None else unknown

    def _loop(self, generators: list[ast.comprehension], body: Any) -> Unknown | None:
        if not generators:
            body()
            return None
        head, *rest = generators
        items = self.items_of(self.value(head.iter), head.iter)
        if isinstance(items, Unknown):
            # once, so that the actuators in it are seen
            self.bind(head.target, items)
            self._loop(rest, body)
            return items
        unknown = None
        for item in items:
            self.budget.spend()
            self.bind(head.target, item)
            tests = [self.value(test) for test in head.ifs]
            unsure = [test for test in tests if isinstance(test, Unknown)]
            if unsure:
                unknown = unsure[0]
            if all(isinstance(test, Unknown) or self.truth(test) for test in tests):
                unknown = self._loop(rest, body) or unknown
        return unknown

    def items_of(self, value: Any, node: ast.expr) -> Any:
        """The items of a list or dictionary, or an `Unknown`."""
        if isinstance(value, (list, tuple, dict)):
            return list(value)
        return value if isinstance(value, Unknown) else Unknown(f"{shown(node)} is no list")

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

    # --- calls

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
            return Unknown(f"{shown(node.func)}(...) is no function that is worked out here", dotted(node.func))
        if function == "replace":
            owner = values[0] if len(values) == 1 else None
            return self._replaced(owner, node, more, lost) if isinstance(owner, Instance) else Unknown("it is no copy")
        if function in ("copy", "deepcopy"):
            return self.copied(values[0], node.lineno) if len(values) == 1 and not more else Unknown("it is no copy")
        # a path may have parts that are not known, a number may not
        if function in PATHS.values() or function is BUILTINS["Path"] or function is BUILTINS["str"]:
            values = [placeholder(value) if isinstance(value, Unknown) else value for value in values]
        for value in (*values, *more.values(), *([lost] if lost else [])):
            if isinstance(value, Unknown):
                return value
        return self.charged(apply(function, values, more))

    def run_function(self, function: LocalFunction, node: ast.Call) -> Any:
        """What a function of the text returns."""
        raise NotImplementedError

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
                lost = value if isinstance(value, Unknown) else Unknown(f"**{shown(keyword.value)} is no dictionary")
        return values, more, lost

    def _function(self, node: ast.expr) -> Any:
        """One of the functions that are worked out, by the module it is from."""
        if isinstance(node, ast.Name):
            value = self.look_up(node.id)
            if value is _Unbound:
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
            return self.copied(owner, node.lineno)
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
        return self.charged(method(owner, name, values, more))

    def _replaced(self, owner: Instance, node: ast.Call, more: dict[str, Any], lost: Unknown | None) -> Any:
        made = self.copied(owner, node.lineno)
        lines = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg is not None}
        for name, value in more.items():
            at = lines.get(name, node)
            self.set_field(made, name, value, at.lineno, shown(at), new=True)
        if lost is not None:
            made.problem = f"line {node.lineno}: {made.name}: write the fields out in place of **"
        return made

    def set_field(self, owner: Instance, name: str, value: Any, line: int, text: str, new: bool = False) -> None:
        """Give a field a value; `new` where the class is being made."""
        if self.changes is not None:
            self.changes.append((owner.fields, name))
        # Isaac Lab's classes hold copies of what they are made of
        owner.fields[name] = self.copied(value, 0) if new and self.copies else value
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
                self.set_field(made, key, self.copied(value, 0), local.lines.get(key, node.lineno), "")
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
                self.set_field(made, key, item, line, shown(keyword.value), new=True)

    # --- copies

    def copied(self, value: Any, line: int) -> Any:
        """A value of its own, all the way down; copies of classes know what they are copies of."""
        return self._copy(value, line, {}, 0)

    def _copy(self, value: Any, line: int, memo: dict[int, Any], depth: int) -> Any:
        if not isinstance(value, (list, dict, tuple, Instance)):
            return value
        if id(value) in memo:
            return memo[id(value)]
        self.charged(value)
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

    def charged(self, value: Any) -> Any:
        """A value; a long one counts as more work."""
        self.budget.spend(1 + len(value) // 4 if isinstance(value, (list, tuple, dict, str)) else 1)
        return value

    def skip(self, *nodes: ast.AST) -> None:
        """Count the classes in a branch that is not taken as seen."""
        for node in nodes:
            for part in ast.walk(node):
                if isinstance(part, ast.Call):
                    self.visited.add(id(part))


class _Unbound:
    """What a name without a value has."""
