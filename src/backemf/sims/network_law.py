"""What a learned actuator computes in mjlab and in Isaac Lab: past errors and velocities, a network, a scale.

One network serves all joints and takes one row per joint: two blocks, each newest first and scaled.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

ORDERS = {"position_velocity": "pos_vel", "velocity_position": "vel_pos"}
"""Our words for the order of the blocks, and theirs."""


def network_torque(law: Any, errors: list[Any], velocities: list[Any]) -> Any:
    """Torque of a network on position errors [rad] and velocities [rad/s], each (environment, joint) [N·m]."""
    blocks = {"pos": [law.pos_scale * x for x in errors], "vel": [law.vel_scale * x for x in velocities]}
    first, second = law.input_order.split("_")
    rows = stacked(blocks[first] + blocks[second])
    output = law.network(rows.reshape(-1, rows.shape[-1]))
    return output.reshape(rows.shape[:-1]) * law.torque_scale


def stacked(columns: list[Any]) -> Any:
    """The columns side by side along a new last axis, by whichever library made them."""
    torch, jax = sys.modules.get("torch"), sys.modules.get("jax")
    if torch is not None and isinstance(columns[0], torch.Tensor):
        return torch.stack(columns, dim=-1)
    if jax is not None and isinstance(columns[0], jax.Array):
        return jax.numpy.stack(columns, axis=-1)
    return np.stack(columns, axis=-1)


def fields_of(controller: Any) -> dict[str, Any]:
    """Scales and order of inputs of a learned controller, by the names of their configurations."""
    return {
        "pos_scale": float(controller.position_scale),
        "vel_scale": float(controller.velocity_scale),
        "torque_scale": float(controller.torque_scale),
        "input_order": ORDERS[controller.input_order],
    }


def scales_of(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The same of a configuration, by the names of `LearnedMlp`."""
    order = str(fields.get("input_order", "pos_vel"))
    return {
        "position_scale": fields.get("pos_scale", 1.0),
        "velocity_scale": fields.get("vel_scale", 1.0),
        "torque_scale": fields.get("torque_scale", 1.0),
        "input_order": {theirs: ours for ours, theirs in ORDERS.items()}.get(order, order),
    }
