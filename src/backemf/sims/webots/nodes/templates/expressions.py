"""Expressions of a template, each made a function of the variables that it sees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import tree
from .bounds import Budget, TemplateError
from .frames import Dialect, Frame, Function, Several


class Expressions:
    """Makes functions of expressions: they take a frame and give a value."""

    dialect: Dialect
    budget: Budget

    def __init__(self) -> None:
        self._parts = 0

    def call(self, function: Any, this: Any, arguments: list[Any]) -> Any:
        """Call a function of the library or of the template."""
        raise NotImplementedError

    def _statement(self, part: Any) -> Callable[[Frame], Any]:
        raise NotImplementedError

    def _value(self, part: Any, whole: bool = False) -> Callable[[Frame], Any]:
        """One value; `whole` leaves several that a call gives back together."""
        self._parts += 1
        made = getattr(self, f"_of_{type(part).__name__.lower()}")(part)
        if whole or not isinstance(part, (tree.Call, tree.Rest)):
            return made

        def first(frame: Frame) -> Any:
            value = made(frame)
            if isinstance(value, Several):
                return value[0] if value else None
            return value

        return first

    def _many(self, parts: tuple[Any, ...]) -> Callable[[Frame], list[Any]]:
        """A row of values, of which the last may be several."""
        last = len(parts) - 1
        rows = [(self._value(p.value if isinstance(p, tree.Spread) else p, i == last), p) for i, p in enumerate(parts)]

        def run(frame: Frame) -> list[Any]:
            found: list[Any] = []
            for value, part in rows:
                given = value(frame)
                if isinstance(given, Several):
                    found += given
                elif isinstance(part, tree.Spread):
                    found += [row[0] for row in self.dialect.items(self, given, False)]
                else:
                    found.append(given)
            self.budget.spend(len(found))
            return found

        return run

    def _put(self, target: Any) -> Callable[[Frame, Any], None]:
        if isinstance(target, tree.Index):
            held, key = self._value(target.target), self._value(target.key)
            return lambda frame, value: self.dialect.put(held(frame), key(frame), value, self.budget)
        if isinstance(target, tree.Name):
            name = target.name

            def put(frame: Frame, value: Any) -> None:
                holder = frame.holder(name)
                while holder is None and frame.parent is not None:
                    frame = frame.parent
                (holder or frame).values[name] = value

            return put
        if isinstance(target, (tree.Array, tree.Record)):
            return lambda frame, value: self._declare(target, value, frame)
        raise TemplateError("something is assigned to that is not a variable")

    def _of_constant(self, part: tree.Constant) -> Callable[[Frame], Any]:
        value = part.value
        return lambda frame: value

    def _of_name(self, part: tree.Name) -> Callable[[Frame], Any]:
        name = part.name

        def run(frame: Frame) -> Any:
            holder = frame.holder(name)
            if holder is None:
                return self.dialect.unary("missing", name)
            return holder.values[name]

        return run

    def _of_rest(self, part: tree.Rest) -> Callable[[Frame], Any]:
        def run(frame: Frame) -> Any:
            holder = frame.holder("...")
            return Several() if holder is None else Several(self.dialect.unary("list", holder.values["..."]))

        return run

    def _of_array(self, part: tree.Array) -> Callable[[Frame], Any]:
        items = self._many(part.items)
        return lambda frame: self.dialect.array(items(frame))

    def _of_record(self, part: tree.Record) -> Callable[[Frame], Any]:
        rows = [
            (None if key is None else self._value(key), self._value(value, whole=index == len(part.pairs) - 1))
            for index, (key, value) in enumerate(part.pairs)
        ]

        def run(frame: Frame) -> Any:
            self.budget.spend(len(rows))
            return self.dialect.record([(None if key is None else key(frame), value(frame)) for key, value in rows])

        return run

    def _of_index(self, part: tree.Index) -> Callable[[Frame], Any]:
        held, key, get = self._value(part.target), self._value(part.key), self.dialect.get
        return lambda frame: get(held(frame), key(frame))

    def _of_call(self, part: tree.Call) -> Callable[[Frame], Any]:
        arguments = self._many(part.arguments)
        if part.method:
            held, method = self._value(part.target), part.method

            def run_method(frame: Frame) -> Any:
                this = held(frame)
                return self.call(self._found(this, method), this, [this, *arguments(frame)])

            return run_method
        if isinstance(part.target, tree.Index):
            held, key = self._value(part.target.target), self._value(part.target.key)

            def run_of(frame: Frame) -> Any:
                this = held(frame)
                return self.call(self._found(this, key(frame)), this, arguments(frame))

            return run_of
        target = self._value(part.target)
        return lambda frame: self.call(target(frame), None, arguments(frame))

    def _found(self, this: Any, key: Any) -> Any:
        found = self.dialect.get(this, key)
        if found is None:
            raise TemplateError(f"{self.dialect.text(key)[:60]} is not a function that templates know here")
        return found

    def _of_functionbody(self, part: tree.FunctionBody) -> Callable[[Frame], Any]:
        parameters = tuple((t, None if default is None else self._value(default)) for t, default in part.parameters)
        body = self._statement(part.body)
        return lambda frame: Function(parameters, part.rest, body, frame)

    def _of_unary(self, part: tree.Unary) -> Callable[[Frame], Any]:
        sign, unary = part.sign, self.dialect.unary
        if sign == "delete" and isinstance(part.value, tree.Index):
            put = self._put(part.value)
            return lambda frame: put(frame, None)
        value = self._value(part.value)
        return lambda frame: unary(sign, value(frame))

    def _of_binary(self, part: tree.Binary) -> Callable[[Frame], Any]:
        left, right, sign = self._value(part.left), self._value(part.right), part.sign
        binary, budget = self.dialect.binary, self.budget
        return lambda frame: binary(sign, left(frame), right(frame), budget)

    def _of_logical(self, part: tree.Logical) -> Callable[[Frame], Any]:
        left, right, sign = self._value(part.left), self._value(part.right), part.sign
        truth = self.dialect.truth

        def run(frame: Frame) -> Any:
            value = left(frame)
            if sign == "??":
                missing = value is None or self.dialect.text(value) == "null"
                return right(frame) if missing else value
            return right(frame) if truth(value) == (sign in ("&&", "and")) else value

        return run

    def _of_choice(self, part: tree.Choice) -> Callable[[Frame], Any]:
        test, yes, no = self._value(part.test), self._value(part.yes), self._value(part.no)
        return lambda frame: yes(frame) if self.dialect.truth(test(frame)) else no(frame)

    def _of_assign(self, part: tree.Assign) -> Callable[[Frame], Any]:
        put, value, sign = self._put(part.target), self._value(part.value), part.sign
        before = None if not sign else self._value(part.target)

        def run(frame: Frame) -> Any:
            if before is None:
                given = value(frame)
                put(frame, given)
                return given
            old = before(frame)
            if sign in ("&&", "||", "??"):
                raise TemplateError(f"{sign}= is not known here")
            new = self.dialect.binary(sign, old, value(frame), self.budget)
            put(frame, new)
            return old if part.after else new

        return run

    def _of_join(self, part: tree.Join) -> Callable[[Frame], Any]:
        parts = [self._value(each) for each in part.parts]
        return lambda frame: self.budget.text("".join([self.dialect.text(each(frame)) for each in parts]))

    def _of_pattern(self, part: tree.Pattern) -> Callable[[Frame], Any]:
        return lambda frame: self.dialect.pattern(part.source, part.flags)

    def _declare(self, target: Any, value: Any, frame: Frame) -> None:
        if isinstance(target, tree.Name):
            frame.values[target.name] = value
        elif isinstance(target, tree.Array):
            for index, each in enumerate(target.items):
                self._declare(each, self.dialect.get(value, float(index)), frame)
        else:
            for key, each in target.pairs:
                self._declare(each, self.dialect.get(value, key.value), frame)
