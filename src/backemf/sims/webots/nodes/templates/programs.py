"""A template as one program of its language, which writes the texts between its statements."""

from __future__ import annotations

import re
from typing import NamedTuple

from .bounds import TemplateError

_MARKS = {"javascript": ("%<", ">%"), "lua": ("%{", "}%")}
_IMPORT = re.compile(
    r"""\bimport\s*(?:\*\s*as\s+(?P<all>[\w$]+)|(?P<some>\{[\w$,\s]*\}))\s*from\s*(?P<file>'[^'\n]*'|"[^"\n]*")"""
)


class Program(NamedTuple):
    """A template that can be run."""

    source: str
    """The program; it calls __text(piece) and __print(piece, value)."""
    lines: list[int]
    """The line of the file for each line of the program [1]."""
    pieces: list[tuple[str, int]]
    """Texts between the statements, empty where a value is printed, each with its line."""


def has_templates(text: str, language: str) -> bool:
    """Whether a text has programs of a language in it."""
    return _MARKS[language][0] in text


def program_of(text: str, line: int, language: str) -> Program:
    """The program of a PROTO's body, which begins on `line`."""
    opens, closes = _MARKS[language]
    source: list[str] = []
    lines: list[int] = []
    pieces: list[tuple[str, int]] = []

    def write(code: str, own: bool) -> None:
        # each piece is on lines of its own: a comment ends there, and a statement may
        source.append(code + "\n")
        lines.extend(line + (index if own else 0) for index in range(code.count("\n") + 1))

    at = 0
    while at < len(text):
        begin = text.find(opens, at)
        begin = len(text) if begin < 0 else begin
        if begin > at:
            write(f"__text({len(pieces)});", own=False)
            pieces.append((text[at:begin], line))
            line += text.count("\n", at, begin)
        if begin == len(text):
            break
        end = text.find(closes, begin)
        if end < 0:
            raise TemplateError(f"{opens} is never closed by {closes}", line)
        code = text[begin + 2 : end]
        if code.startswith("="):
            write(f"__print({len(pieces)}, (", own=False)
            write(code[1:].rstrip().removesuffix(";"), own=True)
            write("));", own=False)
            pieces.append(("", line))
        else:
            write(_without_imports(code) if language == "javascript" else code, own=True)
        line += code.count("\n")
        at = end + 2
    return Program("".join(source), lines, pieces)


def _without_imports(code: str) -> str:
    """import * as a from 'a.js' and import {a, b as c} from 'a.js' as constants."""

    def constant(found: re.Match[str]) -> str:
        names = found["all"] or re.sub(r"\s+as\s+", ": ", found["some"])
        made = f"const {names} = __module({found['file']})"
        return made + "\n" * (found[0].count("\n") - made.count("\n"))

    return _IMPORT.sub(constant, code)
