"""A datasheet typed in as it is printed: a field per figure, and beside it what the other figures say of it."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui  # pyright: ignore[reportMissingImports]

from ..answers.motors import read_text
from ..datasheet.table import LISTS, TABLES, choices, quantities
from ..datasheet.typed import USUAL, Place, check_typed, typed_figures, unusual_figures, write_typed
from ..errors import ParameterError
from ..units import example
from ..values import Foreign
from ..web.address import pack, unpack
from .dropping import Drop
from .session import Session
from .widgets import box, card, field, markup, refill, select, sentence

CONVENTIONS = {"resistance": "resistance is", "torque_constant": "torque constant is", "figures_at": "figures hold for"}
LARGEST = 200_000
"""Longest file that can be dropped [bytes]."""
PLAIN = {"ratio": "53:1", "pole_pairs": "7"}
WORDS = {"kt": "torque constant Kt", "kv": "speed constant Kv", "ke": "back-EMF constant Ke"}


def build(session: Session, choose_refs: Callable[[list[str]], None], redraw: Callable[[], None]) -> None:
    """Build the form and a place for files; a sheet that can be read becomes the motor of all pages."""
    text = unpack(session.get("d")) if session.get("d") else ""
    typed = typed_figures(text) if text else {}
    notes: dict[Place, Foreign] = {}

    def changed(place: Place, figure: str) -> None:
        nonlocal text
        typed[place] = figure
        text = write_typed(typed, text)
        session.put(d=pack(text))
        if show_notes():
            choose_refs([pack(text)])

    def show_notes() -> bool:
        """Put each finding beside its figure; whether the sheet can be used."""
        found = check_typed(typed, text)
        for place, note in notes.items():
            _fill(note, found.note(place) if typed.get(place) else None)
        _fill(summary, found.summary(session.chosen.name))
        return found.usable

    def add(table: str, key: str) -> None:
        place, unit = (table, key), quantities((TABLES | LISTS)[table])[key].unit
        hint = f"e.g. {PLAIN.get(key, '75 %') if unit == '1' else example(unit)}"
        with box("figure-row"):
            field(WORDS.get(key, key.replace("_", " ")), typed.get(place, ""), lambda t: changed(place, t), hint)
            notes[place] = box("figure-note").props('aria-live="polite"')

    with card("Figures as they are printed"):
        sentence("Type a figure with its unit, as in 24 V or 60.3 mN*m/A. Leave out what is not printed.", "info")
        summary = box()
        with box("form-head"):
            field("name", typed.get(("", "name"), ""), lambda t: changed(("", "name"), t), "my motor")
            words = choices(TABLES["conventions"])
            for key, title in CONVENTIONS.items():
                place = ("conventions", key)
                known = typed.get(place) or words[key][0]
                select(title, list(words[key]), known, lambda word, place=place: changed(place, word))
        for table in USUAL:
            _figures_of(table, [key for own, key in typed if own == table], notes, add)
    if typed:
        show_notes()
    _drop(session, choose_refs, redraw)


def _figures_of(table: str, given: list[str], notes: dict[Place, Foreign], add: Callable[[str, str], None]) -> None:
    """The usual figures of a table, those that are given, and a way to add others."""
    keys = tuple(dict.fromkeys([*USUAL[table], *(key for key in given if key in quantities((TABLES | LISTS)[table]))]))
    with ui.element("fieldset").classes("figures-of"):
        markup(f"<legend>{table}</legend>")
        with box("figure-grid") as grid:
            for key in keys:
                add(table, key)

        def more(key: str | None) -> None:
            if key and (table, key) not in notes:
                with grid:
                    add(table, key)

        others = ui.select(unusual_figures(table, keys), label=f"more {table} figures")
        others.props("dense borderless options-dense").classes("more").on_value_change(lambda event: more(event.value))


def _fill(place: Foreign, said: tuple[str, str] | None) -> None:
    with refill(place):
        if said is not None:
            sentence(*said)


def _drop(session: Session, choose_refs: Callable[[list[str]], None], redraw: Callable[[], None]) -> None:
    """A place for a TOML file, which is read as the command line reads it."""

    async def dropped(file: Foreign) -> None:
        try:
            text = (await file.read()).decode()
        except UnicodeDecodeError:
            raise ParameterError(f"{file.name}: is not a text: drop the TOML file of a motor") from None
        found = read_text(text, file.name)
        choose_refs([pack(text)])
        if found.sheet is not None:
            session.put(d=pack(text))
            # last, since the place for files is built anew with the form
            redraw()

    with card("A TOML file"):
        ui.label("A datasheet or a motor file, as the command line writes them.").classes("muted")
        Drop("Drop a TOML file here, or choose one", (".toml",), dropped, LARGEST)
