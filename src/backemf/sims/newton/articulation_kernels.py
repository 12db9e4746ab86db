"""Kernels that find the velocities at the end of a step together with the torques of the motors."""

# pyright: reportInvalidTypeForm=false, reportMissingImports=false

from __future__ import annotations

import warp as wp

FAR = wp.constant(1.0e30)
"""A bound that is not known yet."""


@wp.kernel(enable_backward=False)
def add_to_diagonal(
    first: wp.array(dtype=wp.int32),
    count: wp.array(dtype=wp.int32),
    armature: wp.array(dtype=wp.float32),
    inertia: wp.array3d(dtype=wp.float32),
):
    """Add the armature of every joint to its own inertia [kg·m²]."""
    a, i = wp.tid()
    if i < count[a]:
        inertia[a, i, i] = inertia[a, i, i] + armature[first[a] + i]


@wp.kernel(enable_backward=False)
def observe(
    first: wp.array(dtype=wp.int32),
    count: wp.array(dtype=wp.int32),
    inertia: wp.array3d(dtype=wp.float32),
    velocity: wp.array(dtype=wp.float32),
    before: wp.array(dtype=wp.float32),
    applied: wp.array(dtype=wp.float32),
    dt: wp.float32,
    share: wp.float32,
    other: wp.array(dtype=wp.float32),
):
    """Torques that are not ours, from the change of the velocities over the last step [N·m]."""
    a = wp.tid()
    start = first[a]
    for i in range(count[a]):
        gained = wp.float32(0.0)
        for j in range(count[a]):
            gained += inertia[a, i, j] * (velocity[start + j] - before[start + j])
        seen = gained / dt - applied[start + i]
        other[start + i] = other[start + i] + share * (seen - other[start + i])


@wp.kernel(enable_backward=False)
def begin_guess(
    velocity: wp.array(dtype=wp.float32),
    guess: wp.array(dtype=wp.float32),
    low: wp.array(dtype=wp.float32),
    low_step: wp.array(dtype=wp.float32),
    low_torque: wp.array(dtype=wp.float32),
    high: wp.array(dtype=wp.float32),
    high_step: wp.array(dtype=wp.float32),
    high_torque: wp.array(dtype=wp.float32),
):
    """The present velocities as the first guess, and no bounds around it."""
    i = wp.tid()
    guess[i] = velocity[i]
    low[i] = -FAR
    high[i] = FAR
    low_step[i] = 0.0
    high_step[i] = 0.0
    low_torque[i] = FAR
    high_torque[i] = -FAR


@wp.kernel(enable_backward=False)
def place_joints(
    position: wp.array(dtype=wp.float32),
    guess: wp.array(dtype=wp.float32),
    coords: wp.array(dtype=wp.uint32),
    dofs: wp.array(dtype=wp.uint32),
    dt: wp.float32,
    end: wp.array(dtype=wp.float32),
):
    """Positions after a step at the guessed velocities."""
    i = wp.tid()
    end[coords[i]] = position[coords[i]] + dt * guess[dofs[i]]


@wp.kernel(enable_backward=False)
def note_lines(
    torque: wp.array(dtype=wp.float32),
    per_velocity: wp.array(dtype=wp.float32),
    per_position: wp.array(dtype=wp.float32),
    guess: wp.array(dtype=wp.float32),
    dofs: wp.array(dtype=wp.uint32),
    dt: wp.float32,
    line_torque: wp.array(dtype=wp.float32),
    line_slope: wp.array(dtype=wp.float32),
    line_base: wp.array(dtype=wp.float32),
    mine: wp.array(dtype=wp.float32),
):
    """The straight line of every joint of a row: its torque at the guess and how fast it falls from there."""
    i = wp.tid()
    k = dofs[i]
    line_torque[k] = torque[i]
    # a torque that rises with the motion would turn the solve around
    line_slope[k] = wp.max(per_velocity[i] + dt * per_position[i], 0.0)
    line_base[k] = guess[k]
    mine[k] = 1.0


@wp.func
def between(low: float, low_step: float, high: float, high_step: float):
    """Where the step would be none on the straight line between two bounds [rad/s]."""
    span = wp.max(low_step - high_step, 1.0e-30)
    return low + (high - low) * wp.clamp(low_step / span, 0.05, 0.95)


@wp.kernel(enable_backward=False)
def advance_guess(
    first: wp.array(dtype=wp.int32),
    count: wp.array(dtype=wp.int32),
    inertia: wp.array3d(dtype=wp.float32),
    velocity: wp.array(dtype=wp.float32),
    other: wp.array(dtype=wp.float32),
    torque: wp.array(dtype=wp.float32),
    slope: wp.array(dtype=wp.float32),
    base: wp.array(dtype=wp.float32),
    mine: wp.array(dtype=wp.float32),
    dt: wp.float32,
    factor: wp.array3d(dtype=wp.float32),
    step: wp.array(dtype=wp.float32),
    guess: wp.array(dtype=wp.float32),
    low: wp.array(dtype=wp.float32),
    low_step: wp.array(dtype=wp.float32),
    low_torque: wp.array(dtype=wp.float32),
    high: wp.array(dtype=wp.float32),
    high_step: wp.array(dtype=wp.float32),
    high_torque: wp.array(dtype=wp.float32),
):
    """One step of Newton's method for all joints of an articulation, kept between bounds that have been seen."""
    a = wp.tid()
    start, n = first[a], count[a]
    # what is missing from the balance of momentum at the guess
    for i in range(n):
        k = start + i
        missing = dt * (torque[k] - slope[k] * (guess[k] - base[k]) + other[k])
        for j in range(n):
            missing -= inertia[a, i, j] * (guess[start + j] - velocity[start + j])
        step[k] = missing
    # Cholesky's factor of the inertia with the slopes on its diagonal
    for j in range(n):
        k = start + j
        diagonal = inertia[a, j, j] + dt * slope[k]
        least = 1.0e-7 * diagonal
        for m in range(j):
            diagonal -= factor[a, j, m] * factor[a, j, m]
        root = wp.sqrt(wp.max(wp.max(diagonal, least), 1.0e-30))
        factor[a, j, j] = root
        for i in range(j + 1, n):
            entry = inertia[a, i, j]
            for m in range(j):
                entry -= factor[a, i, m] * factor[a, j, m]
            factor[a, i, j] = entry / root
    for i in range(n):
        value = step[start + i]
        for m in range(i):
            value -= factor[a, i, m] * step[start + m]
        step[start + i] = value / factor[a, i, i]
    for r in range(n):
        i = n - 1 - r
        value = step[start + i]
        for m in range(i + 1, n):
            value -= factor[a, m, i] * step[start + m]
        step[start + i] = value / factor[a, i, i]
    # a torque falls with the velocity: the answer is above a guess from which the step leads up
    for i in range(n):
        k = start + i
        wanted = guess[k] + step[k]
        if mine[k] > 0.0:
            if step[k] > 0.0:
                if guess[k] > low[k]:
                    low[k] = guess[k]
                    low_step[k] = step[k]
                    low_torque[k] = torque[k]
                    # what stays counts half, or the line between the two would hardly move it
                    high_step[k] = 0.5 * high_step[k]
            elif guess[k] < high[k]:
                high[k] = guess[k]
                high_step[k] = step[k]
                high_torque[k] = torque[k]
                low_step[k] = 0.5 * low_step[k]
            if low[k] > -FAR and high[k] < FAR and (wanted <= low[k] or wanted >= high[k]):
                wanted = between(low[k], low_step[k], high[k], high_step[k])
        guess[k] = wanted


@wp.kernel(enable_backward=False)
def hand_over(
    guess: wp.array(dtype=wp.float32),
    torque: wp.array(dtype=wp.float32),
    slope: wp.array(dtype=wp.float32),
    base: wp.array(dtype=wp.float32),
    low_torque: wp.array(dtype=wp.float32),
    high_torque: wp.array(dtype=wp.float32),
    dofs: wp.array(dtype=wp.uint32),
    efforts: wp.array(dtype=wp.uint32),
    forces: wp.array(dtype=wp.float32),
    applied: wp.array(dtype=wp.float32),
    mine: wp.array(dtype=wp.float32),
):
    """Torque at the end of the step, added to the host's forces and noted for the next step."""
    i = wp.tid()
    k = dofs[i]
    found = torque[k] - slope[k] * (guess[k] - base[k])
    if low_torque[k] < FAR and high_torque[k] > -FAR and low_torque[k] > high_torque[k]:
        found = wp.clamp(found, high_torque[k], low_torque[k])
    forces[efforts[i]] = forces[efforts[i]] + found
    applied[k] = found
    mine[k] = 0.0
