"""A law swept over samples as machine code: one state per lane, the same samples for all lanes, only the end is kept.

The lanes may be tens of thousands and the samples thousands: memory holds the states and the lanes' own numbers alone.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping

import numpy as np

from ..values import Module
from .machine_code import compile_text, in_threads
from .native_plan import address, group_width, is_plain
from .native_text import Traces, run_text, shared_symbols
from .symbols import leaves, structure_of, with_symbols
from .tracing import FLOAT, Program, Traced, evaluate

Law = Callable[..., dict[str, Traced]]
"""A step of a sweep, bound to this engine: `law(part, state, sample)` gives the state after the sample, by name."""
MOST_SWEEPS = 64
"""How many compiled sweeps are kept."""
_SWEEPS: dict[object, _Sweep] = {}


def sweep_native(
    law: Law, part: object, state: Mapping[str, np.ndarray], samples: Mapping[str, np.ndarray | float], count: int
) -> dict[str, np.ndarray]:
    """States of `count` lanes after all samples; numbers of `part` are plain, or arrays with one per lane.

    A sample's number that never changes is given as a plain one: what follows from it alone is computed once per lane.
    """
    numbers = {f"sample {name}": float(value) for name, value in samples.items() if is_plain(value)}
    columns = {name: np.asarray(value) for name, value in samples.items() if not is_plain(value)}
    own: dict[str, np.ndarray] = {}
    for name, value in leaves(part, "part").items():
        if is_plain(value):
            numbers[name] = float(value)
        else:
            own[name] = np.asarray(value, dtype=float)
    key = law, structure_of(part), tuple(own), tuple(state), tuple(samples), tuple(columns)
    found = _SWEEPS.get(key)
    if found is None:
        if len(_SWEEPS) >= MOST_SWEEPS:
            _SWEEPS.clear()
        found = _SWEEPS[key] = _Sweep(law, part, tuple(own), tuple(state), tuple(samples), tuple(columns))
    return found.run(numbers, own, state, columns, count)


class _Sweep:
    """A law traced once for parts of one structure."""

    def __init__(
        self, law: Law, part: object, own: tuple[str, ...], states: tuple[str, ...], samples: tuple[str, ...],
        columns: tuple[str, ...],
    ):  # fmt: skip
        program = Program()
        mine = {name: program.load(name, FLOAT) for name in own}
        named: dict[str, Traced] = {
            name: mine[name] if name in mine else program.number(name) for name in leaves(part, "part")
        }
        before = {name: program.load(f"state {name}", FLOAT) for name in states}
        inputs = {name: program.load(f"sample {name}", FLOAT) for name in columns}
        given = {name: inputs[name] if name in inputs else program.number(f"sample {name}") for name in samples}
        after = law(with_symbols(part, "part", named), dict(before), given)
        self.traces = Traces(before, inputs, mine, {}, {name: after[name] for name in states}, {}, {})
        self.shared = shared_symbols(self.traces)
        self._functions: dict[tuple[int, bool], Module] = {}

    def run(
        self, numbers: dict[str, float], own: dict[str, np.ndarray], state: Mapping[str, np.ndarray],
        samples: Mapping[str, np.ndarray], count: int,
    ) -> dict[str, np.ndarray]:  # fmt: skip
        """The states after all samples."""
        same = np.array([float(x) for x in evaluate(self.shared, numbers)] or [0.0])
        mine = np.empty((max(len(own), 1), count))
        for k, value in enumerate(own.values()):
            mine[k] = value
        given = np.empty((len(state), count))
        for k, value in enumerate(state.values()):
            given[k] = value
        after, out = np.empty((self.traces.rows_after_a_run, count)), np.empty(1)
        rows = [np.ascontiguousarray(values, dtype=float) for values in samples.values()]
        steps = len(rows[0])
        function = self._function(group_width(count), count == 1)
        memories = [address(x) for x in (same, mine, given, after, out)]
        # nothing is recorded on the way: the first record would come after the last sample
        rest = (steps, steps + 1, 0, *memories, *(address(row) for row in rows))
        in_threads(count, steps, lambda first, last: function(count, first, last, *rest))
        return dict(zip(state, after[: len(state)], strict=True))

    def _function(self, width: int, single: bool) -> Module:
        key = width, single
        if key not in self._functions:
            engine = compile_text(run_text(self.traces, *key, frozenset(self.traces.inputs)))
            kind = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 6, *[ctypes.c_void_p] * (5 + len(self.traces.inputs)))
            self._functions[key] = kind(engine.get_function_address("run"))
        return self._functions[key]
