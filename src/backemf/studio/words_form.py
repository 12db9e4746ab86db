"""A form for a part that the command line takes as words, such as `pendulum mass=0.5kg length=10cm`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields

from ..cli.words import SWITCH, join_words, split_words, typed_example
from ..parts import number, part
from ..tree import role
from ..values import Foreign, Number
from .forms import Table, part_field
from .widgets import box, choice


@part
class Plain:
    """A bare quantity, such as 24 V."""

    value: Number = number(None)
    """The quantity."""


def words_form(
    label: str,
    kinds: Mapping[str, type],
    text: str,
    changed: Callable[[str], Foreign],
    main: str = "1",
    plain: str = "",
) -> None:
    """A choice of kinds, by their words, and a field for each number of the chosen one; `changed` is given the words.

    `main` is the unit of fields that declare none; `plain` is the word for a bare quantity, such as `24 V`, if any.
    """
    kinds = {**({plain: Plain} if plain else {}), **kinds}
    word, values = split_words(text)
    table: Table = {name: SWITCH.get(value, value) for name, value in values.items()}
    if word not in kinds:
        word, table = next(iter(kinds)), {"value": text}

    def tell() -> Foreign:
        said = {name: "yes" if value is True else str(value) for name, value in table.items()}
        return changed(said.get("value", "") if kinds[word] is Plain else join_words(word, said))

    def choose(chosen: str) -> Foreign:
        nonlocal word
        word = chosen
        # a number of the same name stays
        entries = [entry for entry in fields(kinds[word]) if entry.name in table or entry.default is MISSING]
        kept = {entry.name: table.get(entry.name) or typed_example(entry, main) for entry in entries}
        table.clear()
        table.update(kept)
        show()
        return tell()

    def show() -> None:
        place.clear()
        with place:
            for entry in fields(kinds[word]):
                if role(entry) != "words":
                    part_field(entry, table, tell, _hint(entry, main))

    choice(label, {name: name for name in kinds}, word, choose)
    place = box("words")
    show()


def _hint(entry: Field, main: str) -> str:
    """How a field is typed, or what holds where nothing is."""
    if entry.default is MISSING:
        return typed_example(entry, main)
    return "none" if entry.default is None else str(entry.default).removesuffix(".0")
