"""The public motor-gearbox database, read: files of motors, of gearboxes and of which fit, in SI, `nan` for not stated.

A row that contradicts itself, or lacks what every task needs, is left out, with its reason. What a row does not say of
heat capacities and friction is estimated by the rules of the datasheets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..datasheet import Conventions, Datasheet, Electrical, Mechanical, ThermalFigures
from ..errors import BackemfError, ParameterError
from ..motor import Drag, Motor, Thermal, TwoNodeThermal
from ..progress import progress_bar
from .candidates import LeftOut, lacking
from .pair_folder import read_rows, write_pairs

APART = 1.5
"""Factor by which a row's no-load speed may be off what its voltage and its constant say [1]."""
ROOM = 25.0
"""Ambient temperature of makers' continuous currents [°C]."""
Row = dict[str, str]


@dataclass(frozen=True)
class Imported:
    """What an import has written."""

    folder: Path
    """The folder."""
    pairs: int
    """Pairs that it has [1]."""
    listed: int
    """Pairs that the database lists [1]."""
    left_out: list[LeftOut]
    """Rows that were left out, and why."""


def import_pairs(source: str | Path, folder: str | Path) -> Imported:
    """Read `*_motors.csv`, `*_gearboxes.csv` and `*_compatibility.csv` of a folder and write a catalogue of pairs."""
    place = Path(source)
    found = {kind: sorted(place.glob(f"*_{kind}.csv")) for kind in ("motors", "gearboxes", "compatibility")}
    for kind, files in found.items():
        if not files:
            raise ParameterError(f"{place}: has no *_{kind}.csv; a database has motors, gearboxes and compatibility")
    motor_rows = [row for file in found["motors"] for row in _records(file, ("key", "V", "k_t", "R", "inertia"))]
    gear_rows = [row for file in found["gearboxes"] for row in _records(file, ("key", "ratio", "efficiency"))]
    out: list[LeftOut] = []
    motors: dict[str, dict[str, float]] = {}
    with progress_bar("motors", len(motor_rows)) as done:
        for row in motor_rows:
            done(1)
            try:
                motors[row["key"]] = _motor(row)
            except BackemfError as error:
                out.append(LeftOut(row["key"], str(error)))
    gears: dict[str, dict[str, float]] = {}
    for row in gear_rows:
        try:
            gears[row["key"]] = _gear(row)
        except ParameterError as error:
            out.append(LeftOut(row["key"], str(error)))
    all_motors, all_gears = ([row["key"] for row in rows] for rows in (motor_rows, gear_rows))
    listed: list[tuple[str, str]] = []
    for file in found["compatibility"]:
        listed += _pairs(file, all_motors, all_gears)
    pairs = [(motor, gear) for motor, gear in listed if motor in motors and gear in gears]
    path = write_pairs(folder, ", ".join(f.name for files in found.values() for f in files), motors, gears, pairs, out)
    return Imported(path, len(pairs), len(listed), out)


def _records(file: Path, needed: Sequence[str]) -> list[Row]:
    """Rows of a file by the names of its columns."""
    rows = read_rows(file)
    names = [cell.strip() for cell in rows[0]] if rows else []
    missing = [name for name in needed if name not in names]
    if missing:
        raise ParameterError(f"{file}, line 1: has no column {' and '.join(missing)}; such files have a header")
    return [dict(zip(names, (cell.strip() for cell in row), strict=False)) for row in rows[1:]]


def _number(row: Row, name: str) -> float | None:
    """A cell; None where it is not stated."""
    text = row.get(name, "")
    try:
        value = float(text) if text else np.nan
    except ValueError:
        raise ParameterError(f"{name} = {text[:20]!r}: must be a number") from None
    return value if np.isfinite(value) else None


def _motor(row: Row) -> dict[str, float]:
    """A row as the constants of a motor; raises where it contradicts itself or lacks what every task needs."""
    get = {name: _number(row, name) for name in row if name not in ("key", "manufacturer", "ID", "type")}
    for name in ("V", "k_t", "R", "inertia"):
        if get.get(name) is None:
            raise ParameterError(f"lacks {name}")
    heat = {"winding_resistance": get.get("Rth1"), "housing_resistance": get.get("Rth2")}
    if get.get("Rth2") is None:
        # the one resistance is that of everything between winding and air
        heat = {"resistance": get.get("Rth1")}
    sheet = Datasheet(
        name=row["key"], maker=row.get("manufacturer", ""), source="motor-gearbox database",
        kind="brushed DC" if row.get("type") == "DC" else "brushless",
        conventions=Conventions(resistance="line-to-line", torque_constant="dc", figures_at="motor"),
        electrical=Electrical(
            nominal_voltage=get["V"], resistance=get["R"], inductance=get.get("L"), kt=get["k_t"], ke=get.get("k_e"),
            no_load_current=get.get("I_nl"), nominal_current=get.get("I_nom"),
        ),
        mechanical=Mechanical(
            no_load_speed=get.get("omega_nl"), inertia=get["inertia"], mass=get.get("mass"),
            max_speed=get.get("max_int_speed"),
        ),
        thermal=ThermalFigures(**heat),
    )  # fmt: skip
    for finding in sheet.check():
        far = finding.ratio is not None and not 1.0 / APART <= finding.ratio <= APART
        unexplained = finding.figure == "no_load_speed" and far and finding.cause != "electronics"
        if finding.severity == "error" or unexplained:
            raise ParameterError(f"contradicts itself: {finding.figure}{finding._numbers()}: {finding.explanation}")
    motor = sheet.motor(estimate=True)
    lack = lacking(motor)
    if lack:
        raise ParameterError(lack)
    return _columns(motor, get)


def _columns(motor: Motor, get: dict[str, float | None]) -> dict[str, float]:
    """The constants of a motor by the names of the columns."""
    found: dict[str, float | None] = {
        "winding.resistance": float(motor.winding.resistance),
        "winding.inductance": float(motor.winding.inductance or 0.0),
        "magnet.torque_constant": float(motor.magnet.torque_constant),
        "magnet.back_emf_constant": float(motor.magnet.back_emf_constant),
        "rotor.inertia": None if motor.rotor is None else float(motor.rotor.inertia),
        "friction.coulomb": get.get("coulomb_friction"),
        "drag.coefficient": get.get("viscous_friction"),
        "mass": get.get("mass"),
        "diameter": get.get("diameter"),
    }
    if found["friction.coulomb"] is None and motor.friction is not None:
        found["friction.coulomb"] = float(getattr(motor.friction, "coulomb", 0.0))
    if found["drag.coefficient"] is None and isinstance(motor.drag, Drag):
        found["drag.coefficient"] = float(motor.drag.coefficients[0])
    t = motor.thermal
    if isinstance(t, TwoNodeThermal):
        for name in ("winding_resistance", "winding_capacitance", "housing_resistance", "housing_capacitance"):
            found[f"thermal.{name}"] = float(getattr(t, name))
    elif isinstance(t, Thermal):
        found["thermal.winding_resistance"], found["thermal.winding_capacitance"] = (
            float(t.resistance),
            float(t.capacitance),
        )
    current = get.get("I_nom")
    if motor.ratings is not None:
        for name in ("voltage", "current", "speed", "winding_temperature"):
            value = getattr(motor.ratings, name)
            found[f"ratings.{name}"] = None if value is None else float(value)
    if get.get("max_int_torque") is not None:
        found["ratings.peak_current"] = get["max_int_torque"] / float(motor.magnet.torque_constant)  # pyright: ignore
    if found.get("ratings.winding_temperature") is None and t is not None and current is not None:
        found["ratings.winding_temperature"] = _implied_limit(motor, current)
    return {name: value for name, value in found.items() if value is not None}


def _implied_limit(motor: Motor, current: float) -> float:
    """The winding temperature at which the continuous current settles in a room [°C]: what its maker allows."""
    from ..analyze.heat import steady_temperature

    limit = float(steady_temperature(motor, current).winding)
    if not np.isfinite(limit):
        raise ParameterError(
            f"contradicts itself: the continuous current of {current:g} A heats the winding without end"
        )
    return limit


def _gear(row: Row) -> dict[str, float]:
    """A row as the constants of a gearbox."""
    ratio, efficiency = _number(row, "ratio"), _number(row, "efficiency")
    if ratio is None or ratio == 0.0:
        raise ParameterError("lacks ratio")
    if efficiency is None or not 0.0 < efficiency <= 1.0:
        raise ParameterError(f"efficiency = {row.get('efficiency', '')!r}: must be above 0 and at most 1")
    lasting, short = _number(row, "max_cont_torque"), _number(row, "max_int_torque")
    if lasting is not None and short is not None and short < lasting:
        raise ParameterError(
            f"contradicts itself: max_int_torque {short:g} N*m is below max_cont_torque {lasting:g} N*m"
        )
    found = {
        "ratio": ratio * (_number(row, "direction") or 1.0),
        "efficiency": efficiency,
        "inertia": _number(row, "inertia") or 0.0,
        "stages": _number(row, "stages"),
        "gear_torque": lasting,
        "gear_peak_torque": short,
        "mass": _number(row, "mass"),
        "diameter": _number(row, "diameter"),
    }
    return {name: value for name, value in found.items() if value is not None}


def _pairs(file: Path, motors: list[str], gears: list[str]) -> list[tuple[str, str]]:
    """Pairs of a file of compatibility; a key that ends in * stands for all that begin so."""
    known_motors, known_gears = set(motors), set(gears)
    found = []
    for cells in read_rows(file):
        motor, *fits = [cell.strip() for cell in cells if cell.strip()]
        if motor not in known_motors:
            raise ParameterError(f"{file}: there is no motor {motor!r} in the files of motors")
        for key in fits:
            names = [name for name in gears if name.startswith(key[:-1])] if key.endswith("*") else [key]
            if not key.endswith("*") and key not in known_gears:
                raise ParameterError(f"{file}: there is no gearbox {key!r} in the files of gearboxes")
            found += [(motor, name) for name in names]
    return found
