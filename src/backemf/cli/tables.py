"""How values and tables are printed."""

from __future__ import annotations

import math
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from .. import units
from .app import console


def titled_table(title: str | None, terminal: Console | None = None) -> Table:
    if title is not None:
        # a title above the table, which would wrap it to its own width
        (terminal or console()).print(Text(title, style="bold"))
    return Table(header_style="bold", box=None, pad_edge=False)


def print_columns(titles: list[str], rows: list[list[str]], right: list[bool]) -> None:
    """A table of many plain cells, which rich's own would take a millisecond a row for; titles may have two lines."""
    heads = [title.split("\n") for title in titles]
    depth = max(map(len, heads))
    heads = [[""] * (depth - len(head)) + head for head in heads]
    lines = [list(line) for line in zip(*heads, strict=True)] + rows
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]

    def text_of(line: list[str]) -> str:
        cells = zip(line, widths, right, strict=True)
        return "  ".join(cell.rjust(width) if r else cell.ljust(width) for cell, width, r in cells).rstrip()

    text = Text("\n".join(map(text_of, lines[:depth])), style="bold")
    text.append("\n" + "\n".join(map(text_of, lines[depth:])), style="not bold")
    console().print(text, no_wrap=True, overflow="ellipsis")


def bare(value: Any, unit: str | None) -> str:
    """A value in the unit of its column."""
    if value is None:
        return "-"
    if unit is None:
        return str(value)
    converted = units.convert(value, unit)
    return f"{converted:.0f}" if abs(converted) >= 1000 else f"{converted:.4g}"


def cell(value: Any, unit: str) -> str:
    """A value with its unit."""
    return "-" if value is None else units.format_quantity(float(value), unit or "1")


def plain(value: Any) -> Any:
    """The same in what JSON knows: NaN and infinity become null."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
