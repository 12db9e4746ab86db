"""Kernels that find the velocities at the end of a step together with the torques of the motors."""

# pyright: reportInvalidTypeForm=false, reportMissingImports=false

from __future__ import annotations

import warp as wp

FAR = wp.constant(1.0e30)
"""A bound that is not known yet."""


@wp.struct
class Joints:
    """Numbers of every articulation, and of every velocity of the model."""

    first: wp.array(dtype=wp.int32)
    """First velocity of each articulation."""
    count: wp.array(dtype=wp.int32)
    """Velocities of each articulation."""
    inertia: wp.array3d(dtype=wp.float32)
    """Inertia that a torque meets (articulation, velocity, velocity) [kg·m²]."""
    factor: wp.array3d(dtype=wp.float32)
    """Cholesky factor of the inertia with the slopes on its diagonal."""
    position: wp.array(dtype=wp.float32)
    """Joint positions at the start of the step."""
    end: wp.array(dtype=wp.float32)
    """Joint positions after a step at the guessed velocities."""
    velocity: wp.array(dtype=wp.float32)
    """Velocities at the start of this step."""
    before: wp.array(dtype=wp.float32)
    """Velocities at the start of the last step."""
    applied: wp.array(dtype=wp.float32)
    """Torques of the motors in the last step."""
    other: wp.array(dtype=wp.float32)
    """Estimate of all other torques."""
    guess: wp.array(dtype=wp.float32)
    """Guessed velocities at the end of the step."""
    step: wp.array(dtype=wp.float32)
    """Newton step from the guess."""
    torque: wp.array(dtype=wp.float32)
    """Torque of each motor at `base`."""
    slope: wp.array(dtype=wp.float32)
    """How fast that torque falls with velocity."""
    base: wp.array(dtype=wp.float32)
    """Velocity at which torque and slope were found."""
    mine: wp.array(dtype=wp.float32)
    """1 where a motor of the present row acts."""
    low: wp.array(dtype=wp.float32)
    """Largest guess from which the step led up, with its step and torque."""
    low_step: wp.array(dtype=wp.float32)
    low_torque: wp.array(dtype=wp.float32)
    high: wp.array(dtype=wp.float32)
    """Smallest guess from which the step led down, with its step and torque."""
    high_step: wp.array(dtype=wp.float32)
    high_torque: wp.array(dtype=wp.float32)


@wp.kernel(enable_backward=False)
def add_to_diagonal(armature: wp.array(dtype=wp.float32), j: Joints):
    """Add the armature of every joint to its own inertia [kg·m²]."""
    a, i = wp.tid()
    if i < j.count[a]:
        j.inertia[a, i, i] = j.inertia[a, i, i] + armature[j.first[a] + i]


@wp.kernel(enable_backward=False)
def observe(dt: wp.float32, share: wp.float32, j: Joints):
    """Torques that are not ours, from the change of the velocities over the last step [N·m]."""
    a = wp.tid()
    start = j.first[a]
    for i in range(j.count[a]):
        gained = wp.float32(0.0)
        for m in range(j.count[a]):
            gained += j.inertia[a, i, m] * (j.velocity[start + m] - j.before[start + m])
        seen = gained / dt - j.applied[start + i]
        j.other[start + i] = j.other[start + i] + share * (seen - j.other[start + i])


@wp.kernel(enable_backward=False)
def begin_guess(j: Joints):
    """The present velocities as the first guess, and no bounds around it."""
    i = wp.tid()
    j.guess[i] = j.velocity[i]
    j.low[i] = -FAR
    j.high[i] = FAR
    j.low_step[i] = 0.0
    j.high_step[i] = 0.0
    j.low_torque[i] = FAR
    j.high_torque[i] = -FAR


@wp.kernel(enable_backward=False)
def place_joints(coords: wp.array(dtype=wp.uint32), dofs: wp.array(dtype=wp.uint32), dt: wp.float32, j: Joints):
    """Positions after a step at the guessed velocities."""
    i = wp.tid()
    j.end[coords[i]] = j.position[coords[i]] + dt * j.guess[dofs[i]]


@wp.kernel(enable_backward=False)
def note_lines(
    torque: wp.array(dtype=wp.float32),
    per_velocity: wp.array(dtype=wp.float32),
    per_position: wp.array(dtype=wp.float32),
    dofs: wp.array(dtype=wp.uint32),
    dt: wp.float32,
    j: Joints,
):
    """The straight line of every joint of a row: its torque at the guess and how fast it falls from there."""
    i = wp.tid()
    k = dofs[i]
    j.torque[k] = torque[i]
    # a torque that rises with the motion would turn the solve around
    j.slope[k] = wp.max(per_velocity[i] + dt * per_position[i], 0.0)
    j.base[k] = j.guess[k]
    j.mine[k] = 1.0


@wp.func
def between(low: float, low_step: float, high: float, high_step: float):
    """Where the step would be none on the straight line between two bounds [rad/s]."""
    span = wp.max(low_step - high_step, 1.0e-30)
    return low + (high - low) * wp.clamp(low_step / span, 0.05, 0.95)


@wp.kernel(enable_backward=False)
def advance_guess(dt: wp.float32, j: Joints):
    """One step of Newton's method for all joints of an articulation, kept between bounds that have been seen."""
    a = wp.tid()
    start, n = j.first[a], j.count[a]
    # what is missing from the balance of momentum at the guess
    for i in range(n):
        k = start + i
        missing = dt * (j.torque[k] - j.slope[k] * (j.guess[k] - j.base[k]) + j.other[k])
        for m in range(n):
            missing -= j.inertia[a, i, m] * (j.guess[start + m] - j.velocity[start + m])
        j.step[k] = missing
    # Cholesky's factor of the inertia with the slopes on its diagonal
    for c in range(n):
        diagonal = j.inertia[a, c, c] + dt * j.slope[start + c]
        least = 1.0e-7 * diagonal
        for m in range(c):
            diagonal -= j.factor[a, c, m] * j.factor[a, c, m]
        root = wp.sqrt(wp.max(wp.max(diagonal, least), 1.0e-30))
        j.factor[a, c, c] = root
        for i in range(c + 1, n):
            entry = j.inertia[a, i, c]
            for m in range(c):
                entry -= j.factor[a, i, m] * j.factor[a, c, m]
            j.factor[a, i, c] = entry / root
    for i in range(n):
        value = j.step[start + i]
        for m in range(i):
            value -= j.factor[a, i, m] * j.step[start + m]
        j.step[start + i] = value / j.factor[a, i, i]
    for r in range(n):
        i = n - 1 - r
        value = j.step[start + i]
        for m in range(i + 1, n):
            value -= j.factor[a, m, i] * j.step[start + m]
        j.step[start + i] = value / j.factor[a, i, i]
    # a torque falls with the velocity: the answer is above a guess from which the step leads up
    for i in range(n):
        k = start + i
        wanted = j.guess[k] + j.step[k]
        if j.mine[k] > 0.0:
            if j.step[k] > 0.0:
                if j.guess[k] > j.low[k]:
                    j.low[k] = j.guess[k]
                    j.low_step[k] = j.step[k]
                    j.low_torque[k] = j.torque[k]
                    # what stays counts half, or the line between the two would hardly move it
                    j.high_step[k] = 0.5 * j.high_step[k]
            elif j.guess[k] < j.high[k]:
                j.high[k] = j.guess[k]
                j.high_step[k] = j.step[k]
                j.high_torque[k] = j.torque[k]
                j.low_step[k] = 0.5 * j.low_step[k]
            if j.low[k] > -FAR and j.high[k] < FAR and (wanted <= j.low[k] or wanted >= j.high[k]):
                wanted = between(j.low[k], j.low_step[k], j.high[k], j.high_step[k])
        j.guess[k] = wanted


@wp.kernel(enable_backward=False)
def add_torques(
    dofs: wp.array(dtype=wp.uint32), efforts: wp.array(dtype=wp.uint32), forces: wp.array(dtype=wp.float32), j: Joints
):
    """Torque at the end of the step, added to the host's forces and noted for the next step."""
    i = wp.tid()
    k = dofs[i]
    found = j.torque[k] - j.slope[k] * (j.guess[k] - j.base[k])
    if j.low_torque[k] < FAR and j.high_torque[k] > -FAR and j.low_torque[k] > j.high_torque[k]:
        found = wp.clamp(found, j.high_torque[k], j.low_torque[k])
    forces[efforts[i]] = forces[efforts[i]] + found
    j.applied[k] = found
    j.mine[k] = 0.0
