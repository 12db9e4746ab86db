"""Fields for a part that the command line takes as words, such as `pendulum mass=0.5kg length=10cm`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields

from nicegui import ui  # pyright: ignore[reportMissingImports]

from ..cli.words import TYPED
from ..errors import UnitError
from ..parts import declaration_of
from ..tree import role
from ..units import example
from ..values import Foreign


def split_words(text: str) -> tuple[str, dict[str, str]]:
    """The first word of a text and the values behind it, by name."""
    word, _, rest = text.strip().partition(" ")
    _, *parts = re.split(r"(?:^|\s+)([\w-]+)\s*=", rest)
    return word, {name: value.strip() for name, value in zip(parts[::2], parts[1::2], strict=False)}


def join_words(word: str, values: Mapping[str, str]) -> str:
    """The text that `split_words` takes apart; what is empty is left out."""
    return " ".join([word, *(f"{name}={value}" for name, value in values.items() if value)])


def words_form(
    label: str,
    kinds: Mapping[str, type],
    text: str,
    changed: Callable[[str], Foreign],
    main: str = "1",
    plain: str = "",
) -> None:
    """A choice of kinds and a field for each number of the chosen one.

    Args:
        label: What is chosen.
        kinds: Classes by the word that chooses them.
        text: The words now.
        changed: Called with the words whenever they change.
        main: Unit of fields that declare none.
        plain: Word for a bare quantity, such as `24 V`; empty: there is none.
    """
    word, values = split_words(text)
    if word not in kinds:
        word, values = plain, {"value": text}

    def tell() -> None:
        changed(values.get("value", "") if word == plain else join_words(word, values))

    def choose(event: Foreign) -> None:
        nonlocal word, values
        # a number of the same name stays
        word = event.value
        names = {"value"} if word == plain else {entry.name for entry in fields(kinds[word])}
        values = {name: value for name, value in values.items() if name in names}
        if word != plain:
            for entry in fields(kinds[word]):
                if entry.default is MISSING and not values.get(entry.name):
                    values[entry.name] = _example(entry, main)
        elif not values.get("value"):
            values = {"value": example(main)}
        show()
        tell()

    def typed(name: str, value: str | None) -> None:
        values[name] = (value or "").strip()
        tell()

    def show() -> None:
        place.clear()
        with place:
            if word == plain:
                _input("value", values.get("value", ""), example(main), typed)
                return
            for entry in fields(kinds[word]):
                if role(entry) == "flag":
                    ui.checkbox(
                        entry.name.replace("_", " "), value=values.get(entry.name) == "yes",
                        on_change=lambda e, name=entry.name: typed(name, "yes" if e.value else ""),
                    )  # fmt: skip
                elif role(entry) in ("number", "numbers", "count", "word"):
                    needed = entry.default is MISSING
                    hint = _example(entry, main) if needed else _default(entry)
                    _input(entry.name, values.get(entry.name, ""), hint, typed)

    options = ([plain] if plain else []) + list(kinds)
    ui.select(options, value=word, label=label, on_change=choose).props("dense outlined options-dense").classes("kind")
    place = ui.element("div").classes("words")
    show()


def _input(name: str, value: str, hint: str, typed: Callable[[str, str | None], None]) -> None:
    ui.input(
        name.replace("_", " "), value=value, placeholder=hint, on_change=lambda event: typed(name, event.value)
    ).props('dense outlined stack-label debounce="300"')


def _unit(entry: Field, main: str) -> str:
    declared = declaration_of(entry)
    unit = (declared and declared.unit) or main
    return TYPED.get(unit, unit)


def _example(entry: Field, main: str) -> str:
    try:
        return "2" if _unit(entry, main) == "steps" else example(_unit(entry, main))
    except UnitError:
        return "1"


def _default(entry: Field) -> str:
    return (
        "none"
        if entry.default is None
        else f"{entry.default:g}"
        if isinstance(entry.default, float)
        else str(entry.default)
    )
