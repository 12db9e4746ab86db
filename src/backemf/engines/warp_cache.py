"""Where Warp keeps compiled kernels: its own folder, or one of this process where that cannot be written."""

from __future__ import annotations

import atexit
import shutil
import tempfile
import warnings
from functools import cache

import warp as wp  # pyright: ignore[reportMissingImports]

from ..errors import BackemfWarning, ParameterError


@cache
def make_cache_writable() -> None:
    """Start Warp; where its folder for kernels cannot be written, take a temporary one and say so once."""
    try:
        wp.init()
        folder = wp.config.kernel_cache_dir
        with tempfile.TemporaryFile(dir=folder):
            return
    except OSError as error:
        folder, reason = wp.config.kernel_cache_dir, error.strerror or str(error)
    wp.config.kernel_cache_dir = _temporary_folder(folder, reason)
    wp.init()
    warnings.warn(
        f"Warp's folder for kernels, {folder}, cannot be written ({reason}): each process compiles its kernels anew; "
        "set WARP_CACHE_PATH to a folder that can be",
        BackemfWarning,
        stacklevel=2,
    )


def _temporary_folder(folder: str | None, reason: str) -> str:
    """A folder for kernels that goes with the process."""
    try:
        made = tempfile.mkdtemp(prefix="backemf-warp-")
    except OSError:
        raise ParameterError(
            f"neither Warp's folder for kernels, {folder}, nor a temporary one can be written ({reason}): "
            "set WARP_CACHE_PATH or TMPDIR to a folder that can be"
        ) from None
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made
