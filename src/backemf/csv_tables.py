"""Chosen columns of a CSV file as numbers, with empty cells, notes above the header, and the line of what is wrong."""

from __future__ import annotations

import io
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from csv import Error
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .csv_columns import LARGEST, check_lines
from .csv_dialects import SPACES, find_encoding, find_layout, has_decimal_comma, is_number, split_cells
from .errors import ParameterError
from .files import open_plain

MOST_COLUMNS = 10_000
"""Most columns of a table [1]."""
_CLOCK = re.compile(r"\d{1,4}[-/.:]\d{1,2}[-/.:]\d{1,4}.*")


class Header(NamedTuple):
    """What stands above the numbers."""

    headings: list[str]
    """Heading of each column."""
    notes: list[str]
    """Lines above the header that begin with #, without it."""
    line: int
    """Line of the header, from 1."""
    delimiter: str
    """What stands between cells: a comma, a semicolon, a tab, or spaces."""
    first: int
    """Lines above the first row."""
    encoding: str = "utf-8-sig"
    """How its letters are written."""

    @property
    def changes(self) -> list[str]:
        """What was not as usual, one sentence each."""
        if self.encoding != "cp1252":
            return []
        return ["the file is not UTF-8: its letters are read as those of Windows in western Europe"]


def read_header(path: Path) -> Header:
    """Headings of a CSV file, and the notes above them."""
    with open_plain(path, LARGEST, what="a CSV file") as file:
        check_lines(path, file)
        encoding = find_encoding(file)
    with _open(path, encoding) as text:
        found = find_layout(text)
    if found is None:
        raise ParameterError(f"{path}: is empty; it needs a header line and two or more rows of numbers")
    _check_headings(path, found.line, found.headings)
    return Header(found.headings, found.notes, found.line, found.delimiter, found.first, encoding)


def _check_headings(path: Path, line: int, cells: list[str]) -> None:
    if len(cells) > MOST_COLUMNS:
        raise ParameterError(f"{path}, line {line}: has {len(cells)} columns; the most are {MOST_COLUMNS}")
    for cell, times in Counter(cells).items():
        # a line may end in delimiters
        if times > 1 and cell:
            raise ParameterError(f"{path}, line {line}: the column {cell[:40]!r} comes twice; rename one")
    if all(is_number(cell) or has_decimal_comma(cell) for cell in cells):
        raise ParameterError(f"{path}, line {line}: has numbers where the names of the columns should be; add a header")


def read_cells(path: Path, header: Header, wanted: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the wanted columns, (rows, columns), NaN where a cell is empty, and the line of each row."""
    lines, comma = _check_rows(path, header)
    if not len(lines):
        raise ParameterError(f"{path}: has a header and no rows; it needs two or more rows of numbers")
    with _open(path, header.encoding) as text, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        below: Iterator[str] = islice(text, header.first, None)
        if comma:
            below = (line.replace(",", ".") for line in below)
        between = None if header.delimiter == SPACES else header.delimiter
        try:
            rows = np.loadtxt(below, delimiter=between, usecols=list(wanted), comments=None, quotechar='"', ndmin=2)
            if np.isfinite(rows).all():
                return rows, lines
        except UnicodeDecodeError:
            raise
        except ValueError:
            pass  # an empty cell, or one that is no number: the slow way says which
    return _cell_by_cell(path, header, wanted), lines


@contextmanager
def _open(path: Path, encoding: str) -> Iterator[io.TextIOWrapper]:
    try:
        with open_plain(path, LARGEST, what="a CSV file") as file:
            yield io.TextIOWrapper(file, encoding=encoding)
    except (UnicodeError, Error) as error:
        raise ParameterError(f"{path}: cannot be read as CSV text ({error}); save it as UTF-8") from None


def _check_rows(path: Path, header: Header) -> tuple[np.ndarray, bool]:
    """Lines of the rows, and whether all commas are decimal ones; checks that each has as many cells as the header."""
    count, found = len(header.headings), []
    commas = points = False
    with _open(path, header.encoding) as text:
        for number, line in enumerate(islice(text, header.first, None), start=header.first + 1):
            if not line.strip():
                continue
            if '"' in line or header.delimiter == SPACES:
                cells = len(split_cells(line, header.delimiter))
            else:
                cells = line.count(header.delimiter) + 1
            if cells != count:
                raise ParameterError(
                    f"{path}, line {number}: has {cells} cells, and the header has {count}; complete the line, "
                    "or leave it out"
                )
            commas, points = commas or "," in line, points or "." in line
            found.append(number)
    return np.array(found, dtype=int), commas and not points and header.delimiter != ","


def _cell_by_cell(path: Path, header: Header, wanted: Sequence[int]) -> np.ndarray:
    rows = []
    marks: dict[str, str] = {}
    with _open(path, header.encoding) as text:
        for number, line in enumerate(islice(text, header.first, None), start=header.first + 1):
            if not line.strip():
                continue
            cells = split_cells(line, header.delimiter)
            for k in wanted:
                cell = cells[k]
                if header.delimiter != "," and has_decimal_comma(cell):
                    marks.setdefault("commas", f"line {number}, {cell[:20]!r}")
                    cells[k] = cell.replace(",", ".")
                elif "." in cell:
                    marks.setdefault("points", f"line {number}, {cell[:20]!r}")
            rows.append([_number(path, number, header.headings[k], cells[k]) for k in wanted])
    if len(marks) > 1:
        raise ParameterError(
            f"{path}: has decimal commas ({marks['commas']}) and points ({marks['points']}); write points in all "
            "numbers, and nothing between thousands"
        )
    return np.array(rows, dtype=float).reshape(-1, len(wanted))


def _number(path: Path, line: int, name: str, text: str) -> float:
    if not text:
        return float("nan")
    words = {"true": 1.0, "false": 0.0}
    try:
        value = words[text.lower()] if text.lower() in words else float(text)
    except ValueError:
        raise ParameterError(f"{path}, line {line}, {name} = {text[:20]!r}: {_remedy(name, text)}") from None
    if not np.isfinite(value):
        raise ParameterError(
            f"{path}, line {line}, {name} = {text[:20]}: must be finite; leave the cell empty "
            "where nothing was measured"
        )
    return value


def _remedy(name: str, text: str) -> str:
    """What to write in the place of a cell that is no number."""
    if text == name:
        return "the header comes again; split the file there, each part is a log"
    if _CLOCK.fullmatch(text):
        return "must be a number, not a date or a time of day; write seconds since the start"
    if has_decimal_comma(text):
        return "must be a number with a decimal point, or cells must stand between semicolons"
    return "must be a number; leave the cell empty where nothing was measured"
