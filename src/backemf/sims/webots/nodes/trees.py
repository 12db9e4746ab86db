"""Nodes below nodes: a value for each of them from those of its parts, and fields that only Webots knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from .masses import rotation_matrix
from .node import Node, Unreadable

T = TypeVar("T")


class NotKnown(Exception):
    """A mass that the file does not tell; the text says where, and what would be needed."""


def fold(root: Node, parts: Callable[[Node], list[Node]], join: Callable[[Node, list[T]], T], done: dict[int, T]) -> T:
    """The value of a node: `join` of the node and the values of its parts.

    Each node is joined once, however often it is used, and any depth is taken, since nothing here calls itself.
    `done` keeps the values, by the identity of the nodes.
    """
    pending, begun = [root], set()
    while pending:
        node = pending[-1]
        below = [] if id(node) in done else parts(node)
        missing = [part for part in below if id(part) not in done and id(part) not in begun]
        if missing:
            begun.add(id(node))
            pending += missing
            continue
        pending.pop()
        if id(node) not in done:
            done[id(node)] = join(node, [done[id(part)] for part in below if id(part) in done])
    return done[id(root)]


def require_known(node: Node, *names: str) -> None:
    """Raise where only Webots knows a field, or a part of it."""
    for name in names:
        value = node.fields.get(name)
        for item in value if isinstance(value, list) else (value,):
            if isinstance(item, Unreadable):
                raise NotKnown(f"{node.at(name)}: {node.kind}.{name}: {item.why}")


def read_numbers(node: Node, name: str, default: tuple[float, ...]) -> tuple[float, ...]:
    """A field that is a row of numbers, or its default."""
    require_known(node, name)
    return node.numbers(name, default)


def read_row(node: Node, name: str) -> list[float]:
    """All numbers of a list in a field, with or without brackets and commas; empty if there is none."""
    require_known(node, name)
    value = node.fields.get(name)
    value = [] if value is None else value if isinstance(value, list) else [value]
    row = [x for item in value for x in (item if isinstance(item, tuple) else (item,))]
    if not all(isinstance(x, float) and abs(x) < float("inf") for x in row):
        raise node.error(name, "must be numbers")
    return row


def pose_of(node: Node) -> tuple[np.ndarray, np.ndarray, tuple[float, float, float]]:
    """Rotation (3, 3), translation [m] and scale [1] of a node in the frame of the node that holds it."""
    x, y, z, angle = read_numbers(node, "rotation", (0.0, 0.0, 1.0, 0.0))
    sx, sy, sz = read_numbers(node, "scale", (1.0, 1.0, 1.0))
    return rotation_matrix((x, y, z), angle), np.array(read_numbers(node, "translation", (0.0, 0.0, 0.0))), (sx, sy, sz)
