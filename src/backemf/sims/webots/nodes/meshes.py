"""Bodies within closed surfaces of triangles, and the files that hold such surfaces: .obj and .stl."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ....errors import ParameterError
from ....files import read_bytes
from .masses import DENSITY, Mass

LARGEST = 16_000_000
"""Largest file of a mesh that is read [bytes]."""
_STL_HEADER, _STL_TRIANGLE = 84, 50
_SECOND = np.array([[2.0, 1.0, 1.0], [1.0, 2.0, 1.0], [1.0, 1.0, 2.0]]) / 120.0
"""∫ x xᵀ over the tetrahedron between the origin and the unit points, over its determinant."""


def mesh_mass(triangles: np.ndarray, density: float = DENSITY) -> Mass | None:
    """The body within triangles [m], shape (n, 3, 3), that turn outward; None: they enclose no volume."""
    if not len(triangles):
        return None
    # about a point of the mesh, so that a mesh far from its origin loses no digits
    near = triangles[0, 0]
    corners = triangles - near
    sixfold = np.linalg.det(corners)
    volume = float(sixfold.sum()) / 6.0
    if not volume > 0.0:
        return None
    centre = (sixfold @ corners.sum(axis=1)) / 24.0 / volume
    second = np.einsum("n,nia,ij,njb->ab", sixfold, corners, _SECOND, corners, optimize=True)
    second -= volume * np.outer(centre, centre)
    return Mass(density * volume, near + centre, density * (np.trace(second) * np.eye(3) - second))


def ode_mesh_mass(triangles: np.ndarray) -> Mass | None:
    """The same as ODE has it, which takes the inertia about the origin of the mesh for that about its centre of mass:
    too large, unless the two are one point. None: it is not that of a body."""
    body = mesh_mass(triangles)
    if body is None or not np.linalg.eigvalsh(body.about_origin()).min() > 0.0:
        return None
    return Mass(body.mass, body.centre, body.about_origin())


def fans(points: np.ndarray, faces: list[list[int]]) -> np.ndarray:
    """The triangles of faces with three corners or more, shape (n, 3, 3); a face with a corner that is not there is
    left out, as Webots does it."""
    count = len(points)
    found = [
        (face[0], face[k], face[k + 1])
        for face in faces
        if all(0 <= corner < count for corner in face)
        for k in range(1, len(face) - 1)
    ]
    return points[np.array(found, dtype=int).reshape(-1, 3)]


def read_mesh(path: Path) -> np.ndarray:
    """The triangles of a .obj or .stl file, shape (n, 3, 3)."""
    readers = {".obj": _obj, ".stl": _stl}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise ParameterError(f"{path}: the volume of a {path.suffix or 'nameless'} mesh is not read: give .obj or .stl")
    raw = read_bytes(path, LARGEST, what="a mesh")
    try:
        triangles = reader(raw)
    except (ValueError, IndexError):
        raise ParameterError(f"{path}: is not a mesh in the {path.suffix[1:]} format") from None
    if not np.isfinite(triangles).all():
        raise ParameterError(f"{path}: has a corner that is not finite")
    return triangles


def _obj(raw: bytes) -> np.ndarray:
    points: list[list[float]] = []
    faces: list[list[int]] = []
    for line in raw.decode("utf-8", "replace").splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            points.append([float(word) for word in words[1:4]])
        elif words[:1] == ["f"]:
            corners = [int(word.split("/", 1)[0]) for word in words[1:]]
            # counted from 1, or backwards from the last point so far
            faces.append([corner - 1 if corner > 0 else len(points) + corner for corner in corners])
    return fans(np.array(points, dtype=float).reshape(-1, 3), faces)


def _stl(raw: bytes) -> np.ndarray:
    count = int.from_bytes(raw[80:_STL_HEADER], "little") if len(raw) >= _STL_HEADER else -1
    if len(raw) == _STL_HEADER + _STL_TRIANGLE * count:
        rows = np.frombuffer(raw, dtype=np.uint8, offset=_STL_HEADER).reshape(count, _STL_TRIANGLE)
        # twelve numbers a triangle, of which the first three are its normal
        return rows[:, :48].copy().view("<f4").reshape(count, 4, 3)[:, 1:].astype(float)
    words = raw.decode("ascii").split()
    if words[:1] != ["solid"]:
        raise ValueError("neither kind of STL")
    corners = [[float(x) for x in words[k + 1 : k + 4]] for k, word in enumerate(words) if word == "vertex"]
    return np.array(corners, dtype=float).reshape(-1, 3, 3)
