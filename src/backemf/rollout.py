"""The loop of a run: motor and load stepped together, many steps in one call."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import numpy as np

from .actuator import Actuator
from .actuator.compiled import states_of
from .engines import bind
from .engines import load as load_engine
from .loads import KINEMATIC, Load, LockedRotor, TwoMass
from .motor import Motor, TwoNodeThermal
from .physics import load as load_laws
from .physics import step as motor_laws
from .physics.state import Output, State
from .tree import kind_of_numbers, map_numbers

BLOCK = 16
"""Steps of the innermost compiled loop; see `blockwise`."""
IMMOVABLE = 1e20
"""Inertia of a joint that moves as it pleases [kg·m²]."""


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


def rest(actuator: Actuator, load: Load, shape: tuple[int, ...] = (), position: Any = 0.0, velocity: Any = 0.0) -> Here:
    """Motor and load at the start of a run: cold, without current, at a position and velocity of the joint."""

    def spread(value: Any) -> np.ndarray:
        return np.broadcast_to(np.asarray(value, dtype=float), shape).copy()

    state = {name: spread(0.0) for name in states_of(actuator.motor)}
    if "rotor_speed" in state:
        state["rotor_speed"] = spread(actuator.motor.ratio * np.asarray(velocity))
    memory = (spread(position), spread(velocity)) if isinstance(load, TwoMass) else ()
    return Here(State(**state), memory, spread(position), spread(velocity))


def advance(laws, loads, actuator: Actuator, load: Load, here: Here, command, path, dt):
    """One step of motor and load together: where everything is afterwards, the load's torque, the motor's output."""
    if isinstance(load, KINEMATIC):
        # the joint moves along its path, and no motor changes that
        begin, end = (here.position, here.position) if isinstance(load, LockedRotor) else path
        velocity = (end - begin) / dt
        state, out = laws.held(actuator, here.state, command, begin, velocity, dt, 0.0, IMMOVABLE)
        return Here(state, here.memory, end, velocity), -out.torque, out
    inertia, torque, slope = loads.react(load, here.memory, here.position, here.velocity, dt)
    state, velocity, out = laws.coupled(
        actuator, here.state, command, here.position, here.velocity, dt, torque, inertia, slope
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
        load: What it moves; any load that does not move as it pleases.
        commands: Volts, one value or row per step.
        dt: Step [s].
        start: Where everything is at first; None: `rest`.
        observe: What to keep of each step, e.g. `lambda here, out: here.position`; None: nothing.
    """
    engine, loads = jax_laws()
    import jax
    import jax.numpy as jnp

    actuator = Actuator(actuator) if isinstance(actuator, Motor) else actuator
    commands = jnp.asarray(commands, dtype=jnp.result_type(float))
    begin = rest(actuator, load, commands.shape[1:]) if start is None else start
    begin: Here = jax.tree.map(lambda x: jnp.asarray(x, dtype=commands.dtype), begin)

    def one(here, command):
        after, _, out = advance(engine, loads, actuator, load, here, command, None, dt)
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


def like(here: Here, start: Here) -> Here:
    """The same, in the dtypes and shapes in which it started."""
    import jax
    import jax.numpy as jnp

    return jax.tree.map(lambda x, y: jnp.broadcast_to(jnp.asarray(x, y.dtype), y.shape), here, start)


def jax_laws():
    """The laws of motor and load, bound to JAX."""
    engine = load_engine("jax")
    return engine, bind(load_laws, "jax", engine.ops)


def channel_names(motor: Motor, load: Load) -> list[str]:
    """Every recorded channel, in the order in which it is recorded."""
    names = ["position", "velocity", "load_torque"]
    if isinstance(load, TwoMass):
        names += ["far_position", "far_velocity"]
    names += [name for name in states_of(motor) if name not in ("current", "rotor_speed")]
    absent = set() if isinstance(motor.thermal, TwoNodeThermal) else {"housing_temperature"}
    return names + [entry.name for entry in fields(Output) if entry.name not in absent]


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


def roll_numpy(actuator, load, start: Here, values, path, dt, every, batch, precision):
    """A recorded piece of a run in plain NumPy: the reference."""
    names = channel_names(actuator.motor, load)
    values = behind_time(values, len(batch))
    kept = np.empty((len(names), len(values) // every, *batch), dtype=precision)
    here = start
    with np.errstate(all="ignore"):
        for k in range(len(values)):
            leg = None if path is None else (path[k], path[k + 1])
            here, torque, out = advance(motor_laws, load_laws, actuator, load, here, values[k], leg, dt)
            if (k + 1) % every == 0:
                for row, value in zip(kept, record_of(names, here, torque, out), strict=True):
                    row[k // every] = value
    return here, dict(zip(names, kept, strict=True))


def roll_jax(actuator, load, start: Here, values, path, dt, every, batch, precision):
    """A recorded piece of a run compiled by JAX, once per kind of motor, load and length."""
    load_engine("jax")
    import jax

    names = channel_names(actuator.motor, load)
    with jax.enable_x64(precision == "float64"):
        arrays = [behind_time(values, len(batch)).astype(precision)]
        if path is not None:
            arrays += [path[:-1].astype(precision), path[1:].astype(precision)]
        grouped = [x.reshape(len(x) // every, every, *x.shape[1:]) for x in arrays]
        start = map_numbers(start, lambda x: np.asarray(x, dtype=precision))
        moving = None if isinstance(load, KINEMATIC) else load
        run = _compiled(type(load), tuple(names), every, batch)
        here, kept = run(actuator, moving, start, grouped, dt)
        return map_numbers(here, np.asarray), {name: np.asarray(x) for name, x in zip(names, kept, strict=True)}


def blockwise(scan, step, start, rows: list):
    """A scan in blocks: XLA compiles an inner loop over little data as one function, far faster for a single motor."""
    import jax

    whole = len(rows[0]) // BLOCK * BLOCK
    parts = [row[:whole].reshape(whole // BLOCK, BLOCK, *row.shape[1:]) for row in rows]
    here, kept = scan(lambda h, part: scan(step, h, part), start, parts)
    kept = jax.tree.map(lambda x: x.reshape(whole, *x.shape[2:]), kept)
    if whole < len(rows[0]):
        here, rest_kept = scan(step, here, [row[whole:] for row in rows])
        kept = jax.tree.map(lambda x, y: jax.numpy.concatenate([x, y]), kept, rest_kept)
    return here, kept


@lru_cache(maxsize=128)
def _compiled(load_kind: type, names: tuple[str, ...], every: int, batch: tuple[int, ...]):
    """The compiled loop over (recorded, every) steps, for loads of one kind."""
    import jax
    import jax.numpy as jnp

    engine, loads = jax_laws()

    def run(actuator, load, start, arrays, dt):
        # a load that moves as it pleases has no numbers of its own here: its path comes with the arrays
        load = object.__new__(load_kind) if load is None else load

        def one(here, row):
            after, _, _ = advance(engine, loads, actuator, load, here, row[0], tuple(row[1:]) or None, dt)
            return like(after, start)

        def recorded(here, rows):
            if every > 1:
                here, _ = jax.lax.scan(lambda h, r: (one(h, r), None), here, [row[:-1] for row in rows])
            return one(here, [row[-1] for row in rows]), here

        end, begins = blockwise(jax.lax.scan, recorded, start, arrays)
        # the laws are elementwise: the telemetry of all recorded steps is one more call, over the time axis
        last = [row[:, -1] for row in arrays]
        last[1:] = [row.reshape(row.shape + (1,) * len(batch)) for row in last[1:]]
        here, torque, out = advance(engine, loads, actuator, load, begins, last[0], tuple(last[1:]) or None, dt)
        shape = (arrays[0].shape[0], *batch)
        channels = [jnp.asarray(c, start.position.dtype) for c in record_of(list(names), here, torque, out)]
        return end, [jnp.broadcast_to(c, shape) for c in channels]

    return jax.jit(run)
