"""What a solid is called, and its mass as ODE has it in Webots: from its Physics and its boundingObject.

With a mass, a centre of mass and a valid inertia matrix, those count. Otherwise the boundingObject is filled with the
density, or with the mass where one is given, and a given centre of mass shifts it. Without a shape that could be filled
Webots takes 1 kg·m² about every axis, and 1 kg where no mass is given.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....errors import ParameterError
from .masses import DENSITY, NOTHING, UNIT, Mass
from .node import Node, Unreadable
from .shapes import BoundingMass, Shapes
from .trees import NotKnown, read_numbers, read_row, require_known

SOLIDS = frozenset({
    "Solid", "Robot", "Supervisor", "DifferentialWheels", "CustomRobot", "Accelerometer", "Altimeter", "Camera",
    "Charger", "Compass", "Connector", "Display", "DistanceSensor", "Emitter", "GPS", "Gyro", "InertialUnit", "LED",
    "Lidar", "LightSensor", "Microphone", "Pen", "Radar", "RangeFinder", "Receiver", "Speaker", "TouchSensor",
    "Track", "VacuumGripper",
})  # fmt: skip
"""Nodes that may have Physics."""


class SolidMass(NamedTuple):
    """The mass of one solid, without what hangs on it."""

    mass: Mass
    """In the frame of the solid."""
    notes: tuple[str, ...] = ()
    """What Webots takes instead of what the file has."""
    assumed_inertia: bool = False
    """Whether nothing in the file says how the mass is spread, so that it is 1 kg·m² about every axis."""
    assumed_mass: bool = False
    """Whether nothing in the file says what it weighs, so that it is 1 kg."""


def title(solid: Node) -> str:
    """Its name, else its DEF name."""
    return solid.plain_text("name") or solid.name


def physics_of(solid: Node) -> Node | None:
    """The Physics of a solid; None: it has none. A Physics that only Webots knows is not known."""
    value = solid.fields.get("physics")
    value = value[0] if isinstance(value, list) and value else value
    if isinstance(value, Unreadable):
        raise NotKnown(f"{solid.at('physics')}: {solid.kind}.physics: {value.why}")
    return value if isinstance(value, Node) else None


def solid_mass(solid: Node, physics: Node, shapes: Shapes) -> SolidMass:
    """The mass of a solid."""
    if physics.kind != "Physics":
        raise NotKnown(f"{physics.at()}: the physics is {physics.kind}, a PROTO that is not read here")
    mass, density = (read_numbers(physics, name, (usual,))[0] for name, usual in (("mass", -1.0), ("density", DENSITY)))
    centre, matrix = read_row(physics, "centerOfMass")[:3], read_row(physics, "inertiaMatrix")
    if len(centre) not in (0, 3):
        raise physics.error("centerOfMass", "must be three numbers: x, y, z [m]")
    if len(matrix) % 3:
        raise physics.error("inertiaMatrix", "must be six numbers: Ixx Iyy Izz, Ixy Ixz Iyz [kg·m²]")
    tensor = _tensor(matrix[:6] if len(matrix) >= 6 else [*matrix, 0.0, 0.0, 0.0])
    if mass > 0.0 and centre and tensor is not None:
        return SolidMass(Mass(mass, np.array(centre), tensor))
    notes = (f"{physics.at('inertiaMatrix')}: {_reason(mass, centre, tensor)}",) if matrix else ()
    shape = _shape(solid, shapes)
    real = shape.mass.mass > 0.0
    filled = _fill(shape.mass if real else UNIT, mass, density, real)
    if matrix:
        # Webots then takes the solid's origin for the centre of its mass
        filled = Mass(filled.mass, np.zeros(3), filled.about_origin())
    elif centre:
        filled = filled.with_centre(np.array(centre))
    return SolidMass(filled, notes + shape.notes, assumed_inertia=not real, assumed_mass=not real and mass <= 0.0)


def _fill(shape: Mass, mass: float, density: float, real: bool) -> Mass:
    """A shape at the density of water with the mass or density of a Physics."""
    if mass > 0.0:
        return shape.with_mass(mass) if real else Mass(mass, shape.centre, shape.inertia)
    return shape.with_mass(shape.mass * (density if density > 0.0 else DENSITY) / DENSITY)


def _shape(solid: Node, shapes: Shapes) -> BoundingMass:
    require_known(solid, "boundingObject")
    found = solid.nodes("boundingObject")
    try:
        return shapes.bounding_mass(found[0]) if found else BoundingMass(NOTHING)
    except ParameterError as error:
        raise NotKnown(str(error)) from None


def _tensor(matrix: list[float]) -> np.ndarray | None:
    """An inertia matrix, shape (3, 3); None: it is not one of a body."""
    if len(matrix) != 6:
        return None
    xx, yy, zz, xy, xz, yz = matrix
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return tensor if np.linalg.eigvalsh(tensor).min() > 0.0 else None


def _reason(mass: float, centre: list[float], tensor: np.ndarray | None) -> str:
    """Why Webots does not take an inertiaMatrix."""
    if tensor is None:
        why = "is not positive definite"
    elif not centre:
        why = "is without a centerOfMass"
    else:
        why = "is without a mass" if mass <= 0.0 else "is not valid"
    return f"the inertiaMatrix {why}, so that Webots takes no notice of it"
