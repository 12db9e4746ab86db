"""Statements of a template, each compiled to a function of the variables that it sees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from .bounds import TEXT_PER_WORK, TemplateError
from .expressions import Expression, Expressions
from .runtime import BREAK, CONTINUE, Frame, Put, Returned, Several, Statement, Value


class Compiler(Expressions):
    """Compiles expressions and statements."""

    def at(self, line: int, before: int, do: Statement) -> Statement:
        """A statement on its line; its work is what was compiled since there were `before` parts."""
        work = 1 + self.parts - before

        def run(frame: Frame) -> object:
            interpreter = frame.run
            interpreter.budget.spend(work)
            interpreter.line = line
            try:
                return do(frame)
            except TemplateError as error:
                if error.line is None:
                    error.line = interpreter.line
                raise

        return run

    def block(self, statements: Sequence[Statement], scope: bool = True) -> Statement:
        """Statements in their order, with variables of their own if they are a `scope`."""

        def run(frame: Frame) -> object:
            inner = Frame(frame.run, frame) if scope else frame
            for statement in statements:
                ended = statement(inner)
                if ended is not None:
                    return ended
            return None

        return run

    def declare(self, name: str) -> Put:
        """Sets a variable of the innermost block."""

        def put(frame: Frame, value: Value) -> None:
            frame.values[name] = value

        return put

    def assign_all(self, targets: Sequence[Put], values: Sequence[Expression], outer: bool = False) -> Statement:
        """let a = b, a, b = c, d; `outer`: the variables belong to the whole function, as with var."""
        row = self.row(values)

        def run(frame: Frame) -> None:
            given = row(frame)
            home = frame.home if outer else frame
            for index, put in enumerate(targets):
                put(home, given[index] if index < len(given) else None)

        return run

    def evaluate(self, value: Expression) -> Statement:
        """An expression for what it does."""

        def run(frame: Frame) -> None:
            value.one(frame)

        return run

    def branch(self, test: Expression, yes: Statement, no: Statement | None) -> Statement:
        """if (a) b else c"""
        truth = self.dialect.truth

        def run(frame: Frame) -> object:
            if truth(test.one(frame)):
                return yes(frame)
            return None if no is None else no(frame)

        return run

    def _repeat(self, body: Statement, frames: Callable[[Frame], Iterable[Frame]]) -> Statement:
        """A loop: its body once with each of its frames, to the end or until it is left."""

        def run(frame: Frame) -> object:
            spend = frame.run.budget.spend
            for inner in frames(frame):
                spend(3)
                ended = body(inner)
                if ended is BREAK:
                    return None
                if isinstance(ended, Returned):
                    return ended
            return None

        return run

    def loop(
        self,
        test: Expression,
        body: Statement,
        *,
        first: Statement | None = None,
        step: Expression | None = None,
        late: bool = False,
        until: bool = False,
    ) -> Statement:
        """for (first; test; step) body; `late` tests after the body, `until` ends where the test is true."""
        truth = self.dialect.truth

        def frames(frame: Frame) -> Iterable[Frame]:
            inner = Frame(frame.run, frame)
            if first is not None:
                first(inner)
            goes_on = late or truth(test.one(inner)) != until
            while goes_on:
                yield inner
                if step is not None:
                    step.one(inner)
                goes_on = truth(test.one(inner)) != until

        return self._repeat(body, frames)

    def count(self, name: str, bounds: Sequence[Expression], body: Statement) -> Statement:
        """for name = first, last, step do body end"""
        number = self.dialect.number

        def frames(frame: Frame) -> Iterable[Frame]:
            at, last, step = (number(bound.one(frame)) for bound in bounds)
            if step == 0.0:
                raise TemplateError("the step of a loop is 0")
            while at <= last if step > 0.0 else at >= last:
                inner = Frame(frame.run, frame)
                inner.values[name] = at
                yield inner
                at += step

        return self._repeat(body, frames)

    def each(self, targets: Sequence[Put], items: Expression, body: Statement, keys: bool = False) -> Statement:
        """for (a of b), for (a in b), or for a, b in c of Lua."""
        rows, given = self.dialect.items, items.all or items.one

        def frames(frame: Frame) -> Iterable[Frame]:
            for row in rows(frame.run, given(frame), keys):
                inner, values = Frame(frame.run, frame), list(row)
                for index, put in enumerate(targets):
                    put(inner, values[index] if index < len(values) else None)
                yield inner

        return self._repeat(body, frames)

    def switch(self, value: Expression, cases: Sequence[tuple[Expression | None, list[Statement]]]) -> Statement:
        """switch (a) { case b: ... default: ... }: tests, None for the default, each with its statements."""
        same = self.dialect.same
        default = next((index for index, (test, _) in enumerate(cases) if test is None), len(cases))

        def run(frame: Frame) -> object:
            inner, given = Frame(frame.run, frame), value.one(frame)
            applies = (i for i, (test, _) in enumerate(cases) if test is not None and same(given, test.one(inner)))
            for _, statements in cases[next(applies, default) :]:
                for statement in statements:
                    ended = statement(inner)
                    if ended is not None:
                        return None if ended is BREAK else ended
            return None

        return run

    def leave(self, word: str) -> Statement:
        """break or continue"""
        return lambda frame: BREAK if word == "break" else CONTINUE

    def give_back(self, values: Sequence[Expression]) -> Statement:
        """return a, b"""
        row = self.row(values)

        def run(frame: Frame) -> Returned:
            given = row(frame)
            return Returned(given[0] if len(given) == 1 else Several(given) if given else None)

        return run

    def copy_text(self, text: str) -> Statement:
        """Text between the statements of a template, which may be long, but not often."""

        def run(frame: Frame) -> None:
            frame.run.budget.spend(len(text) // TEXT_PER_WORK)
            frame.run.output.append((text, frame.run.line))

        return run

    def print(self, value: Expression) -> Statement:
        """The value of an expression between the texts of a template."""
        text = self.dialect.text

        def run(frame: Frame) -> None:
            line = frame.run.line
            frame.run.output.append((frame.run.budget.text(text(value.one(frame))), line))

        return run
