"""Expressions of a configuration text, evaluated without running it.

Literals, arithmetic, names that the text gives a value, tables and their entries, classes and copies of them, a short
list of functions and methods. Anything else is an `Unknown`, and so is every expression that uses it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeVar

from .script_operators import (
    CONSTANTS,
    LIBRARIES,
    PLAIN,
    ROWS,
    attribute,
    check_size,
    compare,
    entry,
    is_number,
    is_true,
    join_texts,
    operate,
    placeholder,
)
from .script_scopes import UNBOUND, Scopes, lose, unpack
from .script_values import (
    DEPTH,
    Imported,
    Instance,
    NotKnownError,
    NoValueError,
    Partial,
    Unknown,
    Value,
    dotted_name,
    last_name,
    one_line,
    require,
    require_known,
)

T = TypeVar("T")


class Expressions(Scopes):
    """Evaluates expressions; calls are in `script_calls.py`."""

    def value(self, node: ast.expr) -> Value:
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

    def known_values(self, *nodes: ast.expr) -> list[Value]:
        """Values of expressions; raise `NotKnownError` unless all are known."""
        found = [self.value(node) for node in nodes]
        require_known(*found)
        return found

    def generic_visit(self, node: ast.AST) -> Value:
        """An expression of any other kind is not known; a statement of any other kind is passed over."""
        return Unknown(f"{one_line(node)} is not read") if isinstance(node, ast.expr) else None

    def items_of(self, node: ast.expr) -> list[Value]:
        """The items of a list or dictionary."""
        return list(_of_type(ROWS, self.value(node), node, "list"))

    def bind(self, target: ast.expr, value: Value, node: ast.expr | None = None) -> None:
        """Give a value to a name, a field or an entry, or to each of several; `node` is where it comes from."""
        node = node or target
        if isinstance(target, ast.Name):
            self.change(self.scopes[-1], target.id, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for part, item in unpack(target, value):
                self.bind(part, item, node)
        elif isinstance(target, ast.Attribute):
            owner = self.value(target.value)
            if isinstance(owner, Instance):
                self.set_field(owner, target.attr, value, node.lineno, one_line(node))
        elif isinstance(target, ast.Subscript):
            owner, key = self.value(target.value), self.value(target.slice)
            inside = isinstance(owner, list) and type(key) is int and -len(owner) <= key < len(owner)
            keyed = isinstance(owner, dict) and isinstance(key, (str, int, float))
            if isinstance(owner, (list, dict)) and (inside or keyed):
                self.change(owner, key, value)
            else:
                lose(owner, Unknown(f"{one_line(target)} is not known"))

    def set_field(self, owner: Instance, name: str, value: Value, line: int, text: str) -> None:
        """Give a field of a class a value."""
        self.change(owner.fields, name, value)
        owner.lines[name] = (self.file, line)
        owner.shown[name] = text

    # --- expressions

    def visit_Constant(self, node: ast.Constant) -> Value:
        if isinstance(node.value, PLAIN):
            return check_size(node.value)
        return Unknown(f"{one_line(node)} is not a number or text")

    def visit_Name(self, node: ast.Name) -> Value:
        value = self.look_up(node.id)
        if value is UNBOUND:
            if node.id == "__file__" and self.file:
                return Partial(self.file)
            return Unknown(f"{node.id} has no value in this file", node.id)
        if isinstance(value, Imported) and value.module in LIBRARIES and value.original in CONSTANTS:
            return CONSTANTS[value.original]
        return value

    def _items(self, nodes: list[ast.expr]) -> list[Value]:
        found: list[Value] = []
        for node in nodes:
            if not isinstance(node, ast.Starred):
                found.append(self.value(node))
                continue
            try:
                found.extend(self.items_of(node.value))
            except NotKnownError as error:
                found.append(error.unknown)
        return check_size(found)

    def visit_List(self, node: ast.List) -> list[Value]:
        return self._items(node.elts)

    def visit_Tuple(self, node: ast.Tuple) -> tuple[Value, ...]:
        return tuple(self._items(node.elts))

    def visit_Dict(self, node: ast.Dict) -> dict[Value, Value]:
        found: dict[Value, Value] = {}
        for key_node, item_node in zip(node.keys, node.values, strict=True):
            item = self.value(item_node)
            if key_node is not None:
                found[_of_type(PLAIN, self.value(key_node), key_node, "text")] = item
            else:
                found.update(_of_type((dict,), item, item_node, "dictionary"))
        return check_size(found)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Value:
        (value,) = self.known_values(node.operand)
        if isinstance(node.op, ast.Not):
            return not is_true(value)
        if not is_number(value) or isinstance(node.op, ast.Invert):
            raise NoValueError
        return -value if isinstance(node.op, ast.USub) else value

    def visit_BinOp(self, node: ast.BinOp) -> Value:
        left, right = self.value(node.left), self.value(node.right)
        # a path may have parts that are not known, a number may not
        text = {ast.Add: str, ast.Div: Partial}.get(type(node.op))
        if text is not None:
            left = placeholder(left) if isinstance(right, str) else left
            right = placeholder(right) if isinstance(left, text) else right
        require_known(left, right)
        return self.charge(operate(type(node.op), left, right))

    def visit_BoolOp(self, node: ast.BoolOp) -> Value:
        value: Value = None
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

    def visit_IfExp(self, node: ast.IfExp) -> Value:
        chosen = self.decide(node.test)
        if chosen is None:
            for branch in (node.body, node.orelse):
                self.value(branch)
            return Unknown(f"it depends on {one_line(node.test)}, which is not known")
        self.skip(node.orelse if chosen else node.body)
        return self.value(node.body if chosen else node.orelse)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> Value:
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
        name = one_line(part.value)
        return Partial("{" + name + "}", (name,))

    def visit_Attribute(self, node: ast.Attribute) -> Value:
        if last_name(node.value) in self.dialect.parts and self.library(node.value):
            return node.attr
        if self.library(node.value) in LIBRARIES and node.attr in CONSTANTS:
            return CONSTANTS[node.attr]
        value = self.value(node.value)
        if isinstance(value, Unknown):
            return Unknown(value.why, dotted_name(node))
        return attribute(value, node.attr)

    def visit_Subscript(self, node: ast.Subscript) -> Value:
        return entry(*self.known_values(node.value, node.slice))

    def visit_Slice(self, node: ast.Slice) -> slice:
        ends = self.known_values(*(end or ast.Constant(None) for end in (node.lower, node.upper, node.step)))
        require(all(end is None or type(end) is int for end in ends) and ends[2] != 0)
        return slice(*ends)

    # --- comprehensions

    def visit_ListComp(self, node: ast.ListComp | ast.GeneratorExp) -> list[Value]:
        return self._comprehension(node.generators, lambda: self.value(node.elt))

    visit_GeneratorExp = visit_ListComp

    def visit_DictComp(self, node: ast.DictComp) -> dict[Value, Value]:
        pairs = self._comprehension(node.generators, lambda: (self.value(node.key), self.value(node.value)))
        return {_of_type(PLAIN, key, node.key, "text"): value for key, value in pairs}

    def _comprehension(self, generators: list[ast.comprehension], make: Callable[[], T]) -> list[T]:
        found: list[T] = []
        with self.scope():
            require_known(self._loop(generators, lambda: found.append(make()) or check_size(found)))
        return found

    def _loop(self, generators: list[ast.comprehension], body: Callable[[], object]) -> Unknown | None:
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


def _of_type(types: tuple[type[T], ...], value: Value, node: ast.expr, what: str) -> T:
    """A value; raise `NotKnownError` unless it is of one of some types."""
    require_known(value)
    if not isinstance(value, types):
        raise NotKnownError(Unknown(f"{one_line(node)} is not a {what}"))
    return value
