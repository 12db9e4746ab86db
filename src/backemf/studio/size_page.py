"""The page Size."""

from __future__ import annotations

from .session import Session
from .widgets import empty


def build(session: Session) -> None:
    """Build the page."""
    empty("This page is not there yet.", "Go back to a motor on the first page.")
