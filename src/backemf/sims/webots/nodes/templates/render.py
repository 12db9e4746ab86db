"""The text that a template makes, with the line that each part of it came from."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import NamedTuple, cast

from ....types import Json
from .bounds import Exhausted, TemplateError
from .interpreter import Interpreters, printable
from .programs import program_of

LONGEST_MESSAGE = 4_000
"""What a template may tell its user in all [characters]."""


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


def render(
    text: str, line: int, language: str, fields: dict[str, Json], context: dict[str, Json], interpreters: Interpreters
) -> Rendered:
    """Run the templates of a PROTO's body, which begins on `line`; `fields` and `context` are plain Python values."""
    program = program_of(text, line, language)
    try:
        written = interpreters.run(language, program.source, fields, context)
    except TemplateError as error:
        error.line = program.lines[min(int(error.line or 1), len(program.lines)) - 1]
        raise
    parts: list[tuple[str, int]] = []
    messages, left = "", interpreters.bounds.text
    for piece, printed in zip(written[::2], cast(list[str], written[1::2]), strict=True):
        if piece not in range(len(program.pieces)):
            messages += printed[: LONGEST_MESSAGE - len(messages)]
            continue
        copied, at = program.pieces[int(piece)]
        left -= len(copied or printed)
        if left < 0:
            raise Exhausted(f"the template makes a text of more than {interpreters.bounds.text} characters", at)
        parts.append((copied or printed, at))
    made = "".join(part for part, _ in parts)
    told = [printable(line) for line in messages.strip().splitlines()]
    return Rendered(made, Lines(parts), tuple(dict.fromkeys(told)))
