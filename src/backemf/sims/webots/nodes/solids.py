"""What the end point of a joint is called, and how heavy it is about the joint's axis."""

from __future__ import annotations

from typing import Any

from .node import Node


def title(solid: Node) -> str:
    """Its name, else what DEF calls it."""
    name = solid.fields.get("name", "")
    return name if isinstance(name, str) and name else solid.name


def inertia_of(solid: Node | None, axis: tuple[float, ...], slides: bool) -> tuple[float | None, bool]:
    """Inertia about the axis through the centre of mass, where the Physics writes it out, and whether there is any."""
    physics = None if solid is None else next(iter(solid.nodes("physics")), None)
    if physics is None:
        return None, False
    mass = physics.number("mass", -1.0)
    if slides:
        return (mass if mass > 0.0 else None), True
    rows = physics.known("inertiaMatrix", [])
    size = sum(x * x for x in axis)
    if not isinstance(rows, list) or not rows or size == 0.0:
        return None, True
    numbers = [x for row in rows for x in (row if isinstance(row, tuple) else (row,))]
    if len(numbers) != 6 or not all(isinstance(x, float) and abs(x) < float("inf") for x in numbers):
        raise physics.error("inertiaMatrix", "must be six numbers: Ixx Iyy Izz, Ixy Ixz Iyz [kg·m²]")
    xx, yy, zz, xy, xz, yz = numbers
    x, y, z = axis
    about = xx * x * x + yy * y * y + zz * z * z + 2.0 * (xy * x * y + xz * x * z + yz * y * z)
    # the mass turns about the joint, and not about its own centre
    away = _distance(physics.known("centerOfMass", []), axis) if mass > 0.0 else 0.0
    return about / size + max(mass, 0.0) * away, True


def _distance(centre: Any, axis: tuple[float, ...]) -> float:
    """Square of how far the centre of mass is from the axis through the solid's origin [m²]."""
    point = [
        x
        for row in (centre if isinstance(centre, list) else [centre])
        for x in (row if isinstance(row, tuple) else (row,))
    ]
    if len(point) != 3 or not all(isinstance(x, float) for x in point):
        return 0.0
    along = sum(p * a for p, a in zip(point, axis, strict=True)) ** 2 / sum(a * a for a in axis)
    return max(sum(p * p for p in point) - along, 0.0)
