"""A Python that sees what a plain `pip install` brings, and no package that is installed besides.

`plain_python(...)` runs one; this file is also the program that hides the others in it.
"""

import importlib.metadata
import os
import re
import runpy
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@cache
def base_packages() -> frozenset[str]:
    """Names of the distributions that a plain install brings, with all that they ask for."""
    from packaging.requirements import Requirement

    found: set[str] = set()
    waiting = [Requirement(text) for text in PROJECT["dependencies"]]
    while waiting:
        wanted = waiting.pop()
        name = re.sub(r"[-_.]+", "-", wanted.name).lower()
        if name in found or (wanted.marker is not None and not wanted.marker.evaluate({"extra": ""})):
            continue
        found.add(name)
        waiting += [Requirement(text) for text in importlib.metadata.requires(name) or []]
    return frozenset(found)


@cache
def base_modules() -> frozenset[str]:
    """Modules of those distributions, by the first part of their names."""
    return modules_of(base_packages())


@cache
def modules_of(packages: frozenset[str]) -> frozenset[str]:
    """Modules of some distributions, by the first part of their names."""
    homes = importlib.metadata.packages_distributions()
    return frozenset(
        module
        for module, names in homes.items()
        if any(re.sub(r"[-_.]+", "-", name).lower() in packages for name in names)
    )


@cache
def demo_packages() -> frozenset[str]:
    """Names of the distributions that are pinned for the demo."""
    text = (ROOT / "constraints-demo.txt").read_text(encoding="utf-8")
    return frozenset(re.sub(r"[-_.]+", "-", name).lower() for name in re.findall(r"^([\w.-]+)==", text, re.MULTILINE))


def plain_python(*arguments: str | Path, seen: frozenset[str] | None = None, **options) -> subprocess.CompletedProcess:
    """Run a script, or a module behind `-m`, with its arguments, where only a plain install is seen, or `seen`."""
    hidden = set(importlib.metadata.packages_distributions()) - (seen or base_modules()) - {"backemf"}
    environment = {**os.environ, "HIDDEN_MODULES": " ".join(sorted(hidden)), "MPLBACKEND": "Agg"}
    environment |= {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), *sys.path])}
    command = [sys.executable, str(Path(__file__)), *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, **options)


class Hiding:
    """A finder that does not find what is hidden."""

    def __init__(self, finder, hidden: set[str]):
        self.finder, self.hidden = finder, hidden

    def find_spec(self, name, path=None, target=None):
        return None if name.partition(".")[0] in self.hidden else self.finder.find_spec(name, path, target)


def main() -> None:
    hidden = set(os.environ["HIDDEN_MODULES"].split())
    sys.meta_path[:] = [Hiding(finder, hidden) for finder in sys.meta_path]
    del sys.argv[0]
    if sys.argv[0] == "-m":
        del sys.argv[0]
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
