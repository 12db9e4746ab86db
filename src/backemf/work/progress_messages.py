"""What a job says while it runs, as messages and as words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from ..progress import watched_progress
from ..values import Json
from .workers import Progress


@contextmanager
def tell_progress(tell: Progress) -> Iterator[None]:
    """Within the block all progress that the terminal would show is told as messages."""

    def watch(label: str, done: int, total: int, word: str) -> None:
        tell({"label": label, "done": done, "total": total, "word": word})

    with watched_progress(watch):
        yield


def progress_words(message: Mapping[str, Json], title: str) -> tuple[str, float | None]:
    """A message in words, and which share is done [1]; None where the job called `title` waits for its turn."""
    waiting, done, total = message.get("waiting"), message.get("done"), message.get("total")
    if isinstance(waiting, int):
        return f"{title}: waiting, {waiting} before it", None
    if isinstance(done, int) and isinstance(total, int):
        word = f": {message['word']}" if message.get("word") else ""
        return f"{message.get('label')}, {done} of {total}{word}", done / max(total, 1)
    return title, None
