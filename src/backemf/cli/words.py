"""What people write behind options: quantities, loads, commands and file names."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from .. import commands, loads, units
from ..errors import MissingExtraError, ParameterError, UnitError
from ..run import INPUTS

Reader = Callable[[str, str], Any]
"""Makes a value of what stands behind a name; the first argument names the place for errors."""

LOADS = {
    "inertia": loads.Inertia,
    "pendulum": loads.Pendulum,
    "fan": loads.Fan,
    "torque": loads.ConstantTorque,
    "two-mass": loads.TwoMass,
    "locked": loads.LockedRotor,
}
SIGNALS = {
    "step": commands.Step,
    "sine": commands.Sine,
    "chirp": commands.Chirp,
    "trapezoid": commands.Trapezoid,
}
UNITS = {
    "inertia": "kg*m^2", "far_inertia": "kg*m^2", "mass": "kg", "arm_mass": "kg", "length": "m", "gravity": "m/s^2",
    "offset": "rad", "stiffness": "N*m/rad", "backlash": "rad", "far_torque": "N*m", "torque": "N*m",
    "coefficient": "N*m*s^2/rad^2", "damping": "N*m*s/rad", "time": "s",
    "frequency": "Hz", "phase": "rad", "duration": "s", "rise": "s", "hold": "s", "fall": "s", "voltage": "V",
    "resistance": "ohm", "modulation_limit": "1",
}  # fmt: skip
COMMANDS = {
    "voltage": ("V", "volts"), "position": ("deg", "an angle"), "velocity": ("rpm", "a speed"),
    "effort": ("Nm", "a torque"),
}  # fmt: skip
"""A unit and a word for each input of a controller."""
SWITCH = {"true": True, "yes": True, "false": False, "no": False}


def load_from(text: str, linear: bool = False) -> Any:
    """A load from words such as `inertia inertia=2kg*cm^2`; for a linear motor in newtons, metres and kilograms."""
    word, _, rest = text.strip().partition(" ")
    if word == "motion":
        table = commands.from_csv(rest.strip(), unit="m" if linear else "rad")
        return loads.PrescribedMotion(time=table.time, position=table.values)
    if linear and word == "pendulum":
        raise ParameterError(f"--load {text!r}: a linear motor swings no pendulum: say inertia, torque or another load")
    if word not in LOADS:
        raise ParameterError(f"--load {text!r}: must begin with one of {', '.join((*LOADS, 'motion'))}")
    sliding: dict[str, str | Reader] = {name: units.linear_unit(unit) for name, unit in UNITS.items()}
    return built("--load", LOADS[word], rest, sliding if linear else None)


def command_from(text: str, main: str = "voltage") -> Any:
    """A command for the main input of a controller."""
    unit, noun = COMMANDS[main]
    word, _, rest = text.strip().partition(" ")
    if text.strip().lower().endswith(".csv"):
        return commands.from_csv(text.strip(), unit=INPUTS[main])
    if word in SIGNALS:
        special: dict[str, str | Reader] = dict.fromkeys(("value", "before", "amplitude", "offset"), unit)
        special |= {"start": "s"} if word == "trapezoid" else {"start": "Hz", "end": "Hz"}
        return built("--command", SIGNALS[word], rest, special)
    if word[:1].isalpha():
        raise ParameterError(f"--command {text!r}: must be {noun}, a CSV file, or begin with {', '.join(SIGNALS)}")
    return quantity("--command", text, unit)


def quantity(what: str, text: str, unit: str) -> float:
    """The SI value of an option, whose name stands in the error."""
    try:
        value = units.parse(text, unit)
    except UnitError as error:
        raise UnitError(f"{what}: {error}") from None
    if unit in ("rad", "deg") and BARE.fullmatch(text):
        # an angle has no dimension, and yet 90 is not 90 deg
        raise UnitError(f'{what}: "{text}" has no unit: write it like "{units.example(unit)}"')
    return value


def above_zero(what: str, text: str, unit: str) -> float:
    """A quantity that must be positive."""
    value = quantity(what, text, unit)
    if value <= 0:
        raise ParameterError(f'{what}: "{text}" must be above 0')
    return value


BARE = re.compile(r"\s*[+-]?[\d.]+(?:[eE][+-]?\d+)?\s*")
"""A number without a unit."""


def between(what: str, text: str, unit: str) -> float | tuple[float, float]:
    """One value, or the two ends of a range such as `2ms..5ms`, where the first may leave its unit to the second."""
    low, dots, high = text.partition("..")
    if not dots:
        return quantity(what, text, unit)
    if BARE.fullmatch(low):
        low += BARE.sub("", high, count=1)
    return quantity(what, low.strip(), unit), quantity(what, high.strip(), unit)


def steps(what: str, text: str) -> Any:
    """A number of steps, or two of them as in `2..5`; whole numbers stay whole."""
    ends = [part.strip() for part in text.split("..", 1)]
    if not all(BARE.fullmatch(part) for part in ends):
        raise ParameterError(f"{what}: {text!r} must be a number of steps, or a range of them such as 2..5")
    read = [int(part) if part.isdigit() else quantity(what, part, "1") for part in ends]
    return read[0] if len(read) == 1 else tuple(read)


def counted(what: str, text: str) -> int:
    """A whole number."""
    if not text.isdigit():
        raise ParameterError(f"{what}: {text!r} must be a whole number")
    return int(text)


def choice(what: str, text: str) -> str:
    """A word; the part that gets it knows which words there are."""
    return text


def choices(what: str, text: str) -> tuple[str, ...]:
    """Words with commas between."""
    return tuple(name.strip() for name in text.split(","))


def built(option: str, kind: type, text: str, special: dict[str, str | Reader] | None = None) -> Any:
    """An object from words such as `mass=0.5kg length=0.1 m`; `special` holds units, or readers of other values."""
    known = {entry.name: entry for entry in fields(kind)}
    names = f"one of {', '.join(known)}" if known else "nothing"
    stray, *words = re.split(r"(?:^|\s+)([\w-]+)\s*=", text.strip())
    if stray:
        raise ParameterError(f"{option}, {stray!r}: must be name=value with {names}")
    values: dict[str, Any] = {}
    for name, value in zip(words[::2], words[1::2], strict=True):
        if name not in known:
            raise ParameterError(f"{option}, '{name}={value.strip()}': must be name=value with {names}")
        unit = (special or {}).get(name) or UNITS.get(name)
        if callable(unit):
            values[name] = unit(f"{option}, {name}", value.strip())
        elif unit is not None:
            values[name] = quantity(f"{option}, {name}", value.strip(), unit)
        elif value.strip().lower() in SWITCH:
            values[name] = SWITCH[value.strip().lower()]
        else:
            raise ParameterError(f"{option}, '{name}={value.strip()}': must be yes or no")
    missing = [name for name, entry in known.items() if name not in values and entry.default is MISSING]
    if missing:
        raise ParameterError(f"{option}: {kind.__name__} also needs {' and '.join(f'{name}=...' for name in missing)}")
    return kind(**values)


def require_ending(option: str, path: Path | None, endings: tuple[str, ...]) -> None:
    """Say at once that a file cannot be written, not after a long run."""
    if path is None:
        return
    if path.suffix not in endings:
        raise ParameterError(f"{option} {path}: the name must end in {' or '.join(endings)}")
    require_folder(option, path)
    if path.suffix == ".parquet":
        try:
            import pyarrow  # noqa: F401
        except ModuleNotFoundError:
            raise MissingExtraError("pyarrow", "files", f"{option} {path}") from None


def require_folder(option: str, path: Path) -> None:
    if not path.parent.is_dir():
        raise ParameterError(f"{option} {path}: there is no folder {path.parent}; make it first")
    if path.is_dir():
        raise ParameterError(f"{option} {path}: is a folder; give a file in it")
