"""From a traced program to one loop in C++ over all motors, which a compiler does for many of them at once.

A thread of a Warp kernel is one motor, which is what a GPU wants. A CPU runs the threads one after another and finds
every number by its stride; a plain loop over arrays without gaps is ten times as fast there. It has no gradients:
what is recorded on a tape runs as a kernel.
"""

from __future__ import annotations

import math
from collections.abc import Collection

import warp as wp  # pyright: ignore[reportMissingImports]

from ..values import Module
from .cpp_functions import FUNCTIONS, functions_text
from .tracing import BOOL, FLOAT, INT, WORD, Line, Symbol
from .warp_kernel import BUILT, SHORT, Layout, Store, Writer, array_name, array_types, define, make_kernel, source_name

POINTERS = {
    wp.int32: "int", wp.uint32: "unsigned int", wp.int16: "short", wp.bool: "bool", wp.int64: "long long",
    wp.float32: "float", wp.float64: "double",
}  # fmt: skip
"""What an array of each type points to."""


class NativeWriter(Writer):
    """Writes the loop of a traced program."""

    array, call, end, cuts = "{}_", "wp::{}({})", ";", ()
    choice, modulo, logic = "{} ? {} : {}", "({0} % {1} + {1}) % {1}", {}
    inline: Collection[str] = FUNCTIONS.keys()
    """Functions that are written into the loop: a call of the C library would be one for each motor."""

    def __init__(self, stores: list[Store], layouts: dict[str, Layout], rank: int, dtype: type):
        super().__init__(stores, layouts, rank)
        self.number = POINTERS[dtype]
        self.types = {FLOAT: self.number, INT: "int", WORD: "unsigned int", BOOL: "bool", SHORT: "short"}
        live = self.reach(self.roots())
        self.live = [live[k] for k in sorted(live)]
        self.flat = self._flat()
        self.common = self._common()

    def expression(self, x: Symbol) -> str:
        if x.op in self.inline and x.kind == FLOAT:
            return f"{x.op}_of({self.text(x.args[0], FLOAT)})"
        return super().expression(x)

    @property
    def able(self) -> bool:
        """Whether every motor can be computed without a look at others."""
        return all(x.op != "any" for x in self.live)

    def write(self) -> str:
        """The source of the loop; `n0`, `n1`, ... are the sizes of the batch."""
        texts = {x.index: f"{self.types[x.kind]} {self.statement(x)};" for x in self.live}
        # what all motors have in common is found once, before the loop
        before = [text for k, text in texts.items() if k in self.common]
        body = [text for k, text in texts.items() if k not in self.common]
        after: list[str] = []
        for store in self.stores:
            once = isinstance(store.value, Symbol) and store.value.index in self.common
            (after if once and self._is_shared(store.array) else body).extend(self.store(store))
        sizes = [f"n{k}" for k in range(self.rank)]
        loops = [" * ".join(sizes)] if self.flat else sizes
        lines = [self._pointer(name) for name in self.used]
        lines += functions_text({x.op for x in self.live}.intersection(self.inline), self.number)
        lines += [*(f"const {self.number} u{k} = p.u{k};" for k in self.uniforms), *before]
        for k, size in enumerate(loops):
            # motors never write where others read
            lines += ["#pragma clang loop vectorize(assume_safety)"] if k == len(loops) - 1 else []
            lines.append(f"for (int i{k} = 0; i{k} < {size}; ++i{k}) {{")
        return "\n".join([*lines, *body, "}" * len(loops), *after])

    def _is_shared(self, name: str) -> bool:
        layout = self.layouts[name]
        return not any(layout.own) and not layout.index and not layout.columns

    def _common(self) -> set[int]:
        """Symbols that are the same for all motors, though a GPU keeps them in an array."""
        found: set[int] = set()
        for x in self.live:
            given = [each for each in x.args if isinstance(each, Symbol)]
            own = x.op in ("load", "pick") and not self._is_shared(x.args[0])
            if not own and all(each.uniform or each.index in found for each in given):
                found.add(x.index)
        return found

    def _flat(self) -> bool:
        """Whether each array has a number for every motor, or one for all: then the batch is one row."""
        names = {x.args[0] for x in self.live if x.op in ("load", "pick")} | {store.array for store in self.stores}
        names |= {store.value.name for store in self.stores if isinstance(store.value, Line)}
        layouts = [self.layouts[name] for name in names]
        own = all(not any(x.own) or (all(x.own) and len(x.own) == self.rank) for x in layouts)
        return own and not any(x.columns for x in layouts)

    # --- text

    def _pointer(self, name: str) -> str:
        kind = POINTERS[self.layouts[name].dtype]
        return f"{kind}* {array_name(name)}_ = ({kind}*){array_name(name)}.data;"

    def uniform(self, index: int) -> str:
        return f"u{index}"

    def literal(self, x: float, kind: str) -> str:
        if kind == BOOL:
            return "true" if x else "false"
        if kind != FLOAT:
            return f"{int(x)}u" if kind == WORD else str(int(x))
        x = float(x)
        if not math.isfinite(x):
            word = '__builtin_nan("")' if x != x else "__builtin_inf()"
            return f"(({self.number}){'-' if x < 0 else ''}{word})"
        return f"{x!r}f" if self.number == "float" else repr(x)

    def cast(self, text: str, own: str, kind: str) -> str:
        return f"({text} != 0)" if kind == BOOL else f"(({self.types[kind]})({text}))"

    def place(self, layout: Layout, slot: str | None) -> str:
        """Where a motor finds its element in an array without gaps."""
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
        return f"({slot}) * ({frame}) + {place}"

    def in_table(self, name: str, row: str, column: str) -> str:
        return f"{row} * {array_name(name)}.shape[1] + {column}"

    def store_once(self, line: str, axes: tuple[int, ...]) -> list[str]:
        """Each motor writes what they share, the same every time."""
        return [line]

    def copy_line(self, array: str, value: Line, slot: str, frame: str) -> list[str]:
        return [
            f"{self.element(array, str(k))} = {slot} == {k} ? {frame} : {self.element(value.name, str(k))};"
            for k in range(value.frames)
        ]


def build_loop(writer: NativeWriter, struct: Module, dtype: type) -> Module:
    """The kernel of one thread that runs the loop; its last arguments are the sizes of the batch."""
    source, types = writer.write(), array_types(writer)
    name = source_name("loop_", source, types, dtype, struct.key)
    if name not in BUILT:
        kinds = {"p": "P"} | {array_name(n): f"A_{array_name(n)}" for n in writer.used}
        kinds |= {f"n{k}": "wp.int32" for k in range(writer.rank)}
        typed = ", ".join(f"{argument}: {kind}" for argument, kind in kinds.items())
        text = f"def loop({typed}): ...\n\n\ndef step({typed}):\n    loop({', '.join(kinds)})\n"
        scope = define(name, text, types, P=struct)
        scope["loop"] = wp.func_native(source)(scope["loop"])
        BUILT[name] = make_kernel(name, scope["step"], False)
    return BUILT[name]
