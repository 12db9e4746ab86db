"""The step of a bench as machine code: many steps in one call, with derivatives by some of its numbers.

Derivatives go forward in time with the states. A step has few states and many numbers, so its own derivatives are found
backwards, once for each state, and applied to those of the states before:

    S' = A·S + B,   A = ∂(states after)/∂(states before),   B = ∂(states after)/∂(numbers)
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np

from ..actuator import Actuator
from ..actuator.compiled import laws
from ..engines.adjoint import derivatives
from ..engines.llvm_text import Writer
from ..engines.machine_code import compile_text, vector_width
from ..engines.symbols import replace_numbers
from ..engines.tracing import FLOAT, Program, Symbol, Traced
from ..loads import Inertia, PrescribedMotion
from ..parts import without_neutral
from ..physics.command import TARGETS, Command
from ..physics.state import Output
from ..rollout import Here, advance
from .bench import Bench

COMMANDS = (*TARGETS, "enable")
"""Inputs that are commands; others say how the joint is moved."""

STEP = "dt"
"""Name of the step among the fixed numbers."""


@dataclass(frozen=True, eq=False)
class Wiring:
    """What goes into a step and comes out of it, by name and in order."""

    states: tuple[str, ...]
    """States, such as position and state.winding_rise."""
    numbers: tuple[str, ...]
    """Numbers of the bench that are varied."""
    fixed: tuple[str, ...]
    """Numbers of the bench that differ between lanes and are not varied, and the step."""
    inputs: tuple[str, ...]
    """Inputs of each step."""
    pushes: tuple[tuple[str, str], ...]
    """Inputs that depend on a varied number, with that number."""
    channels: tuple[str, ...]
    """What is kept of each step."""


class StepKernel:
    """Machine code for one structure of bench; any number of lanes and steps, any step."""

    def __init__(self, bench: Bench, here: Here, wiring: Wiring):
        self.wiring, self.width = wiring, vector_width()
        self._functions: dict[bool, Callable[..., None]] = {}
        self._given = bench, here, wiring

    def compile(self, slopes: bool) -> None:
        """Make the machine code with or without derivatives, unless it is there."""
        if slopes not in self._functions:
            text = _Loop(self.wiring, self._traced, self.width, slopes).text()
            kind = ctypes.CFUNCTYPE(None, ctypes.c_int64, *[ctypes.c_void_p] * 7)
            self._functions[slopes] = kind(compile_text(text).get_function_address("run"))

    @cached_property
    def _traced(self) -> _Traced:
        return _trace(*self._given)

    def run(
        self, steps: int, state: np.ndarray, numbers: np.ndarray, inputs: np.ndarray, seen: np.ndarray,
        slopes: np.ndarray | None = None, pushed: np.ndarray | None = None, ways: np.ndarray | None = None,
    ) -> None:  # fmt: skip
        """Step one group of lanes; arrays end in the width of a vector and are written in place.

        Args:
            steps: How many.
            state: States, (states, width); those at the end come back.
            numbers: Varied, then fixed numbers, (numbers, width).
            inputs: (steps, inputs, width).
            seen: What is kept, (steps, channels, width).
            slopes: Derivatives of the states by the varied numbers, (states, numbers, width).
            pushed: Derivatives of inputs by numbers, (steps, pushes, width).
            ways: Derivatives of what is kept, (steps, channels, numbers, width).
        """
        self.compile(slopes is not None)
        arrays = (state, numbers, inputs, slopes, pushed, seen, ways)
        pointers = [0 if array is None or not array.size else array.ctypes.data for array in arrays]
        self._functions[slopes is not None](steps, *pointers)


@dataclass(frozen=True, eq=False)
class _Traced:
    """The symbols of a step."""

    given: dict[str, Traced]
    """Numbers and states, by name."""
    inputs: dict[str, Traced]
    """Inputs, by name."""
    after: list[Traced]
    """States after the step."""
    seen: list[Traced]
    """Channels."""


def _trace(bench: Bench, here: Here, wiring: Wiring) -> _Traced:
    program = Program()
    given: dict[str, Traced] = {name: program.load(name, FLOAT) for name in (*wiring.numbers, *wiring.fixed)}
    given |= {name: program.load(f"state {name}", FLOAT) for name in wiring.states}
    inputs: dict[str, Traced] = {name: program.load(f"input {name}", FLOAT) for name in wiring.inputs}
    whole = replace_numbers(bench, "", lambda name, value: given.get(name[1:], value))
    actuator = without_neutral(whole.actuator)
    before = _with_states(here, {name: given[name] for name in wiring.states})
    taken = {name: x for name, x in inputs.items() if name in COMMANDS}
    main = actuator.controller.main
    command = taken[main] if set(taken) == {main} else Command(**taken)
    law = laws("native")
    if "load_inertia" in inputs:
        load = whole.load
        assert isinstance(load, Inertia)
        pull = inputs["load_torque"] - load.damping * before.velocity
        state, out = law.coupled(
            actuator, before.state, command, before.position, before.velocity, given[STEP], pull,
            inputs["load_inertia"] + load.inertia, None, load.damping, 0.0,
        )  # fmt: skip
        after = Here(state, before.memory, out.joint_position, out.joint_velocity)
    else:
        path = (inputs["path_begin"], inputs["path_end"]) if "path_begin" in inputs else None
        load = whole.load if path is None else object.__new__(PrescribedMotion)
        after, out = advance(law, actuator, load, before, command, path, given[STEP])
    known = _states(after)
    seen = [_channel(name, actuator, after, out) for name in wiring.channels]
    return _Traced(given, inputs, [known[name] for name in wiring.states], seen)


def _channel(name: str, actuator: Actuator, after: Here, out: Output) -> Traced:
    """A channel after a step."""
    if name in ("position", "velocity"):
        return getattr(after, name)
    if name == "duty":
        return out.voltage / out.bus_voltage
    if name == "winding_temperature" and actuator.motor is not None and actuator.motor.thermistor is not None:
        return out.measured_temperature
    return getattr(out, name)


def _states(here: Here) -> dict[str, Traced]:
    found = {f"state.{e.name}": getattr(here.state, e.name) for e in fields(here.state)}
    found = {name: value for name, value in found.items() if value is not None}
    found |= {f"memory.{k}": value for k, value in enumerate(here.memory)}
    return found | {"position": here.position, "velocity": here.velocity}


def states_of_bench(here: Here) -> dict[str, np.ndarray]:
    """Every state that is a number, by name, position and velocity last; counters are left out."""
    return {
        name: np.asarray(value, dtype=float)
        for name, value in _states(here).items()
        if np.issubdtype(np.asarray(value).dtype, np.floating)
    }


def _with_states(here: Here, symbols: dict[str, Traced]) -> Here:
    named = {name.removeprefix("state."): x for name, x in symbols.items() if name.startswith("state.")}
    memory = tuple(symbols[f"memory.{k}"] for k in range(len(here.memory)))
    return Here(replace(here.state, **named), memory, symbols["position"], symbols["velocity"])


class _Loop:
    """Writes the loop over steps of one group of lanes."""

    def __init__(self, wiring: Wiring, traced: _Traced, width: int, slopes: bool):
        self.wiring, self.traced, self.slopes = wiring, traced, slopes
        self.writer = Writer(width)
        self.kind = self.writer.types[FLOAT]
        self.width = width

    def text(self) -> str:
        """The whole module."""
        w, given = self.writer, self.traced.given
        for k, name in enumerate((*self.wiring.numbers, *self.wiring.fixed)):
            w.give(given[name], self._load("%numbers", k))
        starts = [self._load("%state", k) for k in range(len(self.wiring.states))]
        local = self._local() if self.slopes else []
        roots = [*self.traced.after, *self.traced.seen, *(x for row in local for x in row)]
        self._compute_constant(roots)
        entry, w.lines = w.lines, []
        for k, name in enumerate(self.wiring.states):
            w.give(given[name], f"%s{k}")
        for k, name in enumerate(self.wiring.inputs):
            w.give(self.traced.inputs[name], self._load("%inputs", k, "%t", len(self.wiring.inputs)))
        w.compute(roots)
        for k, x in enumerate(self.traced.seen):
            self._store("%seen", w.value(x), k, "%t", len(self.traced.seen))
        if self.slopes:
            self._push(local)
        after = [w.value(x) for x in self.traced.after]
        body, w.lines = w.lines, []
        for k, value in enumerate(after):
            self._store("%state", value, k)
        end = w.lines
        arguments = ", ".join(f"ptr noalias %{name}" for name in
                              ("state", "numbers", "inputs", "slopes", "pushed", "seen", "ways"))  # fmt: skip
        phis = ["  %t = phi i64 [ 0, %entry ], [ %t1, %loop ]"]
        phis += [f"  %s{k} = phi {self.kind} [ {starts[k]}, %entry ], [ {after[k]}, %loop ]"
                 for k in range(len(starts))]  # fmt: skip
        lines = [
            f"define void @run(i64 %steps, {arguments}) {{", "entry:", *entry, "  br label %loop",
            "loop:", *phis, *body,
            "  %t1 = add i64 %t, 1", "  %more = icmp slt i64 %t1, %steps", "  br i1 %more, label %loop, label %end",
            "end:", *end, "  ret void", "}",
        ]  # fmt: skip
        return "\n".join([*lines, w.declarations(), ""])

    def _local(self) -> list[list[Traced]]:
        """Derivatives of states and channels by states, numbers and pushed inputs."""
        by = [self.traced.given[name] for name in (*self.wiring.states, *self.wiring.numbers)]
        by += [self.traced.inputs[name] for name in dict.fromkeys(name for name, _ in self.wiring.pushes)]
        return derivatives([*self.traced.after, *self.traced.seen], by)

    def _compute_constant(self, roots: Sequence[Traced]) -> None:
        """Compute once what depends on nothing but numbers of the bench."""
        known: dict[int, bool] = {}
        moving = {self.traced.given[name].index for name in self.wiring.states}
        moving |= {x.index for x in self.traced.inputs.values()}
        order: dict[int, Symbol] = {}
        todo = [x for x in roots if isinstance(x, Symbol)]
        while todo:
            x = todo.pop()
            if x.index not in order:
                order[x.index] = x
                todo += [each for each in x.args if isinstance(each, Symbol)]
        for index in sorted(order):
            given = [each for each in order[index].args if isinstance(each, Symbol)]
            known[index] = index not in moving and all(known[each.index] for each in given)
        # only what the moving part uses has to be kept
        edge = {
            each.index: each
            for index, x in order.items()
            if not known[index]
            for each in x.args
            if isinstance(each, Symbol) and known[each.index]
        }
        edge |= {x.index: x for x in roots if isinstance(x, Symbol) and known[x.index]}
        self.writer.compute(edge.values())

    def _push(self, local: list[list[Traced]]) -> None:
        """New derivatives of the states, and those of the channels, number by number."""
        w, wiring = self.writer, self.wiring
        states, numbers = len(wiring.states), len(wiring.numbers)
        inputs = list(dict.fromkeys(name for name, _ in wiring.pushes))
        places = {wiring.states.index(name): k for k, name in enumerate(wiring.channels) if name in wiring.states}
        for p, number in enumerate(wiring.numbers):
            before = [self._load("%slopes", j * numbers + p) for j in range(states)]
            moved = {
                name: self._load("%pushed", q, "%t", len(wiring.pushes))
                for q, (name, by) in enumerate(wiring.pushes)
                if by == number
            }
            for k, row in enumerate(local):
                channel = k - states
                if channel >= 0 and wiring.channels[channel] in wiring.states:
                    continue
                total = row[states + p]
                text = w.value(total) if not _is_zero(total) else ""
                for j in range(states):
                    text = self._add(text, row[j], before[j])
                for name, slope in moved.items():
                    text = self._add(text, row[states + numbers + inputs.index(name)], slope)
                text = text or w.value(0.0)
                if channel < 0:
                    self._store("%slopes", text, k * numbers + p)
                    if k in places:
                        self._store("%ways", text, places[k] * numbers + p, "%t", len(wiring.channels) * numbers)
                else:
                    self._store("%ways", text, channel * numbers + p, "%t", len(wiring.channels) * numbers)

    def _add(self, total: str, factor: Traced, slope: str) -> str:
        if _is_zero(factor):
            return total
        one = isinstance(factor, float) and factor == 1.0
        more = slope if one else self.writer.new(f"fmul {self.kind} {self.writer.value(factor)}, {slope}")
        return self.writer.new(f"fadd {self.kind} {total}, {more}") if total else more

    # --- memory

    def _place(self, array: str, index: int, row: str = "", size: int = 0) -> str:
        w = self.writer
        if not row:
            return w.new(f"getelementptr double, ptr {array}, i64 {index * self.width}")
        start = w.new(f"mul i64 {row}, {size * self.width}")
        place = w.new(f"add i64 {start}, {index * self.width}")
        return w.new(f"getelementptr double, ptr {array}, i64 {place}")

    def _load(self, array: str, index: int, row: str = "", size: int = 0) -> str:
        return self.writer.new(f"load {self.kind}, ptr {self._place(array, index, row, size)}, align 8")

    def _store(self, array: str, value: str, index: int, row: str = "", size: int = 0) -> None:
        self.writer.add(f"store {self.kind} {value}, ptr {self._place(array, index, row, size)}, align 8")


def _is_zero(x: Traced) -> bool:
    return not isinstance(x, Symbol) and x == 0.0
