"""Units that get mixed up, as factors: what a figure is too large or too small by when it was written in the wrong one.

A slip and its inverse are two different mistakes: 9.55 times too fast is rpm written as rad/s, 9.55 times too slow is
rad/s written as rpm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from ..units import parse

_SQRT2, _SQRT3, _G = math.sqrt(2), math.sqrt(3), 9.80665


@dataclass(frozen=True)
class Slip:
    """One mistake."""

    factor: float
    """Listed over true value."""
    cause: str
    """For programs, such as `rpm-as-rad/s`."""
    words: str
    """For people."""
    sure: bool = True
    """Whether this unit is the one where the mistake is usual."""

    @property
    def size(self) -> str:
        """How far off the figure is, `9.55 times` or `1/9.55 of`."""
        factor = max(self.factor, 1 / self.factor)
        shown = f"{factor:.3g}" if factor < 1000 else f"{factor:.0f}"
        return f"{shown} times" if self.factor >= 1 else f"1/{shown} of"


_PAIRS: dict[str, tuple[tuple[str, str], ...]] = {
    # units of one quantity that are taken for each other; the first is the one to compare with
    "rad/s": (("rpm", "rad/s"), ("rev/s", "rad/s"), ("deg/s", "rad/s"), ("rpm", "rev/s"), ("rpm", "deg/s")),
    "rad/(V*s)": (("rpm/V", "rad/(V*s)"), ("rev/s/V", "rad/(V*s)")),
    "V*s/rad": (("V/krpm", "V*s/rad"), ("V/rpm", "V*s/rad"), ("V*s/rev", "V*s/rad")),
    "N*m": (("kgf*m", "N*m"), ("kgf*cm", "N*m"), ("ozf*in", "N*m"), ("lbf*in", "N*m"), ("lbf*ft", "N*m")),
    "N*m/A": (
        ("kgf*m/A", "N*m/A"), ("kgf*cm/A", "N*m/A"), ("ozf*in/A", "N*m/A"), ("lbf*in/A", "N*m/A"),
        ("V/krpm", "N*m/A"), ("V/rpm", "N*m/A"), ("V*s/rev", "N*m/A"),
    ),
    "rad/(N*m*s)": (("rpm/(N*m)", "rad/(N*m*s)"), ("rpm/(mN*m)", "rad/(N*m*s)"), ("rad/(kgf*m*s)", "rad/(N*m*s)")),
    "kg*m^2": (("kgf*m*s^2", "kg*m^2"), ("kgf*cm*s^2", "kg*cm^2"), ("ozf*in*s^2", "kg*m^2")),
    "s": (("min", "s"),),
}  # fmt: skip
_NAMED: dict[str, tuple[Slip, ...]] = {
    "ohm": (
        Slip(1 / 2, "phase-resistance", "listed per phase, not line-to-line"),
        Slip(2.0, "line-resistance", "listed line-to-line, not per phase"),
    ),
    "H": (
        Slip(1 / 2, "phase-inductance", "listed per phase, not line-to-line"),
        Slip(2.0, "line-inductance", "listed line-to-line, not per phase"),
    ),
    "V*s/rad": (
        Slip(1 / _SQRT2, "rms-voltage", "per RMS volt, not peak"),
        Slip(1 / _SQRT3, "phase-voltage", "from phase to star point, not line-to-line"),
        Slip(1 / _SQRT2 / _SQRT3, "rms-phase-voltage", "RMS and per phase, not peak and line-to-line"),
    ),
    "rad/(V*s)": (
        Slip(_SQRT2, "rms-voltage", "per RMS volt, not peak"),
        Slip(_SQRT3, "phase-voltage", "per volt of a phase, not line-to-line"),
    ),
    "A": (
        Slip(_SQRT2, "peak-as-rms", "peak amperes where RMS ones are declared"),
        Slip(1 / _SQRT2, "rms-as-peak", "RMS amperes where peak ones are declared"),
    ),
    "V": (
        Slip(_SQRT2, "peak-as-rms", "a peak voltage where the others are RMS"),
        Slip(1 / _SQRT2, "rms-as-peak", "an RMS voltage where the others are peak"),
        Slip(1 / _SQRT3, "phase-voltage", "the voltage of a phase, not line-to-line"),
    ),
    "kg*m^2": (Slip(4.0, "gd2-as-inertia", "GD² written as inertia, which is a quarter of it"),),
}
_ANYWHERE = (
    ("factor-2pi", 2 * math.pi, "2π: turns and radians mixed"),
    ("factor-9.55", 30 / math.pi, "60/2π: rpm and rad/s mixed"),
    ("factor-sqrt2", _SQRT2, "√2: RMS and peak mixed"),
    ("factor-sqrt3", _SQRT3, "√3: phase and line-to-line mixed"),
    ("factor-9.81", _G, "9.81: kilogram-force and newton mixed"),
    ("factor-2", 2.0, "2: per phase and line-to-line mixed, or peak to peak"),
)
_ONLY_TEN = ("K/W", "J/K", "kg", "1")
"""Units that have no phase, no angle and no force."""


@lru_cache(maxsize=64)
def slips_of(unit: str, electrical: bool = True) -> tuple[Slip, ...]:
    """Every slip a figure of this unit can have, the usual ones first."""
    found = list(_NAMED.get(unit, ()))
    for wrong, right in _PAIRS.get(unit, ()):
        factor = parse(f"1 {right}", unit) / parse(f"1 {wrong}", unit)
        # a number in one unit with the name of the other behind it
        found.append(Slip(factor, f"{wrong}-as-{right}", f"{wrong} written as {right}"))
        found.append(Slip(1 / factor, f"{right}-as-{wrong}", f"{right} written as {wrong}"))
    for power in range(1, 8):
        what = "a wrong prefix, such as m or k" if power in (3, 6) else "a decimal point or a prefix in the wrong place"
        for sign in (power, -power):
            found.append(Slip(10.0**sign, "factor-10" if power == 1 else f"factor-1e{power}", what))
    if electrical and unit not in _ONLY_TEN:
        for cause, factor, words in _ANYWHERE:
            for either in (factor, 1 / factor):
                if not any(abs(either / slip.factor - 1) < 1e-3 for slip in found):
                    found.append(Slip(either, cause, f"a factor of {words}", sure=False))
    return tuple(found)
