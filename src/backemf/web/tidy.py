"""Memory that closed pages held goes back to the system.

A page is a ring of objects, which Python finds only when it looks for rings, and it looks only while new objects are
made: what 50 tabs held would stay until somebody comes back. And Python's own allocator keeps each area of 1 MB in
which one object lives, where the allocator of the system gives back every free page of 4 kB.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
import sys
from collections.abc import Callable
from contextlib import suppress

REST = 5.0
"""How long no page was closed until the memory is tidied [s]."""
ALLOCATOR = {"PYTHONMALLOC": "malloc", "MALLOC_ARENA_MAX": "2"}
"""What makes Python use the system's allocator, with two heaps for all threads; read when a process starts."""


class Tidy:
    """Collects what pages leave behind, once no page was closed for a while."""

    def __init__(self, is_empty: Callable[[], bool], rest: float = REST):
        """`is_empty` says whether no page is open: then nobody waits while all objects are looked through."""
        self.is_empty = is_empty
        self.rest = rest
        self._timer: asyncio.TimerHandle | None = None

    def page_closed(self) -> None:
        """Tidy in a while, if no other page is closed until then."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(self.rest, self.tidy)

    def tidy(self) -> None:
        """Collect garbage, and give free memory back."""
        empty = self.is_empty()
        if empty:
            # what was in use when it was frozen may be garbage now
            gc.unfreeze()
        gc.collect()
        if empty:
            # libraries and modules, which need not be looked through again
            gc.freeze()
        trim()


def trim() -> None:
    """Give free pages of the heap back, where the system's library can."""
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def use_system_allocator(command: str) -> None:
    """Begin this command of the command line anew with the system's allocator, where that can give memory back.

    Processes that it starts are as before. Where the command was not called from a shell, nothing happens.
    """
    if os.environ.get("PYTHONMALLOC") == ALLOCATOR["PYTHONMALLOC"]:
        for name in ALLOCATOR:
            os.environ.pop(name, None)
    elif sys.platform == "linux" and sys.argv[1:2] == [command]:
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {**os.environ, **ALLOCATOR})
