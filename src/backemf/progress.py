"""A progress bar for anything that takes more than a moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

PATIENCE = 2.0
"""How long something takes before a bar appears [s]."""


@contextmanager
def progress_bar(label: str, total: int, patience: float = PATIENCE) -> Iterator[Callable[[int], None]]:
    """Show a bar on the error stream while the block runs; call the given function with what was done.

    It appears on a terminal only, and only once the block has taken `patience` seconds.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    bar = Progress(*columns, console=console)
    task = bar.add_task(label, total=total)
    begin = monotonic()

    def advance(done: int) -> None:
        bar.advance(task, done)
        if console.is_terminal and not bar.live.is_started and monotonic() - begin > patience and not bar.finished:
            bar.start()

    try:
        yield advance
    finally:
        if bar.live.is_started:
            bar.stop()
