"""Running the tree of a template: each part becomes a function of the variables that it sees.

What the two languages do differently (what is true, how texts are added, what a list is) is their `Dialect`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from . import tree
from .bounds import Budget, TemplateError

DEEPEST = 60
"""How often calls of functions may be within each other [1]."""
_BREAK, _CONTINUE = object(), object()


class Frame:
    """Variables of a block, and the block around it."""

    __slots__ = ("home", "parent", "values")

    def __init__(self, parent: Frame | None, function: bool = False):
        self.values: dict[str, Any] = {}
        self.parent = parent
        self.home: Frame = self if function or parent is None else parent.home

    def holder(self, name: str) -> Frame | None:
        """The frame that has a variable; None: none has."""
        frame: Frame | None = self
        while frame is not None and name not in frame.values:
            frame = frame.parent
        return frame


class Returned:
    """What a function gives back."""

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = value


class Several(list[Any]):
    """The values that a function of Lua gives back, where there is not just one."""


class Native:
    """A function of the library: its name, and what it does with the interpreter, `this` and the arguments."""

    __slots__ = ("do", "name")

    def __init__(self, name: str, do: Callable[[Interpreter, Any, list[Any]], Any]):
        self.name, self.do = name, do


class Function:
    """A function of the template."""

    __slots__ = ("body", "frame", "parameters", "rest")

    def __init__(self, parameters: Any, rest: str, body: Any, frame: Frame):
        self.parameters, self.rest, self.body, self.frame = parameters, rest, body, frame


class Dialect:
    """What one of the languages does its own way."""

    globals: dict[str, Any]
    """Names that every template knows."""

    def truth(self, value: Any) -> bool:
        """Whether a value counts as true."""
        raise NotImplementedError

    def text(self, value: Any) -> str:
        """A value as a template prints it."""
        raise NotImplementedError

    def unary(self, sign: str, value: Any) -> Any:
        """A sign before a value."""
        raise NotImplementedError

    def binary(self, sign: str, left: Any, right: Any, budget: Budget) -> Any:
        """A sign between two values."""
        raise NotImplementedError

    def get(self, target: Any, key: Any) -> Any:
        """An item or a property; what is not there is nothing."""
        raise NotImplementedError

    def put(self, target: Any, key: Any, value: Any, budget: Budget) -> None:
        """Set an item or a property."""
        raise NotImplementedError

    def items(self, run: Interpreter, value: Any, keys: bool) -> Iterable[Any]:
        """What a loop goes through: rows of as many values as it has names."""
        raise NotImplementedError

    def array(self, items: list[Any]) -> Any:
        """A list with these items."""
        raise NotImplementedError

    def record(self, pairs: list[tuple[Any, Any]]) -> Any:
        """An object or a table; a pair without a key is an item of a list, or all that another object has."""
        raise NotImplementedError

    def pattern(self, source: str, flags: str) -> Any:
        """A regular expression."""
        raise TemplateError("regular expressions are not known here")


class Interpreter:
    """A template that runs: its output, and what it says of itself."""

    def __init__(self, dialect: Dialect, budget: Budget):
        self.dialect, self.budget = dialect, budget
        self.output: list[tuple[str, int]] = []
        """What was printed, each with its line."""
        self.messages: list[str] = []
        """What the template says to its user."""
        self.random = 0.0
        """State of the random numbers, which begin alike every time."""
        self.line, self.depth, self._parts = 0, 0, 0

    def run(self, program: tree.Block, names: dict[str, Any]) -> None:
        """Run a program with these variables."""
        frame = Frame(None)
        frame.values.update(self.dialect.globals)
        frame.values.update(names)
        self._statement(program)(frame)

    def call(self, function: Any, this: Any, arguments: list[Any]) -> Any:
        """Call a function of the library or of the template."""
        self.budget.spend(1 + len(arguments))
        if isinstance(function, dict):
            # such as Number, which has functions and is one
            function = function.get("()")
        if isinstance(function, Native):
            return function.do(self, this, arguments)
        if not isinstance(function, Function):
            raise TemplateError(f"{self.dialect.text(function)[:40]} is called and is not a function")
        if self.depth >= DEEPEST:
            raise TemplateError(f"functions call each other more than {DEEPEST} deep")
        self.depth += 1
        frame = Frame(function.frame, function=True)
        for index, (target, default) in enumerate(function.parameters):
            value = arguments[index] if index < len(arguments) else None
            self._declare(target, default(frame) if value is None and default is not None else value, frame)
        if function.rest:
            frame.values[function.rest] = self.dialect.array(arguments[len(function.parameters) :])
        frame.values.setdefault("this", this)
        ended = function.body(frame)
        self.depth -= 1
        return ended.value if isinstance(ended, Returned) else None

    # --- statements: functions of a frame, which give None, break, continue or a Returned

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

    def _declare(self, target: Any, value: Any, frame: Frame) -> None:
        if isinstance(target, tree.Name):
            frame.values[target.name] = value
        elif isinstance(target, tree.Array):
            for index, each in enumerate(target.items):
                self._declare(each, self.dialect.get(value, float(index)), frame)
        else:
            for key, each in target.pairs:
                self._declare(each, self.dialect.get(value, key.value), frame)

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

    def _do_loop(self, part: tree.Loop) -> Callable[[Frame], Any]:
        first = None if part.first is None else self._statement(part.first)
        test, body = self._value(part.test), self._statement(part.body)
        step = None if part.step is None else self._value(part.step)
        truth, until = self.dialect.truth, part.until

        def run(frame: Frame) -> Any:
            inner = Frame(frame)
            if first is not None:
                first(inner)
            tested = part.late or truth(test(inner)) != until
            while tested:
                self.budget.spend(3)
                ended = body(inner)
                if ended is _BREAK:
                    return None
                if isinstance(ended, Returned):
                    return ended
                if step is not None:
                    step(inner)
                tested = truth(test(inner)) != until
            return None

        return run

    def _do_count(self, part: tree.Count) -> Callable[[Frame], Any]:
        bounds = [self._value(each) for each in (part.first, part.last, part.step)]
        body, name = self._statement(part.body), part.name

        def run(frame: Frame) -> Any:
            at, last, step = (self.dialect.unary("number", bound(frame)) for bound in bounds)
            if step == 0.0:
                raise TemplateError("the step of a loop is 0")
            while at <= last if step > 0.0 else at >= last:
                self.budget.spend(3)
                inner = Frame(frame)
                inner.values[name] = at
                ended = body(inner)
                if ended is _BREAK:
                    return None
                if isinstance(ended, Returned):
                    return ended
                at += step
            return None

        return run

    def _do_each(self, part: tree.Each) -> Callable[[Frame], Any]:
        items, body = self._value(part.items, whole=True), self._statement(part.body)

        def run(frame: Frame) -> Any:
            for row in self.dialect.items(self, items(frame), part.keys):
                self.budget.spend(3)
                inner = Frame(frame)
                for index, target in enumerate(part.targets):
                    self._declare(target, row[index] if index < len(row) else None, inner)
                ended = body(inner)
                if ended is _BREAK:
                    return None
                if isinstance(ended, Returned):
                    return ended
            return None

        return run

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

        def run(frame: Frame) -> None:
            line = self.line
            self.output.append((self.budget.text(self.dialect.text(value(frame))), line))

        return run

    # --- expressions: functions of a frame, which give a value

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
        made = self.dialect.pattern(part.source, part.flags)
        return lambda frame: made


def _is_function(part: Any) -> bool:
    declared = part.statement if isinstance(part, tree.At) else part
    return isinstance(declared, tree.Declare) and all(
        isinstance(value, tree.FunctionBody) for value in declared.values
    )
