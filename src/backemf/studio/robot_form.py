"""A whole robot: its model dropped in, motors chosen for its joints, and its file for a simulator."""

from __future__ import annotations

from nicegui import ui  # pyright: ignore[reportMissingImports]

from .session import Session
from .widgets import card
from .workers import Workers


def build(session: Session, workers: Workers) -> None:
    """Build the part of the page."""
    with card("A whole robot"):
        ui.label("")
