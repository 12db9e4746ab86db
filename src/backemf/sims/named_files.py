"""Files that a robot's model names."""

from __future__ import annotations

from pathlib import Path

from ..errors import ParameterError
from ..files import read_text
from .xml_text import parse_xml


def require_alone(path: Path, name: str) -> None:
    """Check that a robot's model names no file that would be opened; meshes are not. `name` is its name in messages."""
    if path.suffix in (".usd", ".usda", ".usdc"):
        from .usd import named_files

        for other in named_files(path):
            raise ParameterError(f"{name}: names the file {other[:80]!r}; flatten it into one, or use the command line")
        return
    root = parse_xml(read_text(path, what="a robot's model"), name, "a robot's model")
    for element in root.iter():
        if element.tag in ("include", "plugin", "attach", "model") or (element.get("file") and element.tag != "mesh"):
            raise ParameterError(
                f"{name}: <{element.tag}> names another file; put all of the model into one, or use the command line"
            )
