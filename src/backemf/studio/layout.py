"""What stands around every page: the way through the pages, undo, light and dark, and the page as text."""

from __future__ import annotations

import inspect
from pathlib import Path

from nicegui import app, ui  # pyright: ignore[reportMissingImports]

from ..errors import BackemfError
from ..files import read_text
from ..values import Foreign
from .session import Page, Session
from .widgets import code, sentence, set_code

PAGES = {
    "/motor": "Motor",
    "/look": "Look",
    "/try": "Try",
    "/simulators": "Simulators",
    "/identify": "Identify",
    "/size": "Size",
}
"""The pages in the order in which they are used, by path."""
STATIC = Path(__file__).parent / "static"


def head() -> str:
    """Style and script of all pages."""
    style, script = (read_text(STATIC / name) for name in ("studio.css", "studio.js"))
    return f'<meta name="color-scheme" content="light dark"><style>{style}</style><script>{script}</script>'


async def show(session: Session, build: Page) -> None:
    """Build a page with everything around it."""
    title = PAGES[session.path]
    ui.page_title(f"{title} · backemf studio")
    dark = ui.dark_mode(app.storage.user.get("dark"))
    _header(session, dark)
    with ui.element("main").classes("page").props('id="content" tabindex="-1"'):
        ui.html(f"<h1>{title}</h1>", sanitize=False)
        try:
            built = build(session)
            if inspect.isawaitable(built):
                await built
        except BackemfError as error:
            sentence(str(error), "error")
            ui.link("Choose a motor", "/motor?m=")
        _texts(session)
    session.keep()


def _header(session: Session, dark: Foreign) -> None:
    with ui.element("header").classes("top"):
        ui.html('<a class="skip" href="#content">Skip to the content</a>', sanitize=False)
        ui.html('<a class="brand" data-page="/motor" href="/motor">backemf <b>studio</b></a>', sanitize=False)
        with ui.element("nav").props('aria-label="Pages"'):
            for number, (path, title) in enumerate(PAGES.items(), start=1):
                here = ' aria-current="page"' if path == session.path else ""
                ui.html(
                    f'<a data-page="{path}" href="{path}"{here}><span class="number">{number}</span>{title}</a>',
                    sanitize=False,
                )
        with ui.element("div").classes("tools"):
            undo = ui.button(icon="undo", on_click=lambda: ui.run_javascript("studio.undo()"))
            undo.props('flat round dense aria-label="Undo"').classes("undo").tooltip("Undo (Ctrl+Z)")

            def switch() -> None:
                app.storage.user["dark"] = dark.value = not dark.value

            turn = ui.button(icon="contrast", on_click=switch)
            turn.props('flat round dense aria-label="Light or dark"').tooltip("Light or dark")


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
            row.clear()
            with row:
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
        ui.notify(str(error), type="negative")
        return
    if isinstance(content, Path):
        ui.download.file(content, name)
    else:
        ui.download.content(content, name)
