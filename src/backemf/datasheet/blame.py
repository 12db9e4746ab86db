"""Which one figure, written in the wrong unit, explains why a sheet contradicts itself.

Each figure in turn is corrected by each slip its unit can have, and the sheet compared with itself again: a slip that
makes every figure agree is named, and so is any other that does it nearly as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace

from ..units import linear_unit
from .figures import Electrical, Mechanical
from .predict import FREE, mismatches, tolerance_of
from .slips import Slip, slips_of
from .solve import Solved, solve
from .table import quantities

_UNITS = {
    figure: (table, quantity.unit)
    for table, kind in (("electrical", Electrical), ("mechanical", Mechanical))
    for figure, quantity in quantities(kind).items()
}
_CLEAR = math.log(1.3)
"""Below this no slip is looked for: the smallest is 1.36, between N·m and lbf·ft."""
_NEAR = 0.03
"""How near the figures must come to each other by a correction."""
_NEAR_SMALL = 0.006
"""The same for a factor such as √2 where it is not a usual slip: loads and losses make such ratios too."""
_POWER = 2.2
"""Predictions go at most with the square of a figure and at least with its root."""
_AS_GOOD = 0.5
"""Difference in squared tolerances below which two explanations are equally good."""
_ALTERNATIVES = 2
"""How many other explanations are named."""


@dataclass(frozen=True)
class Blame:
    """One figure and the slip that was probably made in it."""

    table: str
    figure: str
    slip: Slip
    left: float
    """What still disagrees after the correction, in squared tolerances."""

    def said_of(self, figure: str) -> str:
        """The slip in one sentence part, on its own figure or on one it spoils."""
        what = "listed" if figure == self.figure else f"[{self.table}] {self.figure}"
        return f"{what} is {self.slip.size} what the others predict: probably {self.slip.words}"


def find_slips(s: Solved) -> list[Blame]:
    """The slips that explain all contradictions of a sheet, the best first; empty if there is nothing to explain."""
    before = _logs(s)
    if not any(is_clear(value) for value in before.values()):
        return []
    found = sorted(_corrections(s, before), key=lambda blame: (round(blame.left, 3), not blame.slip.sure))
    return [blame for blame in found if blame.left <= found[0].left + _AS_GOOD]


def is_clear(mismatch: float) -> bool:
    """Whether a logarithm of listed over predicted is so far from 0 that a slip is worth looking for."""
    return abs(mismatch) > _CLEAR


def explain(
    figure: str, unit: str, ratio: float, slips: list[Blame], electrical: bool = True
) -> tuple[str, str] | None:
    """Sentence and cause for a figure that is off by a ratio; None if no slip explains it."""
    if not is_clear(math.log(ratio)):
        return None
    if slips:
        best, *others = slips
        words = "; or ".join(blame.said_of(figure) for blame in [best, *others[:_ALTERNATIVES]])
        return words, best.slip.cause
    fits = [slip for slip in slips_of(unit, electrical) if abs(math.log(ratio / slip.factor)) < _nearness(slip) / 2]
    if not fits:
        return None
    slip = min(fits, key=lambda slip: abs(math.log(ratio / slip.factor)))
    return Blame("", figure, slip, 0.0).said_of(figure), slip.cause


def _corrections(s: Solved, before: dict[str, float]) -> Iterator[Blame]:
    """Every correction of one figure after which the sheet agrees with itself."""
    worst = max(abs(value) for value in before.values())
    for field in fields(s.figures):
        # a speed constant stands among the figures as its inverse
        figure = "kv" if field.name == "ke" and s.sheet.electrical.ke is None else field.name
        value = getattr(s.figures, field.name)
        if figure not in _UNITS or not value:
            continue
        table, unit = _UNITS[figure]
        # nothing turns in a linear motor: only prefixes and decimal points slip
        for slip in slips_of(linear_unit(unit), electrical=False) if s.sheet.motion == "linear" else slips_of(unit):
            if figure != "no_load_current" and not worst / _POWER < abs(math.log(slip.factor)) < worst * _POWER:
                continue
            corrected = value * slip.factor if figure == "kv" else value / slip.factor
            after = _logs(solve(s.sheet, replace(s.figures, **{field.name: corrected})))
            if _explains(before, after, _nearness(slip)):
                left = sum((x / tolerance_of(f)) ** 2 for f, x in after.items())
                yield Blame(table, figure, slip, left)


def _logs(s: Solved) -> dict[str, float]:
    """The mismatches of a sheet; empty for figures of absurd size."""
    try:
        return mismatches(s)
    except (ArithmeticError, ValueError):
        return {}


def _nearness(slip: Slip) -> float:
    return _NEAR if slip.sure or not 1 / 3 < slip.factor < 3 else _NEAR_SMALL


def _explains(before: dict[str, float], after: dict[str, float], near: float) -> bool:
    """Whether all that was clearly wrong is right now, nothing else is wrong, and some figure confirms it."""
    if not before.keys() <= after.keys():
        return False
    for figure, now in after.items():
        was = before.get(figure, 0.0)
        allowed = min(near, tolerance_of(figure)) if is_clear(was) else max(abs(was), tolerance_of(figure))
        if abs(now) > allowed:
            return False
    return any(abs(now - before.get(figure, math.inf)) > _NEAR for figure, now in after.items() if figure != FREE)
