"""The loop of a run as machine code: every step of a motor and its load in one call, each channel kept."""

from __future__ import annotations

import ctypes
import math
from functools import cache

import numpy as np

from .actuator import Actuator
from .actuator.compiled import laws
from .engines.channel_memory import channel_memory
from .engines.machine_code import compile_text, in_threads
from .engines.native_engine import COMMON, like, require_own_motors
from .engines.native_plan import address, group_width, is_plain
from .engines.native_text import run_text, shared_symbols
from .engines.tracing import FLOAT, Symbol, Traced, evaluate
from .errors import ParameterError
from .loads import Load
from .physics.state import Output
from .rollout import Channels, Here, channel_names, record_of
from .rollout_tracing import (
    TURNS,
    StateNames,
    here_of,
    leaves_of,
    state_names,
    structure_of_run,
    trace_run,
    values_of,
    without_motion,
)
from .values import Module, Recorded

MOST_LOOPS = 128
"""How many compiled loops are kept."""
_LOOPS: dict[object, Loop] = {}


def can_roll(actuator: Actuator, precision: str) -> bool:
    """Whether a run of an actuator can be stepped here: in float64, without networks or a supply that motors share."""
    try:
        require_own_motors(actuator)
    except ParameterError:
        return False
    return precision == "float64"


def roll_native(
    actuator: Actuator, load: Load, start: Here, values: dict[str, np.ndarray], path: np.ndarray | None, dt: float,
    every: int, batch: tuple[int, ...], precision: str,
) -> tuple[Here, Channels]:  # fmt: skip
    """A recorded piece of a run, compiled once per structure of motor and load."""
    if precision != "float64":
        raise ParameterError(f"precision = {precision!r}: the native engine runs in 'float64', take engine='jax'")
    require_own_motors(actuator)
    moved = without_motion(load)
    numbers, own = {"dt": dt}, {}
    for name, value in leaves_of(actuator, moved).items():
        if is_plain(value):
            numbers[name] = float(value)
        else:
            own[name] = value
    loop = _loop(actuator, moved, start, tuple(values), () if path is None else TURNS, tuple(own))
    return loop.run(start, values, path, numbers, own, every, batch)


def _loop(
    actuator: Actuator, load: Load, start: Here, targets: tuple[str, ...], path: tuple[str, ...], own: tuple[str, ...]
) -> Loop:
    """The loop for a structure, traced once."""
    here = state_names(start.state)
    key = structure_of_run(actuator, load, here, targets, path, own)
    try:
        found = _LOOPS.get(key)
    except TypeError:  # something of the structure cannot be compared
        return Loop(actuator, load, here, targets, path, own)
    if found is None:
        if len(_LOOPS) >= MOST_LOOPS:
            _LOOPS.clear()
        found = _LOOPS[key] = Loop(actuator, load, here, targets, path, own)
    return found


class Loop:
    """Steps motors of one structure with a load of one kind."""

    def __init__(
        self, actuator: Actuator, load: Load, states: StateNames, targets: tuple[str, ...],
        path: tuple[str, ...], own: tuple[str, ...],
    ):  # fmt: skip
        self.names, self.targets = channel_names(actuator, load), targets

        def record(here: Here, out: Output) -> dict[str, Traced]:
            return dict(zip(self.names, record_of(self.names, load, here, out), strict=True))

        self.traces = trace_run(laws("native"), actuator, load, states, targets, path, own, record)
        self.shared = shared_symbols(self.traces)
        self.plain = [name for name, x in self.traces.out.items() if not isinstance(x, Symbol) or x.uniform]
        self._compiled: dict[object, Module] = {}

    def run(
        self, start: Here, values: dict[str, np.ndarray], path: np.ndarray | None, numbers: dict[str, float],
        own: dict[str, np.ndarray], every: int, batch: tuple[int, ...],
    ) -> tuple[Here, Channels]:  # fmt: skip
        """Where motor and load are after these commands, and the channels on the way."""
        traces, count = self.traces, math.prod(batch)
        steps = len(next(iter(values.values())))
        records = steps // every
        same = np.array([float(x) for x in evaluate(self.shared, numbers)] or [0.0])
        mine = np.empty((len(own), *batch))
        for k, value in enumerate(own.values()):
            mine[k] = value
        known = values_of(start)
        given = traces.pack(known, batch)
        after = np.zeros((traces.rows_after_a_run, *batch))
        out, apart = channel_memory(len(self.names), (records, *batch))
        rows = [_row(values[name], steps, batch) for name in self.targets]
        places = [address(each) for each in rows]
        alone = {name for name, each in zip(self.targets, rows, strict=True) if each.ndim == 1}
        if path is not None:
            ways = np.ascontiguousarray(path, dtype=float)
            places += [address(ways), address(ways) + ways.itemsize]
            alone |= set(TURNS)
        if count and steps:
            function = self._function(count, frozenset(alone))
            memories = [address(x) for x in (same, mine, given, after, out[0])]
            rest = (steps, every, apart, *memories, *places)
            in_threads(count, steps, lambda first, last: function(count, first, last, *rest))
        channels = Channels(dict(zip(self.names, out, strict=True)))
        if count and records and (after[-1] == 0.0).all():
            # what all motors share is one number throughout, at which the loop did not look
            channels.finite = frozenset(self.names) - {n for n in self.plain if not np.isfinite(channels[n].flat[0])}
        return self._here(known, after), channels

    def _function(self, count: int, alone: frozenset[str]) -> Module:
        key = group_width(count), count == 1, alone
        if key not in self._compiled:
            engine = compile_text(run_text(self.traces, *key))
            self._compiled[key] = _kind(len(self.traces.inputs))(engine.get_function_address("run"))
        return self._compiled[key]

    def _here(self, known: dict[str, Recorded], rows: np.ndarray) -> Here:
        found, whole = {}, rows.view(np.int64)
        for k, (name, x) in enumerate(self.traces.states.items()):
            row = np.asarray((rows if x.kind == FLOAT else whole)[k])
            found[name] = like(row, np.shape(known[name])) if name.removeprefix("state.") in COMMON else row
        row = len(self.traces.states)
        for name, line in self.traces.lines.items():
            found[name] = rows[row : row + len(line)]
            row += len(line)
        return here_of(found)


def _row(values: np.ndarray, steps: int, batch: tuple[int, ...]) -> np.ndarray:
    """An input of each step: one number for all motors, or one for each."""
    values = np.asarray(values, dtype=float)
    if math.prod(values.shape[1:]) == 1:
        return np.ascontiguousarray(values.reshape(steps))
    wide = values.reshape(steps, *(1,) * (len(batch) - values.ndim + 1), *values.shape[1:])
    return np.ascontiguousarray(np.broadcast_to(wide, (steps, *batch)))


@cache
def _kind(inputs: int) -> Module:
    """The type of a compiled loop with so many inputs."""
    return ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 6, *[ctypes.c_void_p] * (5 + inputs))
