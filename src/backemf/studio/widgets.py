"""What all pages are built of: sentences, fields, tables, cards, pictures and texts."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from nicegui import ui  # pyright: ignore[reportMissingImports]

from ..errors import BackemfError
from ..values import Foreign, Module

refreshable: Module = ui.refreshable
refreshable_method: Module = ui.refreshable_method
"""Decorators of NiceGUI: what they decorate can be built anew with `refresh()`."""

ICONS = {"ok": "check_circle", "info": "info", "hint": "info", "warning": "warning", "error": "error"}
"""The sign of each severity."""
escape = html.escape


def sentence(text: str, severity: str = "info") -> Foreign:
    """One sentence with the sign of its severity, which is also said in words."""
    with ui.row().classes(f"sentence {severity}").props('role="status"') as row:
        ui.icon(ICONS[severity]).props('aria-hidden="true"')
        ui.label(f"{severity}: {without_options(text)}" if severity in ("warning", "error") else text)
    return row


def without_options(text: str) -> str:
    """An error of the command line for a page, which has a field "load" and no option --load."""
    return re.sub(r"(?<!\S)--(?=[a-z])", "", text)


def empty(what: str, remedy: str) -> None:
    """What stands where there is nothing yet: what is missing, and what to do."""
    with ui.column().classes("empty"):
        ui.label(what).classes("empty-what")
        ui.label(remedy)


def named(element: Foreign, text: str) -> Foreign:
    """An element with what a screen reader calls it; a text of a file must not be read as further properties."""
    element.props["aria-label"] = text
    return element


def box(classes: str = "stack") -> Foreign:
    """A part of a page without a look of its own."""
    return ui.element("div").classes(classes)


@contextmanager
def refill(place: Foreign) -> Iterator[None]:
    """A place that is cleared and filled anew; what goes wrong meanwhile is said in it."""
    place.clear()
    with place:
        try:
            yield
        except BackemfError as error:
            sentence(str(error), "error")


@contextmanager
def card(title: str, more: str = "") -> Iterator[Foreign]:
    """An area of a page with its title."""
    with named(ui.element("section").classes(f"area {more}"), title) as area:
        if title:
            heading(title)
        yield area


def heading(text: str, level: int = 2) -> Foreign:
    """A heading that screen readers find."""
    return markup(f"<h{level}>{escape(text)}</h{level}>")


def markup(text: str) -> Foreign:
    """HTML of our own."""
    return ui.html(text, sanitize=False)


def link(text: str, path: str, more: str = "") -> Foreign:
    """A link to a page, which takes the state along; the text is HTML, `more` are further attributes."""
    return markup(f'<a data-page="{path}" href="{path}" {more}>{text}</a>')


def field(label: str, value: str, put: Callable[[str], Foreign], hint: str = "", wait: int = 250) -> Foreign:
    """A field for a text, which is put as soon as it rests for so long [ms]; `hint` stands in an empty one."""
    made = ui.input(label, value=value, placeholder=hint, on_change=lambda event: put((event.value or "").strip()))
    return made.props(f'dense outlined stack-label debounce="{wait}"')


def select(label: str, options: Foreign, value: Foreign, put: Callable[[Foreign], Foreign]) -> Foreign:
    """A field for one of some words; a value that is none of them, as in an address changed by hand, is none."""
    known = value if value in options else None
    made = ui.select(options, label=label, value=known, on_change=lambda event: put(event.value))
    return made.props("dense outlined options-dense")


def data_table(
    columns: Iterable[tuple[str, str, bool]], rows: list[dict[str, Foreign]], sortable: bool, **more: Foreign
) -> Foreign:
    """A table; of each column the key in the rows, the title, and whether it holds numbers, which are to the right."""
    own = [{"name": key, "label": title, "field": key, "align": "right" if numeric else "left", "sortable": sortable}
           for key, title, numeric in columns]  # fmt: skip
    return ui.table(columns=own, rows=rows, **more).props("flat dense")


def picture(figure: dict[str, Foreign], label: str, height: int = 360) -> Foreign:
    """A picture of Plotly that fills its area; `label` is what a screen reader says."""
    return named(ui.plotly(figure).classes("picture").style(f"height: {height}px").props("role=figure"), label)


def code(text: str, label: str) -> Foreign:
    """A text to take along, with a button that copies it; `set_code` changes it."""
    with box("code"):
        button = named(ui.button("Copy", icon="content_copy").props("dense no-caps outline"), f"Copy {label}")
        button.classes("copy").on("click", js_handler="(event) => studio.copy(event)")
        place = named(ui.html("", sanitize=False, tag="pre").props('tabindex="0" role="region"'), label)
    set_code(place, text)
    return place


def set_code(place: Foreign, text: str) -> None:
    """Change a text that `code` shows."""
    place.set_content(escape(text))


def notify_error(text: str) -> None:
    """Say what went wrong where no part of the page is about it."""
    ui.notify(without_options(text), type="negative", multi_line=True, timeout=12_000, close_button="OK")


def columns() -> tuple[Foreign, Foreign]:
    """Two places for cards beside each other; on a phone the second is below the first."""
    with box("columns"):
        return box(), box()


def choice(label: str, options: Mapping[str, str], value: str | None, changed: Callable[[str], Foreign]) -> Foreign:
    """A menu as wide as its place; a value that is none of the options counts as the first, None as no choice yet."""
    now = value if value in options or value is None else next(iter(options))
    return select(label, dict(options), now, lambda word: changed(word or "")).classes("full")


def text_input(label: str, value: str, hint: str, changed: Callable[[str], Foreign]) -> Foreign:
    """A field as wide as its place, told once typing has paused."""
    return field(label, value, changed, hint, wait=400).classes("full")


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[str] = ()) -> Foreign:
    """All rows of a table of texts, which wrap, or of figures, whose heads in `right` are aligned to the right."""
    shown = [dict(zip(heads, row, strict=True)) for row in rows]
    made = data_table([(head, head, head in right) for head in heads], shown, not right, pagination=0)
    return made.props("hide-bottom" if right else "hide-bottom wrap-cells").classes("full figures")


def download_button(file: str, content: str) -> None:
    """A button that gives a text as a file."""
    button = ui.button(f"Download {file}", icon="download").props("dense no-caps outline")
    button.on_click(lambda: ui.download.content(content, file))
