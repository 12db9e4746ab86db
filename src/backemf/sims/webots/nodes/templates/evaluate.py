"""Running the tree of a template: each part becomes a function of the variables that it sees.

What the two languages do differently (what is true, how texts are added, what a list is) is their `Dialect`.
"""

from __future__ import annotations

from typing import Any

from . import tree
from .bounds import Budget, TemplateError
from .frames import Dialect, Frame, Function, Native, Returned
from .statements import Statements

DEEPEST = 60
"""How often calls of functions may be within each other [1]."""


class Interpreter(Statements):
    """A template that runs: its output, and what it says of itself."""

    def __init__(self, dialect: Dialect, budget: Budget):
        super().__init__()
        self.dialect, self.budget = dialect, budget
        self.messages: list[str] = []
        """What the template says to its user."""
        self.random = 0.0
        """State of the random numbers, which begin alike every time."""
        self.depth = 0
        """How many calls are within each other [1]."""

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
