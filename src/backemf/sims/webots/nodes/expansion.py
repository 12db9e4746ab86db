"""PROTOs expanded to nodes, with the values of their fields and the output of their templates.

The nodes are expanded from a list and not by recursion, so that PROTOs may be nested to any depth. A PROTO that
is not found, or that cannot be read, is kept with the reason.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ....errors import ParameterError
from ...place import place
from ...types import Json
from .addresses import Finder, TooManyFiles
from .base_nodes import BASE_NODES, FORMER_NODES
from .documents import Proto, ProtoField
from .former import convert_former
from .node import Node, NodeValue
from .proto_fields import FieldView
from .proto_files import ROBOTS, ProtoFiles, Scope
from .saved_state import find_saved, restore_saved
from .templates.bounds import Exhausted, TemplateError
from .templates.interpreter import Interpreters
from .templates.programs import has_templates
from .templates.render import Lines, Rendered, render
from .vrml import TooManyNodes, parse, parse_body, parse_header

DEEPEST = 32
"""How many PROTOs may be within each other [1]."""
MOST_NODES = 150_000
"""Nodes that the PROTOs of one file may have [1]."""
_LOOKS = ("appearance", "texture", "material")
MOST_TEXT = 200_000_000
"""Text of all PROTOs that one file may need, each counted as often as it is used [characters]."""


@dataclass
class Expansion:
    """The PROTOs of one file that is read."""

    files: ProtoFiles
    """Their files."""
    nodes_left: int = field(default_factory=lambda: MOST_NODES)
    """Nodes that may still be made [1]."""
    text_left: int = field(default_factory=lambda: MOST_TEXT)
    """Text that may still be read [characters]."""
    interpreters: Interpreters = field(default_factory=Interpreters)
    """What runs templates."""
    notes: list[str] = field(default_factory=list)
    """Messages of templates, and what Webots leaves out."""
    version: str = ""
    """Version of Webots that wrote the file."""
    rendered: dict[tuple[int, str], Rendered] = field(default_factory=dict)
    """What templates made, by their PROTOs and the fields that they see."""

    def nodes_of(self, text: str, file: str) -> list[Node]:
        """The nodes of a text; a file that is nothing but a PROTO is what that stands for, with its defaults."""
        document = parse(text, file)
        self.version = document.version
        scope = Scope(document)
        roots = document.roots
        for node in _all(roots):
            node.scope = scope
        if not roots and document.protos:
            proto = list(document.protos.values())[-1]
            roots = self._instance(proto, {}, scope)
        self.notes += document.notes
        saved = [(node, node.kind) for node in find_saved(roots)]
        self._expand(roots)
        self.notes += restore_saved(saved)
        self.notes += convert_former(roots)
        return roots

    def _expand(self, roots: list[Node]) -> None:
        pending = [(node, False) for node in roots]
        seen: set[int] = set()
        while pending:
            node, in_robot = pending.pop()
            if id(node) in seen:
                continue
            while self._replace(node, in_robot):
                pass
            seen.add(id(node))
            inside = in_robot or node.kind in ROBOTS
            pending += [(child, inside) for name in node.fields if name not in _LOOKS for child in node.nodes(name)]

    def _replace(self, node: Node, in_robot: bool) -> bool:
        """Whether a node was a PROTO and now is what that stands for, which may be a PROTO again."""
        scope, node.scope = node.scope, None
        if scope is None or node.kind in BASE_NODES:
            return False
        try:
            proto, why = self.files.find(node.kind, scope)
            if proto is None:
                node.unexpanded = "" if node.kind in FORMER_NODES else why
                return False
            if not in_robot and not self.files.moves(proto, scope):
                return False
            roots = self._instance(proto, node.fields, scope)
        except TooManyFiles:
            raise
        except _Bound as error:
            raise ParameterError(f"{node.at()}: {node.kind}: {error}") from None
        except ParameterError as error:
            node.unexpanded = str(error)
            return False
        if not roots:
            node.unexpanded = f"{place(proto.document.file, proto.body_line)}: the PROTO has no node"
            return False
        _become(node, roots[0])
        return True

    def _instance(self, proto: Proto, given: dict[str, NodeValue], scope: Scope) -> list[Node]:
        """The nodes of a PROTO with the values that it is given."""
        inner = self._inside(proto, scope)
        fields = parse_header(proto, inner)
        values = {name: given.get(name, each.value) for name, each in fields.items()}
        text, lines = proto.body, None
        language = _language(proto)
        if language:
            text, lines = self._render(proto, language, fields, given)
        self.text_left -= len(text)
        if self.text_left < 0:
            raise _Bound(f"its PROTOs have more than {MOST_TEXT} characters in all")
        try:
            roots = parse_body(text, proto, inner, values, lines, self.nodes_left)
        except TooManyNodes:
            raise _Bound(f"its PROTOs have more than {MOST_NODES} nodes in all") from None
        self.nodes_left -= sum(1 for _ in _all(roots, inner))
        return roots

    def _inside(self, proto: Proto, scope: Scope) -> Scope:
        around: Scope | None = scope
        while around is not None:
            if around.proto is proto:
                raise _Bound(f"the PROTO {proto.name} contains itself")
            around = around.outer
        if scope.depth >= DEEPEST:
            raise _Bound(f"there are more than {DEEPEST} PROTOs within each other")
        return Scope(proto.document, proto, scope, scope.depth + 1)

    def _render(
        self, proto: Proto, language: str, header: dict[str, ProtoField], given: dict[str, NodeValue]
    ) -> tuple[str, Lines]:
        """The text that the templates of a body make, and the lines of its parts."""
        old = _is_old(proto.body, language)
        try:
            seen = _seen_fields(proto.body)
            header = header if seen is None else {name: each for name, each in header.items() if name in seen}
            fields = FieldView(self._header, old).fields(header, given)
            # a template makes the same of the same fields: the wheels of a car, the cars of a road
            key = (id(proto), repr(fields))
            if key not in self.rendered:
                body = _without_comments(proto.body) if old else proto.body
                context = _context(self.version)
                self.rendered[key] = render(body, proto.body_line, language, fields, context, self.interpreters)
            made = self.rendered[key]
        except TemplateError as error:
            kind = _Bound if isinstance(error, Exhausted) else ParameterError
            line = error.line or proto.body_line
            raise kind(f"{place(proto.document.file, line)}: template of {proto.name}: {error}") from None
        self.notes += [f"{Path(proto.document.file).name or proto.name}: {message}" for message in made.messages]
        return made.text, made.lines

    def _header(self, node: Node) -> dict[str, ProtoField]:
        """The header of a PROTO node; empty: it is not a PROTO, or it cannot be read."""
        if node.scope is None or node.kind in BASE_NODES:
            return {}
        try:
            proto, _ = self.files.find(node.kind, node.scope)
            return {} if proto is None else parse_header(proto, node.scope)
        except ParameterError:
            return {}


class _Bound(ParameterError):
    """A bound is reached, so that the file cannot be read."""


def expand(text: str, file: str = "", assets: Iterable[str | os.PathLike[str]] = ()) -> tuple[list[Node], list[str]]:
    """The nodes of a text with its PROTOs replaced, and what Webots would say."""
    expansion = Expansion(ProtoFiles(Finder(assets)))
    with expansion.interpreters:
        roots = expansion.nodes_of(text, file)
    return roots, list(dict.fromkeys(expansion.notes))


def _all(roots: list[Node], scope: Scope | None = None) -> Iterable[Node]:
    """Every node once, where `scope` is given only those of that scope and the nodes between them."""
    pending, seen = list(roots), set()
    while pending:
        node = pending.pop()
        if id(node) in seen or (scope is not None and node.scope is not scope):
            continue
        seen.add(id(node))
        yield node
        pending += [child for name in node.fields for child in node.nodes(name)]


def _become(node: Node, root: Node) -> None:
    """Make a node another, which keeps what DEF calls it."""
    node.kind, node.fields, node.lines, node.comments = root.kind, root.fields, root.lines, root.comments
    node.file, node.line, node.scope = root.file, root.line, root.scope


def _is_old(body: str, language: str) -> bool:
    """Whether a template is of Webots 7, where `fields.x` is the value itself and # begins a comment in Lua."""
    return language == "lua" and re.search(r"\bfields\.\w+\.(?:value|defaultValue)\b", body) is None


def _without_comments(body: str) -> str:
    return re.sub(r"^([ \t]*)#[^\n]*|(\s)(?:\s#|#\s)[^\n]*", r"\1\2", body, flags=re.MULTILINE)


def _seen_fields(body: str) -> set[str] | None:
    """Names of the fields that the templates of a body ask for; None: any."""
    if re.search(r"\bfields\b(?!\.\w)", body):
        return None
    return set(re.findall(r"\bfields\.(\w+)", body))


def _language(proto: Proto) -> str:
    """The language of a PROTO's templates; empty: it has none."""
    said = proto.document.language
    order = ("javascript", "lua") if said == "javascript" else ("lua", "javascript")
    return next((language for language in order if has_templates(proto.body, language)), "")


def _context(version: str) -> dict[str, Json]:
    """What templates know of the world: nothing of this machine."""
    major = version or "R2025a"
    return {
        "world": "", "proto": "", "project_path": "", "webots_home": "", "temporary_files_path": "", "os": "linux",
        "id": "0", "webots_version": {"major": major, "revision": ""},
        "coordinate_system": "NUE" if major < "R2022a" else "ENU",
    }  # fmt: skip
