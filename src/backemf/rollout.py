"""The loop of a run: motor and load stepped together, many steps in one call."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from . import loads
from .actuator import Actuator, Command
from .actuator.compiled import laws
from .actuator.memory import initial_state, states_of, with_sensor
from .actuator.needs import require_step
from .checks import Number, concrete, quote
from .engines import bind
from .engines import load as load_engine
from .errors import ParameterError
from .hooks import call_hook
from .loads import KINEMATIC, Load, PrescribedMotion
from .motor import Motor, TwoNodeThermal
from .parts import without_neutral
from .physics.load import IMMOVABLE, Memory
from .physics.state import COUPLED, Output, State
from .rollout_needs import (
    MAIN,
    check_begin,
    check_load,
    check_state,
    number_shapes,
    require_run,
    require_shape,
    row_values,
)
from .tree import kind_of_numbers, map_numbers
from .values import Array, Foreign

if TYPE_CHECKING:
    import jax

P = TypeVar("P")
T = TypeVar("T")

Path = tuple[Number, ...]
"""Joint position at the beginning and at the end of a step with prescribed motion [rad], and where it is known better
than from these two its velocity [rad/s]."""


@kind_of_numbers
@dataclass(frozen=True)
class Here:
    """Where motor and load are between two steps."""

    state: State
    """What the motor remembers."""
    memory: Memory
    """What the load remembers: position and velocity of the far mass, if it has one."""
    position: Number
    """Joint position [rad]."""
    velocity: Number
    """Joint velocity [rad/s]."""


class Channels(dict[str, np.ndarray]):
    """The channels of a piece of a run, by name."""

    finite: frozenset[str] = frozenset()
    """Channels of which the loop that recorded them has seen that they are finite."""


def rest(
    actuator: Actuator,
    load: Load,
    shape: tuple[int, ...] = (),
    position: Number = 0.0,
    velocity: Number = 0.0,
    *,
    initial: Mapping[str, Number] | None = None,
    dt: Number | None = None,
    seed: int = 0,
) -> Here:
    """Motor and load at the start of a run, without current, at a position and velocity of the joint.

    `initial` are states of the motor by name, e.g. {"winding_rise": 60.0}; without it the motor is at ambient
    temperature. These three may be traced by JAX. `dt` is the step that a delay in seconds is made for, `seed` its
    random seed.
    """

    def spread(value: Number) -> Array:
        if concrete(value) is None and not isinstance(value, (list, tuple)):
            return load_engine("jax").array(value, shape)
        return np.broadcast_to(np.asarray(value, dtype=float), shape).copy()

    position, velocity = spread(position), spread(velocity)
    given = {name: spread(value) for name, value in (initial or {}).items()}
    if "rotor_speed" in states_of(actuator) and actuator.motor is not None:
        given.setdefault("rotor_speed", spread(actuator.motor.ratio * velocity))
    given = with_sensor(states_of(actuator), given)
    state = initial_state(load_engine("numpy"), actuator, shape, seed, dt, dict.fromkeys(given, 0.0), {})
    return Here(replace(state, **given), (position, velocity) if load.remembers else (), position, velocity)


def advance(
    laws: ModuleType,
    actuator: Actuator,
    load: Load,
    here: Here,
    command: Command | Number,
    path: Path | None,
    dt: Number,
) -> tuple[Here, Output]:
    """Where motor and load are after a step, and its output, by the laws of an engine."""
    if isinstance(load, KINEMATIC):
        # the joint moves along its path, and no motor changes that
        begin, end, *rate = (here.position, here.position) if path is None else path
        velocity = rate[0] if rate else (end - begin) / dt
        state, out = laws.held(actuator, here.state, command, begin, velocity, dt, 0.0, IMMOVABLE)
        return Here(state, here.memory, end, velocity), replace(out, load_torque=-out.torque)
    state, memory, out = laws.with_load(
        actuator, here.state, command, here.position, here.velocity, dt, load, here.memory
    )
    return Here(state, memory, out.joint_position, out.joint_velocity), out


def rollout(
    actuator: Actuator | Motor,
    load: Load,
    commands: Command | Number | Sequence[Number],
    dt: Number,
    *,
    position: Number = 0.0,
    velocity: Number = 0.0,
    initial: Mapping[str, Number] | None = None,
    start: Here | None = None,
    observe: Callable[[Here, Output], T] | Sequence[str] | None = None,
    every: int = 1,
    engine: str = "jax",
    precision: str | None = None,
    device: object = None,
) -> tuple[Here, T]:
    """Where motor and load are after a row of commands, and what was observed on the way: a pure JAX function.

    It can be jitted, vmapped and differentiated by the numbers of the actuator and the load, the commands, the step and
    the start; `engines.load("jax")` makes motors known to JAX as arguments of your own functions. Memory for the
    gradient grows with the square root of the number of steps: only every √n-th state is kept, the others are computed
    again.

    With engine="warp" all steps are one launch on a GPU or a CPU, without gradients. Numbers of the actuator and the
    load, commands and the start may be arrays of NumPy or Warp with one value per motor; what comes back are arrays of
    Warp on the device, and nothing waits for it.

    Args:
        actuator: A `Motor`, or an `Actuator` with its supply.
        load: What it moves; a `PrescribedMotion` moves the joint along its table from time 0 on.
        commands: The controller's main input, one value or row per step, without a controller volts; or a `Command` of
            several inputs, such as a position and where the bridge is on.
        dt: Step [s].
        position: Joint position at the start [rad].
        velocity: Joint velocity at the start [rad/s].
        initial: States of the motor at the start by name, e.g. {"winding_rise": 60.0}.
        start: Where everything is at first, in place of these three.
        observe: What to keep of each step, e.g. `lambda here, out: here.position`, or names of channels such as
            ("position", "torque"), which make a dict; None: nothing.
        every: Keep that of every n-th step.
        engine: "jax" or "warp".
        precision: With Warp "float32" or "float64"; None: that of commands in arrays of Warp, else float32. JAX has a
            setting of its own.
        device: With Warp where it runs, such as "cuda"; None: Warp's default.
    """
    actuator = without_neutral(require_run("rollout", actuator, load))
    check_rollout(actuator, load, dt, position, velocity, initial, start)
    if engine == "warp":
        load_engine("warp")
        return call_hook(
            "rollout_on_warp", actuator, load, commands, dt, position=position, velocity=velocity, initial=initial,
            start=start, observe=observe, every=every, precision=precision, device=device,
        )[:2]  # fmt: skip
    if engine != "jax":
        raise ParameterError(f"engine = {engine!r}: a rollout needs 'jax' or 'warp'")
    if precision is not None or device is not None:
        raise ParameterError("rollout(precision=..., device=...) are for engine='warp': JAX has settings of its own")
    watch = named_channels(actuator, load, observe)
    law = laws("jax")
    import jax
    import jax.numpy as jnp

    told = command_rows(actuator, commands)
    targets = jax.tree.leaves(told)
    steps, dtype = len(targets[0]), targets[0].dtype
    every = require_every(every, steps)
    shapes = [row.shape[1:] for row in targets] + number_shapes(actuator, load)
    if start is None:
        given = (position, velocity, *(initial or {}).values())
        shape = require_shape([*shapes, *(jnp.shape(value) for value in given)])
        start = rest(actuator, load, shape, position, velocity, initial=initial, dt=dt)
    else:
        shape = require_shape([*shapes, jnp.shape(start.position)])
        if shape != jnp.shape(start.position):
            raise ParameterError(
                f"start is made for the batch {jnp.shape(start.position)}, commands and numbers are of {shape}: "
                f"make it with rest(actuator, load, {shape})"
            )
    begin: Here = jax.tree.map(jnp.asarray, in_precision(start, dtype))
    paths = None
    if isinstance(load, PrescribedMotion):
        along = path_in_jax(load, steps, dt, dtype)
        paths = tuple(x.reshape(-1, *(1,) * (targets[0].ndim - 1)) for x in along)

    def one(here: Here, row: tuple[Command | Array, Path | None]) -> tuple[Here, T | None]:
        command, path = row
        after, out = advance(law, actuator, load, here, command, path, dt)
        after = like(after, begin)
        return after, None if watch is None else watch(after, out)

    size = max(1, math.isqrt(steps))

    # the outer loop keeps one state per block, the inner one computes the block again for the gradient
    @jax.checkpoint
    def block(here: Here, rows: tuple[Command | Array, tuple[Array, Array] | None]) -> tuple[Here, T | None]:
        return jax.lax.scan(jax.checkpoint(one), here, rows)

    whole = steps // size * size
    rows = told, paths
    blocks = jax.tree.map(lambda x: x[:whole].reshape(-1, size, *x.shape[1:]), rows)
    here, seen = jax.lax.scan(block, begin, blocks)
    seen = jax.tree.map(lambda x: x.reshape(whole, *x.shape[2:]), seen)
    if whole < steps:
        here, rest_seen = block(here, jax.tree.map(lambda x: x[whole:], rows))
        seen = jax.tree.map(lambda x, y: jnp.concatenate([x, y]), seen, rest_seen)
    return here, jax.tree.map(lambda x: x[every - 1 :: every], seen)


def named_channels(
    actuator: Actuator, load: Load, observe: Callable[[Here, Output], T] | Sequence[str] | None
) -> Callable[[Here, Output], Foreign] | None:
    """What to keep of each step as a function; channels by name make a dict of them."""
    if observe is None or callable(observe):
        return observe
    names = require_channels(observe, channel_names(actuator, load))
    return lambda here, out: dict(zip(names, record_of(names, load, here, out), strict=True))


def require_channels(wanted: str | Sequence[str], known: Sequence[str]) -> list[str]:
    """The channels that are wanted; raises `ParameterError` where there is no such."""
    if not isinstance(wanted, (str, Sequence)):
        raise ParameterError(f"observe = {quote(wanted)}: must be a function, names of channels, or None")
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    for name in names:
        if name not in known:
            raise ParameterError(f"channel {name!r}: there is no such, there are {', '.join(known)}")
    return names


def require_every(every: int, steps: int) -> int:
    """How many steps make a record; raises `ParameterError` where they are not whole records."""
    if isinstance(every, bool) or not isinstance(every, (int, np.integer)) or every < 1:
        raise ParameterError(f"every = {every!r}: must be a whole number of steps, 1 or more")
    if steps % every:
        raise ParameterError(f"every = {every}: {steps} steps are not whole records of it; give a multiple of it")
    return int(every)


def check_rollout(
    actuator: Actuator, load: Load, dt: Number, position: Number, velocity: Number,
    initial: Mapping[str, Number] | None, start: Here | None,
) -> None:  # fmt: skip
    """Check what a rollout is given, as far as it is known here; raise `ParameterError` if it does not fit."""
    require_step(dt)
    check_load(actuator, load)
    if start is None:
        check_begin(actuator, load, position, velocity, initial)
        return
    if not isinstance(start, Here):
        raise ParameterError(f"start = {quote(start)}: must be a Here, such as rest(...) gives or a rollout ends with")
    if initial is not None or not all(isinstance(x, float) and x == 0.0 for x in (position, velocity)):
        raise ParameterError("rollout(start=...) says where everything is: leave position, velocity and initial out")
    check_state(actuator, load, start.state, start.memory, dt)


def path_in_jax(load: PrescribedMotion, steps: int, dt: Number, dtype: Foreign) -> tuple[Foreign, ...]:
    """Begin and end of each step, and the velocity where nothing of the motion is traced."""
    import jax.numpy as jnp

    if isinstance(dt, (int, float)) and isinstance(load.time, np.ndarray) and isinstance(load.position, np.ndarray):
        return tuple(jnp.asarray(x, dtype) for x in steps_along(load.at(np.arange(steps + 1) * dt), dt))
    path = bind(loads, "jax", load_engine("jax").ops).prescribed_position(load, jnp.arange(steps + 1, dtype=dtype) * dt)
    return path[:-1], path[1:]


def command_rows(actuator: Actuator, commands: Command | Number | Sequence[Number]) -> Command | Array:
    """The commands of a row of steps as arrays of JAX: one, or a `Command` of several of one length."""
    import jax.numpy as jnp

    rows = row_values(actuator, commands, lambda row: jnp.asarray(row, dtype=jnp.result_type(float)))
    return as_command(rows)  # pyright: ignore[reportReturnType]


def in_precision(part: P, dtype: np.dtype | str) -> P:
    """The same part with every number in a precision; whole numbers stay whole."""

    def change(x: Any) -> Array:
        x = x if hasattr(x, "dtype") else np.asarray(x)
        return x if np.issubdtype(x.dtype, np.integer) else x.astype(dtype)

    return map_numbers(part, change)


def like(here: Here, start: Here) -> Here:
    """The same, in the dtypes and shapes in which it started."""
    import jax
    import jax.numpy as jnp

    return jax.tree.map(lambda x, y: jnp.broadcast_to(jnp.asarray(x, y.dtype), y.shape), here, start)


def channel_names(actuator: Actuator, load: Load) -> list[str]:
    """Every recorded channel, in the order in which it is recorded."""
    names = ["position", "velocity", "load_torque", *load.remembers]
    recorded = (
        "winding_rise", "housing_rise", "phase_rise", "sensor_rise", "bristle", "gap", "setpoint", "integral", "lag"
    )  # fmt: skip
    names += [name for name in states_of(actuator) if name in recorded]
    outputs = [entry.name for entry in fields(Output) if entry.name not in COUPLED]
    absent = {"spring_power"} if actuator.spring is None else set()
    if actuator.motor is None:
        present = {"torque", "torque_requested", "torque_slope", "torque_stiffness", "mechanical_power", "limit"}
        present |= {"spring_power"} - absent
        return names + [name for name in outputs if name in present]
    absent |= set() if isinstance(actuator.motor.thermal, TwoNodeThermal) else {"housing_temperature"}
    absent |= {"measured_temperature"} if actuator.motor.thermistor is None else set()
    absent |= set() if actuator.meter else {"electrical_energy"}
    return names + [name for name in outputs if name not in absent]


def record_of(names: list[str], load: Load, here: Here, out: Output) -> list[Number]:
    """The values of all channels after a step."""
    values = {"position": here.position, "velocity": here.velocity}
    values |= dict(zip(load.remembers, here.memory, strict=True))
    return [
        values[name] if name in values else getattr(out if hasattr(out, name) else here.state, name) for name in names
    ]


def behind_time(values: np.ndarray, dimensions: int) -> np.ndarray:
    """The array with the batch's missing axes put between time and its own."""
    return values.reshape(values.shape[0], *(1,) * (dimensions - values.ndim + 1), *values.shape[1:])


def steps_along(path: np.ndarray, dt: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Begin, end and velocity of each step along a path.

    After a few turns a short step is lost in what single precision knows of a position: the velocity is found here.
    """
    return path[:-1], path[1:], np.diff(path) / dt


def as_command(values: Mapping[str, Number]) -> Command | Number:
    """The command of a step: its main input alone, or a `Command`."""
    return values[MAIN] if MAIN in values else Command(**values)


def roll_numpy(
    actuator: Actuator, load: Load, start: Here, values: dict[str, np.ndarray], path: np.ndarray | None, dt: float,
    every: int, batch: tuple[int, ...], precision: str,
) -> tuple[Here, Channels]:  # fmt: skip
    """A recorded piece of a run in plain NumPy: the reference."""
    names = channel_names(actuator, load)
    values = {name: behind_time(row, len(batch)) for name, row in values.items()}
    count = len(next(iter(values.values())))
    kept = np.empty((len(names), count // every, *batch), dtype=precision)
    here, law = start, laws("numpy")
    with np.errstate(all="ignore"):
        for k in range(count):
            leg = None if path is None else (path[k], path[k + 1])
            command = as_command({name: row[k] for name, row in values.items()})
            here, out = advance(law, actuator, load, here, command, leg, dt)
            if (k + 1) % every == 0:
                for row, value in zip(kept, record_of(names, load, here, out), strict=True):
                    row[k // every] = value
    return here, Channels(zip(names, kept, strict=True))


def roll_jax(
    actuator: Actuator, load: Load, start: Here, values: dict[str, np.ndarray], path: np.ndarray | None, dt: float,
    every: int, batch: tuple[int, ...], precision: str,
) -> tuple[Here, Channels]:  # fmt: skip
    """A recorded piece of a run compiled by JAX, once per kind of motor, load and length."""
    names = channel_names(actuator, load)
    with load_engine("jax").doubles(precision == "float64"):
        arrays = [behind_time(row, len(batch)).astype(precision) for row in values.values()]
        if path is not None:
            arrays += [x.astype(precision) for x in steps_along(path, dt)]
        grouped = [x.reshape(len(x) // every, every, *x.shape[1:]) for x in arrays]
        moving = None if isinstance(load, KINEMATIC) else load
        run = _compile_loop(type(load), tuple(values), tuple(names), every, batch)
        here, kept = run(actuator, moving, in_precision(start, precision), grouped, dt)
        channels = Channels({name: np.asarray(x) for name, x in zip(names, kept, strict=True)})
        return map_numbers(here, np.asarray), channels


@lru_cache(maxsize=128)
def _compile_loop(
    load_kind: type, targets: tuple[str, ...], names: tuple[str, ...], every: int, batch: tuple[int, ...]
) -> Callable[..., tuple[Here, list[jax.Array]]]:
    """The compiled loop over (recorded, every) steps, for loads of one kind."""
    import jax
    import jax.numpy as jnp

    law = laws("jax")

    def run(
        actuator: Actuator, load: Load | None, start: Here, arrays: list[jax.Array], dt: float
    ) -> tuple[Here, list[jax.Array]]:
        # prescribed motion has no numbers of its own here: its path comes with the arrays
        moved: Load = object.__new__(load_kind) if load is None else load

        def step(here: Here, row: list[jax.Array]) -> tuple[Here, Output]:
            command = as_command(dict(zip(targets, row, strict=False)))
            here, out = advance(law, actuator, moved, here, command, tuple(row[len(targets) :]) or None, dt)
            return like(here, start), out

        def record(here: Here, rows: list[jax.Array]) -> tuple[Here, list[jax.Array]]:
            """Where everything is after `every` steps, and the channels of the last of them."""
            if every > 1:
                here, _ = jax.lax.scan(lambda h, row: (step(h, row)[0], None), here, [row[:-1] for row in rows])
            here, out = step(here, [row[-1] for row in rows])
            # XLA compiles the loop with its channels as one function; channels of all times at once take it far longer
            return here, [spread(channel) for channel in record_of(list(names), moved, here, out)]

        def spread(channel: Any) -> jax.Array:
            return jnp.broadcast_to(jnp.asarray(channel, jnp.result_type(start.position)), batch)

        return jax.lax.scan(record, start, arrays)

    return jax.jit(run)
