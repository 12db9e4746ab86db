"""Patterns of JavaScript and Lua as Python's, as far as they cannot take long: no repeated groups, few repetitions."""

from __future__ import annotations

import re
from typing import NamedTuple

from .bounds import TemplateError

REPETITIONS = 3
"""Repetitions that a pattern may have [1]: each makes the search longer by a power of the text's length."""
LONGEST_SUBJECT = 2_000
"""Longest text that a pattern is searched in [characters]."""
_CLASSES = {
    "a": "a-zA-Z", "d": "0-9", "l": "a-z", "u": "A-Z", "s": r"\s", "w": "a-zA-Z0-9", "p": r"!-/:-@\[-`{-~",
    "x": "0-9a-fA-F",
}  # fmt: skip


def short_enough(text: str) -> str:
    """A text that a pattern may be searched in; raise TemplateError if it is too long."""
    if len(text) > LONGEST_SUBJECT:
        raise TemplateError(f"a pattern is searched in a text of more than {LONGEST_SUBJECT} characters")
    return text


class Matcher(NamedTuple):
    """A pattern of JavaScript."""

    pattern: re.Pattern[str]
    everywhere: bool
    """Whether all places are meant, and not only the first."""


def bounded_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern of JavaScript that cannot take long."""
    outside = re.sub(r"\\.|\[(?:[^\]\\]|\\.)*\]", "x", source)
    if re.search(r"\)[*+?{]|\(\?", outside) or len(re.findall(r"[*+{]", outside)) > REPETITIONS:
        raise TemplateError(f"/{source[:40]}/ is a pattern that could take long, and is not searched here")
    try:
        return re.compile(source, flags)
    except (re.error, OverflowError):
        raise TemplateError(f"/{source[:40]}/ is not a pattern that is known here") from None


def lua_pattern(source: str) -> re.Pattern[str]:
    """A pattern of Lua."""
    made, at, repeats = "", 0, 0
    if source.startswith("^"):
        made, at = r"\A", 1
    while at < len(source):
        letter = source[at]
        if letter == "%" and at + 1 < len(source):
            made += _lua_class(source[at + 1])
            at += 2
        elif letter == "[":
            close = source.find("]", at + 2)
            if close < 0:
                raise TemplateError(f"{source[:40]!r} is not a pattern: [ is never closed")
            made += "[" + re.sub(r"%(.)|([\\\[])", _in_set, source[at + 1 : close]) + "]"
            at = close + 1
        elif letter in "*+-?" and made and made[-1] != "(":
            repeats += letter != "?"
            made += "*?" if letter == "-" else letter
            at += 1
        elif letter == "$" and at == len(source) - 1:
            made += r"\Z"
            at += 1
        else:
            made += letter if letter in "()." else re.escape(letter)
            at += 1
    if repeats > REPETITIONS or re.search(r"\)[*+?]", made):
        raise TemplateError(f"{source[:40]!r} is a pattern that could take long, and is not searched here")
    try:
        return re.compile(made, re.DOTALL)
    except (re.error, OverflowError):
        raise TemplateError(f"{source[:40]!r} is not a pattern that is known here") from None


def _lua_class(letter: str) -> str:
    known = _CLASSES.get(letter.lower())
    if known is None:
        if letter.isalnum():
            raise TemplateError(f"%{letter} is not known in patterns here")
        return re.escape(letter)
    return f"[{'^' if letter.isupper() else ''}{known}]"


def _in_set(found: re.Match[str]) -> str:
    if found.group(1):
        return _CLASSES.get(found.group(1), re.escape(found.group(1)))
    return "\\" + found.group(2)
