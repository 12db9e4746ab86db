"""What came of a sweep: a table in parts, read as a whole or part by part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..checks import require_room
from ..errors import ParameterError
from ..files import require_plain
from ..recording import first_line
from ..recording_writing import require_pyarrow
from ..values import Module
from .manifest import LARGEST_PART, MANIFEST, find_parts, part_path, read_manifest
from .part import ERROR

SHOWN = 10
"""Failures that are shown unless more are asked for [1]."""


@dataclass(frozen=True)
class Sweep:
    """A sweep in its folder: `sweep["end.velocity"]` is a column, `pieces()` goes through all of it."""

    path: Path
    """Its folder."""
    function: str
    """What was swept."""
    cases: int
    """Number of cases."""
    seed: int
    """Random seed."""
    rows: int
    """Cases that are done."""
    failed: int
    """Cases of them that failed."""
    parts: tuple[Path, ...] = field(repr=False)
    """Files of the parts that are done, in the order of the cases."""

    @property
    def complete(self) -> bool:
        """Whether every case is done."""
        return self.rows == self.cases

    @property
    def units(self) -> dict[str, str]:
        """Unit of each column, empty where it has none; the columns of all parts."""
        pyarrow = require_pyarrow("A sweep")
        found: dict[str, str] = {}
        for path in self.parts:
            for entry in _checked(path, lambda path=path: pyarrow.parquet.read_schema(path)):
                found.setdefault(entry.name, (entry.metadata or {}).get(b"unit", b"").decode("utf-8", "replace"))
        return found

    def __getitem__(self, name: str) -> np.ndarray:
        """A column over all cases: numbers, NaN where a case failed, or objects: texts, truths and None."""
        return self.columns((name,))[name]

    def columns(self, names: Sequence[str]) -> dict[str, np.ndarray]:
        """Some columns over all cases."""
        require_room(", ".join(names), 8 * self.rows * len(names), "take pieces()")
        rows = list(self.pieces(names))
        return {name: np.concatenate([row[name] for row in rows]) if rows else np.zeros(0) for name in names}

    def pieces(self, names: Sequence[str] | None = None) -> Iterator[dict[str, np.ndarray]]:
        """The table part by part: as much in memory as one of them."""
        wanted = list(self.units) if names is None else list(names)
        known: set[str] = set()
        for path in self.parts:
            table = _read(path, wanted)
            known |= set(table.column_names)
            yield {name: _column(table, name) for name in wanted}
        missing = [name for name in wanted if name not in known]
        if missing and self.parts:
            raise ParameterError(f"{self.path}: no column {missing[0]!r}; there are {', '.join(self.units)}")

    def failures(self, most: int = SHOWN) -> list[tuple[int, str]]:
        """Number and sentence of the first cases that failed."""
        found: list[tuple[int, str]] = []
        for piece in self.pieces(("case", ERROR)) if self.failed else ():
            said = [(int(case), text) for case, text in zip(piece["case"], piece[ERROR], strict=True) if text]
            found += said[: most - len(found)]
            if len(found) >= most:
                break
        return found


def read_sweep(path: str | Path) -> Sweep:
    """A sweep from its folder, whether it is complete or not.

    Raises `ParameterError` if the manifest or the end of a part is damaged; the rest of a part is checked as it is
    read.
    """
    folder = Path(path)
    known = read_manifest(folder)
    if known is None:
        raise ParameterError(f"{folder}: is no folder of a sweep: it has no {MANIFEST}")
    found = find_parts(folder, known["parts"], known["part"], known["cases"], known["hash"])
    paths = tuple(part_path(folder, part) for part, done in enumerate(found.done) if done)
    return Sweep(folder, known["function"], known["cases"], known["seed"], found.rows, found.failed, paths)


def _read(path: Path, names: Sequence[str]) -> Module:
    """Columns of a part, as far as it has them."""
    pyarrow = require_pyarrow("A sweep")
    require_plain(path, LARGEST_PART, what="a part of a sweep")

    def read() -> Module:
        with pyarrow.parquet.ParquetFile(path, page_checksum_verification=True) as file:
            return file.read(columns=[name for name in names if name in file.schema_arrow.names])

    return _checked(path, read)


def _checked(path: Path, read: Module) -> Module:
    pyarrow = require_pyarrow("A sweep")
    try:
        return read()
    except (pyarrow.ArrowException, OSError) as error:
        raise ParameterError(
            f"{path}: is damaged ({first_line(error)}): remove it and sweep again: this part alone is computed anew"
        ) from None


def _column(table: Module, name: str) -> np.ndarray:
    if name not in table.column_names:
        # no case of this part has such an answer
        return np.full(table.num_rows, np.nan)
    column = table.column(name)
    kind = str(column.type)
    if kind in ("double", "int64"):
        return column.to_numpy()
    return np.array(column.to_pylist(), dtype=object)
