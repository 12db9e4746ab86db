"""Physical quantities as people write them, to and from SI: `"14.7 mN*m/A"`, `"7590 min⁻¹"`, `"137 gcm²"`.

Everything inside the library is SI with angles in radians, temperatures in °C and their differences in kelvin. No other
module knows a unit. A unit is an exact rational factor, a power of π (so that `rpm` is exact) and five exponents over
metre, kilogram, second, ampere and kelvin; the angle has no dimension.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

from ..errors import UnitError
from .expression import read_unit
from .kinds import CELSIUS, PRACTICAL, example, name_of, with_article, write_it
from .number import split_quantity
from .reading import resolve
from .spelling import amperes_of, keyboard, unit_words
from .unit import NONE, Dimension, Unit

__all__ = [
    "Dimension",
    "Unit",
    "convert",
    "dimension",
    "example",
    "format_quantity",
    "linear_unit",
    "linear_words",
    "parse",
    "parse_printed",
    "positional",
    "practical_unit",
    "write_quantity",
]

_TO_DC = {"rms": ("RMS phase", "√(3/2)"), "peak-phase": ("peak phase", "√3/2")}


def parse(text: str | float, unit: str) -> float:
    """The SI value of a quantity that must have the dimension of `unit`.

    A bare number is taken only where `unit` has no dimension; `"degC"` or `"°C"` asks for a temperature, which stays in
    °C. Amperes are DC-equivalent ones, so that RMS and peak amperes are refused.
    """
    value, ampere = parse_printed(text, unit)
    if ampere in _TO_DC:
        kind, factor = _TO_DC[ampere]
        do = "divide" if "/" in str(text) else "multiply"
        raise UnitError(
            f'"{text}" is in {kind} amperes, but DC-equivalent ones are needed here: {do} by {factor}, {write_it(unit)}'
        )
    return value


def parse_printed(text: str | float, unit: str) -> tuple[float, str | None]:
    """The SI value of a printed quantity, and the ampere it names: `"dc"`, `"peak-phase"`, `"rms"`, None for none."""
    if isinstance(text, bool) or not isinstance(text, (str, int, float)):
        raise UnitError(f"{text!r} is not a quantity: {write_it(unit)}")
    if not isinstance(text, str):
        if unit in CELSIUS or read_unit(unit).dimension != NONE:
            raise UnitError(f"{text!r} has no unit: {write_it(unit)}")
        return _finite(text, float(text)), None
    number, rest = split_quantity(text, unit)
    words = unit_words(rest)
    if unit in CELSIUS:
        return _temperature(text, number, words), None
    if words == "degC":
        raise UnitError(f'"{text}" is a temperature, not {with_article(name_of(unit))}: {write_it(unit)}')
    given, inverse = resolve(text, rest, unit)
    if inverse:
        if number <= 0:
            raise UnitError(f'"{text}" is a time per angle and must be above 0: {write_it(unit)}')
        number = 1 / number
    amperes = amperes_of(words)
    if len(amperes) > 1:
        raise UnitError(f'"{text}" names two kinds of ampere: write one of them')
    return _finite(text, float(number * given.factor) * math.pi**given.pi), next(iter(amperes), None)


def convert(value: float, unit: str) -> float:
    """A value in SI expressed in `unit`."""
    return value if unit in CELSIUS or "√" in unit else value / read_unit(unit).size


def format_quantity(value: float, unit: str, digits: int = 4) -> str:
    """A value in SI as text for people, `"60.3 mN·m/A"`.

    `unit` is either a unit to print in (`"rpm"`) or an SI unit (`"N*m/A"`), of which the practical multiple is chosen.
    """
    chosen = practical_unit(value, unit)
    return f"{positional(convert(value, chosen), digits)} {_pretty(chosen)}".removesuffix(" 1")


def write_quantity(value: float, unit: str) -> str:
    """A value in SI as the shortest text that `parse` reads back exactly, `"60.3 mN*m/A"`."""
    chosen = practical_unit(value, unit)
    scaled = convert(value, chosen)
    for digits in range(3, 18):
        text = f"{positional(scaled, digits)} {chosen}".removesuffix(" 1")
        if parse(text, unit) == value:
            return text
    # a practical multiple can be one rounding away; plain SI is exact
    return f"{value!r} {unit}".removesuffix(" 1")


def positional(value: float, digits: int) -> str:
    """A number with so many digits, without an exponent as long as it is of a size people read."""
    text = f"{value:.{digits}g}"
    return f"{float(text):.0f}" if "e+" in text and abs(value) < 1e7 else text


def practical_unit(value: float, unit: str) -> str:
    """The multiple of an SI unit that makers print for a value of this size."""
    if "√" in unit:
        return unit
    unit = keyboard(unit)
    choices = PRACTICAL.get(unit, (unit,))
    if value == 0.0 and unit in choices:
        return unit
    fitting = [choice for choice in choices if abs(convert(value, choice)) >= 1]
    return max(fitting or choices[:1], key=lambda choice: read_unit(choice).size if choice != "degC" else 1.0)


def linear_unit(unit: str) -> str:
    """The unit of a linear motor's quantity in place of that of a rotary one: N for N·m, m for rad, kg for kg·m²."""
    for turning, sliding in (("kg*m^2", "kg"), ("kg·m²", "kg"), ("N*m", "N"), ("N·m", "N"), ("rad", "m"), ("(N)", "N")):
        unit = unit.replace(turning, sliding)
    return unit


def linear_words(text: str) -> str:
    """A sentence about a rotary motor with the units of a linear one."""
    return re.sub(r"(?<![A-Za-z])(kg·m²|N·m|rad)(?![A-Za-z])", lambda found: linear_unit(found[0]), text)


def dimension(unit: str) -> Dimension:
    """Exponents of m, kg, s, A and K in a unit."""
    return read_unit(unit).dimension


def _temperature(text: str, number: Fraction, words: str) -> float:
    if words == "degC":
        return float(number)
    if words == "K":
        return float(number - Fraction("273.15"))
    fahrenheit = "subtract 32, divide by 1.8 and " if words in ("degF", "F") else ""
    raise UnitError(f'"{text}" is not a temperature in °C: {fahrenheit}write it like "155 degC"')


def _finite(text: object, value: float) -> float:
    if not math.isfinite(value):
        raise UnitError(f"{text!r} is not finite: give a finite number")
    return value


def _pretty(unit: str) -> str:
    for plain, shown in (("*", "·"), ("^2", "²"), ("^3", "³"), ("ohm", "Ω"), ("degC", "°C")):
        unit = unit.replace(plain, shown)
    return re.sub(r"\bu(?=[A-ZΩ]|s\b)", "µ", unit)
