"""Where the tool of a turning rotor is: parent ⊕ rotation about the axis ⊕ tool.

A pose is [x, y, z, qw, qx, qy, qz] along the last axis, with Hamilton's quaternions, w first. A quaternion of any
length stands for the rotation that it has at length 1, so that a tool keeps its distance; MIME puts the length of the
parent's into its rotation matrix, which changes that distance. A quaternion of length 0, such as an input that nobody
gave, stands for no rotation.
"""

from __future__ import annotations

import numpy as np

from ...physics.ops import cos, sin, sqrt, stack_last, where
from ...physics.state import Array

IDENTITY = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
"""The pose of a frame that lies on another."""

Row = tuple[Array, ...]
"""Components of a vector or quaternion, one array each."""


def quaternion_of(axis: np.ndarray, angle: float) -> Array:
    """The rotation by an angle [rad] about an axis of any length, as [w, x, y, z] along the last axis."""
    return stack_last(turning(components(axis, 0, 3), angle))


def compose_pose(parent: np.ndarray, axis: np.ndarray, angle: float, tool: np.ndarray) -> Array:
    """Pose of the tool in the world: a parent frame, the rotor's axis in it, its angle [rad], and the tool on it.

    Quaternions and the axis may have any length: it is taken out.
    """
    at, frame = components(parent, 0, 3), unit(components(parent, 3, 7))
    arm, grip = components(tool, 0, 3), components(tool, 3, 7)
    rotor = product(frame, turning(components(axis, 0, 3), angle))
    reached = rotate(rotor, arm)
    place = (at[0] + reached[0], at[1] + reached[1], at[2] + reached[2])
    return stack_last((*place, *unit(product(rotor, unit(grip)))))


def components(values: np.ndarray, begin: int, end: int) -> Row:
    """The numbers along the last axis, one array each."""
    return tuple(values[..., index] for index in range(begin, end))


def turning(axis: Row, angle: float) -> Row:
    """cos(angle/2) and axis·sin(angle/2)."""
    x, y, z = axis
    half = 0.5 * angle
    share = sin(half) / sqrt(x * x + y * y + z * z)
    return cos(half), x * share, y * share, z * share


def product(p: Row, q: Row) -> Row:
    """Hamilton's product p ⊗ q: the rotation q, then p."""
    a, b, c, d = p
    w, x, y, z = q
    return (
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    )


def unit(q: Row) -> Row:
    """The quaternion with length 1; no rotation where it has none."""
    w, x, y, z = q
    square = w * w + x * x + y * y + z * z
    empty = square == 0.0
    scale = 1.0 / sqrt(where(empty, 1.0, square))
    return where(empty, 1.0, w * scale), x * scale, y * scale, z * scale


def rotate(q: Row, vector: Row) -> Row:
    """A vector turned by a quaternion of length 1: v + w·t + u × t with t = 2·(u × v)."""
    w, x, y, z = q
    a, b, c = vector
    s, t, u = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return a + w * s + (y * u - z * t), b + w * t + (z * s - x * u), c + w * u + (x * t - y * s)
