"""Requests that are longer than any file may be."""

from __future__ import annotations

from .guard import Application, Message, Receive, Scope, Send

AROUND = 1_000_000
"""What stands around a file in a request [bytes]."""


class _TooLarge(Exception):
    """A request is longer than it may be."""


class BoundedRequests:
    """Refuses requests with more content than the largest upload, whatever their headers say."""

    def __init__(self, app: Application, largest: int):
        """`largest` is that of a file [bytes]."""
        self.app = app
        self.largest = largest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        read, begun = 0, False

        async def bounded() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self.largest + AROUND:
                raise _TooLarge
            return message

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            stated = dict(scope["headers"]).get(b"content-length", b"0")
            if not stated.isdigit() or int(stated) > self.largest + AROUND:
                raise _TooLarge
            await self.app(scope, bounded, sending)
        except _TooLarge:
            if not begun:
                headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
                await send({"type": "http.response.start", "status": 413, "headers": headers})
                said = f"the largest file is {self.largest // 10**6} MB: use the command line for it"
                await send({"type": "http.response.body", "body": said.encode()})
