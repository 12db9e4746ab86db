"""A tree of Webots itself around a file, an installation or a clone of its repository, and the PROTOs in it.

Until R2022a a world gave no addresses: Webots found a PROTO by its name alone in the `protos` folders of its own
projects. A file of such a tree is read with the PROTOs of that tree; links are not followed.
"""

from __future__ import annotations

import os
from pathlib import Path

PROJECTS = ("projects", "resources/projects")
"""Folders with the projects of a tree, in the order in which Webots looks through them."""
MOST_FOLDERS = 20_000
"""Folders of a tree that are looked at [1]."""
_OF_A_PROJECT = frozenset(("controllers", "worlds", "protos", "plugins"))


def tree_of(file: str) -> Path | None:
    """The nearest folder above a file that is a tree of Webots; None: there is none."""
    above = Path(os.path.abspath(file)).parents
    return next((folder for folder in above if all((folder / each).is_dir() for each in PROJECTS)), None)


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


def _folders_to_search(folders: list[str], within_protos: bool) -> list[str]:
    """Folders that Webots looks into: of a project its `protos` alone, and there no pictures."""
    if within_protos:
        return [name for name in folders if name not in ("textures", "icons")]
    is_project = not _OF_A_PROJECT.isdisjoint(folders)
    return [name for name in folders if name == "protos"] if is_project else folders
