"""How much a template may do, and the errors where that is too much or cannot be done."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """What the templates of one file may take."""

    work: int = 50_000_000
    """Work of the templates in Lua [instructions]."""
    seconds: int = 5
    """CPU time [s]."""
    wait: float = 120.0
    """Time on the clock, where a system has no limit of CPU time [s]."""
    memory: int = 100_000_000
    """Memory of one template [bytes]."""
    printed: int = 10_000_000
    """What one template may print, with 16 for each value and each text between its statements [characters]."""
    text: int = 64_000_000
    """Longest text that one template may make [characters]."""


class TemplateError(Exception):
    """What a template cannot do; `line` is where."""

    def __init__(self, sentence: str, line: int | None = None):
        super().__init__(sentence)
        self.line = line


class Exhausted(TemplateError):
    """A bound is reached: nothing else is to be tried."""
