"""TOML to Datasheet, with errors that name file, line, table, key, value and remedy."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from .. import catalog, files
from ..errors import DatasheetError, UnitError
from ..toml_text import parse_toml
from ..units import example, parse_printed
from ..values import Foreign, Json
from .amperes import Amperes
from .figures import Conventions
from .makers_words import unknown_figure, unknown_name
from .sheet import FIELDS, QUANTITIES, Datasheet
from .table import LISTS, TABLES, Quantity, Table, choices, one_of, quantities, quote

_LARGEST_FILE = 1_000_000
"""Longest file that is read [bytes]."""
_HIGHEST_ORDER = 9


def read_file(id_or_path: str | Path) -> Datasheet:
    """A sheet by catalogue id or by path."""
    path = _find(id_or_path)
    return read_text(files.read_text(path, _LARGEST_FILE, DatasheetError, "a datasheet in TOML"), str(path))


def read_text(text: str, name: str) -> Datasheet:
    """A sheet from TOML text."""
    file, stem = (Path(name).name, Path(name).stem) if name.endswith(".toml") else (name, name)
    if not text.strip():
        raise DatasheetError(f"{file}: is empty: a datasheet is a TOML file with tables such as [electrical]")
    return _Reader(file, parse_printed, text).sheet(parse_toml(text, file, DatasheetError, "a datasheet"), stem, name)


def from_si(name: str, tables: Mapping[str, Foreign]) -> Datasheet:
    """A sheet from numbers that are in SI already."""
    return _Reader(name, _parse_si).sheet({"name": name, **tables}, name, "")


def _parse_si(value: Foreign, unit: str) -> tuple[float, str | None]:
    """A number in SI; a text with a unit is accepted too."""
    if isinstance(value, str):
        return parse_printed(value, unit)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise UnitError(f"{value!r} is not a number: give it in SI units")
    return float(value), None


@dataclass
class _Reader:
    """One sheet while it is read. Values come from a file or from a user's dict, and may be anything."""

    file: str
    """Its name in messages."""
    parse: Callable[[Foreign, str], tuple[float, str | None]]
    """SI value of an entry for a unit, and the kind of ampere that it names."""
    text: str = ""
    """The TOML, for line numbers."""
    motion: str = "rotary"
    amperes: Amperes = field(default_factory=Amperes)

    def error(self, table: str, key: str, value: Foreign, fault: str, index: int = 0) -> DatasheetError:
        line = _line_numbers(self.text).get((table, index, key))
        where = self.file if line is None else f"{self.file}, line {line}"
        brackets = f" [[{table}]]" if table in LISTS else f" [{table}]" if table else ""
        return DatasheetError(f"{where},{brackets} {key}{'' if value is None else f' = {quote(value)}'}: {fault}")

    def sheet(self, content: dict[str, Foreign], stem: str, origin: str) -> Datasheet:
        if "format" in content and not str(content["format"]).startswith("backemf actuator"):
            raise DatasheetError(
                f"{self.file}: format = {quote(content['format'])}: is not a datasheet, which says no format, nor a "
                "motor file"
            )
        if "format" in content:
            raise DatasheetError(
                f"{self.file}: is a motor file, not a datasheet: there is nothing in it to check; show, simulate, "
                "export and be.load accept it"
            )
        # the units of all tables follow it, wherever it stands
        say = content.get("conventions")
        self.motion = "linear" if isinstance(say, dict) and say.get("motion") == "linear" else "rotary"
        read = {name: self._table for name in TABLES} | {name: self._list for name in LISTS}
        read |= {"notes": self._notes, "sources": self._sources, "measured": self._measurements}
        fields: dict[str, Foreign] = {"name": stem, "origin": origin}
        for key, value in content.items():
            if key not in FIELDS:
                raise self.error("", key, None, unknown_name(key, FIELDS, f"{self.file} has no such table or field"))
            fields[key] = read.get(key, self._text)(key, value)
        if found := self.amperes.conventions(content.get("conventions", {}), self.error):
            fields["conventions"] = replace(fields.get("conventions", Conventions()), **found)
        return Datasheet(**fields)

    def _table(self, name: str, content: Foreign, index: int = 0) -> Table:
        self._require_table(name, content)
        kind = (TABLES | LISTS)[name]
        units, words = quantities(kind), choices(kind)
        values: dict[str, Foreign] = {}
        for key, value in content.items():
            if key in words:
                if value not in words[key]:
                    raise self.error(name, key, value, f"must be {one_of(words[key])}", index)
                values[key] = value
            elif key not in units:
                raise self.error(name, key, None, unknown_figure(key, name, partial(self._fits, value)), index)
            elif units[key].many:
                values[key] = self._orders(value, units[key], name, key)
            else:
                values[key] = self._figure(value, units[key], name, key, index)
        if name == "gear" and not values.get("ratio"):
            raise self.error(name, "ratio", values.get("ratio"), "every stage needs a ratio, such as ratio = 9", index)
        try:
            return kind(**values)
        except DatasheetError as error:
            raise DatasheetError(f"{self.file}, {error}") from None

    def _require_table(self, name: str, content: Foreign) -> None:
        if not isinstance(content, dict):
            raise self.error("", name, content, f"must be a table that begins with [{name}]")

    def _figure(self, value: Foreign, figure: Quantity, table: str, key: str, index: int = 0) -> float:
        unit = figure.unit_of(self.motion)
        try:
            number, ampere = self.parse(value, unit)
        except UnitError as error:
            # the error quotes the value itself: say it once
            fault = str(error).removeprefix(f'"{value}"').removeprefix(repr(value)).removeprefix(":").strip()
            raise self.error(table, key, value, self._other_motion(value, figure) or fault, index) from None
        if fault := figure.fault(number) or self.amperes.note(table, key, index, value, unit, ampere):
            raise self.error(table, key, value, fault, index)
        return number

    def _fits(self, value: Foreign, figure: Quantity) -> bool:
        """Whether a value has the unit of a figure."""
        try:
            self.parse(value, figure.unit_of(self.motion))
        except UnitError:
            return False
        return True

    def _other_motion(self, value: Foreign, figure: Quantity) -> str:
        """What to do where a figure has the unit of the other kind of motor; empty where it does not."""
        other = "rotary" if self.motion == "linear" else "linear"
        try:
            self.parse(value, figure.unit_of(other))
        except UnitError:
            return ""
        return (
            f"has the unit of a {other} motor, but the sheet is for a {self.motion} one: "
            f'write it like "{example(figure.unit_of(self.motion))}", or set motion = "{other}" under [conventions]'
        )

    def _orders(self, value: Foreign, first: Quantity, table: str, key: str) -> tuple[float, ...]:
        """Drag coefficients from the second order on, each in the unit of its order."""
        if not isinstance(value, (list, tuple)):
            raise self.error(table, key, value, 'must be a list such as ["1e-8 N*m*s^2/rad^2"]')
        if len(value) > _HIGHEST_ORDER - 1:
            raise self.error(table, key, None, f"must not go beyond order {_HIGHEST_ORDER}")
        orders = (replace(first, unit=f"N*m*s^{n}/rad^{n}") for n in range(2, 2 + len(value)))
        return tuple(self._figure(v, order, table, key) for v, order in zip(value, orders, strict=True))

    def _list(self, name: str, content: Foreign) -> tuple[Table, ...]:
        if not isinstance(content, (list, tuple)):
            raise self.error("", name, None, f"must be a list of tables that each begin with [[{name}]]")
        return tuple(self._table(name, entry, index) for index, entry in enumerate(content))

    def _text(self, key: str, value: Foreign) -> str:
        if not isinstance(value, str):
            raise self.error("", key, value, f'must be a text in quotes, such as {key} = "..."')
        return value

    def _notes(self, key: str, value: Foreign) -> tuple[str, ...]:
        notes = [value] if isinstance(value, str) else value
        if not isinstance(notes, (list, tuple)) or not all(isinstance(note, str) for note in notes):
            raise self.error("", key, value, 'must be a list of texts, such as notes = ["..."]')
        return tuple(notes)

    def _sources(self, name: str, content: Foreign) -> dict[str, str]:
        self._require_table(name, content)
        for key, value in content.items():
            if key.split(".")[-1] not in QUANTITIES:
                raise self.error(name, key, None, unknown_name(key, QUANTITIES, "there is no such figure"))
            if not isinstance(value, str):
                raise self.error(name, key, value, "must be a text in quotes that says where the figure comes from")
        return dict(content)

    def _measurements(self, name: str, content: Foreign) -> dict[str, Json]:
        def simple(value: object) -> bool:
            return isinstance(value, (str, int, float)) or (isinstance(value, list) and all(map(simple, value)))

        self._require_table(name, content)
        for key, value in content.items():
            if not simple(value):
                raise self.error(name, key, None, "must be a text, a number or a list of those")
        return dict(content)


def _find(id_or_path: str | Path) -> Path:
    """The file of a catalogue id or a path."""
    text = str(id_or_path)
    if "\0" in text or not text.strip():
        raise DatasheetError(f"{text!r}: is neither a catalogue id nor a path: {catalog.suggestion('')}")
    if isinstance(id_or_path, Path) or "/" in text or "\\" in text or text.endswith(".toml"):
        path = Path(id_or_path)
        if not _exists(path):
            raise DatasheetError(f"{text}: there is no such file: check the path, or {catalog.suggestion(path.stem)}")
        return path
    # looking for one file, since listing all of them for each would take the square of their number
    for path in (catalog.path(text), Path(text)):
        if _exists(path):
            return path
    raise DatasheetError(f"{text}: is not in the catalogue: {catalog.suggestion(text)}")


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        # a name too long for the file system
        return False


def _line_numbers(text: str) -> dict[tuple[str, int, str], int]:
    """The line of every key, by table, position in a list of tables, and key."""
    lines: dict[tuple[str, int, str], int] = {}
    seen: dict[str, int] = {}
    table, index = "", 0
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r'\s*\[{1,2}\s*"?([\w-]+)"?\s*\]{1,2}', line):
            table = header[1]
            index = seen.get(table, 0)
            seen[table] = index + 1
            lines.setdefault(("", 0, table), number)
        elif key := re.match(r'\s*"?([\w.-]+)"?\s*=', line):
            lines.setdefault((table, index, key[1]), number)
    return lines
