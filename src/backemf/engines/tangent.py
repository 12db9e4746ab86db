"""Derivatives of a traced program by a few of its numbers, as more symbols of the same program.

They go forward with the operations: the tangent of a value is that of each argument times the derivative by it,

    tangent(value) = Σ tangent(argument)·∂value/∂argument

Each direction costs about as much as the program itself. `adjoint.py` goes backwards, which is for many numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .adjoint import RULES
from .tracing import FLOAT, Symbol, Traced, kind_of, reach, where

Push = Callable[[Symbol, Sequence[Traced]], Traced]
"""Tangent of a value from those of its arguments."""

_OWN: dict[str, Push] = {
    "div": lambda x, t: (t[0] - x * t[1]) / x.args[1],
    "max": lambda x, t: where(x.args[0] >= x.args[1], t[0], t[1]),
    "min": lambda x, t: where(x.args[0] <= x.args[1], t[0], t[1]),
    "where": lambda x, t: where(x.args[0], t[1], t[2]),
}
"""Operations whose tangent is shorter than the sum over their arguments."""


def tangents(outputs: Sequence[Traced], directions: Mapping[Symbol, Traced]) -> list[Traced]:
    """How each output changes: a symbol, or 0 where it does not; `directions` are the tangents of inputs."""
    known: dict[int, Traced] = {x.index: tangent for x, tangent in directions.items()}
    found = reach(outputs)
    for index in sorted(found):
        x = found[index]
        if index not in known and x.op in RULES:
            given = [_of(a, known) for a in x.args]
            if not all(_is_zero(t) for t in given):
                known[index] = _push(x, given)
    return [_of(x, known) for x in outputs]


def _push(x: Symbol, given: Sequence[Traced]) -> Traced:
    if x.op in _OWN:
        return _OWN[x.op](x, given)
    total: Traced = 0.0
    for partial, tangent in zip(RULES[x.op](x, 1.0), given, strict=True):
        if not _is_zero(partial) and not _is_zero(tangent):
            total = total + partial * tangent
    return total


def _of(x: Traced, known: Mapping[int, Traced]) -> Traced:
    """The tangent of a value; whole numbers and switches have none."""
    return known.get(x.index, 0.0) if isinstance(x, Symbol) and kind_of(x) == FLOAT else 0.0


def _is_zero(x: Traced) -> bool:
    return not isinstance(x, Symbol) and x == 0.0
