"""Logs from files: CSV, parquet, NumPy archives, JSON of servo rigs, ROS 2 bags and MCAP, by the ending of the name."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..checks import quote
from ..csv_tables import read_cells, read_header
from ..errors import ParameterError
from ..files import open_plain
from ..recording import check_size, first_line, read_recording
from ..recording_writing import PART, require_pyarrow
from .archives import archive_columns, read_archive
from .assembly import Wanted, find_columns, log_of_columns
from .bags import read_bag, read_mcap
from .channels import TIME
from .counters import unwrap_counter
from .headings import Heading, read_heading
from .log import Log, Meta
from .saving import BETWEEN, META
from .servo_json import read_json

LARGEST = 4_000_000_000
"""Largest parquet file that is read [bytes]."""
_BARE = re.compile(r"([A-Za-z_][\w-]*)\s*=\s*([^=\s].*)")


def read_log(
    path: str | Path,
    channels: Mapping[str, str] | None = None,
    units: Mapping[str, str] | None = None,
    *,
    joints: Sequence[str] | None = None,
    rate: float | None = None,
    meta: Mapping[str, Meta] | None = None,
) -> Log:
    """A log from a file; columns with names such as `position [deg]`, `current (mA)` or `speed_rpm` need no mapping.

    Args:
        path: A .csv, .tsv, .txt, .parquet, .npz, .json or .mcap file, or the folder of a ROS 2 bag.
        channels: Column, or topic of a bag, by channel, as in {"position": "dof_pos", "time": "t"}.
        units: Unit by channel or column, as in {"position": "deg"}, where the file does not say it; else SI.
        joints: Names of the joints of an array, or a choice of those that the file names.
        rate: Rows per second, where the file has no times [1/s].
        meta: Notes that are added to those of the file, as in {"kp": 800}.
    """
    for name, given in (("channels", channels), ("units", units), ("meta", meta)):
        if given is not None and not isinstance(given, Mapping):
            raise ParameterError(f"{name} = {quote(given)}: must be a dict by channel")
    wanted = Wanted(channels or {}, units or {}, None if joints is None else tuple(joints), rate, meta or {})
    target = Path(path)
    if target.is_dir():
        return read_bag(target, wanted)
    if not target.exists() and set(target.name) & set("*?["):
        raise ParameterError(f"{target}: no file has such a name; correct the pattern, or the folder")
    ending = target.suffix.lower()
    if ending not in READERS:
        raise ParameterError(f"{target}: is no log: its name must end in {', '.join(READERS)}, or be a bag's folder")
    return READERS[ending](target, wanted)


def read_headings(path: str | Path) -> dict[str, Heading]:
    """What each column of a .csv, .parquet or .npz file is taken for, by its text; files of other kinds name channels
    themselves and have no columns."""
    target = Path(path)
    ending = target.suffix.lower()
    units: dict[str, str] = {}
    if READERS.get(ending) is read_csv:
        texts = read_header(target).headings
    elif ending == ".npz":
        texts = archive_columns(target)
    elif ending == ".parquet":
        units = _parquet_units(target)
        texts = list(units)
    else:
        return {}
    return {text: read_heading(text, units.get(text, "")) for text in texts}


# --- CSV


def read_csv(path: Path, wanted: Wanted) -> Log:
    """A log from a CSV file; lines `# kp = 800` above the header are notes."""
    header = read_header(path)
    columns = find_columns(str(path), header.headings, {}, wanted)
    chosen = [k for k, column in enumerate(columns) if column.heading.channel is not None]
    rows, lines = read_cells(path, header, chosen) if chosen else (np.zeros((0, 0)), np.zeros(0, dtype=int))
    table = dict.fromkeys(header.headings, np.zeros(0))
    for k, index in enumerate(chosen):
        table = table | {header.headings[index]: rows[:, k]}
        if columns[index].heading.channel == TIME:
            _check_time(path, header.headings[index], unwrap_counter(rows[:, k])[0], lines)
    if len(lines) == 1:
        raise ParameterError(f"{path}, line {lines[0]}: is its only row; a log needs two or more")
    meta = _notes(header.notes)
    between = meta.pop(BETWEEN, "held")
    # the first column gives the number of rows
    table = {name: table[name] for name in sorted(table, key=lambda name: len(table[name]), reverse=True)}
    return log_of_columns(str(path), table, {}, wanted, meta, header.changes, between)


def _check_time(path: Path, name: str, time: np.ndarray, lines: np.ndarray) -> None:
    for row in np.flatnonzero(np.isnan(time))[:1]:
        raise ParameterError(f"{path}, line {lines[row]}, {name}: is empty; every row needs its time")
    for row in np.flatnonzero(np.diff(time) <= 0)[:1]:
        after, before = time[row + 1], time[row]
        said = "is the same as" if after == before else "goes back from"
        raise ParameterError(
            f"{path}, line {lines[row + 1]}, {name} = {after:.9g}: {said} {before:.9g} in the row before; "
            "sort the rows, leave repeated ones out, or split the log there"
        )


def _notes(lines: Sequence[str]) -> dict[str, Any]:
    """The notes of lines such as `kp = 800`, a text with or without quotes; other lines are remarks."""
    found: dict[str, Any] = {}
    for line in lines:
        if len(line) > 1000 or "=" not in line:
            continue
        try:
            entries = tomllib.loads(line)
        except (tomllib.TOMLDecodeError, RecursionError, ValueError):
            bare = _BARE.fullmatch(line)
            entries = {bare[1]: bare[2]} if bare else {}
        found |= {name: value for name, value in entries.items() if isinstance(value, (str, int, float, bool))}
    return found


# --- parquet


def read_parquet(path: Path, wanted: Wanted) -> Log:
    """A log from a parquet file, such as the recording of a run: units are in the columns' metadata."""
    pyarrow = require_pyarrow("Reading parquet")
    try:
        with open_plain(path, LARGEST, what="a parquet file") as file, pyarrow.parquet.ParquetFile(file) as parquet:
            check_size(path, parquet.metadata.num_rows, parquet.metadata.num_columns)
            table = parquet.read()
    except (pyarrow.ArrowException, OSError, MemoryError) as error:
        raise ParameterError(f"{path}: is no parquet file that can be read ({first_line(error)})") from None
    units = {f.name: (f.metadata or {}).get(b"unit", b"").decode("utf-8", "replace") for f in table.schema}
    # dates and durations bring their own unit, and come as seconds
    units |= {f.name: "s" for f in table.schema if _ticks(f.type) is not None}
    columns = find_columns(str(path), table.column_names, units, wanted)
    content: dict[str, np.ndarray] = {}
    for column, values in zip(columns, table.columns, strict=True):
        read = column.heading.channel is not None
        if read and _ticks(values.type) is not None and column.heading.channel != TIME:
            raise ParameterError(f"{path}: the column {column.text!r} must be numbers, not {values.type}")
        content[column.text] = _numbers(path, column.text, values) if read else np.zeros(table.num_rows)
    meta, between = _parquet_meta(path, table.schema.metadata or {})
    return log_of_columns(str(path), content, units, wanted, meta, between=between)


def _parquet_units(path: Path) -> dict[str, str]:
    """Unit of each column; empty where the file says none."""
    pyarrow = require_pyarrow("Reading parquet")
    try:
        with open_plain(path, LARGEST, what="a parquet file") as file, pyarrow.parquet.ParquetFile(file) as parquet:
            return {
                f.name: (f.metadata or {}).get(b"unit", b"").decode("utf-8", "replace") for f in parquet.schema_arrow
            }
    except (pyarrow.ArrowException, OSError, MemoryError) as error:
        raise ParameterError(f"{path}: is no parquet file that can be read ({first_line(error)})") from None


def _numbers(path: Path, name: str, values: Any) -> np.ndarray:
    """A column as numbers, NaN where it is null; NaN itself is refused. Dates are seconds since the first."""
    null = np.array(values.is_null().to_numpy(), dtype=bool)
    ticks = _ticks(values.type)
    try:
        if ticks is not None:
            whole = np.array(values.cast("int64").fill_null(0).to_numpy())
            first = whole[~null][0] if not null.all() and "timestamp" in str(values.type) else 0
            return np.where(null, np.nan, (whole - first) * ticks)
        if "list" in str(values.type):
            # one value for each joint, in every row
            found = np.array(values.to_pylist(), dtype=float)
            null = null[:, None]
        else:
            found = np.array(values.to_numpy(), dtype=float)
    except (TypeError, ValueError):
        raise ParameterError(
            f"{path}: the column {name!r} must be numbers, or lists of one length, not {values.type}"
        ) from None
    for row in np.argwhere(~np.isfinite(found) & ~null)[:1, 0]:
        raise ParameterError(
            f"{path}, row {row}, {name} = {found[row]}: must be finite; write null where nothing was measured"
        )
    return found


def _ticks(kind: Any) -> float | None:
    """Seconds of one count of a date or a duration; None of other types."""
    found = re.match(r"(?:timestamp|duration)\[(s|ms|us|ns)", str(kind))
    return None if found is None else {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[found[1]]


def _parquet_meta(path: Path, metadata: Mapping[bytes, bytes]) -> tuple[dict[str, Any], Any]:
    try:
        meta = json.loads(metadata.get(META.encode(), b"{}"))
    except (ValueError, RecursionError):
        raise ParameterError(f"{path}: its metadata {META!r} is not JSON; save the log again") from None
    meta = meta if isinstance(meta, dict) else {}
    return meta, meta.pop(BETWEEN, "held")


def read_parts(path: Path, wanted: Wanted) -> Log:
    """A log from the parts of a run that was interrupted."""
    found = read_recording(path)
    return log_of_columns(str(path), found.columns, found.units, wanted)


READERS: dict[str, Callable[[Path, Wanted], Log]] = {
    ".csv": read_csv,
    ".tsv": read_csv,
    ".txt": read_csv,
    ".parquet": read_parquet,
    PART: read_parts,
    ".npz": read_archive,
    ".json": read_json,
    ".jsonl": read_json,
    ".mcap": read_mcap,
}
"""What reads a log, by the ending of its name."""
