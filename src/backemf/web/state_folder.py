"""What a server keeps on disk: where, the secret that signs its cookies, and how long."""

from __future__ import annotations

import os
import secrets
import shutil
import time
from contextlib import suppress
from pathlib import Path

from ..files import read_text, write_text
from .guard import DAY


def state_folder(program: str) -> Path:
    """Where files of a program that outlive it belong."""
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / program


def keep_secret(folder: Path) -> str:
    """What cookies are signed with: the same after a restart, so that sessions are known again.

    `folder` must be open to its user alone.
    """
    file = folder / "secret"
    if not file.exists():
        write_text(file, secrets.token_urlsafe(32))
    return read_text(file)


def forget_old(folder: Path, pattern: str = "*", age: float = DAY) -> None:
    """Remove files and folders of a folder that were last changed longer than `age` [s] ago; links are left alone."""
    with suppress(OSError):
        for each in folder.glob(pattern):
            if each.is_symlink() or time.time() - each.stat().st_mtime <= age:
                continue
            if each.is_dir():
                shutil.rmtree(each, ignore_errors=True)
            else:
                each.unlink(missing_ok=True)
