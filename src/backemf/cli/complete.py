"""Shell completion of motors, simulators, controllers, limits and loads."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from .. import catalog


def complete_motor(incomplete: str) -> list[str]:
    """Ids of the catalogue, and TOML files with the folders on the way to them."""
    typed = incomplete.rpartition("/")[0]
    folder = Path(typed + "/" if incomplete.startswith("/") else typed or ".")
    try:
        found = sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
    except OSError:
        found = []
    files = [
        f"{entry}/" if entry.is_dir() else str(entry) for entry in found if entry.is_dir() or entry.suffix == ".toml"
    ]
    return begin_with(incomplete, (*catalog.ids(), *files))


def complete_target(incomplete: str) -> list[str]:
    """Simulators that `--to` takes."""
    from ..transfer.targets import NAMES

    return begin_with(incomplete, (*NAMES, "urdf"))


def complete_controller(incomplete: str) -> list[str]:
    """First words of `--controller`."""
    from .drive import controllers

    return begin_with(incomplete, controllers())


def complete_limit(incomplete: str) -> list[str]:
    """First words of `--limit`."""
    from .words import kinds

    return begin_with(incomplete, kinds("limit"))


def complete_load(incomplete: str) -> list[str]:
    """First words of `--load`."""
    from .words import kinds

    return begin_with(incomplete, (*kinds("load"), "motion"))


def begin_with(incomplete: str, words: Iterable[str]) -> list[str]:
    """The words that begin with what was typed."""
    return [word for word in words if word.startswith(incomplete)]
