"""Logs to train on: columns from a dict, a file or a run, checked and cut into stretches of even time steps.

A row is what the controller sees at its time (target, position, velocity) and the torque that follows.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..errors import ParameterError
from ..files import open_plain
from ..recording import check_size, first_line, read_recording
from ..recording_writing import PART, require_pyarrow
from ..run import Run
from ..values import Foreign

COLUMNS = ("time", "position", "velocity", "torque")
TARGETS = ("position_target", "command")
LARGEST = 4_000_000_000
"""Largest log that is read [bytes]."""
JITTER = 0.1
"""Largest deviation of a time step from the median, as a fraction of it [1]."""


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


def read_log(log: Foreign) -> tuple[list[Stretch], float]:
    """The stretches of a log and its time step [s]; raises a `ParameterError` where it cannot be used."""
    label = str(log) if isinstance(log, (str, Path)) else "log"
    columns, episode = columns_of(log, label)
    time = columns["time"][:, 0]
    names = np.zeros(len(time), dtype=int) if episode is None else episode
    stretches: list[Stretch] = []
    steps: dict[object, float] = {}
    for name in dict.fromkeys(names.tolist()):
        rows = np.flatnonzero(names == name)
        steps[name] = time_step(time[rows], rows, label)
        error = columns["target"][rows] - columns["position"][rows]
        series = (error.T, columns["velocity"][rows].T, columns["torque"][rows].T)
        stretches += [Stretch(*joint) for joint in zip(*series, strict=True)]
    dt = float(np.median(list(steps.values())))
    for name, step in steps.items():
        if abs(step - dt) > JITTER * dt:
            raise ParameterError(
                f"{label}: episode {name!r} has steps of {step:g} s and others have {dt:g} s; train on logs of one step"
            )
    return stretches, dt


# --- where the columns come from


def columns_of(log: Foreign, label: str) -> tuple[dict[str, np.ndarray], np.ndarray | None]:
    """Columns by name, each (rows, joints), and the episode of each row where the log has one."""
    if isinstance(log, Run):
        return run_columns(log), None
    if isinstance(log, (str, Path)):
        table = read_table(Path(log))
    elif hasattr(log, "keys") and hasattr(log, "__getitem__"):
        table = {str(name): log[name] for name in log.keys()}  # noqa: SIM118  data frames iterate rows
    else:
        raise ParameterError(f"log = {type(log).__name__}: must be a dict of arrays, a CSV or parquet path, or a Run")
    table = merge_joints(table)
    names = find_columns(table, COLUMNS, "position_target", f"{label} has no column")
    found = {name: numbers_of(table[column], column, label) for name, column in names.items()}
    episode = np.asarray(table["episode"]) if "episode" in table else None
    return same_shape(found, episode, label), episode


def find_columns(table: Collection[str], columns: tuple[str, ...], target: str, problem: str) -> dict[str, str]:
    """The name that each column has in a table; raises a `ParameterError` where one is missing."""
    names = {name: name for name in columns} | {"target": next((n for n in TARGETS if n in table), target)}
    for name in names.values():
        if name not in table:
            raise ParameterError(f"{problem} {name!r}; it has {', '.join(table) or 'none'}")
    return names


def run_columns(run: Run) -> dict[str, np.ndarray]:
    """The columns of a run; its positions belong to the end of a step, so each step sees those of the one before."""
    if len(run.time) > 1 and abs(run.time[1] - run.time[0] - run.dt) > 1e-6 * run.dt:
        raise ParameterError("log: a run to train on needs every step: simulate with every=1")
    names = find_columns(run.channels, COLUMNS[1:], "command", "log: the run has no channel")
    columns = {name: numbers_of(run[channel], channel, "log") for name, channel in {"time": "time", **names}.items()}
    # torque and target belong to the step, the others to its end
    shifted = {name: column[1:] if name in ("torque", "target") else column[:-1] for name, column in columns.items()}
    return same_shape(shifted, None, "log")


def read_table(path: Path) -> dict[str, Foreign]:
    """The columns of a CSV or parquet file; a unit behind a name, as in `torque [N*m]`, is dropped."""
    if path.suffix == PART or (not path.exists() and path.with_name(path.name + PART).exists()):
        return dict(read_recording(path).columns)
    pyarrow = require_pyarrow("Reading logs")
    try:
        with open_plain(path, LARGEST, what="a log in CSV or parquet") as file:
            if path.suffix.lower() in (".parquet", ".pq"):
                with pyarrow.parquet.ParquetFile(file) as parquet:
                    check_size(path, parquet.metadata.num_rows, parquet.metadata.num_columns)
                    table = parquet.read()
            else:
                table = pyarrow.csv.read_csv(file)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, pyarrow.ArrowNotImplementedError, MemoryError) as error:
        raise ParameterError(f"{path}: cannot be read as a table ({first_line(error)})") from None
    return {
        re.sub(r"\s+\[.*\]$", "", name).strip(): column.to_numpy()
        for name, column in zip(table.column_names, table.columns, strict=True)
    }


def merge_joints(table: dict[str, Foreign]) -> dict[str, Foreign]:
    """The table with columns such as torque[0], torque[1] side by side under one name."""
    merged: dict[str, Foreign] = {}
    joints: dict[str, list[np.ndarray]] = {}
    for name, values in table.items():
        found = re.fullmatch(r"(\w+)\[[\d,;]+\]", name)
        if found:
            joints.setdefault(found[1], []).append(np.asarray(values))
        else:
            merged[name] = values
    return merged | {name: np.stack(columns, axis=1) for name, columns in joints.items()}


# --- what is checked


def numbers_of(values: Foreign, name: str, label: str) -> np.ndarray:
    """A column as finite floats, (rows, joints)."""
    try:
        column = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise ParameterError(f"{label}[{name!r}] {first_text(values)}: must be numbers") from None
    if column.ndim == 0:
        raise ParameterError(f"{label}[{name!r}] = {values!r}: must be an array with one value per row")
    column = column.reshape(len(column), -1)
    for row, joint in np.argwhere(~np.isfinite(column))[:1]:
        place = f"row {row}" if column.shape[1] == 1 else f"row {row}, joint {joint}"
        raise ParameterError(
            f"{label}[{name!r}] {place} = {column[row, joint]}: must be a finite number; leave the row out"
        )
    return column


def first_text(values: Foreign) -> str:
    """The first value of a column that is not a number, with its row."""
    for row, value in enumerate(np.asarray(values, dtype=object).reshape(-1)):
        try:
            float(value)
        except (TypeError, ValueError):
            return f"row {row} = {value!r}"
    return "has rows of different lengths"


def same_shape(columns: dict[str, np.ndarray], episode: np.ndarray | None, label: str) -> dict[str, np.ndarray]:
    """The columns, all with the same number of rows and joints."""
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


def time_step(time: np.ndarray, rows: np.ndarray, label: str) -> float:
    """The step of an episode [s]; raises a `ParameterError` if time does not rise in even steps."""
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
