"""TOML to Datasheet, with an error that names file, line, table, key, value and remedy."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from .. import catalog, files
from ..errors import DatasheetError, UnitError
from ..toml_text import parse_toml
from ..units import example, parse_printed
from .amperes import Amperes
from .figures import Conventions
from .sheet import FIELDS, LISTS, TABLES, Datasheet
from .table import Quantity, Table, choices, one_of, quantities

_TEXTS = ("name", "maker", "kind", "source", "identified")
_LARGEST_FILE = 1_000_000
"""Longest file that is read [bytes]."""
_HIGHEST_ORDER = 9


class Place:
    """Where in a file we are, to say it in an error."""

    def __init__(self, file: str, text: str = ""):
        self.file = file
        self.text = text
        self.amperes = Amperes()
        self.motion = "rotary"

    def error(self, table: str, key: str, value: Any, fault: str, index: int = 0) -> DatasheetError:
        line = _line_numbers(self.text).get((table, index, key))
        where = self.file if line is None else f"{self.file}, line {line}"
        if table:
            where += f", [[{table}]]" if table in LISTS else f", [{table}]"
        else:
            where += ","
        shown = f" = {_shown(value)}" if value is not None else ""
        return DatasheetError(f"{where} {key}{shown}: {fault}")


def read_file(id_or_path: str | Path) -> Datasheet:
    """A sheet by catalogue id or by path."""
    path = _find(id_or_path)
    return read_text(files.read_text(path, _LARGEST_FILE, DatasheetError, "a datasheet in TOML"), str(path))


def read_text(text: str, name: str) -> Datasheet:
    """A sheet from TOML text."""
    file = Path(name).name if name.endswith(".toml") else name
    if not text.strip():
        raise DatasheetError(f"{file}: is empty: a datasheet is a TOML file with tables such as [electrical]")
    content = parse_toml(text, file, DatasheetError, "a datasheet")
    stem = Path(name).stem if name.endswith(".toml") else name
    return _sheet(content, Place(file, text), stem, name, _from_text)


def from_si(name: str, tables: dict[str, Any]) -> Datasheet:
    """A sheet from numbers that are in SI already."""
    return _sheet({"name": name, **tables}, Place(name), name, "", _from_number)


def _sheet(content: dict[str, Any], place: Place, stem: str, origin: str, value_of: Any) -> Datasheet:
    if "format" in content:
        raise DatasheetError(
            f"{place.file}: is a motor file, and no datasheet: there is nothing in it to check; show, simulate and "
            "export take it, and be.load"
        )
    fields: dict[str, Any] = {"name": stem, "origin": origin}
    # the units of all tables follow it, wherever it stands
    say = content.get("conventions")
    place.motion = "linear" if isinstance(say, dict) and say.get("motion") == "linear" else "rotary"
    for key, value in content.items():
        if key in _TEXTS:
            fields[key] = _text(value, place, key)
        elif key == "notes":
            fields[key] = _notes(value, place)
        elif key in TABLES:
            fields[key] = _table(TABLES[key], value, place, key, 0, value_of)
        elif key in LISTS:
            fields[key] = _list(LISTS[key], value, place, key, value_of)
        elif key == "sources":
            fields[key] = _sources(value, place)
        elif key == "measured":
            fields[key] = _measured(value, place)
        else:
            raise place.error("", key, None, _unknown(key, FIELDS, f"{place.file} has no such table or field"))
    if found := place.amperes.conventions(content.get("conventions", {}), place.error):
        fields["conventions"] = replace(fields.get("conventions", Conventions()), **found)
    return Datasheet(**fields)


def _table(kind: type[Table], content: Any, place: Place, name: str, index: int, value_of: Any) -> Table:
    if not isinstance(content, dict):
        raise place.error("", name, content, f"must be a table, begun by [{name}]")
    units, words = quantities(kind), choices(kind)
    values: dict[str, Any] = {}
    for key, value in content.items():
        if key in words:
            if value not in words[key]:
                raise place.error(name, key, value, f"must be {one_of(words[key])}", index)
            values[key] = value
        elif key not in units:
            raise place.error(name, key, None, _elsewhere(key, (*units, *words), name), index)
        elif units[key].many:
            values[key] = _orders(value, place, name, key, value_of)
        else:
            values[key] = _figure(value, units[key], place, name, key, index, value_of)
    if name == "gear" and not values.get("ratio"):
        raise place.error(name, "ratio", values.get("ratio"), "every stage needs a ratio, such as ratio = 9", index)
    try:
        return kind(**values)
    except DatasheetError as error:
        raise DatasheetError(f"{place.file}, {error}") from None


def _figure(value: Any, figure: Quantity, place: Place, table: str, key: str, index: int, value_of: Any) -> float:
    unit = figure.unit_of(place.motion)
    try:
        number, ampere = value_of(value, unit)
    except UnitError as error:
        if fault := _other_motion(value, figure, place.motion, value_of):
            raise place.error(table, key, value, fault, index) from None
        # the error quotes the value itself: say it once
        fault = str(error).removeprefix(f'"{value}"').removeprefix(repr(value)).removeprefix(":").strip()
        raise place.error(table, key, value, fault, index) from None
    if fault := figure.fault(number) or place.amperes.note(table, key, index, value, unit, ampere):
        raise place.error(table, key, value, fault, index)
    return number


def _other_motion(value: Any, figure: Quantity, motion: str, value_of: Any) -> str:
    """What to do where a figure has the unit of the other kind of motor, or an empty text."""
    other = "rotary" if motion == "linear" else "linear"
    try:
        value_of(value, figure.unit_of(other))
    except UnitError:
        return ""
    return (
        f"has the unit of a {other} motor, and the sheet is of a {motion} one: "
        f'write it like "{example(figure.unit_of(motion))}", or say motion = "{other}" under [conventions]'
    )


def _orders(value: Any, place: Place, table: str, key: str, value_of: Any) -> tuple[float, ...]:
    """Drag coefficients from the second order on, each in the unit of its order."""
    if not isinstance(value, (list, tuple)):
        raise place.error(table, key, value, 'must be a list such as ["1e-8 N*m*s^2/rad^2"]')
    if len(value) > _HIGHEST_ORDER - 1:
        raise place.error(table, key, None, f"must not go beyond order {_HIGHEST_ORDER}")
    first = quantities(TABLES[table])[key]
    orders = [replace(first, unit=f"N*m*s^{n}/rad^{n}") for n in range(2, 2 + len(value))]
    return tuple(_figure(v, order, place, table, key, 0, value_of) for v, order in zip(value, orders, strict=True))


def _list(kind: type[Table], content: Any, place: Place, name: str, value_of: Any) -> tuple[Table, ...]:
    if not isinstance(content, (list, tuple)):
        raise place.error("", name, None, f"must be a list of tables, each begun by [[{name}]]")
    return tuple(_table(kind, entry, place, name, i, value_of) for i, entry in enumerate(content))


def _text(value: Any, place: Place, key: str) -> str:
    if not isinstance(value, str):
        raise place.error("", key, value, f'must be a text in quotes, such as {key} = "..."')
    return value


def _notes(value: Any, place: Place) -> tuple[str, ...]:
    notes = [value] if isinstance(value, str) else value
    if not isinstance(notes, (list, tuple)) or not all(isinstance(note, str) for note in notes):
        raise place.error("", "notes", value, 'must be a list of texts, such as notes = ["..."]')
    return tuple(notes)


def _sources(content: Any, place: Place) -> dict[str, str]:
    if not isinstance(content, dict):
        raise place.error("", "sources", content, "must be a table, begun by [sources]")
    known = {k for table in (*TABLES.values(), *LISTS.values()) for k in quantities(table)}
    for key, value in content.items():
        if key.split(".")[-1] not in known:
            raise place.error("sources", key, None, _unknown(key, known, "there is no such figure"))
        if not isinstance(value, str):
            raise place.error("sources", key, value, "must be a text in quotes that says where the figure comes from")
    return dict(content)


def _measured(content: Any, place: Place) -> dict[str, Any]:
    def simple(value: Any) -> bool:
        return isinstance(value, (str, int, float)) or (isinstance(value, list) and all(map(simple, value)))

    if not isinstance(content, dict):
        raise place.error("", "measured", content, "must be a table, begun by [measured]")
    for key, value in content.items():
        if not simple(value):
            raise place.error("measured", key, None, "must be a text, a number or a list of those")
    return dict(content)


def _from_text(value: Any, unit: str) -> tuple[float, str | None]:
    return parse_printed(value, unit)


def _from_number(value: Any, unit: str) -> tuple[float, str | None]:
    """A number in SI; a text with a unit is taken too."""
    if isinstance(value, str):
        return parse_printed(value, unit)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise UnitError(f"{value!r} is no number: give it in SI units")
    return float(value), None


def _find(id_or_path: str | Path) -> Path:
    """The file behind a catalogue id or a path."""
    text = str(id_or_path)
    if "\0" in text or not text.strip():
        raise DatasheetError(f"{text!r}: is neither a catalogue id nor a path: {catalog.suggestion('')}")
    if isinstance(id_or_path, Path) or "/" in text or "\\" in text or text.endswith(".toml"):
        path = Path(id_or_path)
        if not _exists(path):
            raise DatasheetError(f"{text}: there is no such file: check the path, or {catalog.suggestion(path.stem)}")
        return path
    # looking for one file, since listing all of them for each would take the square of their number
    if _exists(catalog.path(text)):
        return catalog.path(text)
    if _exists(Path(text)):
        return Path(text)
    raise DatasheetError(f"{text}: is not in the catalogue: {catalog.suggestion(text)}")


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        # a name too long for the file system
        return False


def _elsewhere(key: str, known: Iterable[str], table: str) -> str:
    """Why a key is unknown in this table: misspelt, or a key of another table."""
    homes = [name for name, kind in (TABLES | LISTS).items() if key in quantities(kind) or key in choices(kind)]
    near = get_close_matches(key, list(known), n=1, cutoff=0.6)
    if homes:
        meant = f', or did you mean "{near[0]}"?' if near else ""
        return f"is unknown here, it belongs under [{homes[0]}]{meant}"
    return _unknown(key, known, f"[{table}] has no such figure")


def _unknown(key: str, known: Iterable[str], why: str) -> str:
    names = list(known)
    near = get_close_matches(key, names, n=1, cutoff=0.55)
    return f'{why}, did you mean "{near[0]}"?' if near else f"{why}; it has {', '.join(sorted(names))}"


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


def _shown(value: Any) -> str:
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:57] + "..."
