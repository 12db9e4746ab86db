"""What the motors of a robot remember from step to step, as a tree of JAX arrays."""

from __future__ import annotations

from dataclasses import dataclass

import jax

Groups = tuple[dict[str, jax.Array], ...]
"""The memory of each group of like actuators, by the names of `backemf.State`."""


@dataclass(frozen=True, kw_only=True)
class MotorsState:
    """The motors of one robot, or of many along the first axis of every array; a tree for `jit`, `vmap` and `scan`."""

    groups: Groups
    """The memory of each group of like actuators, by the names of `backemf.State`."""
    torque: jax.Array
    """Mean torque on each joint over the last step, at the speed that came out of it [N·m]."""
    slip: jax.Array
    """How much further than foreseen each joint went in that step [rad]."""
    telemetry: jax.Array
    """Outputs of that step, a row each in the order of `Motors.telemetry`, joints along the last axis."""


jax.tree_util.register_dataclass(MotorsState, ["groups", "torque", "slip", "telemetry"], [])
