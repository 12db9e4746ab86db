"""Settings for the tests inside Newton: what is compiled stays in the environment's folder for the next run."""

import sys
from pathlib import Path

import warp

warp.config.quiet = True
warp.config.kernel_cache_dir = str(Path(sys.prefix) / "cache" / "warp")
