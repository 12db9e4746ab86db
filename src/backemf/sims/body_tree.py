"""Bodies of a robot: where they are, what they weigh, and the joints that move them."""

from __future__ import annotations

from dataclasses import dataclass

Vector = tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class Shape:
    """A primitive that is a part of a body."""

    kind: str
    """"sphere", "box", "capsule" or "cylinder"."""
    size: Vector
    """Radius and half length, or half of each side [m]."""
    position: Vector
    """Of its centre, in the body's frame [m]."""
    rotation: tuple[float, float, float, float]
    """Axis and angle in the body's frame [1, rad]."""
    solid: bool
    """Whether it collides with others."""


@dataclass(frozen=True, kw_only=True)
class BodyJoint:
    """A joint between a body and the one above it."""

    name: str
    """Its name; empty: it has none."""
    kind: str
    """"hinge", "slide", "ball" or "free"."""
    axis: Vector
    """Its axis in the body's frame [1]."""
    anchor: Vector
    """Where it is in the body's frame [m]."""
    span: tuple[float, float] | None
    """Range of its position [rad or m]; None: unlimited."""


@dataclass(frozen=True, kw_only=True)
class Body:
    """A rigid body; the first one of a tree is the world."""

    name: str
    """Its name."""
    parent: int
    """Number of the body above it."""
    position: Vector
    """Of its frame in that of the body above [m]."""
    matrix: tuple[Vector, Vector, Vector]
    """Its axes in the frame of the body above, by rows of the rotation [1]."""
    mass: float
    """Its mass [kg]."""
    centre: Vector
    """Centre of mass in its frame [m]."""
    inertia: tuple[Vector, Vector, Vector]
    """Inertia about the centre of mass along its axes [kg·m²]."""
    joints: tuple[BodyJoint, ...]
    """Joints to the body above."""
    shapes: tuple[Shape, ...]
    """Its primitives; meshes are left out."""
