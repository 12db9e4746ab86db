"""MJX's objects, as far as they are used here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import jax

    from ...values import Foreign


class MjxData(Protocol):
    """The state of one environment, `mjx.Data`: fields that are not named here are arrays."""

    def __getattr__(self, name: str, /) -> jax.Array: ...
    def replace(self, **fields: Foreign) -> MjxData: ...


class MjxOption(Protocol):
    """Options of the physics."""

    timestep: jax.Array
    integrator: int
    disableflags: int

    def replace(self, **fields: Foreign) -> MjxOption: ...


class MjxModel(Protocol):
    """A model on the device, `mjx.Model`: fields that are not named here are arrays."""

    opt: MjxOption
    nq: int
    nv: int
    nu: int

    def __getattr__(self, name: str, /) -> jax.Array: ...
    def replace(self, **fields: Foreign) -> MjxModel: ...
