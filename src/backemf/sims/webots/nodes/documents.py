"""Files of Webots as texts: worlds and the PROTOs that they have or name."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import NamedTuple

from ....errors import ParameterError
from ....files import read_bytes
from .node import Node, NodeValue

LARGEST = 64_000_000
"""Longest text that is read [bytes]."""


class ProtoField(NamedTuple):
    """A field in the header of a PROTO."""

    type: str
    """Its type, such as SFVec3f."""
    value: NodeValue
    """Its default."""


@dataclass(frozen=True, kw_only=True)
class Proto:
    """A PROTO in a file: the texts of its header and its body."""

    name: str
    """Its name."""
    header: str
    """Text of its fields."""
    header_line: int
    """Line on which they begin [1]."""
    body: str
    """Text of its nodes."""
    body_line: int
    """Line on which they begin [1]."""
    document: Document
    """The file that it is in."""


@dataclass(eq=False)
class Document:
    """What one file says."""

    file: str = ""
    """Where the text is from."""
    language: str = ""
    """Language of its templates, if the file says it: "javascript" or "lua"."""
    version: str = ""
    """Version of Webots that wrote it, such as R2023b."""
    roots: list[Node] = field(default_factory=list)
    """Its nodes, in the order of the text."""
    protos: dict[str, Proto] = field(default_factory=dict)
    """The PROTOs that it has, by their names."""
    externals: dict[str, str] = field(default_factory=dict)
    """Addresses of the PROTOs that are elsewhere, by their names."""
    numbers: dict[str, list[float]] = field(default_factory=dict)
    """Lists of numbers by their texts, since a PROTO that is used often has the same mesh every time."""
    notes: list[str] = field(default_factory=list)
    """What Webots leaves out of it."""


def text_of(text_or_path: str | os.PathLike[str]) -> tuple[str, str]:
    """The text, and the file that it is from; a text with a brace or a line break is not a path."""
    if isinstance(text_or_path, str) and any(mark in text_or_path for mark in "{\n"):
        return text_or_path, ""
    if not isinstance(text_or_path, (str, os.PathLike)):
        raise ParameterError(f"text = {type(text_or_path).__name__}(...): must be a text, or the path of a file")
    raw = read_bytes(text_or_path, LARGEST, what="a world or PROTO of Webots")
    if b"\0" in raw:
        raise ParameterError(f"{text_or_path}: this is not text, so it is not a world of Webots")
    try:
        return raw.decode("utf-8-sig"), str(text_or_path)
    except UnicodeDecodeError:
        # old worlds whose comments and names are in Windows' encoding
        return raw.decode("latin-1"), str(text_or_path)
