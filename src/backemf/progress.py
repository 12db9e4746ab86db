"""A progress bar for anything that takes more than a moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from .values import Module

PATIENCE = 2.0
"""How long something takes before a bar appears [s]."""
LATELY = 600.0
"""How far back a bar looks for the speed from which the time left follows [s]."""


@contextmanager
def progress_bar(label: str, total: int, patience: float = PATIENCE) -> Iterator[Callable[[int], None]]:
    """Show a bar on the error stream while the block runs; call the given function with what was done.

    It appears on a terminal only, and only once the block has taken `patience` seconds.
    """
    begin, done = monotonic(), 0
    bars: list[Module] = []

    def advance(more: int) -> None:
        nonlocal done
        done += more
        if bars:
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
