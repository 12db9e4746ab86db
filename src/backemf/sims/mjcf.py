"""MJCF with its included files, checked before MuJoCo opens any of them.

Public models include files of folders beside their own, Meta-World's `../scene/basic_scene.xml` for one, so that an
include may leave the model's folder. It has to be relative and lead to a file called .xml or .mjcf then; an absolute
path has to stay within the folder. Each file is included once, as in MuJoCo.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

from ..errors import ParameterError
from ..files import read_bytes, read_text, require_plain
from .xml_text import LARGEST, parse_xml

MOST_FILES = 200
"""Most files that a model includes [1]."""
ASSET = 1_000_000_000
"""Largest mesh, texture or height field [bytes]."""
_FOLDERS = ("meshdir", "texturedir", "assetdir")


def parse_mjcf(source: str | Path, comments: bool = False) -> ElementTree.Element:
    """The root of an MJCF text or file, with what it includes; `comments`: whether comments are kept."""
    return _parse(source, lambda path: read_text(path, LARGEST, what="an MJCF file or its text"), comments)


def included_files(path: Path) -> list[Path]:
    """The file of a model and every file that it includes, as absolute paths."""
    seen: dict[Path, bool] = {path.resolve(): False}
    _include(read_text(path, LARGEST, what="an MJCF file"), str(path), path.parent, seen, read_text, False)
    return list(seen)


def require_readable(source: str | Path) -> None:
    """Check that MuJoCo may open a model; raise ParameterError for a pipe, a device or too large a file.

    MuJoCo accepts comments in any encoding, and so does this.
    """
    root = _parse(source, lambda path: read_bytes(path, LARGEST, what="an MJCF file").decode("utf-8-sig", "replace"))
    folder = Path() if is_text(source) else Path(source).parent
    folders = [each.get(name) for each in root.iter("compiler") for name in _FOLDERS]
    places = [folder, *(folder / name for name in folders if name)]
    for element in root.iter():
        name = element.get("file")
        for place in places if name else ():
            path = place / str(name)
            if path.exists():
                require_plain(path, ASSET, what=f"the file of a <{element.tag}>")


def is_text(source: object) -> bool:
    """Whether this is MJCF itself rather than a path to it."""
    return isinstance(source, str) and source.lstrip().startswith("<")


def actuator_elements(root: ElementTree.Element) -> list[ElementTree.Element]:
    """All actuators of a file."""
    if root.tag != "mujoco":
        raise ParameterError(f"the root of the file is <{root.tag}>: an MJCF file begins with <mujoco>")
    return [each for section in root.findall("actuator") for each in section if isinstance(each.tag, str)]


def joints_in(root: ElementTree.Element) -> Iterator[tuple[ElementTree.Element, ElementTree.Element, str]]:
    """Each joint of a file, the body that it is in, and its class."""
    pending = [(world, world, "main") for world in root.findall("worldbody")]
    while pending:
        element, body, given = pending.pop()
        for child in element:
            if child.tag in ("body", "frame", "replicate"):
                owner = child if child.tag == "body" else body
                pending.append((child, owner, child.get("childclass", given)))
            elif child.tag in ("joint", "freejoint"):
                yield child, body, child.get("class", given)


def _parse(source: str | Path, read: Callable[[Path], str], comments: bool = False) -> ElementTree.Element:
    if is_text(source):
        return _include(str(source), "the MJCF text", Path(), {}, read, comments)
    path = Path(source)
    return _include(read(path), str(path), path.parent, {path.resolve(): False}, read, comments)


def _include(
    text: str, where: str, folder: Path, seen: dict[Path, bool], read: Callable[[Path], str], comments: bool
) -> ElementTree.Element:
    """The element of a text, with each <include> replaced by what its file holds.

    `seen` has the files that were read, True for those that are whole.
    """
    root = parse_xml(text, where, "MJCF", comments)
    for parent in list(root.iter()):
        for place, child in reversed(list(enumerate(parent))):
            if child.tag != "include":
                continue
            path = folder / child.get("file", "")
            real = _allowed_path(path, child.get("file", ""), where, folder)
            if real in seen:
                again = "is included twice: MuJoCo takes each file once" if seen[real] else "includes itself"
                raise ParameterError(f"{path}: {again}")
            if len(seen) >= MOST_FILES:
                raise ParameterError(f"{where}: includes more than {MOST_FILES} files; merge some of them")
            seen[real] = False
            inner = _include(read(path), str(path), folder, seen, read, comments)
            seen[real] = True
            parent[place : place + 1] = list(inner)
    return root


def _allowed_path(path: Path, name: str, where: str, folder: Path) -> Path:
    """The file of an include."""
    try:
        real, home = path.resolve(), folder.resolve()
    except (OSError, ValueError, RuntimeError):
        raise ParameterError(f"{where}: includes {name[:100]!r}, which is not a path") from None
    if real.is_relative_to(home):
        return real
    if Path(name).is_absolute():
        raise ParameterError(
            f"{where}: includes {name[:100]!r} by an absolute path out of the model's folder; write it relative to "
            f"{folder}"
        )
    if real.suffix.lower() not in (".xml", ".mjcf"):
        raise ParameterError(
            f"{where}: includes {name[:100]!r}, out of the model's folder and neither .xml nor .mjcf; copy it "
            f"to {folder}"
        )
    return real
