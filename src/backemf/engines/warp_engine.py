"""Warp: the whole step as one kernel whose thread is one motor, on CPU and CUDA, with gradients through `wp.Tape`.

A batch has one to three axes; one motor is a batch of (1,). Plain numbers of the actuator, the step and plain inputs
are arguments of the kernel, so that a kernel serves every actuator of its structure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from types import SimpleNamespace
from typing import Any

import numpy as np
import warp as wp  # pyright: ignore[reportMissingImports]

from ..errors import ParameterError
from ..physics.command import Command
from ..physics.state import OUTPUTS, PER_MOTOR, STATES, Output, State
from ..values import Foreign
from .packing import Composed, Options, Step
from .reset import reset_state
from .symbols import leaves, with_symbols
from .tracing import BOOL, FLOAT, Line, Program, Traced, ops, where
from .warp_cache import make_cache_writable
from .warp_kernel import KINDS
from .warp_plan import Given, Plan, layout_of

__all__ = ["array", "compile_step", "integers", "ops"]

MOST_AXES = 3
Device = wp.Device | str | None
Input = float | np.ndarray | wp.array


def precision(dtype: object) -> type:
    """Warp's type of a precision by any library's name for it; None: float32."""
    name = "float32" if dtype is None else getattr(dtype, "__name__", str(dtype)).split(".")[-1]
    if name not in ("float32", "float64"):
        raise ParameterError(f"dtype = {name}: the warp engine computes in float32 or float64")
    return wp.float64 if name == "float64" else wp.float32


def array(
    value: Foreign, shape: tuple[int, ...] | None = None, *, dtype: object = None, device: Device = None
) -> wp.array:
    """The value as an array, broadcast to `shape`; one number is an array of shape (1,)."""
    if isinstance(value, wp.array):
        if shape in (None, value.shape):
            return value
        value = value.numpy()
    return _broadcast(value, np.shape(value) if shape is None else shape, precision(dtype), device)


def integers(value: Input, shape: tuple[int, ...] = (), *, dtype: object = None, device: Device = None) -> wp.array:
    """Integers as an array; unsigned ones stay so."""
    return _broadcast(value, shape, wp.uint32 if getattr(value, "dtype", None) == np.uint32 else wp.int32, device)


def _broadcast(value: Input, shape: tuple[int, ...], kind: type, device: Device) -> wp.array:
    content = np.broadcast_to(np.asarray(value, dtype=kind.__name__), shape or (1,))
    return wp.array(np.ascontiguousarray(content), dtype=kind, device=device)


# --- what goes in


def given_values(prefix: str, part: object) -> Given:
    """What a state, a command or other dataclass holds, by name."""
    return {f"{prefix}.{name}": x for name, x in vars(part).items() if x is not None}


def is_plain(x: Input) -> bool:
    return isinstance(x, (int, float, np.generic)) or (isinstance(x, np.ndarray) and x.ndim == 0)


# --- the step


class Stepper:
    """Traces the step for the inputs that it is given, once for each kind of them, and launches it."""

    def __init__(self, function: Step, actuator: object, options: Options):
        make_cache_writable()
        self.function, self.actuator = function, actuator
        self.dtype = precision(options.get("dtype"))
        self.device = wp.get_device(options.get("device"))
        self.place = {"dtype": self.dtype, "device": self.device}
        self.in_place = bool(options.get("in_place"))
        self.numbers, self.arrays = {}, {}
        for name, value in leaves(actuator, "actuator").items():
            if is_plain(value):
                self.numbers[name] = float(value)
            else:
                self.arrays[name] = self._array(name, value)
        self.plans: dict[object, Plan] = {}

    def __call__(
        self, state: State, command: Command | Input, position: Input, velocity: Input, dt: Input,
        load_torque: Input | None = None, load_inertia: Input | None = None, draws: object = None, *more: Input,
    ) -> tuple[State, Output]:  # fmt: skip
        given = given_values("state", state)
        given |= given_values("command", command) if isinstance(command, Command) else {"command": command}
        given |= {"position": position, "velocity": velocity, "dt": dt}
        load = {"load_torque": load_torque, "load_inertia": load_inertia}
        given |= {name: x for name, x in load.items() if x is not None}
        given |= {} if draws is None else given_values("draws", draws)
        given |= {f"more.{k}": value for k, value in enumerate(more)}
        plan, given = self._plan(given, self._trace_step, (type(command), type(draws)))
        after, out = plan.run(given, self.numbers)
        known: dict[str, Any] = {name: out.get(name) for name in OUTPUTS}
        return State(**after), Output(**known)

    def reset(self, state: State, mask: Input, values: Mapping[str, Input]) -> State:
        """The state with every motor where `mask` is true back at the start."""
        chosen: wp.array = mask
        if not isinstance(mask, wp.array):
            chosen = wp.array(np.atleast_1d(np.asarray(mask, dtype=bool)), dtype=wp.bool, device=self.device)
        if chosen.dtype is not wp.bool:
            raise ParameterError(f"mask is of {chosen.dtype.__name__}: must be of wp.bool")
        given = given_values("state", state) | {"mask": chosen} | {f"value.{n}": x for n, x in values.items()}
        plan, given = self._plan(given, self._trace_reset, tuple(values))
        return State(**plan.run(given, self.numbers)[0])

    def _array(self, name: str, value: Input) -> wp.array:
        made = array(value, **self.place)
        if made.dtype not in KINDS and made.dtype is not self.dtype:
            raise ParameterError(
                f"{name} is of {made.dtype.__name__}, the step of {self.dtype.__name__}: "
                f"compile with dtype=wp.{made.dtype.__name__}"
            )
        return made

    def _plan(self, given: Given, trace: Callable[[Given, Any], Plan], kind: tuple[object, ...]) -> tuple[Plan, Given]:
        """The plan for what is given, and that as arrays and plain numbers."""
        given = {
            n: x if isinstance(x, wp.array) else float(x) if is_plain(x) else array(x, **self.place)
            for n, x in given.items()
        }
        look = tuple((n, x.dtype, x.shape) if isinstance(x, wp.array) else n for n, x in given.items())
        given |= self.arrays
        key = trace.__name__, kind, look
        if key not in self.plans:
            for name, value in given.items():
                if isinstance(value, wp.array):
                    self._array(name, value)
            self.plans[key] = trace(given, kind)
        return self.plans[key], given

    def _symbols(self, given: Given) -> dict[str, Traced]:
        """A symbol for every input."""
        program = Program()
        symbols: dict[str, Traced] = {name: program.number(name) for name in self.numbers}
        for name, x in given.items():
            if not isinstance(x, wp.array):
                symbols[name] = program.number(name)
            elif name.startswith("state.") and name.endswith("_line"):
                symbols[name] = Line(program, name, len(x))
            else:
                symbols[name] = program.load(name, KINDS.get(x.dtype, FLOAT))
        return symbols

    def _trace_step(self, given: Given, kinds: tuple[type, type]) -> Plan:
        after, out = self.trace(given, kinds)
        return Plan(after, out, given, self._batch(given), self)

    def trace(self, given: Given, kinds: tuple[type, type]) -> tuple[State, Output]:
        """State and output in symbols; `kinds` are the types of the command and of draws that are handed in."""
        symbols = self._symbols(given)

        def part(kind: type, prefix: str) -> Traced:
            return kind(
                **{e.name: symbols[f"{prefix}.{e.name}"] for e in fields(kind) if f"{prefix}.{e.name}" in given}
            )

        command = part(Command, "command") if kinds[0] is Command else symbols["command"]
        return self.function(
            with_symbols(self.actuator, "actuator", symbols), part(State, "state"), command, symbols["position"],
            symbols["velocity"], symbols["dt"], symbols.get("load_torque"), symbols.get("load_inertia"),
            None if kinds[1] is type(None) else part(kinds[1], "draws"),
            *(symbols[name] for name in given if name.startswith("more.")),
        )  # fmt: skip

    def _trace_reset(self, given: Given, names: tuple[str, ...]) -> Plan:
        symbols, batch = self._symbols(given), self._batch(given)
        chosen, mask = symbols["mask"], given["mask"]
        anyone = chosen if mask.shape[-1] == 1 else chosen.program.symbol("any", ("mask",), BOOL, False)
        # the rules of a reset are written once; here an array is a symbol, and motors that share a state choose as one
        on_symbols = SimpleNamespace(ops=ops, array=lambda x: x, select=where)
        values = {name: symbols[f"value.{name}"] for name in names}
        state = State(**{n: symbols[f"state.{n}"] for n in STATES if f"state.{n}" in given})
        by_motor = reset_state(on_symbols, "warp", state, chosen, values, {})
        by_group = reset_state(on_symbols, "warp", state, anyone, values, {})
        grouped = [
            n for n in STATES if f"state.{n}" in given and layout_of(f"state.{n}", given[f"state.{n}"], batch).shared
        ]
        after = {n: getattr(by_group if n in grouped else by_motor, n) for n in STATES}
        return Plan(State(**after), None, given, batch, self)

    def _batch(self, given: Given) -> tuple[int, ...]:
        """Shape of the batch; checks that every state is made for it."""
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


def compile_step(function: Step, actuator: Composed, options: Options) -> Stepper:
    """The step, traced and compiled when it first sees its inputs."""
    if isinstance(actuator, tuple):
        raise ParameterError("the warp engine steps one kind of actuator: compile each by itself, or take jax or torch")
    if actuator.controller.asks == "network":
        name = type(actuator.controller).__name__
        raise ParameterError(f"{name}: the warp engine runs no learned networks, take jax or torch")
    if actuator.supply is not None and actuator.supply.shared:
        raise ParameterError("Supply.shared: the warp engine steps each motor by itself, take jax, torch or numpy")
    return Stepper(function, actuator, options)
