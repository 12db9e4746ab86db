"""Where something stands in a file, as sentences of every reader begin."""

from __future__ import annotations


def place(file: str, line: int) -> str:
    """A file and a line, as a sentence begins."""
    return f"{file}, line {line}" if file else f"line {line}"
