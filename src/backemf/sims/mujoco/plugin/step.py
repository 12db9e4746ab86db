"""All joints of a robot in one call: rows of numbers in, rows of numbers out."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ....actuator.memory import initial_state, states_of
from ....actuator.needs import require_load
from ....checks import Number
from ....engines import load
from ....engines.packing import pack, unpack
from ....errors import ParameterError
from ....physics.state import PER_MOTOR, State
from ....robot.actuator_set import ActuatorSet
from ....robot.grouping import Group
from ...robot_step import JOINT, MAIN, Fused, RobotState, per_joint, require_one_robot
from .native import NativeStep, can_step


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
