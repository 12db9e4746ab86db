"""What a boundingObject weighs, at the density of water, as Webots adds it up for ODE.

A Group holds several shapes, a Pose or Transform one, its first child, which is a Shape or a geometry. Planes and
ElevationGrids weigh nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from ....errors import ParameterError
from .masses import NOTHING, UNIT, Mass, box, capsule, cylinder, sphere, total
from .meshes import fans, ode_mesh_mass, read_mesh
from .node import Node
from .trees import NotKnown, fold, pose_of, read_numbers, read_row, require_known
from .versions import Versions

POSES = ("Pose", "Transform")
"""Nodes that place what they hold."""
WEIGHTLESS = ("Plane", "ElevationGrid", "Cone", "IndexedLineSet", "PointSet")
"""Geometries without a mass."""
_ROUND = {"radius": (1.0,), "height": (2.0,)}
_DEFAULTS = {"Box": {"size": (2.0, 2.0, 2.0)}, "Sphere": {"radius": (1.0,)}, "Cylinder": _ROUND, "Capsule": _ROUND}


class BoundingMass(NamedTuple):
    """What is known of a boundingObject."""

    mass: Mass
    """At 1000 kg/m³."""
    notes: tuple[str, ...] = ()
    """What Webots takes instead of what the file has."""


class Shapes:
    """The boundingObjects of a file."""

    def __init__(self, versions: Versions):
        self.versions = versions
        self._done: dict[int, BoundingMass] = {}

    def bounding_mass(self, node: Node) -> BoundingMass:
        """The mass of a boundingObject."""
        return fold(node, lambda each: each.nodes("children") if each.kind == "Group" else [], self._join, self._done)

    def _join(self, node: Node, parts: list[BoundingMass]) -> BoundingMass:
        if node.kind == "Group":
            require_known(node, "children")
            notes = dict.fromkeys(note for part in parts for note in part.notes)
            return BoundingMass(total([part.mass for part in parts]), tuple(notes))
        if node.kind not in POSES:
            return self._geometry(_geometry_of(node), (1.0, 1.0, 1.0))
        require_known(node, "children")
        first = node.nodes("children")[:1]
        if not first or first[0].kind in ("Group", *POSES):
            return BoundingMass(NOTHING)
        rotation, translation, scale = pose_of(node)
        held = self._geometry(_geometry_of(first[0]), scale)
        return BoundingMass(held.mass.place(rotation, translation), held.notes)

    def _geometry(self, node: Node | None, scale: tuple[float, float, float]) -> BoundingMass:
        if node is None or node.kind in WEIGHTLESS:
            return BoundingMass(NOTHING)
        if node.kind in ("IndexedFaceSet", "Mesh"):
            return _mesh(node, np.array(scale))
        if node.kind not in _DEFAULTS:
            raise NotKnown(f"{node.at()}: the boundingObject holds {node.kind}, a PROTO whose shape is not known here")
        sizes = {name: read_numbers(node, name, usual) for name, usual in _DEFAULTS[node.kind].items()}
        for name, size in sizes.items():
            if min(size) <= 0.0:
                raise node.error(name, "must be above 0")
        along = 2 if self.versions.z_up(node) else 1
        across = max(abs(scale[0]), abs(scale[3 - along]))
        radius = sizes.get("radius", (0.0,))[0]
        if node.kind == "Box":
            return BoundingMass(box([size * abs(factor) for size, factor in zip(sizes["size"], scale, strict=True)]))
        if node.kind == "Sphere":
            return BoundingMass(sphere(radius * max(abs(factor) for factor in scale)))
        make = cylinder if node.kind == "Cylinder" else capsule
        return BoundingMass(make(radius * across, sizes["height"][0] * abs(scale[along]), along))


def _geometry_of(node: Node) -> Node | None:
    """The geometry of a Shape, or the geometry itself."""
    if node.kind != "Shape":
        return node
    require_known(node, "geometry")
    return next(iter(node.nodes("geometry")), None)


def _mesh(node: Node, scale: np.ndarray) -> BoundingMass:
    triangles = (_faces(node) if node.kind == "IndexedFaceSet" else _file(node)) * scale
    if not len(triangles):
        return BoundingMass(NOTHING)
    mass = ode_mesh_mass(triangles)
    if mass is None:
        return BoundingMass(UNIT, (
            f"{node.at()}: the {node.kind} encloses no volume with triangles that turn outward, so that Webots takes "
            "1 kg and 1 kg·m² for it",))  # fmt: skip
    return BoundingMass(mass)


def _faces(node: Node) -> np.ndarray:
    """Triangles of an IndexedFaceSet [m], shape (n, 3, 3)."""
    require_known(node, "coord")
    coordinate = next(iter(node.nodes("coord")), None)
    points = [] if coordinate is None else read_row(coordinate, "point")
    if coordinate is not None and len(points) % 3:
        raise coordinate.error("point", "must be three numbers for each point")
    faces: list[list[int]] = [[]]
    for corner in read_row(node, "coordIndex"):
        if corner == -1.0:
            faces.append([])
        else:
            faces[-1].append(int(corner))
    return fans(np.array(points, dtype=float).reshape(-1, 3), faces)


def _file(node: Node) -> np.ndarray:
    """Triangles of a Mesh's file [m], shape (n, 3, 3)."""
    require_known(node, "url")
    given = node.fields.get("url")
    url = (given[0] if given else None) if isinstance(given, list) else given
    if not isinstance(url, str) or not url:
        return np.zeros((0, 3, 3))
    if "://" in url or not node.file:
        raise NotKnown(f"{node.at('url')}: the boundingObject is the mesh {url!r}, which is not beside the file")
    try:
        return read_mesh(Path(node.file).parent / url.replace("\\", "/"))
    except ParameterError as error:
        raise NotKnown(f"{node.at('url')}: the boundingObject is a mesh: {error}") from None
