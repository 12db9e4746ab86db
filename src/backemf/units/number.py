"""The number in front of a unit, as an exact fraction; one that could be read twice is refused."""

from __future__ import annotations

import math
import re
from fractions import Fraction

from ..errors import UnitError
from .kinds import write_it
from .spelling import keyboard

_LONGEST_TEXT = 200
_SIMPLE = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?) ?((?![xX])[A-Za-z%][A-Za-z\d%*/^() ]*)?")
# patterns are compiled when they are first needed: most quantities are simple
_NUMBER = r"([+-]?(?:\d+\.?\d*|\.\d+))(?:[eE]([+-]?\d+)|\s*[*xX]\s*10(?:\^([+-]?\d+)|([+-]\d+)))?"
_RATIO = r"(\d+(?:\.\d*)?)\s*:\s*(\d+(?:\.\d*)?)"
_SEPARATED = r"[+-]?\d+(?:(?:[,.]\d+|[_']\d{3})+|(?: \d{3})+(?:[.,]\d+)?)(?![\d/])"
_MARK = r"[,._' ]"
_TOLERANCE = r"±|\+/-|\+-"


def split_quantity(text: str, unit: str) -> tuple[Fraction, str]:
    """The number at the start of a text and what stands behind it; `unit` is wanted."""
    if len(text) > _LONGEST_TEXT:
        raise UnitError(f'"{text[:30]}..." is too long for a quantity: {write_it(unit)}')
    clean = keyboard(text).strip()
    if simple := _SIMPLE.fullmatch(clean):
        return _fraction(text, simple[1]), (simple[2] or "").strip()
    ratio = re.fullmatch(_RATIO, clean)
    if ratio and float(ratio[2]) > 0:
        return Fraction(ratio[1]) / Fraction(ratio[2]), ""
    if re.search(_TOLERANCE, clean):
        raise UnitError(f'"{text}" has a tolerance: write the nominal value alone, {write_it(unit)}')
    _refuse_separators(text, clean, unit)
    match = re.match(_NUMBER, clean)
    if match is None:
        finite = " a finite number" if re.match(r"[+-]?(inf|nan)", clean, re.I) else " a number first"
        raise UnitError(f'"{text}" is not a quantity, it needs{finite}: {write_it(unit)}')
    rest = clean[match.end() :].strip()
    if rest.startswith(","):
        raise UnitError(f'"{text}" has a stray comma: {write_it(unit)}')
    return _fraction(text, f"{match[1]}e{match[2] or match[3] or match[4] or 0}"), rest


def _fraction(text: str, number: str) -> Fraction:
    # floats first: an absurd exponent must not become a fraction of a million digits
    size = float(number)
    if not math.isfinite(size):
        raise UnitError(f"{text!r} is not finite: give a finite number")
    return Fraction(number) if size else Fraction(0)


def _refuse_separators(text: str, clean: str, unit: str) -> None:
    """Decimal commas and marks between thousands, each with the number to write instead."""
    match = re.match(_SEPARATED, clean)
    if match is None:
        return
    rest = clean[match.end() :]
    marks, groups = re.findall(_MARK, match[0]), re.split(_MARK, match[0])
    if marks == ["."]:
        return
    whole, last = "".join(groups[:-1]), groups[-1]
    if marks == [","]:
        decimal = f'write a point, "{whole}.{last}{rest}"'
        if len(last) == 3 and re.fullmatch(r"[+-]?[1-9]\d{0,2}", whole):
            decimal = f'write "{whole}{last}{rest}" or "{whole}.{last}{rest}"'
            raise UnitError(f'"{text}" has two readings, a comma between thousands and a decimal comma: {decimal}')
        raise UnitError(f'"{text}" has a decimal comma: {decimal}')
    # of several marks, one that comes last and only there is the decimal mark
    point = "." if marks[-1] in ".," and marks[-1] not in marks[:-1] and len(marks) > 1 else ""
    if any(len(group) != 3 for group in (groups[1:-1] if point else groups[1:])):
        raise UnitError(f'"{text}" has more than one decimal mark: {write_it(unit)}')
    raise UnitError(
        f'"{text}" has marks between its thousands: write it without spaces or marks, "{whole}{point}{last}{rest}"'
    )
