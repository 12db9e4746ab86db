"""How much a template may do, and the errors where that is too much or cannot be done."""

from __future__ import annotations

from collections.abc import Iterable

WORK = 2_000_000
"""Work that the templates of one file may do [statements, operations, and parts of texts]."""
LONGEST_TEXT = 1_000_000
"""Longest text that a template may make [characters]."""
TEXT_PER_WORK = 32
"""Characters of a text that count as one piece of work [1]."""


class TemplateError(Exception):
    """What a template cannot do; `line` is where."""

    def __init__(self, sentence: str, line: int | None = None):
        super().__init__(sentence)
        self.line = line


class Exhausted(TemplateError):
    """A bound is reached: nothing else is to be tried."""


def check_length(length: float) -> None:
    """Check that a text of so many characters, or a list of so many items, may be made; raise Exhausted if not."""
    if not length <= LONGEST_TEXT:
        raise Exhausted(f"the template makes a text or a list of more than {LONGEST_TEXT} parts")


def join(texts: Iterable[str], separator: str = "") -> str:
    """Texts joined to one, whose length is checked before it is made."""
    found: list[str] = []
    length = 0
    for text in texts:
        found.append(text)
        length += len(text) + len(separator)
        check_length(length - len(separator))
    return separator.join(found)


class Budget:
    """What is left of the work that templates may do."""

    def __init__(self, work: int = WORK):
        self.left = work
        """Work that may still be done [1]."""

    def spend(self, work: int = 1) -> None:
        """Count some work; raise Exhausted where nothing is left."""
        self.left -= work
        if self.left < 0:
            raise Exhausted("the template does not come to an end within the work that a file may take")

    def text(self, text: str) -> str:
        """A text that was made, counted by its length."""
        check_length(len(text))
        self.spend(len(text) // TEXT_PER_WORK)
        return text
