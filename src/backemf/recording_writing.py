"""Writing recordings of runs: at once, or part by part while a run goes on.

Until a run has ended, its recording is in a file beside the requested one, run.parquet.part for run.parquet. Every part
of it can be read without the rest: it is an Arrow stream, since a parquet file cannot be read without the index at its
end, or lines of CSV. However the process ends, the parts that were written are there.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import numpy as np

from . import files
from .errors import MissingExtraError, ParameterError
from .values import Module

PART = ".part"
"""Ending of the name of a recording that is still written, or was interrupted."""
GROUP = 8192
"""Smallest group of rows in a parquet file [1]."""
GROUP_BYTES = 8_000_000
"""Size of a group in memory where its parts are large enough [bytes]."""

FORMAT = {"use_dictionary": False}
"""How every parquet file is written: a dictionary of numbers that hardly repeat takes longer, and more of the disk."""

COLUMN_BYTES, GROUP_COLUMN_BYTES, PAGE_BYTES = 4_000, 2_000, 2_000_000
"""What a writer of parquet keeps to its end for each column, for each column of each group, and for a page [bytes]."""


def write_recording(path: str | Path, columns: Mapping[str, np.ndarray], units: Mapping[str, str]) -> Path:
    """Write columns at once, by the ending of the name: CSV, or else parquet."""
    target = Path(path)
    if target.suffix == ".csv":
        return write_csv(target, columns, units)
    return write_parquet(target, columns, units)


def write_parquet(
    path: str | Path,
    columns: Mapping[str, np.ndarray],
    units: Mapping[str, str],
    meta: Mapping[str, str] | None = None,
    nulls: bool = False,
) -> Path:
    """Write columns to a parquet file; the unit of each is in its metadata under `unit`.

    Args:
        path: The file.
        columns: Values by name.
        units: Unit by name.
        meta: Texts for the metadata of the whole table.
        nulls: Whether NaN stands for what was not measured, and is written as null.
    """
    pyarrow = require_pyarrow("Writing parquet")
    table = _table(columns, units, nulls)
    with files.replacing(path) as file:
        table = table if meta is None else table.replace_schema_metadata(dict(meta))
        pyarrow.parquet.write_table(table, file, **FORMAT)
    return Path(path)


def write_csv(path: str | Path, columns: Mapping[str, np.ndarray], units: Mapping[str, str]) -> Path:
    """Write columns to a CSV file; the header names each column and its unit, as in `current [A]`."""
    with files.replacing(path) as file:
        _write_lines(file, columns, _heading(columns, units))
    return Path(path)


class RecordingWriter:
    """Writes a recording part by part.

    Args:
        path: Where the finished recording goes: a .parquet or .csv file.
        units: Unit of each column by its name.
    """

    def __init__(self, path: str | Path, units: Mapping[str, str]):
        self.path, self.units = Path(path), dict(units)
        self.part = self.path.with_name(self.path.name + PART)
        """Where it is until it is finished."""
        self.parts, self.rows = 0, 0
        """Number of parts that were written, and of their rows."""
        self.failed = False
        """Whether a part could not be written, so that the recording is incomplete."""
        self._csv = self.path.suffix == ".csv"
        if not self._csv:
            require_pyarrow("Writing parquet")
        self._stream: Module = None
        self._file: BinaryIO = files.create(self.part)

    def write(self, columns: Mapping[str, np.ndarray]) -> None:
        """Write some rows and pass them to the operating system."""
        try:
            if self._csv:
                _write_lines(self._file, columns, "" if self.parts else _heading(columns, self.units))
            else:
                self._write_batch(columns)
            self._file.flush()
        except OSError as error:
            self.failed = True
            raise self._unwritable(error) from None
        self.parts += 1
        self.rows += len(next(iter(columns.values()), ()))

    def _write_batch(self, columns: Mapping[str, np.ndarray]) -> None:
        pyarrow = require_pyarrow("Writing parquet")
        table = _table(columns, self.units)
        if self._stream is None:
            self._stream = pyarrow.ipc.new_stream(self._file, table.schema)
        self._stream.write_table(table)

    def close(self) -> Path:
        """Finish the recording: its format and its name. Until then, and after a failure, the parts stay."""
        if self.failed:
            self.abandon()
            return self.part
        if not self._is_own():
            self.failed = True
            self._end_quietly()
            raise ParameterError(f"{self.path}: another run has begun to write to it; give each run its own file")
        try:
            self._end()
            if not self._csv:
                self._assemble()
            else:
                files.put_in_place(self.part, self.path)
        except OSError as error:
            self.failed = True
            raise self._unwritable(error) from None
        except ParameterError as error:  # of the file that the parts are assembled to
            self.failed = True
            raise ParameterError(f"{error}; {self.where_parts_are}") from None
        with suppress(OSError):
            self.part.unlink(missing_ok=True)
        return self.path

    def _is_own(self) -> bool:
        """Whether the file of the parts is still this writer's, which writes to it."""
        try:
            return not self._file.closed and os.path.samestat(os.fstat(self._file.fileno()), self.part.stat())
        except OSError:
            return False

    def abandon(self) -> None:
        """End without finishing: the parts stay where they are; a file without parts is removed."""
        own = self._is_own()
        self._end_quietly()
        if own and not self.parts:
            with suppress(OSError):
                self.part.unlink(missing_ok=True)

    @property
    def where_parts_are(self) -> str:
        """Where the parts are, for a message."""
        return f"what was recorded until then is in {self.part}"

    def _end(self) -> None:
        stream, self._stream = self._stream, None
        try:
            if stream is not None:
                stream.close()
        finally:
            self._file.close()

    def _end_quietly(self) -> None:
        with suppress(OSError):
            self._end()

    def _assemble(self) -> None:
        """Write the parquet file from the parts, a few of them in memory at a time."""
        pyarrow = require_pyarrow("Writing parquet")
        if not self.parts:
            columns = {name: np.zeros(0) for name in self.units}
            write_parquet(self.path, columns, self.units)
            return
        with (
            pyarrow.OSFile(str(self.part)) as source,
            pyarrow.ipc.open_stream(source) as stream,
            files.replacing(self.path) as file,
            pyarrow.parquet.ParquetWriter(file, stream.schema, **FORMAT) as writer,
        ):
            for batches in _group_batches(stream, group_rows(self.rows, len(stream.schema))):
                writer.write_table(pyarrow.Table.from_batches(batches))
                batches.clear()

    def _unwritable(self, error: OSError) -> ParameterError:
        left = f"; {self.where_parts_are}" if self.parts else ""
        return ParameterError(f"{files.unwritable(self.path, error)}{left}")


def group_rows(rows: int, columns: int) -> int:
    """Rows that a group of a file has at least.

    A writer keeps something of every group until its end: groups that grow with the root of the rows take as much.
    """
    return max(GROUP, GROUP_BYTES // (8 * max(columns, 1)), math.isqrt(rows * GROUP_COLUMN_BYTES // 8))


def assembling_memory(rows: int, part: int, columns: int) -> int:
    """What it takes at its peak to assemble a parquet file from parts of so many rows [bytes]."""
    part = max(1, part)
    group = max(1, min(rows, part * -(-group_rows(rows, columns) // part)))
    return columns * (8 * group + COLUMN_BYTES + GROUP_COLUMN_BYTES * -(-rows // group)) + PAGE_BYTES


def _group_batches(batches: Iterable[Module], least: int) -> Iterator[list[Module]]:
    """Lists of batches with enough rows for a group."""
    group: list[Module] = []
    for batch in batches:
        group.append(batch)
        if sum(each.num_rows for each in group) >= least:
            yield group
            group = []
    if group:
        yield group


def _table(columns: Mapping[str, np.ndarray], units: Mapping[str, str], nulls: bool = False) -> Module:
    pyarrow = require_pyarrow("Writing parquet")
    arrays = [pyarrow.array(np.ascontiguousarray(values), from_pandas=nulls) for values in columns.values()]
    fields = [
        pyarrow.field(name, array.type, metadata={"unit": units.get(name, "")})
        for name, array in zip(columns, arrays, strict=True)
    ]
    return pyarrow.Table.from_arrays(arrays, schema=pyarrow.schema(fields))


def _heading(columns: Mapping[str, np.ndarray], units: Mapping[str, str]) -> str:
    # an index of two axes would bring a comma into the header
    return ",".join(f"{name.replace(',', ';')} [{units.get(name, '')}]" for name in columns)


def _write_lines(file: BinaryIO, columns: Mapping[str, np.ndarray], heading: str) -> None:
    rows = np.stack([np.asarray(values, dtype=float) for values in columns.values()], axis=1)
    np.savetxt(file, rows, fmt="%.9g", delimiter=",", header=heading, comments="", encoding="utf-8")


def require_pyarrow(what: str) -> Module:
    """pyarrow with the modules that files need; `what` names the user of it in the error where it is missing."""
    try:
        import pyarrow
        import pyarrow.csv
        import pyarrow.ipc
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise MissingExtraError("pyarrow", "files", what) from None
    return pyarrow
