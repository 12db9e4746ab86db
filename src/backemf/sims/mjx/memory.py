"""What motors in MJX remember: how it starts, and how it starts again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np

from ...actuator import Actuator
from ...actuator.memory import first_keys, initial_state, states_of, with_sensor
from ...checks import Number
from ...engines import load
from ...engines.packing import pack
from ...engines.reset import reset_state
from ...errors import ParameterError
from ...physics.state import PER_MOTOR, State
from ...robot.actuator_set import ActuatorSet
from ..robot_step import per_joint
from .state import Groups

if TYPE_CHECKING:
    from ...robot.grouping import Group


class Memory:
    """Makes and resets the states of a robot's motors."""

    def __init__(self, robot: ActuatorSet, dt: float, seed: int):
        self._robot, self._dt, self._seed = robot, dt, seed
        self._engine = load("jax")

    def single(self) -> Groups:
        """One robot at rest and cold."""
        return tuple(self._part(number, group, {}) for number, group in enumerate(self._robot.groups))

    def one_environment(self, actuators: tuple[Actuator, ...]) -> tuple[Actuator, ...]:
        """The actuators of the first environment."""
        return jax.tree.map(lambda x: x[0] if np.ndim(x) > 1 else x, actuators)

    def initial(self, velocity: jax.Array, values: Mapping[str, Number]) -> Groups:
        """Motors at rest on joints that turn so; batch first, joints last in `velocity` [rad/s]."""
        given = self._given("init", values)
        made = []
        for number, group in enumerate(self._robot.groups):
            part = self._part(number, group, given)
            if velocity.ndim > 1:
                part = self._spread(number, group, part, velocity.shape[:-1])
            made.append(self._turning(group, part, velocity, given))
        return tuple(made)

    def reset(self, state: Groups, velocity: jax.Array, mask: jax.Array, values: Mapping[str, Number]) -> Groups:
        """The states with motors at the start where `mask` is true, one truth for each environment."""
        given = self._given("reset", values)

        def one(state: Groups, velocity: jax.Array, mask: jax.Array) -> Groups:
            made = []
            for group, part in zip(self._robot.groups, state, strict=True):
                here = self._here(group, given)
                fresh = pack(reset_state(self._engine, "jax", State(**part), mask, here, {}))
                turning = self._turning(group, fresh, velocity, given)
                made.append({n: jnp.where(mask, turning[n], x) if n == "rotor_speed" else x for n, x in fresh.items()})
            return tuple(made)

        return jax.vmap(one)(state, velocity, mask) if mask.ndim else one(state, velocity, mask)

    def _part(self, number: int, group: Group, given: Mapping[str, np.ndarray]) -> dict[str, jax.Array]:
        shape, here = (len(group.columns),), self._here(group, given)
        return pack(initial_state(self._engine, group.actuator, shape, self._seed + number, self._dt, here, {}))

    def _spread(
        self, number: int, group: Group, part: dict[str, jax.Array], batch: tuple[int, ...]
    ) -> dict[str, jax.Array]:
        """The part of one environment for a batch of them, each with draws of its own."""
        spread = {name: jnp.broadcast_to(x, (*batch, *jnp.shape(x))) for name, x in part.items()}
        if "key" in spread:
            shape = spread["key"].shape
            spread["key"] = jnp.asarray(self._engine.integers(first_keys(self._seed + number, shape), shape))
        return spread

    def _turning(
        self, group: Group, part: dict[str, jax.Array], velocity: jax.Array, given: Mapping[str, np.ndarray]
    ) -> dict[str, jax.Array]:
        """The part with rotors that backlash lets go at the speed of their joints."""
        motor = group.actuator.motor
        if "rotor_speed" not in part or "rotor_speed" in given or motor is None:
            return part
        return {**part, "rotor_speed": motor.ratio * velocity[..., np.array(group.columns)]}

    def _here(self, group: Group, given: Mapping[str, np.ndarray]) -> Mapping[str, Number]:
        present = states_of(group.actuator)
        here = {name: x[list(group.columns)] for name, x in given.items() if name in present}
        return with_sensor(present, here)

    def _given(self, verb: str, values: Mapping[str, Number]) -> dict[str, np.ndarray]:
        known = [n for group in self._robot.groups for n in states_of(group.actuator) if n in PER_MOTOR]
        for name in values:
            if name not in known:
                have = ", ".join(dict.fromkeys(known)) or "none"
                raise ParameterError(f"{verb}({name}=...): no motor has such a state; they have {have}")
        return {n: per_joint(f"{verb}({n}=...)", x, len(self._robot)) for n, x in values.items()}
