"""Two columns of a CSV file as numbers: NumPy reads them, and where it cannot, the line that is wrong is found."""

from __future__ import annotations

import csv
import io
import re
import warnings
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple, TextIO

import numpy as np

from .errors import ParameterError
from .files import open_plain

LARGEST = 256_000_000
"""Largest file that is read [bytes]."""
LONGEST_LINE = 1_000_000
"""Longest line, as far as it is looked at: one of twice the length is always found [bytes]."""
SHOWN = 20
"""So many columns are named in a sentence, and so many characters of a cell are shown [1]."""


class Columns(NamedTuple):
    """What was read."""

    headings: tuple[str, str]
    """Headings of the two columns, with their units."""
    times: np.ndarray
    """Times, rising [unit of the heading]."""
    values: np.ndarray
    """Values at those times [unit of the heading]."""


def read_columns(path: Path, time: str, column: str | None) -> Columns:
    """The columns of times and of values; without `column`, the file has exactly one besides time."""
    with _lines(path, time) as lines:
        heading = _first_line(path, lines)
        names = [cell.split("[")[0].strip() for cell in heading]
        wanted = _find_columns(path, names, time, column)
        rows, bad = _fast_rows(lines, wanted)
    if bad is not None:
        _check_row(path, time, wanted, names, bad)
        # what NumPy does not take and Python does, such as 1_000
        rows = _row_by_row(path, time, wanted, names)
    if not len(rows):
        raise ParameterError(f"{path}: needs a header line and at least one row of numbers")
    falls = np.flatnonzero(np.diff(rows[:, 0]) <= 0)
    if len(falls):
        line = _line_of_row(path, time, int(falls[0]) + 1)
        raise ParameterError(f"{path}, line {line}: {time} must rise from row to row")
    return Columns((heading[wanted[0]], heading[wanted[1]]), rows[:, 0], rows[:, 1])


@contextmanager
def _lines(path: Path, time: str) -> Iterator[TextIO]:
    """The lines of the file; checks that it is CSV text."""
    try:
        with open_plain(path, LARGEST, what=f"a CSV file with the columns {time!r} and the command") as file:
            check_lines(path, file)
            yield io.TextIOWrapper(file, encoding="utf-8-sig")
    except (UnicodeDecodeError, csv.Error) as error:
        raise ParameterError(f"{path}: cannot be read as CSV text ({error})") from None


def check_lines(path: Path, file: BinaryIO) -> None:
    """Check that no line is too long for the memory."""
    while len(block := file.read(LONGEST_LINE)) == LONGEST_LINE:
        if b"\n" not in block and b"\r" not in block:
            raise ParameterError(f"{path}: has a line of more than {LONGEST_LINE:,} bytes, which no CSV has")
    file.seek(0)


def _fast_rows(lines: TextIO, wanted: list[int]) -> tuple[np.ndarray, int | None]:
    """The rows below the header as NumPy reads them, and the first that it cannot read or that is not finite."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a file without rows, which is a sentence later on
        try:
            rows = np.loadtxt(lines, delimiter=",", usecols=wanted, comments=None, quotechar='"', ndmin=2)
        except UnicodeDecodeError:
            raise
        except ValueError as error:
            place = re.search(r"at row (\d+)", str(error))
            return np.zeros((0, 2)), int(place[1]) if place else 0
    bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    return rows, int(bad[0]) if len(bad) else None


def _first_line(path: Path, lines: TextIO) -> list[str]:
    """The cells of the first line that is not empty."""
    line = "\n"
    while line and not line.strip():
        line = lines.readline()
    return next(csv.reader([line]), [])


def _find_columns(path: Path, names: list[str], time: str, column: str | None) -> list[int]:
    """Numbers of the two columns."""
    if not names:
        raise ParameterError(f"{path}: needs a header line and at least one row of numbers")
    others = [name for name in names if name != time]
    if time not in names:
        raise ParameterError(f"{path}, line 1: no column {time!r}; there are {_list_names(names)}")
    if column is None:
        if len(others) != 1:
            raise ParameterError(f"{path}, line 1: name the command's column, one of {_list_names(others) or 'none'}")
        column = others[0]
    if column not in names:
        raise ParameterError(f"{path}, line 1: no column {column!r}; there are {_list_names(names)}")
    return [names.index(time), names.index(column)]


def _list_names(names: list[str]) -> str:
    shown = ", ".join(name[:SHOWN] for name in names[:SHOWN])
    return f"{shown} and {len(names) - SHOWN} more" if len(names) > SHOWN else shown


def _rows(lines: TextIO) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of each row below the header."""
    reader = csv.reader(lines)
    filled = ((reader.line_num, row) for row in reader if row)
    return islice(filled, 1, None)


def _check_row(path: Path, time: str, wanted: list[int], names: list[str], row: int) -> None:
    """Check that a row holds two finite numbers."""
    with _lines(path, time) as lines:
        for line, cells in islice(_rows(lines), row, row + 1):
            _numbers(path, line, cells, wanted, names)


def _row_by_row(path: Path, time: str, wanted: list[int], names: list[str]) -> np.ndarray:
    """The same rows as Python reads them; checks that each holds two finite numbers."""
    found = array("d")
    with _lines(path, time) as lines:
        for line, cells in _rows(lines):
            found.extend(_numbers(path, line, cells, wanted, names))
    return np.array(found).reshape(-1, 2)


def _numbers(path: Path, line: int, cells: list[str], wanted: list[int], names: list[str]) -> list[float]:
    return [_number(path, line, names[index], cells[index].strip() if index < len(cells) else "") for index in wanted]


def _number(path: Path, line: int, name: str, text: str) -> float:
    shown = text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
    try:
        value = float(text)
    except ValueError:
        raise ParameterError(f"{path}, line {line}, {name} = {shown!r}: must be a number") from None
    if not np.isfinite(value):
        raise ParameterError(f"{path}, line {line}, {name} = {shown}: must be finite")
    return value


def _line_of_row(path: Path, time: str, row: int) -> int:
    with _lines(path, time) as lines:
        return next(islice(_rows(lines), row, None))[0]
