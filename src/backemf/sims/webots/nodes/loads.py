"""What each joint of a world moves: inertia about its axis, and the pull of gravity, with the joint taken alone.

All that the end point carries moves as one rigid body, further joints locked where the file has them, and what carries
the joint stands still.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from ....errors import ParameterError
from ...types import Fields
from .axes import axis_now
from .carried import JOINTS, Carriers, end_point
from .masses import Mass
from .node import Node, walk
from .shapes import Shapes
from .solids import SOLIDS, physics_of
from .trees import NotKnown, pose_of, read_numbers, read_row, require_known
from .versions import Versions

LIGHT = 1e-12
"""Share of m·g·r below which a balanced body has no weight about its axis [1]."""


@dataclass(frozen=True, kw_only=True)
class JointLoad:
    """What a joint moves."""

    inertia: float | None = None
    """Inertia about the axis [kg·m²], or mass [kg]; None: not known."""
    dynamic: bool = False
    """Whether ODE moves the end point; without Physics Webots does it in kinematic mode."""
    weight: float = 0.0
    """Torque of gravity where the centre of mass is level with the axis [N·m]."""
    hangs_at: float = 0.0
    """Position at which the centre of mass hangs below the axis [rad]."""
    pull: float = 0.0
    """Force of gravity along the axis of a slider [N]."""
    gravity: bool = False
    """Whether the file says which way and how strongly gravity pulls."""
    assumed: bool = False
    """Whether the file does not tell the inertia of some part, so that Webots takes 1 kg·m², or 1 kg on a slider."""
    locked: bool = False
    """Whether further joints are taken as locked where the file has them."""
    alone: bool = False
    """Whether what carries the joint moves in Webots, and is taken as standing still."""
    missing: str = ""
    """Why the inertia is not known; empty: it is, or the end point has no Physics."""
    notes: tuple[str, ...] = ()
    """What Webots takes instead of what the file has, and what is not counted."""


class Loads:
    """The loads of the joints of a file."""

    def __init__(self, roots: list[Node], text: str = "", file: str = ""):
        self.versions = Versions(text, file)
        self._carriers = Carriers(Shapes(self.versions))
        self._gravity: np.ndarray | None = None
        self._rotations: dict[int, np.ndarray | None] = {}
        self._moves: dict[int, bool] = {}
        for node, parent, _ in walk(roots):
            self._place(node, parent)

    def _place(self, node: Node, parent: Node | None) -> None:
        """Keep how a node is turned in the world, and whether ODE moves it."""
        rotation = np.eye(3) if parent is None else self._rotations[id(parent)]
        moves = parent is not None and self._moves[id(parent)]
        if node.kind == "WorldInfo" and self._gravity is None:
            with suppress(NotKnown):
                self._gravity = gravity(node, self.versions)
        if "rotation" in node.fields and rotation is not None:
            try:
                rotation = rotation @ pose_of(node)[0]
            except (NotKnown, ParameterError):
                rotation = None
        if node.kind in SOLIDS and isinstance(node.fields.get("physics"), Node):
            moves = True
        self._rotations[id(node)], self._moves[id(node)] = rotation, moves

    def load(self, joint: Node, index: str, position: float) -> JointLoad:
        """What an axis of a joint moves; index is "" for the first, "2", "3". The joint is at the position [rad]."""
        solid = end_point(joint)
        if joint.kind not in JOINTS or solid is None:
            return JointLoad()
        if solid.kind not in SOLIDS:
            what = (
                "is tied to a solid elsewhere" if solid.kind == "SolidReference" else "is a PROTO that is not read here"
            )
            return JointLoad(missing=f"{solid.at()}: the end point {solid.kind} {what}")
        try:
            if physics_of(solid) is None:
                return JointLoad()
            return self._joint_load(joint, index, solid, position)
        except NotKnown as reason:
            return JointLoad(dynamic=True, missing=str(reason))

    def _joint_load(self, joint: Node, index: str, solid: Node, position: float) -> JointLoad:
        carried = self._carriers.load_of(solid)
        if carried.unknown:
            raise NotKnown(carried.unknown)
        slides = joint.kind == "SliderJoint"
        axis, anchor = axis_now(joint, index), _anchor(joint)
        inertia = carried.mass.mass if slides else carried.mass.about(anchor, axis)
        if not (inertia > 0.0 and math.isfinite(inertia)):
            raise NotKnown(f"{solid.at()}: the inertia of the end point is {inertia:g}, and must be above 0 and finite")
        rotation = self._rotations[id(joint)]
        load: Fields = {}
        if self._gravity is not None and rotation is not None:
            down = rotation.T @ self._gravity
            if slides:
                load = {"pull": float(carried.mass.mass * (axis @ down))}
            else:
                load = _weight(carried.mass, anchor, axis, down, position)
        return JointLoad(
            inertia=inertia,
            dynamic=True,
            gravity=self._gravity is not None and rotation is not None,
            assumed=carried.assumed_mass if slides else carried.assumed_inertia,
            locked=carried.joints or joint.kind in ("Hinge2Joint", "BallJoint"),
            alone=self._moves[id(joint)],
            notes=carried.notes,
            **load,
        )


def gravity(info: Node, versions: Versions) -> np.ndarray:
    """The acceleration of gravity in the frame of the world [m/s²], shape (3,)."""
    row = read_row(info, "gravity") or [9.81]
    if len(row) == 3:
        return np.array(row)
    if len(row) != 1:
        raise info.error("gravity", "must be a number, or three [m/s²]")
    require_known(info, "coordinateSystem")
    usual = "ENU" if versions.z_up() else "NUE"
    up = 2 if info.text("coordinateSystem", usual) == "ENU" else 1
    pull = np.zeros(3)
    pull[up] = -row[0]
    return pull


def _anchor(joint: Node) -> np.ndarray:
    """Point of the axis in the frame of the joint [m]."""
    parameters = next(iter(joint.nodes("jointParameters")), None)
    if parameters is None or joint.kind == "SliderJoint":
        return np.zeros(3)
    return np.array(read_numbers(parameters, "anchor", (0.0, 0.0, 0.0)))


def _weight(body: Mass, anchor: np.ndarray, axis: np.ndarray, down: np.ndarray, position: float) -> dict[str, float]:
    """The torque of gravity about an axis as weight·sin(hangs_at - q), from what it is now and a quarter turn on."""
    arm = body.centre - anchor
    arm = arm - (axis @ arm) * axis
    now = body.mass * float(axis @ np.cross(arm, down))
    later = body.mass * float(axis @ np.cross(np.cross(axis, arm), down))
    weight = math.hypot(now, later)
    if weight <= LIGHT * body.mass * float(np.linalg.norm(down)) * (float(np.linalg.norm(body.centre)) + 1e-3):
        return {}
    return {"weight": weight, "hangs_at": position + math.atan2(now, -later)}
