"""Settings for the tests inside PhysX: the CPU alone, and what is compiled stays in the environment's folder."""

import sys
from pathlib import Path

import warp
from ovphysx import PhysX

warp.config.quiet = True
warp.config.kernel_cache_dir = str(Path(sys.prefix) / "cache" / "warp")
PhysX.set_cpu_mode(True)
