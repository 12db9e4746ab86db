"""From a traced program to a Warp kernel whose thread is one motor."""

from __future__ import annotations

import hashlib
import linecache
from dataclasses import dataclass
from typing import Any

import warp as wp  # pyright: ignore[reportMissingImports]

from .tracing import BOOL, COMPARISONS, FLOAT, INT, WORD, Line, Symbol, common_kind

INFIX = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "and": "&", "or": "|", "xor": "^", "shift": ">>", "lt": "<",
    "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=",
}  # fmt: skip
TYPES = {FLOAT: "T", INT: "wp.int32", WORD: "wp.uint32", BOOL: "wp.bool"}


@dataclass(frozen=True)
class Store:
    """A value that goes into an array, or a line of frames that goes into another one."""

    array: str
    value: Any
    copied: bool = True
    """Of a line: whether all frames are written, or the new one alone."""
    alternates: bool = False
    """Of a line: whether the array held the line of a step before, and lacks the last frame and the new one alone."""
    added: bool = False
    """Whether it is added to what the array holds."""


@dataclass(frozen=True)
class Layout:
    """How a motor finds its number in an array."""

    dtype: Any
    own: tuple[bool, ...]
    """For each axis of the batch that the array has, whether motors along it have numbers of their own."""
    line: bool = False
    """Whether the frames of a line come first."""
    shared: tuple[int, ...] = ()
    """Axes of the batch along which the motors share a number, which the first of them writes."""
    index: str = ""
    """Array with the place of each motor's number; empty: its place in the batch."""
    block: tuple[str, int] | None = None
    """Array of several rows of numbers that it is a row of, and which; None: it is an array of its own."""


class Writer:
    """Writes the source of a kernel."""

    def __init__(self, stores: list[Store], layouts: dict[str, Layout], rank: int):
        self.stores, self.layouts, self.rank = stores, layouts, rank
        self.uniforms: dict[int, Symbol] = {}
        self.functions: list[str] = []
        self.used: list[str] = []

    def write(self, name: str) -> str:
        """The source: functions of what has no gradient, then the kernel."""
        live = self._reach(self._roots(), set())
        cuts = [x for x in live.values() if x.op == "detached"]
        cones = {x.index: self._cone(x, live) for x in cuts}
        body = [self._statement(x, cones) for x in sorted(live.values(), key=lambda x: x.index)]
        for store in self.stores:
            body += self._store(store)
        arguments = ["p: P", *(f"{array_name(n)}: A_{array_name(n)}" for n in self.used)]
        axes = ", ".join(f"i{k}" for k in range(self.rank))
        head = [f"def {name}({', '.join(arguments)}):", f"    {axes} = wp.tid()"]
        return "\n".join([*self.functions, *head, *(f"    {line}" for line in body), ""])

    # --- which symbols are needed, and where

    def _roots(self) -> list[Any]:
        roots: list[Any] = []
        for store in self.stores:
            line = isinstance(store.value, Line)
            roots += [store.value.slot, store.value.frame] if line else [store.value]
        return roots

    def _reach(self, roots: list[Any], known: set[int] | dict[int, Symbol]) -> dict[int, Symbol]:
        """All symbols that the roots need and that carry gradients; what is uniform comes from the host."""
        found, todo = {}, [x for x in roots if isinstance(x, Symbol)]
        while todo:
            x = todo.pop()
            if x.uniform or x.index in found or x.index in known:
                continue
            found[x.index] = x
            if x.op != "detached":
                todo += [each for each in x.args if isinstance(each, Symbol)]
        return found

    def _cone(self, cut: Symbol, live: dict[int, Symbol]) -> str:
        """A function of everything that only a value without gradient needs: no adjoint is ever run through it."""
        inside, edge, todo = {}, {}, [cut.args[0]]
        while todo:
            x = todo.pop()
            if not isinstance(x, Symbol) or x.index in inside:
                continue
            if x.op in ("load", "pick") and x.index not in live:
                live |= self._reach([x], live)
            if x.uniform or x.index in live:
                edge[x.index] = x
                continue
            inside[x.index] = x
            todo += x.args
        inputs = [edge[k] for k in sorted(edge)]
        arguments = [f"x{x.index}: {TYPES[FLOAT if x.uniform else x.kind]}" for x in inputs]
        name = f"value_of_x{cut.index}"
        uniform = {x.index for x in inputs if x.uniform}
        body = [f"    {self._statement(inside[k], {}, uniform)}" for k in sorted(inside)]
        back = [*arguments, "adj_ret: T"]
        self.functions += [
            f"@wp.func\ndef {name}({', '.join(arguments)}):",
            *body,
            f"    return {self._text(cut.args[0], FLOAT, uniform)}\n\n",
            f"@wp.func_grad({name})\ndef adj_{name}({', '.join(back)}):\n    pass\n\n",
        ]
        return f"{name}({', '.join(self._text(x, FLOAT if x.uniform else x.kind) for x in inputs)})"

    # --- text

    def _text(self, x: Any, kind: str, arguments: set[int] | None = None) -> str:
        """A symbol or plain number as an expression of a kind."""
        if not isinstance(x, Symbol):
            return literal(x, kind)
        if x.uniform:
            self.uniforms[x.index] = x
            text, own = (f"x{x.index}" if arguments and x.index in arguments else f"p.u{x.index}"), FLOAT
        else:
            text, own = f"x{x.index}", x.kind
        if own == kind:
            return text
        return f"({text} != {literal(0, own)})" if kind == BOOL else f"{TYPES[kind]}({text})"

    def _statement(self, x: Symbol, cones: dict[int, str], arguments: set[int] | None = None) -> str:
        def text(value: Any, kind: str) -> str:
            return self._text(value, kind, arguments)

        if x.op == "any":
            return self._anyone(x)
        return f"x{x.index} = {self._expression(x, cones, text)}"

    def _anyone(self, x: Symbol) -> str:
        """Whether any motor along the last axis of a mask is chosen."""
        row = self._element(x.args[0]).rpartition("i")[0]
        lines = [
            f"x{x.index} = wp.bool(False)",
            f"for k in range({self._array(x.args[0])}.shape[{len(self.layouts[x.args[0]].own) - 1}]):",
            f"    if {row}k]:",
            f"        x{x.index} = wp.bool(True)",
        ]
        return "\n    ".join(lines)

    def _expression(self, x: Symbol, cones: dict[int, str], text: Any) -> str:
        op, args = x.op, x.args
        if op == "load":
            return self._read(args[0], x.kind)
        if op == "pick":
            return self._element(args[0], text(args[1], INT))
        if op == "detached":
            return cones[x.index] if cones else text(args[0], FLOAT)
        kind = common_kind(args) if op in COMPARISONS else x.kind
        if op == "where":
            return f"wp.where({text(args[0], BOOL)}, {text(args[1], kind)}, {text(args[2], kind)})"
        if op in TYPES:
            return text(args[0], op)
        values = [text(each, FLOAT if op == "isfinite" else kind) for each in args]
        if op == "mod":
            return f"{values[0]} % {values[1]}" if kind == WORD else f"modulo({values[0]}, {values[1]})"
        if op in ("and", "or") and kind == BOOL:
            return f"{values[0]} {op} {values[1]}"
        if op in INFIX:
            return f"{values[0]} {INFIX[op]} {values[1]}"
        return f"-{values[0]}" if op == "neg" else f"wp.{op}({', '.join(values)})"

    def _array(self, name: str) -> str:
        if name not in self.used:
            self.used.append(name)
        return array_name(name)

    def _element(self, name: str, slot: str | None = None) -> str:
        """A motor's element of an array, or of a frame of a line."""
        layout = self.layouts[name]
        if layout.block is not None:
            return self._element(layout.block[0], str(layout.block[1]))
        if layout.index:
            return f"{self._array(name)}[{self._element(layout.index)}]"
        first = self.rank - len(layout.own)
        places = [f"i{first + k}" if own else "0" for k, own in enumerate(layout.own)]
        return f"{self._array(name)}[{', '.join(places if slot is None else [slot, *places])}]"

    def _read(self, name: str, kind: str) -> str:
        dtype = self.layouts[name].dtype
        element = self._element(name)
        same = {FLOAT: (wp.float32, wp.float64), INT: (wp.int32,), WORD: (wp.uint32,), BOOL: (wp.bool,)}
        return element if dtype in same[kind] else f"{TYPES[kind]}({element})"

    def _store(self, store: Store) -> list[str]:
        layout, value = self.layouts[store.array], store.value
        if isinstance(value, Line):
            return self._store_line(store, value)
        kind = {wp.int32: INT, wp.uint32: WORD, wp.int16: INT}.get(layout.dtype, FLOAT)
        text = self._text(value, kind)
        text = f"wp.int16({text})" if layout.dtype is wp.int16 else text
        text = f"{self._element(store.array)} + {text}" if store.added else text
        line = f"{self._element(store.array)} = {text}"
        if not layout.shared:
            return [line]
        return [f"if {' and '.join(f'i{k} == 0' for k in layout.shared)}:", f"    {line}"]

    def _store_line(self, store: Store, value: Line) -> list[str]:
        slot, frame = self._text(value.slot, INT), self._text(value.frame, FLOAT)
        if not store.copied:
            return [f"{self._element(store.array, slot)} = {frame}"]
        if store.alternates:
            last = f"({slot} + {value.frames - 1}) % {value.frames}"
            return [
                f"{self._element(store.array, last)} = {self._element(value.name, last)}",
                f"{self._element(store.array, slot)} = {frame}",
            ]
        # a frame that is written once carries the gradient of one value
        return [
            f"for k in range({value.frames}):",
            f"    {self._element(store.array, 'k')} = wp.where(k == {slot}, {frame}, {self._element(value.name, 'k')})",
        ]


def literal(x: Any, kind: str) -> str:
    """A plain number as the text of a kind."""
    if kind == FLOAT:
        x = float(x)
        return f"T({x!r})" if x == x and abs(x) != float("inf") else f"T(wp.{'nan' if x != x else 'inf'})"
    return str(bool(x)) if kind == BOOL else f"wp.uint32({int(x)})" if kind == WORD else str(int(x))


def array_name(name: str) -> str:
    """The name of an array in the kernel."""
    return name.replace(".", "_")


@wp.func
def modulo(a: wp.int32, n: wp.int32):
    """The remainder that is never negative."""
    r = a % n
    return wp.where(r < 0, r + n, r)


_BUILT: dict[str, tuple[Any, Any]] = {}
"""Every kernel by the seal of its source, so that like actuators share it."""


def built(writer: Writer, dtype: Any, gradients: bool) -> tuple[Any, Any, str]:
    """The kernel, the structure of the numbers that all motors share, and the source."""
    source = writer.write("step")
    fields = {f"u{k}": dtype for k in sorted(writer.uniforms)} or {"nothing": dtype}
    kinds = {n: (writer.layouts[n].dtype, len(writer.layouts[n].own) + writer.layouts[n].line) for n in writer.used}
    seal = hashlib.sha256(repr((source, kinds, dtype, sorted(fields), gradients)).encode()).hexdigest()[:16]
    if seal not in _BUILT:
        name = f"backemf_{seal}"
        numbers = wp.struct(type(f"Numbers_{seal}", (), {"__annotations__": fields, "__module__": name}))
        scope = {"wp": wp, "T": dtype, "P": numbers, "modulo": modulo, "__name__": name}
        scope |= {f"A_{array_name(n)}": wp.array(dtype=kind, ndim=rank) for n, (kind, rank) in kinds.items()}
        # Warp reads a function's source where a debugger would
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
        exec(compile(source, name, "exec"), scope)
        module = wp.get_module(name)
        wp.set_module_options({"enable_backward": gradients}, module=module)
        _BUILT[seal] = wp.Kernel(scope["step"], key="step", module=module), numbers
    return *_BUILT[seal], source
