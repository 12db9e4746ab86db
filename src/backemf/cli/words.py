"""Texts of options: quantities, loads, commands and file names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any, TypeVar

from .. import commands, loads, units
from ..commands import Signal
from ..errors import MissingExtraError, ParameterError, UnitError
from ..loads import Load
from ..parts import FAMILIES, declaration_of, units_of
from ..run import INPUTS
from ..tree import role

P = TypeVar("P")

TYPED = {"rad": "deg", "rad/s": "rpm", "N·m": "Nm"}
"""Units that people type in place of those inside."""
COMMANDS = {
    "voltage": ("V", "volts"), "position": ("deg", "an angle"), "velocity": ("rpm", "a speed"),
    "effort": ("Nm", "a torque"),
}  # fmt: skip
"""A unit and a word for each input of a controller."""
NAMED = re.compile(r"(?:^|\s+)([\w-]+)\s*=")
"""What stands before a value: its name, as in `mass=`."""
SWITCH = {"true": True, "yes": True, "false": False, "no": False}


def kinds(family: str) -> dict[str, type]:
    """Parts of a family that a line of words can describe, by the word each is chosen with."""
    found = {kind.called: kind for kind in FAMILIES[family].values()}
    return {word: kind for word, kind in found.items() if all(_in_words(entry) for entry in fields(kind))}


def _in_words(entry: Field) -> bool:
    """Whether a field can be written as one word, or left out."""
    return role(entry) not in ("table", "part", "parts") or entry.default is not MISSING


def choose(option: str, text: str, known: Mapping[str, type], *more: str) -> tuple[type, str]:
    """The part that the first word of a text names, and the rest of the text."""
    word, _, rest = text.strip().partition(" ")
    if word not in known:
        raise ParameterError(f"{option} {text!r}: must begin with one of {', '.join((*known, *more))}")
    return known[word], rest


def split_words(text: str) -> tuple[str, dict[str, str]]:
    """The first word of a text such as `pendulum mass=0.5kg`, and the values behind it, by name."""
    word, _, rest = text.strip().partition(" ")
    _, *parts = NAMED.split(rest)
    return word, {name: value.strip() for name, value in zip(parts[::2], parts[1::2], strict=True)}


def join_words(word: str, values: Mapping[str, str]) -> str:
    """The text that `split_words` takes apart; what is empty is left out."""
    return " ".join([word, *(f"{name}={value}" for name, value in values.items() if value)])


def typed_unit(entry: Field, main: str = "1") -> str:
    """The unit in which people type a field of a part; `main` is that of fields without one."""
    declaration = declaration_of(entry)
    unit = (declaration and declaration.unit) or main
    return TYPED.get(unit, unit)


def typed_example(entry: Field, main: str = "1") -> str:
    """How a number of a field is typed, such as `10 cm`."""
    unit = typed_unit(entry, main)
    try:
        return "2" if unit == "steps" else units.example(unit)
    except UnitError:
        return "1"


def load_from(text: str, linear: bool = False) -> Load:
    """A load from words such as `inertia inertia=2kg*cm^2`; for a linear motor in newtons, metres and kilograms."""
    word, _, rest = text.strip().partition(" ")
    if word == "motion":
        table = commands.from_csv(rest.strip(), unit="m" if linear else "rad")
        return loads.PrescribedMotion(time=table.time, position=table.values)
    if linear and word == "pendulum":
        raise ParameterError(
            f"--load {text!r}: a linear motor cannot swing a pendulum: give another load, such as inertia"
        )
    kind, rest = choose("--load", text, kinds("load"), "motion")
    special = {name: units.linear_unit(unit) for name, unit in units_of(kind).items()} if linear else {}
    return part_from("--load", kind, rest, special)


def command_from(text: str, main: str = "voltage") -> Signal | float:
    """A command for the main input of a controller."""
    unit, noun = COMMANDS[main]
    word, _, rest = text.strip().partition(" ")
    known = kinds("signal")
    if text.strip().lower().endswith(".csv"):
        return commands.from_csv(text.strip(), unit=INPUTS[main])
    if word in known:
        return part_from("--command", known[word], rest, main=unit)
    if word[:1].isalpha():
        raise ParameterError(f"--command {text!r}: must be {noun}, a CSV file, or begin with {', '.join(known)}")
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


def steps(what: str, text: str) -> float | tuple[float, ...]:
    """A number of steps, or two of them as in `2..5`; whole numbers stay whole."""
    ends = [part.strip() for part in text.split("..", 1)]
    if not all(BARE.fullmatch(part) for part in ends):
        raise ParameterError(f"{what}: {text!r} must be a number of steps, or a range of them such as 2..5")
    read = [int(part) if part.isdigit() else quantity(what, part, "1") for part in ends]
    return read[0] if len(read) == 1 else tuple(read)


def part_from(option: str, kind: type[P], text: str, special: dict[str, str] | None = None, main: str = "1") -> P:
    """A part from words such as `mass=0.5kg length=0.1 m`.

    Its fields say what they hold and in which unit; `special` holds other units, `main` is that of fields without one.
    """
    known = {entry.name: entry for entry in fields(kind)}  # pyright: ignore[reportArgumentType]
    names = f"one of {', '.join(known)}" if known else "nothing"
    stray, *words = NAMED.split(text.strip())
    if stray:
        raise ParameterError(f"{option}, {stray!r}: must be name=value with {names}")
    values: dict[str, Any] = {}
    for name, value in zip(words[::2], words[1::2], strict=True):
        if name not in known:
            raise ParameterError(f"{option}, '{name}={value.strip()}': must be name=value with {names}")
        values[name] = _read(option, known[name], value.strip(), (special or {}).get(name), main)
    missing = [name for name, entry in known.items() if name not in values and entry.default is MISSING]
    if missing:
        raise ParameterError(f"{option}: {kind.__name__} also needs {' and '.join(f'{name}=...' for name in missing)}")
    return kind(**values)


def _read(option: str, entry: Field, text: str, unit: str | None, main: str) -> object:
    """The value of a field from its word."""
    what, holds = f"{option}, {entry.name}", role(entry)
    if holds == "flag":
        if text.lower() not in SWITCH:
            raise ParameterError(f"{option}, '{entry.name}={text}': must be yes or no")
        return SWITCH[text.lower()]
    if holds == "count":
        if not text.isdigit():
            raise ParameterError(f"{what}: {text!r} must be a whole number")
        return int(text)
    if holds == "word":
        return text
    if holds == "words":
        return tuple(name.strip() for name in text.split(","))
    unit = typed_unit(entry, main) if unit is None else TYPED.get(unit, unit)
    if holds == "number":
        return quantity(what, text, unit)
    if holds == "numbers" and "," in text:
        return tuple(quantity(what, item.strip(), unit) for item in text.split(","))
    if holds == "numbers":
        return steps(what, text) if unit == "steps" else between(what, text, unit)
    raise ParameterError(f"{option}, '{entry.name}={text}': cannot be given as text; give it in a motor file")


def require_ending(option: str, path: Path | None, endings: tuple[str, ...]) -> None:
    """Check at once that a file can be written, not after a long run."""
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


def require_folder(option: str, path: Path | None) -> None:
    """Check that a file can be written where it should be."""
    if path is None:
        return
    if not path.parent.is_dir():
        raise ParameterError(f"{option} {path}: there is no folder {path.parent}; make it first")
    if path.is_dir():
        raise ParameterError(f"{option} {path}: is a folder; give a file in it")
