"""How a program writes CSV: its encoding, what stands between cells and in decimals, and where the rows begin."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterable
from typing import BinaryIO, NamedTuple

SPACES = " "
"""Delimiter of cells between which there are spaces, one or several."""
_START, _BLOCK = 1 << 12, 1 << 20
_SEPARATOR = re.compile(r"sep=([,;\t])\s*", re.IGNORECASE)
_UNIT = re.compile(r"[\[(]?([^\[\]()]*)[\])]?")
_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")


class Layout(NamedTuple):
    """What stands above the rows."""

    headings: list[str]
    """Heading of each column, with its unit where a line of units follows."""
    notes: list[str]
    """Lines above the header that begin with #, without it."""
    line: int
    """Line of the header, from 1."""
    first: int
    """Lines above the first row."""
    delimiter: str
    """What stands between cells: a comma, a semicolon, a tab, or spaces."""


def find_encoding(file: BinaryIO) -> str:
    """UTF-8, UTF-16 with its mark, or where it is neither, what Windows writes in western Europe."""
    start = file.read(_START)
    file.seek(0)
    if start[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        text = start.decode("utf-16", "replace")
        return "utf-8-sig" if "\x00" in text or "\ufeff" in text else "utf-16"
    decoder, found = codecs.getincrementaldecoder("utf-8")(), "utf-8-sig"
    while block := file.read(_BLOCK):
        if min(block) < 9:
            # no text: what reads it says where
            found = "utf-8-sig"
            break
        try:
            if found == "utf-8-sig":
                decoder.decode(block)
        except UnicodeDecodeError:
            found = "cp1252"
    file.seek(0)
    return found


def find_layout(lines: Iterable[str]) -> Layout | None:
    """Headings, notes and delimiter from the first lines of a file; None where there is no line with cells."""
    notes: list[str] = []
    forced, header, above, cells = "", 0, 0, []
    delimiter = ","
    for number, line in enumerate(lines, start=1):
        if number == 1 and (found := _SEPARATOR.fullmatch(line)):
            forced = found[1]
        elif not header and line.startswith("#"):
            notes.append(line[1:].strip())
            above = number
        elif not line.strip():
            continue
        elif not header:
            delimiter = forced or _delimiter(line)
            cells, header = split_cells(line, delimiter), number
            named = split_cells(notes[-1], delimiter) if notes and above else []
            if all(map(is_number, cells)) and len(named) == len(cells) and not any(map(is_number, named)):
                # numpy.savetxt writes the names of the columns as a remark
                return Layout(named, notes[:-1], above, number - 1, delimiter)
        else:
            if delimiter == SPACES and len(split_cells(line, SPACES)) != len(cells):
                # a single column, with spaces in its name
                delimiter, cells = ",", [" ".join(cells)]
            units = _units(split_cells(line, delimiter), len(cells))
            named = [f"{cell} [{unit}]" if cell and unit else cell for cell, unit in zip(cells, units, strict=False)]
            return Layout(named or cells, notes, header, number if units else header, delimiter)
    return Layout(cells, notes, header, header, delimiter) if header else None


def split_cells(line: str, delimiter: str) -> list[str]:
    """The cells of a line, without spaces around them."""
    if delimiter == SPACES:
        return line.split()
    return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]


def is_number(text: str) -> bool:
    """Whether a cell is a number, with a decimal point."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def has_decimal_comma(text: str) -> bool:
    """Whether a cell is a number with a decimal comma."""
    return _COMMA.fullmatch(text) is not None


def _delimiter(line: str) -> str:
    best = max(",;\t", key=line.count)
    return best if best in line or len(line.split()) < 2 else SPACES


def _units(cells: list[str], count: int) -> list[str]:
    """The units of a line below the header that has no number; empty where it is a row."""
    words = [cell for cell in cells if cell]
    if len(cells) != count or not words or not all(map(_may_be_unit, words)):
        return []
    return [_UNIT.fullmatch(cell)[1].strip() if _UNIT.fullmatch(cell) else cell for cell in cells]  # type: ignore[index]


def _may_be_unit(cell: str) -> bool:
    words = ("true", "false", "null", "none", "na", "n/a")
    return not (
        is_number(cell) or has_decimal_comma(cell) or cell.lower() in words or (cell[0].isdigit() and cell != "1")
    )
