"""What to measure next: what would tell apart what these logs cannot, and narrow what they leave wide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .information import Blind, family_of, is_of_network
from .parameters import Parameter

WIDE = 2.0
"""Upper over lower end of an interval from which on a positive number counts as wide [1]."""


@dataclass(frozen=True)
class Advice:
    """One thing to do."""

    action: str
    """What to do, such as: log the current."""
    reason: str
    """What it would tell."""

    def __str__(self) -> str:
        return f"{self.action[:1].upper()}{self.action[1:]}: {self.reason}"


def measure_next(
    parameters: Sequence[Parameter], intervals: Sequence[tuple[float, float]], blind: Sequence[Blind]
) -> tuple[Advice, ...]:
    """What to do, each thing once.

    Args:
        parameters: What was fitted.
        intervals: Ends of the 95 % interval of each.
        blind: Directions that the logs do not see.
    """
    reasons: dict[str, list[str]] = {}
    told: set[str] = set()
    for direction in blind:
        names = [name for name, _ in direction.parts]
        told |= set(names)
        text = (
            f"tells {_list(sorted(names))} apart" if len(names) > 1 else f"tells {names[0]}, which stays near the prior"
        )
        reasons.setdefault(direction.advice, []).append(text)
    for each, (low, high) in zip(parameters, intervals, strict=True):
        if each.name in told or family_of(each.name) in told or is_of_network(each.name):
            continue
        advice = Blind(0.0, ((each.name, 1.0),)).advice
        if each.positive and high > WIDE * low:
            reasons.setdefault(advice, []).append(f"narrows {each.name}, known within a factor of {high / low:.2g}")
        elif not each.positive and high - low > 2.0 * each.spread:
            reasons.setdefault(advice, []).append(f"narrows {each.name}, known to {_half(low, high)} {each.unit}")
    return tuple(Advice(action, "; ".join(dict.fromkeys(why))) for action, why in reasons.items())


def _half(low: float, high: float) -> str:
    return f"±{0.5 * (high - low):.2g}"


def _list(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
