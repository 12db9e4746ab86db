"""The folder of a sweep: its manifest, and the parts that are done.

A part is written atomically, so that a file under its name is whole: which parts are done is what files there are. The
manifest says what the sweep is, and, for people and for readers, how far it is.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from .. import files
from ..errors import ParameterError
from ..recording import first_line
from ..recording_writing import require_pyarrow
from ..values import Foreign, Json
from ..version import __version__
from .part import Job

FORMAT = "backemf sweep 1"
MANIFEST, PARTS, LOCK = "manifest.json", "parts", ".lock"
LARGEST_MANIFEST = 1_000_000_000
LARGEST_PART = 16_000_000_000
"""Largest files that are read [bytes]."""
MOST_PARTS = 10_000_000
"""Most parts of a sweep, each of which is a file [1]."""
_PART = re.compile(r"part-(\d{9})\.parquet")
_LEFT = re.compile(r"\.[0-9a-f]{16}\.parquet")
"""A part that was being written when its process ended."""


def hash_of(name: str, fingerprint: str, space: Json, seed: int) -> str:
    """What says whether two sweeps are the same."""
    text = json.dumps([FORMAT, name, fingerprint, space, seed], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def part_path(folder: Path, part: int) -> Path:
    """The file of a part."""
    return folder / PARTS / f"part-{part:09d}.parquet"


@dataclass
class Progress:
    """Which parts of a sweep are done."""

    done: bytearray
    """1 for each part that is done, else 0."""
    rows: int = 0
    """Cases in these parts."""
    failed: int = 0
    """Cases of them that failed."""
    count: int = field(default=0)
    """Number of parts that are done."""

    def add(self, part: int, rows: int, failed: int) -> None:
        """Note a part that is done."""
        self.done[part] = 1
        self.rows, self.failed, self.count = self.rows + rows, self.failed + failed, self.count + 1

    def open_parts(self) -> Iterator[int]:
        """Every part that is not done, in order."""
        part = self.done.find(0)
        while part >= 0:
            yield part
            part = self.done.find(0, part + 1)

    def ranges(self) -> list[list[int]]:
        """First and last part of each unbroken row of parts that are done."""
        found, end = [], len(self.done)
        first = self.done.find(1)
        while first >= 0:
            stop = self.done.find(0, first)
            stop = end if stop < 0 else stop
            found.append([first, stop - 1])
            first = self.done.find(1, stop)
        return found


def write_manifest(folder: Path, job: Job, progress: Progress) -> None:
    """Write what the sweep is, and how far it is."""
    content: dict[str, Json] = {
        "format": FORMAT,
        "backemf": __version__,
        "function": job.swept.name,
        "space": job.space.described(),
        "seed": job.seed,
        "cases": job.space.cases,
        "part": job.size,
        "parts": job.parts,
        "hash": job.hash,
        "done": progress.ranges(),
        "rows": progress.rows,
        "failed": progress.failed,
        "complete": progress.count == job.parts,
    }
    files.write_text(folder / MANIFEST, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def read_manifest(folder: Path) -> dict[str, Foreign] | None:
    """What the manifest of a folder says; None: it has none. Raises `ParameterError` for one that is damaged."""
    path = folder / MANIFEST
    if not path.exists():
        return None
    text = files.read_text(path, LARGEST_MANIFEST, what="the manifest of a sweep")
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _damaged(path, first_line(error)) from None
    kinds = {"backemf": str, "function": str, "hash": str, "seed": int, "cases": int, "part": int, "parts": int}
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise _damaged(path, f'its format is not "{FORMAT}"')
    for name, kind in kinds.items():
        if type(content.get(name)) is not kind:
            raise _damaged(path, f"{name} = {content.get(name)!r}"[:100])
    whole = content["part"] >= 1 and content["parts"] == -(-content["cases"] // content["part"])
    if not whole or not 1 <= content["parts"] <= MOST_PARTS:
        raise _damaged(path, f"{content['cases']} cases in {content['parts']} parts of {content['part']}")
    return content


def _damaged(path: Path, why: str) -> ParameterError:
    return ParameterError(
        f"{path}: is no manifest of a sweep ({why}): restore it, or sweep into another folder; the parts beside it are "
        "whole parquet files"
    )


def require_same(folder: Path, known: dict[str, Foreign], hash: str) -> None:
    """Check that a folder holds this sweep, by this version; raise `ParameterError` if not."""
    if known["hash"] != hash:
        raise ParameterError(
            f"{folder}: holds another sweep, of {known['function']} with {known['cases']} cases and seed "
            f"{known['seed']}: give another folder, or what it was begun with"
        )
    if known["backemf"] != __version__:
        raise ParameterError(
            f"{folder}: was begun by backemf {known['backemf']}, and this is {__version__}: go on with that one, or "
            "sweep into another folder"
        )


def require_empty(folder: Path) -> None:
    """Check that a folder without a manifest has nothing in it; raise `ParameterError` if not."""
    if folder.exists() and not folder.is_dir():
        raise ParameterError(f"{folder}: is no folder; give one for the parts of the sweep")
    if folder.is_dir() and any(entry.name != LOCK and entry.name != PARTS for entry in folder.iterdir()):
        raise ParameterError(f"{folder}: has files in it and no {MANIFEST}; give a new folder")
    if any((folder / PARTS).glob("part-*")):
        raise ParameterError(f"{folder}: has parts and no {MANIFEST}: restore it, or give a new folder")


def find_parts(folder: Path, parts: int, size: int, cases: int, hash: str, clean: bool = False) -> Progress:
    """The parts that are there; raises `ParameterError` for one that is damaged or of another sweep.

    With `clean`, what a process left that was ended while it wrote is removed.
    """
    progress = Progress(bytearray(parts))
    place = folder / PARTS
    for path in sorted(place.iterdir()) if place.is_dir() else ():
        found = _PART.fullmatch(path.name)
        if found is None:
            if clean and _LEFT.fullmatch(path.name):
                with suppress(OSError):
                    path.unlink()
            continue
        part = int(found[1])
        if part >= parts:
            raise ParameterError(f"{path}: is none of the {parts} parts of this sweep; remove it")
        rows = min(size, cases - part * size)
        progress.add(part, rows, check_part(path, part * size, rows, hash))
    return progress


def check_part(path: Path, first: int, rows: int, hash: str) -> int:
    """Number of failed cases of a part; raises `ParameterError` if it is damaged or of another sweep."""
    pyarrow = require_pyarrow("A sweep")
    files.require_plain(path, LARGEST_PART, what="a part of a sweep")
    remedy = "remove it and sweep again: this part alone is computed anew"
    try:
        found = pyarrow.parquet.read_metadata(path)
        meta = found.metadata or {}
        own = (meta.get(b"sweep", b"").decode("utf-8", "replace"), int(meta.get(b"first", b"-1")), found.num_rows)
        failed = int(meta.get(b"failed", b"0"))
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise ParameterError(f"{path}: is damaged ({first_line(error)}): {remedy}") from None
    if own != (hash, first, rows):
        raise ParameterError(f"{path}: is a part of another sweep: {remedy}")
    return failed


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder for one process; another one is refused. The system lets go of it when the process ends."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    with files.open_lock(folder / LOCK) as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ParameterError(
                f"{folder}: another process is sweeping into it: wait for it, or give another folder"
            ) from None
        except OSError:  # a file system without locks
            pass
        yield
