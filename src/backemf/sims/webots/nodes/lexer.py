"""The tokens of VRML97, with their lines, and the ends of brackets in a text."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from ....errors import ParameterError
from ...place import place
from .templates.render import Lines

MOST_TOKENS = 500_000
"""Most words, numbers and brackets of a text, where a list of numbers or a block of comments is one [1]."""
_NUMBER = r"[+-]?(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
_TOKEN = re.compile(
    rf"""(?P<space>[\s,]+)
    |(?P<comment>\#[^\n]*+(?:\s*+\#[^\n]*+)*+)
    |(?P<template>%<.*?>%|%\{{.*?\}}%)
    |(?P<string>"(?:[^"\\]++|\\.)*+")
    |(?P<numbers>\[[\s,]*[-+.\d][-+.\deE\s,]*\])
    |(?P<number>{_NUMBER}(?![\w.]))
    |(?P<word>[^\W\d][^\s\x00-\x1f"\#%',\[\\\]{{}}]*)
    |(?P<mark>[{{}}\[\]])""",
    re.VERBOSE | re.DOTALL,
)
_NESTED = re.compile(r'"(?:[^"\\]++|\\.)*+"|\#[^\n]*|%<.*?>%|%\{.*?\}%|[{}\[\]]', re.DOTALL)


class Token(NamedTuple):
    """A token of a text."""

    kind: str
    """"template", "string", "numbers", "number", "word", "mark", "comment" or "end"."""
    text: str
    """As it is written."""
    line: int
    """Line that it is on [1]."""
    at: int
    """Character that it begins with [1]."""


def tokens_of(
    text: str, file: str = "", first_line: int = 1, lines: Lines | None = None, at: int = 0
) -> Iterator[Token]:
    """The tokens from a character on; `lines` says the line of each where a template made the text."""
    line, count = first_line, 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        line = line if lines is None else lines.line(text, at)
        if found is None:
            raise ParameterError(f"{place(file, line)}: this is not VRML: unexpected {text[at]!r}")
        kind, word = str(found.lastgroup), found.group()
        count += kind != "space"
        if count > MOST_TOKENS:
            sentence = f"there are more than {MOST_TOKENS:,} words before this one; give the robot alone"
            raise ParameterError(f"{place(file, line)}: {sentence}")
        if kind != "space":
            yield Token(kind, word, line, at)
        if lines is None:
            line += word.count("\n")
        at = found.end()
    yield Token("end", "the end of the text", line, at)


def number_of(word: str) -> float:
    """A number as VRML writes it."""
    if re.match(r"[+-]?0[xX]", word) is None:
        return float(word)
    # as many digits of a whole number as a float has, and some
    return float(int(word, 16)) if len(word) < 250 else math.inf


def numbers_of(token: Token) -> list[float] | None:
    """A list of numbers, read at once; None: it has something else in it."""
    try:
        return [float(word) for word in token.text[1:-1].replace(",", " ").split()]
    except ValueError:
        return None


def closing(text: str, at: int) -> int:
    """Where the bracket at a character is closed; -1: nowhere. Texts, comments and templates may have any brackets."""
    depth = 0
    for found in _NESTED.finditer(text, at):
        mark = found.group()
        if mark in "{[":
            depth += 1
        elif mark in "}]":
            depth -= 1
            if depth == 0:
                return found.start()
    return -1
