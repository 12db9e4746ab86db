"""List the licences of what is installed beside this Python, and refuse one that is not permissive without a reason.

`.venv/bin/python tools/licences.py dev` looks at `.venv`, `.venv-newton/bin/python tools/licences.py newton` at that
of Newton, and so on. `licences.toml` holds what is not permissive and why it is used; an entry that the environment
it names does not have, or whose licence is another one now, is refused as well. Uses the standard library only.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
REASONS = ROOT / "licences.toml"
PERMISSIVE = {
    "0BSD", "Apache-2.0", "BSD", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "HPND", "ISC", "MIT", "MIT-CMU",
    "PSF-2.0", "Unlicense", "Zlib",
}  # fmt: skip
"""Identifiers of SPDX, and BSD where a package does not say which."""
CLASSIFIERS = {
    "MIT License": "MIT",
    "BSD License": "BSD",
    "Apache Software License": "Apache-2.0",
    "ISC License (ISCL)": "ISC",
    "Python Software Foundation License": "PSF-2.0",
    "zlib/libpng License": "Zlib",
    "The Unlicense (Unlicense)": "Unlicense",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
WORDS = {"Apache 2.0": "Apache-2.0", "3-Clause BSD License": "BSD-3-Clause", "BSD 3-Clause License": "BSD-3-Clause"}
"""What packages write instead of an identifier."""
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Installed:
    """A package that is installed."""

    name: str
    version: str
    licence: str


@dataclass(frozen=True)
class Reason:
    """A line of `licences.toml`: why a package is used although its licence is not permissive."""

    name: str
    licence: str
    reason: str
    environments: tuple[str, ...]
    optional: bool = False


def plain_name(name: str) -> str:
    """A package's name as the index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def licence_of(about: Any) -> str:
    """The licence in a package's metadata, as an SPDX expression where it can be found."""
    expression = about.get("License-Expression")
    if expression:
        return expression
    first = (about.get("License") or "").strip().splitlines()[:1]
    text = WORDS.get(first[0], first[0]) if first else ""
    if is_expression(text):
        return text
    found = [x.rsplit(" :: ", 1)[1] for x in about.get_all("Classifier") or [] if x.startswith("License :: ")]
    if len(found) > 0 and all(x in CLASSIFIERS for x in found):
        return " AND ".join(CLASSIFIERS[x] for x in found)
    return found[0] if found else UNKNOWN


def is_expression(text: str) -> bool:
    """Whether a text is made of identifiers of licences alone."""
    parts = re.split(r"\s+(?:AND|OR|WITH)\s+", text.replace("(", " ").replace(")", " ").strip())
    return text not in ("", "UNKNOWN") and all(re.fullmatch(r"[A-Za-z0-9.+-]+", x.strip()) for x in parts)


def is_permissive(expression: str) -> bool:
    """Whether an expression asks for nothing but a notice: one side of OR has to, both of AND."""
    text = re.sub(r"\s+WITH\s+[A-Za-z0-9.-]+", "", expression.strip())
    while "(" in text:
        inner = re.search(r"\(([^()]*)\)", text)
        if inner is None:
            return False
        text = text[: inner.start()] + ("MIT" if is_permissive(inner[1]) else UNKNOWN) + text[inner.end() :]
    sides = re.split(r"\s+OR\s+", text)
    return any(all(part.strip() in PERMISSIVE for part in re.split(r"\s+AND\s+", side)) for side in sides)


def installed_packages() -> list[Installed]:
    """Everything that is installed beside this Python, by name."""
    found = {}
    for one in metadata.distributions():
        name = one.metadata["Name"]
        found.setdefault(plain_name(name), Installed(plain_name(name), one.version, licence_of(one.metadata)))
    return [found[name] for name in sorted(found)]


def reasons(path: Path = REASONS) -> list[Reason]:
    """The entries of `licences.toml`; raises ValueError where one is wrong."""
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("package", [])
    return [reason_of(entry, path.name) for entry in entries]


def reason_of(entry: dict[str, Any], file: str) -> Reason:
    known = {"name": str, "licence": str, "reason": str, "environments": list, "optional": bool}
    name = entry.get("name", "a package without a name")
    for key, value in entry.items():
        if not isinstance(value, known.get(key, ())):
            raise ValueError(f"{file}, {name}: {key} = {value!r} is not one of {', '.join(known)}")
    for key in ("name", "licence", "reason", "environments"):
        if not entry.get(key):
            raise ValueError(f"{file}, {name}: {key} is missing")
    return Reason(
        plain_name(entry["name"]),
        entry["licence"],
        entry["reason"],
        tuple(entry["environments"]),
        entry.get("optional", False),
    )


def complaints(packages: Sequence[Installed], known: Sequence[Reason], environment: str) -> Iterator[str]:
    """One sentence for each package without a reason and each reason without a package."""
    given = {entry.name: entry for entry in known if environment in entry.environments}
    for package in packages:
        entry = given.get(package.name)
        if entry is None and not is_permissive(package.licence):
            yield (
                f"{package.name} {package.version} has the licence {package.licence!r}, which is not permissive: "
                f"leave it out, or give licences.toml a reason for the environment {environment!r}"
            )
        if entry is not None and entry.licence != package.licence:
            yield (
                f"{package.name} {package.version} has the licence {package.licence!r}, and licences.toml says "
                f"{entry.licence!r}: look at it again"
            )
    there = {package.name for package in packages}
    for name, entry in given.items():
        if name not in there and not entry.optional:
            yield f"licences.toml names {name}, which the environment {environment!r} does not have: remove it there"


def table(packages: Sequence[Installed], known: Sequence[Reason]) -> Iterator[str]:
    """The packages as lines of text: name, version, licence, and a mark where a reason is needed."""
    named = {entry.name for entry in known}
    wide = max(len(x.name) for x in packages)
    for x in packages:
        mark = " (reason in licences.toml)" if x.name in named and not is_permissive(x.licence) else ""
        yield f"{x.name:<{wide}}  {x.version:<18}  {x.licence}{mark}"


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("give the environment's name: tools/licences.py dev, or newton, mjlab, physx, webots, ray and so on")
    packages = installed_packages()
    try:
        known = reasons()
    except (ValueError, OSError) as wrong:
        sys.exit(str(wrong))
    found = list(complaints(packages, known, sys.argv[1]))
    if found:
        print("\n".join(table(packages, known)))
        sys.exit("\n".join(found))
    needed = sum(not is_permissive(x.licence) for x in packages)
    print(f"{sys.argv[1]}: {len(packages)} packages, {needed} of them with a reason in {REASONS.name}")


if __name__ == "__main__":
    main()
