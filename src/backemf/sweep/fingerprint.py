"""What a thing is, as one text: two sweeps of the same have the same, also in other processes and on other days."""

from __future__ import annotations

import hashlib
import inspect
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import Path

import numpy as np

from ..files import open_plain

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
"""Where an object is in memory, which differs from run to run."""
LARGEST_FILE = 10**12
"""Largest file that is read [bytes]."""
DEEPEST = 4
"""How far objects without fields are followed: they may hold each other [1]."""


def fingerprint(thing: object) -> str:
    """SHA-256 of what a thing is made of."""
    return hashlib.sha256(_text(thing).encode()).hexdigest()


def file_fingerprint(path: str | Path) -> str:
    """SHA-256 of what is in a file, or in the files of a folder."""
    target, found = Path(path), hashlib.sha256()
    for each in sorted(target.rglob("*")) if target.is_dir() else [target]:
        if each.is_file():
            with open_plain(each, LARGEST_FILE, what="a file of a sweep") as file:
                own = hashlib.sha256()
                while piece := file.read(1 << 20):
                    own.update(piece)
                found.update(own.digest())
    return found.hexdigest()


def _text(thing: object, deep: int = 0) -> str:
    if isinstance(thing, np.ndarray):
        return f"{thing.dtype}{thing.shape}{hashlib.sha256(np.ascontiguousarray(thing).tobytes()).hexdigest()}"
    if isinstance(thing, (np.generic, bool, int, float)):
        return repr(thing.item() if isinstance(thing, np.generic) else thing)
    if isinstance(thing, Path):
        return repr(str(thing))
    if inspect.ismodule(thing):
        return thing.__name__
    if isinstance(thing, partial):
        return f"partial({_text(thing.func, deep)}, {_text(thing.args, deep)}, {_text(thing.keywords, deep)})"
    if is_dataclass(thing) and not isinstance(thing, type):
        own = ", ".join(f"{entry.name}={_text(getattr(thing, entry.name), deep)}" for entry in fields(thing))
        return f"{type(thing).__module__}.{type(thing).__qualname__}({own})"
    if isinstance(thing, Mapping):
        return "{" + ", ".join(f"{_text(key, deep)}: {_text(value, deep)}" for key, value in thing.items()) + "}"
    if isinstance(thing, (list, tuple)):
        return "[" + ", ".join(_text(each, deep) for each in thing) + "]"
    if inspect.isfunction(thing):
        inner = [_text(cell.cell_contents, deep) for cell in thing.__closure__ or ()]
        return f"{thing.__qualname__} {_source(thing)} {_text(thing.__defaults__, deep)} {inner}"
    own = getattr(thing, "__dict__", {}) if deep < DEEPEST and not isinstance(thing, type) else {}
    return f"{_source(type(thing))} {ADDRESS.sub('', repr(thing))} {_text(dict(own), deep + 1) if own else ''}"


def _source(thing: type | object) -> str:
    """The source of a function or a class; its name where there is none."""
    if getattr(thing, "__module__", "").partition(".")[0] in ("builtins", "numpy"):
        return str(getattr(thing, "__qualname__", ""))
    try:
        return inspect.getsource(thing)  # type: ignore[arg-type]
    except (OSError, TypeError):
        return f"{getattr(thing, '__module__', '')}.{getattr(thing, '__qualname__', '')}"
