"""Files that a browser has sent: bounded in size and number, under names of our own, in a folder of their session.

Nothing here opens a path from a browser. What a file is called is kept for messages alone; where a text names another
file, as a rig names its robot's model, it means an upload of that name in the same session (`named_files.py`).
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ..errors import BackemfError, ParameterError
from ..files import make_private_folder, read_text, write_text
from ..values import Foreign, Json

MOST_FILES = 60
"""Most files of a session [1]."""
LARGEST = 100_000_000
"""Largest file [bytes]."""
LARGEST_SESSION = 400_000_000
"""Largest sum of the files of a session [bytes]."""
ENDINGS = (".csv", ".tsv", ".txt", ".parquet", ".npz", ".json", ".jsonl", ".mcap", ".toml", ".xml", ".mjcf", ".urdf",
           ".usd", ".usda", ".usdc", ".proto", ".wbt")  # fmt: skip
"""Files that some reader of the command line reads."""
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

    def text_within(self, largest: int) -> str:
        """Its text; empty where it is longer [bytes], or no text."""
        try:
            return read_text(self.path, largest)
        except BackemfError:
            return ""


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


def kept_answer(files: Uploads, key: str) -> dict[str, Foreign]:
    """The answer of an earlier job that an address names; empty where it is not here."""
    try:
        return json.loads(files.read(key)) if key else {}
    except (BackemfError, ValueError):
        return {}


def key_of(asked: Mapping[str, Json]) -> str:
    """Name of the answer to what was asked."""
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:24]


def size_words(count: int) -> str:
    """A size of a file [bytes] in words."""
    return f"{count // 10**6} MB" if count >= 10**6 else f"{count // 1000} kB"
