"""Write the hashes of every pinned version into the constraints files.

`python tools/hashes.py` asks the Python package index which files each `name==version` line of `constraints*.txt` has,
for all systems, and writes their SHA-256 below the line. Change a version by editing its line and run it again.

`--wheels FOLDER` hashes wheels in a folder, for builds that the index does not have, such as that of PyTorch for the
CPU alone: the version of one goes on after a plus sign. Without it their hashes stay. Uses the standard library only.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path
from urllib.error import URLError
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent
INDEX = "https://pypi.org/simple/"
PIN = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)==([A-Za-z0-9.!+-]+)")
DIGEST = re.compile(r"--hash=sha256:([0-9a-f]{64})(?![0-9a-f])")


class Links(HTMLParser):
    """Files of a package on its page of the index, with their SHA-256."""

    def __init__(self) -> None:
        super().__init__()
        self.files: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        address, _, digest = (dict(attrs).get("href") or "").partition("#sha256=")
        if tag == "a" and re.fullmatch("[0-9a-f]{64}", digest):
            self.files[unquote(address.rsplit("/", 1)[-1])] = digest


def plain_name(name: str) -> str:
    """A package's name as the index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def version_in(file: str, name: str) -> str | None:
    """The version in the name of a package's wheel or source archive; None: another file."""
    wheel = re.fullmatch(r"(.+?)-([^-]+)(?:-\d[^-]*)?-[^-]+-[^-]+-[^-]+\.whl", file)
    source = re.fullmatch(r"(.+)-([^-]+?)\.(?:tar\.gz|zip)", file)
    found = wheel or source
    if found is None or plain_name(found[1]) != plain_name(name):
        return None
    return found[2]


def is_version(found: str | None, version: str) -> bool:
    """Whether two versions are the same, such as 13.0.3 and 13.0.3.0."""
    return found is not None and re.sub(r"(\.0)+$", "", found) == re.sub(r"(\.0)+$", "", version)


def index_hashes(name: str, version: str) -> set[str]:
    """SHA-256 of every file that the index has of a version."""
    with urllib.request.urlopen(f"{INDEX}{plain_name(name)}/", timeout=60) as answer:
        page = Links()
        page.feed(answer.read().decode())
    return {digest for file, digest in page.files.items() if is_version(version_in(file, name), version)}


def folder_hashes(folder: Path | None, name: str, version: str) -> set[str]:
    """SHA-256 of the wheels of a version in a folder."""
    wheels = folder.glob("*.whl") if folder else ()
    return {hashlib.sha256(x.read_bytes()).hexdigest() for x in wheels if is_version(version_in(x.name, name), version)}


def pins(text: str) -> Iterator[tuple[str, str, list[str]]]:
    """Every `name==version` of a constraints file with its hashes, in order; ValueError for a line that is neither."""
    joined = re.sub(r"\\\n\s*", " ", text)
    for line in joined.splitlines():
        content = line.partition("#")[0].strip()
        if not content:
            continue
        pin, *options = content.split()
        found = PIN.fullmatch(pin)
        digests = [DIGEST.fullmatch(x) for x in options]
        if found is None or not all(digests):
            raise ValueError(f"{line.strip()[:80]!r} must be name==version with hashes")
        yield found[1], found[2], [x[1] for x in digests if x]


def write_hashes(text: str, digests: Mapping[tuple[str, str], Iterable[str]]) -> str:
    """The text of a constraints file with these hashes; comments at its head stay."""
    head = [line for line in text.splitlines() if line.startswith("#")]
    body = []
    for name, version, _ in pins(text):
        body.append(" \\\n".join([f"{name}=={version}", *(f"    --hash=sha256:{x}" for x in digests[name, version])]))
    return "\n".join([*head, *body]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the hashes of every pinned version into the constraints files.")
    parser.add_argument("--wheels", type=Path, help="folder of wheels that are allowed beside those of the index")
    folder = parser.parse_args().wheels
    files = {path: path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("constraints*.txt"))}
    wanted = sorted({(name, version) for text in files.values() for name, version, _ in pins(text)})
    try:
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda pin: index_hashes(*pin), wanted))
    except URLError as wrong:
        sys.exit(f"{INDEX}: {wrong}; no file was changed")
    digests = {pin: sorted(one | folder_hashes(folder, *pin)) for pin, one in zip(wanted, found, strict=True)}
    for text in files.values():
        for name, version, before in pins(text):
            if "+" in version and not digests[name, version]:
                digests[name, version] = before
    missing = ["==".join(pin) for pin, one in digests.items() if not one]
    if missing:
        sys.exit(f"the index has no file of {', '.join(missing)}: correct the version; no file was changed")
    for path, text in files.items():
        path.write_text(write_hashes(text, digests), encoding="utf-8")
        print(f"{path.name}: {len(list(pins(text)))} versions")


if __name__ == "__main__":
    main()
