"""Mass, centre of mass and inertia of a body, and how they add up, turn, shift and scale: ODE's dMass."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

DENSITY = 1000.0
"""Density of a Physics that says nothing [kg/m³]."""


@dataclass(frozen=True, eq=False)
class Mass:
    """Mass properties of a body in some frame."""

    mass: float
    """Mass [kg]."""
    centre: np.ndarray
    """Centre of mass [m], shape (3,)."""
    inertia: np.ndarray
    """Inertia about the centre of mass [kg·m²], shape (3, 3)."""

    def place(self, rotation: np.ndarray, translation: np.ndarray, scale: float = 1.0) -> Mass:
        """The body in a frame in which its own is scaled, turned and shifted."""
        return Mass(
            self.mass * scale**3,
            rotation @ (self.centre * scale) + translation,
            rotation @ (self.inertia * scale**5) @ rotation.T,
        )

    def with_mass(self, mass: float) -> Mass:
        """The same body with another mass, spread as before."""
        return Mass(mass, self.centre, self.inertia * (mass / self.mass))

    def with_centre(self, centre: np.ndarray) -> Mass:
        """The same body shifted so that its centre of mass is there."""
        return Mass(self.mass, centre, self.inertia)

    def about(self, point: np.ndarray, axis: np.ndarray) -> float:
        """Inertia about an axis of unit length through a point [kg·m²]."""
        arm = np.cross(axis, self.centre - point)
        return float(axis @ self.inertia @ axis + self.mass * (arm @ arm))

    def about_origin(self) -> np.ndarray:
        """Inertia about the origin of the frame [kg·m²], shape (3, 3)."""
        return self.inertia + self.mass * _shift(self.centre)


NOTHING = Mass(0.0, np.zeros(3), np.zeros((3, 3)))
"""No body."""
UNIT = Mass(1.0, np.zeros(3), np.eye(3))
"""What Webots takes where it cannot compute a body: 1 kg and 1 kg·m² about every axis."""


def total(bodies: list[Mass]) -> Mass:
    """Bodies of one frame that move as one."""
    bodies = [body for body in bodies if body.mass > 0.0]
    if len(bodies) < 2:
        return bodies[0] if bodies else NOTHING
    mass = math.fsum(body.mass for body in bodies)
    centre = np.sum([body.mass * body.centre for body in bodies], axis=0) / mass
    inertia = np.sum([body.inertia + body.mass * _shift(body.centre - centre) for body in bodies], axis=0)
    return Mass(mass, centre, inertia)


def box(size: Sequence[float], density: float = DENSITY) -> Mass:
    """A box with edges along x, y and z [m]."""
    x, y, z = (float(edge) ** 2 for edge in size)
    mass = density * float(np.prod(size))
    return _on_axes(mass, y + z, x + z, x + y, mass / 12.0)


def sphere(radius: float, density: float = DENSITY) -> Mass:
    """A full sphere [m]."""
    mass = density * 4.0 / 3.0 * math.pi * radius**3
    return _on_axes(mass, 1.0, 1.0, 1.0, 0.4 * mass * radius**2)


def cylinder(radius: float, height: float, along: int, density: float = DENSITY) -> Mass:
    """A cylinder [m] along x (0), y (1) or z (2)."""
    mass = density * math.pi * radius**2 * height
    across = mass * (radius**2 / 4.0 + height**2 / 12.0)
    return _round(mass, across, 0.5 * mass * radius**2, along)


def capsule(radius: float, height: float, along: int, density: float = DENSITY) -> Mass:
    """A cylinder of that height [m] between two half spheres, along x (0), y (1) or z (2)."""
    tube = density * math.pi * radius**2 * height
    caps = density * 4.0 / 3.0 * math.pi * radius**3
    across = tube * (radius**2 / 4.0 + height**2 / 12.0)
    # a half sphere's own centre is 3/8 of the radius beyond the end of the tube
    across += caps * (0.4 * radius**2 + 0.375 * radius * height + 0.25 * height**2)
    return _round(tube + caps, across, (0.5 * tube + 0.4 * caps) * radius**2, along)


def rotation_matrix(axis: Sequence[float], angle: float) -> np.ndarray:
    """The rotation about an axis by an angle [rad], shape (3, 3); an axis without a direction turns nothing."""
    length = math.hypot(*axis)
    if length == 0.0:
        return np.eye(3)
    x, y, z = (component / length for component in axis)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * (cross @ cross)


def _on_axes(mass: float, xx: float, yy: float, zz: float, factor: float) -> Mass:
    return Mass(mass, np.zeros(3), np.diag([xx * factor, yy * factor, zz * factor]))


def _round(mass: float, across: float, along_axis: float, along: int) -> Mass:
    moments = [across, across, across]
    moments[along] = along_axis
    return Mass(mass, np.zeros(3), np.diag(moments))


def _shift(arm: np.ndarray) -> np.ndarray:
    """Inertia of 1 kg at a distance from the origin [m²], shape (3, 3)."""
    return float(arm @ arm) * np.eye(3) - np.outer(arm, arm)
