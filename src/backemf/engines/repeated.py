"""A part of a traced program that runs several times, such as the substeps of a control loop, held once.

The first time stands in the program as it is, so that what it leaves has the form of every later time. Those are traced
once, on symbols for the numbers that change from one time to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from .symbols import leaves, with_symbols
from .tangent import tangents
from .tracing import FLOAT, Program, Symbol, Traced, Value, kind_of, reach

T = TypeVar("T")

FEW = 4
"""Times up to which a part stands in the program as often as it runs [1]."""


@dataclass(frozen=True, eq=False)
class Repeated:
    """The part that runs several times, each time with the numbers that it has left."""

    times: int
    """How often it runs [1]."""
    begin: tuple[Value, ...]
    """Numbers with which it starts."""
    carried: tuple[Symbol, ...]
    """The same numbers each time that it begins."""
    after: tuple[Value, ...]
    """What it makes of them."""
    end: tuple[Symbol, ...]
    """What is left after the last time."""

    def needed(self, roots: Iterable[Traced]) -> list[int]:
        """Places of the numbers that some symbols need."""
        known: list[int] = []
        while True:
            found = reach([*roots, *(x for k in known for x in (self.begin[k], self.after[k]))]).keys()
            ends = enumerate(zip(self.carried, self.end, strict=True))
            more = [k for k, (before, last) in ends if before.index in found or last.index in found]
            if more == known:
                return known
            known = more

    def with_tangents(
        self, given: Repeated, known: Mapping[Symbol, Traced], number: int
    ) -> tuple[Repeated, dict[Symbol, Traced]]:
        """With the tangents of the numbers of a part as further numbers, and those at its end.

        `given` is the part that they are of, `known` are tangents before it, `number` tells several of them apart.
        """
        program = given.carried[0].program
        places = [k for k, x in enumerate(given.carried) if x.kind == FLOAT]
        carried, end = (
            [_variable(program, f"tangent.{number}.{word}.{k}", FLOAT) for k in places] for word in ("carried", "end")
        )
        inside = {**known, **{given.carried[k]: x for k, x in zip(places, carried, strict=True)}}
        begin = tangents([given.begin[k] for k in places], known)
        after = tangents([given.after[k] for k in places], inside)
        whole = Repeated(
            self.times, (*self.begin, *begin), (*self.carried, *carried), (*self.after, *after), (*self.end, *end)
        )
        return whole, {given.end[k]: x for k, x in zip(places, end, strict=True)}


def repeat(times: int, body: Callable[[T], T], values: T) -> T:
    """What is left of some values after `body` has been applied so many times, as symbols."""
    values = body(values)
    if times <= FEW:
        for _ in range(times - 1):
            values = body(values)
        return values
    first: dict[str, Traced] = {**leaves(values, "")}
    program = next(x.program for x in first.values() if isinstance(x, Symbol))
    if program.repeated is not None:
        raise NotImplementedError("a second part that runs several times")
    # a number that stays what it is needs no variable: of symbols and of plain numbers that shows when it is tried
    carried = {name: _variable(program, f"carried{name}", x.kind) for name, x in first.items() if isinstance(x, Symbol)}
    while True:
        after: dict[str, Traced] = {**leaves(body(with_symbols(values, "", first | carried)), "")}
        same = {name for name, x in carried.items() if after[name] is x}
        more = [name for name, x in first.items() if name not in carried and _differ(after[name], x)]
        if not same and not more:
            break
        carried = {name: x for name, x in carried.items() if name not in same}
        carried |= {name: _variable(program, f"carried{name}", kind_of(after[name])) for name in more}
    end = {name: _variable(program, f"end{name}", x.kind) for name, x in carried.items()}
    begin, last = (tuple(x[name] for name in carried) for x in (first, after))
    program.repeated = Repeated(times - 1, begin, tuple(carried.values()), last, tuple(end.values()))
    return with_symbols(values, "", first | end)


def _differ(a: Traced, b: Traced) -> bool:
    """Whether two values are not known to be the same."""
    return a is not b and (isinstance(a, Symbol) or isinstance(b, Symbol) or a != b)


def _variable(program: Program, name: str, kind: str) -> Symbol:
    """A number that the loop over the part holds."""
    return program.symbol("variable", (name,), kind, False)
