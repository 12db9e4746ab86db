"""A job of a page: its progress, a button that cancels it, and one sentence where it fails; it ends with its tab."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from nicegui import app, context, ui  # pyright: ignore[reportMissingImports]

from ..errors import BackemfError
from ..values import Foreign, Json
from ..web.uploads import Uploads
from ..work.progress_messages import progress_words
from ..work.workers import Workers
from .widgets import named, sentence


@cache
def shared() -> Workers:
    """The processes in which the work of all pages runs."""
    return Workers("backemf.answers.jobs")


def uploads_of_session() -> Uploads:
    """The files of the browser that shows this page."""
    return Uploads(Path(os.environ["NICEGUI_STORAGE_PATH"]) / "uploads", str(app.storage.browser["id"]))


def report_frame(report: str) -> None:
    """A report in place; nothing in it can run."""
    with ui.expansion("The whole report").classes("full") as more:
        frame = ui.element("iframe").classes("report").props('title="Report" sandbox=""')
    more.on_value_change(lambda e: frame.props.__setitem__("srcdoc", report) or frame.update())


def start_button(title: str, icon: str, clicked: Callable[[], Foreign]) -> Foreign:
    """The button that begins the work of a page."""
    return ui.button(title, icon=icon, on_click=clicked).props("no-caps unelevated text-color=on-accent")


class Work:
    """A place on a page where one job at a time runs."""

    def __init__(self, title: str):
        self.title = title
        self.owner = str(app.storage.browser["id"])
        self.client = context.client
        self.task: asyncio.Task[Json] | None = None
        with ui.column().classes("work").props('aria-live="polite"'):
            with ui.row().classes("work-row") as self.row:
                self.label = ui.label(title).classes("work-label")
                ui.button("Cancel", icon="close", on_click=self.cancel).props("outline dense no-caps")
            self.bar = named(ui.linear_progress(0.0, show_value=False).props("instant-feedback"), title)
            self.said = ui.column()
        self._show(False)
        self.client.on_delete(self.cancel)

    @property
    def busy(self) -> bool:
        """Whether a job runs or waits."""
        return self.task is not None

    def cancel(self) -> None:
        """End the job."""
        if self.task is not None:
            self.task.cancel()

    async def run(self, name: str, payload: Mapping[str, Json]) -> Foreign:
        """What a job answers; None where it failed or was cancelled, which is then said here."""
        self.said.clear()
        self._show(True)
        self._tell({"label": self.title, "done": 0, "total": 1})
        self.task = asyncio.create_task(shared().run(name, payload, progress=self._tell, owner=self.owner))
        try:
            return await self.task
        except asyncio.CancelledError:
            self.say(f"{self.title}: cancelled; nothing was changed.", "info")
        except BackemfError as error:
            self.say(str(error), "error")
        finally:
            self.task = None
            self._show(False)
        return None

    def say(self, text: str, severity: str) -> None:
        """A sentence about the work."""
        if not self.client.is_deleted:
            self.said.clear()
            with self.said:
                sentence(text, severity)

    def _show(self, on: bool) -> None:
        if not self.client.is_deleted:
            self.row.set_visibility(on)
            self.bar.set_visibility(on)

    def _tell(self, said: Mapping[str, Json]) -> None:
        if self.client.is_deleted:
            return
        words, share = progress_words(said, self.title)
        self.label.set_text(words)
        if share is not None:
            self.bar.set_value(share)
