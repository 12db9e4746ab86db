"""The program that serves the studio on this machine."""

from __future__ import annotations

import asyncio
import gc
import importlib
import os
import secrets
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from ..errors import MissingExtraError, ParameterError
from ..files import make_private_folder
from ..values import Foreign
from ..web.guard import DAY, LOCAL, Guard
from ..web.left_out import left_out
from ..web.state_folder import forget_old, keep_secret, state_folder
from ..web.tidy import Tidy

PAGES = ("motor", "look", "try", "simulators", "identify", "size")
"""The pages in the order in which they are used; the module of each is loaded when it is first shown."""
PATIENCE = 4.0
"""How long the first page has the machine for itself [s]."""
UNUSED = ("aiohttp", "pandas", "plotly", "polars")
"""What NiceGUI loads where it is installed, and the studio does not use: a client's socket, other tables, pictures."""


def serve_studio(host: str = "127.0.0.1", port: int = 8337, browser: bool = True, folder: Path | None = None) -> None:
    """Serve the studio until the process is stopped.

    Args:
        host: Address to listen on; another than this machine's own demands a token, which is printed once.
        port: Port to listen on.
        browser: Whether to open a browser.
        folder: Where the last state of each session is kept for a day; None: the user's folder for such files.
    """
    if not 0 < port < 65536:
        raise ParameterError(f"--port {port}: must be between 1 and 65535")
    token = "" if host in LOCAL else secrets.token_urlsafe(24)
    place = make_private_folder(folder or state_folder("backemf-studio"))
    # read by NiceGUI when it is imported
    os.environ["NICEGUI_STORAGE_PATH"] = str(place)
    forget_old(place, "storage-user-*.json")
    forget_old(place / "uploads")
    # what is loaded now stays: looking through it for garbage takes a tenth of the start
    gc.disable()
    app, ui = _nicegui()
    from ..web.bounded_requests import BoundedRequests
    from ..web.uploads import LARGEST
    from .dropping import ADDRESS, Client, take_files  # pyright: ignore[reportAttributeAccessIssue]
    from .layout import head
    from .work import shared

    ui.add_head_html(head(), shared=True)
    for name in PAGES:
        ui.page(f"/{name}", response_timeout=60)(_page_of(name))
    ui.page("/")(_door)
    # nothing is kept for a tab, and what NiceGUI makes for each would stay for 30 days
    app.storage.max_tab_storage_age = 1.0
    app.add_route(ADDRESS, take_files, methods=["POST"])
    app.add_middleware(BoundedRequests, largest=LARGEST)
    app.on_startup(_warm)
    app.add_middleware(Guard, host=host, token=token)
    app.on_shutdown(shared().close)
    app.on_delete(Tidy(lambda: not Client.instances).page_closed)
    shown = f"[{host}]" if ":" in host else host
    link = f"http://{shown}:{port}/{f'?token={token}' if token else ''}"
    print(f"backemf studio: {link}  (Ctrl-C stops it)", flush=True)
    # before the first page: of what is frozen nothing is collected until nobody is there
    gc.freeze()
    # a tab on a busy machine may be silent for a while: its work goes on, and ends if it stays away for 15 s;
    # nothing is packed, since on one machine packing takes longer than sending
    ui.run(
        host=host, port=port, title="backemf studio", favicon="⚙", language="en-US", dark=None, tailwind=False,
        reload=False, reconnect_timeout=15.0, gzip_middleware_factory=None, show=browser, show_welcome_message=False,
        storage_secret=keep_secret(place),
        session_middleware_kwargs={"max_age": DAY, "session_cookie": f"backemf-studio-{port}"},
    )  # fmt: skip


def _nicegui() -> tuple[Foreign, Foreign]:
    """NiceGUI's application and its elements, without the libraries that only other programs need."""
    try:
        with left_out(*UNUSED):
            from nicegui import app, ui  # pyright: ignore[reportMissingImports]

            for element in ("plotly", "table"):
                # looks for libraries when it is first named
                getattr(ui, element)
    except ModuleNotFoundError:
        gc.enable()
        raise MissingExtraError("nicegui", "studio", "backemf studio") from None
    return app, ui


def _page_of(name: str) -> Callable[[], Awaitable[None]]:
    """What builds a page for a browser that asks for it."""

    async def page() -> None:
        from nicegui import app, run, ui  # pyright: ignore[reportMissingImports]

        from ..web.address import from_query
        from .layout import show
        from .session import Session

        built: Foreign = await run.io_bound(_load, name)
        state = from_query(ui.context.client.request.url.query)
        await show(Session(f"/{name}", state, kept=app.storage.user), built.build)

    return page


def _load(name: str) -> Foreign:
    return importlib.import_module(f".{name}_page", __package__)


async def _warm() -> None:
    """Load what pages need while nobody waits for it, in the order in which they are used."""
    from nicegui import run  # pyright: ignore[reportMissingImports]

    try:
        # the first page comes first
        await asyncio.sleep(PATIENCE)
        for name in PAGES:
            await run.io_bound(_load, name)
    finally:
        gc.enable()


def _door() -> Foreign:
    """Go where this browser was last, if that is not longer ago than a day."""
    from nicegui import app  # pyright: ignore[reportMissingImports]
    from starlette.responses import RedirectResponse  # pyright: ignore[reportMissingImports]

    last = app.storage.user.get("last") or {}
    fresh = last.get("path", "/")[1:] in PAGES and time.time() - last.get("when", 0.0) < DAY
    return RedirectResponse(f"{last['path']}?{last['query']}" if fresh else "/motor", status_code=303)
