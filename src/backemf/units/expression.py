"""The grammar of a unit, `mN*m/A` or `rpm/(mN*m)`: a product binds as in arithmetic, left to right."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from ..errors import UnitError
from .spelling import unit_words
from .unit import COMPOUNDS, UNITS, Unit, find_unit

_TOKEN = re.compile(r"""\s*([A-Za-z]+|%|\d+|['"]|[*/^()-])""")
_PRIMES = {"'": "arcmin", '"': "arcsec"}


@lru_cache(maxsize=1024)
def read_unit(expression: str, force: bool = False, turning: bool = False) -> Unit:
    """The unit an expression stands for; `force` and `turning` choose a reading as in `find_unit`."""
    return _Reader(unit_words(expression), force, turning).read()


class _Reader:
    """One pass over the tokens of an expression."""

    def __init__(self, expression: str, force: bool, turning: bool):
        self.expression, self.force, self.turning = expression, force, turning
        self.tokens: list[str] = []
        self.at = 0
        position = 0
        while position < len(expression):
            match = _TOKEN.match(expression, position)
            if match is None:
                raise UnitError(f'unexpected "{expression[position:].strip()}" in the unit "{expression}"')
            self.tokens.append(match[1])
            position = match.end()

    def read(self) -> Unit:
        if self.tokens and self.tokens[0].isdigit() and self.tokens[0] != "1":
            raise UnitError(f'unexpected "{self.tokens[0]}": write the number without spaces')
        unit = self._product()
        if self.at != len(self.tokens):
            raise UnitError(f'unexpected "{self._next}" in the unit "{self.expression}"')
        return unit

    @property
    def _next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def _product(self) -> Unit:
        unit = self._power()
        while self._next not in ("", ")"):
            divide = self._next == "/"
            # two names side by side multiply: "N m"
            self.at += self._next in "*/"
            factor = self._power()
            unit = unit * factor**-1 if divide else unit * factor
        return unit

    def _power(self) -> Unit:
        name = self._next
        if name in COMPOUNDS and name not in UNITS:
            self.at += 1
            *first, last = (self._find(part) for part in COMPOUNDS[name])
            unit = last ** self._exponent()
            for factor in first:
                unit = unit * factor
            return unit
        if name.isdigit() and name != "1":
            return self._multiple()
        return self._atom() ** self._exponent()

    def _multiple(self) -> Unit:
        """`V/1000 rpm` is a voltage per thousand: under a fraction bar a number belongs to what follows."""
        count = int(self._next)
        if count == 0 or "/" not in self.tokens[: self.at]:
            raise UnitError(f'unexpected "{self._next}" in the unit "{self.expression}"')
        self.at += 1
        self.at += self._next == "*"
        return Unit(Fraction(count)) * self._power()

    def _exponent(self) -> int:
        if self._next != "^":
            return 1
        match = re.match(r"\^(-?)(\d)(?!\d)", "".join(self.tokens[self.at : self.at + 3]))
        if match is None:
            raise UnitError(f'the exponent in the unit "{self.expression}" must be a whole number from -9 to 9')
        self.at += 2 + len(match[1])
        return int(match[1] + match[2])

    def _atom(self) -> Unit:
        name = self._next
        if not name:
            raise UnitError(f'the unit "{self.expression}" ends too early')
        self.at += 1
        if name != "(":
            return self._find(name)
        unit = self._product()
        if not self._next:
            raise UnitError(f'a parenthesis in the unit "{self.expression}" is not closed')
        self.at += 1
        return unit

    def _find(self, name: str) -> Unit:
        if name in ("degC", "C") and len(self.tokens) > 1:
            # within a product it can only be a difference: °C/W
            name = "K"
        return find_unit(_PRIMES.get(name, name), self.force, self.turning)
