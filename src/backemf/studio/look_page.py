"""The page Look."""

from __future__ import annotations

from .session import Session
from .widgets import empty


def build(session: Session) -> None:
    """Build the page."""
    empty(session.chosen.name, "Nothing here yet.")
    session.show_texts("import backemf as be", "backemf list")
