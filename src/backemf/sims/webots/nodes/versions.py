"""Which version of Webots a file was written for, and what that says of its axes.

Until R2021b cylinders and capsules stood along y, and y pointed up; since R2022a both are z.
"""

from __future__ import annotations

import re
from contextlib import suppress

from ....errors import ParameterError
from ....files import open_plain
from .documents import LARGEST
from .node import Node

_HEADER = re.compile(r"\s*#(?:VRML_SIM|VRML_OBJ)\s+(?:R(\d{4})|V(\d+))")
_LONGEST = 200
"""Characters of a file in which its header is [1]."""


class Versions:
    """The versions of the files that a world is made of."""

    def __init__(self, text: str, file: str):
        self._majors = {file: _major(text[:_LONGEST])}

    def z_up(self, node: Node | None = None) -> bool:
        """Whether cylinders stand along z in the file of a node; without a node, in the world's own."""
        return self.major(node) >= 2022

    def major(self, node: Node | None = None) -> float:
        """The version that wrote the file of a node, 6 for V6.3.2 and 2022 for R2022b; infinite: it does not say."""
        file = next(iter(self._majors)) if node is None else node.file
        if file not in self._majors:
            self._majors[file] = _major(_beginning(file))
        return self._majors[file]


def _major(header: str) -> float:
    found = _HEADER.match(header)
    return float("inf") if found is None else float(found[1] or found[2])


def _beginning(file: str) -> str:
    with suppress(ParameterError), open_plain(file, LARGEST) as content:
        return content.read(_LONGEST).decode("utf-8", "replace")
    return ""
