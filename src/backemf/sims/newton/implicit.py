"""Newton's implicit mode: a straight line stands for the actuator while Newton solves for the end of the step."""

from __future__ import annotations

import warp as wp  # pyright: ignore[reportMissingImports]

from .types import Arrays

LEAST = 0.1
"""Least that a rising torque leaves of the solve's slope, as Newton's own networks have it [1]."""


@wp.func
def linear_force(
    q: wp.float64,
    qd: wp.float64,
    target_q: wp.float64,
    target_qd: wp.float64,
    feedforward: wp.float64,
    params: wp.array2d(dtype=wp.float32),  # pyright: ignore[reportInvalidTypeForm]
    i: wp.int32,
):
    """torque + per_position·(q - q0) + per_velocity·(q' - q0'); targets and feedforward are in the torque."""
    torque = wp.float64(params[i, 0])
    by_position = wp.float64(params[i, 1]) * (q - wp.float64(params[i, 3]))
    return torque + by_position + wp.float64(params[i, 2]) * (qd - wp.float64(params[i, 4]))


@wp.kernel(enable_backward=False)
def _fill(
    torque: wp.array(dtype=wp.float32),  # pyright: ignore[reportInvalidTypeForm]
    slope: wp.array(dtype=wp.float32),  # pyright: ignore[reportInvalidTypeForm]
    stiffness: wp.array(dtype=wp.float32),  # pyright: ignore[reportInvalidTypeForm]
    positions: wp.array(dtype=wp.float32),  # pyright: ignore[reportInvalidTypeForm]
    velocities: wp.array(dtype=wp.float32),  # pyright: ignore[reportInvalidTypeForm]
    pos_indices: wp.array(dtype=wp.uint32),  # pyright: ignore[reportInvalidTypeForm]
    vel_indices: wp.array(dtype=wp.uint32),  # pyright: ignore[reportInvalidTypeForm]
    inverse_mass: wp.array(dtype=wp.float32),  # pyright: ignore[reportInvalidTypeForm]
    dt: wp.float32,
    least: wp.float32,
    pack: wp.array2d(dtype=wp.float32),  # pyright: ignore[reportInvalidTypeForm]
):
    i = wp.tid()
    by_position, by_velocity = -stiffness[i], -slope[i]
    # a torque that rises too steeply with the motion would turn the solve around
    rise = by_position * dt + by_velocity
    most = (1.0 - least) / (dt * wp.max(inverse_mass[i], 1.0e-12))
    share = wp.where(rise > most, most / wp.max(rise, 1.0e-12), 1.0)
    pack[i, 0] = torque[i]
    pack[i, 1] = share * by_position
    pack[i, 2] = share * by_velocity
    pack[i, 3] = positions[pos_indices[i]]
    pack[i, 4] = velocities[vel_indices[i]]


def fill_lines(
    pack: wp.array,
    slopes: Arrays,
    positions: wp.array,
    velocities: wp.array,
    pos_indices: wp.array,
    vel_indices: wp.array,
    inverse_mass: wp.array | None,
    dt: float,
) -> None:
    """Write the straight line of every joint into its row."""
    outputs = [slopes["torque"], slopes["torque_slope"], slopes["torque_stiffness"]]
    inputs = [*outputs, positions, velocities, pos_indices, vel_indices, inverse_mass, float(dt), LEAST]
    wp.launch(_fill, dim=len(pack), inputs=inputs, outputs=[pack], device=pack.device)
