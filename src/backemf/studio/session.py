"""One open page: its state, which the address shows, and the text of what it shows."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from nicegui import ui  # pyright: ignore[reportMissingImports]

from ..answers.downloads import Download
from ..answers.state import State
from ..values import Foreign
from ..web.address import to_query

LATER = 0.5
"""How long a change waits until it is kept [s]."""


@dataclass
class Session(State):
    """What a page is given: the state of its address, and ways to show what it does as text."""

    path: str
    """Path of the page, such as "/look"."""
    state: dict[str, str]
    """Texts by the names that stand in the address."""
    on_texts: list[Callable[[], None]] = field(default_factory=list)
    """Called when the texts below the page have changed."""
    python: str = ""
    """The same as Python."""
    command: str = ""
    """The same as a command."""
    downloads: tuple[Download, ...] = ()
    """Files that can be taken along."""
    kept: dict[str, Foreign] = field(default_factory=dict)
    """What is kept of this browser for a day."""
    waiting: bool = False
    """Whether the address is about to be kept."""

    def put(self, **changes: str | None) -> None:
        """Change the state: the address follows, and undo goes back to what it was."""
        merged = {**self.state, **changes}
        self.state.clear()
        self.state.update({name: value for name, value in merged.items() if value})
        query = to_query(self.state)
        ui.run_javascript(f"studio.put({json.dumps(query)}, {json.dumps(sorted(changes))})")
        if not self.waiting:
            # moves of a slider are kept once
            self.waiting = True
            asyncio.get_running_loop().call_later(LATER, self.keep)

    def keep(self) -> None:
        """Keep the address for the next start."""
        self.waiting = False
        self.kept["last"] = {"path": self.path, "query": to_query(self.state), "when": time.time()}

    def link(self, path: str, **changes: str | None) -> str:
        """Address of a page with this state."""
        query = to_query({**self.state, **changes})
        return f"{path}?{query}" if query else path

    def show_texts(self, python: str, command: str, *downloads: Download) -> None:
        """Say what the page shows as Python, as a command, and as files."""
        self.python, self.command, self.downloads = python, command, downloads
        for listener in self.on_texts:
            listener()


Page = Callable[[Session], Foreign]
"""Builds a page; may be a coroutine."""
