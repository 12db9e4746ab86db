"""Logs of servo test rigs in JSON: entries of registers, as the bam project records them, or lists by name."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from ..actuator.firmware import DYNAMIXEL
from ..errors import ParameterError
from ..files import read_text
from ..values import Foreign
from .assembly import Wanted, log_of_columns
from .log import Log

LARGEST = 256_000_000
"""Largest file that is read [bytes]."""
LOAD = "load"
"""Register of the duty, a 16-bit word."""
WORD, SIGN = 65536, 32767
"""Values of a 16-bit word, and the largest that is positive [1]."""


def read_json(path: Path, wanted: Wanted) -> Log:
    """A log from JSON: rows in `entries`, in a list or in lines, or one list per column; single values are notes."""
    text = read_text(path, LARGEST, what="a log in JSON")
    try:
        content = _lines(text, path) if path.suffix.lower() == ".jsonl" else _parse(text, path)
    except ParameterError:
        raise
    except (ValueError, RecursionError) as error:
        raise ParameterError(f"{path}: is not JSON that can be read ({str(error)[:100]})") from None
    if isinstance(content, list) and all(isinstance(row, dict) for row in content):
        content = {"entries": content}
    if not isinstance(content, dict):
        raise ParameterError(
            f"{path}: holds a {type(content).__name__}; a log is an object with entries, or with lists"
        )
    table = _rows(path, content["entries"]) if "entries" in content else _lists(path, content)
    meta = {name: value for name, value in content.items() if isinstance(value, (str, int, float, bool))}
    notes: list[str] = []
    units: dict[str, str] = {}
    if LOAD in table and LOAD not in wanted.channels.values():
        table = _read_duty(table, str(meta.get("motor", "")), notes)
    return log_of_columns(str(path), table, units, wanted, meta, notes)


def _parse(text: str, path: Path) -> Foreign:
    return json.loads(text, parse_constant=lambda word: _refuse(path, word))


def _lines(text: str, path: Path) -> list[Foreign]:
    """Rows that stand in lines of their own."""
    return [_parse(line, path) for line in text.splitlines() if line.strip()]


def _refuse(path: Path, word: str) -> Foreign:
    raise ParameterError(f"{path}: holds {word}, which is not finite; leave the row out")


def _rows(path: Path, entries: Foreign) -> dict[str, np.ndarray]:
    """Columns of a list of rows, all with the same names."""
    if not isinstance(entries, list) or not entries or not all(isinstance(row, dict) for row in entries):
        raise ParameterError(f"{path}: entries must be a list of rows, two or more")
    if len(entries) == 1:
        raise ParameterError(f"{path}: entries has one row; a log needs two or more")
    names = list(entries[0])
    for index, row in enumerate(entries):
        for name in names:
            if name not in row:
                raise ParameterError(f"{path}, entries[{index}]: has no {name!r}, which others have; complete the row")
    return {name: _numbers(path, name, [row[name] for row in entries]) for name in names}


def _lists(path: Path, content: dict[str, Foreign]) -> dict[str, np.ndarray]:
    """Columns of lists by name."""
    found = {name: _numbers(path, name, values) for name, values in content.items() if isinstance(values, list)}
    lengths = {name: len(values) for name, values in found.items()}
    if not found or len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name} {n}" for name, n in lengths.items()) or "none"
        raise ParameterError(f"{path}: needs entries, or lists of one length; there are {shown}")
    return found


def _numbers(path: Path, name: str, values: list[Foreign]) -> np.ndarray:
    for index, value in enumerate(values):
        if not isinstance(value, (int, float)):
            raise ParameterError(f"{path}, row {index}, {name} = {str(value)[:40]!r}: must be a number")
    return np.array(values, dtype=float)


def unwrap_words(words: np.ndarray) -> tuple[np.ndarray, int]:
    """Signed numbers from unsigned 16-bit words, and how many of them were negative."""
    negative = words > SIGN
    return np.where(negative, words - WORD, words), int(negative.sum())


def _read_duty(table: dict[str, np.ndarray], motor: str, notes: list[str]) -> dict[str, np.ndarray]:
    """The table with the duty in place of its register, where the servo's full duty is public."""
    words, negative = unwrap_words(table[LOAD])
    full = _full_duty(motor)
    if full is None or not words.any():
        why = (
            "it is 0 in every row"
            if not words.any()
            else f"the duty of a register of {motor or 'this servo'} is not public"
        )
        notes.append(f"load is not read: {why}")
        return table
    if negative:
        notes.append(f"load: {negative} of {len(words)} words above {SIGN} are negative 16-bit numbers, unwrapped")
    notes.append(f"duty is load / {full}")
    return {
        ("duty" if name == LOAD else name): (words / full if name == LOAD else column) for name, column in table.items()
    }


def _full_duty(motor: str) -> int | None:
    """Register value of full duty, where all models of this name share one."""
    name = motor.lower().removeprefix("dynamixel").strip("- _")
    found = {it.full_pwm for model, it in DYNAMIXEL.items() if name and model.startswith(name)}
    return found.pop() if len(found) == 1 else None
