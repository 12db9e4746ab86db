"""A session without a browser: the page, its socket and an upload, as a browser would ask for them."""

from __future__ import annotations

import ast
import asyncio
import json
import re
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import socketio

FAULT = "please report it"
"""What a page says of a fault of the program."""


class PlainSession:
    """One open page of one session."""

    def __init__(self, address: str, http: aiohttp.ClientSession, client: str, upload: str):
        self.address, self.http, self.client, self.upload = address, http, client, upload
        self.heard: list[str] = []
        self.news = asyncio.Event()
        self.lost = False

    def lose(self) -> None:
        """The socket is gone."""
        self.lost = True
        self.news.set()

    def hear(self, event: str, *content: object) -> None:
        """Keep what the page is told."""
        self.heard.append(json.dumps(content, default=repr, ensure_ascii=False))
        self.news.set()

    async def drop(self, name: str, content: bytes) -> int:
        """Drop a file onto the page; the status of the answer."""
        form = aiohttp.FormData()
        form.add_field("file", content, filename=name, content_type="text/csv")
        place = f"{self.address}/drop/{self.client}/{self.upload}"
        async with self.http.post(place, data=form) as answer:
            return answer.status

    async def wait_for(self, text: str) -> None:
        """Wait until the page shows a text."""
        while not any(text in each for each in self.heard):
            if self.lost:
                raise ConnectionError("the socket of the page was closed")
            if faults := [each for each in self.heard if FAULT in each]:
                raise AssertionError(f"instead of {text!r} the page says {faults[0]}")
            self.news.clear()
            await self.news.wait()


@asynccontextmanager
async def open_session(address: str, path: str) -> AsyncIterator[PlainSession]:
    """A page of a new session, with its socket."""
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(None)) as http:
        async with http.get(address + path) as answer:
            text = await answer.text()
        query = ast.literal_eval(re.search(r"query: (\{.*?\})", text)[1])
        # the number of the element whose files go to the server
        upload = (re.search(r"/drop/[-0-9a-f]+/(\d+)", text) or ["", ""])[1]
        made = PlainSession(address, http, query["client_id"], upload)
        # as a browser does: a socket that is lost on a busy machine comes back
        socket = socketio.AsyncClient(http_session=http, reconnection_attempts=5, reconnection_delay=0.2)
        socket.on("*", made.hear)
        socket.on("__disconnect_final", made.lose)
        more = {"document_id": secrets.token_hex(8), "tab_id": secrets.token_hex(8), "old_tab_id": "null"}
        words = {**query, **more, "next_message_id": query.get("next_message_id", 0)}
        ending = "&".join(f"{name}={_word(value)}" for name, value in words.items())
        place = {"socketio_path": "/_nicegui_ws/socket.io", "transports": ["websocket"]}
        # a studio that serves 50 pages at once may answer late
        await socket.connect(f"{address}/?{ending}", wait_timeout=120, **place)
        if not query.get("implicit_handshake"):
            await socket.call("handshake", words)
        try:
            yield made
        finally:
            await socket.disconnect()


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
