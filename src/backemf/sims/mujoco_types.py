"""MuJoCo's objects, as far as they are used here; MuJoCo itself comes without types."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, TypeAlias

import numpy as np


class MjOption(Protocol):
    """Options of the physics."""

    timestep: float
    integrator: int
    solver: int
    noslip_iterations: int
    disableflags: int
    enableflags: int
    disableactuator: int


class MjModel(Protocol):
    """A compiled model, `mujoco.MjModel`: fields that are not named here are arrays."""

    opt: MjOption
    nq: int
    nu: int
    nv: int
    njnt: int
    nactuator: int
    _address: int

    def __getattr__(self, name: str, /) -> np.ndarray: ...
    def joint(self, which: str | int, /) -> MjsElement: ...
    def actuator(self, which: str | int, /) -> MjsElement: ...
    def tendon(self, which: str | int, /) -> MjsElement: ...
    def site(self, which: str | int, /) -> MjsElement: ...


ModelSource: TypeAlias = MjModel | str | Path
"""A compiled model, the path of an MJCF file, or its text."""


class MjData(Protocol):
    """The state of a model, `mujoco.MjData`: fields that are not named here are arrays."""

    time: float
    _address: int

    def __getattr__(self, name: str, /) -> np.ndarray: ...


class MjsElement(Protocol):
    """An element of a model or a specification, such as a joint: fields that are not named here are rows of numbers."""

    name: str
    id: int
    file: str
    meshname: str
    target: str
    refsite: str
    objname: str
    frame: object
    parent: MjsElement
    joints: Sequence[MjsElement]
    geoms: Sequence[MjsElement]

    def __getattr__(self, name: str, /) -> np.ndarray: ...
    def __setattr__(self, name: str, value: object, /) -> None: ...
    def add_joint(self, **fields: object) -> MjsElement: ...
    def set_frame(self, frame: object, /) -> None: ...
    def set_to_motor(self) -> None: ...
    def set_to_dcmotor(self, *rows: object, **more: object) -> None: ...


class MjSpec(Protocol):
    """A model that can be edited, `mujoco.MjSpec`: fields that are not named here are rows of elements."""

    option: MjOption
    compiler: MjsElement

    def __getattr__(self, name: str, /) -> Sequence[MjsElement]: ...
    def joint(self, name: str, /) -> MjsElement | None: ...
    def actuator(self, name: str, /) -> MjsElement | None: ...
    def add_actuator(self, **fields: object) -> MjsElement: ...
    def delete(self, element: MjsElement, /) -> None: ...
    def copy(self) -> MjSpec: ...
    def compile(self) -> MjModel: ...
