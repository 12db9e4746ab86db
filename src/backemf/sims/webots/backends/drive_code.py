"""The drives of one kind as machine code: every substep of a basic time step in one call.

Memory is rows of one number per drive. What the devices change is written before the call, and where the axes are is
read after it; the states of the motors stay in the memory, of which there are two sides that take turns.
"""

from __future__ import annotations

import ctypes
from types import SimpleNamespace

import numpy as np

from ....actuator import Actuator
from ....actuator.memory import initial_state
from ....engines import bind, load
from ....engines.machine_code import compile_text
from ....engines.native_plan import address, group_width, is_plain
from ....engines.native_text import Traces, run_text, shared_symbols
from ....engines.packing import pack
from ....engines.symbols import leaves, structure_of, with_symbols
from ....engines.tracing import FLOAT, Program, Symbol, Traced, cast, evaluate
from ....parts import without_neutral
from ....physics.state import State
from ....values import Recorded
from . import drive_law
from .drive_law import Held, Moved, Stops, Weight

SET_BY_DEVICES = ("wanted", "available", "torque", "torque_mode", "damping")
"""What devices may change before any basic time step."""
ELECTRIC = ("current", "voltage", "winding_temperature")
"""What is read of a motor after a basic time step."""
_RUN = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 6, *[ctypes.c_void_p] * 5)
_TRACED: dict[object, Traces] = {}
"""Traced substeps by what decides them."""
MOST_TRACED = 64
"""How many traced substeps are kept for further robots."""


class DriveCode:
    """Steps drives of one kind, `count` of them."""

    def __init__(self, actuator: Actuator, held: list[Held], dt: float, turns: int):
        self.count = len(held)
        composed = without_neutral(actuator)
        numbers, own = {"dt": dt / turns, "share": 1.0 / turns}, {}
        for name, value in leaves(composed, "actuator").items():
            if is_plain(value):
                numbers[name] = float(value)
            else:
                own[name] = np.asarray(value, dtype=float)
        state = pack(initial_state(load("numpy"), composed, (self.count,), 0, None, {}, {}))
        rows = [flat(each) for each in held]
        shared = {name: rows[0][name] for name in rows[0] if _is_neutral(name, [row[name] for row in rows])}
        traced = _traced(composed, tuple(own), tuple(state), held[0], shared)
        self.electric = tuple(traced.out)
        same = [float(x) for x in evaluate(shared_symbols(traced), numbers)]
        self._same, self._own = np.array(same or [0.0]), np.empty((len(traced.own), self.count))
        self.rows = {name: k for k, name in enumerate(traced.own)}
        """Row of each number that a drive has of its own."""
        for name, row in self.rows.items():
            self._own[row] = own[name] if name in own else [each[name] for each in rows]
        self.held = numbers_in(self._own)
        """Numbers of the drives, in rows: those of `Held` by their names."""
        sides = [np.zeros((len(traced.states) + 1, self.count)) for _ in range(2)]
        for k, value in enumerate(state.values()):
            sides[0][k] = value
        self._sides = tuple(sides)
        self._out = np.full((max(1, len(ELECTRIC)), self.count), np.nan)
        self.out = numbers_in(self._out)
        """Current [A], voltage [V] and temperature [°C] of the motors after the step, in rows."""
        self.moved_rows = [len(state) + k for k in range(len(Moved._fields))]
        """Rows of position, speed, integral and mean torque among the states."""
        self._views = tuple(numbers_in(side) for side in sides)
        self.here = self._views[0]
        """States of the drives and their axes, in rows."""
        text = run_text(traced, group_width(self.count), self.count == 1, frozenset())
        self._run = _RUN(compile_text(text).get_function_address("run"))
        memory = address(self._same), address(self._own)
        first, second = (address(side) for side in sides)
        head = self.count, 0, self.count, turns, turns, self.count, *memory
        self._arguments = (*head, first, second, address(self._out)), (*head, second, first, address(self._out))
        self._side = 0

    def step(self) -> memoryview[float]:
        """A basic time step; returns `here` after it."""
        self._run(*self._arguments[self._side])
        self._side = 1 - self._side
        self.here = self._views[self._side]
        return self.here


def numbers_in(array: np.ndarray) -> memoryview[float]:
    """The numbers of an array without gaps, one by one."""
    return array.reshape(-1).data.cast("B").cast("d")


def flat(held: Held) -> dict[str, Recorded]:
    """The numbers of what a drive holds, by name."""
    found: dict[str, Recorded] = dict(zip(Held._fields[:-2], held[:-2], strict=True))  # type: ignore[arg-type]
    for k, weight in enumerate(held.weights):
        found |= {f"weight.{k}.{name}": value for name, value in weight._asdict().items()}
    if held.stops is not None:
        found |= {f"stop.{name}": value for name, value in held.stops._asdict().items()}
    return found


def _is_neutral(name: str, values: list[Recorded]) -> bool:
    """Whether a number is the same in all drives, never changes, and leaves a law out."""
    neutral = {"spring": 0.0, "load": 0.0, "travel": 1.0}.get(name)
    return neutral is not None and all(value == neutral for value in values)


def _traced(
    actuator: Actuator, own: tuple[str, ...], states: tuple[str, ...], held: Held, shared: dict[str, Recorded]
) -> Traces:
    """A substep on symbols, once for each structure."""
    key = structure_of(actuator), own, states, len(held.weights), held.stops is None, tuple(shared)
    try:
        found = _TRACED.get(key)
    except TypeError:  # something of the structure cannot be compared
        return _trace(actuator, own, states, held, shared)
    if found is None:
        if len(_TRACED) >= MOST_TRACED:
            _TRACED.clear()
        found = _TRACED[key] = _trace(actuator, own, states, held, shared)
    return found


def _trace(
    actuator: Actuator, own: tuple[str, ...], states: tuple[str, ...], held: Held, shared: dict[str, Recorded]
) -> Traces:
    program = Program(branches=True)
    mine = {name: program.load(name, FLOAT) for name in (*own, *(n for n in flat(held) if n not in shared))}
    named: dict[str, Traced] = {n: mine[n] if n in mine else program.number(n) for n in leaves(actuator, "actuator")}
    given: dict[str, Traced] = {**shared, **mine}
    before = {f"state.{name}": program.load(f"state.{name}", FLOAT) for name in states}
    moved: dict[str, Traced] = {name: program.load(name, FLOAT) for name in Moved._fields}
    known: dict[str, Recorded] = {name.removeprefix("state."): x for name, x in before.items()}  # type: ignore[misc]
    weights = tuple(Weight(*(given[f"weight.{k}.{name}"] for name in Weight._fields)) for k in range(len(held.weights)))
    stops = None if held.stops is None else Stops(*(given[f"stop.{name}"] for name in Stops._fields))
    law = bind(drive_law, "native drives", _operations())
    holds = Held(**{name: given[name] for name in Held._fields[:-2]}, weights=weights, stops=stops)
    state, at, out = law.substep(
        with_symbols(actuator, "actuator", named), State(**known), holds, Moved(**moved), program.number("dt"),
        program.number("share"),
    )  # fmt: skip
    after = {name: getattr(state, name.removeprefix("state.")) for name in before}
    after = {name: before[name] if x is None else x for name, x in after.items()} | at._asdict()
    said = {name: getattr(out, name) for name in ELECTRIC}
    said = {n: cast(x, FLOAT) if isinstance(x, Symbol) else float(x) for n, x in said.items() if x is not None}
    return Traces(before | moved, {}, mine, {}, after, {}, said)


def _operations() -> SimpleNamespace:
    """Native code's operations, for drives that each have a supply of their own."""
    return SimpleNamespace(**{**vars(load("native").ops), "total": lambda x: x})
