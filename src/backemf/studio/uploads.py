"""Files that a browser has sent: bounded in size and number, under names of our own, in a folder of their session.

Nothing here opens a path from a browser. What a file is called is kept for messages alone; where a text names another
file, as a rig names its robot's model, it means an upload of that name in the same session.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ..errors import BackemfError, ParameterError
from ..files import make_private_folder, read_text, write_text
from ..toml_text import parse_toml
from ..values import Foreign, Json
from ..web.guard import DAY

MOST_FILES = 60
"""Most files of a session [1]."""
LARGEST = 100_000_000
"""Largest file [bytes]."""
LARGEST_SESSION = 400_000_000
"""Largest sum of the files of a session [bytes]."""
ENDINGS = (".csv", ".parquet", ".npz", ".json", ".mcap", ".toml", ".xml", ".mjcf", ".urdf", ".usd", ".usda", ".usdc",
           ".proto", ".wbt")  # fmt: skip
"""Files that some reader of the command line reads."""
PATH_FIELDS = ("file", "model", "network")
"""Fields of TOML files that hold a path."""
INDEX = "index.json"


@dataclass(frozen=True)
class Upload:
    """A file of a session."""

    key: str
    """Its name in the address and in its folder."""
    name: str
    """What it is called in messages."""
    path: Path
    """Where it lies."""

    @property
    def ending(self) -> str:
        """What its name ends in, such as .csv."""
        return self.path.suffix


class Uploads:
    """The files of one session."""

    def __init__(self, root: Path, session: str):
        """`root` holds the folders of all sessions; `session` is what the browser's cookie names."""
        self.folder = root / hashlib.sha256(session.encode()).hexdigest()[:32]

    def place(self, name: str, size: int) -> Upload:
        """Where a new file is to be written; raises `ParameterError` where it is too large, one too many, or no log,
        motor or robot."""
        shown = plain_name(name)
        ending = PurePosixPath(shown).suffix.lower()
        if ending not in ENDINGS:
            raise ParameterError(f"{shown}: is not a file that the studio reads: it reads {', '.join(ENDINGS)}")
        if size > LARGEST:
            raise ParameterError(f"{shown}: is larger than {LARGEST // 10**6} MB: use the command line for it")
        known = self.all()
        if len(known) >= MOST_FILES:
            raise ParameterError(f"{shown}: is one more than the {MOST_FILES} files of a session; remove some first")
        if size + sum(each.path.stat().st_size for each in known if each.path.exists()) > LARGEST_SESSION:
            most = LARGEST_SESSION // 10**6
            raise ParameterError(f"{shown}: with it the files of this session are larger than {most} MB; remove some")
        make_private_folder(self.folder)
        key = secrets.token_hex(6) + ending
        write_text(self.folder / INDEX, json.dumps({each.key: each.name for each in known} | {key: shown}))
        return Upload(key, shown, self.folder / key)

    def all(self) -> list[Upload]:
        """Every file, the oldest first."""
        try:
            names = json.loads(read_text(self.folder / INDEX))
        except (BackemfError, ValueError):
            return []
        return [Upload(key, name, self.folder / key) for key, name in names.items()]

    def get(self, key: str) -> Upload:
        """A file by its name in the address."""
        for each in self.all():
            if each.key == key and each.path.exists():
                return each
        raise ParameterError("a file of this address is not here: it is another browser's, or a day old; drop it again")

    def remove(self, key: str) -> None:
        """Forget a file."""
        left = {each.key: each.name for each in self.all() if each.key != key}
        if len(left) < len(self.all()):
            (self.folder / key).unlink(missing_ok=True)
            write_text(self.folder / INDEX, json.dumps(left))

    def write(self, key: str, text: str) -> None:
        """Keep an answer beside the files, such as that of a fit."""
        make_private_folder(self.folder)
        write_text(self.folder / f"{_hexadecimal(key)}.answer", text)

    def read(self, key: str) -> str:
        """An answer that was kept; empty where there is none."""
        path = self.folder / f"{_hexadecimal(key)}.answer"
        try:
            return read_text(path, LARGEST)
        except ParameterError:
            return ""

    def names(self) -> dict[str, str]:
        """Path of each file by what it is called; of two of one name the newer counts."""
        return {each.name: str(each.path) for each in self.all()}


def _hexadecimal(key: str) -> str:
    if not re.fullmatch(r"[0-9a-f]{1,64}", key):
        raise ParameterError("the address names an answer that cannot be: start the work again")
    return key


def plain_name(name: str) -> str:
    """What a file is called, without folders and signs that a path or a text could stumble over."""
    last = re.split(r"[/\\]", str(name))[-1]
    return re.sub(r"[^A-Za-z0-9._-]+", "_", last).lstrip(".")[-80:] or "file"


def forget_old(root: Path) -> None:
    """Remove the files of sessions that were last used more than a day ago."""
    with suppress(OSError):
        for folder in root.iterdir():
            if folder.is_dir() and not folder.is_symlink() and time.time() - folder.stat().st_mtime > DAY:
                shutil.rmtree(folder, ignore_errors=True)


# --- texts that name other files


def with_own_files(text: str, name: str, files: Mapping[str, str]) -> str:
    """A rig or a task in which names of uploads have become their paths; any other path is an error."""
    for shown in _paths(parse_toml(text, name, ParameterError, "a TOML file")):
        if shown not in files:
            there = ", ".join(files) or "none"
            raise ParameterError(f"{name}: names the file {shown[:80]!r}, which was not dropped in; there are {there}")
        text = text.replace(f'"{shown}"', json.dumps(files[shown])).replace(f"'{shown}'", json.dumps(files[shown]))
    for path in _paths(parse_toml(text, name, ParameterError, "a TOML file")):
        if path not in files.values():
            raise ParameterError(f"{name}: write the name of the file {path[:80]!r} plainly between quotes")
    return text


def _paths(content: Json | Foreign) -> Iterator[str]:
    """Every text of a field that holds a path."""
    if isinstance(content, Mapping):
        for key, value in content.items():
            if key in PATH_FIELDS and isinstance(value, str):
                yield value
            yield from _paths(value)
    elif isinstance(content, list):
        for each in content:
            yield from _paths(each)


def require_alone(path: Path, name: str) -> None:
    """Check that a robot's model names no file that would be opened; meshes are not."""
    if path.suffix in (".usd", ".usda", ".usdc"):
        from ..sims.usd import named_files

        for other in named_files(path):
            raise ParameterError(f"{name}: names the file {other[:80]!r}; flatten it into one, or use the command line")
        return
    from ..sims.xml_text import parse_xml

    root = parse_xml(read_text(path, what="a robot's model"), name, "a robot's model")
    for element in root.iter():
        if element.tag in ("include", "plugin", "attach", "model") or (element.get("file") and element.tag != "mesh"):
            raise ParameterError(
                f"{name}: <{element.tag}> names another file; put all of the model into one, or use the command line"
            )
