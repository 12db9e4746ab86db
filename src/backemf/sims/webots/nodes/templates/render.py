"""The text that a template makes, with the line that each part of it came from."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import Any, NamedTuple

from .bounds import Budget, TemplateError
from .grammar import Grammar
from .javascript import JavaScript
from .js_library import JAVASCRIPT
from .lua import Lua
from .lua_library import LUA
from .runtime import Dialect, Interpreter, Statement, Value
from .statements import Compiler
from .tokens import tokens_of

_LANGUAGES: dict[str, tuple[type[Grammar], Dialect]] = {"javascript": (JavaScript, JAVASCRIPT), "lua": (Lua, LUA)}


class Rendered(NamedTuple):
    """What a template made."""

    text: str
    """The text, free of templates."""
    lines: Lines
    """Where its parts came from."""
    messages: tuple[str, ...]
    """What the template tells its user."""


class Lines:
    """The line of every character of a text that was put together from parts."""

    def __init__(self, parts: list[tuple[str, int]]):
        self.starts = list(accumulate((len(text) for text, _ in parts[:-1]), initial=0))
        self.first = [line for _, line in parts]
        self._last = (-1, 0, 0)

    def line(self, text: str, at: int) -> int:
        """Line of a character in the file that the template is from [1]; quick where characters come in order."""
        if not self.first:
            return 1
        index = max(bisect_right(self.starts, at) - 1, 0)
        part, from_at, line = self._last
        if part != index or at < from_at:
            from_at, line = self.starts[index], self.first[index]
        line += text.count("\n", from_at, at)
        self._last = (index, at, line)
        return line


def program_of(text: str, line: int, language: str) -> Statement:
    """The program of a PROTO's body, which begins on `line`."""
    grammar, dialect = _LANGUAGES[language]
    try:
        return grammar(tokens_of(text, line, language), Compiler(dialect)).program()
    except RecursionError:
        raise TemplateError("the template is nested too deep", line) from None


def render(
    program: Statement, language: str, fields: dict[str, Any], context: dict[str, Any], budget: Budget
) -> Rendered:
    """Run the program of a PROTO's body; `fields` and `context` are plain Python values."""
    run = Interpreter(_LANGUAGES[language][1], budget)
    try:
        run.run(program, {"fields": _value(run.dialect, fields), "context": _value(run.dialect, context)})
    except RecursionError:
        raise TemplateError("the template is nested too deep", run.line) from None
    made = "".join(part for part, _ in run.output)
    return Rendered(made, Lines(run.output), tuple(dict.fromkeys("".join(run.messages).strip().splitlines())))


def _value(dialect: Dialect, value: object) -> Value:
    """A plain value as one of the language: dicts and lists become objects or tables, whole numbers floats."""
    if isinstance(value, dict):
        return dialect.record([(key, _value(dialect, each)) for key, each in value.items()])
    if isinstance(value, (list, tuple)):
        return dialect.array([_value(dialect, each) for each in value])
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value
