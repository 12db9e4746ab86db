"""Where Warp keeps compiled kernels: its own folder, or one of this process where that cannot be written.

What is kept may be damaged, by a full disk or a process that was killed. Warp would fail on it in every process from
then on; here such a kernel is removed and compiled anew.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
import warnings
from functools import cache
from pathlib import Path

import warp as wp  # pyright: ignore[reportMissingImports]

from ..errors import BackemfWarning, ParameterError
from ..values import Module

_LOADED: set[tuple[str, str, int | None]] = set()
"""Name of each module that has been loaded, the device, and the threads of a block that were asked for."""


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


def launch(kernel: wp.Kernel, *, device: wp.Device, block_dim: int | None = None, **given: Module) -> Module:
    """As `wp.launch`, with a kernel that is compiled anew where the one that was kept is damaged."""
    load(kernel.module, device, block_dim)
    size = {} if block_dim is None else {"block_dim": block_dim}
    return wp.launch(kernel, device=device, **size, **given)


def load(module: Module, device: wp.Device, block_dim: int | None = None) -> None:
    """Have a module of kernels ready on a device; raises `ParameterError` where it cannot be compiled."""
    key = module.name, str(device), block_dim
    if key in _LOADED:
        return
    try:
        wp.load_module(module, device, block_dim=block_dim)
    except Exception:  # Warp has no kind of its own for what cannot be loaded
        _load_anew(module, device, block_dim)
    _LOADED.add(key)


def _load_anew(module: Module, device: wp.Device, block_dim: int | None) -> None:
    """Compile and load a module whatever was kept of it."""
    folder = wp.config.kernel_cache_dir
    for kept in Path(folder).glob(f"wp_{module.name}_*"):
        shutil.rmtree(kept, ignore_errors=True)
    module.mark_modified()
    try:
        wp.load_module(module, device, block_dim=block_dim)
    except Exception as error:
        said = (str(error).splitlines() or [type(error).__name__])[0]
        raise ParameterError(
            f"Warp cannot compile a kernel for {device} ({said}): look at its folder for kernels, {folder}, and at the "
            "space there, or set WARP_CACHE_PATH to another one"
        ) from error
