"""From the traced step of a run to a Warp kernel that holds the loop over time: a thread is one motor.

States and what does not change from step to step are in registers. A step reads its commands, one step ahead so that
it never waits for memory, and every n-th step writes what is recorded. Only the lines of a delay stay in memory.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable

import numpy as np
import warp as wp  # pyright: ignore[reportMissingImports]

from ..values import Module
from . import single
from .detour import Steps, arguments_of
from .native_text import Traces
from .repeated import Repeated
from .tracing import BOOL, FLOAT, INT, WORD, Symbol, Traced, Value
from .warp_kernel import BUILT, Layout, array_name, array_types, define, make_kernel, source_name
from .warp_native import NativeWriter

BLOCK = 128
"""Threads of a block: one of its warps for each of the four schedulers of a multiprocessor."""
OUT = "out"
"""The array of all that is recorded: channels, records, motors."""

# what laws need beside C++: as exact as the precision, on a GPU in few instructions
FUNCTIONS = {
    "double": """
auto max_of = [](double a, double b) { return a > b ? a : (a == a ? b : a); };
auto min_of = [](double a, double b) { return a < b ? a : (a == a ? b : a); };
auto expm1_of = [](double x) {
#ifdef __CUDA_ARCH__
    return ::expm1(x);
#else
    const double t = wp::tanh(0.5 * x);
    return 2.0 * t / (1.0 - t);
#endif
};
""",
    "float": single.FUNCTIONS,
}
OWN = {
    "double": ("max", "min", "expm1"),
    "float": ("max", "min", "reciprocal", "sqrt", "exp2", "sin", "cos", "direction"),
}
"""Operations on numbers that these functions are for."""
EXACT = ("decay", "rise", "rise_mean")
"""Operations of an exact step, which one function computes together."""


class LoopWriter(NativeWriter):
    """Writes the loop of one motor; a batch is one row of motors."""

    inline = ()

    def __init__(self, traces: Traces, layouts: dict[str, Layout], shared: Collection[str], dtype: type):
        """`layouts` are those of states and numbers in arrays; inputs that are `shared` have one number per step."""
        self.traces, self.shared = traces, shared
        inputs = {f"input.{name}": Layout(dtype, (name not in shared,), line=True) for name in traces.inputs}
        out = {OUT: Layout(dtype, (True, True, True))}
        super().__init__([], layouts | inputs | out, 1, dtype)
        part = traces.repeated
        starts = (*traces.states.values(), *traces.inputs.values(), *((*part.carried, *part.end) if part else ()))
        self.moving = {x.index for x in starts}
        """Symbols that change from step to step."""
        self._starts = set(self.moving)
        """Those of them that have a variable of their own."""
        self._exact: set[int] = set()
        """Symbols whose functions of an exact step have been computed, outside of branches."""
        for x in self.live:
            given = (each for each in x.args if isinstance(each, Symbol))
            if x.op == "pick" or any(each.index in self.moving for each in given):
                self.moving.add(x.index)

    @property
    def arguments(self) -> list[str]:
        """Arrays that the written loop reads and writes, in order."""
        return [*self.used, *(f"input.{name}" for name in self.traces.inputs), OUT]

    def roots(self) -> list[Value]:
        return self.traces.roots()

    def write(self) -> str:
        """The source of the loop of the motor `i0` of `n0`."""
        self._exact.clear()
        traces, part = self.traces, self.traces.repeated
        picks = [x for x in self.live if x.op == "pick"]
        puts = [line for line in traces.new_lines.values() if line.frame is not None]
        step = [*traces.after.values(), *picks, *(x for line in puts for x in (line.slot, line.frame))]
        inside = self.reach(traces.with_repeated(step))
        before = [x for x in self.live if x.index not in self.moving]
        moving = [x for x in self.live if x.index in self.moving and x.index not in self._starts]
        always, due = ([x for x in moving if (x.index in inside) == always] for always in (True, False))
        text = [f"{self.types[x.kind]} {self.statement(x)};" for x in traces.states.values()]
        text += self._copy_lines() + self._compute(before) + self._first_inputs()
        text += ["#pragma unroll 1", "for (unsigned int t = 1; t <= steps; ++t) {", *self._next_inputs()]
        later = arguments_of(due) | {x.index for x in self.roots() if isinstance(x, Symbol)}
        text += self._body(always, later) if part is None else self._with_repeated(part, always, due, later, step)
        record = self.reach(list(traces.out.values()))
        due = [x for x in due if x.index in record]
        text += ["if (t == due) {", "due += every;", *self._compute(due, True), *self._record(), "o_ += size;", "}"]
        for line in puts:
            slot = f"(unsigned int)({self.text(line.slot, INT)}) % {line.frames}u"
            text.append(f"{self.element(f'new.{line.name}', slot)} = {self.text(line.frame, FLOAT)};")
        text += [*self._advance(), "}"]
        for name, x in traces.states.items():
            text.append(f"{self.element(f'new.{name}')} = {self.text(x, x.kind)};")
        lines = [FUNCTIONS[self.number], *(self._pointer(name) for name in self.used)]
        lines += [f"const {self.number} u{k} = p.u{k};" for k in sorted(self.uniforms)]
        lines += ["const long long size = n0;", f"{self.number}* o_ = ({self.number}*){OUT}.data + i0;"]
        return "\n".join([*lines, "unsigned int due = every;", *text])

    # --- parts of the loop

    def _compute(self, symbols: Iterable[Symbol], inside: bool = False, declared: Collection[int] = ()) -> list[str]:
        """The lines that compute symbols, `inside` a branch or not; those that are `declared` have a name already."""
        text: list[str] = []
        exact = set(self._exact) if inside else self._exact
        for x in symbols:
            start = "" if x.index in declared else f"const {self.types[x.kind]} "
            if x.op not in EXACT:
                text.append(f"{start}{self.statement(x)};")
                continue
            u = x.args[0]
            if u.index not in exact:
                exact.add(u.index)
                names = [f"{op}{u.index}" for op in EXACT]
                text.append(f"{self.number} {', '.join(names)};")
                text.append(f"exact_of({self.text(u, FLOAT)}, {', '.join(names)});")
            text.append(f"{start}x{x.index} = {x.op}{u.index};")
        return text

    def _body(self, symbols: list[Symbol], later: set[int]) -> list[str]:
        """The lines of a step, each detour in a branch of its own; `later` are the symbols that are used after it."""
        steps = Steps(symbols, later)
        detour = steps.detour
        if detour is None:
            return self._compute(symbols)
        text = self._body(steps.first, later | steps.needs | arguments_of(steps.rest))
        text += [f"{self.types[x.kind]} x{x.index};" for x in steps.leaving]
        text.append(f"if ({' || '.join(self.text(x, BOOL) for x in detour.conditions)}) {{")
        text += [*self._compute(steps.inside, True, {x.index for x in steps.leaving}), "} else {"]
        text += [f"x{x.index} = {self.text(detour.without[x.index], x.kind)};" for x in steps.leaving]
        return [*text, "}", *self._body(steps.rest, later)]

    def _with_repeated(
        self, part: Repeated, always: list[Symbol], due: list[Symbol], later: set[int], step: list[Traced]
    ) -> list[str]:
        """The lines of a step with a loop of its own; what only a record needs is left out where none is due."""
        stages = self._stages(part)
        first, again, last = ([x for x in always if stages[x.index] == k] for k in range(3))
        kept = part.needed(step)
        more = [k for k in part.needed(self.traces.out.values()) if k not in kept]
        text = self._body(first, later | arguments_of(again))
        for k in (*kept, *more):
            x = part.carried[k]
            start = f" = {self.text(part.begin[k], x.kind)}" if k in kept else ""
            text.append(f"{self.types[x.kind]} x{x.index}{start};")
        if more:
            roots = [x for k in more for x in (part.begin[k], part.after[k])]
            wanted = self.reach(roots)
            text += ["if (t == due) {"]
            text += self._compute([x for x in due if stages[x.index] == 0 and x.index in wanted], True)
            text += [f"x{part.carried[k].index} = {self.text(part.begin[k], part.carried[k].kind)};" for k in more]
            whole = sorted([*again, *(x for x in due if stages[x.index] == 1)], key=lambda x: x.index)
            text += [*self._again(part, whole, [*kept, *more]), "} else {"]
        text += self._again(part, again, kept) + (["}"] if more else [])
        for k in (*kept, *more):
            x = part.end[k]
            text.append(f"const {self.types[x.kind]} x{x.index} = x{part.carried[k].index};")
        return text + self._body(last, later)

    def _stages(self, part: Repeated) -> dict[int, int]:
        """Of each symbol, whether it is computed before the repeated part (0), in it (1) or after it (2)."""
        known = {x.index: 1 for x in part.carried} | {x.index: 2 for x in part.end}
        for x in self.live:
            known.setdefault(x.index, max((known.get(a.index, 0) for a in x.args if isinstance(a, Symbol)), default=0))
        return known

    def _again(self, part: Repeated, symbols: list[Symbol], places: list[int]) -> list[str]:
        """The loop over the repeated part, in which these of its numbers change."""
        outside, self._exact = self._exact, set(self._exact)
        changed = [(part.carried[k], part.after[k]) for k in places]
        text = ["#pragma unroll 1", f"for (int again = 0; again < {part.times}; ++again) {{"]
        text += self._body(symbols, {after.index for _, after in changed if isinstance(after, Symbol)})
        text += [*self._change(changed), "}"]
        self._exact = outside
        return text

    def _copy_lines(self) -> list[str]:
        """The frames of every line, to where the loop reads and writes them."""
        text = []
        for name, line in self.traces.lines.items():
            target, source = self.element(f"new.{name}", "k"), self.element(name, "k")
            text.append(f"for (int k = 0; k < {line.frames}; ++k) {target} = {source};")
        return text

    def _first_inputs(self) -> list[str]:
        text = []
        for k, (name, x) in enumerate(self.traces.inputs.items()):
            memory = f"(const {self.number}*){array_name(f'input.{name}')}.data{'' if name in self.shared else ' + i0'}"
            text.append(f"const {self.number}* __restrict__ c{k}_ = {memory};")
            text.append(f"{self.number} x{x.index} = c{k}_[0];")
        return [*text, f"const unsigned int last = steps - 1, stride = sizeof({self.number}) * n0;"]

    def _next_inputs(self) -> list[str]:
        """The inputs of the next step are on their way while this one is computed."""
        text = ["const unsigned int row = t < last ? t : last;"]
        for k, name in enumerate(self.traces.inputs):
            place = f"((const char*)c{k}_ + (unsigned long long)row * stride)"
            place = f"c{k}_[row]" if name in self.shared else f"*(const {self.number}*){place}"
            text.append(f"const {self.number} next{k} = {place};")
        return text

    def _record(self) -> list[str]:
        values = enumerate(self.traces.out.values())
        return [f"o_[{k} * size * records] = {self.text(x, FLOAT)};" for k, x in values]

    def _advance(self) -> list[str]:
        """States become those after the step, all at once."""
        states = [(x, self.traces.after[name]) for name, x in self.traces.states.items()]
        text = self._change([(x, after) for x, after in states if x is not after])
        return text + [f"x{x.index} = next{k};" for k, x in enumerate(self.traces.inputs.values())]

    def _change(self, changed: list[tuple[Symbol, Value]]) -> list[str]:
        """Variables become what follows them, all at once."""
        named = list(enumerate(changed))
        text = [f"const {self.types[x.kind]} new{k}_ = {self.text(after, x.kind)};" for k, (x, after) in named]
        return text + [f"x{x.index} = new{k}_;" for k, (x, _) in named]

    # --- expressions

    def element(self, name: str, slot: str | None = None) -> str:
        """As for one step; an array that is only read may have one number for all motors."""
        if name == OUT or name.startswith(("new.", "input.")):
            return super().element(name, slot)
        if name not in self.used:
            self.used.append(name)
        size = f"{array_name(name)}.shape[{self.layouts[name].line:d}]"
        frame = "" if slot is None else f"(long long)({slot}) * {size} + "
        return f"{self.array.format(array_name(name))}[{frame}({size} == 1 ? 0 : i0)]"

    def literal(self, x: float, kind: str) -> str:
        if kind == FLOAT and self.number == "float" and math.isfinite(x):
            # what a law adds or bounds with to be above 0 stays above 0
            largest, least = float(np.finfo(np.float32).max), float(np.finfo(np.float32).tiny)
            x = math.copysign(min(max(abs(x), least), largest), x) if x else x
        return super().literal(x, kind)

    def expression(self, x: Symbol) -> str:
        if x.op == "pick":
            # a slot that is none is the last
            slot, frames = self.text(x.args[1], INT), self.traces.lines[x.args[0]].frames
            inside = f"(unsigned int)({slot}) < {frames}u ? {slot} : {frames - 1}"
            return self.element(f"new.{x.args[0]}", inside)
        if x.kind == FLOAT and x.op in OWN[self.number]:
            return f"{x.op}_of({', '.join(self.text(each, FLOAT) for each in x.args)})"
        if x.kind == FLOAT and x.op == "mod":
            a, b = (self.text(each, FLOAT) for each in x.args)
            return f"{a} - wp::floor({a} / {b}) * {b}"
        return super().expression(x)


def array_type(kind: str, dtype: type) -> type:
    """Type of an array of a kind of numbers."""
    return {FLOAT: dtype, INT: wp.int32, WORD: wp.uint32}[kind]


def build_run(writer: LoopWriter, dtype: type) -> tuple[wp.Kernel, Module]:
    """The kernel, and the structure of the numbers that all motors share."""
    source = writer.write()
    fields = {f"u{k}": dtype for k in sorted(writer.uniforms)} or {"nothing": dtype}
    types = array_types(writer, writer.arguments)
    name = source_name("run_", source, types, dtype, sorted(fields))
    if name not in BUILT:
        numbers = wp.struct(type(f"Numbers_{name}", (), {"__annotations__": fields, "__module__": name}))
        kinds = {"p": "P"} | {array_name(n): f"A_{array_name(n)}" for n in types}
        kinds |= dict.fromkeys(("steps", "every", "records", "n0"), "wp.int32")
        typed = ", ".join(f"{argument}: {kind}" for argument, kind in kinds.items())
        text = f"def loop({typed}, i0: wp.int32): ...\n\n\n"
        text += f"def step({typed}):\n    loop({', '.join([*kinds, 'wp.tid()'])})\n"
        scope = define(name, text, types, P=numbers)
        scope["loop"] = wp.func_native(source)(scope["loop"])
        BUILT[name] = make_kernel(name, scope["step"], False, launch_bounds=(BLOCK, 1)), numbers
    return BUILT[name]
