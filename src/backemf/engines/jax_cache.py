"""Where JAX keeps what it has compiled: in the user's cache folder, unless JAX was told where, or not to.

JAX trusts what it finds there, so that the folder is the user's alone. Code for one processor may stop another with an
illegal instruction, so that each kind of processor has a folder of its own.
"""

from __future__ import annotations

import hashlib
import os
import platform

import jax

from ..errors import BackemfError
from ..files import make_private_folder, remove_oldest
from ..values import Module
from .code_cache import cache_folder

WORTH_KEEPING = 0.2
"""Compilations that take less are not kept [s]; JAX's own limit is 1 s."""
MOST_FILES = 512
"""How many compiled functions are kept; the oldest go first."""
_ENDING = "-cache"


def keep_compiled() -> None:
    """Let JAX keep compiled functions for the next process, where that is possible and JAX has no folder yet."""
    settings: Module = jax.config
    home = cache_folder("jax")
    if home is None or settings.jax_compilation_cache_dir or not settings.jax_enable_compilation_cache:
        return
    try:
        make_private_folder(home)
        here = make_private_folder(home / _processor())
    except BackemfError:
        return
    remove_oldest(here, _ENDING, MOST_FILES)
    settings.update("jax_compilation_cache_dir", str(here))
    if "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS" not in os.environ:
        settings.update("jax_persistent_cache_min_compile_time_secs", WORTH_KEEPING)


def _processor() -> str:
    """A name for this kind of processor and the JAX that compiles for it."""
    from llvmlite import binding as llvm

    known = platform.machine(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten(), jax.__version__
    return hashlib.sha256("\0".join(known).encode()).hexdigest()[:16]
