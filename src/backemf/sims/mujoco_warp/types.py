"""MuJoCo Warp's objects, as far as they are used here."""

from __future__ import annotations

from typing import Protocol

import warp as wp  # pyright: ignore[reportMissingImports]


class WarpOption(Protocol):
    """Options of the physics."""

    timestep: wp.array
    integrator: int
    disableflags: int
    run_rne_postconstraint: bool


class WarpModel(Protocol):
    """A model on the device, `mujoco_warp.Model`: fields that are not named here are arrays of Warp."""

    opt: WarpOption
    nv: int
    nactuator: int
    nC: int
    dof_damping: wp.array
    sensor_rne_postconstraint: bool

    def __getattr__(self, name: str, /) -> wp.array: ...


class WarpData(Protocol):
    """The states of many worlds, `mujoco_warp.Data`: fields that are not named here are arrays of Warp."""

    nworld: int

    def __getattr__(self, name: str, /) -> wp.array: ...
