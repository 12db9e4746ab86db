"""States and outputs as plain dicts of what is there, which compilers take and return far faster than dataclasses."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias, TypeVar, overload

from ..physics.state import OUTPUTS, STATES, Output, State
from ..values import CompileOptions

Step = Callable[..., tuple[Any, Any]]
"""A step: the actuator, its state and its inputs go in, the state after it and the output come out."""
Run = Callable[..., tuple[Any, Any]]
"""A step with its actuator filled in."""
Options = CompileOptions
"""What `compile` was given besides the engine, by name."""
Composed: TypeAlias = Any
"""An actuator, or those of several groups, as a step is composed of it; its class is declared in a room below."""
Packed = dict[str, Any]
"""The values of a state or an output by name, arrays of the engine's own."""
Part = TypeVar("Part", State, Output)


@overload
def pack(part: State | Output) -> Packed: ...


@overload
def pack(part: tuple[State, ...]) -> tuple[Packed, ...]: ...


def pack(part: State | Output | tuple[State, ...]) -> Packed | tuple[Packed, ...]:
    """The values of a state or output that are there, by name; a tuple of states gives a tuple."""
    if isinstance(part, tuple):
        return tuple(pack(item) for item in part)
    return {name: value for name, value in part.__dict__.items() if value is not None}


def present(part: State | Output, names: tuple[str, ...]) -> Packed:
    """The same as `pack`, in words that every compiler follows."""
    return {name: getattr(part, name) for name in names if getattr(part, name) is not None}


@overload
def unpack(kind: type[Part], values: Packed) -> Part: ...


@overload
def unpack(kind: type[Part], values: tuple[Packed, ...]) -> tuple[Part, ...]: ...


def unpack(kind: type[Part], values: Packed | tuple[Packed, ...]) -> Part | tuple[Part, ...]:
    """The state or output again."""
    if isinstance(values, tuple):
        return tuple(unpack(kind, item) for item in values)
    part = object.__new__(kind)
    # what a frozen dataclass does field by field, at once
    part.__dict__.update(_nothing(kind))
    part.__dict__.update(values)
    return part


@lru_cache(maxsize=8)
def _nothing(kind: type) -> dict[str, None]:
    """Every field as None, in order."""
    return dict.fromkeys(kind.__dataclass_fields__)


def on_packed(function: Step) -> Step:
    """A step that takes and returns packed states and outputs."""

    def step(actuator: object, state: Packed | tuple[Packed, ...], *arguments: object) -> tuple[Any, Packed]:
        states = tuple(State(**each) for each in state) if isinstance(state, tuple) else State(**state)
        after, out = function(actuator, states, *arguments)
        several = tuple(present(each, STATES) for each in after) if isinstance(after, tuple) else present(after, STATES)
        return several, present(out, OUTPUTS)

    return step


def with_states(run: Run) -> Run:
    """A step on packed states and outputs as one on states and outputs."""

    def step(state: State | tuple[State, ...], *arguments: object) -> tuple[Any, Output]:
        after, out = run(pack(state), *arguments)
        return unpack(State, after), unpack(Output, out)

    return step
