"""From traced symbols to LLVM's language: every value is a vector of several motors, or of one a plain number.

The text is straight-line code; loops and memory are written by those who use it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

from .detour import Steps, arguments_of
from .llvm_exp import ExpWriter
from .tracing import BOOL, COMPARISONS, FLOAT, INT, WORD, Symbol, Traced, common_kind, kind_of, reach

_FLOATS = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_WHOLES = {"add": "add", "sub": "sub", "mul": "mul", "xor": "xor"}
_FLOAT_TESTS = {"lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge", "eq": "oeq", "ne": "une"}
_WHOLE_TESTS = {"lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge", "eq": "eq", "ne": "ne"}
_INTRINSICS = {"abs": "fabs", "sqrt": "sqrt", "floor": "floor"}
_LIBRARY = {"log2": 1, "sin": 1, "cos": 1, "tanh": 1, "pow": 2}
"""Functions of the C library, and how many arguments each takes."""


class Writer:
    """Writes the lines of symbols, each once, in the order in which they are asked for."""

    def __init__(self, width: int):
        self.width = width
        self.types = {FLOAT: self.vector("double"), BOOL: self.vector("i1")}
        self.types |= dict.fromkeys((INT, WORD), self.vector("i32"))
        self.lines: list[str] = []
        self._names: dict[int, str] = {}
        self._used: set[str] = set()
        self._count = 0
        self.block = ""
        """The block that is written, which those who write loops begin."""

    def vector(self, each: str) -> str:
        """The type of a value whose elements are of a type."""
        return each if self.width == 1 else f"<{self.width} x {each}>"

    # --- values

    def give(self, symbol: Symbol, name: str) -> None:
        """Say which value stands for a symbol, such as one that was loaded."""
        self._names[symbol.index] = name

    def knows(self, symbol: Symbol) -> bool:
        """Whether the symbol has been computed."""
        return symbol.index in self._names

    def new(self, line: str) -> str:
        """Write an instruction; returns the name of its value."""
        self._count += 1
        name = f"%v{self._count}"
        self.lines.append(f"  {name} = {line}")
        return name

    def add(self, line: str) -> None:
        """Write an instruction without a value."""
        self.lines.append(f"  {line}")

    def compute(self, roots: Iterable[Traced], later: Iterable[Traced] = ()) -> None:
        """Write everything that some symbols need; `later` are those that will be written after them."""
        needed: dict[int, Symbol] = {}
        todo = [x for x in roots if isinstance(x, Symbol)]
        while todo:
            x = todo.pop()
            if x.index not in needed and x.index not in self._names:
                needed[x.index] = x
                # what only a branch needs is computed there
                args = (x.args[0], x.args[2]) if x.op == "branch" else x.args
                todo += [each for each in args if isinstance(each, Symbol)]
        used = {x.index for x in (*roots, *later) if isinstance(x, Symbol)}
        used |= arguments_of(x for x in reach(later).values() if x.index not in needed)
        self._write([needed[index] for index in sorted(needed)], used)

    def _write(self, symbols: list[Symbol], later: set[int]) -> None:
        """Write symbols in order, what is known already unless something rare happens in a branch of its own."""
        branches = bool(symbols) and symbols[0].program.branches
        steps = Steps(symbols, later) if branches else None
        if steps is None or steps.detour is None:
            for x in symbols:
                self._names[x.index] = self._instruction(x)
            return
        self._write(steps.first, later | steps.needs | arguments_of(steps.rest))
        conditions = [self.value(x, BOOL) for x in steps.detour.conditions]
        # what all motors share may be needed by nothing else
        self.compute(steps.detour.without[x.index] for x in steps.leaving)
        other = {x: self.value(steps.detour.without[x.index], x.kind) for x in steps.leaving}
        before, known = self.block, dict(self._names)
        behind = self._branch_if(conditions)
        for x in steps.inside:
            self._names[x.index] = self._instruction(x)
        found, end, self._names = self._names, self.block, known
        self._join(behind)
        for x in steps.leaving:
            far = found[x.index]
            self._names[x.index] = self.new(f"phi {self.types[x.kind]} [ {other[x]}, %{before} ], [ {far}, %{end} ]")
        self._write(steps.rest, later)

    def value(self, x: Traced, kind: str = FLOAT) -> str:
        """The name of a computed symbol, or a constant, in a kind."""
        if not isinstance(x, Symbol):
            return self._constant(x, kind)
        name = self._names[x.index]
        return name if x.kind == kind or {x.kind, kind} == {INT, WORD} else self._cast(name, x.kind, kind)

    def _constant(self, x: Traced, kind: str) -> str:
        if kind == FLOAT:
            bits = struct.unpack(">Q", struct.pack(">d", float(x)))[0]
            each = f"double 0x{bits:016X}"
        elif kind == BOOL:
            each = f"i1 {'true' if x else 'false'}"
        else:
            whole = int(x) & 0xFFFFFFFF
            each = f"i32 {whole - 2**32 if whole >= 2**31 else whole}"
        return each.split()[1] if self.width == 1 else f"<{', '.join([each] * self.width)}>"

    def _cast(self, name: str, own: str, kind: str) -> str:
        source, target = self.types[own], self.types[kind]
        if kind == BOOL:
            test = f"fcmp une {source} {name}, {self._constant(0.0, FLOAT)}"
            return self.new(test if own == FLOAT else f"icmp ne {source} {name}, {self._constant(0, INT)}")
        if kind == FLOAT:
            return self.new(f"{'sitofp' if own == INT else 'uitofp'} {source} {name} to {target}")
        return self.new(f"{'fptosi' if own == FLOAT else 'zext'} {source} {name} to {target}")

    def spread(self, name: str) -> str:
        """A number for every motor of a group."""
        if self.width == 1:
            return name
        kind = self.types[FLOAT]
        one = self.new(f"insertelement {kind} poison, double {name}, i32 0")
        return self.new(f"shufflevector {kind} {one}, {kind} poison, <{self.width} x i32> zeroinitializer")

    def pick(self, line: str, slots: str) -> str:
        """The frames of a line in some slots; where lines are in memory is known to those who write loops."""
        raise NotImplementedError("lines of frames")

    # --- instructions

    def begin(self, block: str) -> None:
        """Begin a block of instructions."""
        self.block = block
        self.lines.append(f"{block}:")

    def _branch_if(self, conditions: list[str]) -> str:
        """Begin a block that runs if a condition holds for one of the motors; returns the name of the one after it."""
        some = conditions[0]
        for each in conditions[1:]:
            some = self.new(f"or {self.types[BOOL]} {some}, {each}")
        if self.width > 1:
            self._used.add("any")
            some = self.new(f"call i1 @llvm.vector.reduce.or.v{self.width}i1({self.types[BOOL]} {some})")
        self._count += 1
        inside, behind = f"more{self._count}", f"met{self._count}"
        self.add(f"br i1 {some}, label %{inside}, label %{behind}")
        self.begin(inside)
        return behind

    def _join(self, block: str) -> None:
        """End a branch where the block after it begins."""
        self.add(f"br label %{block}")
        self.begin(block)

    def _branch(self, x: Symbol) -> str:
        """A choice, of which the first case is computed only if one of the motors needs it."""
        test, _, other = x.args
        kind, chosen = self.types[x.kind], self.value(test, BOOL)
        near, before, known = self.value(other, x.kind), self.block, dict(self._names)
        behind = self._branch_if([chosen])
        self.compute([x.args[1]])
        far = self.value(x.args[1], x.kind)
        if self.width > 1:
            far = self.new(f"select {self.types[BOOL]} {chosen}, {kind} {far}, {kind} {near}")
        end, self._names = self.block, known
        self._join(behind)
        return self.new(f"phi {kind} [ {near}, %{before} ], [ {far}, %{end} ]")

    def _instruction(self, x: Symbol) -> str:
        op, kind = x.op, x.kind
        if op == "branch":
            return self._branch(x)
        if op == "where":
            chosen = self.value(x.args[0], BOOL)
            a, b = (self.value(each, kind) for each in x.args[1:])
            return self.new(f"select {self.types[BOOL]} {chosen}, {self.types[kind]} {a}, {self.types[kind]} {b}")
        if op in COMPARISONS:
            return self._comparison(x)
        if op in (FLOAT, INT, WORD, BOOL):
            return self.value(x.args[0], kind) if kind_of(x.args[0]) != kind else self._names[x.args[0].index]
        if op == "detach":
            return self.value(x.args[0], kind)
        if op == "pick":
            return self.pick(x.args[0], self.value(x.args[1], INT))
        if op in ("and", "or"):
            return self._two(op, kind, x)
        if kind == FLOAT:
            return self._float(op, x)
        if op in _WHOLES:
            return self._two(_WHOLES[op], kind, x)
        if op in ("max", "min"):
            a, b = (self.value(each, kind) for each in x.args)
            sign = "u" if kind == WORD else "s"
            first = self.new(f"icmp {sign}{'gt' if op == 'max' else 'lt'} {self.types[kind]} {a}, {b}")
            return self.new(f"select {self.types[BOOL]} {first}, {self.types[kind]} {a}, {self.types[kind]} {b}")
        if op == "neg":
            return self.new(f"sub {self.types[kind]} {self._constant(0, kind)}, {self.value(x.args[0], kind)}")
        if op == "shift":
            return self._two("lshr" if kind == WORD else "ashr", kind, x)
        if op == "mod" and kind == WORD:
            return self._two("urem", kind, x)
        if op == "mod":
            rest = self._two("srem", kind, x)
            by = self.value(x.args[1], kind)
            more = self.new(f"add {self.types[kind]} {rest}, {by}")
            return self.new(f"srem {self.types[kind]} {more}, {by}")
        raise NotImplementedError(f"operation {op} of {kind}")

    def _two(self, instruction: str, kind: str, x: Symbol) -> str:
        a, b = (self.value(each, kind) for each in x.args)
        return self.new(f"{instruction} {self.types[kind]} {a}, {b}")

    def _comparison(self, x: Symbol) -> str:
        kind = common_kind(x.args)
        a, b = (self.value(each, kind) for each in x.args)
        if kind == FLOAT:
            return self.new(f"fcmp {_FLOAT_TESTS[x.op]} {self.types[kind]} {a}, {b}")
        test = _WHOLE_TESTS[x.op].replace("s", "u", 1) if kind == WORD and x.op not in ("eq", "ne") else None
        return self.new(f"icmp {test or _WHOLE_TESTS[x.op]} {self.types[kind]} {a}, {b}")

    def _float(self, op: str, x: Symbol) -> str:
        kind = self.types[FLOAT]
        args = [self.value(each) for each in x.args]
        if op in _FLOATS:
            return self.new(f"{_FLOATS[op]} {kind} {args[0]}, {args[1]}")
        if op == "neg":
            return self.new(f"fneg {kind} {args[0]}")
        if op in ("max", "min"):
            # what is not a number stays so
            first = self.new(f"fcmp {'ogt' if op == 'max' else 'olt'} {kind} {args[0]}, {args[1]}")
            found = self.new(f"select {self.types[BOOL]} {first}, {kind} {args[0]}, {kind} {args[1]}")
            broken = self.new(f"fcmp uno {kind} {args[0]}, {args[0]}")
            return self.new(f"select {self.types[BOOL]} {broken}, {kind} {args[0]}, {kind} {found}")
        if op == "sign":
            zero, one, minus = (self._constant(each, FLOAT) for each in (0.0, 1.0, -1.0))
            above = self.new(f"fcmp ogt {kind} {args[0]}, {zero}")
            below = self.new(f"fcmp olt {kind} {args[0]}, {zero}")
            lower = self.new(f"select {self.types[BOOL]} {below}, {kind} {minus}, {kind} {zero}")
            return self.new(f"select {self.types[BOOL]} {above}, {kind} {one}, {kind} {lower}")
        if op == "mod":
            share = self.new(f"fdiv {kind} {args[0]}, {args[1]}")
            whole = self._intrinsic("floor", share)
            back = self.new(f"fmul {kind} {whole}, {args[1]}")
            return self.new(f"fsub {kind} {args[0]}, {back}")
        if op in _INTRINSICS:
            return self._intrinsic(_INTRINSICS[op], args[0])
        if op == "total":
            return self._total(args[0])
        if op in ("exp", "expm1"):
            return ExpWriter(self.new, self.width).write(op, args[0])
        if op in _LIBRARY:
            self._used.add(op)
            function = op if self.width == 1 else f"each_{op}"
            return self.new(f"call {kind} @{function}({', '.join(f'{kind} {each}' for each in args)})")
        raise NotImplementedError(f"operation {op}")

    def _total(self, argument: str) -> str:
        """The sum over the motors of a vector, for each of them."""
        if self.width == 1:
            return argument
        self._used.add("total")
        kind = self.types[FLOAT]
        return self.spread(
            self.new(f"call double @llvm.vector.reduce.fadd.{self._suffix()}(double -0.0, {kind} {argument})")
        )

    def _intrinsic(self, name: str, argument: str) -> str:
        self._used.add(f"llvm.{name}")
        kind = self.types[FLOAT]
        return self.new(f"call {kind} @llvm.{name}.{self._suffix()}({kind} {argument})")

    def _suffix(self) -> str:
        return "f64" if self.width == 1 else f"v{self.width}f64"

    # --- what the lines refer to

    def declarations(self) -> str:
        """The functions that are called, those of the C library for each motor in turn."""
        kind, parts = self.types[FLOAT], []
        for name in sorted(self._used):
            if name == "any":
                parts.append(f"declare i1 @llvm.vector.reduce.or.v{self.width}i1({self.types[BOOL]})")
                continue
            if name == "total":
                parts.append(f"declare double @llvm.vector.reduce.fadd.{self._suffix()}(double, {kind})")
                continue
            if name.startswith("llvm."):
                parts.append(f"declare {kind} @{name}.{self._suffix()}({kind})")
                continue
            count = _LIBRARY[name]
            letters = "ab"[:count]
            parts.append(f"declare double @{name}({', '.join(['double'] * count)})")
            if self.width == 1:
                continue
            lines = [f"define internal {kind} @each_{name}({', '.join(f'{kind} %{c}' for c in letters)}) noinline {{"]
            for k in range(self.width):
                lines += [f"  %{c}{k} = extractelement {kind} %{c}, i32 {k}" for c in letters]
                given = ", ".join(f"double %{c}{k}" for c in letters)
                lines.append(f"  %r{k} = call double @{name}({given})")
                before = "undef" if k == 0 else f"%o{k - 1}"
                lines.append(f"  %o{k} = insertelement {kind} {before}, double %r{k}, i32 {k}")
            lines += [f"  ret {kind} %o{self.width - 1}", "}"]
            parts.append("\n".join(lines))
        return "\n".join(parts)
