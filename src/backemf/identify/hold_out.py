"""Which logs a fit must not see: `"kp==800"`, `"file==swing.csv"`, or the last share of each log."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from ..checks import quote
from ..errors import ParameterError
from .channels import suggest
from .log import Log, Meta

_EXPRESSION = re.compile(r"\s*([A-Za-z_][\w-]*)\s*(==|!=|<=|>=|<|>)\s*(.+?)\s*")
FILE = "file"
"""Name that stands for the file of a log where no note has it."""
SHOWN = 12
"""So many files stand in a sentence [1]."""
_SEVERAL = re.compile(r"[=<>|&,;]|\b(or|and|not|in)\b")
_TESTS: dict[str, Callable[..., bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def held_out(logs: Sequence[Log], expression: str) -> list[bool]:
    """Which logs an expression over their notes leaves out."""
    found = _EXPRESSION.fullmatch(expression)
    if found is None:
        raise ParameterError(
            f"hold_out = {quote(expression)}: write a note of the logs, ==, !=, <, <=, > or >=, and a value, "
            "as in kp==800; or a share of each log, as in 0.4"
        )
    name, test, text = found.groups()
    if _SEVERAL.search(text):
        raise ParameterError(
            f"hold_out = {quote(expression)}: is more than one comparison; write one, as in kp>=400, or mark the logs "
            "with a note of their own, as in part==test"
        )
    notes = sorted({note for log in logs for note in log.meta})
    if name == FILE and name not in notes:
        return _by_file(logs, expression, test, text.strip("\"'"))
    if name not in notes:
        hint = suggest(name, notes) if notes else "the logs have no notes, so write file==NAME"
        raise ParameterError(f"hold_out = {quote(expression)}: no log has a note {name!r}: {hint}")
    chosen = []
    for log in logs:
        own = log.meta.get(name)
        value = text.strip("\"'") if isinstance(own, str) else _value(text.strip("\"'"))
        comparable = own is not None and isinstance(own, str) == isinstance(value, str)
        chosen.append(comparable and _TESTS[test](own, value))
    if not any(chosen):
        known = sorted({str(log.meta[name]) for log in logs if name in log.meta})
        raise ParameterError(f"hold_out = {quote(expression)}: matches no log; {name} is {', '.join(known)}")
    if all(chosen):
        raise ParameterError(f"hold_out = {quote(expression)}: matches every log, so that none is left to fit")
    return chosen


def _by_file(logs: Sequence[Log], expression: str, test: str, text: str) -> list[bool]:
    """Which logs are of a file, named with or without its folder and its ending."""
    if test not in ("==", "!="):
        raise ParameterError(f"hold_out = {quote(expression)}: a file is named with == or !=")
    names = [Path(log.name) for log in logs]
    same = [text in (str(name), name.name, name.stem) for name in names]
    if not any(same):
        known = ", ".join(sorted({name.name for name in names if name.name})[:SHOWN]) or "not known"
        raise ParameterError(f"hold_out = {quote(expression)}: matches no log; their files are {known}")
    chosen = [each == (test == "==") for each in same]
    if len(set(chosen)) < 2:
        raise ParameterError(f"hold_out = {quote(expression)}: leaves no log to fit, or none out; give another file")
    return chosen


def note_of(expression: str | float | None) -> str:
    """The note that an expression reads; empty where it is none."""
    found = _EXPRESSION.fullmatch(expression) if isinstance(expression, str) else None
    return "" if found is None else found[1]


def _value(text: str) -> Meta:
    try:
        return float(text)
    except ValueError:
        return text
