"""Reading recordings of runs: columns over time with their units, of complete and of interrupted runs."""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from . import files
from .errors import BackemfWarning, ParameterError
from .recording_writing import PART, require_pyarrow, write_recording
from .values import Module

LARGEST = 16_000_000_000
"""Largest recording that is read, as a CSV file and in memory [bytes]."""
LARGEST_FILE = 10**13
"""Largest parquet file of which columns or pieces are read [bytes]."""
_ENDINGS = (".parquet", ".csv")


@dataclass(frozen=True)
class Recording:
    """A run as it was recorded: columns over time with their units."""

    path: Path
    """The file that was read."""
    columns: dict[str, np.ndarray]
    """Every channel by name, such as `current` or `position[arm motor]`; `time` is one of them [s]."""
    units: dict[str, str]
    """Unit of each column; empty where the file says none."""
    complete: bool = True
    """Whether the run was recorded to its end."""

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.columns:
            raise ParameterError(f"{self.path}: no column {name!r}; there are {', '.join(self.columns) or 'none'}")
        return self.columns[name]

    @property
    def rows(self) -> int:
        """Number of recorded steps."""
        return len(next(iter(self.columns.values()), ()))

    @property
    def end(self) -> float:
        """Time of the last step [s]; NaN where there is none."""
        times = self.columns.get("time", np.zeros(0))
        return float(times[-1]) if len(times) else float("nan")

    def save(self, path: str | Path) -> Path:
        """Write it to a .parquet or .csv file."""
        return write_recording(path, self.columns, self.units)


def read_recording(path: str | Path, columns: Sequence[str] | None = None) -> Recording:
    """A recording from a .parquet or .csv file, or from the parts of an interrupted run.

    If the run was interrupted, a warning says so, and where the recording ends.

    Args:
        path: The file, or that of the parts.
        columns: Names of the columns to read; None: all.
    """
    found = _read_whole(path, columns, 3)
    if columns is None:
        return found
    return replace(found, columns={name: found[name] for name in columns})


def recording_pieces(path: str | Path, columns: Sequence[str], rows: int) -> Iterator[dict[str, np.ndarray]]:
    """Some columns of a complete recording in pieces of so many rows; of parquet one piece is in memory at a time."""
    target = Path(path)
    if target.suffix != ".parquet":
        whole = read_recording(target, columns)
        for first in range(0, whole.rows, rows):
            yield {name: values[first : first + rows] for name, values in whole.columns.items()}
        return
    pyarrow = require_pyarrow("Reading parquet")
    files.require_plain(target, LARGEST_FILE, what="a recording")
    try:
        with pyarrow.parquet.ParquetFile(target) as file:
            for batch in file.iter_batches(batch_size=rows, columns=list(columns), use_threads=False):
                found, _ = _columns(target, pyarrow.Table.from_batches([batch]))
                yield {name: found[name] for name in columns}
    except (pyarrow.ArrowException, OSError) as error:
        raise ParameterError(f"{target}: is no parquet file that can be read ({first_line(error)})") from None


def _read_whole(path: str | Path, columns: Sequence[str] | None, level: int) -> Recording:
    target = Path(path)
    part = target if target.suffix == PART else target.with_name(target.name + PART)
    if target != part and target.exists():
        found = _read(target, target.suffix, True, columns)
        if part.exists():
            warnings.warn(
                f"{target}: is the recording of an earlier run: the last one goes on or was ended, and is in {part}",
                BackemfWarning,
                stacklevel=level,
            )
        return found
    if not part.exists():
        files.require_plain(target, LARGEST, what="a recording")
    found = _read(part, Path(part.stem).suffix, False, columns)
    until = f"ends at t = {found.end:g} s after {found.rows} steps" if found.rows else "holds no step"
    warnings.warn(
        f"{part}: the run goes on or was ended before its end; the recording {until}", BackemfWarning, stacklevel=level
    )
    return found


def _read(path: Path, ending: str, complete: bool, columns: Sequence[str] | None) -> Recording:
    if ending not in _ENDINGS:
        raise ParameterError(f"{path}: is no recording: its name must end in .parquet, .csv, or either with {PART}")
    in_pieces = ending != ".csv" and (complete or columns is not None)
    files.require_plain(path, LARGEST_FILE if in_pieces else LARGEST, what="a recording")
    if ending == ".csv":
        found, units = _read_csv(path, complete)
    else:
        found, units = _read_parquet(path, columns) if complete else _read_stream(path, columns)
    return Recording(path, found, units, complete)


def _read_parquet(path: Path, columns: Sequence[str] | None) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    pyarrow = require_pyarrow("Reading parquet")
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            known = file.schema_arrow.names
            wanted = None if columns is None else [name for name in columns if name in known]
            check_size(path, file.metadata.num_rows, len(known) if wanted is None else len(wanted))
            table = file.read(columns=wanted)
    except (pyarrow.ArrowException, OSError, MemoryError) as error:
        raise ParameterError(f"{path}: is no parquet file that can be read ({first_line(error)})") from None
    return _columns(path, table)


def _read_stream(path: Path, columns: Sequence[str] | None) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """The complete parts."""
    pyarrow = require_pyarrow("Reading parquet")
    batches, schema = [], None
    with pyarrow.memory_map(str(path)) as source:
        # the last part may be cut anywhere, and a run that was ended at once has none
        with suppress(pyarrow.ArrowException, OSError, StopIteration):
            stream = pyarrow.ipc.open_stream(source)
            schema = stream.schema
            wanted = None if columns is None else [name for name in columns if name in schema.names]
            schema = schema if wanted is None else pyarrow.schema([schema.field(name) for name in wanted])
            while True:
                batch = stream.read_next_batch()
                batch.validate()
                batches.append(batch if wanted is None else batch.select(wanted))
        if schema is None:
            return {}, {}
        return _columns(path, pyarrow.Table.from_batches(batches, schema=schema).combine_chunks())


def _columns(path: Path, table: Module) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    columns, units = {}, {}
    for field, column in zip(table.schema, table.columns, strict=True):
        try:
            columns[field.name] = np.array(column.to_numpy(), dtype=float)
        except (TypeError, ValueError):
            raise ParameterError(f"{path}: the column {field.name!r} must be numbers, not {field.type}") from None
        units[field.name] = (field.metadata or {}).get(b"unit", b"").decode("utf-8", "replace")
    return columns, units


def _read_csv(path: Path, complete: bool) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    with files.open_plain(path, LARGEST) as file:
        text = io.TextIOWrapper(file, encoding="utf-8-sig")
        try:
            cells = next(csv.reader([text.readline(1_000_000)]), [])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a file without rows
                rows = np.loadtxt(text if complete else _whole_lines(text), delimiter=",", comments=None, ndmin=2)
            columns = rows.reshape(-1, len(cells)).T if cells else ()
        except (ValueError, csv.Error) as error:
            raise ParameterError(f"{path}: cannot be read as CSV of numbers ({first_line(error)})") from None
    headings = [re.fullmatch(r"(.*?)(?: \[([^\[\]]*)\])?", cell.strip()) for cell in cells]
    names = [str(found[1]).replace(";", ",") for found in headings if found is not None]
    units = [str(found[2] or "") for found in headings if found is not None]
    return dict(zip(names, columns, strict=True)), dict(zip(names, units, strict=True))


def _whole_lines(text: io.TextIOWrapper) -> Iterator[str]:
    return (line for line in text if line.endswith("\n"))


def check_size(path: Path, rows: int, columns: int) -> None:
    """Check that a table fits into the memory: a small file may unpack to any size."""
    if rows * columns * 8 > LARGEST:
        raise ParameterError(f"{path}: {rows} rows of {columns} columns are larger than {LARGEST / 1e9:g} GB; split it")


def first_line(error: BaseException) -> str:
    """What a library says, on one line."""
    return next(iter(str(error).splitlines()), type(error).__name__)[:200]
