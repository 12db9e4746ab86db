"""How values, tables and files are printed."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from .. import units
from ..values import Foreign, Json
from .app import as_options, console

SEVERITY_STYLE = {"ok": "green", "info": "cyan", "hint": "magenta", "warning": "yellow", "error": "bold red"}


def titled_table(
    title: str | None,
    columns: Sequence[str],
    right: Sequence[str] = (),
    terminal: Console | None = None,
    wrap: Sequence[str] = (),
) -> Table:
    """An empty table below its title; columns in `right` are aligned to the right, those in `wrap` wrap their lines."""
    if title is not None:
        # a title above the table, which would wrap it to its own width
        (terminal or console()).print(Text(title, style="bold"))
    table = Table(header_style="bold", box=None, pad_edge=False)
    for name in columns:
        justify, overflow = "right" if name in right else "left", "fold" if name in wrap else "ellipsis"
        table.add_column(name, justify=justify, no_wrap=name not in wrap, overflow=overflow)
    return table


def print_findings(findings: Sequence[tuple[str, str, str]]) -> None:
    """Severity, subject and explanation of each finding, one line each below an empty one."""
    if findings:
        console().print()
    for severity, subject, explanation in findings:
        mark = Text(severity, style=SEVERITY_STYLE[severity])
        console().print(Text.assemble(mark, f" {subject}: {as_options(explanation)}"))


def print_json(answer: object) -> None:
    """An answer for scripts."""
    print(json_text(answer))


def json_text(answer: object) -> str:
    """An answer for scripts as text."""
    return json.dumps(plain(answer), indent=1, ensure_ascii=False)


def print_written(paths: Iterable[Path | None]) -> None:
    """The files that were written."""
    for path in filter(None, paths):
        console().print(f"wrote {path}", soft_wrap=True)


def print_columns(titles: list[str], rows: list[list[str]], right: list[bool]) -> None:
    """A table of many plain cells, for which rich's own takes a millisecond a row; titles may have two lines."""
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


def cell(value: float | None, unit: str) -> str:
    """A value with its unit."""
    return "-" if value is None else units.format_quantity(float(value), unit or "1")


def plain(value: Foreign) -> Json:
    """The same in types that JSON has: NaN and infinity become null."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
