"""Chosen columns of a CSV file as numbers, with empty cells, notes above the header, and the line of what is wrong."""

from __future__ import annotations

import csv
import io
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .csv_columns import LARGEST, check_lines
from .errors import ParameterError
from .files import open_plain

MOST_COLUMNS = 10_000
"""Most columns of a table [1]."""


class Header(NamedTuple):
    """What stands above the numbers."""

    headings: list[str]
    """Heading of each column."""
    notes: list[str]
    """Lines above the header that begin with #, without it."""
    line: int
    """Line of the header, from 1."""
    delimiter: str
    """What stands between cells: a comma, a semicolon or a tab."""


def read_header(path: Path) -> Header:
    """Headings of a CSV file, and the notes above them."""
    with _open(path) as text:
        notes: list[str] = []
        for number, line in enumerate(text, start=1):
            if line.startswith("#"):
                notes.append(line[1:].strip())
            elif line.strip():
                delimiter = max(",;\t", key=line.count)
                cells = [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]
                _check_headings(path, number, cells)
                return Header(cells, notes, number, delimiter)
    raise ParameterError(f"{path}: is empty; it needs a header line and two or more rows of numbers")


def _check_headings(path: Path, line: int, cells: list[str]) -> None:
    if len(cells) > MOST_COLUMNS:
        raise ParameterError(f"{path}, line {line}: has {len(cells)} columns; the most are {MOST_COLUMNS}")
    for cell, times in Counter(cells).items():
        if times > 1:
            raise ParameterError(f"{path}, line {line}: the column {cell[:40]!r} comes twice; rename one")
    if all(_is_number(cell) for cell in cells):
        raise ParameterError(f"{path}, line {line}: has numbers where the names of the columns should be; add a header")


def read_cells(path: Path, header: Header, wanted: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the wanted columns, (rows, columns), NaN where a cell is empty, and the line of each row."""
    lines = _check_rows(path, header)
    if not len(lines):
        raise ParameterError(f"{path}: has a header and no rows; it needs two or more rows of numbers")
    with _open(path) as text, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        below = islice(text, header.line, None)
        try:
            rows = np.loadtxt(
                below, delimiter=header.delimiter, usecols=list(wanted), comments=None, quotechar='"', ndmin=2
            )
            if np.isfinite(rows).all():
                return rows, lines
        except UnicodeDecodeError:
            raise
        except ValueError:
            pass  # an empty cell, or one that is no number: the slow way says which
    return _cell_by_cell(path, header, wanted), lines


@contextmanager
def _open(path: Path) -> Iterator[io.TextIOWrapper]:
    try:
        with open_plain(path, LARGEST, what="a CSV file") as file:
            check_lines(path, file)
            yield io.TextIOWrapper(file, encoding="utf-8-sig")
    except (UnicodeDecodeError, csv.Error) as error:
        raise ParameterError(f"{path}: cannot be read as CSV text ({error}); save it as UTF-8") from None


def _check_rows(path: Path, header: Header) -> np.ndarray:
    """Lines of the rows; checks that each has as many cells as the header."""
    count, found = len(header.headings), []
    with _open(path) as text:
        for number, line in enumerate(islice(text, header.line, None), start=header.line + 1):
            if not line.strip():
                continue
            cells = line.count(header.delimiter) + 1
            if '"' in line:
                cells = len(next(csv.reader([line], delimiter=header.delimiter)))
            if cells != count:
                raise ParameterError(
                    f"{path}, line {number}: has {cells} cells, and the header has {count}; complete the line"
                )
            found.append(number)
    return np.array(found, dtype=int)


def _cell_by_cell(path: Path, header: Header, wanted: Sequence[int]) -> np.ndarray:
    rows = []
    with _open(path) as text:
        for number, line in enumerate(islice(text, header.line, None), start=header.line + 1):
            if line.strip():
                cells = next(csv.reader([line], delimiter=header.delimiter))
                rows.append([_number(path, number, header.headings[k], cells[k].strip()) for k in wanted])
    return np.array(rows, dtype=float).reshape(-1, len(wanted))


def _number(path: Path, line: int, name: str, text: str) -> float:
    if not text:
        return float("nan")
    words = {"true": 1.0, "false": 0.0}
    try:
        value = words[text.lower()] if text.lower() in words else float(text)
    except ValueError:
        raise ParameterError(f"{path}, line {line}, {name} = {text[:20]!r}: must be a number") from None
    if not np.isfinite(value):
        raise ParameterError(
            f"{path}, line {line}, {name} = {text[:20]}: must be finite; leave the cell empty "
            "where nothing was measured"
        )
    return value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
