"""Which joints of a model are hinges or sliders, and what a torque meets where a solver moves bodies one by one."""

from __future__ import annotations

import numpy as np

from .types import Model

LOOSE = ("SolverXPBD", "SolverSemiImplicit", "SolverVBD")
"""Solvers that move bodies before they pull them back into their joints, and know no armature."""


def is_loose(solver: object) -> bool:
    """Whether a solver, or its class, moves bodies one by one."""
    kind = solver if isinstance(solver, type) else type(solver)
    return any(base.__name__ in LOOSE for base in kind.__mro__)


def is_hinge_or_slider(model: Model) -> np.ndarray:
    """Which velocities of a model have one position each and are in an articulation, shape (dofs,)."""
    dofs = model.joint_qd_start.numpy()
    counts = np.diff(dofs)
    single = np.repeat(np.diff(model.joint_q_start.numpy()) == counts, counts)
    inside = np.zeros(len(single), dtype=bool)
    for start, end in _ranges(model):
        inside[dofs[start] : dofs[end]] = True
    return single & inside


def loose_inertia(model: Model, shape: tuple[int, ...]) -> np.ndarray:
    """Inertia of a joint whose two bodies are otherwise free [kg·m² or kg], shape (articulations, dofs, dofs)."""
    found = np.zeros(shape, dtype=np.float32)
    dofs = model.joint_qd_start.numpy()
    response = _responses(model)
    for k, (start, end) in enumerate(_ranges(model)):
        own = response[dofs[start] : dofs[end]]
        places = np.arange(len(own))
        found[k, places, places] = 1.0 / np.maximum(own, 1e-12)
    return found


def add_to_links(model: Model, dofs: np.ndarray, armature: np.ndarray) -> np.ndarray:
    """Add rotors to the links that they turn, about their axes; which of them are not on a hinge and are left out."""
    axes, bodies, slides = _axes(model, "child")
    inertia, inverse = model.body_inertia.numpy(), model.body_inv_inertia.numpy()
    for dof, own in zip(dofs[~slides[dofs]], armature[~slides[dofs]], strict=True):
        body = bodies[dof]
        inertia[body] += own * np.outer(axes[dof], axes[dof])
        inverse[body] = np.linalg.inv(inertia[body])
    model.body_inertia.assign(inertia)
    model.body_inv_inertia.assign(inverse)
    return slides[dofs]


def _ranges(model: Model) -> list[tuple[int, int]]:
    """First joint of every articulation and the one after its last."""
    count = model.articulation_count
    starts, ends = model.articulation_start.numpy()[:count], model.articulation_end.numpy()[:count]
    return list(zip(starts.tolist(), ends.tolist(), strict=True))


def _responses(model: Model) -> np.ndarray:
    """Acceleration per torque of every velocity, with both bodies of its joint free [1/(kg·m²) or 1/kg]."""
    inverse_mass, inverse_inertia = model.body_inv_mass.numpy(), model.body_inv_inertia.numpy()
    found = np.zeros(model.joint_dof_count)
    for side in ("child", "parent"):
        axes, bodies, slides = _axes(model, side)
        arms = _arms(model, side)
        turning = np.where(slides[:, None], np.cross(arms, axes), axes)
        there = bodies >= 0
        own = np.einsum("ni,nij,nj->n", turning, inverse_inertia[bodies], turning) + slides * inverse_mass[bodies]
        found += np.where(there, own, 0.0)
    return found


def _frames(model: Model, side: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which joint every velocity belongs to, and the bodies and frames of the joints on one side."""
    joints = np.repeat(np.arange(model.joint_count), np.diff(model.joint_qd_start.numpy()))
    if side == "child":
        return joints, model.joint_child.numpy(), model.joint_X_c.numpy()
    return joints, model.joint_parent.numpy(), model.joint_X_p.numpy()


def _axes(model: Model, side: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Axis of every velocity in the frame of a body, that body, and whether it slides."""
    joints, bodies, frames = _frames(model, side)
    first = model.joint_qd_start.numpy()[joints]
    slides = np.arange(len(joints)) - first < model.joint_dof_dim.numpy()[joints, 0]
    return rotate(frames[joints][:, 3:], model.joint_axis.numpy()), bodies[joints], slides


def _arms(model: Model, side: str) -> np.ndarray:
    """From a body's centre of mass to its joint [m], one per velocity."""
    joints, bodies, frames = _frames(model, side)
    return frames[joints][:, :3] - model.body_com.numpy()[bodies[joints]]


def rotate(quaternion: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Vectors turned by quaternions whose last number is the real one, shape (n, 3)."""
    twice = 2.0 * np.cross(quaternion[:, :3], vector)
    return vector + quaternion[:, 3:] * twice + np.cross(quaternion[:, :3], twice)
