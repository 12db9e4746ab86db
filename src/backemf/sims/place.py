"""Positions in files, for error messages."""

from __future__ import annotations


def place(file: str, line: int) -> str:
    """A file and a line, for the start of an error message."""
    return f"{file}, line {line}" if file else f"line {line}"
