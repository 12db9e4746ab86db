"""Alternatives of a pattern of joint names that match nothing, such as "elbw" of "shoulder|elbw"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .joint_patterns import fits

_HEAD = re.compile(r"\?(?::|P<\w+>|[aimsux-]+:)|(?!\?)")
"""What stands before the content of a group that matches what its content does."""
_FLAGS = re.compile(r"\(\?[aimsux]+\)")
MOST = 64
"""Bars of a pattern, beyond which its alternatives are not tried one by one [1]."""


def unused_alternatives(pattern: str, names: Sequence[str]) -> list[str]:
    """Alternatives, at the top of a pattern or in its groups, without which it matches the same names.

    A pattern that matches nothing at all has none, and so have groups that repeat, since a name may take several of
    their alternatives.
    """
    if pattern in names or pattern.count("|") > MOST or not any(fits(pattern, name) for name in names):
        return []
    flags = _FLAGS.match(pattern)
    start = flags.end() if flags else 0
    return list(_unused(pattern[:start], pattern[start:], "", names))


def _unused(before: str, text: str, after: str, names: Sequence[str]) -> Iterator[str]:
    """Unused alternatives of a text that stands between two others, which match something with it."""
    branches = _branches(text)
    for branch in branches:
        if len(branches) > 1 and branch and not any(fits(before + branch + after, name) for name in names):
            yield branch
            continue
        for start, end in _groups(branch):
            yield from _unused(before + branch[:start], branch[start:end], branch[end:] + after, names)


def _branches(text: str) -> list[str]:
    """The alternatives of a text itself, not those of its groups."""
    found, depth, begin = [], 0, 0
    for at, char in _plain(text):
        depth += (char == "(") - (char == ")")
        if char == "|" and not depth:
            found.append(text[begin:at])
            begin = at + 1
    return [*found, text[begin:]]


def _groups(text: str) -> Iterator[tuple[int, int]]:
    """Where the content of each outermost group begins and ends; without groups that repeat or only look ahead."""
    depth, begin = 0, None
    for at, char in _plain(text):
        if char == "(":
            depth += 1
            if depth == 1:
                head = _HEAD.match(text, at + 1)
                begin = None if head is None else head.end()
        elif char == ")":
            depth -= 1
            if depth == 0 and begin is not None and text[at + 1 : at + 2] not in ("*", "+", "{"):
                yield begin, at


def _plain(text: str) -> Iterator[tuple[int, str]]:
    """Each character that is neither escaped nor in a set, with its place."""
    at = 0
    while at < len(text):
        if text[at] == "\\":
            at += 2
            continue
        if text[at] == "[":
            # a bracket right at the start of a set is one of its characters
            end = text.find("]", at + (3 if text[at + 1 : at + 2] == "^" else 2))
            while end > 0 and _escaped(text, end):
                end = text.find("]", end + 1)
            at = end + 1 if end > 0 else len(text)
            continue
        yield at, text[at]
        at += 1


def _escaped(text: str, at: int) -> bool:
    """Whether an odd number of backslashes stands before a character."""
    return (at - len(text[:at].rstrip("\\"))) % 2 == 1
