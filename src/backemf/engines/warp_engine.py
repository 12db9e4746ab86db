"""Warp: the whole step as one kernel whose thread is one motor, on CPU and CUDA, with gradients through `wp.Tape`.

A batch has one to three axes; one motor is a batch of (1,). Plain numbers of the actuator, the step and plain inputs
are arguments of the kernel, so that a kernel serves every actuator of its structure.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import warp as wp  # pyright: ignore[reportMissingImports]

from ..errors import ParameterError
from ..physics.command import Command
from ..physics.state import OUTPUTS, PER_MOTOR, STATES, Output, State
from ..tree import is_structure, is_table
from .reset import reset_state
from .tracing import BOOL, FLOAT, INT, WORD, Line, Program, ops, where
from .warp_cache import make_cache_writable
from .warp_plan import Plan, layout_of

__all__ = ["array", "compiled", "ops", "whole"]

KINDS = {wp.int32: INT, wp.int16: INT, wp.int64: INT, wp.uint32: WORD, wp.bool: BOOL}
MOST_AXES = 3


def precision(dtype: Any) -> Any:
    """Warp's type of a precision by any library's name for it; None: float32."""
    name = "float32" if dtype is None else getattr(dtype, "__name__", str(dtype)).split(".")[-1]
    if name not in ("float32", "float64"):
        raise ParameterError(f"dtype = {name}: the warp engine computes in float32 or float64")
    return wp.float64 if name == "float64" else wp.float32


def array(value, shape=None, *, dtype=None, device=None):
    """The value as an array, spread over `shape`; one number is an array of shape (1,)."""
    kind = precision(dtype)
    if isinstance(value, wp.array) and shape in (None, value.shape):
        return value
    shape = np.shape(value) if shape is None else shape
    given = value.numpy() if isinstance(value, wp.array) else value
    spread = np.broadcast_to(np.asarray(given, dtype=kind.__name__), shape or (1,))
    return wp.array(np.ascontiguousarray(spread), dtype=kind, device=device)


def whole(value, shape=(), *, dtype=None, device=None):
    """Whole numbers as an array; unsigned ones stay so."""
    kind = wp.uint32 if getattr(value, "dtype", None) == np.uint32 else wp.int32
    spread = np.broadcast_to(np.asarray(value, dtype=kind.__name__), shape or (1,))
    return wp.array(np.ascontiguousarray(spread), dtype=kind, device=device)


# --- what goes in


def leaves(part: Any, name: str) -> dict[str, Any]:
    """Dotted name and value of every number of an actuator, a table's points one by one."""
    if is_dataclass(part):
        found = {}
        for entry in fields(part):
            value = getattr(part, entry.name)
            if is_table(entry) and value is not None:
                found |= {f"{name}.{entry.name}.{k}": float(x) for k, x in enumerate(np.asarray(value))}
            elif not is_structure(entry):
                found |= leaves(value, f"{name}.{entry.name}")
        return found
    if isinstance(part, tuple):
        return {key: x for k, item in enumerate(part) for key, x in leaves(item, f"{name}.{k}").items()}
    return {} if part is None or isinstance(part, (str, bool)) else {name: part}


def with_symbols(part: Any, name: str, symbols: dict[str, Any]) -> Any:
    """The same part with a symbol in place of every number."""
    if is_dataclass(part):
        copy = object.__new__(type(part))
        for entry in fields(part):
            value, here = getattr(part, entry.name), f"{name}.{entry.name}"
            if is_table(entry) and value is not None:
                value = tuple(symbols[f"{here}.{k}"] for k in range(len(value)))
            elif not is_structure(entry):
                value = with_symbols(value, here, symbols)
            object.__setattr__(copy, entry.name, value)
        return copy
    if isinstance(part, tuple):
        return tuple(with_symbols(item, f"{name}.{k}", symbols) for k, item in enumerate(part))
    return symbols.get(name, part)


def given_values(prefix: str, part: Any) -> dict[str, Any]:
    """What a state, a command or other dataclass holds, by name."""
    return {f"{prefix}.{name}": x for name, x in vars(part).items() if x is not None}


def is_plain(x: Any) -> bool:
    return isinstance(x, (int, float, np.generic)) or (isinstance(x, np.ndarray) and x.ndim == 0)


# --- the step


class Stepper:
    """Traces the step for the inputs that it is given, once for each kind of them, and launches it."""

    def __init__(self, function: Any, actuator: Any, options: dict[str, Any]):
        make_cache_writable()
        self.function, self.actuator = function, actuator
        self.dtype = precision(options.get("dtype"))
        self.device = wp.get_device(options.get("device"))
        self.in_place = bool(options.get("in_place"))
        self.numbers, self.arrays = {}, {}
        for name, value in leaves(actuator, "actuator").items():
            if is_plain(value):
                self.numbers[name] = float(value)
            else:
                self.arrays[name] = self._array(name, value)
        self.plans: dict[Any, Plan] = {}

    def __call__(self, state, command, position, velocity, dt, load_torque=None, load_inertia=None, draws=None):
        given = given_values("state", state)
        given |= given_values("command", command) if isinstance(command, Command) else {"command": command}
        given |= {"position": position, "velocity": velocity, "dt": dt}
        if load_torque is not None:
            given["load_torque"] = load_torque
        if load_inertia is not None:
            given["load_inertia"] = load_inertia
        if draws is not None:
            given |= given_values("draws", draws)
        plan, given = self._plan(given, self._trace_step, (type(command), type(draws)))
        after, out = plan.run(given, self.numbers)
        return State(**after), Output(**{name: out.get(name) for name in OUTPUTS})

    def reset(self, state: State, mask: Any, values: dict[str, Any]) -> State:
        """The state with every motor where `mask` is true back at the start."""
        given = given_values("state", state) | {"mask": mask} | {f"value.{n}": x for n, x in values.items()}
        if isinstance(mask, (bool, np.bool_)):
            given["mask"] = wp.full(1, bool(mask), dtype=wp.bool, device=self.device)
        elif not isinstance(mask, wp.array):
            given["mask"] = wp.array(np.asarray(mask, dtype=bool), dtype=wp.bool, device=self.device)
        if given["mask"].dtype is not wp.bool:
            raise ParameterError(f"mask is of {given['mask'].dtype.__name__}: must be of wp.bool")
        plan, given = self._plan(given, self._trace_reset, tuple(values))
        return State(**plan.run(given, self.numbers)[0])

    def _array(self, name: str, value: Any) -> wp.array:
        if not isinstance(value, wp.array):
            value = array(value, dtype=self.dtype, device=self.device)
        if value.dtype not in KINDS and value.dtype is not self.dtype:
            raise ParameterError(
                f"{name} is of {value.dtype.__name__}, the step of {self.dtype.__name__}: "
                f"compile with dtype=wp.{value.dtype.__name__}"
            )
        return value

    def _value(self, name: str, value: Any) -> Any:
        return float(value) if is_plain(value) else self._array(name, value)

    def _plan(self, given: dict[str, Any], trace: Any, kind: Any) -> tuple[Plan, dict[str, Any]]:
        """The plan for what is given, and that as arrays and plain numbers."""
        given = {n: x if isinstance(x, wp.array) else self._value(n, x) for n, x in given.items()}
        look = tuple((n, x.dtype, x.shape) if isinstance(x, wp.array) else n for n, x in given.items())
        given |= self.arrays
        key = trace.__name__, kind, look
        if key not in self.plans:
            for name, value in given.items():
                if isinstance(value, wp.array):
                    self._array(name, value)
            self.plans[key] = trace(given, kind)
        return self.plans[key], given

    def _symbols(self, given: dict[str, Any]) -> dict[str, Any]:
        """A symbol for every input."""
        program = Program()
        symbols: dict[str, Any] = {name: program.number(name) for name in self.numbers}
        for name, x in given.items():
            if not isinstance(x, wp.array):
                symbols[name] = program.number(name)
            elif name.startswith("state.") and name.endswith("_line"):
                symbols[name] = Line(program, name, len(x))
            else:
                symbols[name] = program.load(name, KINDS.get(x.dtype, FLOAT))
        return symbols

    def _trace_step(self, given: dict[str, Any], kinds: Any) -> Plan:
        after, out = self.traced(given, kinds)
        return Plan(after, out, given, self._batch(given), self)

    def traced(self, given: dict[str, Any], kinds: tuple[type, type]) -> tuple[State, Output]:
        """State and output in symbols; `kinds` are the types of the command and of draws that are handed in."""
        symbols = self._symbols(given)

        def part(kind: type, prefix: str) -> Any:
            return kind(
                **{e.name: symbols[f"{prefix}.{e.name}"] for e in fields(kind) if f"{prefix}.{e.name}" in given}
            )

        command = part(Command, "command") if kinds[0] is Command else symbols["command"]
        return self.function(
            with_symbols(self.actuator, "actuator", symbols), part(State, "state"), command, symbols["position"],
            symbols["velocity"], symbols["dt"], symbols.get("load_torque"), symbols.get("load_inertia"),
            None if kinds[1] is type(None) else part(kinds[1], "draws"),
        )  # fmt: skip

    def _trace_reset(self, given: dict[str, Any], names: tuple[str, ...]) -> Plan:
        symbols, batch = self._symbols(given), self._batch(given)
        chosen, mask = symbols["mask"], given["mask"]
        anyone = chosen if mask.shape[-1] == 1 else chosen.program.symbol("any", ("mask",), BOOL, False)
        # the rules of a reset are written once; here an array is a symbol, and motors that share a state choose as one
        shim = SimpleNamespace(ops=ops, array=lambda x: x, select=where)
        values = {name: symbols[f"value.{name}"] for name in names}
        state = State(**{n: symbols[f"state.{n}"] for n in STATES if f"state.{n}" in given})
        by_motor = reset_state(shim, "warp", state, chosen, values, {})
        by_group = reset_state(shim, "warp", state, anyone, values, {})
        grouped = [
            n for n in STATES if f"state.{n}" in given and layout_of(f"state.{n}", given[f"state.{n}"], batch).shared
        ]
        after = {n: getattr(by_group if n in grouped else by_motor, n) for n in STATES}
        return Plan(State(**after), None, given, batch, self)

    def _batch(self, given: dict[str, Any]) -> tuple[int, ...]:
        """Shape of the batch; raises one sentence where a state is made for another one."""
        shapes = {n: tuple(x.shape) for n, x in given.items() if isinstance(x, wp.array)}
        shapes = {n: s[1:] if n.startswith("state.") and n.endswith("_line") else s for n, s in shapes.items()}
        try:
            batch = np.broadcast_shapes((1,), *shapes.values())
        except ValueError:
            raise ParameterError(f"these shapes do not fit one batch: {shapes}") from None
        if len(batch) > MOST_AXES:
            raise ParameterError(f"the batch {batch} has {len(batch)} axes: the warp engine takes up to {MOST_AXES}")
        for name in (*PER_MOTOR, *(n for n in STATES if n.endswith("_line"))):
            if shapes.get(f"state.{name}", batch) != batch:
                raise ParameterError(
                    f"state.{name} is made for {shapes[f'state.{name}']}: make it with initial({batch})"
                )
        return batch


def compiled(function: Any, actuator: Any, options: dict[str, Any]) -> Stepper:
    """The step, traced and compiled when it first sees its inputs."""
    if isinstance(actuator, tuple):
        raise ParameterError("the warp engine steps one kind of actuator: compile each by itself, or take jax or torch")
    if actuator.controller.asks == "network":
        name = type(actuator.controller).__name__
        raise ParameterError(f"{name}: the warp engine runs no learned networks, take jax or torch")
    if actuator.supply is not None and actuator.supply.shared:
        raise ParameterError("Supply.shared: the warp engine steps each motor by itself, take jax, torch or numpy")
    return Stepper(function, actuator, options)
