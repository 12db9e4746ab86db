"""The text that a template makes, with the line that each part of it came from."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, NamedTuple

from .bounds import Budget, TemplateError
from .evaluate import Interpreter
from .javascript import javascript_tree
from .js_library import javascript
from .lua import lua_tree
from .lua_library import lua
from .tokens import tokens_of
from .tree import Block


class Rendered(NamedTuple):
    """What a template made."""

    text: str
    """The text, free of templates."""
    lines: Lines
    """Where its parts came from."""
    messages: tuple[str, ...]
    """What the template says to its user."""


class Lines:
    """The line of every character of a text that was put together from parts."""

    def __init__(self, parts: list[tuple[str, int]]):
        self.starts: list[int] = []
        self.first: list[int] = []
        at = 0
        for text, line in parts:
            self.starts.append(at)
            self.first.append(line)
            at += len(text)
        self._last = (-1, 0, 0)

    def line(self, text: str, at: int) -> int:
        """Line of a character in the file that the template is from [1]; quick where characters come in order."""
        if not self.starts:
            return 1
        index = max(bisect_right(self.starts, at) - 1, 0)
        part, from_at, line = self._last
        if part != index or at < from_at:
            from_at, line = self.starts[index], self.first[index]
        line += text.count("\n", from_at, at)
        self._last = (index, at, line)
        return line


def program_of(text: str, line: int, language: str) -> Block:
    """The program of a PROTO's body, which begins on `line`."""
    try:
        tokens = tokens_of(text, line, language)
        return javascript_tree(tokens) if language == "javascript" else lua_tree(tokens)
    except RecursionError:
        raise TemplateError("the template is nested too deep", line) from None


def render(program: Block, language: str, fields: dict[str, Any], context: dict[str, Any], budget: Budget) -> Rendered:
    """Run the program of a PROTO's body; `fields` and `context` are plain Python values."""
    run = Interpreter(javascript() if language == "javascript" else lua(), budget)
    try:
        run.run(program, {"fields": _value(run, fields), "context": _value(run, context)})
    except RecursionError:
        raise TemplateError("the template is nested too deep", run.line) from None
    made = "".join(part for part, _ in run.output)
    return Rendered(made, Lines(run.output), tuple(dict.fromkeys("".join(run.messages).strip().splitlines())))


def _value(run: Interpreter, value: Any) -> Any:
    """A plain value as one of the language: dicts and lists become objects or tables, whole numbers floats."""
    if isinstance(value, dict):
        return run.dialect.record([(key, _value(run, each)) for key, each in value.items()])
    if isinstance(value, (list, tuple)):
        return run.dialect.array([_value(run, each) for each in value])
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value
