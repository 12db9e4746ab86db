"""State that a saved world has of a PROTO's inside, such as `hidden position_0_0 0.5`.

Webots counts the solids of a PROTO from 0, each before the solids on it, and the joints of each from 0. A position
has the numbers of the solid that carries its joint and of the joint, a translation or a rotation that of its solid.
Saved velocities are left out: a run begins at rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .base_nodes import BASE_NODES, FORMER_NODES
from .carried import JOINTS, end_point
from .node import Node
from .shapes import POSES
from .solids import SOLIDS

AXES = {"Hinge2Joint": ("", "2"), "BallJoint": ("", "2", "3")}
"""Axes of joints that have more than one."""
MOST_COUNTED = 200_000
"""Nodes of a file that are counted; one that is used often counts as often [1]."""
_GROUPS = (*POSES, "Group", "Billboard", "Fluid")
_POSITION = re.compile(r"position([23]?)_(\d{1,9})_(\d{1,9})")
_POSE = re.compile(r"(translation|rotation)_(\d{1,9})")


def find_saved(roots: list[Node]) -> list[Node]:
    """The PROTOs of a file that have saved state; what stands in a field of a PROTO is counted with that PROTO."""
    found, pending, seen = [], list(roots), set()
    while pending:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.kind not in BASE_NODES and node.hidden is not None:
            found.append(node)
        elif node.kind in BASE_NODES or node.kind in FORMER_NODES:
            pending += [child for name in node.fields for child in node.nodes(name)]
    return found


def restore_saved(saved: list[tuple[Node, str]]) -> list[str]:
    """Put what a saved world has of its PROTOs, each with its name, into their nodes; and what Webots says of it."""
    steps = iter(range(MOST_COUNTED))
    return [note for root, kind in saved for note in _restore(root, kind, steps)]


def _restore(root: Node, kind: str, steps: Iterator[int]) -> list[str]:
    """The same for one PROTO."""
    hidden = root.hidden
    if hidden is None or root.kind not in SOLIDS:
        # Webots restores solids alone
        return []
    solids, unread = _count_solids(root, steps)
    lost = _lost_joint(hidden, solids, whole=unread is None)
    if lost:
        return [
            f"{hidden.at(lost)}: PROTO {kind!r} changed after this world was saved: hidden parameters have been "
            "automatically reset."
        ]
    left = [name for name in hidden.fields if not _put(hidden, name, solids)]
    # PROTOs without joints are not expanded outside of robots, so nothing is missing
    if unread is None or not left or (unread.kind not in BASE_NODES and not unread.unexpanded):
        return []
    return [f"{hidden.at(left[0])}: of the saved state of {kind}, what comes after {unread.kind} is not known"]


def _lost_joint(hidden: Node, solids: list[tuple[Node, list[Node]]], whole: bool) -> str:
    """A saved position whose joint or axis its solid does not have; `whole`: all joints are counted. Empty: none."""
    for name in hidden.fields:
        found = _POSITION.fullmatch(name)
        if found is None or int(found[2]) >= len(solids):
            continue
        joint = solids[int(found[2])][1][int(found[3]) :][:1]
        if (whole and not joint) or (joint and found[1] not in AXES.get(joint[0].kind, ("",))):
            return name
    return ""


def _put(hidden: Node, name: str, solids: list[tuple[Node, list[Node]]]) -> bool:
    """Put one value where it belongs; False: no node is known there."""
    position, pose = _POSITION.fullmatch(name), _POSE.fullmatch(name)
    numbered = position or pose
    if numbered is None:
        return True
    if int(numbered[2]) >= len(solids):
        return False
    solid, joints = solids[int(numbered[2])]
    if pose is not None:
        usual = (0.0, 0.0, 0.0) if pose[1] == "translation" else (0.0, 0.0, 1.0, 0.0)
        solid.fields[pose[1]] = hidden.numbers(name, usual)
    elif int(numbered[3]) < len(joints):
        joints[int(numbered[3])].positions[numbered[1]] = hidden.number(name, 0.0)
    else:
        return False
    return True


def _count_solids(root: Node, steps: Iterator[int]) -> tuple[list[tuple[Node, list[Node]]], Node | None]:
    """The solids from a root on in Webots' order, each with its joints; and the node at which the count ends."""
    counted: list[tuple[Node, list[Node]]] = []
    pending = [root]
    while pending:
        solid = pending.pop()
        joints, solids, unread = _held_parts(solid, steps)
        counted.append((solid, joints))
        if unread is not None:
            return counted, unread
        pending += reversed(solids)
    return counted, None


def _held_parts(solid: Node, steps: Iterator[int]) -> tuple[list[Node], list[Node], Node | None]:
    """Joints and solids of a solid, in its groups and slots too; and a node among them behind which none is counted."""
    joints: list[Node] = []
    solids: list[Node] = []
    pending = solid.nodes("children")[::-1]
    while pending:
        node = pending.pop()
        if next(steps, None) is None:
            return joints, solids, node
        if node.kind in JOINTS:
            joints.append(node)
            node = end_point(node) or node
        if node.kind in SOLIDS:
            solids.append(node)
        elif node.kind in _GROUPS:
            pending += node.nodes("children")[::-1]
        elif node.kind == "Slot":
            pending += node.nodes("endPoint")
        elif node.kind not in BASE_NODES:
            return joints, solids, node
    return joints, solids, None
