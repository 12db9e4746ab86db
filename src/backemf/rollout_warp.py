"""The loop of a run in one launch of Warp: a thread is one motor, from the first step to the last.

On a GPU a launch per step waits for memory and for the host; here commands are read and records written as the loop
goes, and nothing else leaves the registers. Numbers that each motor has of its own may be arrays of NumPy or of Warp.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import warp as wp  # pyright: ignore[reportMissingImports]

from .actuator import Actuator, Command, chain
from .actuator.memory import states_of
from .checks import Number, require_room
from .engines.bind import bind
from .engines.native_engine import COMMON, WHOLE, require_own_motors
from .engines.repeated import repeat
from .engines.simplify import simplify
from .engines.single import single_laws
from .engines.tracing import FLOAT, Symbol, Traced, operation, operations
from .engines.warp_cache import launch, make_cache_writable
from .engines.warp_engine import MOST_AXES, is_plain
from .engines.warp_engine import precision as dtype_of
from .engines.warp_kernel import Layout, fill_struct
from .engines.warp_loop import BLOCK, OUT, LoopWriter, array_type, build_run
from .errors import ParameterError
from .free_memory import free_memory
from .loads import Load, PrescribedMotion
from .physics.state import Output
from .rollout import Channels, Here, channel_names, record_of, require_channels, require_every, rest, steps_along
from .rollout_needs import require_shape, row_values
from .rollout_tracing import (
    SLOPE,
    TURNS_AT_SPEED,
    StateNames,
    here_of,
    leaves_of,
    slope_name,
    state_names,
    structure_of_run,
    trace_run,
    values_of,
    with_slopes,
    without_motion,
)
from .tree import map_numbers
from .values import Foreign, Module, Recorded

MOST_LOOPS = 128
"""How many compiled loops are kept."""
MOST_MOTORS = 2**29 - 1
"""How many motors a launch may have: the bytes of a row of commands are counted in 32 bits."""
LAWS = operations("warp", expm1=operation("expm1"), repeat=repeat)
"""The operations of laws in double precision."""
_LOOPS: dict[object, Loop] = {}
Observe = Callable[[Here, Output], Foreign] | Sequence[str]
"""What to keep of a step: a function of the state and the output, or names of channels."""


# --- the doors


def roll_warp(
    actuator: Actuator, load: Load, start: Here, values: dict[str, np.ndarray], path: np.ndarray | None, dt: float,
    every: int, batch: tuple[int, ...], precision: str, *, recorded: Sequence[str], device: str | None,
) -> tuple[Here, Channels]:  # fmt: skip
    """A piece of a run in one launch, those channels that are `recorded`; where it ends stays on the device."""
    place = Place(batch, precision, device)
    names = [name for name in channel_names(actuator, load) if name in recorded]
    after, kept, _ = run(place, actuator, load, start, values, path, dt, every, Observation(names, load))
    rows = kept.numpy().reshape(len(names), len(next(iter(values.values()))) // every, *batch)
    return here_of(after), Channels(zip(names, rows, strict=True))


def rollout_on_warp(
    actuator: Actuator, load: Load, commands: Command | Number | Sequence[Number], dt: Number, *, position: Number,
    velocity: Number, initial: Mapping[str, Number] | None, start: Here | None, observe: Observe | None, every: int,
    precision: str | None, device: object, by: tuple[str, ...] = (),
) -> tuple[Here, Foreign, list[Foreign]]:  # fmt: skip
    """`rollout` in one launch of Warp, which says what goes in and comes out, with slopes `by` some numbers."""
    if not is_plain(dt):
        raise ParameterError("dt is an array: a run on Warp has one step for all motors, give a number of seconds")
    told = row_values(actuator, commands, _row)
    steps = len(next(iter(told.values())))
    every = require_every(every, steps)
    moved = without_motion(load)
    shapes = [_shape(row)[1:] for row in told.values()]
    shapes += [_shape(x) for x in leaves_of(actuator, moved).values() if not is_plain(x)]
    if start is None:
        given = {"position": position, "velocity": velocity} | dict(initial or {})
        own = [_shape(x) for x in given.values()]
        batch = require_batch([*shapes, *own])
        turns = "rotor_speed" in states_of(actuator)
        # what is the same for all motors at the start is one number
        shape = batch if turns or actuator.delay is not None else require_batch(own)
        here = {name: on_host(x) for name, x in given.items()}
        start = rest(
            map_numbers(actuator, on_host) if turns else actuator, load, shape, here.pop("position"),
            here.pop("velocity"), initial=here or None, dt=float(dt),
        )  # fmt: skip
    else:
        batch = require_batch([*shapes, _shape(start.position), _shape(start.velocity)])
    if precision is None:
        double = any(x.dtype is wp.float64 for x in told.values() if isinstance(x, wp.array))
        precision = "float64" if double else "float32"
    place = Place(batch, precision, device)
    path = load.at(np.arange(steps + 1) * float(dt)) if isinstance(load, PrescribedMotion) else None
    if observe is not None and not callable(observe):
        observe = require_channels(observe, channel_names(actuator, load))
    observation = Observation(observe, load)
    after, kept, loop = run(place, actuator, load, start, told, path, float(dt), every, observation, by)
    shape, begun = batch or (1,), values_of(start)
    after = {name: x for name, x in after.items() if not name.startswith(SLOPE)}
    for name, x in after.items():
        after[name] = x.reshape((*tuple(x.shape)[:-1], *shape))
        if name.removeprefix("state.") in COMMON:
            after[name] = _narrow(after[name], _shape(begun[name]))
    records = [_piece(kept, k).reshape((steps // every, *shape)) for k in range(len(loop.traces.out))]
    seen = len(records) // (1 + len(by))
    trees = [None if observe is None else _put(loop.observation.tree, records[k * seen :]) for k in range(1 + len(by))]
    return here_of(after), trees[0], trees[1:]


# --- what comes out


class Observation:
    """What is kept of a step: channels by name, or what a function of the state and the output gives."""

    def __init__(self, observe: Observe | None, load: Load):
        self.observe, self.load = observe, load
        self.tree: Foreign = None
        """What was observed, with the place in the record of each number."""
        self.found: dict[str, Traced] = {}
        """These numbers."""

    @property
    def key(self) -> object:
        """What decides it; a function by its code, so that one that is written in a call is known again."""
        if self.observe is None or not callable(self.observe):
            return None if self.observe is None else tuple(self.observe)
        return getattr(self.observe, "__code__", self.observe)

    def __call__(self, here: Here, out: Output) -> dict[str, Traced]:
        """The numbers to keep, by place."""
        self.step = here, out
        self.tree, self.found = self._look(here, out)
        return self.found

    def is_still(self, other: Observation) -> bool:
        """Whether another one of the same key sees the same: what a function closes over may have changed."""
        if not callable(other.observe):
            return True
        tree, found = other._look(*self.step)
        return tree == self.tree and all(map(_same, found.values(), self.found.values()))

    def _look(self, here: Here, out: Output) -> tuple[Foreign, dict[str, Traced]]:
        """What is seen of a step, with places for its numbers, and these."""
        found: dict[str, Traced] = {}
        if self.observe is None:
            return None, found
        if not callable(self.observe):
            names = list(self.observe)
            return _places(dict(zip(names, record_of(names, self.load, here, out), strict=True)), found), found
        try:
            seen = self.observe(here, out)
        except TypeError as error:
            raise ParameterError(
                f"observe fails on the numbers of a step ({error}): on Warp it may add, multiply, divide and compare "
                "them; keep them as they are and compute the rest from what comes back"
            ) from error
        return _places(seen, found), found


def _same(a: Traced, b: Traced) -> bool:
    """Whether two values are one symbol or the same plain number."""
    return a is b or (not isinstance(a, Symbol) and not isinstance(b, Symbol) and a == b)


def _places(seen: Foreign, found: dict[str, Traced]) -> Foreign:
    """What was seen with a place for each number, which goes into `found`."""
    if isinstance(seen, dict):
        return {name: _places(x, found) for name, x in seen.items()}
    if isinstance(seen, (tuple, list)):
        return _like(seen, [_places(x, found) for x in seen])
    if seen is None:
        return None
    if not isinstance(seen, (Symbol, int, float, np.number)):
        raise ParameterError(
            f"observe gives a {type(seen).__name__}: on Warp it gives numbers, or tuples, lists and dicts of them"
        )
    found[str(len(found))] = seen.item() if isinstance(seen, np.generic) else seen
    return len(found) - 1


def _like(values: Foreign, new: list[Foreign]) -> Foreign:
    """New values in a tuple or list of the same kind, a named one too."""
    return type(values)(*new) if hasattr(values, "_fields") else type(values)(new)


def _put(tree: Foreign, records: list[wp.array]) -> Foreign:
    """The same with the record of each number."""
    if isinstance(tree, dict):
        return {name: _put(x, records) for name, x in tree.items()}
    if isinstance(tree, (tuple, list)):
        return _like(tree, [_put(x, records) for x in tree])
    return None if tree is None else records[tree]


def _piece(records: wp.array, k: int) -> wp.array:
    """A channel of the records, of which there may be none."""
    if records.size:
        return records[k]
    return wp.empty(tuple(records.shape)[1:], dtype=records.dtype, device=records.device)


def _narrow(x: wp.array, shape: tuple[int, ...]) -> wp.array:
    """What several motors have in common, in the shape that it started in."""
    if _shape(x) == shape:
        return x
    if not shape:
        return x.flatten()[:1].contiguous()
    kept = tuple(slice(0, 1) if size == 1 else slice(None) for size in shape)
    return x[(*(0,) * (x.ndim - len(shape)), *kept)].contiguous()


# --- what goes in


class Place:
    """A batch of motors in a precision on a device."""

    def __init__(self, batch: tuple[int, ...], digits: str, device: object = None):
        make_cache_writable()
        self.batch, self.count = batch, math.prod(batch)
        if self.count > MOST_MOTORS:
            raise ParameterError(f"{self.count} motors: one launch runs {MOST_MOTORS} at most, run fewer at once")
        self.dtype: type = dtype_of(digits)
        try:
            self.device: wp.Device = wp.get_device(device)
        except (ValueError, RuntimeError):
            known = ", ".join(str(each) for each in wp.get_devices())
            raise ParameterError(f"device = {device!r}: Warp finds no such device here, it finds {known}") from None

    def row(self, name: str, value: Foreign, kind: type, rows: bool = False) -> wp.array:
        """A number for each motor, or one for all of them; with `rows` such numbers for each step or frame."""
        if isinstance(value, wp.array):
            if value.dtype is not kind or value.device != self.device:
                raise ParameterError(
                    f"{name} is of {value.dtype.__name__} on {value.device}: this run is of {kind.__name__} on "
                    f"{self.device}, convert it or name its precision and device"
                )
            shape = _shape(value)[rows:]
            if math.prod(shape) in (1, self.count):
                return value.contiguous().reshape((*_shape(value)[:rows], math.prod(shape)))
        content = np.asarray(on_host(value), dtype=kind.__name__)
        first, shape = content.shape[:rows], content.shape[rows:]
        if math.prod(shape) != 1:
            wide = content.reshape(*first, *(1,) * (len(self.batch) - len(shape)), *shape)
            content = np.broadcast_to(wide, (*first, *self.batch))
        content = np.ascontiguousarray(content).reshape(*first, -1 if content.size else 0)
        return wp.array(content, dtype=kind, device=self.device)

    def require_memory(self, numbers: int) -> None:
        """Check that so many numbers for each motor fit; raise `ParameterError` if not."""
        free = self.device.free_memory if self.device.is_cuda else free_memory()
        wanted = (8 if self.dtype is wp.float64 else 4) * self.count * numbers
        remedy = "record fewer channels, raise every, shorten the run, or run fewer motors at once"
        require_room(f"the run on {self.device}", wanted, remedy, free)


def _shape(x: Recorded) -> tuple[int, ...]:
    return tuple(x.shape) if isinstance(x, wp.array) else np.shape(x)


def on_host(value: Foreign) -> Foreign:
    """The number, an array of Warp or PyTorch as one of NumPy."""
    if isinstance(value, wp.array):
        return value.numpy()
    return value.detach().cpu().numpy() if hasattr(value, "detach") else value


def _row(value: Foreign) -> Foreign:
    """A command of each step as an array of Warp or NumPy."""
    return value if isinstance(value, wp.array) else np.asarray(on_host(value), dtype=float)


def require_batch(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape that all share; raises `ParameterError` if there is none, or none that arrays of Warp can have."""
    batch = require_shape(shapes)
    if len(batch) > MOST_AXES:
        raise ParameterError(f"the batch {batch} has {len(batch)} axes: the warp engine takes up to {MOST_AXES}")
    return batch


# --- the loop


class Loop:
    """The kernel for motors of one structure with a load of one kind."""

    def __init__(
        self, dtype: type, actuator: Actuator, load: Load, states: StateNames, targets: tuple[str, ...],
        path: tuple[str, ...], own: tuple[str, ...], shared: frozenset[str], observation: Observation,
        by: tuple[str, ...],
    ):  # fmt: skip
        """`own` are the numbers that come in arrays; `shared` are inputs that are the same for all motors."""
        single = dtype is wp.float32
        law = single_laws(chain) if single else bind(chain, "loop", LAWS)
        self.observation = observation
        traced = trace_run(law, actuator, load, states, targets, path, own, observation)
        self.traces = simplify(with_slopes(traced, by), single)
        layouts = {name: Layout(dtype, (True,)) for name in own}
        for name, x in self.traces.states.items():
            kind = array_type(x.kind, dtype)
            layouts |= dict.fromkeys((name, f"new.{name}"), Layout(kind, (True,)))
        for name in self.traces.lines:
            layouts |= dict.fromkeys((name, f"new.{name}"), Layout(dtype, (True,), line=True))
        self.writer = LoopWriter(self.traces, layouts, shared, dtype)
        self.kernel, self.struct = build_run(self.writer, dtype)
        self._filled: dict[object, Module] = {}

    def numbers(self, numbers: dict[str, float]) -> Module:
        """The numbers that all motors share, as the kernel takes them."""
        key = tuple(numbers.values())
        if key not in self._filled:
            self._filled = {key: fill_struct(self.struct, self.writer.uniforms, numbers)}
        return self._filled[key]


def run(
    place: Place, actuator: Actuator, load: Load, start: Here, targets: Mapping[str, Foreign],
    path: np.ndarray | None, dt: float, every: int, observation: Observation, by: tuple[str, ...] = (),
) -> tuple[dict[str, Module], wp.array, Loop]:  # fmt: skip
    """Where motors and load are after these commands, by name, and what was kept: numbers, records, motors."""
    require_own_motors(actuator, "warp")
    moved = without_motion(load)
    numbers = {"dt": dt}
    arrays: dict[str, wp.array] = {}
    for name, value in leaves_of(actuator, moved).items():
        if is_plain(value) and name not in by:
            numbers[name] = float(value)
        else:
            arrays[name] = place.row(name, value, place.dtype)
    own = tuple(arrays)
    steps = len(next(iter(targets.values())))
    inputs = dict(targets)
    inputs |= {} if path is None else dict(zip(TURNS_AT_SPEED, steps_along(path, dt), strict=True))
    # a motor alone has inputs of its own, as those of a batch have
    wide = {name for name, x in targets.items() if math.prod(_shape(x)[1:]) != 1 or place.count == 1}
    shared = frozenset(inputs.keys() - wide)
    moving = () if path is None else TURNS_AT_SPEED
    loop = _loop(place.dtype, actuator, moved, start, tuple(targets), moving, own, shared, observation, by)
    records, channels = steps // every, len(loop.traces.out)
    frames = sum(line.frames for line in loop.traces.lines.values())
    sent = steps * sum(not isinstance(targets[name], wp.array) for name in wide)
    place.require_memory(records * channels + 2 * (len(loop.traces.states) + frames) + sent)
    rows = {name: place.row(name, x, place.dtype, rows=True) for name, x in inputs.items()}
    for name, value in values_of(start).items():
        kind = array_type(WHOLE.get(name, FLOAT), place.dtype)
        arrays[name] = place.row(name, value, kind, rows=name.endswith("_line"))
        if by and kind is place.dtype:
            zero = np.zeros((_shape(value)[0], 1) if name.endswith("_line") else 1)
            row = place.row(name, zero, kind, rows=name.endswith("_line"))
            arrays |= {slope_name(k, name): row for k in range(len(by))}
    after: dict[str, Module] = {}
    for name in (*loop.traces.states, *loop.traces.lines):
        old = arrays[name]
        after[name] = wp.empty((*_shape(old)[:-1], place.count), dtype=old.dtype, device=place.device)
    kept = wp.empty((channels, records, place.count), dtype=place.dtype, device=place.device)
    arrays |= {f"new.{name}": x for name, x in after.items()}
    arrays |= {f"input.{name}": x for name, x in rows.items()} | {OUT: kept}
    if place.count:
        given = [arrays[name] for name in loop.writer.arguments]
        launch(
            loop.kernel, dim=place.count, inputs=[loop.numbers(numbers), *given, steps, every, records, place.count],
            device=place.device, block_dim=BLOCK,
        )  # fmt: skip
    return after, kept, loop


def _loop(
    dtype: type, actuator: Actuator, load: Load, start: Here, targets: tuple[str, ...], path: tuple[str, ...],
    own: tuple[str, ...], shared: frozenset[str], observation: Observation, by: tuple[str, ...],
) -> Loop:  # fmt: skip
    """The loop for a structure, traced once."""
    states = state_names(start.state)
    parts = dtype, actuator, load, states, targets, path, own, shared, observation, by
    key = structure_of_run(actuator, load, states, targets, path, own), dtype, shared, observation.key, by
    try:
        found = _LOOPS.get(key)
    except TypeError:  # something of the structure cannot be compared
        return Loop(*parts)
    if found is None or not found.observation.is_still(observation):
        if len(_LOOPS) >= MOST_LOOPS:
            _LOOPS.clear()
        found = _LOOPS[key] = Loop(*parts)
    return found
