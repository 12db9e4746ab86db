"""mjlab's objects, as far as they are used here; mjlab needs an environment of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import torch

EnvIds: TypeAlias = "torch.Tensor | slice | None"
"""Numbers of the environments that are meant; None: all."""


class Indexing(Protocol):
    """Where an entity is in the model of the scene."""

    joint_ids: torch.Tensor
    joint_v_adr: torch.Tensor


class Entity(Protocol):
    """A robot: `mjlab.entity.Entity`."""

    actuators: Sequence[object]
    indexing: Indexing
    joint_names: Sequence[str]
    num_joints: int


class Env(Protocol):
    """A batch of environments: `mjlab.envs.ManagerBasedRlEnv`."""

    scene: Mapping[str, Entity]
    num_envs: int
    device: str
    step_dt: float


class TermCfg(Protocol):
    """The configuration of a term of a manager."""

    params: Mapping[str, object]


class SimModel(Protocol):
    """mjlab's view of the model on the device."""

    struct: object


class SimData(Protocol):
    """mjlab's view of the simulation on the device: fields that are not named here are tensors."""

    nworld: int

    def __getattr__(self, name: str, /) -> torch.Tensor: ...


class Simulation(Protocol):
    """`mjlab.sim.Simulation`."""

    model: SimModel

    def expand_model_fields(self, names: tuple[str, ...], /) -> None: ...


class ActuatorCmd(Protocol):
    """What mjlab hands over in a step: targets, positions and velocities (environment, joint)."""

    position_target: torch.Tensor
    velocity_target: torch.Tensor
    effort_target: torch.Tensor
    pos: torch.Tensor
    vel: torch.Tensor
