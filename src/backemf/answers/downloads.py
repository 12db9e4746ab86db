"""Files that a page offers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..values import Foreign
from .motors import Chosen


@dataclass(frozen=True)
class Download:
    """A file that the command line would write."""

    name: str
    """Its name."""
    content: Callable[[], Foreign]
    """Makes its content when it is asked for: bytes, a text, a path of our own, or an awaitable of one."""


def motor_download(chosen: Chosen) -> Download:
    """The TOML file that a command refers to."""
    return Download(chosen.file if chosen.text else f"{chosen.file}.toml", lambda: chosen.toml)
