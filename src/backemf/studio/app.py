"""The program that serves the studio on this machine."""

from __future__ import annotations

import asyncio
import importlib
import os
import secrets
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from ..errors import MissingExtraError, ParameterError
from ..files import make_private_folder, read_text, write_text
from ..values import Foreign
from ..web.guard import DAY, LOCAL, Guard

MODULES = {
    "/motor": "motor_page", "/look": "look_page", "/try": "try_page", "/simulators": "simulators_page",
    "/identify": "identify_page", "/size": "size_page",
}  # fmt: skip
"""The module of each page, loaded when it is first shown."""
PATIENCE = 4.0
"""How long the first page has the machine for itself [s]."""


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
    place = make_private_folder(folder or _folder())
    # read by NiceGUI when it is imported
    os.environ["NICEGUI_STORAGE_PATH"] = str(place)
    _forget(place)
    try:
        from nicegui import app, ui  # pyright: ignore[reportMissingImports]
    except ModuleNotFoundError:
        raise MissingExtraError("nicegui", "studio", "backemf studio") from None
    from ..web.bounded_requests import BoundedRequests
    from .layout import head
    from .processes import shared
    from .uploads import LARGEST, forget_old

    forget_old(place / "uploads")
    ui.add_head_html(head(), shared=True)
    for path, module in MODULES.items():
        ui.page(path, response_timeout=60)(_page_of(path, module))
    ui.page("/")(_door)
    app.add_middleware(BoundedRequests, largest=LARGEST)
    app.on_startup(_warm)
    app.add_middleware(Guard, host=host, token=token)
    app.on_shutdown(shared().close)
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{port}/"
    print(f"backemf studio: {address}{f'?token={token}' if token else ''}  (Ctrl-C stops it)", flush=True)
    ui.run(
        host=host,
        port=port,
        title="backemf studio",
        reload=False,
        show=browser,
        dark=None,
        tailwind=False,
        # on one machine packing takes longer than sending
        gzip_middleware_factory=None,
        storage_secret=_secret(place),
        session_middleware_kwargs={"max_age": DAY, "session_cookie": f"backemf-studio-{port}"},
        show_welcome_message=False,
        # a tab on a busy machine may be silent for a while: its work goes on, and ends if it stays away for so long
        reconnect_timeout=15.0,
        favicon="⚙",
        language="en-US",
    )


def _page_of(path: str, module: str) -> Callable[[], Awaitable[None]]:
    """What builds a page for a browser that asks for it."""

    async def page() -> None:
        from nicegui import app, run, ui  # pyright: ignore[reportMissingImports]

        from .address import from_query
        from .layout import show
        from .session import Session

        built: Foreign = await run.io_bound(importlib.import_module, f".{module}", __package__)
        state = from_query(ui.context.client.request.url.query)
        await show(Session(path, state, kept=app.storage.user), built.build)

    return page


async def _warm() -> None:
    """Load what pages need while nobody waits for it, in the order in which they are used."""
    from nicegui import run  # pyright: ignore[reportMissingImports]

    # the first page comes first
    await asyncio.sleep(PATIENCE)
    for module in MODULES.values():
        await run.io_bound(importlib.import_module, f".{module}", __package__)


def _door() -> Foreign:
    """Go where this browser was last, if that is not longer ago than a day."""
    from nicegui import app  # pyright: ignore[reportMissingImports]
    from starlette.responses import RedirectResponse  # pyright: ignore[reportMissingImports]

    last = app.storage.user.get("last") or {}
    fresh = last.get("path") in MODULES and time.time() - last.get("when", 0.0) < DAY
    return RedirectResponse(f"{last['path']}?{last['query']}" if fresh else "/motor", status_code=303)


def _folder() -> Path:
    """Where files that outlive the program belong."""
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "backemf-studio"


def _secret(folder: Path) -> str:
    """What the cookies are signed with: the same after a restart, so that sessions are known again."""
    file = folder / "secret"
    if not file.exists():
        # the folder is open to its user alone
        write_text(file, secrets.token_urlsafe(32))
    return read_text(file)


def _forget(folder: Path) -> None:
    """Remove what sessions left more than a day ago."""
    for file in folder.glob("storage-user-*.json"):
        if time.time() - file.stat().st_mtime > DAY:
            file.unlink(missing_ok=True)
