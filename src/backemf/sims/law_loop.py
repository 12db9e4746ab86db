"""A law along a motion as machine code: what a simulator computes for one joint, all steps in one call.

The law is traced once, with its numbers as constants. One that asks for a value on the way, or remembers more from step
to step, cannot be traced: it is stepped in Python, to the same numbers.
"""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass

import numpy as np

from ..engines import load
from ..engines.machine_code import compile_text
from ..engines.native_engine import WHOLE
from ..engines.native_plan import address
from ..engines.native_text import Traces, run_text, shared_symbols
from ..engines.tracing import FLOAT, INT, Line, Program, Symbol, Traced, evaluate
from ..errors import ParameterError
from ..physics.command import Command
from ..values import Foreign, Module, Recorded
from .on_joint import Law, LawState

LINE = "_line"
"""How the name of a line of frames ends."""
_UFUNCS: dict[str, Callable[..., Traced]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "negative": operator.neg, "power": operator.pow, "bitwise_and": operator.and_, "bitwise_or": operator.or_,
    "logical_and": operator.and_, "logical_or": operator.or_,
    "less": operator.lt, "less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge,
    "equal": operator.eq, "not_equal": operator.ne,
}  # fmt: skip
"""NumPy's operations that are Python's."""


class NumpySymbol(Symbol):
    """A symbol on which NumPy's functions work too, since laws of simulators call them."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Foreign, **options: Foreign) -> Traced:
        if method != "__call__" or options:
            return NotImplemented
        return _apply(ufunc.__name__, inputs)

    def __array_function__(
        self, function: Callable[..., Foreign], types: Foreign, inputs: tuple[Foreign, ...], options: Foreign
    ) -> Traced:
        return NotImplemented if options else _apply(function.__name__, inputs)


def _apply(name: str, inputs: tuple[Foreign, ...]) -> Traced:
    """An operation of NumPy's on symbols and single numbers; NotImplemented where there is none."""
    if name == "interp":
        return load("native").ops.interpolate(inputs[0], *(tuple(map(float, table)) for table in inputs[1:]))
    values = [x if isinstance(x, Symbol) else np.asarray(x).item() for x in inputs]
    if name in _UFUNCS:
        return _UFUNCS[name](*values)
    law = getattr(load("native").ops, name, None)
    return NotImplemented if law is None else law(*values)


class LawLoop:
    """A law traced for inputs of certain names.

    Args:
        law: What is computed.
        names: Targets of the command that the law is given.
        start: What the law remembers at first.
    """

    def __init__(self, law: Law, names: tuple[str, ...], start: LawState):
        program = Program(NumpySymbol)
        self.names = names
        before: dict[str, Symbol] = {}
        lines: dict[str, Line] = {}

        def symbol(name: str, value: Recorded) -> Traced:
            shape, kind = np.shape(value), _kind_of(name, value)
            if name.endswith(LINE) and len(shape) == 1:
                lines[name] = Line(program, name, shape[0])
                return lines[name]
            if shape:
                raise ParameterError(f"{name} has the shape {shape}: one joint is stepped here")
            before[name] = program.load(name, kind)
            return before[name]

        state = _mapped(start, "state", symbol)
        inputs = {name: program.load(f"input {name}", FLOAT) for name in (*names, "joint position", "joint velocity")}
        command = Command(**{name: inputs[name] for name in names})  # pyright: ignore[reportArgumentType]
        step = getattr(law, "traced_step", law.step)
        after, torque = step(state, command, inputs["joint position"], inputs["joint velocity"], program.number("dt"))  # pyright: ignore[reportArgumentType]
        found: dict[str, Traced] = {}
        _mapped(after, "state", found.__setitem__)
        if set(found) != {*before, *lines}:
            raise ParameterError(f"{type(law).__name__} remembers {sorted(found)} after a step: it cannot be traced")
        self._traces = Traces(
            before, inputs, {}, lines, {name: found[name] for name in before}, {name: found[name] for name in lines},
            {"torque": torque},
        )  # fmt: skip
        self._shared = shared_symbols(self._traces)
        engine = compile_text(run_text(self._traces, 1, True, frozenset(inputs)))
        kind = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 6, *[ctypes.c_void_p] * (5 + len(inputs)))
        self._function: Module = kind(engine.get_function_address("run"))

    def run(
        self, start: LawState, commands: Mapping[str, Recorded], position: np.ndarray, velocity: np.ndarray, dt: float
    ) -> np.ndarray:
        """The torque of every step along a motion of the joint [N·m]."""
        traces, steps = self._traces, len(position)
        known: dict[str, Recorded] = {}
        _mapped(start, "state", known.__setitem__)
        given = traces.pack(known, ())
        same = np.array([float(x) for x in evaluate(self._shared, {"dt": dt})] or [0.0])
        after, out, own = np.empty(traces.rows_after_a_run), np.empty(steps), np.empty(1)
        rows = [np.ascontiguousarray(commands[name], dtype=float) for name in self.names]
        rows += [np.ascontiguousarray(each, dtype=float) for each in (position, velocity)]
        memories = [address(each) for each in (same, own, given, after, out, *rows)]
        self._function(1, 0, 1, steps, 1, steps, *memories)
        return out


class AlongMotion:
    """A law for one joint whose motion is prescribed; traced once for each choice of targets."""

    def __init__(self, law: Law):
        self.law = law
        self._loops: dict[tuple[str, ...], LawLoop | None] = {}

    def torque(
        self, commands: Mapping[str, Recorded], position: np.ndarray, velocity: np.ndarray, dt: float
    ) -> np.ndarray:
        """The torque at every step, from the initial state [N·m].

        Args:
            commands: Every target by name, one per step.
            position: Joint position at each step [rad].
            velocity: Joint velocity at each step [rad/s].
            dt: Step [s].
        """
        # the first step in Python says what is wrong with the inputs
        state = self.law.initial(())
        first = Command(**{name: row[0] for name, row in commands.items()})
        self.law.step(state, first, position[0], velocity[0], dt)
        loop = self.loop(tuple(commands))
        if loop is None:
            return step_along(self.law, commands, position, velocity, dt)
        return loop.run(state, commands, position, velocity, dt)

    def loop(self, names: tuple[str, ...]) -> LawLoop | None:
        """The law as machine code; None where it cannot be traced."""
        if names not in self._loops:
            try:
                self._loops[names] = LawLoop(self.law, names, self.law.initial(()))
            except (TypeError, ValueError, AttributeError):
                self._loops[names] = None
        return self._loops[names]


def step_along(
    law: Law, commands: Mapping[str, Recorded], position: np.ndarray, velocity: np.ndarray, dt: float
) -> np.ndarray:
    """The torque of a law along a motion, step by step in Python [N·m]."""
    state, torque = law.initial(()), np.empty(len(position))
    for k, (q, w) in enumerate(zip(position, velocity, strict=True)):
        command = Command(**{name: row[k] for name, row in commands.items()})
        state, torque[k] = law.step(state, command, q, w, dt)
    return torque


def _kind_of(name: str, value: Recorded) -> str:
    """The kind of a number that a law remembers."""
    return WHOLE.get(name, INT if np.issubdtype(np.asarray(value).dtype, np.integer) else FLOAT)


def _mapped(tree: LawState, name: str, change: Callable[[str, Recorded], Traced]) -> LawState:
    """The same tree with `change(dotted name, number)` for every number."""
    if tree is None or isinstance(tree, str):
        return tree
    if is_dataclass(tree) and not isinstance(tree, type):
        copy = object.__new__(type(tree))
        for entry in fields(tree):
            value = _mapped(getattr(tree, entry.name), f"{name}.{entry.name}", change)
            object.__setattr__(copy, entry.name, value)
        return copy
    if isinstance(tree, tuple) and not name.endswith(LINE):
        names = getattr(tree, "_fields", range(len(tree)))
        parts = [_mapped(each, f"{name}.{key}", change) for key, each in zip(names, tree, strict=True)]
        return type(tree)(*parts) if hasattr(tree, "_fields") else tuple(parts)
    return change(name, tree)
