"""A traced step as machine code: where its numbers come from and go to, for one motor and for a batch."""

from __future__ import annotations

import ctypes
import math
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter

import numpy as np

from ..errors import ParameterError
from ..physics.state import OUTPUTS, STATES
from ..values import Module, Recorded
from .machine_code import compile_text, in_threads, vector_width
from .native_text import Traces, shared_symbols, step_text
from .tracing import FLOAT, Symbol, Traced, evaluate, kind_of, reach

Given = dict[str, Recorded]
"""What a step is given, by name: arrays and plain numbers."""
SCALARS = frozenset((float, int, np.float64, np.int64, np.float32, np.int32, np.int16, np.uint32, np.bool_, bool))
"""Types of one number."""
MOST_JOINED = 64
"""Motors on one supply at most."""
_STEP = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 3, *[ctypes.c_void_p] * 5)


def is_plain(x: object) -> bool:
    """Whether a value is one number, an array without axes included."""
    return type(x) in SCALARS or np.ndim(x) == 0  # type: ignore[arg-type]


def group_width(count: int) -> int:
    """Motors in one vector, for a batch of so many: two registers long where there are enough, which do not wait."""
    width = vector_width()
    return 2 * width if count >= 2 * width else max(1, min(count, width))


def joined_width(batch: tuple[int, ...]) -> int:
    """Motors in one vector where those along the last axis have something in common; raises `ParameterError`."""
    count = batch[-1] if batch else 1
    if count > MOST_JOINED:
        raise ParameterError(
            f"Supply.shared: the native engine steps at most {MOST_JOINED} motors on one supply, and here are {count}: "
            "take jax, torch or numpy"
        )
    return count


def address(array: np.ndarray) -> int:
    """Where the numbers of an array without gaps are."""
    return array.__array_interface__["data"][0]


class Plan:
    """The step of every actuator of one structure, under inputs of certain names."""

    def __init__(self, traces: Traces, plain: dict[str, Traced]):
        self.traces, self.plain = traces, plain
        self.shared = shared_symbols(traces)
        self.joined = any(x.op == "total" for x in reach(traces.roots()).values())
        """Whether motors along the last axis of a batch have something in common, and so one vector."""
        self.common_out = {name for name, x in traces.out.items() if self.joined and is_common(x)}
        """Outputs that motors with something in common have one of."""
        self.kinds = [x.kind for x in (*traces.states.values(), *traces.inputs.values())]
        self.codes = struct.Struct("".join("d" if kind == FLOAT else "q" for kind in self.kinds))
        self.whole_states = [k for k, x in enumerate(traces.states.values()) if x.kind != FLOAT]
        self.whole_out = [k for k, x in enumerate(traces.out.values()) if kind_of(x) != FLOAT]
        self.frames = sum(len(line) for line in traces.lines.values())
        self.state_names = tuple(name.removeprefix("state.") for name in traces.states)
        self.out_names = tuple(traces.out)
        self._functions: dict[object, Module] = {}
        self._local = threading.local()

    def function(self, width: int, single: bool) -> Module:
        """The code for groups of a width."""
        key = width, single
        if key not in self._functions:
            engine = compile_text(step_text(self.traces, width, single))
            self._functions[key] = _STEP(engine.get_function_address("step"))
        return self._functions[key]

    def memory(self) -> _Memory:
        """Memory of this thread for the numbers of one motor."""
        try:
            return self._local.memory
        except AttributeError:
            self._local.memory = _Memory(len(self.traces.states), len(self.traces.out))
            return self._local.memory


class _Memory:
    """Where the numbers of one motor come out."""

    def __init__(self, states: int, outputs: int):
        self.after, self.out = np.empty(max(states, 1)), np.empty(max(outputs, 1))
        self.whole_after, self.whole_out = self.after.view(np.int64), self.out.view(np.int64)
        self.places = address(self.after), address(self.out)


class Bound:
    """A plan with the numbers of an actuator and a step."""

    def __init__(self, plan: Plan, numbers: dict[str, float], own: dict[str, np.ndarray]):
        self.plan, self.own_values = plan, own
        values = evaluate([*plan.shared, *(x for x in plan.plain.values() if isinstance(x, Symbol))], numbers)
        count = len(plan.shared)
        self.same = np.array([float(x) for x in values[:count]] or [0.0])
        rest = iter(values[count:])
        self.plain = {name: next(rest) if isinstance(x, Symbol) else x for name, x in plan.plain.items()}
        self.empty_state = dict.fromkeys(STATES)
        self.plain_output = dict.fromkeys(OUTPUTS) | self.plain
        self.take_states = take(plan.state_names)
        self._same_at = address(self.same)
        self._own: dict[tuple[int, ...], np.ndarray] = {}
        self._one: Module = None

    def run_one(self, values: Sequence[Recorded]) -> tuple[list[Recorded], list[Recorded]]:
        """States and outputs of one motor after a step, in order, from its states and inputs in order."""
        plan = self.plan
        if self._one is None:
            self._one = plan.function(1, True)
        memory = plan.memory()
        self._one(1, 0, 1, self._same_at, None, plan.codes.pack(*values), *memory.places)
        after, out = list(memory.after), list(memory.out)
        for k in plan.whole_states:
            after[k] = memory.whole_after[k]
        for k in plan.whole_out:
            out[k] = memory.whole_out[k]
        return after, out

    def run(
        self, values: Sequence[Recorded], lines: Sequence[np.ndarray], batch: tuple[int, ...]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Rows of states and lines, and of outputs, of a batch after a step."""
        plan, count = self.plan, math.prod(batch)
        rows, states = len(values), len(plan.traces.states)
        given = np.empty((rows + plan.frames, *batch))
        whole = given.view(np.int64)
        for k, (value, kind) in enumerate(zip(values, plan.kinds, strict=True)):
            (given if kind == FLOAT else whole)[k] = value
        for line in lines:
            given[rows : rows + len(line)] = line
            rows += len(line)
        after = np.empty((states + plan.frames, *batch))
        out = np.empty((len(plan.traces.out), *batch))
        if count:
            # motors that have something in common stay together
            together = joined_width(batch) if plan.joined else 1
            own = self._own.get(batch)
            if own is None:
                own = self._own_rows(batch)
            run = plan.function(together if plan.joined else group_width(count), count == 1)
            places = [address(x) for x in (self.same, own, given, after, out)]
            in_threads(count // together, together, lambda a, b: run(count, a * together, b * together, *places))
        return after, out

    def places(self, count: int) -> tuple[int, int, int]:
        """Where the code for a batch of so many is, and the numbers that its motors share and have of their own."""
        function = self.plan.function(group_width(count), count == 1)
        own = self._own.get((count,))
        own = self._own_rows((count,)) if own is None else own
        return int(ctypes.cast(function, ctypes.c_void_p).value or 0), self._same_at, address(own)

    def _own_rows(self, batch: tuple[int, ...]) -> np.ndarray:
        """The numbers that each motor has of its own, in rows."""
        if len(self._own) > 8:
            self._own.clear()
        own = np.empty((len(self.own_values), *batch))
        for k, value in enumerate(self.own_values.values()):
            own[k] = value
        self._own[batch] = own
        return own


def is_common(x: Traced) -> bool:
    """Whether a value follows from nothing but sums over motors, and what all motors share."""
    seen: set[int] = set()
    todo = [x]
    while todo:
        each = todo.pop()
        if not isinstance(each, Symbol) or each.uniform or each.op == "total" or each.index in seen:
            continue
        if each.op in ("load", "pick"):
            return False
        seen.add(each.index)
        todo += each.args
    return True


def take(names: tuple[str, ...]) -> Callable[[Mapping[str, Recorded]], tuple[Recorded, ...]]:
    """A function that gives the values of some names."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda values: tuple(values[name] for name in names)


def batch_of(shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    """The shape that inputs share; raises `ParameterError` if there is none."""
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        raise ParameterError(f"these shapes do not fit one batch: {shapes}") from None
