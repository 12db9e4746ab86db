"""Physical quantities as people write them, to and from SI: `"14.7 mN*m/A"`, `"7590 rpm"`, `"137 g*cm^2"`.

Everything inside the library is SI with angles in radians, temperatures in °C and their differences in kelvin. This
module is the only one that knows a unit. A unit is an exact rational factor, a power of π (so that `rpm` is exact) and
five exponents over metre, kilogram, second, ampere and kelvin; the angle has no dimension.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from functools import lru_cache

from .errors import UnitError

Dimension = tuple[int, int, int, int, int]
"""Exponents of m, kg, s, A and K."""

_BASE = ("m", "kg", "s", "A", "K")
_NONE: Dimension = (0, 0, 0, 0, 0)
_LONGEST_TEXT = 200


@dataclass(frozen=True)
class Unit:
    """A unit: its size in SI is `factor · π^pi`."""

    factor: Fraction
    pi: int = 0
    dimension: Dimension = _NONE

    def __mul__(self, other: Unit) -> Unit:
        total = [a + b for a, b in zip(self.dimension, other.dimension, strict=True)]
        return Unit(self.factor * other.factor, self.pi + other.pi, (total[0], total[1], total[2], total[3], total[4]))

    def __pow__(self, n: int) -> Unit:
        m, kg, s, ampere, kelvin = (a * n for a in self.dimension)
        return Unit(self.factor**n, self.pi * n, (m, kg, s, ampere, kelvin))

    @property
    def size(self) -> float:
        """How many SI units one of it is."""
        return float(self.factor) * math.pi**self.pi


def _unit(factor: str | int, *dimension: int, pi: int = 0) -> Unit:
    m, kg, s, ampere, kelvin = (*dimension, 0, 0, 0, 0, 0)[:5]
    return Unit(Fraction(factor), pi, (m, kg, s, ampere, kelvin))


_POUND_FORCE = "4.4482216152605"
_UNITS = {
    "1": _unit(1),
    "%": _unit("1/100"),
    "m": _unit(1, 1),
    "in": _unit("0.0254", 1),
    "g": _unit("1/1000", 0, 1),
    "s": _unit(1, 0, 0, 1),
    "min": _unit(60, 0, 0, 1),
    "h": _unit(3600, 0, 0, 1),
    "A": _unit(1, 0, 0, 0, 1),
    "K": _unit(1, 0, 0, 0, 0, 1),
    "N": _unit(1, 1, 1, -2),
    "Nm": _unit(1, 2, 1, -2),
    "kgf": _unit("9.80665", 1, 1, -2),
    "lbf": _unit(_POUND_FORCE, 1, 1, -2),
    "ozf": Unit(Fraction(_POUND_FORCE) / 16, 0, (1, 1, -2, 0, 0)),
    "J": _unit(1, 2, 1, -2),
    "W": _unit(1, 2, 1, -3),
    "V": _unit(1, 2, 1, -3, -1),
    "ohm": _unit(1, 2, 1, -3, -2),
    "H": _unit(1, 2, 1, -2, -2),
    "rad": _unit(1),
    "deg": _unit("1/180", pi=1),
    "arcmin": _unit("1/10800", pi=1),
    "arcsec": _unit("1/648000", pi=1),
    "rev": _unit(2, pi=1),
    "turn": _unit(2, pi=1),
    "rpm": _unit("1/30", 0, 0, -1, pi=1),
    "Hz": _unit(1, 0, 0, -1),
}
_PREFIXES = {
    "p": "1e-12",
    "n": "1e-9",
    "u": "1e-6",
    "m": "1e-3",
    "c": "1e-2",
    "d": "1e-1",
    "k": "1e3",
    "M": "1e6",
    "G": "1e9",
}
_PREFIXED = ("m", "g", "s", "A", "K", "N", "Nm", "J", "W", "V", "ohm", "H", "rad", "rpm")
_SPELLINGS = {"Ω": "ohm", "\u2126": "ohm", "Ohm": "ohm", "µ": "u", "μ": "u", "°C": "degC", "°": "deg", "′": "arcmin"}
_SPELLINGS |= {"·": "*", "⋅": "*", "×": "*", "**": "^", "²": "^2", "³": "^3", "⁻¹": "^-1", "−": "-"}

# practical units to print in, smallest first, by the SI unit the library works in
_PRACTICAL: dict[str, tuple[str, ...]] = {
    "V": ("mV", "V"),
    "A": ("mA", "A"),
    "A/s": ("A/s", "kA/s"),
    "ohm": ("mohm", "ohm"),
    "H": ("uH", "mH"),
    "N*m/A": ("mN*m/A", "N*m/A"),
    "V*s/rad": ("mV*s/rad", "V*s/rad"),
    "rad/(V*s)": ("rpm/V",),
    "rad/s": ("rpm",),
    "rad/(N*m*s)": ("rpm/(N*m)", "rpm/(mN*m)"),
    "N*m": ("uN*m", "mN*m", "N*m"),
    "N*m*s/rad": ("uN*m*s/rad", "mN*m*s/rad", "N*m*s/rad"),
    "N*m/rad": ("mN*m/rad", "N*m/rad"),
    "kg*m^2": ("g*cm^2", "kg*cm^2"),
    "kg": ("g", "kg"),
    "s": ("us", "ms", "s"),
    "W": ("mW", "W"),
    "rad": ("arcmin", "deg"),
    "K/W": ("K/W",),
    "J/K": ("J/K",),
}

_KNOWN = {
    "voltage": ("V", "48 V"),
    "current": ("A", "3.17 A"),
    "current rate": ("A/s", "500 A/s"),
    "inverse current": ("1/A", "0.025 1/A"),
    "resistance": ("ohm", "1.13 ohm"),
    "inductance": ("H", "0.33 mH"),
    "torque constant or back-EMF constant": ("N*m/A", "60.3 mN*m/A"),
    "speed constant": ("rad/(V*s)", "158 rpm/V"),
    "speed or rate": ("rad/s", "7590 rpm"),
    "speed-torque gradient": ("rad/(N*m*s)", "2.97 rpm/(mN*m)"),
    "torque or energy": ("N*m", "187 mN*m"),
    "viscous friction": ("N*m*s/rad", "2.4e-6 N*m*s/rad"),
    "moment of inertia": ("kg*m^2", "137 g*cm^2"),
    "quadratic drag": ("N*m*s^2/rad^2", "1e-8 N*m*s^2/rad^2"),
    "mass": ("kg", "480 g"),
    "time": ("s", "4.28 ms"),
    "power": ("W", "150 W"),
    "force": ("N", "10 N"),
    "length": ("m", "12 mm"),
    "thermal resistance": ("K/W", "1.93 K/W"),
    "heat capacity": ("J/K", "21.5 J/K"),
    "temperature difference": ("K", "100 K"),
    "temperature coefficient": ("1/K", "0.0039 1/K"),
    "plain number or angle": ("1", "0.9"),
    # the same dimensions by other names, for gains and commands
    "angle": ("deg", "90 deg"),
    "torque": ("Nm", "0.5 N*m"),
    "speed": ("rpm", "200 rpm"),
    "rate of voltage": ("V/s", "100 V/s"),
    "rate of angle": ("deg/s", "180 deg/s"),
    "acceleration": ("rpm/s", "1000 rpm/s"),
    "rate of torque": ("N*m/s", "10 N*m/s"),
    "bandwidth": ("1/s", "3000 rad/s"),
    "voltage per angle": ("V/rad", "10 V/rad"),
    "voltage per angle and time": ("V/(rad*s)", "5 V/(rad*s)"),
    "voltage per speed": ("V*s/rad", "0.1 V*s/rad"),
    "torque per angle": ("N*m/rad", "20 N*m/rad"),
    "torque per angle and time": ("N*m/(rad*s)", "5 N*m/(rad*s)"),
    "integrated angle": ("rad*s", "0.2 rad*s"),
    "time per angle": ("s/rad", "0.01 s/rad"),
    "rate per angle": ("1/(rad*s)", "5 1/(rad*s)"),
}

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_TOKEN = re.compile(r"\s*([A-Za-z]+|%|\d+|[*/^()-])")


def parse(text: str | float, unit: str) -> float:
    """The SI value of a quantity that must have the dimension of `unit`.

    A bare number is taken only where `unit` has no dimension; `"degC"` asks for a temperature, which stays in °C.
    """
    if isinstance(text, bool) or not isinstance(text, (str, int, float)):
        raise UnitError(f"{text!r} is no quantity: {_write_it(unit)}")
    if not isinstance(text, str):
        return _plain(text, unit)
    number, rest = _split(text, unit)
    if unit == "degC":
        return _temperature(text, number, rest)
    if rest == "degC":
        raise UnitError(f'"{text}" is a temperature, not {_a(_name(unit))}: {_write_it(unit)}')
    given, wanted = _located(text, rest or "1"), _read_unit(unit)
    if given.dimension != wanted.dimension:
        raise UnitError(_mismatch(text, rest, given, unit))
    return _finite(text, float(number * given.factor) * math.pi**given.pi)


def convert(value: float, unit: str) -> float:
    """A value in SI expressed in `unit`."""
    return value if unit == "degC" or "√" in unit else value / _read_unit(unit).size


def format_quantity(value: float, unit: str, digits: int = 4) -> str:
    """A value in SI as text for people, `"60.3 mN·m/A"`.

    `unit` is either a unit to print in (`"rpm"`) or an SI unit (`"N*m/A"`), of which the practical multiple is chosen.
    """
    chosen = practical_unit(value, unit)
    return f"{_positional(convert(value, chosen), digits)} {_pretty(chosen)}".removesuffix(" 1")


def write_quantity(value: float, unit: str) -> str:
    """A value in SI as the shortest text that `parse` reads back exactly, `"60.3 mN*m/A"`."""
    chosen = practical_unit(value, unit)
    scaled = convert(value, chosen)
    for digits in range(3, 18):
        text = f"{_positional(scaled, digits)} {chosen}".removesuffix(" 1")
        if parse(text, unit) == value:
            return text
    # a practical multiple can be one rounding away; plain SI is exact
    return f"{value!r} {unit}".removesuffix(" 1")


def _positional(value: float, digits: int) -> str:
    """A number with so many digits, without an exponent as long as it is of a size people read."""
    text = f"{value:.{digits}g}"
    return f"{float(text):.0f}" if "e+" in text and abs(value) < 1e7 else text


def practical_unit(value: float, unit: str) -> str:
    """The multiple of an SI unit that makers print for a value of this size."""
    unit = _plain_spelling(unit)
    if "√" in unit:
        return unit
    choices = _PRACTICAL.get(unit, (unit,))
    fitting = [choice for choice in choices if abs(convert(value, choice)) >= 1]
    return max(fitting or choices[:1], key=lambda choice: _read_unit(choice).size if choice != "degC" else 1.0)


def _plain_spelling(text: str) -> str:
    """A unit in the letters of a keyboard: `N·m²` becomes `N*m^2`."""
    for spelling, plain in _SPELLINGS.items():
        text = text.replace(spelling, plain)
    return text


def dimension(unit: str) -> Dimension:
    """Exponents of m, kg, s, A and K in a unit."""
    return _read_unit(unit).dimension


def _plain(value: float, unit: str) -> float:
    if unit == "degC" or _read_unit(unit).dimension != _NONE:
        raise UnitError(f"{value!r} has no unit: {_write_it(unit)}")
    return _finite(value, float(value))


def _split(text: str, unit: str) -> tuple[Fraction, str]:
    """The number at the start of a text as an exact fraction, and the unit behind it."""
    if len(text) > _LONGEST_TEXT:
        raise UnitError(f'"{text[:30]}..." is too long for a quantity: {_write_it(unit)}')
    clean = text.strip()
    ratio = re.fullmatch(r"(\d+(?:\.\d*)?)\s*:\s*(\d+(?:\.\d*)?)", clean)
    if ratio and float(ratio[2]) > 0:
        return Fraction(ratio[1]) / Fraction(ratio[2]), ""
    clean = _plain_spelling(clean)
    match = _NUMBER.match(clean)
    if match is None:
        finite = " a finite number" if re.match(r"[+-]?(inf|nan)", clean, re.I) else " a number first"
        raise UnitError(f'"{text}" is no quantity, it needs{finite}: {_write_it(unit)}')
    rest = clean[match.end() :].strip()
    if rest.startswith(","):
        raise UnitError(f'"{text}" has a decimal comma: write a point, {_write_it(unit)}')
    # floats first: an absurd exponent must not become a fraction of a million digits
    size = _finite(text, float(match[0]))
    return (Fraction(match[0]) if size else Fraction(0)), rest


def _temperature(text: str, number: Fraction, rest: str) -> float:
    if rest == "degC":
        return float(number)
    if rest == "K":
        return float(number - Fraction("273.15"))
    raise UnitError(f'"{text}" is no temperature: write it like "155 degC"')


def _located(text: str, expression: str) -> Unit:
    """The unit behind a number, its errors naming the whole text."""
    try:
        return _read_unit(expression)
    except UnitError as error:
        raise UnitError(f'"{text}": {error}') from None


def _finite(text: object, value: float) -> float:
    if not math.isfinite(value):
        raise UnitError(f"{text!r} is not finite: give a finite number")
    return value


@lru_cache(maxsize=1024)
def _read_unit(expression: str) -> Unit:
    """A unit expression such as `mN*m/A` or `rpm/(mN*m)`; a product binds as in arithmetic, left to right."""
    tokens, position = [], 0
    expression = _plain_spelling(expression).strip()
    while position < len(expression):
        match = _TOKEN.match(expression, position)
        if match is None:
            raise UnitError(f'unexpected "{expression[position:].strip()}" in the unit "{expression}"')
        tokens.append(match[1])
        position = match.end()
    if tokens and tokens[0].isdigit() and tokens[0] != "1":
        raise UnitError(f'unexpected "{tokens[0]}": write the number without spaces')
    unit, used = _product(tokens, 0, expression)
    if used != len(tokens):
        raise UnitError(f'unexpected "{tokens[used]}" in the unit "{expression}"')
    return unit


def _product(tokens: list[str], at: int, expression: str) -> tuple[Unit, int]:
    unit, at = _power(tokens, at, expression)
    while at < len(tokens) and tokens[at] != ")":
        divide = tokens[at] == "/"
        # two names side by side multiply: "N m"
        factor, at = _power(tokens, at + (tokens[at] in "*/"), expression)
        unit = unit * factor**-1 if divide else unit * factor
    return unit, at


def _power(tokens: list[str], at: int, expression: str) -> tuple[Unit, int]:
    unit, at = _atom(tokens, at, expression)
    if at < len(tokens) and tokens[at] == "^":
        match = re.match(r"\^(-?)(\d)(?!\d)", "".join(tokens[at : at + 3]))
        if match is None:
            raise UnitError(f'the exponent in the unit "{expression}" must be a whole number from -9 to 9')
        return unit ** int(match[1] + match[2]), at + 2 + len(match[1])
    return unit, at


def _atom(tokens: list[str], at: int, expression: str) -> tuple[Unit, int]:
    if at >= len(tokens):
        raise UnitError(f'the unit "{expression}" ends too early')
    if tokens[at] == "(":
        unit, at = _product(tokens, at + 1, expression)
        if at >= len(tokens):
            raise UnitError(f'a parenthesis in the unit "{expression}" is not closed')
        return unit, at + 1
    return _named(tokens[at]), at + 1


def _named(name: str) -> Unit:
    if name in _UNITS:
        return _UNITS[name]
    prefix, base = name[:1], name[1:]
    if prefix in _PREFIXES and base in _PREFIXED:
        return Unit(Fraction(_PREFIXES[prefix])) * _UNITS[base]
    known = [*_UNITS, *(p + b for p in _PREFIXES for b in _PREFIXED), "degC"]
    near = [k for k in known if k.lower() == name.lower()] or get_close_matches(name, known, n=1, cutoff=0.5)
    if name == "C":
        near = ["degC"]
    if name == "degC":
        raise UnitError('"degC" is a temperature and stands alone: a difference is in "K"')
    raise UnitError(f'unknown unit "{name}"' + (f', did you mean "{near[0]}"?' if near else ""))


def _describe(unit: Unit) -> tuple[str, str]:
    for name, (symbol, example) in _KNOWN.items():
        if _read_unit(symbol).dimension == unit.dimension:
            return name, example
    powers = [f"{base}^{n}" if n != 1 else base for base, n in zip(_BASE, unit.dimension, strict=True) if n]
    return "quantity in " + "*".join(powers), "1 " + "*".join(powers)


def _name(unit: str) -> str:
    exact = next((name for name, (symbol, _) in _KNOWN.items() if symbol == unit), None)
    return "temperature" if unit == "degC" else exact or _describe(_read_unit(unit))[0]


def _a(name: str) -> str:
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"


def example(unit: str) -> str:
    """How a quantity of this dimension is written."""
    if unit == "degC":
        return "155 degC"
    if unit == "rad":
        return "12 arcmin"
    return next((shown for symbol, shown in _KNOWN.values() if symbol == unit), _describe(_read_unit(unit))[1])


def _write_it(unit: str) -> str:
    return f'write it like "{example(unit)}"'


def _mismatch(text: str, rest: str, given: Unit, unit: str) -> str:
    if not rest:
        return f'"{text}" has no unit: {_write_it(unit)}'
    hint = " (a product after / needs parentheses)" if "/" in rest and "*" in rest.split("/", 1)[1] else ""
    return f'"{text}" is {_a(_describe(given)[0])}, not {_a(_name(unit))}{hint}: {_write_it(unit)}'


def _pretty(unit: str) -> str:
    for plain, shown in (("*", "·"), ("^2", "²"), ("^3", "³"), ("ohm", "Ω"), ("degC", "°C")):
        unit = unit.replace(plain, shown)
    return re.sub(r"\bu(?=[A-ZΩ]|s\b)", "µ", unit)
