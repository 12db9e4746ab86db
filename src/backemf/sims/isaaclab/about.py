"""What this package offers for Isaac Lab."""

from __future__ import annotations

import re
from pathlib import Path

from ...files import read_text
from ..room import About
from .configured import CLASSES


def holds(file: Path) -> bool:
    """Whether a Python file is a configuration of Isaac Lab; mjlab before 1.6 has the same name for its joints."""
    text = read_text(file)
    if re.search(r"\bisaaclab\b", text):
        return True
    mjlab = re.search(r"^\s*(from|import)\s+mjlab\b", text, re.MULTILINE)
    return mjlab is None and "joint_names_expr" in text


ABOUT = About(
    title="Isaac Lab",
    kinds=tuple(CLASSES),
    versions=("2.0", "2.1", "2.2", "2.3"),
    networks=True,
    patterns=True,
    holds=holds,
)
