"""All joints of a robot in one call: rows of numbers in, rows of numbers out."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from ....actuator import Actuator, Command
from ....actuator.memory import initial_state, states_of
from ....actuator.needs import require_load
from ....checks import Number
from ....engines import bind, load
from ....engines.packing import pack, unpack
from ....errors import ParameterError
from ....parts import without_neutral
from ....physics.state import OUTPUTS, PER_MOTOR, Array, Output, State
from ....robot.actuator_set import ActuatorSet
from ....robot.compiled import share_of, take
from ....robot.grouping import Group
from ....tree import numbers
from . import law as joint_law
from .native import NativeStep, can_step

MAIN = "command"
"""Name of the controllers' main input where nothing else is commanded."""
JOINT = ("position", "velocity", "load_torque", "load_inertia", "load_slope", "slip")
"""Rows of the input below those of the command."""
FOUND = ("velocity", "slope", "grip")
"""Rows of the answer above those of the outputs."""


RobotState = tuple[dict[str, Array], ...]
"""The states of each group of like actuators, by name."""


class JointStep:
    """Steps all joints: `state, rows = step(names, state, inputs)`, with joints along the last axis.

    A state is a dict of arrays for each group of like actuators.
    """

    def __init__(self, robot: ActuatorSet, engine: str | None, dt: float, seed: int):
        if engine not in (None, "native", "jax", "numpy"):
            raise ParameterError(
                f"Motors(engine={engine!r}): must be 'native' or 'jax', which are compiled, or 'numpy', the reference"
            )
        engine = engine or ("native" if can_step(robot.groups) else "jax")
        for joint, actuator in zip(robot.joints, robot.actuators, strict=True):
            require_one_robot(joint, actuator)
            require_load(actuator, 0.0, 1.0)
        self.groups, self.count, self.engine, self.dt, self.seed = robot.groups, len(robot), engine, dt, seed
        self._runs: dict[tuple[str, ...], Fused | NativeStep] = {}
        self.outputs: tuple[str, ...] = ()

    def initial(self, **values: Number) -> RobotState:
        """All motors at rest and cold; states given by name start elsewhere, with one number for all or per joint."""
        given = {name: self._per_joint(name, value) for name, value in values.items()}
        made = []
        for number, group in enumerate(self.groups):
            here = {n: x[list(group.columns)] for n, x in given.items() if n in states_of(group.actuator)}
            count, arrays = len(group.columns), load("numpy")
            made.append(pack(initial_state(arrays, group.actuator, (count,), self.seed + number, self.dt, here, {})))
        return tuple(made)

    def _per_joint(self, name: str, value: Number) -> np.ndarray:
        known = [n for group in self.groups for n in states_of(group.actuator) if n in PER_MOTOR]
        if name not in known:
            have = ", ".join(dict.fromkeys(known)) or "none"
            raise ParameterError(f"reset({name}=...): no motor has such a state; they have {have}")
        return per_joint(f"reset({name}=...)", value, self.count)

    def run(self, names: tuple[str, ...]) -> Fused | NativeStep:
        """The step under a command of these inputs."""
        run = self._runs.get(names)
        if run is None:
            run = self._runs[names] = fused_step(self.groups, self.engine, self.dt, names)
        return run

    def __call__(self, names: tuple[str, ...], state: RobotState, inputs: np.ndarray) -> tuple[RobotState, np.ndarray]:
        """State after the step, and the rows FOUND and `outputs`."""
        run = self.run(names)
        answer = run(state, inputs)
        self.outputs = run.outputs
        return answer

    def states(self, state: RobotState) -> tuple[State, ...]:
        """The state of each group as NumPy arrays."""
        return tuple(unpack(State, {name: np.array(value) for name, value in part.items()}) for part in state)


class Fused:
    """One function that steps every group under a command of certain inputs."""

    def __init__(self, groups: tuple[Group, ...], engine: str, dt: float, names: tuple[str, ...]):
        self._engine = load(engine)
        self._groups = tuple(replace(group, actuator=without_neutral(group.actuator)) for group in groups)
        self._dt, self._names = dt, names
        self._law = bind(joint_law, engine, self._engine.ops)
        order = [c for group in groups for c in group.columns]
        self._inverse = tuple(order.index(c) for c in range(len(order)))
        self.outputs: tuple[str, ...] = ()
        self._run = self._compile() if engine == "jax" else self._plain

    def __call__(self, state: RobotState, inputs: np.ndarray) -> tuple[RobotState, np.ndarray]:
        return self._run(state, inputs)

    def _plain(self, state: RobotState, inputs: np.ndarray) -> tuple[RobotState, np.ndarray]:
        with np.errstate(under="ignore", over="ignore"):
            return self._step(state, inputs)

    def _compile(self) -> Callable[[RobotState, np.ndarray], tuple[RobotState, np.ndarray]]:
        import jax

        jitted = jax.jit(self._step)
        # a handful of joints is no work for an accelerator
        cpu = jax.local_devices(backend="cpu")[0] if jax.default_backend() != "cpu" else None

        def run(state: RobotState, inputs: np.ndarray) -> tuple[RobotState, np.ndarray]:
            with self._engine.doubles(True), nullcontext() if cpu is None else jax.default_device(cpu):
                after, rows = jitted(state, inputs)
                return after, np.asarray(rows)

        return run

    def _step(self, state: RobotState, inputs: Array) -> tuple[RobotState, Any]:
        """Step every group and put the answers in the order of the joints."""
        alike, count = self._engine.ops.alike, len(self._names)
        after, answers = [], []
        for group, part in zip(self._groups, state, strict=True):
            rows = [take(row, group.columns) for row in inputs]
            given = dict(zip(self._names, rows, strict=False))
            command = given[MAIN] if MAIN in given else share_of(group.actuator, Command(**given))
            position, velocity, *around = rows[count:]
            new, *found, out = self._law.step_joint(
                group.actuator, State(**part), command, position, velocity, self._dt, *around
            )
            after.append({name: alike(getattr(new, name), old) for name, old in part.items()})
            answers.append((found, out))
        self.outputs = tuple(n for n in OUTPUTS if any(getattr(out, n) is not None for _, out in answers))
        stacks = [self._stack(found, out) for found, out in answers]
        joined = stacks[0] if len(stacks) == 1 else self._engine.ops.join_last(stacks)
        in_order = self._inverse == tuple(range(len(self._inverse)))
        return tuple(after), joined if in_order else take(joined, self._inverse)

    def _stack(self, found: list[Array], out: Output) -> Array:
        """The rows of one group; NaN where it has no such output."""
        values = [*found, *(getattr(out, name) for name in self.outputs)]
        # a plain number, such as a temperature without a thermal model, is one for every joint
        spread = self._engine.ops.alike
        return self._engine.ops.stack_first([spread(math.nan if x is None else x, found[0]) for x in values])


def fused_step(
    groups: tuple[Group, ...], engine: str, dt: float, names: tuple[str, ...]
) -> Fused | NativeStep:  # fmt: skip
    """The step of these groups; the one that is there already, where motors of the same numbers were made before."""
    if engine == "native":
        return NativeStep(groups, dt, names, MAIN, JOINT)
    try:
        return _cached_step(groups, engine, dt, names)
    except TypeError:
        # arrays among the numbers
        return Fused(groups, engine, dt, names)


@lru_cache(maxsize=64)
def _cached_step(groups: tuple[Group, ...], engine: str, dt: float, names: tuple[str, ...]) -> Fused:
    return Fused(groups, engine, dt, names)


def per_joint(name: str, value: Number, count: int) -> np.ndarray:
    """A number, or one per joint, as an array; raises `ParameterError` if it is neither."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} = {value!r}: must be a number, or one per joint") from None
    if array.shape == (count,):
        return array
    if array.shape not in ((), (1,)):
        raise ParameterError(
            f"{name} has the shape {array.shape}: must be one number, or one for each of {count} joints"
        )
    return np.broadcast_to(array, (count,))


def require_one_robot(joint: str, actuator: Actuator) -> None:
    """Check that an actuator holds the numbers of one robot; raise `ParameterError` if not."""
    for name, value in numbers(actuator):
        if np.size(value) != 1 or np.ndim(value) > 1:
            raise ParameterError(
                f"the actuator of joint {joint!r} has {np.size(value)} numbers for {name}: Motors step one robot, so "
                "give one number per joint"
            )
