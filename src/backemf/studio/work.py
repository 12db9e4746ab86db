"""A job of a page: its progress, a button that cancels it, and one sentence where it fails; it ends with its tab."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

from nicegui import app, context, ui  # pyright: ignore[reportMissingImports]

from ..errors import BackemfError
from ..values import Foreign, Json
from .processes import shared
from .uploads import LARGEST, Upload, Uploads
from .widgets import drop_header, named, sentence


def uploads_of_session() -> Uploads:
    """The files of the browser that shows this page."""
    return Uploads(Path(os.environ["NICEGUI_STORAGE_PATH"]) / "uploads", str(app.storage.browser["id"]))


def kept_answer(files: Uploads, key: str) -> dict[str, Foreign]:
    """The answer of an earlier job that the address names; empty where it is not here."""
    try:
        return json.loads(files.read(key)) if key else {}
    except (BackemfError, ValueError):
        return {}


def key_of(asked: Mapping[str, Json]) -> str:
    """Name of the answer to what was asked."""
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:24]


def report_frame(report: str) -> None:
    """A report in place; nothing in it can run."""
    with ui.expansion("The whole report").classes("full") as more:
        frame = ui.element("iframe").classes("report").props('title="Report" sandbox=""')
    more.on_value_change(lambda e: frame.props.__setitem__("srcdoc", report) or frame.update())


class Work:
    """A place on a page where one job at a time runs."""

    def __init__(self, title: str):
        self.title = title
        self.owner = str(app.storage.browser["id"])
        self.client = context.client
        self.task: asyncio.Task[Json] | None = None
        with ui.column().classes("work").props('aria-live="polite"') as place:
            with ui.row().classes("work-row") as self.row:
                self.label = ui.label(title).classes("work-label")
                ui.button("Cancel", icon="close", on_click=self.cancel).props("outline dense no-caps")
            self.bar = named(ui.linear_progress(0.0, show_value=False).props("instant-feedback"), title)
            self.said = ui.column()
        self.place = place
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
        waiting, done, total = said.get("waiting"), said.get("done"), said.get("total")
        if isinstance(waiting, int):
            self.label.set_text(f"{self.title}: waiting, {waiting} before it")
        elif isinstance(done, int) and isinstance(total, int):
            word = f": {said['word']}" if said.get("word") else ""
            self.label.set_text(f"{said.get('label')}, {done} of {total}{word}")
            self.bar.set_value(done / max(total, 1))


def drop_area(title: str, files: Uploads, added: Foreign, endings: tuple[str, ...]) -> None:
    """A place for files; `added` is called with each that was kept."""

    async def take(event: Foreign) -> None:
        try:
            kept: Upload = files.place(event.file.name, event.file.size())
            await event.file.save(kept.path)
            if kept.ending not in endings:
                files.remove(kept.key)
                raise_for = f"{kept.name}: is none of {', '.join(endings)}, which belong here"
                ui.notify(raise_for, type="negative", timeout=8000)
                return
        except BackemfError as error:
            ui.notify(str(error), type="negative", timeout=8000)
            return
        await added(kept)

    def refuse() -> None:
        ui.notify(f"a file is larger than {LARGEST // 10**6} MB: use the command line for it", type="negative")

    drop = ui.upload(multiple=True, auto_upload=True, max_file_size=LARGEST, on_upload=take, on_rejected=refuse)
    drop.props(f'flat bordered accept="{",".join(endings)}"').classes("full drop")
    drop_header(drop, title)
