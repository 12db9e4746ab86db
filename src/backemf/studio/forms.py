"""Parts as forms: a choice of the kind, and a field for each of its constants, whose values stand in a table.

The table is one of a TOML file, or the values behind a word of the command line, such as `pendulum mass=0.5kg`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields

from nicegui import ui  # pyright: ignore[reportMissingImports]

from ..answers.parts import fits_form
from ..parts import declaration_of
from ..values import Foreign
from .widgets import choice, refreshable, text_input

Table = dict[str, Foreign]
"""A table of a TOML file: words, quantities as text, and tables below it."""


def part_form(
    title: str, kinds: Mapping[str, type], table: Table, changed: Callable[[], None], hint: str = "", none: str = ""
) -> None:
    """A choice of the kind and a field for each of its constants; `table` changes with them.

    `hint` may stand behind a quantity, as "± 1 %"; `none` is what having no part is called, empty: there must be one.
    """

    @refreshable
    def body() -> None:
        if table.get("kind") in kinds:
            fields_form(kinds[table["kind"]], table, changed, hint)

    def choose(kind: str) -> None:
        table.clear()
        if kind in kinds:
            table["kind"] = kind
        body.refresh()
        changed()

    names = {**({"": none} if none else {}), **{name: name for name in kinds}}
    choice(title, names, table["kind"] if table.get("kind") in kinds else "" if none else None, choose)
    body()


def fields_form(
    kind: type, table: Table, changed: Callable[[], None], hint: str = "", skip: tuple[str, ...] = ()
) -> None:
    """A field for each constant of a class; those that may be left out, and are, stand below "more"."""
    shown = [entry for entry in fields(kind) if fits_form(entry) and entry.name not in skip]
    first = [entry for entry in shown if entry.default is MISSING or entry.name in table]
    more = [entry for entry in shown if entry not in first]

    def show(entries: list[Field]) -> None:
        for entry in entries:
            it = declaration_of(entry)
            unit = it.unit if it is not None and it.role == "number" else None
            example = "" if unit in (None, "1") else f"e.g. 1.5 {unit}{hint}"
            part_field(entry, table, changed, example).props("dense")

    show(first)
    if more:
        with ui.expansion("more").classes("full"):
            show(more)


def part_field(entry: Field, table: Table, changed: Callable[[], Foreign], hint: str) -> Foreign:
    """A constant of a part in a table, which leaves out what is empty or the default."""
    it, now = declaration_of(entry), table.get(entry.name)
    first: Foreign = entry.default
    assert it is not None
    label = entry.name.replace("_", " ")

    def put(value: Foreign) -> Foreign:
        table.pop(entry.name, None)
        if value not in ("", None, [], first):
            table[entry.name] = value
        return changed()

    def typed(text: str) -> Foreign:
        if it.role == "words":
            return put([word.strip() for word in text.split(",") if word.strip()])
        return put(int(text) if it.role == "count" and text.isdigit() else text)

    if it.role == "flag":
        return ui.checkbox(label, value=first if now is None else now, on_change=lambda e: put(e.value))
    if it.choices and it.role == "word":
        return choice(label, {word: word for word in it.choices}, now or first, put)
    return text_input(label, ", ".join(now) if isinstance(now, list) else str(now or ""), hint, typed)
