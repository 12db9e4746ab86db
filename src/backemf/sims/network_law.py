"""What a learned actuator computes in mjlab and in Isaac Lab: past errors and velocities, a network, a scale.

One network serves all joints and takes one row per joint: two blocks, each newest first and scaled.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from ..checks import Number
from ..learned.files import controller_fields
from ..physics.state import Array
from .types import Field, Fields


class Rows(Array, Protocol):
    """An array of any engine whose rows can be laid out otherwise."""

    def reshape(self, *shape: int | tuple[int, ...]) -> Rows: ...


class NetworkLaw(Protocol):
    """A network with the scales of its inputs and of its torque."""

    @property
    def network(self) -> Callable[..., Any]: ...
    @property
    def input_order(self) -> str: ...
    @property
    def pos_scale(self) -> Number: ...
    @property
    def vel_scale(self) -> Number: ...
    @property
    def torque_scale(self) -> Number: ...


def network_torque(law: NetworkLaw, errors: Sequence[Number], velocities: Sequence[Number]) -> Array:
    """Torque of a network on position errors [rad] and velocities [rad/s], each (environment, joint) [N·m]."""
    blocks = {"pos": [law.pos_scale * x for x in errors], "vel": [law.vel_scale * x for x in velocities]}
    first, second = law.input_order.split("_")
    rows = stack_columns(blocks[first] + blocks[second])
    output = law.network(rows.reshape(-1, rows.shape[-1]))
    return output.reshape(rows.shape[:-1]) * law.torque_scale


def stack_columns(columns: list[Any]) -> Any:
    """The columns side by side along a new last axis, by whichever library made them."""
    torch, jax = sys.modules.get("torch"), sys.modules.get("jax")
    if torch is not None and isinstance(columns[0], torch.Tensor):
        return torch.stack(columns, dim=-1)
    if jax is not None and isinstance(columns[0], jax.Array):
        return jax.numpy.stack(columns, axis=-1)
    return np.stack(columns, axis=-1)


def scales_of(fields: Mapping[str, Field]) -> Fields:
    """Scales and order of inputs of a configuration, by the names of `LearnedMlp`."""
    return {name: value for name, value in controller_fields(fields).items() if name != "reset"}
