"""Where PROTOs are: beside their file, at an address, in the tree of Webots around it, in assets, in an installation.

Nothing is fetched: an address on the web, or one of Webots' own (webots://projects/...), is looked for in the folders
of assets by its last parts; Webots' own also in the tree of Webots around the file, and in the installation that
WEBOTS_HOME names.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from ....errors import ParameterError
from .webots_trees import file_in_tree, installed_tree, path_in_webots, protos_of_tree, tree_of

MOST_FILES = 200_000
"""Files of a folder that are looked at [1]."""
PROJECT_LEVELS = 4
"""How far above a file the `protos` folder of its project may be [folders]."""
_REMOTE = re.compile(r"(?:webots|https?)://", re.IGNORECASE)


class TooManyFiles(ParameterError):
    """A folder of assets that is too large to be looked through."""


class Finder:
    """Finds PROTOs by their addresses and names; folders are listed once."""

    def __init__(self, assets: Iterable[str | os.PathLike[str]] = ()):
        self.assets = [_folder(each) for each in assets]
        self.listed: dict[Path, dict[str, list[Path]]] = {}
        self.trees: dict[Path, dict[str, Path]] = {}

    def at_address(self, address: str, file: str) -> Path | None:
        """The file at an address that another file gives; None: it is not here."""
        if not address.endswith(".proto"):
            return None
        if not _REMOTE.match(address):
            path = Path(address.removeprefix("file://").replace("\\", "/"))
            if path.is_absolute() or file:
                found = Path(file).parent / path
                if _is_file(found):
                    return found
        return self.in_assets(re.sub(_REMOTE, "", address).replace("\\", "/"))

    def beside(self, name: str, file: str) -> Path | None:
        """A PROTO in the folder of a file, or in the `protos` folder of its project; None: it is not there."""
        if not file:
            return None
        folder = Path(os.path.abspath(file)).parent
        if _is_file(folder / f"{name}.proto"):
            return folder / f"{name}.proto"
        for parent in [folder, *folder.parents][:PROJECT_LEVELS]:
            protos = parent if parent.name == "protos" else parent / "protos"
            found = self._listing(protos).get(f"{name}.proto") if protos.is_dir() else None
            if found:
                return found[0]
        return None

    def in_tree(self, name: str, file: str) -> Path | None:
        """A PROTO of the tree of Webots that a file is in, by its name; None: there is none."""
        tree = tree_of(file) if file else None
        return None if tree is None else self._protos(tree).get(f"{name}.proto")

    def in_webots(self, name: str, address: str, file: str) -> Path | None:
        """A PROTO of Webots' own, by its address or without one; None: it is not on this machine.

        It is looked for in the tree of Webots that a file is in, and in the installation that WEBOTS_HOME names.
        """
        path = path_in_webots(address)
        if address and not path:
            return None
        for tree in (tree_of(file) if file else None, installed_tree()):
            if tree is not None:
                # another version may have it elsewhere
                found = file_in_tree(tree, path) or self._protos(tree).get(Path(path).name or f"{name}.proto")
                if found is not None:
                    return found
        return None

    def in_assets(self, address: str) -> Path | None:
        """The file in the folders of assets whose last parts are most like an address; None: there is none."""
        parts = [part for part in address.split("/") if part not in ("", ".", "..")]
        if not parts:
            return None
        best: tuple[int, Path] | None = None
        for folder in self.assets:
            for path in self._listing(folder).get(parts[-1], []):
                alike = _common_end(parts, path.parts)
                if best is None or alike > best[0]:
                    best = (alike, path)
        return None if best is None else best[1]

    def _protos(self, tree: Path) -> dict[str, Path]:
        """The PROTOs of a tree of Webots by the names of their files."""
        if tree not in self.trees:
            self.trees[tree] = protos_of_tree(tree)
        return self.trees[tree]

    def _listing(self, folder: Path) -> dict[str, list[Path]]:
        """Every PROTO of a folder by its name, those nearest to the top first."""
        if folder not in self.listed:
            found: dict[str, list[Path]] = {}
            count = 0
            for inside, folders, files in os.walk(folder):
                folders.sort()
                count += len(files) + len(folders)
                if count > MOST_FILES:
                    raise TooManyFiles(f"{folder}: has more than {MOST_FILES} files; give the folder of the PROTOs")
                for name in files:
                    if name.endswith(".proto"):
                        found.setdefault(name, []).append(Path(inside) / name)
            for paths in found.values():
                paths.sort(key=lambda path: (len(path.parts), str(path)))
            self.listed[folder] = found
        return self.listed[folder]


def _folder(given: str | os.PathLike[str]) -> Path:
    folder = Path(given)
    if not folder.is_dir():
        raise ParameterError(f"assets = {str(given)!r}: there is no such folder")
    return folder


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _common_end(address: list[str], path: tuple[str, ...]) -> int:
    """How many of the last parts of an address and a path are the same."""
    count = 0
    for ours, theirs in zip(reversed(address), reversed(path), strict=False):
        if ours != theirs:
            break
        count += 1
    return count
