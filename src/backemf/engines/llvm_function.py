"""Functions with loops and branches in LLVM's language, for programs that call a step from within another program.

    f = Function("add", {"out": POINTER, "a": POINTER, "count": WHOLE})
    with f.loop(f["count"]) as k:
        f.store(f["out"], k, f.load(f["out"], k) + f.load(f["a"], k))

Memory is eight bytes an element. Variables are places on the stack, which LLVM's own passes turn into registers.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

NUMBER, WHOLE, SHORT, TEST, POINTER, NOTHING = "double", "i64", "i32", "i1", "ptr", "void"
LANES = 4
FOUR = f"<{LANES} x double>"
"""Four numbers in one."""
_NUMBERS = {"+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv"}
_WHOLES = {"+": "add", "-": "sub", "*": "mul", "&": "and", ">>": "lshr", "^": "xor"}
_NUMBER_TESTS = {"<": "olt", "<=": "ole", ">": "ogt", ">=": "oge", "==": "oeq", "!=": "une"}
_WHOLE_TESTS = {"<": "slt", "<=": "sle", ">": "sgt", ">=": "sge", "==": "eq", "!=": "ne"}


@dataclass(frozen=True, eq=False)
class Value:
    """A value in a function that is being written."""

    function: Function
    name: str
    kind: str

    def _with(self, sign: str, other: Operand) -> Value:
        return self.function.operate(sign, self, other)

    def __add__(self, other: Operand) -> Value:
        return self._with("+", other)

    def __sub__(self, other: Operand) -> Value:
        return self._with("-", other)

    def __mul__(self, other: Operand) -> Value:
        return self._with("*", other)

    def __truediv__(self, other: Operand) -> Value:
        return self._with("/", other)

    def __and__(self, other: Operand) -> Value:
        return self._with("&", other)

    def __rshift__(self, other: Operand) -> Value:
        return self._with(">>", other)

    def is_(self, sign: str, other: Operand) -> Value:
        """The test of a comparison, such as `a.is_("<", b)`; what is not a number is only unequal."""
        return self.function.compare(sign, self, other)

    def or_(self, other: Value) -> Value:
        """Whether one of two tests is true."""
        return Value(self.function, self.function.new(f"or i1 {self.name}, {other.name}"), TEST)

    def and_(self, other: Value) -> Value:
        """Whether both of two tests are true."""
        return Value(self.function, self.function.new(f"and i1 {self.name}, {other.name}"), TEST)

    def not_(self) -> Value:
        """The opposite of a test."""
        return Value(self.function, self.function.new(f"xor i1 {self.name}, true"), TEST)


Operand = Value | float | int


class Variable:
    """A value that changes."""

    def __init__(self, function: Function, kind: str, start: Operand):
        self._function, self._kind = function, kind
        self._place = function.reserve(kind)
        self.set(start)

    @property
    def now(self) -> Value:
        """What it is here."""
        return Value(self._function, self._function.new(f"load {self._kind}, ptr {self._place}"), self._kind)

    def set(self, value: Operand) -> None:
        """What it is from here on."""
        self._function.add(f"store {self._function.typed(value, self._kind)}, ptr {self._place}")


class Function:
    """A function that is being written, from its first line to its last."""

    def __init__(self, name: str, arguments: Mapping[str, str], returns: str = NOTHING, internal: bool = False):
        self.name, self.returns = name, returns
        self._arguments = dict(arguments)
        given = ", ".join(f"{kind} %{each}" for each, kind in arguments.items())
        self._head = f"define {'internal ' if internal else ''}{returns} @{name}({given}) {{"
        self._reserved: list[str] = []
        self._first: dict[str, Value] = {}
        self._lines: list[str] = []
        self._count = 0
        self._ended = False

    def __getitem__(self, name: str) -> Value:
        """An argument."""
        return Value(self, f"%{name}", self._arguments[name])

    def text(self) -> str:
        """The whole function."""
        if not self._ended:
            self.add("ret void" if self.returns == NOTHING else "unreachable")
        return "\n".join([self._head, "entry:", *self._reserved, *self._lines, "}", ""])

    # --- lines

    def _fresh(self, word: str) -> str:
        self._count += 1
        return f"{word}{self._count}"

    def new(self, line: str) -> str:
        """Write an instruction; returns the name of its value."""
        name = f"%{self._fresh('v')}"
        self.add(f"{name} = {line}")
        return name

    def add(self, line: str) -> None:
        """Write an instruction without a value."""
        self._lines.append(f"  {line}")

    def reserve(self, kind: str) -> str:
        """A place on the stack."""
        name = f"%{self._fresh('p')}"
        self._reserved.append(f"  {name} = alloca {kind}")
        return name

    def once(self, line: str, kind: str) -> Value:
        """A value that is found where the function begins, and is the same throughout."""
        if line not in self._first:
            name = f"%{self._fresh('f')}"
            self._reserved.append(f"  {name} = {line}")
            self._first[line] = Value(self, name, kind)
        return self._first[line]

    def variable(self, kind: str, start: Operand) -> Variable:
        """A value that changes."""
        return Variable(self, kind, start)

    def typed(self, value: Operand, kind: str) -> str:
        """A value or a constant behind its type."""
        return f"{kind} {self._bare(value, kind)}"

    def _bare(self, value: Operand, kind: str) -> str:
        return value.name if isinstance(value, Value) else constant(value, kind)

    # --- values

    def number(self, value: float) -> Value:
        """A constant number."""
        return Value(self, constant(value, NUMBER), NUMBER)

    def whole_number(self, value: int) -> Value:
        """A constant whole number."""
        return Value(self, constant(value, WHOLE), WHOLE)

    def operate(self, sign: str, a: Value, b: Operand) -> Value:
        """Two numbers, or two whole ones, in one."""
        word = (_NUMBERS if a.kind in (NUMBER, FOUR) else _WHOLES)[sign]
        second = self._bare(b, a.kind)
        return Value(self, self.new(f"{word} {a.kind} {a.name}, {second}"), a.kind)

    def compare(self, sign: str, a: Value, b: Operand) -> Value:
        """The test of a comparison."""
        second = self._bare(b, a.kind)
        word = f"fcmp {_NUMBER_TESTS[sign]}" if a.kind == NUMBER else f"icmp {_WHOLE_TESTS[sign]}"
        return Value(self, self.new(f"{word} {a.kind} {a.name}, {second}"), TEST)

    def choose(self, test: Value, a: Operand, b: Operand, kind: str = NUMBER) -> Value:
        """One of two values."""
        line = f"select i1 {test.name}, {self.typed(a, kind)}, {self.typed(b, kind)}"
        return Value(self, self.new(line), kind)

    def size(self, a: Value) -> Value:
        """The absolute value of a number."""
        return Value(self, self.new(f"call double @llvm.fabs.f64(double {a.name})"), NUMBER)

    def is_finite(self, a: Value) -> Value:
        """Whether a number is finite."""
        return self.size(a).is_("<", float("inf"))

    def widen(self, a: Value) -> Value:
        """A short whole number as a long one."""
        return Value(self, self.new(f"sext {a.kind} {a.name} to i64"), WHOLE)

    def as_whole(self, pointer: Value) -> Value:
        """A place as a whole number."""
        return Value(self, self.new(f"ptrtoint ptr {pointer.name} to i64"), WHOLE)

    def four(self, a: Value) -> Value:
        """A number four times."""
        one = self.new(f"insertelement {FOUR} poison, double {a.name}, i32 0")
        name = self.new(f"shufflevector {FOUR} {one}, {FOUR} poison, <{LANES} x i32> zeroinitializer")
        return Value(self, name, FOUR)

    def sum_of_four(self, a: Value) -> Value:
        """The sum of four numbers."""
        parts = [Value(self, self.new(f"extractelement {FOUR} {a.name}, i32 {k}"), NUMBER) for k in range(LANES)]
        return (parts[0] + parts[1]) + (parts[2] + parts[3])

    # --- memory

    def place(self, memory: Value, index: Operand, each: str = NUMBER) -> Value:
        """Where an element is."""
        line = f"getelementptr {each}, ptr {memory.name}, {self.typed(index, WHOLE)}"
        return Value(self, self.new(line), POINTER)

    def load(self, memory: Value, index: Operand, kind: str = NUMBER) -> Value:
        """An element of memory."""
        return Value(self, self.new(f"load {kind}, ptr {self.place(memory, index, kind).name}"), kind)

    def store(self, memory: Value, index: Operand, value: Operand, kind: str = NUMBER) -> None:
        """Write an element of memory."""
        self.add(f"store {self.typed(value, kind)}, ptr {self.place(memory, index, kind).name}")

    def load_four(self, memory: Value, index: Operand) -> Value:
        """Four elements of memory."""
        return Value(self, self.new(f"load {FOUR}, ptr {self.place(memory, index).name}, align 8"), FOUR)

    def store_four(self, memory: Value, index: Operand, value: Value) -> None:
        """Write four elements of memory."""
        self.add(f"store {FOUR} {value.name}, ptr {self.place(memory, index).name}, align 8")

    def copy(self, to: Value, source: Value, count: Operand) -> None:
        """Copy so many elements."""
        length = (count * 8).name if isinstance(count, Value) else str(8 * int(count))
        self.add(f"call void @llvm.memcpy.p0.p0.i64(ptr {to.name}, ptr {source.name}, i64 {length}, i1 false)")

    def take_lock(self, memory: Value) -> None:
        """Wait until a lock is free, and take it."""
        again, done = self._fresh("spin"), self._fresh("taken")
        self.add(f"br label %{again}")
        self._lines.append(f"{again}:")
        pair = self.new(f"cmpxchg ptr {memory.name}, i64 0, i64 1 acquire monotonic")
        self.add(f"br i1 {self.new(f'extractvalue {{ i64, i1 }} {pair}, 1')}, label %{done}, label %{again}")
        self._lines.append(f"{done}:")

    def free_lock(self, memory: Value) -> None:
        """Let go of a lock."""
        self.add(f"store atomic i64 0, ptr {memory.name} release, align 8")

    # --- the way through

    def call(self, function: str | Value, *arguments: Value | tuple[str, Operand], returns: str = NOTHING) -> Value:
        """Call a function of the module by its name, or one at a place."""
        name = function.name if isinstance(function, Value) else f"@{function}"
        words = (self.typed(x[1], x[0]) if isinstance(x, tuple) else f"{x.kind} {x.name}" for x in arguments)
        line = f"call {returns} {name}({', '.join(words)})"
        if returns == NOTHING:
            self.add(line)
            return Value(self, "", NOTHING)
        return Value(self, self.new(line), returns)

    def give_back(self, value: Operand | None = None) -> None:
        """Return from the function."""
        self.add("ret void" if value is None else f"ret {self.typed(value, self.returns)}")
        self._ended = True

    @contextmanager
    def when(self, test: Value) -> Iterator[None]:
        """What happens only where a test is true."""
        inside, after = self._fresh("then"), self._fresh("after")
        self.add(f"br i1 {test.name}, label %{inside}, label %{after}")
        self._lines.append(f"{inside}:")
        self._ended = False
        yield
        if not self._ended:
            self.add(f"br label %{after}")
        self._lines.append(f"{after}:")
        self._ended = False

    @contextmanager
    def loop(self, count: Operand, start: Operand = 0) -> Iterator[Value]:
        """What happens for every whole number from `start` to before `count`."""
        k = self.variable(WHOLE, start)
        with self._while(k, count):
            now = k.now
            yield now
            k.set(now + 1)

    @contextmanager
    def _while(self, k: Variable, count: Operand) -> Iterator[None]:
        """What happens again while a variable is less than `count`."""
        test, inside, after = self._fresh("test"), self._fresh("each"), self._fresh("over")
        self.add(f"br label %{test}")
        self._lines.append(f"{test}:")
        self.add(f"br i1 {k.now.is_('<', count).name}, label %{inside}, label %{after}")
        self._lines.append(f"{inside}:")
        yield
        self.add(f"br label %{test}")
        self._lines.append(f"{after}:")

    @contextmanager
    def loop_down(self, start: Operand, end: Operand = 0) -> Iterator[Value]:
        """What happens for every whole number from before `start` down to `end`."""
        first = start if isinstance(start, Value) else self.whole_number(int(start))
        length = first - end
        with self.loop(length) as k:
            yield first - 1 - k


def constant(value: Operand, kind: str) -> str:
    """A plain number as LLVM reads it."""
    assert not isinstance(value, Value)
    if kind == NUMBER:
        return f"0x{struct.unpack('>Q', struct.pack('>d', float(value)))[0]:016X}"
    if kind == POINTER:
        return "null" if int(value) == 0 else f"inttoptr (i64 {int(value)} to ptr)"
    return str(int(value)) if kind != TEST else "true" if value else "false"


DECLARATIONS = "declare double @llvm.fabs.f64(double)\ndeclare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"
"""What the functions call of LLVM's own."""
