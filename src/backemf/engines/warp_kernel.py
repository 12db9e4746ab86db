"""From a traced program to a Warp kernel whose thread is one motor."""

from __future__ import annotations

import hashlib
import linecache
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import warp as wp  # pyright: ignore[reportMissingImports]

from ..values import Module
from .tracing import BOOL, COMPARISONS, FLOAT, INT, WORD, Line, Symbol, Value, common_kind, evaluate

INFIX = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "mod": "%", "and": "&", "or": "|", "xor": "^", "shift": ">>",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=",
}  # fmt: skip
SHORT = "short"
"""The kind of flags in two bytes, which are only stored."""
SAME = {FLOAT: (wp.float32, wp.float64), INT: (wp.int32,), WORD: (wp.uint32,), BOOL: (wp.bool,)}
"""Types of arrays whose numbers are of a kind without a cast."""
KINDS = {wp.int32: INT, wp.int16: INT, wp.int64: INT, wp.uint32: WORD, wp.bool: BOOL}
"""The kind of numbers out of an array of a type; FLOAT out of all others."""
STORED = {wp.int32: INT, wp.uint32: WORD, wp.int16: INT}
"""The kind in which a number goes into an array of a type; FLOAT into all others."""


@dataclass(frozen=True)
class Store:
    """A value that goes into an array, or a line of frames that goes into another one."""

    array: str
    value: Value | Line
    copied: bool = True
    """Of a line: whether all frames are written, or the new one alone."""
    alternates: bool = False
    """Of a line: whether the array held the line of a step before, and lacks the last frame and the new one alone."""
    added: bool = False
    """Whether it is added to what the array holds."""


@dataclass(frozen=True)
class Layout:
    """How a motor finds its number in an array."""

    dtype: type
    own: tuple[bool, ...]
    """For each axis of the batch that the array has, whether motors along it have numbers of their own."""
    line: bool = False
    """Whether the frames of a line come first."""
    shared: tuple[int, ...] = ()
    """Axes of the batch along which the motors share a number, which the first of them writes."""
    index: str = ""
    """Array with the place of each motor's number; empty: its place in the batch."""
    columns: str = ""
    """Array with the column of each motor in a table of the host, whose rows are the first axis of the batch."""
    block: tuple[str, int] | None = None
    """Array of several rows of numbers that it is a row of, and which; None: it is an array of its own."""


class Writer:
    """Writes the source of a kernel; attributes spell the language."""

    types: Mapping[str, str] = {FLOAT: "T", INT: "wp.int32", WORD: "wp.uint32", BOOL: "wp.bool", SHORT: "wp.int16"}
    array, call, end = "{}", "wp.{}({})", ""
    choice, modulo, logic = "wp.where({}, {}, {})", "modulo({0}, {1})", {"and": "and", "or": "or"}
    cuts: tuple[str, ...] = ("detach",)
    """Operations whose values functions compute, without gradients."""

    def __init__(self, stores: list[Store], layouts: dict[str, Layout], rank: int):
        self.stores, self.layouts, self.rank = stores, layouts, rank
        self.uniforms: dict[int, Symbol] = {}
        self.used: list[str] = []
        self._functions: list[str] = []
        self._calls: dict[int, str] = {}
        self._arguments: set[int] = set()

    def write(self) -> str:
        """The source: functions of what has no gradient, then the kernel."""
        live, self._functions = self.reach(self.roots()), []
        self._calls = {x.index: self._call(x, live) for x in [x for x in live.values() if x.op == "detach"]}
        body = [self.statement(live[k]) for k in sorted(live)]
        for store in self.stores:
            body += self.store(store)
        arguments = ["p: P", *(f"{array_name(n)}: A_{array_name(n)}" for n in self.used)]
        axes = ", ".join(f"i{k}" for k in range(self.rank))
        head = [f"def step({', '.join(arguments)}):", f"    {axes} = wp.tid()"]
        return "\n".join([*self._functions, *head, *(f"    {line}" for line in body), ""])

    # --- which symbols are needed, and where

    def roots(self) -> list[Value]:
        """What the stores need first."""
        values = [store.value for store in self.stores]
        return [x for value in values for x in ((value.slot, value.frame) if isinstance(value, Line) else (value,))]

    def reach(self, roots: list[Value], known: Collection[int] = ()) -> dict[int, Symbol]:
        """All symbols that the roots need, up to cuts; what is uniform comes from the host."""
        found, todo = {}, list(roots)
        while todo:
            x = todo.pop()
            if isinstance(x, Symbol) and not x.uniform and x.index not in found and x.index not in known:
                found[x.index] = x
                todo += () if x.op in self.cuts else x.args
        return found

    def _call(self, cut: Symbol, live: dict[int, Symbol]) -> str:
        """The call of a function of all that only a value without gradient needs: no adjoint is run through it."""
        inside, edge, todo = {}, {}, [cut.args[0]]
        while todo:
            x = todo.pop()
            if not isinstance(x, Symbol) or x.index in inside:
                continue
            if x.op in ("load", "pick") and x.index not in live:
                live |= self.reach([x], live)
            if x.uniform or x.index in live:
                edge[x.index] = x
                continue
            inside[x.index] = x
            todo += x.args
        inputs = [(edge[k], FLOAT if edge[k].uniform else edge[k].kind) for k in sorted(edge)]
        arguments = [f"x{x.index}: {self.types[kind]}" for x, kind in inputs]
        name = f"value_of_x{cut.index}"
        self._arguments = {x.index for x, _ in inputs if x.uniform}
        body = [f"    {self.statement(inside[k])}" for k in sorted(inside)]
        back = [*arguments, "adj_ret: T"]
        self._functions += [
            f"@wp.func\ndef {name}({', '.join(arguments)}):",
            *body,
            f"    return {self.text(cut.args[0], FLOAT)}\n\n",
            f"@wp.func_grad({name})\ndef adj_{name}({', '.join(back)}):\n    pass\n\n",
        ]
        self._arguments = set()
        return f"{name}({', '.join(self.text(x, kind) for x, kind in inputs)})"

    # --- text

    def text(self, x: Value, kind: str) -> str:
        """A symbol or plain number as an expression of a kind."""
        if not isinstance(x, Symbol):
            return self.literal(x, kind)
        name, own = f"x{x.index}", x.kind
        if x.uniform:
            self.uniforms[x.index] = x
            name, own = self.uniform(x.index), FLOAT
        return name if own == kind else self.cast(name, own, kind)

    def uniform(self, index: int) -> str:
        """A number that all motors share."""
        return f"x{index}" if index in self._arguments else f"p.u{index}"

    def literal(self, x: float, kind: str) -> str:
        """A plain number as the text of a kind."""
        if kind == FLOAT:
            x = float(x)
            return f"T({x!r})" if math.isfinite(x) else f"T({'-' if x < 0 else ''}wp.{'nan' if x != x else 'inf'})"
        return str(bool(x)) if kind == BOOL else f"wp.uint32({int(x)})" if kind == WORD else str(int(x))

    def cast(self, text: str, own: str, kind: str) -> str:
        """An expression of one kind as one of another."""
        return f"({text} != {self.literal(0, own)})" if kind == BOOL else f"{self.types[kind]}({text})"

    def statement(self, x: Symbol) -> str:
        """The line that computes a symbol."""
        return self._any(x) if x.op == "any" else f"x{x.index} = {self.expression(x)}"

    def _any(self, x: Symbol) -> str:
        """Whether any motor along the last axis of a mask is chosen."""
        row = self.element(x.args[0]).rpartition("i")[0]
        lines = [
            f"x{x.index} = wp.bool(False)",
            f"for k in range({array_name(x.args[0])}.shape[{len(self.layouts[x.args[0]].own) - 1}]):",
            f"    if {row}k]:",
            f"        x{x.index} = wp.bool(True)",
        ]
        return "\n    ".join(lines)

    def expression(self, x: Symbol) -> str:
        """What a symbol is computed from."""
        op, args = x.op, x.args
        if op == "load":
            element, dtype = self.element(args[0]), self.layouts[args[0]].dtype
            return element if dtype in SAME[x.kind] else self.cast(element, x.kind, x.kind)
        if op == "pick":
            return self.element(args[0], self.text(args[1], INT))
        if op == "detach":
            return self._calls.get(x.index) or self.text(args[0], FLOAT)
        kind = common_kind(args) if op in COMPARISONS else x.kind
        if op == "where":
            return self.choice.format(self.text(args[0], BOOL), self.text(args[1], kind), self.text(args[2], kind))
        if op in self.types:
            return self.text(args[0], op)
        values = [self.text(each, kind) for each in args]
        if op == "mod" and kind != WORD:
            return self.modulo.format(*values)
        if op in INFIX:
            sign = self.logic.get(op, INFIX[op]) if kind == BOOL else INFIX[op]
            return f"{values[0]} {sign} {values[1]}"
        return f"-{values[0]}" if op == "neg" else self.call.format(op, ", ".join(values))

    def element(self, name: str, slot: str | None = None) -> str:
        """A motor's element of an array, or of a frame of a line."""
        layout = self.layouts[name]
        if layout.block is not None:
            return self.element(layout.block[0], str(layout.block[1]))
        if name not in self.used:
            self.used.append(name)
        if layout.columns:
            place = self.in_table(name, "i0" if layout.own[0] else "0", self.element(layout.columns))
        else:
            place = self.element(layout.index) if layout.index else self.place(layout, slot)
        return f"{self.array.format(array_name(name))}[{place}]"

    def in_table(self, name: str, row: str, column: str) -> str:
        """Where a motor finds its element in a table of the host."""
        return f"{row}, {column}"

    def place(self, layout: Layout, slot: str | None) -> str:
        """Where a motor finds its element."""
        first = self.rank - len(layout.own)
        places = [f"i{first + k}" if own else "0" for k, own in enumerate(layout.own)]
        return ", ".join(places if slot is None else [slot, *places])

    def store(self, store: Store) -> list[str]:
        """The lines that write a value, or a line of frames, into an array."""
        layout, value = self.layouts[store.array], store.value
        if isinstance(value, Line):
            return self._store_line(store, value)
        text = self.text(value, STORED.get(layout.dtype, FLOAT))
        text = self.cast(text, INT, SHORT) if layout.dtype is wp.int16 else text
        target = self.element(store.array)
        line = f"{target} = {f'{target} + {text}' if store.added else text}{self.end}"
        return self.store_once(line, layout.shared) if layout.shared else [line]

    def store_once(self, line: str, axes: tuple[int, ...]) -> list[str]:
        """The first of the motors that share a number writes it."""
        return [f"if {' and '.join(f'i{k} == 0' for k in axes)}:", f"    {line}"]

    def _store_line(self, store: Store, value: Line) -> list[str]:
        slot, frame = self.text(value.slot, INT), self.text(value.frame, FLOAT)
        if store.copied and not store.alternates:
            return self.copy_line(store.array, value, slot, frame)
        lines = [f"{self.element(store.array, slot)} = {frame}{self.end}"]
        if store.copied:
            last = f"({slot} + {value.frames - 1}) % {value.frames}"
            lines.insert(0, f"{self.element(store.array, last)} = {self.element(value.name, last)}{self.end}")
        return lines

    def copy_line(self, array: str, value: Line, slot: str, frame: str) -> list[str]:
        """All frames, with the new one in its slot: a frame that is written once carries the gradient of one value."""
        chosen = self.choice.format(f"k == {slot}", frame, self.element(value.name, "k"))
        return [f"for k in range({value.frames}):", f"    {self.element(array, 'k')} = {chosen}"]


def array_name(name: str) -> str:
    """The name of an array in the kernel."""
    return name.replace(".", "_")


@wp.func
def modulo(a: wp.int32, n: wp.int32):
    """The remainder that is never negative."""
    r = a % n
    return wp.where(r < 0, r + n, r)


# --- what Warp makes of it

BUILT: dict[str, tuple[wp.Kernel, Module]] = {}
"""What was made of every source, by its name, so that like actuators share it."""


def source_name(prefix: str, *content: object) -> str:
    """A name that is the same for the same source and types."""
    return f"backemf_{prefix}{hashlib.sha256(repr(content).encode()).hexdigest()[:16]}"


def array_types(writer: Writer, names: Collection[str] | None = None) -> dict[str, tuple[type, int]]:
    """Type and number of axes of each array that a source uses."""
    layouts = {name: writer.layouts[name] for name in (writer.used if names is None else names)}
    return {name: (layout.dtype, len(layout.own) + layout.line) for name, layout in layouts.items()}


def define(name: str, source: str, types: Mapping[str, tuple[type, int]], **scope: Module) -> dict[str, Module]:
    """The functions of a source, by name."""
    scope |= {"wp": wp, "modulo": modulo, "__name__": name}
    scope |= {f"A_{array_name(n)}": wp.array(dtype=kind, ndim=rank) for n, (kind, rank) in types.items()}
    # Warp reads a function's source where a debugger would
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    exec(compile(source, name, "exec"), scope)
    return scope


def make_kernel(name: str, step: Callable[..., None], gradients: bool, **options: Module) -> wp.Kernel:
    """The kernel of a function, in a module of its own; `options` are Warp's for a kernel."""
    module = wp.get_module(name)
    wp.set_module_options({"enable_backward": gradients}, module=module)
    return wp.Kernel(step, key="step", module=module, options=options)


def build_kernel(writer: Writer, dtype: type, gradients: bool) -> tuple[wp.Kernel, Module]:
    """The kernel, and the structure of the numbers that all motors share."""
    source = writer.write()
    fields = {f"u{k}": dtype for k in sorted(writer.uniforms)} or {"nothing": dtype}
    types = array_types(writer)
    name = source_name("", source, types, dtype, sorted(fields), gradients)
    if name not in BUILT:
        numbers = wp.struct(type(f"Numbers_{name}", (), {"__annotations__": fields, "__module__": name}))
        scope = define(name, source, types, T=dtype, P=numbers)
        BUILT[name] = make_kernel(name, scope["step"], gradients), numbers
    return BUILT[name]


def fill_struct(struct: Module, symbols: Mapping[int, Symbol], numbers: Mapping[str, float]) -> Module:
    """A structure with the numbers that all motors share."""
    filled = struct()
    for k, value in zip(symbols, evaluate(list(symbols.values()), numbers), strict=True):
        setattr(filled, f"u{k}", float(value))
    return filled
