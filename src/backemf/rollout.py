"""The loop of a run: motor and load stepped together, many steps in one call."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

import numpy as np

from .actuator import Actuator, Command
from .actuator import chain as actuator_laws
from .actuator.memory import initial_state, states_of
from .engines import bind
from .engines import load as load_engine
from .loads import KINEMATIC, Load, LockedRotor, TwoMass
from .motor import Motor, TwoNodeThermal
from .parts import without_neutral
from .physics import load as load_laws
from .physics.state import Output, State
from .tree import kind_of_numbers, map_numbers

MAIN = "command"
"""Name of the controller's main input where nothing else is commanded."""
IMMOVABLE = 1e20
"""Inertia of a joint with prescribed motion [kg·m²]."""


@kind_of_numbers
@dataclass(frozen=True)
class Here:
    """Where motor and load are between two steps."""

    state: State
    """What the motor remembers."""
    memory: tuple
    """What the load remembers: position and velocity of the far mass, if it has one."""
    position: Any
    """Joint position [rad]."""
    velocity: Any
    """Joint velocity [rad/s]."""


def rest(
    actuator: Actuator,
    load: Load,
    shape: tuple[int, ...] = (),
    position: Any = 0.0,
    velocity: Any = 0.0,
    *,
    dt: float | None = None,
    seed: int = 0,
) -> Here:
    """Motor and load at the start of a run: cold, without current, at a position and velocity of the joint.

    `dt` is the step that a delay in seconds is made for, `seed` the random seed of its draws.
    """

    def spread(value: Any) -> np.ndarray:
        return np.broadcast_to(np.asarray(value, dtype=float), shape).copy()

    state = initial_state(load_engine("numpy"), actuator, shape, seed, dt, {}, {})
    if state.rotor_speed is not None and actuator.motor is not None:
        state = replace(state, rotor_speed=spread(actuator.motor.ratio * np.asarray(velocity)))
    memory = (spread(position), spread(velocity)) if isinstance(load, TwoMass) else ()
    return Here(state, memory, spread(position), spread(velocity))


def advance(laws, loads, actuator: Actuator, load: Load, here: Here, command, path, dt):
    """One step of actuator and load together: where everything is afterwards, the load's torque, the output."""
    if isinstance(load, KINEMATIC):
        # the joint moves along its path, and no motor changes that
        begin, end = (here.position, here.position) if isinstance(load, LockedRotor) else path
        velocity = (end - begin) / dt
        state, out = laws.held(actuator, here.state, command, begin, velocity, dt, 0.0, IMMOVABLE)
        return Here(state, here.memory, end, velocity), -out.torque, out
    command, flags, state = laws.receive(actuator, here.state, command, here.position, here.velocity, dt, None)
    here = Here(state, here.memory, here.position, here.velocity)
    if actuator.substeps == 1:
        return turn(laws, loads, actuator, load, here, command, flags, dt)
    pulled: Any = 0.0
    total: Any = None
    for _ in range(actuator.substeps):
        here, torque, out = turn(laws, loads, actuator, load, here, command, flags, dt / actuator.substeps)
        pulled, total = pulled + torque / actuator.substeps, laws.added(total, out, actuator.substeps)
    return here, pulled, total


def turn(laws, loads, actuator: Actuator, load: Load, here: Here, command, flags, dt):
    """One turn of the control loop with motor and load."""
    inertia, torque, slope = loads.react(load, here.memory, here.position, here.velocity, dt)
    state, velocity, out = laws.coupled(
        actuator, here.state, command, flags, here.position, here.velocity, dt, torque, inertia, slope
    )
    torque = torque - slope * (velocity - here.velocity)
    memory = loads.follow(load, here.memory, torque, dt)
    return Here(state, memory, here.position + dt * velocity, velocity), torque, out


def rollout(
    actuator: Actuator | Motor,
    load: Load,
    commands: Any,
    dt: Any,
    *,
    start: Here | None = None,
    observe: Callable[[Here, Output], Any] | None = None,
) -> tuple[Here, Any]:
    """Where motor and load are after a row of commands, and what was observed on the way: a pure JAX function.

    It can be jitted, vmapped and differentiated by the numbers of the actuator and the load, the commands, the step and
    the start; `engines.load("jax")` makes motors known to JAX as arguments of your own functions. Memory for the
    gradient grows with the square root of the number of steps: only every √n-th state is kept, the others are computed
    again.

    Args:
        actuator: A `Motor`, or an `Actuator` with its supply.
        load: What it moves; any load without prescribed motion.
        commands: The controller's main input, one value or row per step; without a controller, volts.
        dt: Step [s].
        start: Where everything is at first; None: `rest`.
        observe: What to keep of each step, e.g. `lambda here, out: here.position`; None: nothing.
    """
    laws, loads = jax_laws()
    import jax
    import jax.numpy as jnp

    actuator = without_neutral(Actuator(actuator) if isinstance(actuator, Motor) else actuator)
    commands = jnp.asarray(commands, dtype=jnp.result_type(float))
    begin = rest(actuator, load, commands.shape[1:], dt=dt) if start is None else start
    begin: Here = jax.tree.map(jnp.asarray, in_precision(begin, commands.dtype))

    def one(here, command):
        after, _, out = advance(laws, loads, actuator, load, here, command, None, dt)
        after = like(after, begin)
        return after, None if observe is None else observe(after, out)

    size = max(1, math.isqrt(len(commands)))

    # the outer loop keeps one state per block, the inner one computes the block again for the gradient
    @jax.checkpoint
    def block(here, rows):
        return jax.lax.scan(jax.checkpoint(one), here, rows)

    whole = len(commands) // size * size
    here, seen = jax.lax.scan(block, begin, commands[:whole].reshape(-1, size, *commands.shape[1:]))
    seen = jax.tree.map(lambda x: x.reshape(whole, *x.shape[2:]), seen)
    if whole < len(commands):
        here, rest_seen = block(here, commands[whole:])
        seen = jax.tree.map(lambda x, y: jnp.concatenate([x, y]), seen, rest_seen)
    return here, seen


def in_precision(part: Any, dtype: Any) -> Any:
    """The same part with every number in a precision; whole numbers stay whole."""

    def change(x: Any) -> Any:
        x = x if hasattr(x, "dtype") else np.asarray(x)
        return x if np.issubdtype(x.dtype, np.integer) else x.astype(dtype)

    return map_numbers(part, change)


def like(here: Here, start: Here) -> Here:
    """The same, in the dtypes and shapes in which it started."""
    import jax
    import jax.numpy as jnp

    return jax.tree.map(lambda x, y: jnp.broadcast_to(jnp.asarray(x, y.dtype), y.shape), here, start)


def jax_laws():
    """The laws of actuator and load, bound to JAX."""
    ops = load_engine("jax").ops
    return bind(actuator_laws, "jax", ops), bind(load_laws, "jax", ops)


def channel_names(actuator: Actuator, load: Load) -> list[str]:
    """Every recorded channel, in the order in which it is recorded."""
    names = ["position", "velocity", "load_torque"]
    if isinstance(load, TwoMass):
        names += ["far_position", "far_velocity"]
    recorded = ("winding_rise", "housing_rise", "bristle", "gap", "setpoint", "integral", "lag")
    names += [name for name in states_of(actuator) if name in recorded]
    outputs = [entry.name for entry in fields(Output)]
    if actuator.motor is None:
        present = ("torque", "torque_requested", "torque_slope", "torque_stiffness", "mechanical_power", "limit")
        return names + [name for name in outputs if name in present]
    absent = set() if isinstance(actuator.motor.thermal, TwoNodeThermal) else {"housing_temperature"}
    absent |= set() if actuator.meter else {"electrical_energy"}
    return names + [name for name in outputs if name not in absent]


def record_of(names: list[str], here: Here, torque, out: Output) -> list[Any]:
    """The values of all channels after a step."""
    values = {"position": here.position, "velocity": here.velocity, "load_torque": torque}
    values |= dict(zip(("far_position", "far_velocity"), here.memory, strict=False))
    return [
        values[name] if name in values else getattr(out if hasattr(out, name) else here.state, name) for name in names
    ]


def behind_time(values: np.ndarray, dimensions: int) -> np.ndarray:
    """The array with the batch's missing axes put between time and its own."""
    return values.reshape(values.shape[0], *(1,) * (dimensions - values.ndim + 1), *values.shape[1:])


def told(values: dict[str, Any]) -> Any:
    """The command of a step: its main input alone, or a `Command`."""
    return values[MAIN] if MAIN in values else Command(**values)


def roll_numpy(actuator, load, start: Here, values, path, dt, every, batch, precision):
    """A recorded piece of a run in plain NumPy: the reference."""
    names = channel_names(actuator, load)
    values = {name: behind_time(row, len(batch)) for name, row in values.items()}
    count = len(next(iter(values.values())))
    kept = np.empty((len(names), count // every, *batch), dtype=precision)
    here = start
    with np.errstate(all="ignore"):
        for k in range(count):
            leg = None if path is None else (path[k], path[k + 1])
            command = told({name: row[k] for name, row in values.items()})
            here, torque, out = advance(actuator_laws, load_laws, actuator, load, here, command, leg, dt)
            if (k + 1) % every == 0:
                for row, value in zip(kept, record_of(names, here, torque, out), strict=True):
                    row[k // every] = value
    return here, dict(zip(names, kept, strict=True))


def roll_jax(actuator, load, start: Here, values, path, dt, every, batch, precision):
    """A recorded piece of a run compiled by JAX, once per kind of motor, load and length."""
    names = channel_names(actuator, load)
    with load_engine("jax").doubles(precision == "float64"):
        arrays = [behind_time(row, len(batch)).astype(precision) for row in values.values()]
        if path is not None:
            arrays += [path[:-1].astype(precision), path[1:].astype(precision)]
        grouped = [x.reshape(len(x) // every, every, *x.shape[1:]) for x in arrays]
        moving = None if isinstance(load, KINEMATIC) else load
        run = _compiled(type(load), tuple(values), tuple(names), every, batch)
        here, kept = run(actuator, moving, in_precision(start, precision), grouped, dt)
        return map_numbers(here, np.asarray), {name: np.asarray(x) for name, x in zip(names, kept, strict=True)}


@lru_cache(maxsize=128)
def _compiled(load_kind: type, targets: tuple[str, ...], names: tuple[str, ...], every: int, batch: tuple[int, ...]):
    """The compiled loop over (recorded, every) steps, for loads of one kind."""
    import jax
    import jax.numpy as jnp

    laws, loads = jax_laws()

    def run(actuator, load, start, arrays, dt):
        # prescribed motion has no numbers of its own here: its path comes with the arrays
        load = object.__new__(load_kind) if load is None else load

        def step(here, row):
            command = told(dict(zip(targets, row, strict=False)))
            here, torque, out = advance(
                laws, loads, actuator, load, here, command, tuple(row[len(targets) :]) or None, dt
            )
            return like(here, start), torque, out

        def recorded(here, rows):
            """Where everything is after `every` steps, and the channels of the last of them."""
            if every > 1:
                here, _ = jax.lax.scan(lambda h, row: (step(h, row)[0], None), here, [row[:-1] for row in rows])
            here, torque, out = step(here, [row[-1] for row in rows])
            # XLA compiles the loop with its channels as one function; channels of all times at once take it far longer
            return here, [spread(channel) for channel in record_of(list(names), here, torque, out)]

        def spread(channel):
            return jnp.broadcast_to(jnp.asarray(channel, start.position.dtype), batch)

        return jax.lax.scan(recorded, start, arrays)

    return jax.jit(run)
