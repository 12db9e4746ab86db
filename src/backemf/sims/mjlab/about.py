"""What this package offers for mjlab."""

from __future__ import annotations

import re
from pathlib import Path

from ...files import read_text
from ..room import About
from .kinds import CLASSES


def holds(file: Path) -> bool:
    """Whether a Python file configures mjlab and not Isaac Lab, which shares names with older versions of mjlab."""
    text = read_text(file)
    if re.search(r"\bisaaclab\b", text):
        return False
    if re.search(r"^\s*(from|import)\s+mjlab\b", text, re.MULTILINE):
        return True
    return not re.search(r"\bjoint_names_expr", text) and bool(re.search(r"\bmjlab\b|target_names_expr", text))


ABOUT = About(
    title="mjlab",
    kinds=tuple(CLASSES),
    versions=("1.6",),
    networks=True,
    patterns=True,
    plugin="MotorActuatorCfg",
    holds=holds,
)
