"""What a step computes twice unless something rare happens: such as where a limit acts.

A step that may run into a limit first tries without it, then computes everything again along the line that acts. Where
no limit acts, that is the same line, and all that follows from it is known already. A `Detour` is that part of a step;
a compiled loop takes it only where it has to. The numbers are the same either way, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from heapq import heappop, heappush

from .tracing import Symbol, Traced, reach

WORTH = 24
"""Operations that a branch has to save."""
TRIES = 8
"""How many detours are looked at closely, those that may save most first."""


@dataclass(frozen=True)
class Detour:
    """Symbols that are known already where none of some conditions holds."""

    conditions: tuple[Symbol, ...]
    """Where one of them holds, the detour is taken."""
    without: dict[int, Traced]
    """What each symbol of the detour is where none of them holds, by its place."""
    beyond: set[int]
    """Symbols that follow from those of the detour."""


class Steps:
    """The order in which symbols are computed around a detour: those before it, inside it, and the rest."""

    def __init__(self, symbols: list[Symbol], later: set[int]):
        """`later` are the places of symbols that are used after all of them."""
        self.detour = detour = find_detour(symbols)
        """None: there is no detour, and nothing of what follows."""
        if detour is None:
            return
        self.inside = [x for x in symbols if x.index in detour.without]
        self.needs = arguments_of(self.inside) | {x.index for x in detour.conditions}
        """Places of what the detour is computed from, and what is known without it."""
        self.needs |= {x.index for x in detour.without.values() if isinstance(x, Symbol)}
        last = max(self.needs - detour.without.keys())
        held_up = detour.without.keys() | detour.beyond
        self.first = [x for x in symbols if x.index <= last and x.index not in held_up]
        self.rest = [
            x for x in symbols if x.index not in detour.without and (x.index > last or x.index in detour.beyond)
        ]
        used = later | arguments_of(self.rest)
        self.leaving = [x for x in self.inside if x.index in used]
        """Symbols of the detour that are used after it."""


def arguments_of(symbols: Iterable[Symbol]) -> set[int]:
    """The places of symbols that some are computed from, those of their branches included."""
    found: set[int] = set()
    for x in symbols:
        found |= {a.index for a in x.args if isinstance(a, Symbol)}
        if x.op == "branch":
            found |= reach([x.args[1]]).keys()
    return found


def find_detour(symbols: list[Symbol]) -> Detour | None:
    """The detour of a step that saves most, of symbols in order; None: none is worth it."""
    users: dict[int, list[Symbol]] = {x.index: [] for x in symbols}
    for x in symbols:
        for a in {id(a): a for a in x.args if isinstance(a, Symbol) and a.index in users}.values():
            users[a.index].append(x)
    groups: dict[tuple[int, ...], tuple[Symbol, ...]] = {}
    for x in symbols:
        if found := _conditions(x):
            groups.setdefault(tuple(c.index for c in found), found)
    sizes = {key: _size(group, users) for key, group in groups.items()}
    for key in sorted(sizes, key=sizes.__getitem__, reverse=True)[:TRIES]:
        detour = follow(symbols, groups[key])
        # whether it is taken must be known before
        early = not any(c.index in detour.beyond or c.index in detour.without for c in detour.conditions)
        if early and len(detour.without) >= WORTH:
            return detour
    return None


def _size(conditions: tuple[Symbol, ...], users: dict[int, list[Symbol]]) -> int:
    """How many symbols are known already where none of the conditions holds, at most."""
    without: dict[int, Traced] = {}
    seen = {c.index for c in conditions}
    todo = {x.index: x for c in conditions for x in users.get(c.index, ()) if x.op == "where" and x.args[0] is c}
    queue = sorted(todo)
    while queue:
        x = todo.pop(heappop(queue))
        args = [without.get(a.index, a) if isinstance(a, Symbol) else a for a in x.args]
        chosen = x.op == "where" and x.args[0].index in seen
        same: Traced = args[2] if chosen else x.program.find(x.op, args, x.kind)
        if same is None or (isinstance(same, Symbol) and not same.uniform and same.index >= x.index):
            continue
        without[x.index] = same
        for user in users.get(x.index, ()):
            if user.index not in todo:
                todo[user.index] = user
                heappush(queue, user.index)
    return len(without)


def _conditions(x: Traced) -> tuple[Symbol, ...]:
    """The conditions of a choice within choices, in whose last case none of them holds."""
    if not isinstance(x, Symbol) or x.op != "where" or x.uniform or x.args[0].uniform:
        return ()
    return x.args[0], *_conditions(x.args[2])


def follow(symbols: list[Symbol], conditions: tuple[Symbol, ...]) -> Detour:
    """What is known already where none of the conditions holds."""
    present = {x.index for x in symbols}
    without: dict[int, Traced] = {}
    beyond: set[int] = set()
    for x in symbols:
        places = [a.index for a in x.args if isinstance(a, Symbol)]
        args = [without.get(a.index, a) if isinstance(a, Symbol) else a for a in x.args]
        same: Traced = None
        if x.op == "where" and any(x.args[0] is each for each in conditions):
            same = args[2]
        elif any(place in without for place in places):
            same = x.program.find(x.op, args, x.kind)
        known = not isinstance(same, Symbol) or same.uniform or (same.index in present and same.index < x.index)
        if same is not None and known and not any(place in beyond for place in places):
            without[x.index] = same
        elif any(place in without or place in beyond for place in places):
            beyond.add(x.index)
    return Detour(conditions, without, beyond)
