"""From a traced program to one loop in C++ over all motors, which a compiler does for many of them at once.

A thread of a Warp kernel is one motor, which is what a GPU wants. A CPU runs the threads one after another and finds
every number by its stride; a plain loop over arrays without gaps is ten times as fast there. It has no gradients:
what is recorded on a tape runs as a kernel.
"""

from __future__ import annotations

import hashlib
import linecache
from typing import Any

import warp as wp  # pyright: ignore[reportMissingImports]

from .tracing import BOOL, COMPARISONS, FLOAT, INT, WORD, Line, Symbol, common_kind
from .warp_kernel import INFIX, Layout, Store, array_name

UNABLE = "any"
"""The operation that looks at other motors than its own."""


class NativeWriter:
    """Writes the loop of a traced program."""

    def __init__(self, stores: list[Store], layouts: dict[str, Layout], rank: int, dtype: Any):
        self.stores, self.layouts, self.rank = stores, layouts, rank
        self.number = "double" if dtype is wp.float64 else "float"
        self.types = {FLOAT: self.number, INT: "int", WORD: "unsigned int", BOOL: "bool"}
        self.uniforms: dict[int, Symbol] = {}
        self.used: list[str] = []
        self.live = self._reach()
        self.flat = self._flat()
        self.common = self._common()

    @property
    def able(self) -> bool:
        """Whether every motor can be computed by itself."""
        return all(x.op != UNABLE for x in self.live)

    def write(self) -> str:
        """The source of the loop; `n0`, `n1`, ... are the sizes of the batch."""
        texts = {x.index: f"{self.types[x.kind]} x{x.index} = {self._expression(x)};" for x in self.live}
        # what all motors have in common is found once, before the loop
        before = [text for k, text in texts.items() if k in self.common]
        body = [text for k, text in texts.items() if k not in self.common]
        after: list[str] = []
        for store in self.stores:
            once = isinstance(store.value, Symbol) and store.value.index in self.common
            (after if once and self._shared(store.array) else body).extend(self._store(store))
        sizes = [f"n{k}" for k in range(self.rank)]
        loops = [" * ".join(sizes)] if self.flat else sizes
        lines = [self._pointer(name) for name in self.used]
        lines += [*(f"const {self.number} u{k} = p.u{k};" for k in self.uniforms), *before]
        for k, size in enumerate(loops):
            # motors never write where others read
            lines += ["#pragma clang loop vectorize(assume_safety)"] if k == len(loops) - 1 else []
            lines.append(f"for (int i{k} = 0; i{k} < {size}; ++i{k}) {{")
        return "\n".join([*lines, *body, "}" * len(loops), *after])

    def _reach(self) -> list[Symbol]:
        """All symbols that the stores need, in the order in which they can be computed."""
        todo: list[Any] = []
        for store in self.stores:
            line = isinstance(store.value, Line)
            todo += [store.value.slot, store.value.frame] if line else [store.value]
        found: dict[int, Symbol] = {}
        while todo:
            x = todo.pop()
            if isinstance(x, Symbol) and not x.uniform and x.index not in found:
                found[x.index] = x
                todo += x.args
        return [found[k] for k in sorted(found)]

    def _shared(self, name: str) -> bool:
        layout = self.layouts[name]
        return not any(layout.own) and not layout.index

    def _common(self) -> set[int]:
        """Symbols that are the same for all motors, though a GPU keeps them in an array."""
        found: set[int] = set()
        for x in self.live:
            given = [each for each in x.args if isinstance(each, Symbol)]
            own = x.op in ("load", "pick") and not self._shared(x.args[0])
            if not own and all(each.uniform or each.index in found for each in given):
                found.add(x.index)
        return found

    def _flat(self) -> bool:
        """Whether each array has a number for every motor, or one for all: then the batch is one row."""
        names = {x.args[0] for x in self.live if x.op in ("load", "pick")} | {store.array for store in self.stores}
        names |= {store.value.name for store in self.stores if isinstance(store.value, Line)}
        layouts = [self.layouts[name] for name in names]
        return all(not any(x.own) or (all(x.own) and len(x.own) == self.rank) for x in layouts)

    # --- text

    def _pointer(self, name: str) -> str:
        kinds = {wp.int32: "int", wp.uint32: "unsigned int", wp.int16: "short", wp.bool: "bool"}
        kinds |= {wp.int64: "long long", wp.float32: "float", wp.float64: "double"}
        kind = kinds[self.layouts[name].dtype]
        return f"{kind}* {array_name(name)}_ = ({kind}*){array_name(name)}.data;"

    def _text(self, x: Any, kind: str) -> str:
        if not isinstance(x, Symbol):
            return self._literal(x, kind)
        own = FLOAT if x.uniform else x.kind
        if x.uniform:
            self.uniforms[x.index] = x
        name = f"u{x.index}" if x.uniform else f"x{x.index}"
        if own == kind:
            return name
        return f"({name} != 0)" if kind == BOOL else f"(({self.types[kind]}){name})"

    def _literal(self, x: Any, kind: str) -> str:
        if kind == BOOL:
            return "true" if x else "false"
        if kind != FLOAT:
            return f"{int(x)}u" if kind == WORD else str(int(x))
        x = float(x)
        if x != x or abs(x) == float("inf"):
            told = '__builtin_nan("")' if x != x else "__builtin_inf()"
            return f"(({self.number}){'-' if x < 0 else ''}{told})"
        return f"{x!r}f" if self.number == "float" else repr(x)

    def _expression(self, x: Symbol) -> str:
        op, args = x.op, x.args
        if op == "load":
            element = self._element(args[0])
            same = {FLOAT: (wp.float32, wp.float64), INT: (wp.int32,), WORD: (wp.uint32,), BOOL: (wp.bool,)}
            cast = self.layouts[args[0]].dtype not in same[x.kind]
            return f"({self.types[x.kind]}){element}" if cast else element
        if op == "pick":
            return self._element(args[0], self._text(args[1], INT))
        if op == "detached":
            return self._text(args[0], FLOAT)
        kind = common_kind(args) if op in COMPARISONS else x.kind
        if op == "where":
            return f"{self._text(args[0], BOOL)} ? {self._text(args[1], kind)} : {self._text(args[2], kind)}"
        if op in self.types:
            return self._text(args[0], op)
        values = [self._text(each, kind) for each in args]
        if op == "mod" and kind != WORD:
            a, n = values
            return f"({a} % {n} + {n}) % {n}"
        if op == "mod":
            return f"{values[0]} % {values[1]}"
        if op in INFIX:
            return f"{values[0]} {INFIX[op]} {values[1]}"
        return f"-{values[0]}" if op == "neg" else f"wp::{op}({', '.join(values)})"

    def _place(self, name: str, slot: str | None = None) -> str:
        """Where a motor finds its element in an array without gaps."""
        layout = self.layouts[name]
        if name not in self.used:
            self.used.append(name)
        if layout.index:
            return self._element(layout.index)
        first = self.rank - len(layout.own)
        axes = [first + k for k, own in enumerate(layout.own) if own]
        if self.flat and axes:
            sizes, place = list(range(self.rank)), "i0"
        else:
            sizes, place = axes, "0"
            for k in axes:
                place = f"i{k}" if place == "0" else f"({place}) * n{k} + i{k}"
        if slot is None:
            return place
        frame = " * ".join(f"n{k}" for k in sizes) if axes else "1"
        return f"{slot} * ({frame}) + {place}"

    def _element(self, name: str, slot: str | None = None) -> str:
        block = self.layouts[name].block
        if block is not None:
            return self._element(block[0], str(block[1]))
        place = self._place(name, slot)
        return f"{array_name(name)}_[{place}]"

    def _store(self, store: Store) -> list[str]:
        layout, value = self.layouts[store.array], store.value
        if isinstance(value, Line):
            slot, frame = self._text(value.slot, INT), self._text(value.frame, FLOAT)
            if not store.copied:
                return [f"{self._element(store.array, slot)} = {frame};"]
            if store.alternates:
                last = f"({slot} + {value.frames - 1}) % {value.frames}"
                return [
                    f"{self._element(store.array, last)} = {self._element(value.name, last)};",
                    f"{self._element(store.array, slot)} = {frame};",
                ]
            return [
                f"{self._element(store.array, str(k))} = {slot} == {k} ? {frame} : {self._element(value.name, str(k))};"
                for k in range(value.frames)
            ]
        kind = {wp.int32: INT, wp.uint32: WORD, wp.int16: INT}.get(layout.dtype, FLOAT)
        line = f"{self._element(store.array)} {'+=' if store.added else '='} {self._text(value, kind)};"
        # what motors share is written by each of them, the same every time
        return [line]


_BUILT: dict[str, Any] = {}
"""Every loop by the seal of its source."""


def native(writer: NativeWriter, struct: Any, dtype: Any) -> Any:
    """The kernel of one thread that runs the loop; its last arguments are the sizes of the batch."""
    source = writer.write()
    kinds = {n: (writer.layouts[n].dtype, len(writer.layouts[n].own) + writer.layouts[n].line) for n in writer.used}
    seal = hashlib.sha256(repr((source, kinds, dtype, struct.key)).encode()).hexdigest()[:16]
    if seal not in _BUILT:
        name = f"backemf_loop_{seal}"
        arguments = ["p", *(array_name(n) for n in writer.used), *(f"n{k}" for k in range(writer.rank))]
        kind = {"p": "P"} | {array_name(n): f"A_{array_name(n)}" for n in writer.used}
        typed = ", ".join(f"{n}: {kind.get(n, 'wp.int32')}" for n in arguments)
        text = f"def loop({typed}): ...\n\n\ndef step({typed}):\n    loop({', '.join(arguments)})\n"
        scope = {"wp": wp, "P": struct, "__name__": name}
        scope |= {f"A_{array_name(n)}": wp.array(dtype=kind, ndim=rank) for n, (kind, rank) in kinds.items()}
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        exec(compile(text, name, "exec"), scope)
        scope["loop"] = wp.func_native(source)(scope["loop"])
        module = wp.get_module(name)
        wp.set_module_options({"enable_backward": False}, module=module)
        _BUILT[seal] = wp.Kernel(scope["step"], key="step", module=module)
    return _BUILT[seal]
