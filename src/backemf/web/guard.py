"""Who may talk to the studio: pages of its own address, and from another machine those with the token.

A page of another site can send requests to 127.0.0.1, and its name can be made to mean 127.0.0.1. Both show in the
headers Host, Origin and Sec-Fetch-Site, which such a page cannot choose.
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from ..values import Foreign

Scope = MutableMapping[str, Foreign]
Message = MutableMapping[str, Foreign]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

LOCAL = ("127.0.0.1", "localhost", "[::1]")
"""Names of this machine for itself."""
COOKIE = "backemf-studio-token"
"""The cookie that holds the token, once it came with a link."""
DAY = 86_400
"""How long a cookie is kept [s]."""
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' ws: wss:; worker-src 'self' blob:; "
    "frame-ancestors 'none'; form-action 'self'; base-uri 'self'"
)
"""What a page may load: nothing from elsewhere."""


class Guard:
    """Refuses requests and sockets whose Host or Origin is not the studio's, or that lack its token."""

    def __init__(self, app: Application, host: str, token: str = ""):
        self.app = app
        self.host = host
        self.token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if fault := self._fault(headers):
            await _refuse(scope, send, fault)
            return
        if self.token and not self._has_token(headers):
            await self._ask_for_token(scope, send)
            return
        await self.app(scope, receive, _with_headers(send))

    def _fault(self, headers: Mapping[str, str]) -> str:
        """Why a request is refused; empty if it is not."""
        host = headers.get("host", "")
        if not self._is_own(urlsplit(f"//{host}").hostname or ""):
            return f"Host {host!r} is not the studio's: open the link that it printed"
        origin = headers.get("origin")
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return f"a page of {origin} may not use the studio"
        if headers.get("sec-fetch-site", "none") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
            return "a page of another site may not use the studio"
        return ""

    def _is_own(self, name: str) -> bool:
        """Whether a name in Host means this studio: a name that anyone could register never does."""
        if f"[{name}]" in LOCAL or name in LOCAL or name == self.host.strip("[]"):
            return True
        if not self.token or self.host not in ("0.0.0.0", "::"):
            return False
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def _has_token(self, headers: Mapping[str, str]) -> bool:
        cookies: SimpleCookie = SimpleCookie()
        try:
            cookies.load(headers.get("cookie", ""))
        except CookieError:
            return False
        return COOKIE in cookies and hmac.compare_digest(cookies[COOKIE].value, self.token)

    async def _ask_for_token(self, scope: Scope, send: Send) -> None:
        """Take the token from the link and keep it in a cookie, out of the address; else refuse."""
        query = parse_qsl(scope.get("query_string", b"").decode("latin-1"))
        given = dict(query).get("token", "")
        if scope["type"] != "http" or not hmac.compare_digest(given.encode(), self.token.encode()):
            await _refuse(scope, send, "the token is missing: open the link that the studio printed")
            return
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        place = quote(scope["path"]) + (f"?{rest}" if rest else "")
        cookie = f"{COOKIE}={self.token}; Max-Age={DAY}; Path=/; HttpOnly; SameSite=Lax"
        await _answer(send, 303, "", {"Location": place, "Set-Cookie": cookie})


def _with_headers(send: Send) -> Send:
    """Add to every answer what keeps other pages out."""
    extra = {"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            more = [(name.lower().encode(), value.encode()) for name, value in extra.items()]
            message["headers"] = [*message.get("headers", []), *more]
        await send(message)

    return sending


async def _refuse(scope: Scope, send: Send, why: str) -> None:
    if scope["type"] == "websocket":
        # before the socket is accepted this is an answer with status 403
        await send({"type": "websocket.close", "code": 1008, "reason": "refused"})
        return
    await _answer(send, 403, why)


async def _answer(send: Send, status: int, text: str, headers: Mapping[str, str] | None = None) -> None:
    known = {"content-type": "text/plain; charset=utf-8", **(headers or {})}
    pairs = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in known.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})
    await send({"type": "http.response.body", "body": text.encode()})
