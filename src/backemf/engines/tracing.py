"""Tracing: the laws run once on symbols, and what they do is left behind as a straight-line program.

A step is elementwise and its structure is fixed, so one run on symbols sees every operation that any motor will ever
go through. The same operation on the same values is one node. What depends on nothing but plain numbers, the same for
all motors, is computed once by the host and costs the motors nothing.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import numpy as np

from ..errors import ParameterError
from ..physics import ops as numpy_ops

if TYPE_CHECKING:
    from .repeated import Repeated

FLOAT, INT, WORD, BOOL = "float", "int", "word", "bool"
"""Kinds of values: a number, a whole number, 32 bits for drawing, a switch."""

Traced: TypeAlias = Any
"""A symbol, or a plain number where nothing but plain numbers went in: laws treat both alike."""
Argument: TypeAlias = Any
"""An argument of an operation: a symbol, a plain number, or the name of an input."""
Operation = Callable[..., Traced]
"""An operation on symbols and plain numbers."""
HOST: dict[str, Operation] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "mod": operator.mod,
    "neg": operator.neg, "and": operator.and_, "or": operator.or_, "xor": operator.xor, "shift": operator.rshift,
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge, "eq": operator.eq, "ne": operator.ne,
    "abs": np.abs, "exp": np.exp, "expm1": np.expm1, "log2": np.log2, "max": np.maximum, "min": np.minimum,
    "pow": np.power, "sign": np.sign, "sin": np.sin, "cos": np.cos, "sqrt": np.sqrt, "tanh": np.tanh, "floor": np.floor,
    "isfinite": np.isfinite, "where": lambda c, a, b: a if c else b, "detach": lambda x: x,
    "branch": lambda c, a, b: a if c else b,
    FLOAT: np.float64, INT: int, WORD: lambda x: int(x) & 0xFFFFFFFF, BOOL: bool,
}  # fmt: skip
"""How the host computes each operation."""
COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")


def operation(op: str) -> Operation:
    """The function that makes the symbol of an operation."""

    def make(*args: Value) -> Traced:
        return node(op, *args)

    return make


class Symbol:
    """A value of the program: an operation on symbols and plain numbers."""

    __slots__ = ("args", "index", "kind", "op", "program", "uniform")
    __array_ufunc__ = None
    __hash__ = object.__hash__

    def __init__(self, program: Program, op: str, args: tuple[Argument, ...], kind: str, uniform: bool):
        self.program, self.op, self.args, self.kind, self.uniform = program, op, args, kind, uniform
        self.index = len(program.symbols)

    def __bool__(self) -> bool:
        raise TypeError("a law asks for the value of a symbol: laws choose with where, not with if")

    def __neg__(self) -> Traced:
        return node("neg", self)

    def __abs__(self) -> Traced:
        return node("abs", self)

    def __add__(self, other: Value) -> Traced:
        return self if is_number(other, 0) else node("add", self, other)

    def __sub__(self, other: Value) -> Traced:
        return self if is_number(other, 0) else node("sub", self, other)

    def __rsub__(self, other: Value) -> Traced:
        return node("neg", self) if is_number(other, 0) else node("sub", other, self)

    def __mul__(self, other: Value) -> Traced:
        if is_number(other, 0):
            return other
        return self if is_number(other, 1) else node("mul", self, other)

    def __truediv__(self, other: Value) -> Traced:
        return self if is_number(other, 1) else node("div", self, other)

    def __rtruediv__(self, other: Value) -> Traced:
        return 0.0 if is_number(other, 0) else node("div", other, self)

    def __pow__(self, exponent: Value) -> Traced:
        return math.prod([self] * exponent, start=1.0) if isinstance(exponent, int) else node("pow", self, exponent)

    def __and__(self, other: Value) -> Traced:
        if isinstance(other, bool):
            return self if other else False
        return node("and", self, other)

    def __or__(self, other: Value) -> Traced:
        if isinstance(other, bool):
            return True if other else self
        return self if is_number(other, 0) else node("or", self, other)

    __radd__, __rmul__, __rand__, __ror__ = __add__, __mul__, __and__, __or__
    __mod__, __xor__, __rshift__ = operation("mod"), operation("xor"), operation("shift")
    __lt__, __le__, __gt__, __ge__ = operation("lt"), operation("le"), operation("gt"), operation("ge")
    __eq__, __ne__ = operation("eq"), operation("ne")


class Program:
    """All symbols in the order in which they can be computed; `make` is the class of them.

    With `branches` it may hold choices of which only what is chosen is computed.
    """

    def __init__(self, make: type[Symbol] = Symbol, branches: bool = False) -> None:
        self.branches = branches
        self.symbols: list[Symbol] = []
        self.repeated: Repeated | None = None
        """The part of it that runs several times; None: there is none."""
        self._make = make
        self._known: dict[object, Symbol] = {}

    def number(self, name: str) -> Symbol:
        """A plain number, the same for all motors."""
        return self.symbol("number", (name,), FLOAT, True)

    def load(self, name: str, kind: str) -> Symbol:
        """A motor's own number out of an array."""
        return self.symbol("load", (name,), kind, False)

    def find(self, op: str, args: Sequence[Argument], kind: str) -> Symbol | None:
        """The symbol of an operation; None: there is none yet."""
        return self._known.get(_key(op, args, kind))

    def symbol(self, op: str, args: tuple[Argument, ...], kind: str, uniform: bool) -> Symbol:
        key = _key(op, args, kind)
        if key not in self._known:
            self._known[key] = self._make(self, op, args, kind, uniform)
            self.symbols.append(self._known[key])
        return self._known[key]


def _key(op: str, args: Sequence[Argument], kind: str) -> object:
    """What makes two operations the same."""
    return op, tuple(x.index if isinstance(x, Symbol) else (type(x), x) for x in args), kind


class Line:
    """A line of frames: as it came in, or with the frame of one slot replaced."""

    def __init__(self, program: Program, name: str, frames: int, slot: Traced = None, frame: Traced = None):
        self.program, self.name, self.frames, self.slot, self.frame = program, name, frames, slot, frame
        self.kind = FLOAT

    def __len__(self) -> int:
        return self.frames

    def __getitem__(self, slot: int) -> Line:
        # a frame is only asked for to see what a frame is like
        return self


Value = Symbol | float | bool
"""What an operation takes: a symbol or a plain number."""


def is_number(x: Value, value: int) -> bool:
    return isinstance(x, (int, float)) and not isinstance(x, bool) and x == value


def kind_of(x: Value | Line) -> str:
    """The kind of a symbol or plain number."""
    if isinstance(x, (Symbol, Line)):
        return x.kind
    return BOOL if isinstance(x, (bool, np.bool_)) else INT if isinstance(x, (int, np.integer)) else FLOAT


def common_kind(values: tuple[Value, ...]) -> str:
    """The kind in which values meet: plain whole numbers follow the others."""
    kinds = {kind_of(x) for x in values}
    if FLOAT in kinds:
        return FLOAT
    symbols = {x.kind for x in values if isinstance(x, Symbol)}
    if symbols == {WORD}:
        return WORD
    return BOOL if kinds == {BOOL} else INT


def node(op: str, *args: Value, kind: str | None = None) -> Traced:
    """The symbol of an operation; of plain numbers alone, its value."""
    program = next((x.program for x in args if isinstance(x, Symbol)), None)
    if program is None:
        with np.errstate(all="ignore"):
            return plain(HOST[op](*args))
    if kind is None:
        chosen = args[1:] if op in ("where", "branch") else args
        kind = BOOL if op in COMPARISONS or op == "isfinite" else common_kind(chosen)
        kind = INT if kind == BOOL and op in ("add", "sub", "mul") else kind
        kind = FLOAT if op == "div" else kind
    return program.symbol(op, args, kind, all(x.uniform for x in args if isinstance(x, Symbol)))


def plain(x: Value | np.generic) -> Traced:
    """A plain number of Python's own."""
    return x.item() if isinstance(x, np.generic) else x


def evaluate(symbols: list[Symbol], numbers: Mapping[str, float]) -> list[float]:
    """The values of symbols that follow from plain numbers alone."""
    values: dict[int, Traced] = {}

    def value(x: Value) -> Traced:
        if not isinstance(x, Symbol):
            return np.float64(x) if isinstance(x, float) else x
        if x.index not in values:
            own = x.op == "number"
            values[x.index] = np.float64(numbers[x.args[0]]) if own else HOST[x.op](*(value(each) for each in x.args))
        return values[x.index]

    with np.errstate(all="ignore"):
        return [plain(value(symbol)) for symbol in symbols]


def reach(roots: Iterable[Traced]) -> dict[int, Symbol]:
    """Every symbol that some need, themselves included, by place; what all motors share ends a branch."""
    found: dict[int, Symbol] = {}
    todo = [x for x in roots if isinstance(x, Symbol)]
    while todo:
        x = todo.pop()
        if x.index not in found:
            found[x.index] = x
            todo += [] if x.uniform else [each for each in x.args if isinstance(each, Symbol)]
    return found


# --- the operations of the laws


def cast(x: Value, kind: str) -> Traced:
    """The value in another kind."""
    return x if kind_of(x) == kind else node(kind, x, kind=kind)


def expm1(x: Value) -> Traced:
    """exp(x) - 1 for what no host can compute: 2t/(1 - t) with t = tanh(x/2), exact to rounding for any x below 1."""
    if not isinstance(x, Symbol) or x.uniform:
        return node("expm1", x)
    t = node("tanh", 0.5 * x)
    return 2.0 * t / (1.0 - t)


def sign(x: Value) -> Traced:
    if not isinstance(x, Symbol) or x.uniform:
        return node("sign", x)
    return where(x > 0.0, 1.0, where(x < 0.0, -1.0, 0.0))


def isfinite(x: Value) -> Traced:
    """Nothing but a finite number is 0 after taking itself away; a compiler can do that for many motors at once."""
    return x - x == 0.0 if isinstance(x, Symbol) and not x.uniform else node("isfinite", x)


def where(condition: Value, a: Value, b: Value) -> Traced:
    if not isinstance(condition, Symbol):
        return a if condition else b
    return a if a is b else node("where", condition, a, b)


def refine(found: Value, before: Value, further: Callable[[], Traced]) -> Traced:
    """The end of a search; a program with branches takes the further steps only where the last one moved it far."""
    if not isinstance(found, Symbol) or found.uniform or not found.program.branches:
        return further()
    moved = node("abs", found - before)
    return node("branch", moved > numpy_ops.CLOSE * node("abs", found), further(), found)


def interpolate(x: Value, xs: Sequence[Traced], ys: Sequence[Traced]) -> Traced:
    """Linear between the points of a table, held at its ends: one choice per point."""
    value = ys[0]
    for k in range(1, len(xs)):
        slope = (ys[k] - ys[k - 1]) / (xs[k] - xs[k - 1])
        value = where(x > xs[k - 1], ys[k - 1] + slope * (x - xs[k - 1]), value)
    return where(x > xs[-1], ys[-1], value)


def pick(line: Line, slot: Value) -> Traced:
    """The frame in a slot: the one that was just stored there, or one that came in."""
    symbol = slot if isinstance(slot, Symbol) else line.slot
    frame = symbol.program.symbol("pick", (line.name, slot), FLOAT, False)
    return frame if line.frame is None else where(node("eq", slot, line.slot), line.frame, frame)


def detach(x: Value) -> Traced:
    return x if not isinstance(x, Symbol) or x.uniform else node("detach", x)


def refuse(engine: str, what: str) -> Operation:
    """An operation that no single motor can do."""

    def raise_error(*_: Value) -> NoReturn:
        raise ParameterError(
            f"the {engine} engine steps each motor by itself, without {what}: take jax, torch or numpy"
        )

    return raise_error


def operations(engine: str, **own: Operation) -> SimpleNamespace:
    """The operations of the laws on symbols; `engine` is named in errors, `own` are operations that it has itself."""
    network = refuse(engine, "the layers of a learned network")
    return SimpleNamespace(
        **{name: operation(name) for name in ("exp", "log2", "sin", "cos", "sqrt", "tanh", "floor")},
        absolute=operation("abs"), maximum=operation("max"), minimum=operation("min"), power=operation("pow"),
        sign=sign, where=where, usually=where, interpolate=interpolate,
        words=lambda x: cast(x, WORD), low_word=lambda x: x & 0xFFFFFFFF if isinstance(x, int) else x,
        as_bits=lambda x: x, fractions=lambda x, like: cast(x, FLOAT) * 2.0**-24, pick=pick,
        store=lambda line, slot, frame: Line(line.program, line.name, line.frames, slot, frame),
        alike=lambda x, like: cast(x, like.kind), to_integer=lambda x: cast(x, INT),
        detach=detach, matmul=network, erf=math.erf, stack_first=network,
        stack_last=network, join_last=network, change=numpy_ops.change, same=numpy_ops.same,
        **{"expm1": expm1, "isfinite": isfinite, "total": refuse(engine, "what others share"),
           "refine": numpy_ops.refine, "repeat": numpy_ops.repeat, **own},
    )  # fmt: skip


ops = operations("warp")
"""The operations of the laws on symbols, for kernels of Warp."""
