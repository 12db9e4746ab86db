"""A studio that says what it holds: `counting_studio.py FOLDER PORT`; at SIGUSR1 it writes FOLDER/counts.json.

Pages of tabs that were closed go after a moment here, not after 15 s, and pages without a socket at each count.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import sys
from collections import Counter
from pathlib import Path

FOLDER = Path(sys.argv[1])
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
    gc.collect()
    kinds = Counter(f"{type(each).__module__}.{type(each).__qualname__}" for each in gc.get_objects())
    write_text(FOLDER / "counts.json", json.dumps(kinds))


def listen() -> None:
    """Count at each signal."""
    loop, tasks = asyncio.get_running_loop(), set()
    loop.add_signal_handler(signal.SIGUSR1, lambda: tasks.add(loop.create_task(count())))


app.on_startup(listen)
serve_studio(port=int(sys.argv[2]), browser=False, folder=FOLDER)
