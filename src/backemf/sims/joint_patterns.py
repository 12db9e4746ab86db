"""Patterns of joint names, as simulators write them: which names they match, in bounded time.

A pattern from a file may be such that Python's own search takes years. Here every position is visited once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from re import _constants as op  # pyright: ignore[reportAttributeAccessIssue]
from re import _parser as parser  # pyright: ignore[reportAttributeAccessIssue]
from typing import Any, TypeAlias

from ..errors import ParameterError

Content: TypeAlias = Any
"""What belongs to a part of a pattern, as Python parses it: a code, a row of parts, or several of these."""
Part: TypeAlias = tuple[object, Content]
Parts: TypeAlias = Iterable[Part]
WORK = 200_000
"""Positions that are looked at for one name at most [1]."""
EXAMPLES = 64
"""Names that are made of one pattern at most [1]."""


def fits(pattern: str, name: str) -> bool:
    """Whether a pattern matches a whole name; a pattern also matches itself."""
    if pattern == name:
        return True
    tree, flags = _parse(pattern)
    if len(name) > 500:
        raise ParameterError(f"{name[:60]}...: is not a joint name: it is too long")
    text = name.casefold() if flags & re.IGNORECASE else name
    try:
        return len(text) in _ends(tree, text, {0}, [WORK], bool(flags & re.IGNORECASE))
    except _Foreign:
        raise ParameterError(
            f"{pattern!r} is a pattern of joint names that cannot be read: write it without lookbehind and references"
        ) from None


def examples(pattern: str) -> list[str]:
    """Some names that a pattern fits: each of its alternatives, nothing for ".*"."""
    try:
        made = _names(_parse(pattern)[0])
    except _Foreign:
        return []
    return [name for name in dict.fromkeys(made) if fits(pattern, name)]


class _Foreign(Exception):
    """A part of a pattern that is not followed here."""


@lru_cache(maxsize=1024)
def _parse(pattern: str) -> tuple[Parts, int]:
    if len(pattern) > 1000:
        raise ParameterError(f"{pattern[:60]}... is not a pattern of joint names: it is too long")
    try:
        tree = parser.parse(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ParameterError(f"{pattern!r} is not a pattern of joint names: {error}") from None
    return tree, tree.state.flags


def _ends(items: Parts, text: str, starts: set[int], left: list[int], fold: bool) -> set[int]:
    """Where a row of parts may end that begins at any of some positions."""
    for kind, value in items:
        left[0] -= 1 + len(starts)
        if left[0] < 0:
            raise ParameterError("a pattern of joint names takes too long to match: write it more simply")
        if not starts:
            return starts
        starts = _step(kind, value, text, starts, left, fold)
    return starts


def _step(kind: object, value: Content, text: str, starts: set[int], left: list[int], fold: bool) -> set[int]:
    if kind in (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN):
        return {at + 1 for at in starts if at < len(text) and _one(kind, value, text[at], fold)}
    if kind is op.SUBPATTERN:
        return _ends(value[3], text, starts, left, fold or bool(value[1] & re.IGNORECASE))
    if kind is op.BRANCH:
        return set().union(*(_ends(branch, text, starts, left, fold) for branch in value[1]))
    if kind in (op.MAX_REPEAT, op.MIN_REPEAT):
        return _repeat(value, text, starts, left, fold)
    if kind is op.AT:
        return {at for at in starts if _at_anchor(value, text, at)}
    if kind in (op.ASSERT, op.ASSERT_NOT) and value[0] == 1:
        wanted = kind is op.ASSERT
        return {at for at in starts if bool(_ends(value[1], text, {at}, left, fold)) is wanted}
    raise _Foreign


def _repeat(value: Content, text: str, starts: set[int], left: list[int], fold: bool) -> set[int]:
    least, most, body = value
    now, found = starts, set(starts) if least == 0 else set()
    for count in range(1, int(min(most, len(text) + int(least) + 1)) + 1):
        now = _ends(body, text, now, left, fold)
        if count >= least:
            if now <= found:
                break
            # a position that was reached before leads nowhere new
            now = now - found if count > least else now
            found |= now
        if not now:
            break
    return found


def _one(kind: object, value: Content, char: str, fold: bool) -> bool:
    if kind is op.ANY:
        return char != "\n"
    if kind is op.IN:
        negated = bool(value) and value[0][0] is op.NEGATE
        return any(_member(item, char, fold) for item in value[negated:]) is not negated
    same = chr(value) == char or (fold and chr(value).casefold() == char)
    return same is (kind is op.LITERAL)


def _member(item: Part, char: str, fold: bool) -> bool:
    kind, value = item
    if kind is op.LITERAL:
        return chr(value) == char or (fold and chr(value).casefold() == char)
    if kind is op.RANGE:
        return any(value[0] <= ord(c) <= value[1] for c in ((char, char.upper()) if fold else (char,)))
    if kind is op.CATEGORY and value in _CATEGORIES:
        wanted, test = _CATEGORIES[value]
        return test(char) is wanted
    raise _Foreign


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


_CATEGORIES = {
    op.CATEGORY_DIGIT: (True, str.isdecimal),
    op.CATEGORY_NOT_DIGIT: (False, str.isdecimal),
    op.CATEGORY_WORD: (True, _is_word),
    op.CATEGORY_NOT_WORD: (False, _is_word),
    op.CATEGORY_SPACE: (True, str.isspace),
    op.CATEGORY_NOT_SPACE: (False, str.isspace),
}


def _at_anchor(value: Content, text: str, at: int) -> bool:
    if value in (op.AT_BEGINNING, op.AT_BEGINNING_STRING):
        return at == 0
    if value is op.AT_END:
        return at == len(text) or text[at:] == "\n"
    if value is op.AT_END_STRING:
        return at == len(text)
    if value in (op.AT_BOUNDARY, op.AT_NON_BOUNDARY):
        sides = [_is_word(text[i]) if 0 <= i < len(text) else False for i in (at - 1, at)]
        return (sides[0] != sides[1]) is (value is op.AT_BOUNDARY)
    raise _Foreign


# --- names that a pattern fits


def _names(items: Parts) -> list[str]:
    found = [""]
    for kind, value in items:
        pieces = _pieces(kind, value)
        found = [name + piece for name in found for piece in pieces][:EXAMPLES]
    return found


def _pieces(kind: object, value: Content) -> list[str]:
    if kind is op.LITERAL:
        return [chr(value)]
    if kind is op.ANY or kind is op.NOT_LITERAL:
        return ["x"]
    if kind is op.IN:
        return [piece for item in value for piece in _members(item)][:20] if value[0][0] is not op.NEGATE else ["x"]
    if kind is op.SUBPATTERN:
        return _names(value[3])
    if kind is op.BRANCH:
        return [name for branch in value[1] for name in _names(branch)][:EXAMPLES]
    if kind in (op.MAX_REPEAT, op.MIN_REPEAT):
        least, most, body = value
        if least > 100:
            raise _Foreign
        # an optional part is both present and absent; what may be repeated without limit is left out
        counts = {int(least), int(most)} if most <= 3 else {int(least)}
        return [piece * count for count in sorted(counts) for piece in _names(body)][:EXAMPLES]
    if kind in (op.AT, op.ASSERT, op.ASSERT_NOT):
        return [""]
    raise _Foreign


def _members(item: Part) -> list[str]:
    kind, value = item
    if kind is op.LITERAL:
        return [chr(value)]
    if kind is op.RANGE:
        return [chr(code) for code in range(value[0], min(value[1], value[0] + 12) + 1)]
    return ["1", "x"] if kind is op.CATEGORY else []


# --- tables with one number per pattern


def patterns_of(joints: tuple[str, ...], tables: list[dict[str, float]]) -> list[tuple[str, str]]:
    """Patterns that divide the joints of a group by the numbers they have, each with a representative name.

    A pattern is one of the group's or of its tables'. It is taken where all names that are known to fit it have the
    same number in each table; a name that fits no such pattern is its own pattern.
    """
    if not tables:
        return [(pattern, pattern) for pattern in joints]
    keys = dict.fromkeys(str(key) for table in tables for key in table)
    if len(keys) + len(joints) > 400:
        raise ParameterError(f"{len(keys) + len(joints)} patterns of joint names are more than any robot has")
    made = dict.fromkeys(name for pattern in (*joints, *keys) for name in examples(pattern))
    inside = [name for name in list(made)[:500] if any(fits(pattern, name) for pattern in joints)]
    numbers = {
        name: tuple(tuple(table[key] for key in table if fits(key, name)) for table in tables) for name in inside
    }
    # no joint may fit two patterns of one table
    pool = [name for name in inside if all(len(found) <= 1 for found in numbers[name])]
    chosen: list[tuple[str, str]] = []
    covered: set[str] = set()

    def take(pattern: str) -> None:
        names = [name for name in pool if fits(pattern, name)]
        if names and len({numbers[name] for name in names}) == 1 and not set(names) <= covered:
            chosen.append((pattern, names[0]))
            covered.update(names)

    for key in keys:
        # a pattern that reaches beyond the group would take other joints along
        if all(any(fits(pattern, name) for pattern in joints) for name in examples(key)):
            take(key)
    for pattern in joints:
        if not any(fits(pattern, name) for name in covered):
            take(pattern)
    whole = [name for name in pool if all(len(found) == 1 for found in numbers[name])]
    return chosen + [(name, name) for name in whole if name not in covered]
