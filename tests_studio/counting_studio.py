"""A studio that says what it holds: `counting_studio.py FOLDER PORT`; at SIGUSR1 it writes FOLDER/counts.json.

Pages of tabs that were closed go after a moment here, not after 15 s, and pages without a socket at each count. At
SIGUSR2 it writes how many elements of pages, closed or not, are in memory into FOLDER/left.json, and collects nothing.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import sys
import weakref
from collections import Counter
from pathlib import Path

FOLDER = Path(sys.argv[1])
SHOWN: weakref.WeakSet[object] = weakref.WeakSet()
"""Every element of a page that was shown and that is still in memory."""
# read by NiceGUI when it is imported
os.environ["NICEGUI_STORAGE_PATH"] = str(FOLDER)

from nicegui import Client, app, core  # noqa: E402
from nicegui.app.app import prune_tab_storage, prune_user_storage  # noqa: E402
from nicegui.slot import Slot  # noqa: E402

from backemf.files import write_text  # noqa: E402
from backemf.studio.app import serve_studio  # noqa: E402


async def count() -> None:
    """Write how many objects of each kind there are."""
    # what is done every few seconds otherwise
    core.app.config.reconnect_timeout = core.sio.eio.ping_interval = 2.0
    Client.prune_instances(client_age_threshold=0.0)
    await prune_user_storage(force=True)
    await prune_tab_storage()
    await Slot.prune_stacks()
    # what the studio has frozen counts, too
    gc.unfreeze()
    gc.collect()
    kinds = Counter(f"{type(each).__module__}.{type(each).__qualname__}" for each in gc.get_objects())
    write_text(FOLDER / "counts.json", json.dumps(kinds))


def listen() -> None:
    """Count at each signal."""
    loop, tasks = asyncio.get_running_loop(), set()
    loop.add_signal_handler(signal.SIGUSR1, lambda: tasks.add(loop.create_task(count())))
    loop.add_signal_handler(signal.SIGUSR2, lambda: write_text(FOLDER / "left.json", json.dumps(len(SHOWN))))
    core.app.config.reconnect_timeout = 2.0


app.on_startup(listen)
app.on_connect(lambda client: SHOWN.update(client.elements.values()))
serve_studio(port=int(sys.argv[2]), browser=False, folder=FOLDER)
