"""The text of compiled steps: one step of a batch, or many steps of each motor, around the same lines of a law.

Motors are lanes, several of them in one vector. Memory is rows of one number per motor, eight bytes each: a state, an
input, a number that each motor has of its own, or a frame of a delay. What is the same for all motors comes as a list.
A last group of motors that would reach beyond the batch starts earlier instead, and computes some of them again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from ..values import Recorded
from .llvm_text import Writer
from .repeated import Repeated
from .tracing import BOOL, FLOAT, INT, WORD, Line, Symbol, Traced, reach

LANES, TIME = "i", "t"


@dataclass(frozen=True, eq=False)
class Traces:
    """A step in symbols: what goes in and what comes out, by name."""

    states: dict[str, Symbol]
    """States before the step, without lines of frames."""
    inputs: dict[str, Symbol]
    """What each step is given."""
    own: dict[str, Symbol]
    """Numbers that each motor has of its own and keeps."""
    lines: dict[str, Line]
    """Lines of frames before the step."""
    after: dict[str, Traced]
    """States after the step, in the order of `states`."""
    new_lines: dict[str, Line]
    """Lines of frames after the step."""
    out: dict[str, Traced]
    """What the step says, without what is the same for all motors."""
    repeated: Repeated | None = None
    """The part of it that runs several times; None: there is none."""

    @property
    def rows(self) -> int:
        """States and frames of a motor, with lines."""
        return len(self.states) + sum(map(len, self.lines.values()))

    @property
    def rows_after_a_run(self) -> int:
        """Rows that a run leaves: those, and one that says whether all is finite."""
        return self.rows + 1

    def pack(self, known: Mapping[str, Recorded], batch: tuple[int, ...]) -> np.ndarray:
        """The rows of states and frames, from their values by name."""
        rows = np.empty((self.rows, *batch))
        whole, row = rows.view(np.int64), len(self.states)
        for k, (name, x) in enumerate(self.states.items()):
            (rows if x.kind == FLOAT else whole)[k] = known[name]
        for name, line in self.lines.items():
            rows[row : row + len(line)] = known[name]
            row += len(line)
        return rows

    def roots(self) -> list[Traced]:
        """Everything that has to be computed."""
        found = [*self.after.values(), *self.out.values()]
        for line in self.new_lines.values():
            found += [] if line.frame is None else [line.slot, line.frame]
        return self.with_repeated(found)

    def with_repeated(self, roots: list[Traced]) -> list[Traced]:
        """Some symbols with those of the repeated part that they need."""
        part = self.repeated
        if part is None:
            return roots
        return [*roots, *(x for k in part.needed(roots) for x in (part.begin[k], part.after[k]))]


def shared_symbols(traces: Traces) -> list[Symbol]:
    """What the step uses of the numbers that all motors share."""
    found = reach(traces.roots())
    return [found[index] for index in sorted(found) if found[index].uniform]


class _Text(Writer):
    """Writes loads and stores of rows, besides the law."""

    def __init__(self, traces: Traces, width: int, single: bool):
        super().__init__(width)
        self.traces, self.single = traces, single
        self.lane = "0" if single else "%i"
        self.line_rows: dict[str, tuple[int, int]] = {}
        """First row of each line of frames in the memory that it is read from, and how many frames it has."""
        self.read_from = "%given"
        self.block = "lanes"

    # --- memory

    def place(self, memory: str, row: str | int, lane: str | None = None) -> str:
        """Where the row of a group of motors is."""
        lane = self.lane if lane is None else lane
        if self.single:
            return self.new(f"getelementptr double, ptr {memory}, i64 {row}")
        start = self.new(f"mul i64 %n, {row}")
        return self.new(f"getelementptr double, ptr {memory}, i64 {self.new(f'add i64 {start}, {lane}')}")

    def fetch(self, memory: str, row: str | int, kind: str = FLOAT) -> str:
        """A row of motors in a kind."""
        place = self.place(memory, row)
        if kind == FLOAT:
            return self.new(f"load {self.types[FLOAT]}, ptr {place}, align 8")
        wide = self.new(f"load {self.vector('i64')}, ptr {place}, align 8")
        if kind == BOOL:
            return self.new(f"trunc {self.vector('i64')} {wide} to {self.types[BOOL]}")
        return self.new(f"trunc {self.vector('i64')} {wide} to {self.types[kind]}")

    def keep(self, memory: str, row: str | int, value: Traced, kind: str) -> None:
        """Write a row of motors."""
        self.keep_value(self.place(memory, row), self.value(value, kind), kind)

    def keep_value(self, place: str, name: str, kind: str) -> None:
        """Write a value to a place."""
        if kind != FLOAT:
            widen = "sext" if kind == INT else "zext"
            name = self.new(f"{widen} {self.types[kind]} {name} to {self.vector('i64')}")
        self.add(f"store {self.vector('double' if kind == FLOAT else 'i64')} {name}, ptr {place}, align 8")

    def pick(self, line: str, slots: str) -> str:
        """The frame of each motor in its own slot; a slot that is none is the last."""
        row, frames = self.line_rows[line]
        kind, found = self.types[INT], "poison"
        sure = self.new(f"freeze {kind} {slots}")
        inside = self.new(f"icmp ult {kind} {sure}, {self._constant(frames, INT)}")
        test = self.types[BOOL]
        sure = self.new(f"select {test} {inside}, {kind} {sure}, {kind} {self._constant(frames - 1, INT)}")
        for k in range(self.width):
            slot = sure if self.width == 1 else self.new(f"extractelement {kind} {sure}, i32 {k}")
            at = self.new(f"add i64 {self.new(f'zext i32 {slot} to i64')}, {row}")
            lane = None if self.single else self.new(f"add i64 {self.lane}, {k}")
            one = self.new(f"load double, ptr {self.place(self.read_from, at, lane)}, align 8")
            if self.width == 1:
                return one
            found = self.new(f"insertelement {self.types[FLOAT]} {found}, double {one}, i32 {k}")
        return found

    def put(self, memory: str, line: Line) -> None:
        """Write the new frame of a line to its slot, for each motor."""
        row, frames = self.line_rows[line.name]
        slots, frame = self.value(line.slot, INT), self.value(line.frame)
        for k in range(self.width):
            slot, one, lane = slots, frame, None
            if self.width > 1:
                slot = self.new(f"extractelement {self.types[INT]} {slots}, i32 {k}")
                one = self.new(f"extractelement {self.types[FLOAT]} {frame}, i32 {k}")
                lane = self.new(f"add i64 {self.lane}, {k}")
            slot = self.new(f"urem i32 {slot}, {frames}")
            at = self.new(f"add i64 {self.new(f'zext i32 {slot} to i64')}, {row}")
            self.add(f"store double {one}, ptr {self.place(memory, at, lane)}, align 8")

    def whole_doubt(self, values: Iterable[Traced], before: str) -> str:
        """0 where values, and what was `before`, are finite; elsewhere not a number, as infinity less itself is."""
        kind = self.types[FLOAT]
        known = {x.index: x for x in values if isinstance(x, Symbol) and not x.uniform and x.kind == FLOAT}
        names = [self.value(x) for x in known.values()]
        doubts = [before, *(self.new(f"fsub {kind} {name}, {name}") for name in names)]
        # in pairs, which do not wait for each other
        while len(doubts) > 1:
            pairs = [self.new(f"fadd {kind} {a}, {b}") for a, b in zip(doubts[::2], doubts[1::2], strict=False)]
            doubts = pairs + doubts[2 * len(pairs) :]
        return doubts[0]

    # --- what both loops begin with

    def give_shared(self) -> None:
        """Load what all motors share."""
        for k, x in enumerate(shared_symbols(self.traces)):
            name = self.new(f"load double, ptr {self.new(f'getelementptr double, ptr %same, i64 {k}')}, align 8")
            name = self.spread(name)
            self.give(x, name if x.kind == FLOAT else self._cast(name, FLOAT, x.kind))

    def take_lines(self) -> list[str]:
        """Lines of text since the last time."""
        taken, self.lines = self.lines, []
        return taken

    def around_lanes(self, before: list[str], body: list[str]) -> list[str]:
        """A body for every group of motors, which has been written last."""
        if self.single:
            return ["entry:", *before, "  br label %lanes", "lanes:", *body, "  ret void", "}"]
        w = self.width
        head = [f"  %i = phi i64 [ %first, %entry ], [ %next, %{self.block} ]"]
        tail = [
            f"  %past = add i64 %i, {w}", "  %more = icmp slt i64 %past, %last", f"  %final = sub i64 %last, {w}",
            "  %fits = icmp sle i64 %past, %final", "  %next = select i1 %fits, i64 %past, i64 %final",
            "  br i1 %more, label %lanes, label %end", "end:", "  ret void", "}",
        ]  # fmt: skip
        return ["entry:", *before, "  br label %lanes", "lanes:", *head, *body, *tail]

    def copy_lines(self, first: int, count: int, to: int, after: str) -> list[str]:
        """A loop that copies all frames of a group of motors; it leads to the block `after`."""
        begin = ["  br label %copy", "copy:", f"  %f = phi i64 [ 0, %{self.block} ], [ %f1, %copy ]"]
        held = self.fetch("%given", self.new(f"add i64 %f, {first}"))
        place = self.place("%after", self.new(f"add i64 %f, {to}"))
        self.keep_value(place, held, FLOAT)
        end = [
            "  %f1 = add i64 %f, 1", f"  %rest = icmp slt i64 %f1, {count}",
            f"  br i1 %rest, label %copy, label %{after}", f"{after}:",
        ]  # fmt: skip
        self.block = after
        return [*begin, *self.take_lines(), *end]


def step_text(traces: Traces, width: int, single: bool) -> str:
    """The text of one step of a batch: `step(n, first, last, same, own, given, after, out)`.

    It steps the motors from `first` to before `last` of a batch of `n`. `given` are rows of states, inputs and lines;
    `after` of states and lines.
    """
    w = _Text(traces, width, single)
    w.give_shared()
    before = w.take_lines()
    given = {**traces.states, **traces.inputs}
    first = len(given)
    for name, line in traces.lines.items():
        w.line_rows[name] = first, len(line)
        first += len(line)
    for k, x in enumerate(traces.own.values()):
        w.give(x, w.fetch("%own", k, x.kind))
    for k, x in enumerate(given.values()):
        w.give(x, w.fetch("%given", k, x.kind))
    body = w.take_lines()
    if frames := first - len(given):
        body += w.copy_lines(len(given), frames, len(traces.states), "law")
    w.compute(traces.roots())
    for k, (name, x) in enumerate(traces.after.items()):
        w.keep("%after", k, x, traces.states[name].kind)
    for k, x in enumerate(traces.out.values()):
        w.keep("%out", k, x, FLOAT if not isinstance(x, Symbol) else INT if x.kind in (BOOL, WORD) else x.kind)
    shift = len(traces.states) - len(given)
    w.line_rows = {name: (row + shift, count) for name, (row, count) in w.line_rows.items()}
    for line in traces.new_lines.values():
        if line.frame is not None:
            w.put("%after", line)
    body += w.take_lines()
    names = ("same", "own", "given", "after", "out")
    head = f"define void @step(i64 %n, i64 %first, i64 %last, {', '.join(f'ptr noalias %{name}' for name in names)}) {{"
    return "\n".join([head, *w.around_lanes(before, body), w.declarations(), ""])


def run_text(traces: Traces, width: int, single: bool, alone: frozenset[str]) -> str:
    """The text of many steps: `run(n, first, last, steps, every, apart, same, own, given, after, out, inputs...)`.

    `given` are rows of states and lines at the start, `after` those at the end, and below them a row that is 0 where
    all that was recorded is finite, and not a number elsewhere. Then comes a memory for each input, with a row per
    step; those of `alone` have one number per row, for all motors. `out` has a row of each channel after each `every`
    steps; its channels begin `apart` numbers from each other.
    """
    w = _Text(traces, width, single)
    w.give_shared()
    before = w.take_lines()
    states = len(traces.states)
    first = states
    for name, line in traces.lines.items():
        w.line_rows[name] = first, len(line)
        first += len(line)
    w.read_from = "%after"
    for k, x in enumerate(traces.own.values()):
        w.give(x, w.fetch("%own", k, x.kind))
    starts = [w.fetch("%given", k, x.kind) for k, x in enumerate(traces.states.values())]
    w.compute(_still(traces))
    body = w.take_lines()
    if first > states:
        body += w.copy_lines(states, first - states, states, "begin")
    here = w.block
    body += ["  br label %loop", "loop:"]
    w.block = "loop"
    for k, x in enumerate(traces.states.values()):
        w.give(x, f"%s{k}")
    for k, (name, x) in enumerate(traces.inputs.items()):
        w.give(x, _input(w, f"%in{k}", name in alone))
    found = reach(traces.roots())
    picks = [x for x in found.values() if x.op == "pick"]
    writes = [line for line in traces.new_lines.values() if line.frame is not None]
    step = [*traces.after.values(), *picks, *(x for line in writes for x in (line.slot, line.frame))]
    w.compute(step, traces.out.values())
    kinds = [x.kind for x in traces.states.values()]
    after = [w.value(x, kind) for x, kind in zip(traces.after.values(), kinds, strict=True)]
    for line in writes:
        w.put("%after", line)
    loop, ahead = w.take_lines(), w.block
    w.block = "record"
    w.compute(traces.out.values())
    for k, x in enumerate(traces.out.values()):
        place = w.place("%out", "%r")
        if k:
            place = w.new(f"getelementptr double, ptr {place}, i64 {w.new(f'mul i64 %apart, {k}')}")
        w.keep_value(place, w.value(x, FLOAT), FLOAT)
    doubt = w.whole_doubt(traces.out.values(), "%b")
    record, recorded = w.take_lines(), w.block
    for k, (name, kind) in enumerate(zip(after, kinds, strict=True)):
        w.keep_value(w.place("%after", k), name, kind)
    w.keep_value(w.place("%after", first), "%b1", FLOAT)
    done = w.take_lines()
    phis = [f"  %{v} = phi i64 [ 0, %{here} ], [ %{v}1, %ahead ]" for v in "trc"]
    phis.append(f"  %b = phi {w.types[FLOAT]} [ zeroinitializer, %{here} ], [ %b1, %ahead ]")
    for k, kind in enumerate(kinds):
        phis.append(f"  %s{k} = phi {w.types[kind]} [ {starts[k]}, %{here} ], [ {after[k]}, %ahead ]")
    body += [
        *phis, *loop, "  %c2 = add i64 %c, 1", "  %full = icmp eq i64 %c2, %every",
        "  br i1 %full, label %record, label %ahead", "record:", *record, "  %r2 = add i64 %r, 1",
        "  br label %ahead", "ahead:", f"  %r1 = phi i64 [ %r, %{ahead} ], [ %r2, %{recorded} ]",
        f"  %c1 = phi i64 [ %c2, %{ahead} ], [ 0, %{recorded} ]",
        f"  %b1 = phi {w.types[FLOAT]} [ %b, %{ahead} ], [ {doubt}, %{recorded} ]", "  %t1 = add i64 %t, 1",
        "  %again = icmp slt i64 %t1, %steps", "  br i1 %again, label %loop, label %done", "done:", *done,
    ]  # fmt: skip
    w.block = "done"
    names = ("same", "own", "given", "after", "out", *(f"in{k}" for k in range(len(traces.inputs))))
    head = "define void @run(i64 %n, i64 %first, i64 %last, i64 %steps, i64 %every, i64 %apart, "
    head += f"{', '.join(f'ptr noalias %{name}' for name in names)}) {{"
    return "\n".join([head, *w.around_lanes(before, body), w.declarations(), ""])


def _input(w: _Text, memory: str, alone: bool) -> str:
    """An input of the present step."""
    if not alone:
        return w.fetch(memory, "%t")
    place = w.new(f"getelementptr double, ptr {memory}, i64 %t")
    return w.spread(w.new(f"load double, ptr {place}, align 8"))


def _still(traces: Traces) -> list[Symbol]:
    """What does not change from step to step and is used by what does."""
    found = reach(traces.roots())
    moving = {x.index for x in (*traces.states.values(), *traces.inputs.values())}
    still: dict[int, bool] = {}
    for index in sorted(found):
        x = found[index]
        given = () if x.uniform else [each for each in x.args if isinstance(each, Symbol)]
        still[index] = index not in moving and x.op != "pick" and all(still[each.index] for each in given)
    used = {each.index: each for index, x in found.items() if not still[index] for each in x.args
            if isinstance(each, Symbol) and still[each.index]}  # fmt: skip
    used |= {x.index: x for x in traces.roots() if isinstance(x, Symbol) and still[x.index]}
    return [x for x in used.values() if not x.uniform]
