"""Trees of Webots itself, an installation or a clone of its repository, and the PROTOs in them.

Until R2022a a world gave no addresses: Webots found a PROTO by its name alone in the `protos` folders of its own
projects. Since then a world gives its address, webots://projects/... or the same path in Webots' repository. A file of
such a tree is read with the PROTOs of that tree, any other file with those of the installation that WEBOTS_HOME names,
Webots' own variable; links are not followed.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

PROJECTS = ("projects", "resources/projects")
"""Folders with the projects of a tree, in the order in which Webots looks through them."""
MOST_FOLDERS = 20_000
"""Folders of a tree that are looked at [1]."""
_REPOSITORY = r"https?://(?:raw\.githubusercontent\.com|github\.com)/cyberbotics/webots/[^/]+/(?:[^/]+/)?"
_OWN_ADDRESS = re.compile(rf"(?:webots://|{_REPOSITORY})((?:resources/)?projects/.+)", re.IGNORECASE)
_OF_A_PROJECT = frozenset(("controllers", "worlds", "protos", "plugins"))


def tree_of(file: str) -> Path | None:
    """The nearest folder above a file that is a tree of Webots; None: there is none."""
    return next((folder for folder in Path(os.path.abspath(file)).parents if _is_tree(folder)), None)


def installed_tree() -> Path | None:
    """The tree of the installation that WEBOTS_HOME names, on macOS within its `Contents`; None: there is none."""
    home = os.environ.get("WEBOTS_HOME", "")
    return next((folder for folder in (Path(home), Path(home, "Contents")) if home and _is_tree(folder)), None)


def path_in_webots(address: str) -> str:
    """The path that an address of one of Webots' own files has in a tree of Webots; empty: it is another file."""
    own = _OWN_ADDRESS.fullmatch(address)
    return "" if own is None or ".." in own[1].split("/") else own[1]


def file_in_tree(tree: Path, path: str) -> Path | None:
    """The file at a path in a tree; None: it is not there, or is a link to elsewhere."""
    found = tree / path
    try:
        return found if found.is_file() and found.resolve() == tree.resolve() / path else None
    except (OSError, ValueError):
        return None


def protos_of_tree(tree: Path) -> dict[str, Path]:
    """The PROTOs of a tree by the names of their files, the first of each name."""
    found: dict[str, Path] = {}
    left = MOST_FOLDERS
    for projects in PROJECTS:
        for inside, folders, files in os.walk(tree / projects):
            left -= 1
            if left < 0:
                return found
            within = "protos" in Path(inside).relative_to(tree).parts
            folders[:] = sorted(_folders_to_search(folders, within))
            for name in sorted(files):
                path = Path(inside) / name
                if within and name.endswith(".proto") and not path.is_symlink():
                    found.setdefault(name, path)
    return found


def _is_tree(folder: Path) -> bool:
    return all((folder / each).is_dir() for each in PROJECTS)


def _folders_to_search(folders: list[str], within_protos: bool) -> list[str]:
    """Folders that Webots looks into: of a project its `protos` alone, and there no pictures."""
    if within_protos:
        return [name for name in folders if name not in ("textures", "icons")]
    is_project = not _OF_A_PROJECT.isdisjoint(folders)
    return [name for name in folders if name == "protos"] if is_project else folders
