"""Ctrl-C while something computes: noted, and raised where the work may be left.

Raised in the middle of a library's own code, an interruption may leave it in a state in which the process crashes.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def held_interruptions(hold: bool = True) -> Iterator[Callable[[str], None]]:
    """Within the block Ctrl-C is raised where the block calls the given function, with a text for the exception.

    A second Ctrl-C is raised at once. A program that handles SIGINT itself goes on doing so, and so do other threads.

    Args:
        hold: Whether to do so; without, Ctrl-C is raised at once, as ever.
    """
    main = threading.current_thread() is threading.main_thread()
    if not (hold and main and signal.getsignal(signal.SIGINT) is signal.default_int_handler):
        yield lambda text: None
        return
    noted: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        if noted:
            signal.default_int_handler(number, frame)
        noted.append(number)

    def leave(text: str) -> None:
        if noted:
            noted.clear()
            raise KeyboardInterrupt(text)

    signal.signal(signal.SIGINT, note)
    try:
        yield leave
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # what came after the last call
    leave("stopped")
