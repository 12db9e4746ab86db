"""The files of PROTOs: which PROTO a name stands for in a file, and whether there is anything in it that moves."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from ....errors import ParameterError
from .addresses import Finder
from .base_nodes import BASE_NODES, ROBOTS_OF_FORMER_VERSIONS
from .documents import Document, Proto, text_of
from .vrml import parse

ROBOTS = ("Robot", *ROBOTS_OF_FORMER_VERSIONS)
"""Nodes that are robots."""
_MOVING = frozenset(
    (*ROBOTS, "HingeJoint", "Hinge2Joint", "SliderJoint", "BallJoint", "Track", "Propeller", "RotationalMotor",
     "LinearMotor", "Servo")
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Scope:
    """The file that a node is in, and the PROTOs around it."""

    document: Document
    """Its file."""
    proto: Proto | None = None
    """The PROTO whose body it is in; None: none."""
    outer: Scope | None = None
    """Where that PROTO is used."""
    depth: int = 0
    """How many PROTOs are around it [1]."""


@dataclass
class ProtoFiles:
    """Finds and reads the files of PROTOs, each once."""

    finder: Finder
    """Where they are."""
    documents: dict[Path, Document | str] = field(default_factory=dict)
    """Files that were read, or why they were not."""
    words: dict[int, frozenset[str]] = field(default_factory=dict)
    """Nodes that PROTOs have in them, by the PROTOs."""
    found: dict[tuple[int, str], tuple[Proto | None, str]] = field(default_factory=dict)
    """PROTOs that names stand for, by the file and the name."""

    def moves(self, proto: Proto, scope: Scope) -> bool:
        """Whether a PROTO may have a robot or a joint in it, by the words of its body and of the PROTOs it uses."""
        pending, seen = [(proto, scope)], set()
        while pending:
            each, around = pending.pop()
            if id(each) in seen:
                continue
            seen.add(id(each))
            if id(each) not in self.words:
                text = re.sub(r"#[^\n]*", "", each.header + each.body)
                self.words[id(each)] = frozenset(re.findall(r"([^\W\d][\w:.+\-]*)\s*\{", text))
            words = self.words[id(each)]
            if words & _MOVING:
                return True
            inner = Scope(each.document, each, around)
            for word in words - BASE_NODES:
                try:
                    found, _ = self.find(word, inner)
                except ParameterError:
                    return True
                if found is not None:
                    pending.append((found, inner))
        return False

    def find(self, kind: str, scope: Scope) -> tuple[Proto | None, str]:
        """The PROTO that a name stands for in a scope, or why there is none."""
        key = (id(scope.document), kind)
        if key not in self.found:
            self.found[key] = self._look(kind, scope)
        return self.found[key]

    def _look(self, kind: str, scope: Scope) -> tuple[Proto | None, str]:
        around: Scope | None = scope
        if kind in scope.document.protos:
            return scope.document.protos[kind], ""
        address = scope.document.externals.get(kind, "")
        path = self.finder.at_address(address, scope.document.file) if address else None
        while path is None and around is not None:
            # without an address, as until Webots R2022a: beside the file, or beside the one that uses it
            path = self.finder.beside(kind, around.document.file)
            around = around.outer
        if path is None and not address:
            path = self.finder.in_tree(kind, scope.document.file)
        if path is None:
            path = self.finder.in_assets(f"{kind}.proto") or self.finder.in_webots(kind, address, scope.document.file)
        if path is None:
            return None, address or f"{kind}.proto"
        document = self._document(path)
        if isinstance(document, str):
            raise ParameterError(document)
        proto = document.protos.get(kind) or next(iter(document.protos.values()), None)
        if proto is None:
            raise ParameterError(f"{path}: there is no PROTO in it")
        return proto, ""

    def _document(self, path: Path) -> Document | str:
        key = Path(os.path.abspath(path))
        if key not in self.documents:
            try:
                self.documents[key] = parse(*text_of(path))
            except ParameterError as error:
                self.documents[key] = str(error)
        return self.documents[key]
