"""Forms over parts: a field for each constant of a load, a controller or a motion, kept as tables of a TOML file."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields

from nicegui import ui  # pyright: ignore[reportMissingImports]

from ..errors import BackemfError, ParameterError
from ..parts import Declaration, declaration_of
from ..toml_text import parse_toml
from ..values import Foreign
from .address import MARK, pack, unpack
from .session import Session
from .widgets import refreshable

Table = dict[str, Foreign]
"""A table of a TOML file: words, quantities as text, and tables below it."""
ROLES = ("number", "flag", "word", "words", "count")
"""What a field of a form can hold."""


def read_tables(text: str, first: str) -> Table:
    """The tables of a TOML text, packed or plain, or those of `first` where it is none."""
    try:
        plain = unpack(text) if text.startswith(MARK) else text
        return parse_toml(plain or first, "the address", ParameterError, "TOML")
    except BackemfError:
        return parse_toml(first, "", ParameterError, "TOML")


def put_tables(session: Session, **changes: str | None) -> None:
    """Change the state of a page; TOML texts, which have several lines, are packed."""
    try:
        session.put(**{k: pack(text) if text and "\n" in text else text for k, text in changes.items()})
    except BackemfError as error:
        ui.notify(str(error), type="negative")


def number_in(text: str) -> float | None:
    """The number that a text is; None where it is none."""
    try:
        found = float(text)
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def text_field(
    session: Session, name: str, title: str, example: str, answer: str, changed: Callable[[], Foreign]
) -> None:
    """A text of the state; what was found with another text is no answer any more."""

    def put(value: str | None) -> Foreign:
        session.put(**{name: value, answer: None})
        return changed()

    line = ui.input(title, value=session.get(name), placeholder=example, on_change=lambda e: put(e.value))
    line.props("dense outlined stack-label debounce=400").classes("full")


def kinds_of(kinds: Mapping[str, type]) -> dict[str, type]:
    """The parts that a form can hold: those whose needed fields are numbers and words."""
    return {
        name: kind for name, kind in kinds.items()
        if all(_role(entry) in ROLES or entry.default is not MISSING for entry in fields(kind))
    }  # fmt: skip


def part_form(
    title: str, kinds: Mapping[str, type], table: Table, changed: Callable[[], None], hint: str = "", none: str = ""
) -> None:
    """A choice of the kind and a field for each of its constants; `table` changes with them.

    Args:
        title: What the part is, such as "load".
        kinds: Classes by name.
        table: The table of the file.
        changed: Called after each change.
        hint: What may stand behind a quantity, such as "± 1 %".
        none: What having none of them is called; empty: there must be one.
    """

    @refreshable
    def body() -> None:
        kind = kinds.get(str(table.get("kind")))
        if kind is not None:
            fields_form(kind, table, changed, hint)

    def choose(kind: str) -> None:
        table.clear()
        if kind in kinds:
            table["kind"] = kind
        body.refresh()
        changed()

    names = {**({"": none} if none else {}), **{name: name for name in kinds}}
    ui.select(
        names, value=table.get("kind") if table.get("kind") in names else ("" if none else None), label=title,
        on_change=lambda e: choose(e.value),
    ).props("dense outlined").classes("full")  # fmt: skip
    body()


def fields_form(
    kind: type, table: Table, changed: Callable[[], None], hint: str = "", skip: tuple[str, ...] = ()
) -> None:
    """A field for each constant of a class."""

    def put(name: str, value: Foreign) -> None:
        if value in ("", None, []):
            table.pop(name, None)
        else:
            table[name] = value
        changed()

    known = [(entry, it) for entry in fields(kind) if (it := declaration_of(entry)) and it.role in ROLES]
    shown = [(entry, it) for entry, it in known if entry.name not in skip]
    first = [(entry, it) for entry, it in shown if entry.default is MISSING or entry.name in table]
    more = [each for each in shown if each not in first]
    for entry, it in first:
        _field(it, entry.name, table.get(entry.name), put, hint)
    if more:
        with ui.expansion("more").classes("full"):
            for entry, it in more:
                _field(it, entry.name, None, put, hint)


def _field(it: Declaration, name: str, value: Foreign, put: Callable[[str, Foreign], None], hint: str) -> None:
    label = name.replace("_", " ")
    if it.role == "flag":
        ui.checkbox(label, value=bool(value), on_change=lambda e: put(name, e.value)).props("dense")
        return
    if it.choices and it.role == "word":
        chosen = ui.select(["", *it.choices], value=value or "", label=label, on_change=lambda e: put(name, e.value))
        chosen.props("dense outlined").classes("full")
        return

    def typed(given: str | None) -> Foreign:
        text = (given or "").strip()
        if it.role == "words":
            return [word.strip() for word in text.split(",") if word.strip()]
        return int(text) if it.role == "count" and text.isdigit() else text

    text = ", ".join(value) if isinstance(value, list) else str(value or "")
    example = f"e.g. 1.5 {it.unit}{hint}" if it.unit and it.unit != "1" and it.role == "number" else ""
    line = ui.input(label, value=text, placeholder=example)
    line.props("dense outlined stack-label debounce=400").classes("full")
    line.on_value_change(lambda e: put(name, typed(e.value)))


def _role(entry: Foreign) -> str:
    it = declaration_of(entry)
    return "" if it is None else it.role
