"""A page with files that were dropped in, a job, and its answer: what Identify and Size have in common."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from nicegui import ui  # pyright: ignore[reportMissingImports]

from ..errors import BackemfError
from ..values import Foreign, Json
from ..web.address import pack
from ..web.uploads import kept_answer, key_of
from .session import Session
from .widgets import notify_error, text_input
from .work import Work, uploads_of_session

PAGES = {"Look": "/look", "Try": "/try", "Simulators": "/simulators"}
"""Where a motor that was found can be opened."""


class FilePage:
    """One open page; a page of this kind has `results` that can be refreshed, and `texts`."""

    key = ""
    """Name of the answer in the address."""
    work: Work
    """Where its job runs."""
    results: Foreign
    """What was found."""
    texts: Callable[[], None]
    """Shows the same as Python, as a command, and as files."""

    def __init__(self, session: Session):
        self.session, self.files = session, uploads_of_session()
        self.answer = kept_answer(self.files, session.get(self.key))
        ui.context.client.on_delete(self.close)

    def close(self) -> None:
        """Let go of what NiceGUI would keep of a closed page: what can be refreshed, and with it all of the page."""
        for part in vars(type(self)).values():
            if hasattr(part, "targets"):
                part.targets = [each for each in part.targets if each.instance is not self]
                part.instance = None

    def put(self, **changes: str | None) -> None:
        """Change the state, TOML texts packed; what was found with another one is no answer any more."""
        try:
            packed = {name: pack(text) if text and "\n" in text else text for name, text in changes.items()}
            self.session.put(**packed, **{self.key: None})
        except BackemfError as error:
            notify_error(str(error))

    def text_field(self, name: str, title: str, example: str, changed: Callable[[], Foreign]) -> None:
        """A text of the state."""

        def typed(text: str) -> Foreign:
            self.put(**{name: text})
            return changed()

        text_input(title, self.session.get(name), example, typed)

    async def run(self, job: str, asked: Mapping[str, Json]) -> None:
        """Run a job and keep its answer; one that was stopped may go on from the part that it has kept."""
        if self.work.busy:
            return
        key = key_of(asked)
        found = await self.work.run(job, {**asked, "keep": str(self.files.folder / f"{key}.part")})
        if found is not None:
            self.answer = found
            self.files.write(key, json.dumps(found))
            self.session.put(**{self.key: key})
            self.results.refresh()
            self.texts()

    def links(self, text: str, **changes: str | None) -> dict[str, str]:
        """Addresses of the pages that open the file of a motor; none where it is too long for one."""
        try:
            packed = pack(text)
        except BackemfError:
            return {}
        return {title: self.session.link(path, m=packed, est=None, **changes) for title, path in PAGES.items()}


def show_links(title: str, links: Mapping[str, str], look: str = "") -> None:
    """Where a motor can be opened."""
    ui.label(title).classes(look)
    for page, link in links.items():
        ui.link(page, link)
