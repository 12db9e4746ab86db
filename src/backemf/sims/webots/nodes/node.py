"""A node of Webots' files, with its fields and lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from ....errors import ParameterError
from ...place import place

if TYPE_CHECKING:
    from .proto_files import Scope


class Unreadable(NamedTuple):
    """A value that only Webots knows: computed by a template, or a field of a PROTO without a value."""

    why: str


NodeValue: TypeAlias = Any
"""What a file writes into a field: a number, a row of them, a text, a node, a list of these, or an `Unreadable`."""


@dataclass(eq=False)
class Node:
    """A node of a file."""

    kind: str
    """Its type, such as HingeJoint."""
    line: int
    """Line on which it begins [1]."""
    name: str = ""
    """Its DEF name."""
    file: str = ""
    """Where the text is from."""
    fields: dict[str, NodeValue] = field(default_factory=dict)
    """Value of each field."""
    lines: dict[str, int] = field(default_factory=dict)
    """Line of each field [1]."""
    comments: list[str] = field(default_factory=list)
    """Comments between its braces."""
    scope: Scope | None = None
    """Where the PROTOs that it may be one of are looked for; None: it is what it is."""
    unexpanded: str = ""
    """Why a PROTO is not expanded; empty: it is not a PROTO, or it is expanded."""
    hidden: Node | None = None
    """State of a PROTO's inside in a saved world, fields such as position_0_0; None: the world has none."""
    positions: dict[str, float] = field(default_factory=dict)
    """Positions of a joint's axes "", "2" and "3" in a saved world, as far as it has them [rad] or [m]."""

    def __repr__(self) -> str:
        return f"Node({self.kind}, line {self.line})"

    def at(self, name: str = "") -> str:
        """File and line of a field, to begin a message."""
        return place(self.file, self.lines.get(name, self.line))

    def error(self, name: str, sentence: str) -> ParameterError:
        """An error about a field."""
        return ParameterError(f"{self.at(name)}: {self.kind}.{name} = {_show(self.fields.get(name))}: {sentence}")

    def number(self, name: str, default: float) -> float:
        """A field that is one finite number."""
        return self.numbers(name, (default,))[0]

    def numbers(self, name: str, default: tuple[float, ...]) -> tuple[float, ...]:
        """A field that is a row of as many numbers as its default."""
        value = self.known_value(name, default)
        row = value if isinstance(value, tuple) else (value,)
        if isinstance(value, list):
            row = tuple(value)
        if len(row) != len(default) or not all(_number(x) for x in row):
            many = "a number" if len(default) == 1 else f"{len(default)} numbers"
            raise self.error(name, f"must be {many}")
        return tuple(float(x) for x in row)

    def text(self, name: str, default: str = "") -> str:
        """A field that is a text."""
        value = self.known_value(name, default)
        if not isinstance(value, str):
            raise self.error(name, "must be a text in quotation marks")
        return value

    def plain_text(self, name: str) -> str:
        """A text that does not affect the motion; empty if it is missing, or if only Webots knows it."""
        value = self.fields.get(name, "")
        return value if isinstance(value, str) else ""

    def known_value(self, name: str, default: NodeValue = None) -> NodeValue:
        """Value of a field; raise ParameterError if only Webots knows it."""
        value = self.fields.get(name, default)
        if isinstance(value, Unreadable):
            raise self.error(name, f"{value.why}; write the value there")
        return value

    def nodes(self, name: str) -> list[Node]:
        """The nodes in a field, one or many."""
        value = self.fields.get(name)
        if isinstance(value, list) and value and isinstance(value[0], (float, str)):
            # the points of a mesh are many
            return []
        return [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, Node)]


def walk(roots: list[Node]) -> Iterator[tuple[Node, Node | None, str]]:
    """Every node once, with the node and the field that hold it, in the order of the text."""
    pending: list[tuple[Node, Node | None, str]] = [(node, None, "") for node in reversed(roots)]
    seen: set[int] = set()
    while pending:
        node, parent, name = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node, parent, name
        held = [(child, node, key) for key in node.fields for child in node.nodes(key)]
        pending.extend(reversed(held))


def _number(x: object) -> bool:
    return isinstance(x, (int, float)) and not isinstance(x, bool) and abs(x) < float("inf")


def _show(value: object) -> str:
    if isinstance(value, Unreadable):
        return "..."
    shown = repr(value) if not isinstance(value, list) else f"a list of {len(value)}"
    return shown if len(shown) <= 60 else shown[:57] + "..."
