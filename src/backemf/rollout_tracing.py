"""The step of a run in symbols: motor, controller and load together, from which engines write a loop over time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from types import ModuleType

from .actuator import Actuator
from .engines.native_engine import WHOLE
from .engines.native_text import Traces
from .engines.symbols import leaves, structure_of, with_symbols
from .engines.tangent import tangents
from .engines.tracing import FLOAT, Line, Program, Symbol, Traced
from .loads import KINEMATIC, Load
from .physics.state import Output, State
from .rollout import Here, advance, as_command
from .values import Recorded

StateNames = tuple[tuple[str, int | None], ...]
"""Name of each state that there is, and of a line of frames how many it has."""
TURNS, TURNS_AT_SPEED = ("begin", "end"), ("begin", "end", "rate")
"""Inputs of a step of a joint that is moved: its position at the beginning and at the end, and its velocity."""
SLOPE = "slope."
"""Beginning of the names of derivatives."""
Record = Callable[[Here, Output], dict[str, Traced]]
"""What is kept of a step, by name."""


def state_names(state: State) -> StateNames:
    """The states that an actuator has."""
    return tuple(
        (e.name, len(getattr(state, e.name)) if e.name.endswith("_line") else None)
        for e in fields(state)
        if getattr(state, e.name) is not None
    )


def without_motion(load: Load) -> Load:
    """The load as its laws need it: one that is moved has no numbers of its own, its path is an input."""
    return object.__new__(type(load)) if isinstance(load, KINEMATIC) else load


def leaves_of(actuator: Actuator, load: Load) -> dict[str, Recorded]:
    """Dotted name and value of every number of an actuator and its load."""
    return leaves(actuator, "actuator") | ({} if isinstance(load, KINEMATIC) else leaves(load, "load"))


def structure_of_run(
    actuator: Actuator, load: Load, states: StateNames, targets: tuple[str, ...], path: tuple[str, ...],
    own: tuple[str, ...],
) -> object:  # fmt: skip
    """What decides the step of a run, as a key."""
    kind = type(load) if isinstance(load, KINEMATIC) else structure_of(load)
    return structure_of(actuator), kind, states, targets, path, own


def trace_run(
    laws: ModuleType, actuator: Actuator, load: Load, states: StateNames, targets: tuple[str, ...],
    path: tuple[str, ...], own: tuple[str, ...], record: Record,
) -> Traces:  # fmt: skip
    """A step of a run in symbols.

    `targets` are the inputs of the command, `path` those of a joint that is moved along one, and `own` are the numbers
    that each motor has of its own; all others are the same for all.
    """
    program = Program(branches=True)
    named: dict[str, Traced] = {name: program.load(name, FLOAT) for name in own}
    mine = dict(named)
    for name in leaves_of(actuator, load):
        if name not in named:
            named[name] = program.number(name)
    before: dict[str, Symbol] = {}
    lines: dict[str, Line] = {}
    for name, frames in states:
        full = f"state.{name}"
        if frames is None:
            before[full] = program.load(full, WHOLE.get(full, FLOAT))
        else:
            lines[full] = Line(program, full, frames)
    more = [*(f"memory.{k}" for k in range(len(load.remembers))), "position", "velocity"]
    before |= {name: program.load(name, FLOAT) for name in more}
    inputs = {name: program.load(f"input.{name}", FLOAT) for name in (*targets, *path)}
    known: dict[str, Recorded] = {
        n.removeprefix("state."): x for n, x in (before | lines).items() if n.startswith("state.")
    }
    memory = tuple(before[f"memory.{k}"] for k in range(len(load.remembers)))
    moving = load if isinstance(load, KINEMATIC) else with_symbols(load, "load", named)
    here, out = advance(
        laws, with_symbols(actuator, "actuator", named), moving,
        Here(State(**known), memory, before["position"], before["velocity"]),  # pyright: ignore[reportArgumentType]
        as_command({name: inputs[name] for name in targets}),  # pyright: ignore[reportArgumentType]
        tuple(inputs[name] for name in path) or None, program.number("dt"),  # pyright: ignore
    )  # fmt: skip
    after = {n: getattr(here.state, n.removeprefix("state.")) for n in (*before, *lines) if n.startswith("state.")}
    after |= {f"memory.{k}": x for k, x in enumerate(here.memory)}
    after |= {"position": here.position, "velocity": here.velocity}
    return Traces(
        before, inputs, mine, lines, {n: x if after[n] is None else after[n] for n, x in before.items()},
        {n: after[n] for n in lines}, record(here, out), program.repeated,
    )  # fmt: skip


# --- derivatives by some numbers


def slope_name(number: int, name: str) -> str:
    """Name of the derivative of a state by one of some numbers."""
    return f"{SLOPE}{number}.{name}"


def with_slopes(traces: Traces, by: tuple[str, ...]) -> Traces:
    """The same step with the derivatives of its states and of what is kept by some of its own numbers."""
    whole = traces
    for k, number in enumerate(by):
        whole = _with_slope(whole, traces, k, number)
    return whole


def _with_slope(whole: Traces, traces: Traces, k: int, number: str) -> Traces:
    """Some derivatives with one more, that of the step `traces` by a number; states that it never moves have none."""
    program = traces.own[number].program
    states = [name for name, x in traces.states.items() if x.kind == FLOAT]
    lines = {name: line for name, line in traces.new_lines.items() if line.frame is not None}
    picks = [x for x in program.symbols if x.op == "pick" and x.args[0] in lines]
    moved: set[str] = set()
    while True:
        known: dict[Symbol, Traced] = {traces.own[number]: 1.0}
        known |= {traces.states[name]: program.load(slope_name(k, name), FLOAT) for name in states if name in moved}
        for x in picks:
            if x.args[0] in moved:
                known[x] = program.symbol("pick", (slope_name(k, x.args[0]), x.args[1]), FLOAT, False)
        part = whole.repeated
        if part is not None and traces.repeated is not None:
            part, ends = part.with_tangents(traces.repeated, known, k)
            known |= ends
        after = [*(traces.after[name] for name in states), *(line.frame for line in lines.values())]
        found = dict(zip((*states, *lines), tangents(after, known), strict=True))
        more = moved | {name for name, x in found.items() if isinstance(x, Symbol) or x != 0.0}
        if more == moved:
            break
        moved = more
    own = [name for name in states if name in moved]
    kept = tangents(list(traces.out.values()), known)
    late = [(slope_name(k, name), line, found[name]) for name, line in lines.items() if name in moved]
    return replace(
        whole,
        states=whole.states | {slope_name(k, name): known[traces.states[name]] for name in own},
        after=whole.after | {slope_name(k, name): found[name] for name in own},
        lines=whole.lines | {name: Line(program, name, line.frames) for name, line, _ in late},
        new_lines=whole.new_lines | {n: Line(program, n, line.frames, line.slot, frame) for n, line, frame in late},
        out=whole.out | {slope_name(k, name): x for name, x in zip(traces.out, kept, strict=True)},
        repeated=part,
    )


def values_of(here: Here) -> dict[str, Recorded]:
    """Every number of a state by name."""
    found = {f"state.{name}": value for name, value in vars(here.state).items() if value is not None}
    found |= {f"memory.{k}": value for k, value in enumerate(here.memory)}
    return found | {"position": here.position, "velocity": here.velocity}


def here_of(values: dict[str, Recorded]) -> Here:
    """The state that has these numbers, by name."""
    state: dict[str, Recorded] = {n.removeprefix("state."): x for n, x in values.items() if n.startswith("state.")}
    memory = tuple(x for name, x in values.items() if name.startswith("memory."))
    return Here(State(**state), memory, values["position"], values["velocity"])
