"""A law over samples in symbols: one state per lane, the same samples for all lanes, only the end is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from .native_plan import is_plain
from .native_text import Traces
from .symbols import leaves, structure_of, with_symbols
from .tracing import FLOAT, Program, Traced

Law = Callable[..., dict[str, Traced]]
"""A step of a sweep, bound to symbols: `law(part, state, sample)` gives the state after the sample, by name."""


@dataclass(frozen=True, eq=False)
class SweepInputs:
    """What a sweep is given, by where it stands: plain numbers, numbers of each lane, and columns of samples."""

    numbers: dict[str, float]
    """What is the same for all lanes and samples."""
    own: dict[str, np.ndarray]
    """Numbers that each lane has of its own."""
    columns: dict[str, np.ndarray]
    """What changes from sample to sample."""
    key: object
    """What decides the compiled sweep."""


def sort_inputs(
    law: Law, part: object, states: tuple[str, ...], samples: Mapping[str, np.ndarray | float]
) -> SweepInputs:
    """The inputs of a sweep; numbers of `part` are plain, or arrays with one per lane."""
    numbers = {f"sample.{name}": float(value) for name, value in samples.items() if is_plain(value)}
    columns = {name: np.asarray(value) for name, value in samples.items() if not is_plain(value)}
    own: dict[str, np.ndarray] = {}
    for name, value in leaves(part, "part").items():
        if is_plain(value):
            numbers[name] = float(value)
        else:
            own[name] = np.asarray(value, dtype=float)
    key = law, structure_of(part), tuple(own), states, tuple(samples), tuple(columns)
    return SweepInputs(numbers, own, columns, key)


def trace_sweep(
    law: Law, part: object, own: tuple[str, ...], states: tuple[str, ...], samples: tuple[str, ...],
    columns: tuple[str, ...],
) -> Traces:  # fmt: skip
    """The law in symbols, for parts of one structure."""
    program = Program()
    mine = {name: program.load(name, FLOAT) for name in own}
    named: dict[str, Traced] = {
        name: mine[name] if name in mine else program.number(name) for name in leaves(part, "part")
    }
    before = {name: program.load(f"state.{name}", FLOAT) for name in states}
    inputs = {name: program.load(f"input.{name}", FLOAT) for name in columns}
    given = {name: inputs[name] if name in inputs else program.number(f"sample.{name}") for name in samples}
    after = law(with_symbols(part, "part", named), dict(before), given)
    return Traces(
        {f"state.{name}": x for name, x in before.items()}, inputs, mine,
        {}, {f"state.{name}": after[name] for name in states}, {}, {},
    )  # fmt: skip
