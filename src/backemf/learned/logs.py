"""Logs to train on: columns from a dict, a file or a run, looked over and cut into stretches of even time steps.

A row is what the controller sees at its time (target, position, velocity) and the torque that follows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..errors import ParameterError
from ..files import opened
from ..recording import check_size, first_line, read_recording
from ..recording_writing import PART, require_pyarrow
from ..run import Run

COLUMNS = ("time", "position", "velocity", "torque")
TARGETS = ("position_target", "command")
LARGEST = 4_000_000_000
"""Largest log that is read [bytes]."""
JITTER = 0.1
"""How far a time step may be off the usual one, as a share of it [1]."""


@dataclass(frozen=True)
class Stretch:
    """Rows of one joint without a gap."""

    error: np.ndarray
    """Position target less position [rad]."""
    velocity: np.ndarray
    """Joint velocity [rad/s]."""
    torque: np.ndarray
    """Joint torque [N·m]."""

    def __len__(self) -> int:
        return len(self.error)

    def part(self, first: int, last: int) -> Stretch:
        """Some of the rows."""
        return Stretch(self.error[first:last], self.velocity[first:last], self.torque[first:last])


def read_log(log: Any) -> tuple[list[Stretch], float]:
    """The stretches of a log and its time step [s]; raises one sentence where it cannot be used."""
    columns, episode = columns_of(log)
    label = str(log) if isinstance(log, (str, Path)) else "log"
    check_numbers(columns, label)
    time = columns["time"][:, 0]
    names = np.zeros(len(time), dtype=int) if episode is None else episode
    stretches, steps = [], []
    for name in dict.fromkeys(names.tolist()):
        rows = np.flatnonzero(names == name)
        steps.append(time_step(time[rows], rows, label))
        for joint in range(columns["torque"].shape[1]):
            error = columns["target"][rows, joint] - columns["position"][rows, joint]
            stretches.append(Stretch(error, columns["velocity"][rows, joint], columns["torque"][rows, joint]))
    dt = float(np.median(steps))
    for name, step in zip(dict.fromkeys(names.tolist()), steps, strict=True):
        if abs(step - dt) > JITTER * dt:
            raise ParameterError(
                f"{label}: episode {name!r} has steps of {step:g} s and others have {dt:g} s; train on logs of one step"
            )
    return stretches, dt


# --- where the columns come from


def columns_of(log: Any) -> tuple[dict[str, np.ndarray], np.ndarray | None]:
    """Columns by name, each (rows, joints), and the episode of each row where the log says so."""
    if isinstance(log, Run):
        return run_columns(log), None
    if isinstance(log, (str, Path)):
        table, label = read_table(Path(log)), str(log)
    elif hasattr(log, "keys") and hasattr(log, "__getitem__"):
        table, label = {str(name): log[name] for name in log.keys()}, "log"  # noqa: SIM118  data frames iterate rows
    else:
        raise ParameterError(f"log = {type(log).__name__}: must be a dict of arrays, a CSV or parquet path, or a Run")
    table = gathered(table)
    target = next((name for name in TARGETS if name in table), None)
    missing = [name for name in COLUMNS if name not in table] + ([] if target else [TARGETS[0]])
    if missing:
        raise ParameterError(f"{label} has no column {missing[0]!r}; it has {', '.join(table) or 'none'}")
    found = {name: numbers_of(table[name], name, label) for name in COLUMNS} | {
        "target": numbers_of(table[str(target)], str(target), label)
    }
    episode = np.asarray(table["episode"]) if "episode" in table else None
    return same_shape(found, episode, label), episode


def run_columns(run: Any) -> dict[str, np.ndarray]:
    """The columns of a run; its positions belong to the end of a step, so each step sees those of the one before."""
    if len(run.time) > 1 and abs(run.time[1] - run.time[0] - run.dt) > 1e-6 * run.dt:
        raise ParameterError("log: a run to train on needs every step: simulate with every=1")
    target = next((name for name in TARGETS if name in run.channels), None)
    missing = [name for name in COLUMNS[1:] if name not in run.channels] + ([] if target else ["command"])
    if missing:
        raise ParameterError(f"log: the run has no channel {missing[0]!r}; it has {', '.join(run.channels)}")
    rows = len(run.time)

    def flat(name: str) -> np.ndarray:
        return np.asarray(run[name], dtype=float).reshape(rows, -1)

    return {
        "time": flat("time")[:-1],
        "position": flat("position")[:-1],
        "velocity": flat("velocity")[:-1],
        "torque": flat("torque")[1:],
        "target": flat(str(target))[1:],
    }


def read_table(path: Path) -> dict[str, Any]:
    """The columns of a CSV or parquet file; a unit behind a name, as in `torque [N*m]`, is dropped."""
    if path.suffix == PART or (not path.exists() and path.with_name(path.name + PART).exists()):
        return dict(read_recording(path).columns)
    pyarrow = require_pyarrow("Reading logs")
    try:
        with opened(path, LARGEST, what="a log in CSV or parquet") as file:
            table = _arrow_table(pyarrow, path, file)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, pyarrow.ArrowNotImplementedError, MemoryError) as error:
        raise ParameterError(f"{path}: cannot be read as a table ({first_line(error)})") from None
    return {
        re.sub(r"\s+\[.*\]$", "", name).strip(): column.to_numpy()
        for name, column in zip(table.column_names, table.columns, strict=True)
    }


def _arrow_table(pyarrow: Any, path: Path, file: BinaryIO) -> Any:
    if path.suffix.lower() not in (".parquet", ".pq"):
        return pyarrow.csv.read_csv(file)
    with pyarrow.parquet.ParquetFile(file) as parquet:
        check_size(path, parquet.metadata.num_rows, parquet.metadata.num_columns)
        return parquet.read()


def gathered(table: dict[str, Any]) -> dict[str, Any]:
    """The table with columns such as torque[0], torque[1] side by side under one name."""
    merged: dict[str, Any] = {}
    for name, values in table.items():
        found = re.fullmatch(r"(\w+)\[[\d,;]+\]", name)
        if found:
            merged.setdefault(found[1], []).append(values)
        else:
            merged[name] = values
    return {
        name: np.stack([np.asarray(v) for v in values], axis=1)
        if isinstance(values, list) and f"{name}[0]" in table
        else values
        for name, values in merged.items()
    }


# --- what is checked


def numbers_of(values: Any, name: str, label: str) -> np.ndarray:
    """A column as floats, (rows, joints)."""
    try:
        column = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise ParameterError(f"{label}[{name!r}] {first_text(values)}: must be numbers") from None
    if column.ndim == 0:
        raise ParameterError(f"{label}[{name!r}] = {values!r}: must be an array with one value per row")
    return column.reshape(len(column), -1)


def first_text(values: Any) -> str:
    """The first value of a column that is no number, with its row."""
    for row, value in enumerate(np.asarray(values, dtype=object).reshape(-1)):
        try:
            float(value)
        except (TypeError, ValueError):
            return f"row {row} = {value!r}"
    return "has rows of different lengths"


def same_shape(columns: dict[str, np.ndarray], episode: np.ndarray | None, label: str) -> dict[str, np.ndarray]:
    """The columns with as many rows and joints each."""
    lengths = {name: len(column) for name, column in columns.items()}
    if episode is not None:
        lengths["episode"] = len(episode)
    if len(set(lengths.values())) > 1:
        raise ParameterError(
            f"{label}: its columns have different lengths: {', '.join(f'{name} {n}' for name, n in lengths.items())}"
        )
    joints = max(column.shape[1] for column in columns.values())
    for name, column in columns.items():
        if column.shape[1] not in (1, joints):
            raise ParameterError(f"{label}[{name!r}] has {column.shape[1]} joints and others have {joints}")
    return {name: np.broadcast_to(column, (len(column), joints)) for name, column in columns.items()}


def check_numbers(columns: dict[str, np.ndarray], label: str) -> None:
    """Raise one sentence at the first value that is no finite number."""
    for name, column in columns.items():
        bad = np.argwhere(~np.isfinite(column))
        if len(bad):
            row, joint = (int(i) for i in bad[0])
            place = f"row {row}" if column.shape[1] == 1 else f"row {row}, joint {joint}"
            shown = "position_target" if name == "target" else name
            raise ParameterError(
                f"{label}[{shown!r}] {place} = {column[row, joint]}: must be a finite number; leave the row out"
            )


def time_step(time: np.ndarray, rows: np.ndarray, label: str) -> float:
    """The step of an episode [s]; raises one sentence if time does not rise in even steps."""
    if len(time) < 2:
        raise ParameterError(
            f"{label}: the episode at row {int(rows[0])} has a single row; give it more or leave it out"
        )
    steps = np.diff(time)
    if (steps <= 0).any():
        bad = int(np.flatnonzero(steps <= 0)[0]) + 1
        raise ParameterError(
            f"{label}['time'] row {int(rows[bad])} = {time[bad]:g} s does not rise (before it: {time[bad - 1]:g} s); "
            "sort the rows, or give episodes a column 'episode'"
        )
    usual = float(np.median(steps))
    off = np.abs(steps - usual) > JITTER * usual
    if off.any():
        bad = int(np.flatnonzero(off)[0])
        raise ParameterError(
            f"{label}['time'] row {int(rows[bad + 1])}: a step of {steps[bad]:g} s among steps of {usual:g} s; "
            "resample evenly, or give the parts a column 'episode'"
        )
    return usual
