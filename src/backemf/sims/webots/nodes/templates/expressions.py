"""Expressions of a template, each compiled to functions of the variables that it sees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .bounds import TemplateError
from .runtime import Dialect, Frame, Function, Get, Parameter, Put, Several, Statement, Value, first


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression: how its value is found, and what else can be done with it."""

    one: Get
    """Its value."""
    all: Get | None = None
    """The several values that a call of Lua may return, or those of a spread list."""
    spread: bool = False
    """Whether all values count wherever it is in a list, and not only at its end."""
    put: Put | None = None
    """Assigns to it; None: it is not a variable."""
    callee: Callable[[Frame], tuple[Value, Value]] | None = None
    """A property as a function to call, and the object that has it."""


def always(value: Value) -> Get:
    """A function of the variables that is always the same value."""
    return lambda frame: value


class Expressions:
    """Compiles expressions."""

    def __init__(self, dialect: Dialect):
        self.dialect = dialect
        self.parts = 0
        """Expressions compiled so far [1]."""

    def expression(self, one: Get, put: Put | None = None) -> Expression:
        """An expression with one value."""
        self.parts += 1
        return Expression(one, put=put)

    def several(self, run: Get, spread: bool = False) -> Expression:
        """An expression that may have several values."""
        self.parts += 1

        def one(frame: Frame) -> Value:
            value = run(frame)
            return first(value) if isinstance(value, Several) else value

        return Expression(one, run, spread)

    def row(self, parts: Sequence[Expression]) -> Callable[[Frame], list[Value]]:
        """A row of values, of which the last may be several."""
        last = len(parts) - 1
        rows = [part.all if part.all and (i == last or part.spread) else part.one for i, part in enumerate(parts)]

        def run(frame: Frame) -> list[Value]:
            found: list[Value] = []
            for row in rows:
                value = row(frame)
                if isinstance(value, Several):
                    found += value
                else:
                    found.append(value)
            frame.run.budget.spend(len(found))
            return found

        return run

    def constant(self, value: Value) -> Expression:
        """A number, a text, a truth value or nothing."""
        return self.expression(always(value))

    def name(self, name: str) -> Expression:
        """A variable."""
        missing = self.dialect.missing

        def get(frame: Frame) -> Value:
            holder = frame.holder(name)
            return missing(name) if holder is None else holder.values[name]

        def put(frame: Frame, value: Value) -> None:
            (frame.holder(name) or frame.run.top).values[name] = value

        return self.expression(get, put)

    def spread_list(self, value: Expression) -> Expression:
        """...a"""
        items = self.dialect.items
        return self.several(
            lambda frame: Several(each for row in items(frame.run, value.one(frame), False) for each in row),
            spread=True,
        )

    def rest(self) -> Expression:
        """What a function of Lua was given beyond its parameters: ..."""
        entries = self.dialect.entries

        def run(frame: Frame) -> Value:
            holder = frame.holder("...")
            return Several() if holder is None else Several(entries(holder.values["..."]))

        return self.several(run)

    def array(self, items: Sequence[Expression]) -> Expression:
        """[a, b, ...c]"""
        values, array = self.row(items), self.dialect.array
        puts = [(always(float(index)), item.put) for index, item in enumerate(items)]
        return self.expression(lambda frame: array(values(frame)), self._unpack(puts))

    def record(self, pairs: Sequence[tuple[Expression | None, Expression]]) -> Expression:
        """{a: 1, [b]: 2}, or a table of Lua, whose items without a key have None as theirs."""
        rows = [(None if key is None else key.one, value.one) for key, value in pairs]
        if pairs and pairs[-1][1].all:
            rows[-1] = (rows[-1][0], pairs[-1][1].all)
        record = self.dialect.record

        def run(frame: Frame) -> Value:
            frame.run.budget.spend(len(rows))
            return record([(None if key is None else key(frame), value(frame)) for key, value in rows])

        return self.expression(run, self._unpack([(key.one if key else None, value.put) for key, value in pairs]))

    def unpack(self, pairs: Sequence[tuple[Get, Put]]) -> Put:
        """Assigns the items of a list or an object to variables."""
        get = self.dialect.get

        def run(frame: Frame, value: Value) -> None:
            for key, put in pairs:
                put(frame, get(value, key(frame)))

        return run

    def _unpack(self, pairs: Sequence[tuple[Get | None, Put | None]]) -> Put | None:
        """As `unpack`; None: not all of them are variables."""
        known = [(key, put) for key, put in pairs if key is not None and put is not None]
        return self.unpack(known) if len(known) == len(pairs) else None

    def index(self, target: Expression, key: Expression) -> Expression:
        """a.b or a[b]"""
        self.parts += 1
        held, word, dialect = target.one, key.one, self.dialect
        get = dialect.get

        def put(frame: Frame, value: Value) -> None:
            dialect.put(held(frame), word(frame), value, frame.run.budget)

        def callee(frame: Frame) -> tuple[Value, Value]:
            this, name = held(frame), word(frame)
            found = get(this, name)
            if found is None:
                raise TemplateError(f"{dialect.text(name)[:60]} is not a function that templates know here")
            return found, this

        return Expression(lambda frame: get(held(frame), word(frame)), put=put, callee=callee)

    def call(self, target: Expression, arguments: Sequence[Expression], method: bool = False) -> Expression:
        """a(b), a.b(c), or a:b(c) of Lua, a method that is given its object."""
        given, one, callee = self.row(arguments), target.one, target.callee
        if callee is None:
            return self.several(lambda frame: frame.run.call(one(frame), None, given(frame)))

        def run(frame: Frame) -> Value:
            function, this = callee(frame)
            return frame.run.call(function, this, [this, *given(frame)] if method else given(frame))

        return self.several(run)

    def function(self, parameters: list[Parameter], body: Statement) -> Expression:
        """A function of the template."""
        return self.expression(lambda frame: Function(parameters, body, frame))

    def unary(self, sign: str, value: Expression) -> Expression:
        """-a, !a, not a, #a, typeof a"""
        one, put, operate = value.one, value.put, self.dialect.unary[sign]
        if sign == "delete" and value.callee and put:
            return self.expression(lambda frame: put(frame, None))
        return self.expression(lambda frame: operate(one(frame)))

    def binary(self, sign: str, left: Expression, right: Expression) -> Expression:
        """a + b, a && b"""
        a, b = left.one, right.one
        if sign in self.dialect.logical:
            goes_on = self.dialect.logical[sign]

            def choose(frame: Frame) -> Value:
                value = a(frame)
                return b(frame) if goes_on(value) else value

            return self.expression(choose)
        operate = self.dialect.binary[sign]
        if sign not in ("+", ".."):
            return self.expression(lambda frame: operate(a(frame), b(frame)))

        def add(frame: Frame) -> Value:
            made = operate(a(frame), b(frame))
            return frame.run.budget.text(made) if isinstance(made, str) else made

        return self.expression(add)

    def choice(self, test: Expression, yes: Expression, no: Expression) -> Expression:
        """a ? b : c"""
        truth = self.dialect.truth
        return self.expression(lambda frame: yes.one(frame) if truth(test.one(frame)) else no.one(frame))

    def assign(self, target: Put, value: Expression) -> Expression:
        """a = b"""

        def run(frame: Frame) -> Value:
            given = value.one(frame)
            target(frame, given)
            return given

        return self.expression(run)

    def join(self, parts: Sequence[Expression]) -> Expression:
        """Parts of a text, such as `a${b}c`."""
        gets, text = [part.one for part in parts], self.dialect.text
        return self.expression(lambda frame: frame.run.budget.text("".join([text(get(frame)) for get in gets])))
