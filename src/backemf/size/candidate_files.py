"""Candidates from files that lie anywhere, under names that say what each is."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from ..files import make_folder, read_bytes, write_bytes
from .candidates import Candidates
from .import_pairs import import_pairs

TABLES = ("_motors.csv", "_gearboxes.csv", "_compatibility.csv")
"""How the names of a maker's tables end."""


def read_candidate_files(files: Mapping[str, str], largest: int) -> Candidates:
    """The motors of datasheets, motor files and makers' tables; `files` are paths by name, `largest` is in bytes.

    Files of other kinds are left aside.
    """
    with tempfile.TemporaryDirectory() as folder:
        place = make_folder(Path(folder) / "files")
        for name, path in files.items():
            if name.endswith((".toml", *TABLES)):
                write_bytes(place / name, read_bytes(path, largest))
        if any(place.glob("*_motors.csv")):
            place = import_pairs(place, Path(folder) / "pairs").folder
        return Candidates.read(place)
