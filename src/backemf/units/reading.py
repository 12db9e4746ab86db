"""The meaning of an ambiguous unit: the wanted unit decides; where it cannot, the error names both meanings.

A kilogram, pound or ounce is a mass, and a weight where only that gives the wanted dimension: `kg*cm` is a torque,
`oz-in-s²` an inertia. `1/min` is a rate, and revolutions per minute where a speed is wanted. `1/s` and `Hz` could be
turns or radians per second.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..errors import UnitError
from .expression import read_unit
from .kinds import describe, name_of, with_article, write_it
from .spelling import keyboard, unit_words
from .unit import Unit

_TURNING = ["rad/s", "rad/s^2", "rad/(V*s)", "rad/(N*m*s)", "V*s/rad", "N*m/A", "W*s^2/rad^2"]
_TURNING += [f"N*m*s^{n}/rad^{n}" for n in range(1, 10)]
_RATES = {(0, 0, -1, 0, 0): "s", (0, 0, -2, 0, 0): "s^2"}
_SPEED_CONSTANT = ("KV", "Kv", "kv", "kV")
_WEIGHTS = {"kg": "kgf", "g": "gf", "lb": "lbf", "lbs": "lbf", "oz": "ozf"}
_LENGTHS = {"kg": "cm", "kgf": "cm", "g": "cm", "N": "m", "lb": "in", "lbs": "in", "lbf": "in", "oz": "in", "ozf": "in"}


@lru_cache(maxsize=256)
def _is_turning(unit: str) -> bool:
    """Whether a speed is in the wanted unit."""
    wanted = read_unit(unit)
    kinds = [read_unit(symbol) for symbol in _TURNING]
    return any((wanted.dimension, wanted.angle) == (kind.dimension, kind.angle) for kind in kinds)


def resolve(text: str, rest: str, unit: str) -> tuple[Unit, bool]:
    """The unit behind a number where `unit` is wanted, and whether the number counts the inverse, as in `s/60deg`."""
    wanted, words = read_unit(unit), unit_words(rest)
    if rest in _SPEED_CONSTANT:
        return _speed_constant(text, rest, unit), False
    try:
        given = read_unit(words or "1")
    except UnitError as error:
        raise UnitError(f'"{text}": {error}') from None
    turning = _is_turning(unit)
    turns = turning and given.angle == 0 and re.search(r"(?<![A-Za-z])min", words) is not None
    if turns:
        given = read_unit(words, turning=True)
    if given.dimension != wanted.dimension and _like_torque(wanted):
        weight = read_unit(words or "1", force=True, turning=turns)
        given = weight if weight.dimension == wanted.dimension else given
    if wanted.angle == 1 and given.angle == -1 and (given**-1).dimension == wanted.dimension:
        return given**-1, True
    if given.dimension != wanted.dimension:
        raise UnitError(_mismatch(text, rest, given, unit))
    _refuse_rates(text, rest, given, unit, turning)
    return given, False


def _like_torque(wanted: Unit) -> bool:
    """Whether a length goes with the force, so that a mass cannot be meant."""
    m, kg = wanted.dimension[:2]
    return kg != 0 and m == 2 * kg


def _number(text: str, rest: str) -> str:
    """The number of a text, as written there."""
    return keyboard(text).strip().removesuffix(rest).strip()


def _speed_constant(text: str, rest: str, unit: str) -> Unit:
    """KV is a motor's rpm per volt; as a voltage it is a kilovolt only in the right letters."""
    wanted, volt = read_unit(unit), read_unit("V")
    if wanted.dimension == read_unit("rpm/V").dimension:
        return read_unit("rpm/V")
    if wanted.dimension == volt.dimension and rest != "kV":
        number = _number(text, rest)
        raise UnitError(f'"{text}" has two readings: write "{number} kV" for kilovolts, "{number} rpm/V" for a speed '
                        "constant")  # fmt: skip
    given = read_unit("kV" if rest == "kV" else "rpm/V")
    if given.dimension != wanted.dimension:
        raise UnitError(_mismatch(text, rest, given, unit))
    return given


def _refuse_rates(text: str, rest: str, given: Unit, unit: str, turning: bool) -> None:
    """Hertz and plain rates where an angle turns, and turns where hertz are wanted."""
    hertz = "hz" in rest.lower()
    if unit == "Hz" and not hertz:
        raise UnitError(f'"{text}" is not a frequency in hertz: write it like "2 Hz"')
    if given.angle != 0 or unit == "Hz" or not (hertz or turning):
        return
    number, per = _number(text, rest), _RATES.get(given.dimension)
    both = f'"{number} rev/{per}" or "{number} rad/{per}"'
    if hertz:
        here = f", here {both}" if per else ""
        raise UnitError(f'"{text}" is a frequency, and a turn is 2π rad: {write_it(unit)}{here}')
    if per:
        raise UnitError(f'"{text}" has two readings, turns and radians: write {both}')


def _mismatch(text: str, rest: str, given: Unit, unit: str) -> str:
    if not rest:
        return f'"{text}" has no unit: {write_it(unit)}'
    wanted = read_unit(unit)
    said = f'"{text}" is {with_article(describe(given)[0])}, not {with_article(name_of(unit))}'
    if hint := _likely(text, rest, given, wanted):
        return f"{said}: {hint}"
    words = unit_words(rest)
    brackets = " (a product after / needs parentheses)" if "/" in words and "*" in words.split("/", 1)[1] else ""
    return f"{said}{brackets}: {write_it(unit)}"


def _likely(text: str, rest: str, given: Unit, wanted: Unit) -> str:
    """What was probably meant by a unit of the wrong dimension."""
    number = _number(text, rest)
    if _like_torque(wanted) and re.fullmatch(r"[A-Za-z]+/[A-Za-z]+", rest):
        # hobby shops print kg/cm
        product = rest.replace("/", "*")
        if wanted.dimension in (read_unit(product).dimension, read_unit(product, force=True).dimension):
            return f'did you mean "{number} {product}"?'
    if rest in _WEIGHTS and wanted.dimension == read_unit("N").dimension:
        return f'it is a mass or its weight: as a force write "{number} {_WEIGHTS[rest]}"'
    if rest in _LENGTHS and wanted.dimension == read_unit("N*m").dimension:
        return f'a torque is a force times a length, did you mean "{number} {rest}*{_LENGTHS[rest]}"?'
    return ""
