"""Simpler programs of the same value: what a traced step computes in vain or twice is left out.

A law guards a division by writing `where(small, series, f(where(small, 1, x)))`, so that no side of it is ever
infinite. Of a compiled step nobody takes the gradient, so the inner choice goes: `where(small, series, f(x))` picks the
same numbers, to the last bit, and several guards of the same x share what they compute.

Divisions by the same number share its reciprocal, at the cost of one more rounding, and those by what all motors have
in common cost two multiplications. In single precision all divisions are made that way, since a reciprocal costs a GPU
a tenth of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from .native_text import Traces
from .repeated import Repeated
from .tracing import FLOAT, INT, WORD, Line, Program, Symbol, Traced, Value, is_number, kind_of, node, reach

LOG2_E = 1.4426950408889634
EXACT = ("floor", "mod", "eq", "ne", INT, WORD)
"""Operations for which the last digit of a number matters."""
TINY, LARGE = 2.0**-1000, 2.0**100
"""Size below which a number and its share are both multiplied by a power of two: its own reciprocal may be infinite."""
NEAR = 6
"""How many operations behind a choice the same choice is looked for."""


def simplify(traces: Traces, single: bool) -> Traces:
    """The same step with fewer operations; `single` allows for those that change the last digits."""
    once = _Rewriting(traces, single).traces()
    return _Rewriting(once, single).traces() if single else once


def share_divisions(traces: Traces) -> Traces:
    """The same step in double precision without the divisions that others make too."""
    return _Sharing(_Rewriting(traces, False).traces(), False).traces()


class _Rewriting:
    """The program written anew, operation by operation."""

    def __init__(self, traces: Traces, single: bool):
        self.before, self.single = traces, single
        self.program = Program()
        self._made: dict[int, Traced] = {}
        self._assumed: dict[tuple[int, int, bool, int], Traced] = {}
        inputs = (*traces.states.values(), *traces.inputs.values())
        self._inverted = {
            x.args[0].index for x in (inputs[0].program.symbols if inputs else ()) if x.op == "reciprocal"
        }
        """Symbols of the old program whose reciprocal is taken."""
        self._inverted_now: set[int] = set()
        """The same symbols in the new one."""
        self._uses = Counter(a.index for x in reach(traces.roots()).values() for a in x.args if isinstance(a, Symbol))

    def traces(self) -> Traces:
        """The step in the new program."""
        old = self.before
        make = self.remake

        def each(given: dict[str, Symbol]) -> dict[str, Symbol]:
            return {name: make(x) for name, x in given.items()}

        states, inputs, own = each(old.states), each(old.inputs), each(old.own)
        # in the order of the laws, so that a substep is over before the next one begins
        for _, x in sorted(reach(old.roots()).items()):
            make(x)
        return replace(
            old, states=states, inputs=inputs, own=own, lines={n: self._line(x) for n, x in old.lines.items()},
            after={n: make(x) for n, x in old.after.items()}, out={n: make(x) for n, x in old.out.items()},
            new_lines={n: self._line(x) for n, x in old.new_lines.items()},
            repeated=None if old.repeated is None else self._repeated(old.repeated, old.roots()),
        )  # fmt: skip

    def _line(self, line: Line) -> Line:
        return Line(self.program, line.name, line.frames, self.remake(line.slot), self.remake(line.frame))

    def _repeated(self, part: Repeated, roots: list[Traced]) -> Repeated:
        def some(values: Sequence[Traced]) -> tuple[Traced, ...]:
            return tuple(self.remake(values[k]) for k in places)

        places = part.needed(roots)
        return Repeated(part.times, some(part.begin), some(part.carried), some(part.after), some(part.end))

    def remake(self, x: Traced) -> Traced:
        """A value of the old program in the new one."""
        if not isinstance(x, Symbol):
            return x
        if x.index in self._made:
            return self._made[x.index]
        todo = [x]
        while todo:
            top = todo[-1]
            missing = [a for a in top.args if isinstance(a, Symbol) and a.index not in self._made]
            if missing and top.index not in self._made:
                todo += missing
                continue
            todo.pop()
            if top.index not in self._made:
                args = [self._made[a.index] if isinstance(a, Symbol) else a for a in top.args]
                made = None
                if self.single and top.op == "mul" and top.kind == FLOAT:
                    args = self._ordered(top, args)
                    made = self._spread(top)
                made = self._remake_one(top, args) if made is None else made
                self._made[top.index] = made
                if top.index in self._inverted and isinstance(made, Symbol):
                    self._inverted_now.add(made.index)
        return self._made[x.index]

    def _remake_one(self, old: Symbol, args: list[Traced]) -> Traced:
        return self._make(old.op, args, old.kind)

    def _make(self, op: str, args: list[Traced], kind: str) -> Traced:
        if op in ("number", "load", "pick", "variable"):
            return self.program.symbol(op, tuple(args), kind, op == "number")
        if op == "detach":
            return args[0]
        if op == "total":
            return self.program.symbol(op, tuple(args), kind, False)
        if op == "where" and isinstance(args[0], Symbol):
            a, b = self._assume(args[1], args[0], True, NEAR), self._assume(args[2], args[0], False, NEAR)
            if self.single and args[0].op in ("lt", "gt") and _alike(args[0].args[0], b) and _alike(args[0].args[1], a):
                return node("max" if args[0].op == "lt" else "min", b, a, kind=kind)
            if self.single and args[0].op == "lt" and all(map(is_number, (args[0].args[1], a, b), (0, -1, 1))):
                return node("direction", args[0].args[0], kind=kind)
            return a if a is b else node("where", args[0], a, b, kind=kind)
        if self.single and kind == FLOAT and op == "div":
            return self._product(args[0], self._reciprocal(args[1]))
        if self.single and kind == FLOAT and op == "mul":
            return self._product(*args)
        if self.single and kind == FLOAT and op in ("add", "sub"):
            return self._sum(op, *args)
        if self.single and op == "exp" and not _same_for_all(args[0]):
            return node("exp2", self._product(LOG2_E, args[0]), kind=FLOAT)
        if op == "reciprocal":
            return self._reciprocal(args[0])
        return node(op, *args, kind=kind)

    def _assume(self, x: Traced, condition: Symbol, truth: bool, near: int) -> Traced:
        """A value where a condition is known."""
        if not isinstance(x, Symbol) or x.uniform or near == 0 or x.op in ("load", "pick"):
            return x
        key = x.index, condition.index, truth, near
        if key not in self._assumed:
            found: Traced = x
            if x.op == "where" and x.args[0] is condition:
                found = self._assume(x.args[1 if truth else 2], condition, truth, near)
            else:
                args = [self._assume(each, condition, truth, near - 1) for each in x.args]
                if any(new is not old for new, old in zip(args, x.args, strict=True)):
                    found = self._make(x.op, args, x.kind)
            self._assumed[key] = found
        return self._assumed[key]

    # --- in single precision

    def _ordered(self, product: Symbol, args: list[Traced]) -> list[Traced]:
        """The factors of a product, with what all motors share taken out of a factor that nothing else uses."""
        for old, one, other in zip(product.args, args, reversed(args), strict=True):
            if not isinstance(one, Symbol) or one.op != "mul" or not _same_for_all(one.args[0]):
                continue
            if self._uses[old.index] == 1 and not _same_for_all(other) and not one.uniform:
                if isinstance(other, Symbol) and other.op == "reciprocal":
                    # several numbers over the same one share that factor too
                    return [one.args[1], self._product(one.args[0], other)]
                return [one.args[0], self._product(one.args[1], other)]
        return args

    def _spread(self, product: Symbol) -> Traced:
        """A number that all motors share times a sum of such shares, as a sum; None: it is something else."""
        for share, total in (product.args, reversed(product.args)):
            if _same_for_all(share) and self._is_sum_of_shares(total):
                times = self._made[share.index] if isinstance(share, Symbol) else share
                return self._spread_over(times, total)
        return None

    def _is_sum_of_shares(self, x: Value) -> bool:
        """Whether nothing else uses a sum of numbers of a motor, each times one that all motors share."""
        if not isinstance(x, Symbol) or x.op not in ("add", "sub") or x.uniform or self._uses[x.index] > 1:
            return False
        return all(_is_share(self._made[a.index]) or self._is_sum_of_shares(a) for a in x.args if isinstance(a, Symbol))

    def _spread_over(self, times: Value, x: Value) -> Traced:
        made = self._made[x.index] if isinstance(x, Symbol) else x
        if _is_share(made) or not isinstance(x, Symbol) or x.op not in ("add", "sub"):
            return self._product(times, made)
        return self._sum(x.op, *(self._spread_over(times, a) for a in x.args))

    def _sum(self, op: str, a: Value, b: Value) -> Traced:
        """A sum whose terms that all motors share are one."""
        if _same_for_all(b) and isinstance(a, Symbol) and a.op in ("add", "sub") and not a.uniform:
            first, second = a.args
            if _same_for_all(second):
                both = node(op, second, b) if a.op == "add" else node("add" if op == "sub" else "sub", second, b)
                return node(a.op, first, both, kind=FLOAT)
            if a.op == "add" and _same_for_all(first):
                return node("add", second, node(op, first, b), kind=FLOAT)
        if _is_share(b) and isinstance(a, Symbol) and a.op in ("add", "sub") and _is_share(a.args[1]):
            # so many times the same number
            (u, x), (v, y) = _part(a.args[1]), _part(b)
            if x is y:
                return node(a.op, a.args[0], self._product(node("add" if a.op == op else "sub", u, v), x), kind=FLOAT)
        return node(op, a, b, kind=FLOAT)

    def _product(self, a: Value, b: Value) -> Traced:
        """A product whose factors that all motors share are one."""
        if _same_for_all(b):
            a, b = b, a
        if not _same_for_all(a):
            return self._own_product(a, b)
        if _same_for_all(b):
            return _times(a, b)
        if isinstance(b, Symbol) and b.op == "mul" and not b.uniform and _same_for_all(b.args[0]):
            return self._product(node("mul", a, b.args[0]), b.args[1])
        if isinstance(b, Symbol) and b.op == "neg" and not isinstance(a, Symbol):
            a, b = -a, b.args[0]
            return self._product(a, b)
        return b if not isinstance(a, Symbol) and a == 1.0 else node("mul", a, b, kind=FLOAT)

    def _own_product(self, a: Value, b: Value) -> Traced:
        """A product of two numbers that each motor has of its own."""
        sign = 1.0
        if isinstance(a, Symbol) and a.op == "neg" and isinstance(b, Symbol) and _alike(a.args[0], b):
            a, sign = b, -1.0
        if a is b and isinstance(a, Symbol) and a.op == "mul" and _same_for_all(a.args[0]):
            # of a square
            return self._product(self._product(sign, node("mul", a.args[0], a.args[0])), node("mul", *a.args[1:] * 2))
        if sign < 0.0:
            return node("neg", node("mul", b, b))
        for one, other in ((a, b), (b, a)):
            short = self._cancel(one, other)
            if short is not None:
                return short
            if isinstance(other, Symbol) and other.op == "add":
                # x·(s + t/x) waits for no division
                for s, t in (other.args, reversed(other.args)):
                    if isinstance(t, Symbol) and t.op == "mul":
                        for share, rest in (t.args, reversed(t.args)):
                            short = self._cancel(one, share)
                            if short is not None:
                                return self._sum("add", self._product(one, s), self._product(short, rest))
            # a product of three, two of which are known
            if isinstance(other, Symbol) and other.op == "mul" and not _same_for_all(other.args[0]):
                for first, rest in (other.args, reversed(other.args)):
                    short = self._cancel(one, first)
                    if short is not None:
                        return self._product(rest, short)
                    known = self._known_product(one, first)
                    if known is not None:
                        return node("mul", rest, known)
        return node("mul", a, b)

    def _cancel(self, a: Value, b: Value) -> Traced:
        """A product in which a number meets its reciprocal; None: it does not."""
        share, inverse = b.args if _is_share(b) and isinstance(b, Symbol) else (1.0, b)
        if not isinstance(inverse, Symbol) or inverse.op != "reciprocal":
            return None
        own, rest = a, 1.0
        if isinstance(a, Symbol) and a.op == "mul" and not _same_for_all(a.args[0]):
            own, rest = a.args if _part(a.args[0])[1] is inverse.args[0] else reversed(a.args)
        times, x = _part(own)
        if x is not inverse.args[0]:
            return None
        return self._product(_times(share, times), rest)

    def _known_product(self, a: Value, b: Value) -> Symbol | None:
        """The product of two numbers if it is taken anyway."""
        found = self.program.find("mul", (a, b), FLOAT)
        return self.program.find("mul", (b, a), FLOAT) if found is None else found

    def _reciprocal(self, x: Value) -> Traced:
        if _same_for_all(x):
            return node("div", 1.0, x)
        assert isinstance(x, Symbol)
        if x.op == "mul" and (_same_for_all(x.args[0]) or all(self._is_inverted(each) for each in x.args)):
            return self._product(self._reciprocal(x.args[0]), self._reciprocal(x.args[1]))
        return self.program.symbol("reciprocal", (x,), FLOAT, False)

    def _is_inverted(self, x: Value) -> bool:
        """Whether the reciprocal of a value is taken anyway."""
        return isinstance(x, Symbol) and x.index in self._inverted_now


class _Sharing(_Rewriting):
    """Numbers over the same one as products with its reciprocal."""

    def __init__(self, traces: Traces, single: bool):
        super().__init__(traces, single)
        found = reach(traces.roots()).values()
        divisions = [x for x in found if x.op == "div" and not x.uniform]
        shares = Counter(x.args[1].index for x in divisions if isinstance(x.args[1], Symbol))
        # all that leads to what is rounded down, or compared for equality, keeps its last digit
        exact = reach([a for x in found if x.op in EXACT for a in x.args])
        self._shared = {
            x.index for x in divisions
            if x.index not in exact and (_same_for_all(x.args[1]) or shares[x.args[1].index] > 1)
        }  # fmt: skip

    def _remake_one(self, old: Symbol, args: list[Traced]) -> Traced:
        if old.index in self._shared:
            share, whole = args
            scale = 1.0
            if kind_of(whole) == FLOAT:
                scale = node("where", node("lt", node("abs", whole), TINY), LARGE, 1.0, kind=FLOAT)
            inverse = node("div", 1.0, _scaled(whole, scale), kind=FLOAT)
            return _scaled(_scaled(share, scale), inverse)
        return self._make(old.op, args, old.kind)


def _same_for_all(x: Value) -> bool:
    return not isinstance(x, Symbol) or x.uniform


def _scaled(a: Value, b: Value) -> Traced:
    """A product, of which a factor that is 1 is left out."""
    return b if is_number(a, 1) else a if is_number(b, 1) else node("mul", a, b, kind=FLOAT)


def _times(a: Value, b: Value) -> Traced:
    """The product of two numbers that all motors share."""
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Symbol) and one.op == "div" and _alike(one.args[0], 1.0) and _alike(one.args[1], other):
            return 1.0
    return b if _alike(a, 1.0) else a if _alike(b, 1.0) else node("mul", a, b)


def _part(x: Value) -> tuple[Value, Value]:
    """What all motors share of a product, and the rest."""
    return (x.args[0], x.args[1]) if _is_share(x) and isinstance(x, Symbol) else (1.0, x)


def _is_share(x: Value) -> bool:
    """Whether it is a number of a motor times one that all motors share."""
    return isinstance(x, Symbol) and x.op == "mul" and not x.uniform and _same_for_all(x.args[0])


def _alike(a: Value, b: Value) -> bool:
    """Whether two values are the same symbol or number."""
    return a is b or (not isinstance(a, Symbol) and not isinstance(b, Symbol) and a == b)
