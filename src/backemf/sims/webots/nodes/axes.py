"""The axes of a joint: HingeJoint and SliderJoint have one, a Hinge2Joint two, a BallJoint three."""

from __future__ import annotations

import numpy as np

from .masses import rotation_matrix
from .node import Node
from .trees import NotKnown, require_known

X, Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


def axis_of(joint: Node, index: str) -> tuple[float, float, float]:
    """An axis of a joint in the frame of its parent [1], where all of its positions are 0; index is "", "2" or "3"."""
    if joint.kind == "BallJoint":
        return _ball_axis(joint, index)
    # a hinge turns about x by default, and all else about or along z
    usual = X if index == "" and joint.kind in ("HingeJoint", "Hinge2Joint") else Z
    found = _parameters(joint, index)
    axis = usual if found is None else found.numbers("axis", usual)
    return axis[0], axis[1], axis[2]


def axis_now(joint: Node, index: str) -> np.ndarray:
    """An axis of a joint as the file has it turned [1], of unit length, shape (3,): the second turns with the first."""
    for each in ("", "2", "3"):
        found = _parameters(joint, each)
        if found is not None:
            require_known(found, "axis", "position")
    rotation = np.eye(3)
    for before in ("", "2", "3")[: int(index or 1) - 1]:
        rotation = rotation @ rotation_matrix(axis_of(joint, before), position_of(joint, before))
    axis = np.array(axis_of(joint, index))
    length = float(np.linalg.norm(axis))
    if not length > 0.0:
        raise NotKnown(f"{joint.at()}: the axis of the {joint.kind} has no direction")
    return rotation @ axis / length


def position_of(joint: Node, index: str) -> float:
    """Position of an axis when a run begins [rad], or of a slider [m]: that of a saved world, else that of the file."""
    return joint.positions[index] if index in joint.positions else file_position(joint, index)


def file_position(joint: Node, index: str) -> float:
    """Position of an axis in its parameters [rad], or of a slider [m]; without them the joint's own field says it."""
    found = _parameters(joint, index)
    return joint.number(f"position{index}", 0.0) if found is None else found.number("position", 0.0)


def _ball_axis(joint: Node, index: str) -> tuple[float, float, float]:
    """The first axis is that of jointParameters2, the third that of jointParameters3, the second across both."""
    second, third = _parameters(joint, "2"), _parameters(joint, "3")
    first = X if second is None else second.numbers("axis", Z)
    last = Z if third is None else third.numbers("axis", Z)
    if second is None and third is not None:
        first = _across(last, Z, X)
    if third is None and second is not None:
        last = _across(first, X, Z)
    found = {"": first, "2": np.cross(last, first), "3": last}[index]
    return float(found[0]), float(found[1]), float(found[2])


def _across(axis: tuple[float, ...], usual: tuple[float, ...], other: tuple[float, ...]) -> tuple[float, ...]:
    found = np.cross(axis, usual)
    return tuple(float(x) for x in (found if found.any() else np.cross(axis, other)))


def _parameters(joint: Node, index: str) -> Node | None:
    return next(iter(joint.nodes(f"jointParameters{index}")), None)
