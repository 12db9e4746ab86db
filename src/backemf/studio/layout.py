"""What stands around every page: the way through the pages, undo, light and dark, and the page as text."""

from __future__ import annotations

import inspect
from pathlib import Path

from nicegui import app, ui  # pyright: ignore[reportMissingImports]

from ..answers.motors import choose, refs_of
from ..errors import BackemfError, fault_words
from ..files import read_text
from ..values import Foreign
from .app import PAGES
from .session import Page, Session
from .widgets import box, code, heading, link, markup, named, notify_error, refill, sentence, set_code

STATIC = Path(__file__).parent / "static"


def head() -> str:
    """Style and script of all pages."""
    style, script = (read_text(STATIC / name) for name in ("studio.css", "studio.js"))
    return f'<meta name="color-scheme" content="light dark"><style>{style}</style><script>{script}</script>'


async def show(session: Session, build: Page) -> None:
    """Build a page with everything around it."""
    title = session.path[1:].capitalize()
    ui.page_title(f"{title} · backemf studio")
    ui.context.client.on_exception(lambda error: notify_error(fault_words(error)))
    _header(title)
    with ui.element("main").classes("page").props('id="content" tabindex="-1"'):
        heading(title, 1)
        try:
            built = build(session)
            if inspect.isawaitable(built):
                await built
        except Exception as error:  # an address that was changed by hand, or a fault of ours
            sentence(fault_words(error), "error")
            ui.link("Choose a motor", "/motor?m=")
        _texts(session)
    session.keep()


def _header(title: str) -> None:
    dark = ui.dark_mode(app.storage.user.get("dark"))

    def switch() -> None:
        app.storage.user["dark"] = dark.value = not dark.value

    def tool(icon: str, label: str, hint: str, act: Foreign) -> Foreign:
        button = ui.button(icon=icon, on_click=act).props("flat round dense").tooltip(hint)
        return named(button, label)

    with ui.element("header").classes("top"):
        markup('<a class="skip" href="#content">Skip to the content</a>')
        link("backemf <b>studio</b>", "/motor", 'class="brand"')
        with ui.element("nav").props('aria-label="Pages"'):
            for number, name in enumerate(PAGES, start=1):
                here = 'aria-current="page"' if name == title.lower() else ""
                link(f'<span class="number">{number}</span>{name.capitalize()}', f"/{name}", here)
        with box("tools"):
            tool("undo", "Undo", "Undo (Ctrl+Z)", lambda: ui.run_javascript("studio.undo()")).classes("undo")
            tool("contrast", "Light or dark", "Light or dark", switch)


def motor_bar(session: Session) -> None:
    """Which motor a page is about, and where another one is chosen."""
    with box("motor-bar"):
        ui.label(session.chosen.name).classes("motor-name")
        more = [choose(ref, session.estimate).name for ref in refs_of(session.state)[1:]]
        if more:
            ui.label("with " + ", ".join(more)).classes("muted")
        if session.estimate:
            ui.label("with estimates").classes("badge")
        if session.chosen.changed:
            ui.label("changed: " + ", ".join(session.chosen.changed)).classes("badge")
        link("change", "/motor")


def _texts(session: Session) -> None:
    """The page as Python, as a command and as files; what is open stays open while it changes."""
    panels: list[tuple[Foreign, Foreign]] = []
    with ui.element("section").classes("texts").props('aria-label="The same as text"'):
        for title in ("As Python", "As command"):
            with ui.expansion(title).classes("text-panel") as panel:
                panels.append((panel, code("", title)))
        row = ui.row().classes("downloads")
    shown: list[str] = []

    def refresh() -> None:
        for (panel, place), text in zip(panels, (session.python, session.command), strict=True):
            panel.set_visibility(bool(text))
            set_code(place, text)
        names = [file.name for file in session.downloads]
        if names != shown:
            shown[:] = names
            with refill(row):
                for name in names:
                    take = ui.button(name, icon="download").props("outline no-caps dense")
                    take.on_click(lambda name=name: _give(session, name))

    refresh()
    session.on_texts.append(refresh)


async def _give(session: Session, name: str) -> None:
    """Send a file to the browser."""
    file = next(each for each in session.downloads if each.name == name)
    try:
        content = file.content()
        if inspect.isawaitable(content):
            content = await content
    except BackemfError as error:
        notify_error(str(error))
    else:
        (ui.download.file if isinstance(content, Path) else ui.download.content)(content, name)
