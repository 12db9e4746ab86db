"""`Node`, `Proto`, `Field` and `ContactPoint` of the module `controller`: the world as its file has it.

Only the robot's joints are simulated. All else stays where the file puts it, so that this is what a supervisor reads;
what it sets is read back, and one line says that it moves nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, TypeAlias

from ..backends.axis import log
from ..nodes.base_nodes import BASE_NODES, FORMER_NODES
from ..nodes.masses import rotation_matrix
from ..nodes.node import Node as FileNode
from ..nodes.node import NodeValue, Unreadable, walk
from .kinds import NODES, snake
from .other import reader

ScriptValue: TypeAlias = Any
"""What a script reads from a field or writes to it."""
NAN = math.nan
_DEFAULTS: dict[str, NodeValue] = {"translation": [0.0, 0.0, 0.0], "rotation": [0.0, 0.0, 1.0, 0.0], "name": ""}
_TYPES = {"Bool": 1, "Int32": 2, "Float": 3, "Vec2f": 4, "Vec3f": 5, "Rotation": 6, "Color": 7, "String": 8, "Node": 9}
_SHAPES = {"Vec2f": 2, "Vec3f": 3, "Rotation": 4, "Color": 3}
_CASTS: dict[str, Callable[..., object]] = {"Int32": int, "Bool": bool}
_EMPTY = {"Bool": False, "Int32": 0, "Float": NAN, "String": ""}


class ContactPoint:
    """Where two solids touch."""

    def __init__(self, point: Sequence[float] = (NAN, NAN, NAN, 0)):
        self.point, self.node_id = list(point[:3]), point[3]

    getPoint, getNodeId = reader("point"), reader("node_id")


class SeenWorld:
    """The nodes of a world as a supervisor sees them: the same object for the same node."""

    def __init__(self, roots: list[FileNode]):
        self.root = FileNode("Group", 0, fields={"children": roots})
        self.nodes: dict[int, Node] = {}
        self.parents: dict[int, FileNode] = {}
        self.names: dict[str, FileNode] = {}
        for node, parent, _ in walk([self.root]):
            if parent is not None:
                self.parents[id(node)] = parent
            if node.name:
                self.names.setdefault(node.name, node)

    def node(self, node: FileNode) -> Node:
        """A node for a script."""
        return self.nodes.setdefault(id(node), Node(node, self))


class Node:
    """A node of the world, and the kinds of nodes, such as `Node.ROTATIONAL_MOTOR`."""

    def __init__(self, node: FileNode, world: SeenWorld):
        self._node, self._world, self._warned = node, world, False
        self._alone = world.parents.get(id(node)) is world.root
        self._set: dict[str, ScriptValue] = {}

    def _warn(self) -> None:
        """Say once that the world is not simulated."""
        if not self._warned:
            self._warned = True
            called = f"{self._node.kind} {self._node.name}".rstrip()
            log(f"WARNING: Supervisor: {called} is not simulated: only joints of the robot move.")

    getDef, getTypeName, getBaseTypeName = reader("_node.name"), reader("_node.kind"), reader("_node.kind")

    def getId(self) -> int:
        return id(self._node) % 100_000

    def getType(self) -> int:
        return NODES.get(snake(self._node.kind).upper().replace("2_JOINT", "_2_JOINT"), 0)

    def getName(self) -> str:
        """Its name."""
        return self._node.plain_text("name")

    def getField(self, name: str) -> Field:
        return Field(self, name)

    def getNumberOfFields(self) -> int:
        return len(self._node.fields)

    def getFieldByIndex(self, index: int) -> Field | None:
        names = list(self._node.fields)
        return Field(self, names[index]) if 0 <= index < len(names) else None

    getProtoField = getBaseNodeField = getField
    getProtoNumberOfFields = getNumberOfBaseNodeFields = getNumberOfFields
    getProtoFieldByIndex = getBaseNodeFieldByIndex = getFieldByIndex

    def getParentNode(self) -> Node | None:
        parent = self._world.parents.get(id(self._node))
        return None if parent is None else self._world.node(parent)

    def isProto(self) -> bool:
        """Whether it is a PROTO whose inside is not read; one that is read is the node inside."""
        return self._node.kind not in BASE_NODES and self._node.kind not in FORMER_NODES

    def getProto(self) -> Proto | None:
        return Proto(self) if self.isProto() else None

    def getPosition(self) -> list[float]:
        """Where it stands; not a number for what may hang on a joint."""
        self._warn()
        return self._row("translation", 3) if self._alone else [NAN] * 3

    def getOrientation(self) -> list[float]:
        """Its rotation matrix, row by row."""
        self._warn()
        x, y, z, angle = self._row("rotation", 4)
        return rotation_matrix((x, y, z), angle).ravel().tolist() if self._alone else [NAN] * 9

    def getPose(self, from_node: Node | None = None) -> list[float]:
        """The matrix of rotation and translation, row by row."""
        turn, place = self.getOrientation(), self.getPosition()
        if from_node is not None:
            turn, place = [NAN] * 9, [NAN] * 3
        rows = [[*turn[3 * i : 3 * i + 3], place[i]] for i in range(3)]
        return [x for row in rows for x in row] + [0.0, 0.0, 0.0, 1.0]

    def getVelocity(self) -> list[float]:
        self._warn()
        return [0.0] * 6 if self._alone else [NAN] * 6

    def _row(self, name: str, count: int) -> list[float]:
        value = self._set.get(name, plain(self._node.fields.get(name, _DEFAULTS[name])))
        return [float(x) for x in value] if isinstance(value, list) and len(value) == count else [NAN] * count

    type, id, DEF = property(getType), property(getId), property(getDef)
    type_name, base_type_name = property(getTypeName), property(getBaseTypeName)
    number_of_fields, number_of_base_node_fields = property(getNumberOfFields), property(getNumberOfFields)


for _name, _number in NODES.items():
    setattr(Node, _name, _number)


class Proto:
    """The PROTO that a node is, with the parameters that the file gives it."""

    def __init__(self, node: Node):
        self._owner = node

    def getTypeName(self) -> str:
        return self._owner.getTypeName()

    def getProtoParent(self) -> None:
        """None: the inside of a PROTO, which may be another one, is not read here."""

    def getParameter(self, name: str) -> Field | None:
        return self._owner.getField(name) if name in self._owner._node.fields else None

    def getParameterByIndex(self, index: int) -> Field | None:
        return self._owner.getFieldByIndex(index)

    def getNumberOfParameters(self) -> int:
        return self._owner.getNumberOfFields()

    type_name, number_of_parameters = property(getTypeName), property(getNumberOfParameters)


def _idle(answer: object = None) -> Callable[..., object]:
    """A method without effect that answers the same at any time."""

    def call(self: Node | Field, *_: object, **__: object) -> object:
        self._warn()
        return copy(answer)

    return call


_ANSWERS = {"getCenterOfMass": [NAN] * 3, "getContactPoints": [], "getStaticBalance": False, "exportString": ""}
for _name, _answer in _ANSWERS.items():
    setattr(Node, _name, _idle(_answer))
for _name in (
    "getFromProtoDef", "remove", "setVelocity", "saveState", "loadState", "resetPhysics", "setJointPosition",
    "restartController", "moveViewpoint", "setVisibility", "addForce", "addForceWithOffset", "addTorque",
    "enablePoseTracking", "disablePoseTracking", "enableContactPointTracking", "disableContactPointTracking",
    "enableContactPointsTracking", "disableContactPointsTracking",
):  # fmt: skip
    setattr(Node, _name, _idle())


class Field:
    """A field of a node."""

    def __init__(self, node: Node, name: str):
        self._owner, self.name = node, name

    def _warn(self) -> None:
        self._owner._warn()

    @property
    def value(self) -> ScriptValue:
        held = self._owner._set
        if self.name in held:
            return held[self.name]
        return plain(self._owner._node.fields.get(self.name, _DEFAULTS.get(self.name)))

    @value.setter
    def value(self, value: ScriptValue) -> None:
        self._warn()
        self._owner._set[self.name] = list(value) if isinstance(value, (list, tuple)) else value

    getName = reader("name")

    def getType(self) -> int:
        value = self.value
        kind = {bool: "Bool", int: "Int32", float: "Float", str: "String"}.get(type(value), "Node")
        if isinstance(value, list):
            kind = {2: "Vec2f", 3: "Vec3f", 4: "Rotation"}.get(len(value), "Node")
        return _TYPES[kind]

    def getTypeName(self) -> str:
        return next(f"SF{name}" for name, number in _TYPES.items() if number == self.getType())

    def getCount(self) -> int:
        value = self._owner._node.fields.get(self.name)
        return len(value) if isinstance(value, list) else -1

    def getActualField(self) -> Field:
        return self

    type, type_name, count = property(getType), property(getTypeName), property(getCount)

    def getSFNode(self) -> Node | None:
        return self._child(self._owner._node.nodes(self.name)[:1])

    def getMFNode(self, index: int) -> Node | None:
        found = self._owner._node.nodes(self.name)
        return self._child(found[index:][:1] if -len(found) <= index else [])

    def _child(self, found: list[FileNode]) -> Node | None:
        return self._owner._world.node(found[0]) if found else None


def _single(kind: str) -> Callable[..., object]:
    count = _SHAPES.get(kind, 0)

    def get(self: Field) -> object:
        value = self.value
        row = isinstance(value, list)
        # as in Webots, the field's own type decides how long a row is, such as two numbers of getSFVec3f
        if value is None or row != bool(count) or (row and len(value) not in _SHAPES.values()):
            self._warn()
            return [NAN] * count if count else _EMPTY[kind]
        return _CASTS.get(kind, plain)(value)

    return get


def _many(kind: str) -> Callable[..., object]:
    def get(self: Field, index: int) -> object:
        value = self._owner._node.fields.get(self.name)
        if not isinstance(value, list) or not -len(value) <= index < len(value):
            self._warn()
            return [NAN] * _SHAPES[kind] if kind in _SHAPES else _EMPTY[kind]
        return plain(value[index])

    return get


def _put(self: Field, value: ScriptValue) -> None:
    self.value = value


for _kind in (*_EMPTY, *_SHAPES):
    setattr(Field, f"getSF{_kind}", _single(_kind))
    setattr(Field, f"getMF{_kind}", _many(_kind))
    setattr(Field, f"setSF{_kind}", _put)
    setattr(Field, f"setMF{_kind}", _idle())
    setattr(Field, f"insertMF{_kind}", _idle())
for _name in (
    "enableSFTracking", "disableSFTracking", "removeMF", "removeSF", "importMFNodeFromString", "importSFNodeFromString",
    "importMFNode", "importSFNode",
):  # fmt: skip
    setattr(Field, _name, _idle())
for _kind, _number in _TYPES.items():
    setattr(Field, f"SF_{_kind.upper()}", _number)
    setattr(Field, f"MF_{_kind.upper()}", _number + 16)


def plain(value: NodeValue) -> ScriptValue:
    """A value of a file as a script gets it: rows of numbers are lists, and what only Webots knows is None."""
    if isinstance(value, Unreadable):
        return None
    return list(value) if isinstance(value, tuple) else value
