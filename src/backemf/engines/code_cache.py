"""Machine code that was compiled before, in the user's cache folder: found by content, and only where it is safe.

A file holds the hash of its code, so that a damaged or foreign one is compiled anew. The folder is the user's alone;
where it is not, or cannot be written, nothing is kept.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

from ..errors import BackemfError
from ..files import make_private_folder, read_bytes, remove_oldest, write_bytes
from ..values import Module

SWITCH = "BACKEMF_CACHE"
"""Environment variable; with the value "off" nothing that was compiled is kept between processes."""
LARGEST = 32_000_000
"""Largest compiled step that is read [bytes]."""
MOST_FILES = 512
"""How many compiled steps are kept; the oldest go first."""
_MARK = b"backemf native 1\n"


def cache_folder(name: str) -> Path | None:
    """Where something compiled is kept, by the name of its compiler; None: nowhere, switched off or without a home."""
    if os.environ.get(SWITCH, "").lower() in ("off", "0", "no", "false"):
        return None
    given = os.environ.get("XDG_CACHE_HOME", "")
    try:
        home = Path(given) if os.path.isabs(given) else Path.home() / ".cache"
    except RuntimeError:  # a user without a home
        return None
    # a home that depends on where the process stands would leave a folder in each place
    return home / "backemf" / name if home.is_absolute() else None


def key_of(text: str, machine: tuple[str, ...]) -> str:
    """The name of a compiled text: what it says, what it is compiled for, and by what."""
    version = getattr(sys.modules.get("backemf"), "__version__", "")
    return hashlib.sha256("\0".join((text, version, *machine)).encode()).hexdigest()


def find_code(key: str) -> bytes | None:
    """Code that was compiled before; None where there is none that can be trusted."""
    here = cache_folder("native")
    if here is None:
        return None
    try:
        make_private_folder(here)
        content = read_bytes(here / f"{key}.o", LARGEST)
    except BackemfError:
        return None
    code = content[len(_MARK) + 32 :]
    return code if code and content[: len(_MARK) + 32] == _MARK + _seal(key, code) else None


def keep_code(key: str, code: bytes) -> None:
    """Keep compiled code for the next process, where that is possible."""
    here = cache_folder("native")
    if here is None:
        return
    try:
        make_private_folder(here)
        write_bytes(here / f"{key}.o", _MARK + _seal(key, code) + code)
        remove_oldest(here, ".o", MOST_FILES)
    except BackemfError:
        return


def _seal(key: str, code: bytes) -> bytes:
    return hashlib.sha256(key.encode() + code).digest()


def attach_cache(engine: Module, key: str) -> None:
    """Let an execution engine of LLVM take its code from the cache, or put it there."""
    engine.set_object_cache(lambda module, code: keep_code(key, code), lambda module: find_code(key))
