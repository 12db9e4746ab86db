"""A law swept over samples as machine code: one state per lane, the same samples for all lanes, only the end is kept.

The lanes may be tens of thousands and the samples thousands: memory holds the states and the lanes' own numbers alone.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping

import numpy as np

from ..values import Module
from .machine_code import compile_text, in_threads
from .native_plan import address, group_width
from .native_text import Traces, run_text, shared_symbols
from .traced_sweep import Law, SweepInputs, sort_inputs, trace_sweep
from .tracing import evaluate

MOST_SWEEPS = 64
"""How many compiled sweeps are kept."""
_SWEEPS: dict[object, _Sweep] = {}


def sweep_native(
    law: Law, part: object, state: Mapping[str, np.ndarray], samples: Mapping[str, np.ndarray | float], count: int
) -> dict[str, np.ndarray]:
    """States of `count` lanes after all samples; numbers of `part` are plain, or arrays with one per lane.

    A sample's number that never changes is given as a plain one: what follows from it alone is computed once per lane.
    """
    given = sort_inputs(law, part, tuple(state), samples)
    found = _SWEEPS.get(given.key)
    if found is None:
        if len(_SWEEPS) >= MOST_SWEEPS:
            _SWEEPS.clear()
        traces = trace_sweep(law, part, tuple(given.own), tuple(state), tuple(samples), tuple(given.columns))
        found = _SWEEPS[given.key] = _Sweep(traces)
    return found.run(given, state, count)


class _Sweep:
    """A law traced once for parts of one structure."""

    def __init__(self, traces: Traces):
        self.traces = traces
        self.shared = shared_symbols(traces)
        self._functions: dict[tuple[int, bool], Module] = {}

    def run(self, given: SweepInputs, state: Mapping[str, np.ndarray], count: int) -> dict[str, np.ndarray]:
        """The states after all samples."""
        same = np.array([float(x) for x in evaluate(self.shared, given.numbers)] or [0.0])
        mine = np.empty((max(len(given.own), 1), count))
        for k, value in enumerate(given.own.values()):
            mine[k] = value
        before = np.empty((len(state), count))
        for k, value in enumerate(state.values()):
            before[k] = value
        after, out = np.empty((self.traces.rows_after_a_run, count)), np.empty(1)
        rows = [np.ascontiguousarray(values, dtype=float) for values in given.columns.values()]
        steps = len(rows[0])
        function = self._function(group_width(count), count == 1)
        memories = [address(x) for x in (same, mine, before, after, out)]
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
