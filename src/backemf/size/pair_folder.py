"""A catalogue of motors, gearboxes and which of them fit, in a folder of CSV files: thousands of pairs, read at once.

`catalogue.toml` says what the folder is, `motors.csv` and `gearboxes.csv` have a row each, `pairs.csv` a motor and a
gearbox in each row. Columns are in SI under the names that the parts have; an empty cell is not stated.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from ..checks import quote
from ..errors import ParameterError
from ..files import make_folder, open_plain, read_text, write_text
from ..motor import Coulomb, Drag, Gearbox, Magnet, Motor, Rotor, Stage, Thermal, TwoNodeThermal, Winding
from ..toml_text import parse_toml, toml_value
from .candidates import Batch, Candidates, LeftOut

INDEX = "catalogue.toml"
FORMAT = "backemf pairs 1"
LARGEST = 256_000_000
"""Largest file that is read [bytes]."""
MOTOR_COLUMNS = (
    "winding.resistance", "winding.inductance", "magnet.torque_constant", "magnet.back_emf_constant", "rotor.inertia",
    "friction.coulomb", "drag.coefficient", "thermal.winding_resistance", "thermal.winding_capacitance",
    "thermal.housing_resistance", "thermal.housing_capacitance", "ratings.voltage", "ratings.current",
    "ratings.peak_current", "ratings.winding_temperature", "ratings.speed", "mass", "diameter",
)  # fmt: skip
"""Numbers of a motor; one lump of heat has no housing."""
GEAR_COLUMNS = (
    "ratio", "efficiency", "inertia", "stages", "gear_torque", "gear_peak_torque", "gear_input_speed", "mass",
    "diameter",
)  # fmt: skip
"""Numbers of a gearbox."""
Table = dict[str, np.ndarray]
"""A column of numbers by its name; NaN: not stated."""


def write_pairs(
    folder: str | Path, source: str, motors: Mapping[str, Mapping[str, float]],
    gears: Mapping[str, Mapping[str, float]], pairs: Iterable[tuple[str, str]], left_out: Sequence[LeftOut],
) -> Path:  # fmt: skip
    """Write a catalogue of pairs to a folder; motors and gears are columns by key."""
    path = make_folder(folder)
    for name, rows, columns in (("motors.csv", motors, MOTOR_COLUMNS), ("gearboxes.csv", gears, GEAR_COLUMNS)):
        lines = [",".join(("key", *columns))]
        for key, row in rows.items():
            lines.append(",".join((key, *(_cell(row.get(column, np.nan)) for column in columns))))
        write_text(path / name, "\n".join(lines) + "\n")
    write_text(path / "pairs.csv", "motor,gearbox\n" + "".join(f"{motor},{gear}\n" for motor, gear in pairs))
    out = [f"[left_out]\n{''.join(f'{toml_value(e.name)} = {toml_value(e.reason)}{chr(10)}' for e in left_out)}"]
    write_text(path / INDEX, f'format = "{FORMAT}"\nsource = {toml_value(source)}\n\n{out[0]}')
    return path


def _cell(value: float) -> str:
    return "" if not np.isfinite(value) else repr(float(value))


def read_pairs(folder: Path) -> Candidates:
    """The pairs of a folder."""
    text = read_text(folder / INDEX, what="a catalogue of pairs")
    content = parse_toml(text, str(folder / INDEX), ParameterError, "a catalogue")
    if content.get("format") != FORMAT:
        raise ParameterError(f'{folder / INDEX}: format = {quote(content.get("format"))}: must be "{FORMAT}"')
    said = content.get("left_out", {})
    out = [LeftOut(str(name), str(why)) for name, why in said.items()] if isinstance(said, dict) else []
    motor_keys, motors = _read_table(folder / "motors.csv", MOTOR_COLUMNS)
    gear_keys, gears = _read_table(folder / "gearboxes.csv", GEAR_COLUMNS)
    a, b = _read_keys(folder / "pairs.csv", motor_keys, gear_keys)
    batches = []
    # motors of one structure together: which numbers each has
    kinds = np.stack([np.isfinite(motors[c]) for c in (
        "friction.coulomb", "drag.coefficient", "thermal.winding_resistance", "thermal.housing_resistance",
    )])  # fmt: skip
    codes = (kinds.T @ np.array([1, 2, 4, 8]))[a]
    for code in np.unique(codes):
        rows = np.flatnonzero(codes == code)
        for geared in (True, False):
            some = rows[(b[rows] >= 0) == geared]
            if len(some):
                batches.append(_batch(motors, gears, motor_keys, gear_keys, a[some], b[some]))
    return Candidates(tuple(batches), tuple(out), str(content.get("source", folder)))


def _batch(
    motors: Table, gears: Table, motor_keys: list[str], gear_keys: list[str], a: np.ndarray, b: np.ndarray
) -> Batch:
    """Pairs of motors of one structure."""
    m = {name: np.ascontiguousarray(column[a]) for name, column in motors.items()}
    g = {name: column[b] for name, column in gears.items()}
    geared = bool(b[0] >= 0)

    def has(name: str) -> bool:
        return bool(np.isfinite(m[name][0]))

    thermal = None
    if has("thermal.housing_resistance"):
        thermal = TwoNodeThermal(**{name: m[f"thermal.{name}"] for name in (
            "winding_resistance", "winding_capacitance", "housing_resistance", "housing_capacitance",
        )})  # fmt: skip
    elif has("thermal.winding_resistance"):
        thermal = Thermal(resistance=m["thermal.winding_resistance"], capacitance=m["thermal.winding_capacitance"])
    gearbox = None
    if geared:
        stage = Stage(ratio=g["ratio"], efficiency=g["efficiency"], inertia=g["inertia"])
        gearbox = Gearbox(stages=(stage,))
    motor = Motor(
        winding=Winding(resistance=m["winding.resistance"], inductance=np.nan_to_num(m["winding.inductance"])),
        magnet=Magnet(
            torque_constant=m["magnet.torque_constant"], back_emf_constant=m["magnet.back_emf_constant"]
        ),
        rotor=Rotor(inertia=m["rotor.inertia"]),
        thermal=thermal,
        friction=Coulomb(coulomb=m["friction.coulomb"]) if has("friction.coulomb") else None,
        drag=Drag(coefficients=(m["drag.coefficient"],)) if has("drag.coefficient") else None,
        gearbox=gearbox,
    )  # fmt: skip
    rated = {
        name: m[f"ratings.{name}"] for name in ("voltage", "current", "peak_current", "winding_temperature", "speed")
    }
    for name in ("gear_input_speed", "gear_torque", "gear_peak_torque"):
        rated[name] = g[name] if geared else np.full(len(a), np.nan)
    mass = m["mass"] + (g["mass"] if geared else 0.0)
    diameter = np.fmax(m["diameter"], g["diameter"]) if geared else m["diameter"]
    return Batch(motor, mass, diameter, rated, motor_keys, gear_keys, a, b)


def _read_table(path: Path, columns: Sequence[str]) -> tuple[list[str], Table]:
    """Keys and columns of a file."""
    rows = read_rows(path)
    if not rows or rows[0] != ["key", *columns]:
        raise ParameterError(f"{path}, line 1: must be key,{','.join(columns)}; import the catalogue again")
    try:
        numbers = np.array([[float(cell) if cell else np.nan for cell in row[1:]] for row in rows[1:]])
    except ValueError as error:
        raise ParameterError(f"{path}: {error}; a cell must be a number or empty") from None
    return [row[0] for row in rows[1:]], dict(zip(columns, numbers.reshape(-1, len(columns)).T, strict=True))


def _read_keys(path: Path, motors: list[str], gears: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Places of the motor and of the gearbox of each pair; -1: none."""
    first, second = ({key: k for k, key in enumerate(keys)} for keys in (motors, gears))
    second[""] = -1
    rows = read_rows(path)[1:]
    try:
        return np.array([first[row[0]] for row in rows], dtype=int), np.array(
            [second[row[1]] for row in rows], dtype=int
        )
    except (KeyError, IndexError) as error:
        raise ParameterError(f"{path}: the key {error} is in neither motors.csv nor gearboxes.csv") from None


def read_rows(path: Path) -> list[list[str]]:
    """The rows of a CSV file as texts."""
    try:
        with open_plain(path, LARGEST, what="a CSV file") as file:
            return [row for row in csv.reader(io.TextIOWrapper(file, encoding="utf-8-sig")) if row]
    except (UnicodeDecodeError, csv.Error) as error:
        raise ParameterError(f"{path}: cannot be read as CSV text ({error})") from None
