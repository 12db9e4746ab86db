"""A whole robot for Webots: a PROTO with its bodies, and a motor on every driven joint."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace

import numpy as np

from ...errors import ParameterError
from ..body_tree import Body, BodyJoint, Shape
from ..digits import round_digits
from ..joint import joint_of, single
from ..loss import APPROXIMATED
from ..robot_text import RobotKind, RobotParts, RobotText
from .writing import NO_ARMATURE, with_gains, write

HEADER = "#VRML_SIM R2023b utf8"
FIELDS = (
    '  field SFVec3f translation 0 0 0', '  field SFRotation rotation 0 0 1 0', '  field SFString name "{name}"',
    '  field SFString controller "<generic>"',
)  # fmt: skip
ADDED = "It is added to the body that the joint moves, and so also counts where the joint stands and its base turns."
LIGHT = 1e-6
"""A body of less mass has no Physics of its own [kg]."""


@dataclass
class Tree:
    """The bodies while they are written."""

    parts: RobotParts
    children: dict[int, list[int]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    endless: list[str] = field(default_factory=list)
    """Joints whose range has no place in Webots."""
    inertias: set[str] = field(default_factory=set)
    """Joints whose rotor inertia was added to a body."""


def write_robot(parts: RobotParts) -> RobotText:
    """The PROTO of a robot; its name is that of the file."""
    tree = Tree(parts)
    for number, body in enumerate(parts.bodies[1:], start=1):
        tree.children.setdefault(body.parent, []).append(number)
    base, top = root_of(tree)
    name = re.sub(r"\W+", "", parts.output.stem) or "Robot"
    rows = [HEADER, f"PROTO {name} [", *(row.format(name=name) for row in FIELDS), "]", "{", "  Robot {"]
    rows += [f"    {word} IS {word}" for word in ("translation", "rotation", "name", "controller")]
    rows += ["    children ["]
    if base is not None:
        rows += _shapes(parts.bodies[base].shapes, 6)
    for number in top:
        rows += _node(tree, number, 6)
    rows += ["    ]"]
    if base is not None:
        rows += _bounds(parts.bodies[base].shapes, 4) + _physics(parts.bodies[base], None, 4)
    rows += ["  }", "}", ""]
    if tree.inertias:
        tree.notes.append(f"{NO_ARMATURE}: each rotor's inertia is added to the body that its joint moves.")
    if tree.endless:
        names = ", ".join(tree.endless[:4]) + (" and others" if len(tree.endless) > 4 else "")
        tree.notes.append(
            f"The range of {names} leaves out 0, where Webots starts a joint: no stops are written there."
        )
    tree.notes.append("Meshes, materials and sensors of the model are left out; primitives are kept.")
    return RobotText(text="\n".join(rows), notes=tuple(tree.notes), kinds=_kinds(tree))


def _kinds(tree: Tree) -> tuple[RobotKind, ...]:
    """The kinds with the inertia of their rotors, where every joint of a kind has it in its body."""
    found = []
    for kind in tree.parts.kinds:
        if not {joint.name for joint in kind.joints} <= tree.inertias:
            found.append(kind)
            continue
        statuses = [
            replace(loss, status=APPROXIMATED, note=ADDED) if loss.phenomenon == "rotor inertia" else loss
            for loss in kind.written.statuses
        ]
        notes = [note for note in kind.written.notes if not note.startswith(NO_ARMATURE)]
        found.append(replace(kind, written=replace(kind.written, statuses=statuses, notes=notes)))
    return tuple(found)


def root_of(tree: Tree) -> tuple[int | None, list[int]]:
    """The body that is the robot itself, if it is free, and the bodies on it."""
    tops = [number for number in tree.children.get(0, []) if _carries(tree, number)]
    free = [number for number in tops if any(joint.kind == "free" for joint in tree.parts.bodies[number].joints)]
    if not free:
        return None, tops
    if len(tops) > 1:
        names = ", ".join(tree.parts.bodies[number].name for number in tops)
        raise ParameterError(f"{tree.parts.model.path}: has several robots, {names}: give a model of one")
    return free[0], tree.children.get(free[0], [])


def _carries(tree: Tree, number: int) -> bool:
    """Whether a driven joint is below a body, or its own."""
    own = any(joint.name in tree.parts.driven for joint in tree.parts.bodies[number].joints)
    return own or any(_carries(tree, child) for child in tree.children.get(number, []))


def _node(tree: Tree, number: int, depth: int) -> list[str]:
    """A body, with the joint that moves it where there is one."""
    body = tree.parts.bodies[number]
    joint = next(iter(body.joints), None)
    if joint is None:
        return _solid(tree, number, None, depth, "")
    if len(body.joints) > 1 or joint.kind not in ("hinge", "slide"):
        kinds = ", ".join(joint.kind for joint in body.joints)
        raise ParameterError(
            f"{tree.parts.model.path}: body {body.name!r} has the joints {kinds}: for Webots give each body one hinge "
            "or slide"
        )
    rows = _joint_rows(tree, body, joint)
    rows = [*rows[:-1], *_solid(tree, number, joint, 2, "endPoint "), rows[-1]]
    return [" " * depth + row for row in rows]


def _joint_rows(tree: Tree, body: Body, joint: BodyJoint) -> list[str]:
    """The lines of a joint with its motor, its axis and its stops."""
    hinge, turn = joint.kind == "hinge", np.array(body.matrix)
    axis, anchor = turn @ np.array(joint.axis), np.array(body.position) + turn @ np.array(joint.anchor)
    own = [f"    axis {_row(axis)}", *([f"    anchor {_row(anchor)}"] if hinge else [])]
    if joint.span is not None and joint.span[0] <= 0.0 <= joint.span[1]:
        own += [f"    minStop {_number(joint.span[0])}", f"    maxStop {_number(joint.span[1])}"]
    elif joint.span is not None:
        tree.endless.append(joint.name)
    head = f"  jointParameters {'HingeJointParameters' if hinge else 'JointParameters'} {{"
    kind = tree.parts.driven.get(joint.name)
    if kind is None:
        return ["HingeJoint {" if hinge else "SliderJoint {", head, *own, "  }", "}"]
    text = write(kind.thing, joint.name, "rotational" if hinge else "linear", effort=tree.parts.effort).text
    rows = [row for row in text.rstrip().splitlines() if not row.startswith("#")]
    if head in rows:
        at = rows.index(head) + 1
        return [*rows[:at], *own, *rows[at:]]
    return [rows[0], head, *own, "  }", *rows[1:]]


def _solid(tree: Tree, number: int, joint: BodyJoint | None, depth: int, before: str) -> list[str]:
    body = tree.parts.bodies[number]
    axis, angle = axis_angle(np.array(body.matrix))
    rows = [
        f"{before}Solid {{", f"  translation {_row(body.position)}", f"  rotation {_row(axis)} {_number(angle)}",
        f"  name {_quote(body.name)}", "  children [", *_shapes(body.shapes, 4),
    ]  # fmt: skip
    for child in tree.children.get(number, []):
        rows += _node(tree, child, 4)
    rows += ["  ]", *_bounds(body.shapes, 2)]
    if body.mass > LIGHT:
        rows += _physics(body, None if joint is None else _rotor(tree, joint), 2)
    return [" " * depth + row for row in [*rows, "}"]]


def _rotor(tree: Tree, joint: BodyJoint) -> np.ndarray | None:
    """Inertia of the rotor about the axis of its joint, along the axes of the body [kg·m²]."""
    kind = tree.parts.driven.get(joint.name)
    if kind is None or joint.kind != "hinge":
        return None
    armature = joint_of(with_gains(kind.thing), effort=tree.parts.effort).armature
    if armature is None or not armature.value:
        return None
    tree.inertias.add(joint.name)
    axis = np.array(joint.axis)
    return single("armature", armature.value) * np.outer(axis, axis)


def _physics(body: Body, added: np.ndarray | None, depth: int) -> list[str]:
    inertia = np.array(body.inertia) + (0.0 if added is None else added)
    diagonal = _row(np.diag(inertia))
    others = _row((inertia[0, 1], inertia[0, 2], inertia[1, 2]))
    rows = [
        "physics Physics {", "  density -1", f"  mass {_number(body.mass)}", f"  centerOfMass [ {_row(body.centre)} ]",
        f"  inertiaMatrix [ {diagonal}, {others} ]", "}",
    ]  # fmt: skip
    return [" " * depth + row for row in rows]


def _shapes(shapes: tuple[Shape, ...], depth: int) -> list[str]:
    rows = []
    for shape in shapes:
        inside = f"Shape {{ appearance PBRAppearance {{ }} geometry {_geometry(shape)} }}"
        rows.append(" " * depth + _posed(shape, inside))
    return rows


def _bounds(shapes: tuple[Shape, ...], depth: int) -> list[str]:
    """What collides."""
    solid = [shape for shape in shapes if shape.solid]
    if not solid:
        return []
    inside = [" " * (depth + 4) + _posed(shape, _geometry(shape)) for shape in solid]
    pad = " " * depth
    return [f"{pad}boundingObject Group {{", f"{pad}  children [", *inside, f"{pad}  ]", f"{pad}}}"]


def _posed(shape: Shape, inside: str) -> str:
    return f"Pose {{ translation {_row(shape.position)} rotation {_row(shape.rotation)} children [ {inside} ] }}"


def _geometry(shape: Shape) -> str:
    first, second, third = shape.size
    if shape.kind == "sphere":
        return f"Sphere {{ radius {_number(first)} }}"
    if shape.kind == "box":
        return f"Box {{ size {_row((2 * first, 2 * second, 2 * third))} }}"
    word = "Capsule" if shape.kind == "capsule" else "Cylinder"
    return f"{word} {{ radius {_number(first)} height {_number(2 * second)} }}"


def axis_angle(matrix: np.ndarray) -> tuple[np.ndarray, float]:
    """Axis and angle of a rotation [1, rad]."""
    angle = math.acos(min(1.0, max(-1.0, (float(np.trace(matrix)) - 1.0) / 2.0)))
    if angle < 1e-9:
        return np.array([0.0, 0.0, 1.0]), 0.0
    if math.pi - angle < 1e-6:
        # half a turn: the axis is a column of (R + 1)/2
        square = (matrix + np.eye(3)) / 2.0
        column = square[:, int(np.argmax(np.diag(square)))]
        return column / np.linalg.norm(column), angle
    skew = np.array([matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]])
    return skew / (2.0 * math.sin(angle)), angle


def _number(value: float) -> str:
    return repr(round_digits(float(value)) + 0.0)


def _row(values: object) -> str:
    return " ".join(_number(float(x)) for x in np.ravel(np.asarray(values, dtype=float)))


def _quote(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
