"""The fields of a PROTO as its templates see them: plain values, with a vector as {x, y, z}."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from ...types import Json
from .documents import ProtoField
from .node import Node, NodeValue, Unreadable

_AXES = {"Vec2f": "xy", "Vec3f": "xyz", "Rotation": "xyza", "Color": "rgb"}
_DEFAULTS: dict[str, dict[str, NodeValue]] = {
    "HingeJointParameters": {
        "position": 0.0, "axis": (1.0, 0.0, 0.0), "anchor": (0.0, 0.0, 0.0), "minStop": 0.0, "maxStop": 0.0,
        "springConstant": 0.0, "dampingConstant": 0.0, "staticFriction": 0.0, "suspensionSpringConstant": 0.0,
        "suspensionDampingConstant": 0.0, "suspensionAxis": (1.0, 0.0, 0.0), "stopCFM": -1.0, "stopERP": -1.0,
    },
    "JointParameters": {
        "position": 0.0, "axis": (0.0, 0.0, 1.0), "minStop": 0.0, "maxStop": 0.0, "springConstant": 0.0,
        "dampingConstant": 0.0, "staticFriction": 0.0,
    },
}  # fmt: skip
DEEPEST = 4
"""How many nodes within each other a template sees [1]."""


class FieldView:
    """How templates see the fields of a PROTO.

    `headers` gives the header of a node that is a PROTO. In templates of Webots 7 (`old`) a field is its value.
    """

    def __init__(self, headers: Callable[[Node], dict[str, ProtoField]], old: bool = False):
        self.headers, self.old = headers, old

    def fields(self, header: dict[str, ProtoField], given: dict[str, NodeValue], depth: int = 0) -> dict[str, Json]:
        """`value` and `defaultValue` of each field of a header, with the values that are given."""
        if self.old:
            return {name: self.value(each.type, given.get(name, each.value), depth) for name, each in header.items()}
        return {
            name: {
                "value": self.value(each.type, given.get(name, each.value), depth),
                "defaultValue": self.value(each.type, each.value, depth),
            }
            for name, each in header.items()
        }

    def value(self, kind: str, value: NodeValue, depth: int) -> Json:
        """A value of a type such as SFVec3f or MFString."""
        several, kind = kind.startswith("MF"), kind[2:]
        if several:
            return self._list(kind, value, depth)
        if isinstance(value, Node):
            return self._node(value, depth)
        axes = _AXES.get(kind)
        if axes and isinstance(value, (tuple, list)) and len(value) == len(axes):
            return dict(zip(axes, value, strict=True))
        return cast(Json, None if isinstance(value, (Unreadable, list)) else value)

    def _list(self, kind: str, value: NodeValue, depth: int) -> list[Json]:
        items = list(value) if isinstance(value, (list, tuple)) else [] if value is None else [value]
        axes = _AXES.get(kind)
        if axes and all(isinstance(item, float) for item in items):
            size = len(axes)
            items = [tuple(items[at : at + size]) for at in range(0, len(items) - size + 1, size)]
        return [self.value("SF" + kind, item, depth) for item in items]

    def _node(self, node: Node, depth: int) -> dict[str, Json]:
        """A node: its name and its fields; those of Webots' own nodes have the type that their values tell."""
        if depth >= DEEPEST:
            return {"node_name": node.kind, "fields": {}}
        header = self.headers(node)
        if header:
            return {"node_name": node.kind, "fields": self.fields(header, node.fields, depth + 1)}
        known = {**_DEFAULTS.get(node.kind, {}), **node.fields}
        values = {name: self._guess(each, depth) for name, each in known.items()}
        if self.old:
            return {"node_name": node.kind, "fields": values}
        return {"node_name": node.kind, "fields": {name: {"value": each} for name, each in values.items()}}

    def _guess(self, value: NodeValue, depth: int) -> Json:
        if isinstance(value, Node):
            return self._node(value, depth + 1)
        if isinstance(value, tuple):
            names = {2: "xy", 3: "xyz", 4: "xyza"}.get(len(value), "")
            return dict(zip(names, value, strict=True)) if names else list(value)
        if isinstance(value, list):
            return [self._guess(each, depth + 1) for each in value] if depth < DEEPEST else []
        return None if isinstance(value, Unreadable) else value
