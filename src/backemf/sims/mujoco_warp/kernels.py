"""Kernels between MuJoCo Warp and the motors: what the joints are up against, and where the torques go.

Arrays of joints have the shape (worlds, joints), in the order of the groups of like actuators.
"""

# pyright: reportInvalidTypeForm=false

from __future__ import annotations

import warp as wp  # pyright: ignore[reportMissingImports]


@wp.kernel(enable_backward=False)
def push_torque(
    torque: wp.array2d(dtype=float),
    dofs: wp.array(dtype=int),
    hands: wp.array(dtype=int),
    gears: wp.array(dtype=float),
    low: wp.array(dtype=float),
    high: wp.array(dtype=float),
    first: int,
    others: wp.array2d(dtype=float),
    qfrc_actuator: wp.array2d(dtype=float),
    force: wp.array2d(dtype=float),
    cut: wp.array2d(dtype=float),
):
    """Add the torque of the motors to that of the model's other actuators, within the range of the joint."""
    world, j = wp.tid()
    dof = dofs[j]
    if first == 1:
        others[world, j] = qfrc_actuator[world, dof]
    asked = others[world, j] + torque[world, j]
    given = wp.clamp(asked, low[j], high[j])
    qfrc_actuator[world, dof] = given
    cut[world, j] = asked - given
    if hands[j] >= 0:
        force[world, hands[j]] = torque[world, j] / gears[j]


@wp.kernel(enable_backward=False)
def factor_masses(
    nv: int,
    rownnz: wp.array(dtype=int),
    rowadr: wp.array(dtype=int),
    colind: wp.array(dtype=int),
    masses: wp.array2d(dtype=float),
    factor: wp.array2d(dtype=float),
):
    """The mass matrix as LᵀDL: the rows of L below their diagonal, D on it. A row's ancestors come first in it."""
    world = wp.tid()
    for place in range(factor.shape[1]):
        factor[world, place] = masses[world, place]
    for back in range(nv):
        k = nv - 1 - back
        begin = rowadr[k]
        last = rownnz[k] - 1
        share = 1.0 / factor[world, begin + last]
        for up in range(last):
            c = last - 1 - up
            i = colind[begin + c]
            ratio = factor[world, begin + c] * share
            for column in range(rownnz[i]):
                factor[world, rowadr[i] + column] -= ratio * factor[world, begin + column]
            factor[world, begin + c] = ratio


@wp.kernel(enable_backward=False)
def find_load(
    nv: int,
    rownnz: wp.array(dtype=int),
    rowadr: wp.array(dtype=int),
    colind: wp.array(dtype=int),
    factor: wp.array2d(dtype=float),
    dofs: wp.array(dtype=int),
    places: wp.array(dtype=int),
    armature: wp.array(dtype=float),
    qpos: wp.array2d(dtype=float),
    qvel: wp.array2d(dtype=float),
    qacc: wp.array2d(dtype=float),
    dof_damping: wp.array2d(dtype=float),
    torque: wp.array2d(dtype=float),
    column: wp.array3d(dtype=float),
    mobility: wp.array3d(dtype=float),
    position: wp.array2d(dtype=float),
    velocity: wp.array2d(dtype=float),
    load_torque: wp.array2d(dtype=float),
    load_inertia: wp.array2d(dtype=float),
    load_damping: wp.array2d(dtype=float),
):
    """A column of the inverse mass matrix, and with it what the motor finds at its joint."""
    world, j = wp.tid()
    dof = dofs[j]
    for k in range(nv):
        column[world, j, k] = 0.0
    column[world, j, dof] = 1.0
    # L⁻ᵀ, then D⁻¹, then L⁻¹
    for back in range(nv):
        k = nv - 1 - back
        x = column[world, j, k]
        if x != 0.0:
            for c in range(rownnz[k] - 1):
                i = colind[rowadr[k] + c]
                column[world, j, i] = column[world, j, i] - factor[world, rowadr[k] + c] * x
    for k in range(nv):
        x = column[world, j, k] / factor[world, rowadr[k] + rownnz[k] - 1]
        for c in range(rownnz[k] - 1):
            x = x - factor[world, rowadr[k] + c] * column[world, j, colind[rowadr[k] + c]]
        column[world, j, k] = x
    for i in range(dofs.shape[0]):
        mobility[world, i, j] = column[world, j, dofs[i]]
    inertia = 1.0 / column[world, j, dof]
    position[world, j] = qpos[world, places[j]]
    velocity[world, j] = qvel[world, dof]
    load_torque[world, j] = inertia * qacc[world, dof] - torque[world, j]
    load_inertia[world, j] = wp.max(inertia - armature[j], 1.0e-9 * inertia)
    load_damping[world, j] = dof_damping[world % dof_damping.shape[0], dof]


@wp.kernel(enable_backward=False)
def arrange(given: wp.array2d(dtype=float), order: wp.array(dtype=int), told: wp.array2d(dtype=float)):
    """A command in the order of the joints, in that of the groups."""
    world, j = wp.tid()
    row = world % given.shape[0]
    told[world, j] = given[row, order[j] % given.shape[1]]


@wp.kernel(enable_backward=False)
def collect(
    begin: int,
    found: wp.array2d(dtype=float),
    joints: wp.array2d(dtype=float),
):
    """What a group has found, among that of all joints."""
    world, j = wp.tid()
    joints[world, begin + j] = found[world % found.shape[0], j % found.shape[1]]


@wp.kernel(enable_backward=False)
def solve_together(
    dt: float,
    dofs: wp.array(dtype=int),
    qacc: wp.array2d(dtype=float),
    mobility: wp.array3d(dtype=float),
    velocity: wp.array2d(dtype=float),
    before: wp.array2d(dtype=float),
    slope: wp.array2d(dtype=float),
    grip: wp.array2d(dtype=float),
    ends: wp.array2d(dtype=float),
    mean: wp.array2d(dtype=float),
    matrix: wp.array3d(dtype=float),
    beyond: wp.array2d(dtype=float),
    speed: wp.array2d(dtype=float),
):
    """Torque and speed at the end of the step of joints that move each other.

    The unknown is the speed beyond `ends`, so that nothing large is subtracted where friction holds. 1 + dt·M⁻¹·slope
    has the eigenvalues of a symmetric positive matrix: it is eliminated without pivots.
    """
    world = wp.tid()
    count = dofs.shape[0]
    for i in range(count):
        free = velocity[world, i] + dt * qacc[world, dofs[i]] - ends[world, i]
        for j in range(count):
            change = dt * mobility[world, i, j]
            free = free + change * (mean[world, j] - before[world, j])
            matrix[world, i, j] = change * (slope[world, j] + grip[world, j])
        matrix[world, i, i] = matrix[world, i, i] + 1.0
        beyond[world, i] = free
    for c in range(count):
        share = 1.0 / matrix[world, c, c]
        for r in range(c + 1, count):
            ratio = matrix[world, r, c] * share
            for k in range(c, count):
                matrix[world, r, k] = matrix[world, r, k] - ratio * matrix[world, c, k]
            beyond[world, r] = beyond[world, r] - ratio * beyond[world, c]
    for back in range(count):
        c = count - 1 - back
        x = beyond[world, c]
        for k in range(c + 1, count):
            x = x - matrix[world, c, k] * beyond[world, k]
        x = x / matrix[world, c, c]
        beyond[world, c] = x
        mean[world, c] = mean[world, c] - (slope[world, c] + grip[world, c]) * x
        speed[world, c] = ends[world, c] + x


@wp.kernel(enable_backward=False)
def give(
    mean: wp.array2d(dtype=float),
    slope: wp.array2d(dtype=float),
    speed: wp.array2d(dtype=float),
    velocity: wp.array2d(dtype=float),
    torque: wp.array2d(dtype=float),
):
    """The torque at the speed with which the step begins."""
    world, j = wp.tid()
    torque[world, j] = mean[world, j] + slope[world, j] * (speed[world, j] - velocity[world, j])


@wp.kernel(enable_backward=False)
def damp(
    joint_of: wp.array(dtype=int),
    own: wp.array2d(dtype=float),
    slope: wp.array2d(dtype=float),
    cut: wp.array2d(dtype=float),
    damping: wp.array2d(dtype=float),
):
    """The dampings of the model's joints with the slopes of the motors' torques."""
    world, dof = wp.tid()
    more = 0.0
    joint = joint_of[dof]
    if joint >= 0:
        # a torque that the model cuts off no longer falls with speed
        more = wp.where(cut[world, joint] == 0.0, slope[world, joint], 0.0)
    damping[world, dof] = own[world % own.shape[0], dof] + more


@wp.kernel(enable_backward=False)
def finish(
    dt: float,
    dofs: wp.array(dtype=int),
    qvel: wp.array2d(dtype=float),
    mean: wp.array2d(dtype=float),
    slope: wp.array2d(dtype=float),
    speed: wp.array2d(dtype=float),
    ends: wp.array2d(dtype=float),
    velocity: wp.array2d(dtype=float),
    cut: wp.array2d(dtype=float),
    torque: wp.array2d(dtype=float),
    slip: wp.array2d(dtype=float),
):
    """Torque of the step that is done, at the speed that came out of it; 0 where that is not finite."""
    world, j = wp.tid()
    reached = qvel[world, dofs[j]]
    given = mean[world, j] - slope[world, j] * (reached - speed[world, j])
    if cut[world, j] != 0.0:
        given = mean[world, j] + slope[world, j] * (speed[world, j] - velocity[world, j]) - cut[world, j]
    further = dt * (reached - ends[world, j])
    torque[world, j] = wp.where(wp.isfinite(given), given, 0.0)
    slip[world, j] = wp.where(wp.isfinite(further), further, 0.0)


@wp.kernel(enable_backward=False)
def forget(
    mask: wp.array(dtype=wp.bool),
    torque: wp.array2d(dtype=float),
    slip: wp.array2d(dtype=float),
):
    """Motors of the chosen worlds that have given no torque yet."""
    world, j = wp.tid()
    if mask[world]:
        torque[world, j] = 0.0
        slip[world, j] = 0.0


@wp.kernel(enable_backward=False)
def turn_along(
    mask: wp.array(dtype=wp.bool),
    ratio: wp.array(dtype=float),
    dofs: wp.array(dtype=int),
    begin: int,
    qvel: wp.array2d(dtype=float),
    rotor_speed: wp.array2d(dtype=float),
):
    """Rotors of the chosen worlds that backlash lets go, at the speed of their joints."""
    world, j = wp.tid()
    if mask[world]:
        rotor_speed[world, j] = ratio[j] * qvel[world, dofs[begin + j]]


@wp.kernel(enable_backward=False)
def restore(
    begin: int,
    order: wp.array(dtype=int),
    found: wp.array2d(dtype=float),
    joints: wp.array2d(dtype=float),
):
    """What a group tells, in the order of the joints."""
    world, j = wp.tid()
    joints[world, order[begin + j]] = found[world % found.shape[0], j % found.shape[1]]


@wp.kernel(enable_backward=False)
def restore_bits(
    begin: int,
    order: wp.array(dtype=int),
    found: wp.array2d(dtype=wp.int16),
    joints: wp.array2d(dtype=int),
):
    """The limits that act in a group, in the order of the joints."""
    world, j = wp.tid()
    joints[world, order[begin + j]] = int(found[world % found.shape[0], j % found.shape[1]])
