"""Files that are written atomically: a file is whole, or as it was."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from .errors import ParameterError


def write_text(path: str | Path, text: str) -> None:
    """Write a text to a file atomically."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write a file beside its name and then over it, so that it is whole or as it was."""
    target = Path(path)
    beside = None
    try:
        handle, beside = tempfile.mkstemp(dir=target.parent or ".", prefix=".", suffix=target.suffix)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(beside, target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~umask)
        os.replace(beside, target)
    except OSError as error:
        raise ParameterError(f"{target}: cannot be written: {error.strerror or error}") from None
    finally:
        if beside is not None:
            Path(beside).unlink(missing_ok=True)
