"""What a joint carries: its end point with all solids on it, at the positions that the file has."""

from __future__ import annotations

from typing import NamedTuple

from ....errors import ParameterError
from .masses import NOTHING, Mass, total
from .node import Node
from .shapes import POSES, Shapes
from .solids import SOLIDS, physics_of, solid_mass
from .trees import NotKnown, fold, pose_of

JOINTS = ("HingeJoint", "Hinge2Joint", "BallJoint", "SliderJoint")
"""Nodes that hold an end point."""
BARE = frozenset({
    "Shape", "CadShape", "ColladaShape", "PointLight", "SpotLight", "DirectionalLight", "Billboard", "TrackWheel",
    "Skin", "Fluid", "Propeller", "Muscle", "Radio", "Background", "Fog", "WorldInfo", "Viewpoint", "SolidReference",
})  # fmt: skip
"""Nodes without their own mass."""


class Carried(NamedTuple):
    """What moves with a node."""

    mass: Mass = NOTHING
    """In the frame of the node that holds it."""
    joints: bool = False
    """Whether there are further joints in it."""
    notes: tuple[str, ...] = ()
    """What Webots takes instead of what the file has, and what is not counted."""
    assumed_inertia: bool = False
    """Whether Webots only assumes how some of the mass is spread."""
    assumed_mass: bool = False
    """Whether Webots only assumes some of the mass."""
    unknown: str = ""
    """Why the mass is not known; empty: it is."""


class Carriers:
    """The nodes of a file with what they carry."""

    def __init__(self, shapes: Shapes):
        self.shapes = shapes
        self._done: dict[int, Carried] = {}

    def load_of(self, node: Node) -> Carried:
        """What moves with a node that is itself moved by ODE."""
        return fold(node, _parts, self._join, self._done)

    def _join(self, node: Node, parts: list[Carried]) -> Carried:
        found = _gather(parts)
        bodies = [part.mass for part in parts]
        try:
            if node.kind in SOLIDS:
                physics = physics_of(node)
                if physics is None:
                    # ODE knows nothing of it, and leaves what stands on it where it is
                    return Carried()
                own = solid_mass(node, physics, self.shapes)
                bodies.append(own.mass)
                found = found._replace(
                    notes=own.notes + found.notes,
                    assumed_inertia=own.assumed_inertia or found.assumed_inertia,
                    assumed_mass=own.assumed_mass or found.assumed_mass,
                )
            elif node.kind not in (*POSES, "Group", "Slot", *JOINTS):
                return Carried(notes=() if node.kind in BARE else (_left_out(node),))
            body = total(bodies)
            if node.kind in SOLIDS or node.kind in POSES:
                body = _place(node, body)
            return found._replace(mass=body, joints=found.joints or (node.kind in JOINTS and body.mass > 0.0))
        except NotKnown as reason:
            return found._replace(unknown=str(reason))


def _gather(parts: list[Carried]) -> Carried:
    """What is said of several parts, without their mass."""
    return Carried(
        joints=any(part.joints for part in parts),
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        assumed_inertia=any(part.assumed_inertia for part in parts),
        assumed_mass=any(part.assumed_mass for part in parts),
        unknown=next((part.unknown for part in parts if part.unknown), ""),
    )


def end_point(joint: Node) -> Node | None:
    """The solid that a joint moves, also one in slots."""
    held = next(iter(joint.nodes("endPoint")), None)
    while held is not None and held.kind == "Slot":
        held = next(iter(held.nodes("endPoint")), None)
    return held


def _parts(node: Node) -> list[Node]:
    """The nodes that move with one."""
    if node.kind in JOINTS or node.kind == "Slot":
        return node.nodes("endPoint")
    return node.nodes("children") if node.kind in (*POSES, "Group") or node.kind in SOLIDS else []


def _place(node: Node, body: Mass) -> Mass:
    """A body of the node's frame in the frame of the node that holds it."""
    try:
        rotation, translation, scale = pose_of(node)
    except ParameterError as error:
        raise NotKnown(str(error)) from None
    if body.mass > 0.0 and not scale[0] == scale[1] == scale[2]:
        raise NotKnown(f"{node.at('scale')}: {node.kind}.scale of a solid must be three equal numbers")
    return body.place(rotation, translation, abs(scale[0]))


def _left_out(node: Node) -> str:
    return f"{node.at()}: {node.kind} is a PROTO that is not read here, and its mass, if it has any, is not counted"
