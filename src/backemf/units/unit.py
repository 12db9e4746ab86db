"""A unit: its exact size in SI, its dimension, and the names people give it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction

from ..errors import UnitError

Dimension = tuple[int, int, int, int, int]
"""Exponents of m, kg, s, A and K."""

NONE: Dimension = (0, 0, 0, 0, 0)


@dataclass(frozen=True)
class Unit:
    """A unit: its size in SI is `factor · π^pi`, so that even `rpm` is exact."""

    factor: Fraction
    pi: int = 0
    dimension: Dimension = NONE
    angle: int = 0
    """Exponent of the angle. It has no dimension, and yet it tells a speed from a rate."""

    def __mul__(self, other: Unit) -> Unit:
        m, kg, s, ampere, kelvin = (a + b for a, b in zip(self.dimension, other.dimension, strict=True))
        size = self.factor * other.factor, self.pi + other.pi
        return Unit(*size, (m, kg, s, ampere, kelvin), self.angle + other.angle)

    def __pow__(self, n: int) -> Unit:
        m, kg, s, ampere, kelvin = (a * n for a in self.dimension)
        return Unit(self.factor**n, self.pi * n, (m, kg, s, ampere, kelvin), self.angle * n)

    @property
    def size(self) -> float:
        """How many SI units one of it is."""
        return float(self.factor) * math.pi**self.pi


def _unit(factor: str | int | Fraction, *dimension: int, pi: int = 0, angle: int = 0) -> Unit:
    m, kg, s, ampere, kelvin = (*dimension, 0, 0, 0, 0, 0)[:5]
    return Unit(Fraction(factor), pi, (m, kg, s, ampere, kelvin), angle)


_POUND, _OUNCE = Fraction("0.45359237"), Fraction("0.45359237") / 16
_GRAVITY = _unit("9.80665", 1, 0, -2)
UNITS = {
    "1": _unit(1),
    "%": _unit("1/100"),
    "m": _unit(1, 1),
    "in": _unit("0.0254", 1),
    "ft": _unit("0.3048", 1),
    "g": _unit("1/1000", 0, 1),
    **dict.fromkeys(("lb", "lbm"), _unit(_POUND, 0, 1)),
    "oz": _unit(_OUNCE, 0, 1),
    "s": _unit(1, 0, 0, 1),
    "min": _unit(60, 0, 0, 1),
    "h": _unit(3600, 0, 0, 1),
    **dict.fromkeys(("A", "Adc", "Apk", "Arms"), _unit(1, 0, 0, 0, 1)),
    "K": _unit(1, 0, 0, 0, 0, 1),
    "N": _unit(1, 1, 1, -2),
    "Nm": _unit(1, 2, 1, -2),
    "gf": _unit("1/1000", 0, 1) * _GRAVITY,
    "kgf": _unit(1, 0, 1) * _GRAVITY,
    "lbf": _unit(_POUND, 0, 1) * _GRAVITY,
    "ozf": _unit(_OUNCE, 0, 1) * _GRAVITY,
    "J": _unit(1, 2, 1, -2),
    "W": _unit(1, 2, 1, -3),
    "V": _unit(1, 2, 1, -3, -1),
    "ohm": _unit(1, 2, 1, -3, -2),
    "H": _unit(1, 2, 1, -2, -2),
    "rad": _unit(1, angle=1),
    "deg": _unit("1/180", pi=1, angle=1),
    "arcmin": _unit("1/10800", pi=1, angle=1),
    "arcsec": _unit("1/648000", pi=1, angle=1),
    **dict.fromkeys(("rev", "turn"), _unit(2, pi=1, angle=1)),
    "rpm": _unit("1/30", 0, 0, -1, pi=1, angle=1),
    "rps": _unit(2, 0, 0, -1, pi=1, angle=1),
    "Hz": _unit(1, 0, 0, -1),
}
_PREFIXES = {"p": -12, "n": -9, "u": -6, "m": -3, "c": -2, "d": -1, "k": 3, "M": 6, "G": 9}
"""Powers of ten."""
_PREFIXED = ("m", "g", "s", "A", "Adc", "Apk", "Arms", "K", "N", "Nm", "J", "W", "V", "ohm", "H", "rad", "rpm", "Hz")
_MASSES = ("g", "lb", "oz")

_ALSO = {
    "%": "percent",
    "mm": "MM",
    "cm": "CM",
    "in": "In IN inch inches",
    "ft": "Ft FT foot feet",
    "g": "gram grams",
    "kg": "Kg KG kgs",
    "lb": "Lb LB lbs Lbs LBS pound pounds",
    "oz": "Oz OZ ounce ounces",
    "s": "sec Sec SEC secs second seconds",
    "min": "mins minute minutes",
    "h": "hr hrs hour hours",
    "A": "amp amps Amp Amps ampere amperes",
    "V": "volt volts Volt Volts",
    "W": "watt watts Watt Watts",
    "K": "kelvin Kelvin",
    "Nm": "NM",
    "kgf": "Kgf KGF kp",
    "lbf": "Lbf LBF",
    "ohm": "ohms Ohm Ohms OHM OHMS",
    "deg": "Deg DEG degree degrees",
    "rev": "Rev revs revolution revolutions",
    "turn": "turns",
    "rpm": "Rpm RPM",
    "krpm": "Krpm KRPM",
    "Hz": "HZ hz",
}
SYNONYMS = {word: name for name, words in _ALSO.items() for word in words.split()}
"""Other words for a unit that mean nothing else."""

COMPOUNDS: dict[str, tuple[str, ...]] = {
    run: tuple(pair.split())
    for pair in (
        "g cm", "g mm", "kg cm", "kg mm", "kg m", "Kg cm", "gf cm", "kgf cm", "kgf m", "kp cm", "N cm", "N mm",
        "oz in", "in oz", "ozf in", "lb in", "lbf in", "in lb", "in lbs", "in lbf", "lb ft", "lbf ft", "ft lb",
        "ft lbs", "ft lbf", "V s", "mV s", "N m s", "mN m s", "uN m s",
    )
    for run in [pair.replace(" ", "")]
}  # fmt: skip
"""Products makers print without a sign between: in `gcm²` the power belongs to the last of them."""

REFUSED = {
    "hp": "has two readings: write it in W, 745.7 W for an imperial horsepower or 735.5 W for a metric one",
    "degF": "is not in °C: subtract 32, divide by 1.8 and write it in degC",
    "Vrms": "is an RMS voltage: multiply by √2 and write its peak in V",
    "Vac": "is an RMS voltage: multiply by √2 and write its peak in V",
    "C": 'has two readings, coulombs and degrees Celsius: did you mean "degC"?',
    "degC": 'is a temperature and stands alone: a difference is in "K"',
}
REFUSED |= {"HP": REFUSED["hp"], "F": REFUSED["degF"]}
REFUSED |= dict.fromkeys(
    ("Grad", "grad", "gon"), 'has two readings, degrees and gons: write "deg", or 0.9 deg for a gon'
)


def find_unit(name: str, force: bool = False, turning: bool = False) -> Unit:
    """A unit by name, with or without a prefix.

    With `force`, pounds, ounces and kilograms are weights; with `turning`, minutes are minutes per turn.
    """
    name = SYNONYMS.get(name, name)
    if name in REFUSED and name not in UNITS:
        # before its first letter is taken for a prefix
        raise _unknown(name)
    base, prefix = name, ""
    if name not in UNITS and name[:1] in _PREFIXES:
        base, prefix = SYNONYMS.get(name[1:], name[1:]), name[:1]
        if base not in _PREFIXED:
            raise _unknown(name)
    if base not in UNITS:
        raise _unknown(name)
    unit = UNITS[base] * Unit(Fraction(10) ** _PREFIXES[prefix]) if prefix else UNITS[base]
    if force and base in _MASSES:
        return unit * _GRAVITY
    return unit * UNITS["rev"] ** -1 if turning and base == "min" else unit


def _unknown(name: str) -> UnitError:
    if name in REFUSED:
        return UnitError(f'"{name}" {REFUSED[name]}')
    known = [*UNITS, *(p + b for p in _PREFIXES for b in _PREFIXED), *COMPOUNDS, "degC"]
    near = [k for k in known if k.lower() == name.lower()] or get_close_matches(name, known, n=1, cutoff=0.5)
    return UnitError(f'unknown unit "{name}"' + (f', did you mean "{near[0]}"?' if near else ""))
