"""mjlab's objects, as far as they are used here; mjlab needs an environment of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import torch

EnvIds: TypeAlias = "torch.Tensor | slice | None"
"""Numbers of the environments that are meant; None: all."""
Places: TypeAlias = "torch.Tensor | slice"
"""Where joints or actuators are in an array of the simulation."""


class Tensors(Protocol):
    """What has tensors as its fields: the places of an entity in the model, or the targets and joints of a step."""

    def __getattr__(self, name: str, /) -> torch.Tensor: ...


class Entity(Protocol):
    """A robot: `mjlab.entity.Entity`."""

    data: Tensors
    actuators: Sequence[object]
    indexing: Tensors
    joint_names: Sequence[str]
    num_joints: int


class Env(Protocol):
    """A batch of environments: `mjlab.envs.ManagerBasedRlEnv`."""

    scene: Mapping[str, Entity]
    num_envs: int
    device: str
    step_dt: float


class SimModel(Protocol):
    """mjlab's view of the model on the device."""

    struct: object


class SimData(Tensors, Protocol):
    """mjlab's view of the simulation on the device."""

    nworld: int
    struct: object


class Simulation(Protocol):
    """`mjlab.sim.Simulation`."""

    model: SimModel

    def expand_model_fields(self, names: tuple[str, ...], /) -> None: ...
