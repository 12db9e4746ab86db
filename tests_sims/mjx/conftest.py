"""Settings for the tests inside MJX and MuJoCo Warp: double precision, and what is compiled stays for the next run."""

import sys
from pathlib import Path

import jax
import warp

CACHE = Path(sys.prefix) / "cache"
jax.config.update("jax_enable_x64", True)
jax.config.update("jax_compilation_cache_dir", str(CACHE / "jax"))
warp.config.quiet = True
warp.config.kernel_cache_dir = str(CACHE / "warp")
