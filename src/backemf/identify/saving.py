"""Logs to files: CSV and parquet that read back as the same log."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from ..errors import ParameterError
from ..files import replacing
from ..recording_writing import write_parquet
from .channels import CHANNELS, TIME
from .log import Log

META = "log"
"""Name of the notes in a parquet file's metadata."""
BETWEEN = "command_between"
"""Name of the note that says what the command was between its samples."""


def save_log(log: Log, path: str | Path) -> Path:
    """Write a log to a .csv or .parquet file, atomically."""
    target = Path(path)
    if target.suffix.lower() not in (".csv", ".parquet"):
        raise ParameterError(f"{target}: a log is written as .csv or .parquet; give it one of these endings")
    for name in (*log.joints, *log.meta):
        if any(mark in name for mark in '[],;\n\r#"'):
            raise ParameterError(f"{target}: the name {name!r} cannot stand in a header; leave out brackets and commas")
    columns, units = log_columns(log)
    meta = dict(log.meta) | ({BETWEEN: log.command_between} if log.command_between != "held" else {})
    if target.suffix.lower() == ".parquet":
        return write_parquet(target, columns, units, {META: json.dumps(meta, ensure_ascii=False)}, nulls=True)
    # an empty line in front of the header would end the notes
    lines = [f"# {_key(name)} = {json.dumps(value, ensure_ascii=False)}" for name, value in meta.items()]
    lines.append(",".join(f"{name} [{units[name]}]" for name in columns))
    cells = [["" if np.isnan(x) else repr(x) for x in values.tolist()] for values in columns.values()]
    lines += map(",".join, zip(*cells, strict=True))
    with replacing(target) as file:
        file.write(("\n".join(lines) + "\n").encode("utf-8"))
    return target


def log_columns(log: Log) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Columns by name over all times, NaN where a channel was not measured, and their units."""
    time = log.time
    columns, units = {TIME: time}, {TIME: "s"}
    for name, channel in log.channels.items():
        values = channel.values
        if len(channel.time) != len(time):
            full = np.full((len(time), *values.shape[1:]), np.nan)
            full[np.searchsorted(time, channel.time)] = values
            values = full
        shared = values.ndim == 1
        for column, text in (
            [(values, name)] if shared else zip(values.T, (f"{name}[{j}]" for j in log.joints), strict=True)
        ):
            columns[text], units[text] = np.ascontiguousarray(column), CHANNELS[name].unit
    return columns, units


def _key(name: str) -> str:
    return name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else json.dumps(name)
