"""A progress bar for anything that takes more than a moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import Protocol

from .values import Module

PATIENCE = 2.0
"""How long something takes before a bar appears [s]."""
LATELY = 600.0
"""How far back a bar looks for the speed from which the time left follows [s]."""


Watcher = Callable[[str, int, int, str], None]
"""Called with the label of a bar, what is done, what there is in all, and what was done last in words."""
_WATCHER: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


class Advance(Protocol):
    """Moves a bar by what was done, with a word for it."""

    def __call__(self, more: int, word: str = "") -> None: ...


@contextmanager
def watched_progress(watcher: Watcher) -> Iterator[None]:
    """Within the block, progress goes to a function instead of a bar."""
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)


@contextmanager
def progress_bar(label: str, total: int, patience: float = PATIENCE) -> Iterator[Advance]:
    """Show a bar on the error stream while the block runs; call the given function with what was done.

    It appears on a terminal only, and only once the block has taken `patience` seconds.
    """
    begin, done = monotonic(), 0
    bars: list[Module] = []
    watcher = _WATCHER.get()

    def advance(more: int, word: str = "") -> None:
        nonlocal done
        done += more
        if watcher is not None:
            watcher(label, done, total, word)
        elif bars:
            bars[0].update(0, completed=done)
        elif monotonic() - begin > patience and done < total and not _without:
            bars.append(_start(label, total, done))

    try:
        yield advance
    finally:
        for bar in bars:
            bar.stop()


@contextmanager
def without_bars() -> Iterator[None]:
    """Show no bar of what runs inside the block: it is a part of something that has one."""
    _without.append(True)
    try:
        yield
    finally:
        _without.pop()


_without: list[bool] = []
"""Not empty while no bar is shown."""


def _start(label: str, total: int, done: int) -> Module:
    """A bar on the error stream; outside a terminal it stays invisible."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    # a piece of work may take minutes: the time that is left follows from all that was done lately
    bar = Progress(*columns, console=console, disable=not console.is_terminal, speed_estimate_period=LATELY)
    bar.add_task(label, total=total, completed=done)
    bar.start()
    return bar
