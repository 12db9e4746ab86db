"""Expressions of a configuration text, evaluated without running it.

Literals, arithmetic, names that the text gives a value, tables and their entries, classes and copies of them, a short
list of functions and methods. Anything else is an `Unknown`, and so is every expression that uses it.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from .script_functions import (
    CHANGING,
    CONSTANTS,
    LIBRARIES,
    PLAIN,
    POSITIONAL,
    ROWS,
    TEXTUAL,
    apply,
    attribute,
    check_size,
    compare,
    entry,
    function_of,
    is_number,
    is_true,
    join_texts,
    method,
    operate,
    placeholder,
)
from .script_values import (
    DEPTH,
    Budget,
    Dialect,
    Exhausted,
    Imported,
    Instance,
    LocalClass,
    LocalFunction,
    NamedRow,
    NotKnownError,
    NoValueError,
    Partial,
    Scope,
    Unknown,
    dotted_name,
    last_name,
    one_line,
    require,
    require_known,
)


class Unbound:
    """Stands for the value of a name that has none."""


@dataclass
class Arguments:
    """Arguments of a call."""

    values: list[Any]
    """By position."""
    named: dict[str, Any]
    """By name."""
    nodes: dict[str, ast.expr]
    """Expression that each named one comes from."""
    twice: str = ""
    """A name that is given twice."""
    lost: Unknown | None = None
    """What follows ** and is not a known dictionary."""


class Expressions(ast.NodeVisitor):
    """Evaluates expressions; `scopes` are the names that have a value, the innermost last."""

    def __init__(self, dialect: Dialect, file: str, budget: Budget, instances: list[Instance]):
        self.dialect, self.file, self.budget = dialect, file, budget
        self.scopes: list[Scope] = [{}]
        self.borrowed = False
        """Whether names of the file are copied before they are used."""
        self.depth = 0
        self.instances = instances
        self.visited: set[int] = set()
        """Calls that were evaluated."""
        self.changes: list[tuple[Any, Any]] | None = None
        """Tables and their changed keys, in a branch that may not be run; None outside of one."""
        self.called_at = 0
        """Line of the call of the outermost function that is being followed; 0: none [1]."""

    def run_function(self, function: LocalFunction, node: ast.Call) -> Any:
        """Result of a function of the text."""
        raise NotImplementedError

    # --- values and names

    def value(self, node: ast.expr) -> Any:
        """Value of an expression."""
        self.budget.spend()
        if self.depth >= DEPTH:
            return Unknown("it is nested too deeply")
        self.depth += 1
        try:
            return self.visit(node)
        except NotKnownError as error:
            return error.unknown
        except NoValueError as error:
            why = f"{one_line(node)} has no value" + (f": {error}" if str(error) else "")
            return Unknown(why, dotted_name(node), no_value=True)
        finally:
            self.depth -= 1

    def known_values(self, *nodes: ast.expr) -> list[Any]:
        """Values of expressions; raise `NotKnownError` unless all are known."""
        found = [self.value(node) for node in nodes]
        require_known(*found)
        return found

    def generic_visit(self, node: ast.AST) -> Any:
        """An expression of any other kind is not known; a statement of any other kind is passed over."""
        return Unknown(f"{one_line(node)} is not read") if isinstance(node, ast.expr) else None

    def charge(self, value: Any) -> Any:
        """A value; a long one counts as more work."""
        self.budget.spend(1 + len(value) // 4 if isinstance(value, (*ROWS, str)) else 1)
        return value

    def skip(self, *nodes: ast.AST) -> None:
        """Count the classes in a branch that is not taken as seen."""
        self.visited.update(id(part) for node in nodes for part in ast.walk(node) if isinstance(part, ast.Call))

    def look_up(self, name: str) -> Any:
        """The value of a name, or `Unbound`."""
        for index in range(len(self.scopes) - 1, -1, -1):
            if name not in self.scopes[index]:
                continue
            value = self.scopes[index][name]
            if self.borrowed and index == 0 and len(self.scopes) > 1:
                # what a function does to the values of its file may never be done: it gets copies
                value = self.scopes[1][name] = self.copy_of(value)
            return value
        return Unbound

    def library(self, node: ast.expr) -> str:
        """The module that a dotted name refers to, if it is one that is not read."""
        name = dotted_name(node)
        first, _, rest = name.partition(".")
        value = self.look_up(first) if first else None
        if value is Unbound:
            return name
        if isinstance(value, Imported):
            return f"{value.original}.{rest}" if rest else value.original
        return ""

    def items_of(self, node: ast.expr) -> list[Any]:
        """The items of a list or dictionary."""
        return list(_of_type(ROWS, self.value(node), node, "list"))

    def change(self, table: Any, key: Any, value: Any) -> None:
        """Set an entry of a scope, list or dictionary."""
        if self.changes is not None:
            self.changes.append((table, key))
        table[key] = value

    def bind(self, target: ast.expr, value: Any) -> None:
        """Give a value to a name, or to each of several."""
        if isinstance(target, ast.Name):
            self.change(self.scopes[-1], target.id, value)
        if not isinstance(target, (ast.Tuple, ast.List)):
            return
        row, names = value if isinstance(value, (list, tuple)) else None, target.elts
        stars = [index for index, name in enumerate(names) if isinstance(name, ast.Starred)]
        if row is None or not (len(row) >= len(names) - 1 if stars else len(row) == len(names)):
            lost = value if isinstance(value, Unknown) else Unknown(f"there are not {len(names)} values to unpack")
            row = [lost] * len(names)
        elif stars:
            after = len(row) - (len(names) - stars[0] - 1)
            row = [*row[: stars[0]], list(row[stars[0] : after]), *row[after:]]
        for name, item in zip(names, row, strict=True):
            self.bind(name.value if isinstance(name, ast.Starred) else name, item)

    @contextmanager
    def scope(self) -> Iterator[Scope]:
        """New names, as a comprehension, a function or a class has them."""
        inner: Scope = {}
        self.scopes.append(inner)
        try:
            yield inner
        finally:
            self.scopes.pop()

    def copy_of(self, value: Any, line: int = 0) -> Any:
        """A deep copy; copies of classes know what they are copies of."""
        return self._copy(value, line, {}, 0)

    def _copy(self, value: Any, line: int, memo: dict[int, Any], depth: int) -> Any:
        if not isinstance(value, (*ROWS, Instance)) or isinstance(value, NamedRow):
            return value
        if id(value) in memo:
            return memo[id(value)]
        self.charge(value)
        if depth > DEPTH:
            return Unknown("it is nested too deeply")
        if isinstance(value, Instance):
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
            made.fields.update({name: self._copy(item, line, memo, depth + 1) for name, item in value.fields.items()})
            return made
        if isinstance(value, dict):
            memo[id(value)] = table = {}
            table.update({key: self._copy(item, line, memo, depth + 1) for key, item in value.items()})
            return table
        row: list[Any] = []
        if isinstance(value, list):
            memo[id(value)] = row
        row.extend(self._copy(item, line, memo, depth + 1) for item in value)
        return row if isinstance(value, list) else tuple(row)

    # --- expressions

    def visit_Constant(self, node: ast.Constant) -> Any:
        if isinstance(node.value, PLAIN):
            return check_size(node.value)
        return Unknown(f"{one_line(node)} is not a number or text")

    def visit_Name(self, node: ast.Name) -> Any:
        value = self.look_up(node.id)
        if value is Unbound:
            if node.id == "__file__" and self.file:
                return Partial(self.file)
            return Unknown(f"{node.id} has no value in this file", node.id)
        if isinstance(value, Imported) and value.module in LIBRARIES and value.original in CONSTANTS:
            return CONSTANTS[value.original]
        return value

    def _items(self, nodes: list[ast.expr]) -> list[Any]:
        found: list[Any] = []
        for node in nodes:
            if not isinstance(node, ast.Starred):
                found.append(self.value(node))
                continue
            try:
                found.extend(self.items_of(node.value))
            except NotKnownError as error:
                found.append(error.unknown)
        return check_size(found)

    def visit_List(self, node: ast.List) -> list[Any]:
        return self._items(node.elts)

    def visit_Tuple(self, node: ast.Tuple) -> tuple[Any, ...]:
        return tuple(self._items(node.elts))

    def visit_Dict(self, node: ast.Dict) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for key_node, item_node in zip(node.keys, node.values, strict=True):
            item = self.value(item_node)
            if key_node is not None:
                found[_of_type(PLAIN, self.value(key_node), key_node, "text")] = item
            else:
                found.update(_of_type((dict,), item, item_node, "dictionary"))
        return check_size(found)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        (value,) = self.known_values(node.operand)
        if isinstance(node.op, ast.Not):
            return not is_true(value)
        require(is_number(value) and not isinstance(node.op, ast.Invert))
        return -value if isinstance(node.op, ast.USub) else value

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        left, right = self.value(node.left), self.value(node.right)
        # a path may have parts that are not known, a number may not
        text = {ast.Add: str, ast.Div: Partial}.get(type(node.op))
        if text is not None:
            left = placeholder(left) if isinstance(right, str) else left
            right = placeholder(right) if isinstance(left, text) else right
        require_known(left, right)
        return self.charge(operate(type(node.op), left, right))

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        value: Any = None
        for index, part in enumerate(node.values):
            value = self.value(part)
            if isinstance(value, Unknown):
                for rest in node.values[index + 1 :]:
                    self.value(rest)
                return value
            if is_true(value) is isinstance(node.op, ast.Or):
                self.skip(*node.values[index + 1 :])
                return value
        return value

    def visit_Compare(self, node: ast.Compare) -> bool:
        left = self.value(node.left)
        for operation, part in zip(node.ops, node.comparators, strict=True):
            right = self.value(part)
            require_known(left, right)
            if not compare(type(operation), left, right):
                return False
            left = right
        return True

    def decide(self, test: ast.expr) -> bool | None:
        """Whether a condition holds; None where the text alone does not say."""
        try:
            return is_true(*self.known_values(test))
        except (NotKnownError, NoValueError):
            return None

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        chosen = self.decide(node.test)
        if chosen is None:
            for branch in (node.body, node.orelse):
                self.value(branch)
            return Unknown(f"it depends on {one_line(node.test)}, which is not known")
        self.skip(node.orelse if chosen else node.body)
        return self.value(node.body if chosen else node.orelse)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> Any:
        value = self.value(node.value)
        self.bind(node.target, value)
        return value

    def visit_JoinedStr(self, node: ast.JoinedStr) -> str:
        return join_texts(*(self._format(part) for part in node.values))

    def _format(self, part: ast.expr) -> str:
        if not isinstance(part, ast.FormattedValue):
            return str(getattr(part, "value", ""))
        value = self.value(part.value)
        if isinstance(value, (str, int, float)) and part.format_spec is None and part.conversion == -1:
            return value if isinstance(value, str) else str(value)
        return placeholder(Unknown("", one_line(part.value)))

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        if last_name(node.value) in self.dialect.parts and self.library(node.value):
            return node.attr
        if self.library(node.value) in LIBRARIES and node.attr in CONSTANTS:
            return CONSTANTS[node.attr]
        value = self.value(node.value)
        if isinstance(value, Unknown):
            return Unknown(value.why, dotted_name(node))
        return attribute(value, node.attr)

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        return entry(*self.known_values(node.value, node.slice))

    def visit_Slice(self, node: ast.Slice) -> slice:
        ends = self.known_values(*(end or ast.Constant(None) for end in (node.lower, node.upper, node.step)))
        require(all(end is None or type(end) is int for end in ends) and ends[2] != 0)
        return slice(*ends)

    # --- comprehensions

    def visit_ListComp(self, node: ast.ListComp | ast.GeneratorExp) -> list[Any]:
        return self._comprehension(node.generators, lambda: self.value(node.elt))

    visit_GeneratorExp = visit_ListComp

    def visit_DictComp(self, node: ast.DictComp) -> dict[Any, Any]:
        pairs = self._comprehension(node.generators, lambda: (self.value(node.key), self.value(node.value)))
        return {_of_type(PLAIN, key, node.key, "text"): value for key, value in pairs}

    def _comprehension(self, generators: list[ast.comprehension], make: Callable[[], Any]) -> list[Any]:
        found: list[Any] = []
        with self.scope():
            require_known(self._loop(generators, lambda: found.append(make()) or check_size(found)))
        return found

    def _loop(self, generators: list[ast.comprehension], body: Callable[[], Any]) -> Unknown | None:
        """Run `body` for each item; why the items are not known, if so."""
        if not generators:
            body()
            return None
        head, *rest = generators
        try:
            items = self.items_of(head.iter)
        except NotKnownError as error:
            # once, so that the actuators in it are seen
            self.bind(head.target, error.unknown)
            self._loop(rest, body)
            return error.unknown
        unknown = None
        for item in items:
            self.budget.spend()
            self.bind(head.target, item)
            tests = [self.value(test) for test in head.ifs]
            unknown = next((test for test in tests if isinstance(test, Unknown)), unknown)
            if all(isinstance(test, Unknown) or is_true(test) for test in tests):
                unknown = self._loop(rest, body) or unknown
        return unknown

    # --- calls

    def arguments_of(self, node: ast.Call) -> Arguments:
        """The arguments of a call."""
        given = Arguments(self._items(node.args), {}, {})
        for keyword in node.keywords:
            value = self.value(keyword.value)
            rows = value if keyword.arg is None else {keyword.arg: value}
            if not isinstance(rows, dict) or not all(isinstance(key, str) for key in rows):
                given.lost = Unknown(f"**{one_line(keyword.value)} is not a known dictionary")
                continue
            given.twice = next((key for key in rows if key in given.named), given.twice)
            given.named.update(rows)
            given.nodes.update(dict.fromkeys(rows, keyword.value))
        return given

    def visit_Call(self, node: ast.Call) -> Any:
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

    def _function(self, node: ast.expr) -> Callable[..., Any] | None:
        if isinstance(node, ast.Attribute):
            module = self.library(node.value)
            return function_of(module, node.attr) if module else None
        value = self.look_up(node.id) if isinstance(node, ast.Name) else None
        if value is Unbound:
            return function_of("", last_name(node))
        return function_of(value.module, value.original) if isinstance(value, Imported) else None

    def _method(self, owner: Any, name: str, node: ast.Call) -> Any:
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
        if name in CHANGING and self.changes is not None:
            self.changes.append((owner, None))
        return self.charge(method(owner, name, given.values, given.named))

    def set_field(self, owner: Instance, name: str, value: Any, line: int, text: str) -> None:
        """Give a field of a class a value."""
        self.change(owner.fields, name, value)
        owner.lines[name] = (self.file, line)
        owner.shown[name] = text

    def _set_named(self, made: Instance, given: Arguments, node: ast.expr) -> None:
        for name, value in given.named.items():
            # Isaac Lab's classes hold copies of their arguments
            held, at = self.copy_of(value) if self.dialect.copies else value, given.nodes.get(name, node)
            self.set_field(made, name, held, at.lineno, one_line(at))

    def _replace(self, owner: Instance, node: ast.Call, given: Arguments) -> Instance:
        made = self.copy_of(owner, node.lineno)
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


def _of_type(types: tuple[type, ...], value: Any, node: ast.expr, what: str) -> Any:
    """A value; raise `NotKnownError` unless it is of one of some types."""
    require_known(value)
    if not isinstance(value, types):
        raise NotKnownError(Unknown(f"{one_line(node)} is not a {what}"))
    return value
