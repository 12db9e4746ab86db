"""States and outputs as plain dicts of what is there, which compilers take and return far faster than dataclasses."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ..physics.state import OUTPUTS, STATES, Output, State


def packed(part: Any) -> Any:
    """The values of a state or output that are there, by name; a tuple of states gives a tuple."""
    if isinstance(part, tuple):
        return tuple(packed(item) for item in part)
    return {name: value for name, value in part.__dict__.items() if value is not None}


def present(part: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """The same as `packed`, in words that every compiler follows."""
    return {name: getattr(part, name) for name in names if getattr(part, name) is not None}


def unpacked(kind: type, values: Any) -> Any:
    """The state or output again."""
    if isinstance(values, tuple):
        return tuple(unpacked(kind, item) for item in values)
    part = object.__new__(kind)
    # what a frozen dataclass does field by field, at once
    part.__dict__.update(_nothing(kind))
    part.__dict__.update(values)
    return part


@lru_cache(maxsize=8)
def _nothing(kind: type) -> dict[str, None]:
    """Every field as None, in order."""
    return dict.fromkeys(kind.__dataclass_fields__)


def on_packed(function: Any) -> Any:
    """A step that takes and returns packed states and outputs."""

    def step(actuator, state, *arguments):
        states = tuple(State(**each) for each in state) if isinstance(state, tuple) else State(**state)
        after, out = function(actuator, states, *arguments)
        several = tuple(present(each, STATES) for each in after) if isinstance(after, tuple) else present(after, STATES)
        return several, present(out, OUTPUTS)

    return step


def with_states(run: Any) -> Any:
    """A step on packed states and outputs as one on states and outputs."""

    def step(state, *arguments):
        after, out = run(packed(state), *arguments)
        return unpacked(State, after), unpacked(Output, out)

    return step
