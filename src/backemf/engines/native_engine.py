"""Native code: the laws traced once and compiled by LLVM for this machine, in float64.

A step of one motor is scalar code, a batch is stepped several motors at a time in one vector. States and outputs are
NumPy's arrays, of one motor NumPy's numbers. Plain numbers of the actuator are arguments of the code, so that it serves
every actuator of its structure. A compiled step holds nothing of its own: threads may share it, and run side by side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ParameterError
from ..physics.command import Command
from ..physics.state import OUTPUTS, SHARED, Output, State
from ..values import Recorded
from . import numpy_engine
from .native_plan import SCALARS, Bound, Given, Plan, batch_of, is_plain
from .native_text import Traces
from .numpy_engine import broadcast, integers, select
from .packing import Composed, Options, Step
from .reset import Mask, reset_state
from .symbols import leaves, structure_of, with_symbols
from .tracing import FLOAT, INT, WORD, Line, Program, Symbol, Traced, operation, operations, refine

__all__ = ["array", "broadcast", "compile_step", "integers", "ops", "select"]


def sum_over_joints(x: Traced) -> Traced:
    """The sum over the motors of a robot, which are the lanes of one vector; of nothing it is nothing."""
    if isinstance(x, Symbol):
        return x.program.symbol("total", (x,), FLOAT, False)
    if x == 0.0:
        return x
    raise NotImplementedError("the sum of a plain number over motors")


ops = operations("native", expm1=operation("expm1"), refine=refine, total=sum_over_joints)
Input = Recorded
"""A plain number or an array."""
Kinds = tuple[type, type]
"""Types of the command and of draws that are handed in."""
WHOLE = {"state.key": WORD, "state.clock": INT, "state.head": INT, "state.phase": INT, "draws.phase": INT}
"""Inputs that are whole numbers, and their kind."""
COMMON = (*SHARED, "head")
"""States that several motors may have in common, which keep their shape."""
_PLANS: dict[object, Plan] = {}
"""Traced steps by what decides them."""
MOST_PLANS = 256
"""How many traced steps are kept for further actuators of their structure."""
MOST_BOUND = 64
"""How many steps with the numbers of an actuator are kept, such as those of different `dt`."""


def array(value: ArrayLike, shape: tuple[int, ...] | None = None) -> Recorded:
    """The value as an array of this engine, broadcast to `shape` where one is given; one number is one of NumPy's."""
    x = np.asarray(value, dtype=np.float64)
    x = x if shape is None else np.broadcast_to(x, shape).copy()
    return x if x.ndim else x[()]


class Stepper:
    """Traces the step for the inputs that it is given, once for each kind of them, and runs it."""

    def __init__(self, function: Step, actuator: object):
        self.function, self.actuator = function, actuator
        self.numbers: dict[str, float] = {}
        self.own: dict[str, np.ndarray] = {}
        for name, value in leaves(actuator, "actuator").items():
            if is_plain(value):
                self.numbers[name] = float(value)
            else:
                self.own[name] = np.asarray(value, dtype=np.float64)
        self.structure = structure_of(actuator)
        self._bound: dict[object, Bound] = {}
        self._ones: dict[object, Bound] = {}

    def __call__(
        self, state: State, command: Command | Input, position: Input, velocity: Input, dt: Input,
        load_torque: Input | None = None, load_inertia: Input | None = None, draws: object = None, *more: Input,
    ) -> tuple[State, Output]:  # fmt: skip
        key = dt, load_torque is None, load_inertia is None
        told = (command,)
        if type(command) is Command:
            key = *key, *(x is None for x in command.__dict__.values())
            told = (x for x in command.__dict__.values() if x is not None)
        bound = self._ones.get(key) if draws is None and type(dt) is float else None
        if bound is not None:
            # one motor with the same inputs as before, in order
            loads = [x for x in (load_torque, load_inertia) if x is not None]
            values = (*bound.take_states(state.__dict__), *told, position, velocity, *loads, *more)
            if SCALARS.issuperset(map(type, values)):
                return _state_and_output(bound, *bound.run_one(values))
        given = values_of("state", state)
        given |= values_of("command", command) if isinstance(command, Command) else {"command": command}
        load = {"position": position, "velocity": velocity, "load_torque": load_torque, "load_inertia": load_inertia}
        given |= {name: x for name, x in load.items() if x is not None}
        given |= {f"more.{k}": value for k, value in enumerate(more)}
        given |= {} if draws is None else values_of("draws", draws)
        after, out, bound = self._run(given, dt, (type(command), type(draws)))
        if bound is not None and draws is None and type(dt) is float:
            self._ones[key] = bound
        return after, out

    def reset(self, state: State, mask: Mask, values: Mapping[str, Input]) -> State:
        """The state with every motor where `mask` is true back at the start: NumPy's, whose arrays these are."""
        return reset_state(numpy_engine, "numpy", state, mask, values, {})

    def _run(self, given: Given, dt: Input, kinds: Kinds) -> tuple[State, Output, Bound | None]:
        """State and output of a step, and what ran it where it was one motor that only needs plain numbers."""
        lines = {n: np.asarray(x) for n, x in given.items() if n.startswith("state.") and n.endswith("_line")}
        values = {n: x if type(x) in SCALARS else np.asarray(x) for n, x in given.items() if n not in lines}
        if not is_plain(dt):
            values["dt"] = np.asarray(dt)
        bound = self._bind(values, {n: len(x) for n, x in lines.items()}, dt, kinds)
        shapes = {n: np.shape(x) for n, x in (values | self.own).items()} | {n: x.shape[1:] for n, x in lines.items()}
        batch = batch_of(shapes)
        for name in lines:
            if shapes[name] != batch:
                raise ParameterError(f"{name} is made for {shapes[name]}: make it with initial({batch})")
        if not batch and not lines:
            plain = [x if type(x) in SCALARS else x[()] for x in values.values()]
            return *_state_and_output(bound, *bound.run_one(plain)), bound
        after, out = bound.run(list(values.values()), list(lines.values()), batch)
        return _state_of(bound, values, lines, after), _output_of(bound, out), None

    # --- tracing

    def _bind(self, values: Given, frames: dict[str, int], dt: Input, kinds: Kinds) -> Bound:
        """The step for inputs of these names, with the numbers of the actuator."""
        step = float(dt) if is_plain(dt) else None
        key = step, kinds, tuple(values), tuple(frames.items())
        if key not in self._bound:
            numbers = self.numbers if step is None else self.numbers | {"dt": step}
            if len(self._bound) >= MOST_BOUND:
                self._bound.clear()
                self._ones.clear()
            self._bound[key] = Bound(self.plan(tuple(values), frames, step is not None, kinds), numbers, self.own)
        return self._bound[key]

    def plan(self, values: Sequence[str], frames: dict[str, int], plain_step: bool, kinds: Kinds) -> Plan:
        """The step for inputs of these names, and lines of so many frames; a plain step is one for all motors."""
        key = self.function, self.structure, plain_step, kinds, tuple(values), tuple(frames.items())
        try:
            found = _PLANS.get(key)
        except TypeError:  # something of the structure cannot be compared
            return self._trace(values, frames, plain_step, kinds)
        if found is None:
            if len(_PLANS) >= MOST_PLANS:
                _PLANS.clear()
            found = _PLANS[key] = self._trace(values, frames, plain_step, kinds)
        return found

    def _trace(self, values: Sequence[str], frames: dict[str, int], plain_step: bool, kinds: Kinds) -> Plan:
        program = Program(branches=True)
        own = {name: program.load(name, FLOAT) for name in self.own}
        loads = {name: program.load(name, WHOLE.get(name, FLOAT)) for name in values}
        lines = {name: Line(program, name, count) for name, count in frames.items()}
        symbols: dict[str, Traced] = {name: program.number(name) for name in self.numbers}
        symbols |= own | loads | lines
        symbols |= {"dt": program.number("dt")} if plain_step else {}

        def part(kind: type, prefix: str) -> Traced:
            names = {e.name: f"{prefix}.{e.name}" for e in fields(kind)}
            return kind(**{name: symbols[full] for name, full in names.items() if full in symbols})

        command = part(Command, "command") if kinds[0] is Command else symbols["command"]
        after, out = self.function(
            with_symbols(self.actuator, "actuator", symbols), part(State, "state"), command, symbols["position"],
            symbols["velocity"], symbols["dt"], symbols.get("load_torque"), symbols.get("load_inertia"),
            None if kinds[1] is type(None) else part(kinds[1], "draws"),
            *(symbols[name] for name in values if name.startswith("more.")),
        )  # fmt: skip
        return plan_of(loads, own, lines, after, {name: getattr(out, name) for name in OUTPUTS})


def plan_of(loads: dict[str, Symbol], own: dict[str, Symbol], lines: dict[str, Line], after: State,
            out: dict[str, Traced]) -> Plan:  # fmt: skip
    """The plan of a traced step, from what goes in, the state after it and what it says, by name."""
    states = {name: x for name, x in loads.items() if name.startswith("state.")}
    inputs = {name: x for name, x in loads.items() if name not in states}
    new = {name: getattr(after, name.removeprefix("state.")) for name in (*states, *lines)}
    here = {name: x for name, x in out.items() if x is not None}
    varied = {name: x for name, x in here.items() if isinstance(x, Symbol) and not x.uniform}
    traces = Traces(
        states, inputs, own, lines, {n: x if new[n] is None else new[n] for n, x in states.items()},
        {n: new[n] for n in lines}, varied,
    )  # fmt: skip
    return Plan(traces, {name: x for name, x in here.items() if name not in varied})


# --- what goes in and comes out


def values_of(prefix: str, part: object) -> Given:
    """What a state, a command or other dataclass holds, by name."""
    return {f"{prefix}.{name}": x for name, x in vars(part).items() if x is not None}


def _state_and_output(bound: Bound, after: list[Recorded], out: list[Recorded]) -> tuple[State, Output]:
    """State and output of one motor from their numbers in order."""
    known, said = bound.empty_state.copy(), bound.plain_output.copy()
    known.update(zip(bound.plan.state_names, after, strict=False))
    said.update(zip(bound.plan.out_names, out, strict=False))
    state, output = object.__new__(State), object.__new__(Output)
    # what a frozen dataclass does field by field, at once
    object.__setattr__(state, "__dict__", known)
    object.__setattr__(output, "__dict__", said)
    return state, output


def _state_of(bound: Bound, values: Given, lines: dict[str, np.ndarray], rows: np.ndarray) -> State:
    """The state of a batch from its rows."""
    plan, known, whole = bound.plan, bound.empty_state.copy(), rows.view(np.int64)
    for k, name in enumerate(plan.state_names):
        row = (rows if k not in plan.whole_states else whole)[k]
        known[name] = like(row, np.shape(values[f"state.{name}"])) if name in COMMON else row
    first = len(plan.state_names)
    for name, line in lines.items():
        known[name.removeprefix("state.")] = rows[first : first + len(line)]
        first += len(line)
    return State(**known)


def _output_of(bound: Bound, rows: np.ndarray) -> Output:
    """The output of a batch from its rows."""
    plan = bound.plan
    said: dict[str, Traced] = bound.plain_output.copy()
    for k, name in enumerate(plan.out_names):
        row = rows[k] if k not in plan.whole_out else rows[k].view(np.int64).astype(np.int16)
        said[name] = row[..., :1] if name in plan.common_out else row
    return Output(**said)


def like(row: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """A row of a batch in the shape of what some of its motors have in common, which nobody reads without motors."""
    if row.shape == shape:
        return row
    if not row.size:
        return np.zeros(shape, row.dtype)
    row = row[(0,) * (row.ndim - len(shape))]
    return np.array(row[tuple(slice(0, 1) if size == 1 else slice(None) for size in shape)])


def compile_step(function: Step, actuator: Composed, options: Options) -> Stepper:
    """The step, traced and compiled when it first sees its inputs."""
    require_no_network(actuator)
    return Stepper(function, actuator)


def require_no_network(actuator: Composed, engine: str = "native") -> None:
    """Check that a controller is no learned network; raise `ParameterError` if it is."""
    if actuator.controller.asks == "network":
        name = type(actuator.controller).__name__
        raise ParameterError(f"{name}: the {engine} engine runs no learned networks, take jax, torch or numpy")


def require_own_motors(actuator: Composed, engine: str = "native") -> None:
    """Check that each motor can be stepped by itself on an engine; raise `ParameterError` if not."""
    require_no_network(actuator, engine)
    if actuator.supply is not None and actuator.supply.shared:
        raise ParameterError(f"Supply.shared: the {engine} engine runs each motor by itself, take jax or numpy")
