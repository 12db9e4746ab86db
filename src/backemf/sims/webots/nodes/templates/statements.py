"""Statements of a template, each made a function of the variables that it sees.

They give None, or say that a loop is left, that its next turn begins, or what a function gives back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from . import tree
from .bounds import TEXT_PER_WORK, TemplateError
from .expressions import Expressions
from .frames import Frame, Returned, Several

_BREAK, _CONTINUE = object(), object()


class Statements(Expressions):
    """Makes functions of statements."""

    def __init__(self) -> None:
        super().__init__()
        self.line = 0
        """Line of the statement that runs [1]."""
        self.output: list[tuple[str, int]] = []
        """What was printed, each with its line."""

    def _statement(self, part: Any) -> Callable[[Frame], Any]:
        return getattr(self, f"_do_{type(part).__name__.lower()}")(part)

    def _do_at(self, part: tree.At) -> Callable[[Frame], Any]:
        before, line = self._parts, part.line
        do = self._statement(part.statement)
        work = 1 + self._parts - before

        def run(frame: Frame) -> Any:
            self.budget.spend(work)
            self.line = line
            try:
                return do(frame)
            except TemplateError as error:
                if error.line is None:
                    error.line = self.line
                raise

        return run

    def _do_block(self, part: tree.Block) -> Callable[[Frame], Any]:
        rows = [self._statement(each) for each in part.statements]
        # a function may be called before the line that it is on
        functions = [i for i, each in enumerate(part.statements) if _is_function(each)]

        def run(frame: Frame) -> Any:
            inner = Frame(frame)
            for index in functions:
                rows[index](inner)
            for row in rows:
                ended = row(inner)
                if ended is not None:
                    return ended
            return None

        return run

    def _do_declare(self, part: tree.Declare) -> Callable[[Frame], Any]:
        values = self._many(part.values)
        targets, outer = part.targets, part.outer

        def run(frame: Frame) -> None:
            given = values(frame)
            for index, target in enumerate(targets):
                value = given[index] if index < len(given) else None
                self._declare(target, value, frame.home if outer else frame)

        return run

    def _do_assignmany(self, part: tree.AssignMany) -> Callable[[Frame], Any]:
        values = self._many(part.values)
        puts = [self._put(target) for target in part.targets]

        def run(frame: Frame) -> None:
            given = values(frame)
            for index, put in enumerate(puts):
                put(frame, given[index] if index < len(given) else None)

        return run

    def _do_evaluate(self, part: tree.Evaluate) -> Callable[[Frame], Any]:
        value = self._value(part.value)

        def run(frame: Frame) -> None:
            value(frame)

        return run

    def _do_if(self, part: tree.If) -> Callable[[Frame], Any]:
        test, yes = self._value(part.test), self._statement(part.yes)
        no = None if part.no is None else self._statement(part.no)
        truth = self.dialect.truth

        def run(frame: Frame) -> Any:
            if truth(test(frame)):
                return yes(frame)
            return None if no is None else no(frame)

        return run

    def _turns(
        self, body: Callable[[Frame], Any], frames: Callable[[Frame], Iterable[Frame]]
    ) -> Callable[[Frame], Any]:
        """A loop: its body once with each of its frames, to the end or until it is left."""

        def run(frame: Frame) -> Any:
            for inner in frames(frame):
                self.budget.spend(3)
                ended = body(inner)
                if ended is _BREAK:
                    return None
                if isinstance(ended, Returned):
                    return ended
            return None

        return run

    def _do_loop(self, part: tree.Loop) -> Callable[[Frame], Any]:
        first = None if part.first is None else self._statement(part.first)
        test, body = self._value(part.test), self._statement(part.body)
        step = None if part.step is None else self._value(part.step)
        truth, until = self.dialect.truth, part.until

        def frames(frame: Frame) -> Iterable[Frame]:
            inner = Frame(frame)
            if first is not None:
                first(inner)
            tested = part.late or truth(test(inner)) != until
            while tested:
                yield inner
                if step is not None:
                    step(inner)
                tested = truth(test(inner)) != until

        return self._turns(body, frames)

    def _do_count(self, part: tree.Count) -> Callable[[Frame], Any]:
        bounds = [self._value(each) for each in (part.first, part.last, part.step)]
        name = part.name

        def frames(frame: Frame) -> Iterable[Frame]:
            at, last, step = (self.dialect.unary("number", bound(frame)) for bound in bounds)
            if step == 0.0:
                raise TemplateError("the step of a loop is 0")
            while at <= last if step > 0.0 else at >= last:
                inner = Frame(frame)
                inner.values[name] = at
                yield inner
                at += step

        return self._turns(self._statement(part.body), frames)

    def _do_each(self, part: tree.Each) -> Callable[[Frame], Any]:
        items = self._value(part.items, whole=True)

        def frames(frame: Frame) -> Iterable[Frame]:
            for row in self.dialect.items(self, items(frame), part.keys):
                inner = Frame(frame)
                for index, target in enumerate(part.targets):
                    self._declare(target, row[index] if index < len(row) else None, inner)
                yield inner

        return self._turns(self._statement(part.body), frames)

    def _do_switch(self, part: tree.Switch) -> Callable[[Frame], Any]:
        value = self._value(part.value)
        tests = [None if test is None else self._value(test) for test, _ in part.cases]
        bodies = [[self._statement(each) for each in rows] for _, rows in part.cases]

        def run(frame: Frame) -> Any:
            inner, given = Frame(frame), value(frame)
            chosen = [i for i, test in enumerate(tests) if test is not None and self._same(given, test(inner))]
            start = chosen[0] if chosen else tests.index(None) if None in tests else len(tests)
            for rows in bodies[start:]:
                for row in rows:
                    ended = row(inner)
                    if ended is not None:
                        return None if ended is _BREAK else ended
            return None

        return run

    def _same(self, left: Any, right: Any) -> bool:
        return self.dialect.binary("===", left, right, self.budget)

    def _do_leave(self, part: tree.Leave) -> Callable[[Frame], Any]:
        return lambda frame: _BREAK if part.word == "break" else _CONTINUE

    def _do_return(self, part: tree.Return) -> Callable[[Frame], Any]:
        values = self._many(part.values)

        def run(frame: Frame) -> Returned:
            given = values(frame)
            return Returned(given[0] if len(given) == 1 else Several(given) if given else None)

        return run

    def _do_print(self, part: tree.Print) -> Callable[[Frame], Any]:
        value = self._value(part.value)
        if isinstance(part.value, tree.Constant) and isinstance(part.value.value, str):
            text = part.value.value

            def copy(frame: Frame) -> None:
                # a text of the file may be long, but not often
                self.budget.spend(len(text) // TEXT_PER_WORK)
                self.output.append((text, self.line))

            return copy

        def run(frame: Frame) -> None:
            line = self.line
            self.output.append((self.budget.text(self.dialect.text(value(frame))), line))

        return run


def _is_function(part: Any) -> bool:
    declared = part.statement if isinstance(part, tree.At) else part
    return isinstance(declared, tree.Declare) and all(isinstance(value, tree.FunctionBody) for value in declared.values)
