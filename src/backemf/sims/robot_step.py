"""All joints of a robot in one function of arrays: rows of numbers in, rows of numbers out."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace

import numpy as np

from ..actuator import Actuator, Command
from ..checks import Number
from ..engines import bind, load
from ..errors import ParameterError
from ..parts import without_neutral
from ..physics.state import OUTPUTS, Array, Output, State
from ..robot.compiled import share_of, take
from ..robot.grouping import Group
from ..tree import numbers
from . import mujoco_joint_law as joint_law

MAIN = "command"
"""Name of the controllers' main input where nothing else is commanded."""
JOINT = ("position", "velocity", "load_torque", "load_inertia", "load_slope", "slip")
"""Rows of the input below those of the command."""
FOUND = ("velocity", "slope", "grip")
"""Rows of the answer above those of the outputs."""
RobotState = tuple[dict[str, Array], ...]
"""The states of each group of like actuators, by name."""


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
            after, rows = self.step(state, inputs)
            return after, np.asarray(rows)

    def _compile(self) -> Callable[[RobotState, np.ndarray], tuple[RobotState, np.ndarray]]:
        import jax

        jitted = jax.jit(lambda state, inputs: self.step(state, inputs))
        # a handful of joints is no work for an accelerator
        cpu = jax.local_devices(backend="cpu")[0] if jax.default_backend() != "cpu" else None

        def run(state: RobotState, inputs: np.ndarray) -> tuple[RobotState, np.ndarray]:
            with self._engine.doubles(True), nullcontext() if cpu is None else jax.default_device(cpu):
                after, rows = jitted(state, inputs)
                return after, np.asarray(rows)

        return run

    @property
    def actuators(self) -> tuple[Actuator, ...]:
        """One actuator for each group, as it is stepped."""
        return tuple(group.actuator for group in self._groups)

    def step(
        self, state: RobotState, inputs: Array, actuators: tuple[Actuator, ...] | None = None
    ) -> tuple[RobotState, Array]:
        """Step every group and put the answers in the order of the joints; `actuators`: such with other numbers."""
        alike, count = self._engine.ops.alike, len(self._names)
        rounding = joint_law.SINGLE if inputs[0].dtype == np.float32 else joint_law.DOUBLE
        after, answers = [], []
        for group, actuator, part in zip(self._groups, actuators or self.actuators, state, strict=True):
            rows = [take(row, group.columns) for row in inputs]
            given = dict(zip(self._names, rows, strict=False))
            command = given[MAIN] if MAIN in given else share_of(actuator, Command(**given))
            position, velocity, *around = rows[count:]
            new, *found, out = self._law.step_joint(
                actuator, State(**part), command, position, velocity, self._dt, *around, rounding
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
