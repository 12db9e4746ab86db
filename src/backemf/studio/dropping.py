"""Places for files: one address takes the files of all pages, and gives each to the place on which it was dropped.

NiceGUI's own element adds an address for every place on every page; FastAPI keeps what answers there, and all that it
holds, long after the page was closed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import Client, events, ui  # pyright: ignore[reportMissingImports]
from nicegui.elements.upload_files import create_file_upload  # pyright: ignore[reportMissingImports]
from starlette.datastructures import UploadFile  # pyright: ignore[reportMissingImports]
from starlette.requests import Request  # pyright: ignore[reportMissingImports]
from starlette.responses import PlainTextResponse  # pyright: ignore[reportMissingImports]

from ..errors import BackemfError, ParameterError
from ..values import Foreign
from ..web.uploads import LARGEST, Upload, Uploads, size_words
from .widgets import escape, notify_error

ADDRESS = "/drop/{client}/{place:int}"
"""Where browsers send files."""


class Drop(ui.element):
    """A place for files; `taken` is called with each of them, and what it raises is said on the page."""

    def __init__(
        self, title: str, endings: tuple[str, ...], taken: Callable[[Foreign], Awaitable[None]], largest: int = LARGEST
    ):
        super().__init__("q-uploader")
        self.taken, self.largest = taken, largest
        self.props(f'flat bordered multiple auto-upload accept="{",".join(endings)}" :max-file-size="{largest}"')
        self.props["url"] = f"/drop/{self.client.id}/{self.id}"
        self.classes("full drop")
        # a label that the keyboard reaches, too
        label = f'<label class="drop-label"><span>{escape(title)}</span><q-uploader-add-trigger /></label>'
        self.add_slot("header", label)
        words = f"only files {', '.join(endings)} of at most {size_words(largest)} can be dropped here"
        self.on("rejected", lambda: notify_error(words), args=[])

    async def take(self, event: Foreign) -> None:
        """Take one file."""
        try:
            if event.file.size() > self.largest:
                raise ParameterError(f"{event.file.name}: is larger than {size_words(self.largest)}")
            await self.taken(event.file)
        except BackemfError as error:
            notify_error(str(error))


async def take_files(request: Request) -> PlainTextResponse:
    """Answer a browser that sends files."""
    page = Client.instances.get(request.path_params["client"])
    place = page.elements.get(request.path_params["place"]) if page else None
    if not isinstance(place, Drop) or place.is_ignoring_events:
        return PlainTextResponse("the page of this file was closed: load it again", 404)
    async with request.form() as form:
        for sent in form.values():
            if isinstance(sent, UploadFile):
                told = events.UploadEventArguments(sender=place, client=page, file=await create_file_upload(sent))
                events.handle_event(place.take, told)
    return PlainTextResponse("taken")


def drop_area(title: str, files: Uploads, added: Foreign, endings: tuple[str, ...]) -> None:
    """A place for files that are kept; `added` is called with each."""

    async def take(file: Foreign) -> None:
        kept: Upload = files.place(file.name, file.size())
        await file.save(kept.path)
        if kept.ending not in endings:
            files.remove(kept.key)
            raise ParameterError(f"{kept.name}: is none of {', '.join(endings)}, which belong here")
        await added(kept)

    Drop(title, endings, take)
