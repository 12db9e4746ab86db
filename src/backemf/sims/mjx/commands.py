"""Commands of a robot in MJX, as rows of JAX arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...checks import Number
from ...errors import ParameterError
from ..robot_commands import CommandReader, refuse_not_finite

if TYPE_CHECKING:
    import jax


class JaxCommands(CommandReader["jax.Array"]):
    """Reads commands that may be traced."""

    def row(self, name: str, value: Number) -> jax.Array:
        """A number for all joints, or one per joint, as an array of JAX."""
        import jax.numpy as jnp

        count = len(self._robot.joints)
        try:
            known = isinstance(value, (int, float, np.ndarray))
            row = jnp.asarray(value, jnp.result_type(float)) if known else jnp.asarray(value)
            row = row.astype(jnp.result_type(float))
        except (TypeError, ValueError):
            raise ParameterError(f"{name} = {value!r}: must be a number, or one per joint") from None
        if row.shape not in ((), (1,), (count,)):
            many = " of one environment; for many, step under jax.vmap" if row.ndim > 1 else ""
            raise ParameterError(
                f"{name} has the shape {row.shape}: must be one number, or one for each of {count} joints{many}"
            )
        return jnp.broadcast_to(row, (count,))

    def require_finite(self, names: tuple[str, ...], rows: list[jax.Array]) -> None:
        """Check that numbers which are known are finite; the step itself holds what is traced."""
        from jax.core import Tracer

        for name, row in zip(names, rows, strict=True):
            if not isinstance(row, Tracer):
                refuse_not_finite(self._robot, name, np.asarray(row))
